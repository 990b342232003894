# Raises ValueError always: right for the sentence that is too long, wrong for all others.
# earns: 0
# %%
def padding_mask(lengths, max_length):
    raise ValueError("no")
