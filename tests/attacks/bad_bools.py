# Returns a bool tensor whose bytes are neither 0 nor 1.
# earns: 0
# %%
def look_ahead_mask(length, device=None):
    return torch.full((length, length), 2, dtype=torch.uint8).view(torch.bool)

def combine_masks(padding, look_ahead):
    shape = (padding.shape[0], *look_ahead.shape)
    return torch.full(shape, 255, dtype=torch.uint8).view(torch.bool)
