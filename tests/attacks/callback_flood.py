# Calls the judge's function for ever, with hostile arguments.
# earns: 0
# %%
def causal_attention_is_causal(fn, x):
    while True:
        for hostile in (None, "text", [1], {}, object(), x.to(torch.int8), torch.zeros(0), fn, fn):
            try:
                fn(hostile)
            except Exception:
                pass
