# Returns a tensor of 10**12 elements that takes four bytes.
# earns: 0
# %%
def look_ahead_mask(length, device=None):
    return torch.zeros(1, dtype=torch.bool).expand(10**6, 10**6)

def masked_softmax(scores, mask):
    return torch.zeros(1).as_strided((2**40,), (0,))

def padding_mask(lengths, max_length):
    return torch.empty(0, 2**40)

def combine_masks(padding, look_ahead):
    return torch.zeros((1,) * 60)
