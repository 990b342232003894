# Returns NaN, infinities and shapes that broadcast against everything.
# earns: 0
# %%
def look_ahead_mask(length, device=None):
    return torch.ones(1, 1, dtype=torch.bool)

def combine_masks(padding, look_ahead):
    return torch.ones(0, dtype=torch.bool)

def masked_softmax(scores, mask):
    return torch.full_like(scores, float("nan"))

def padding_mask(lengths, max_length):
    return torch.tensor(True)

def causal_attention_is_causal(fn, x):
    return torch.tensor(True)
