# Gives the same answer whatever it is asked.
# earns: 0
# %%
def causal_attention_is_causal(fn, x):
    return True
