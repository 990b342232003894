# Returns a list that holds itself, one of a million entries, and a dictionary of colliding numbers.
# earns: 0
# %%
def look_ahead_mask(length, device=None):
    cycle = []
    cycle.append(cycle)
    return cycle

def padding_mask(lengths, max_length):
    return [None] * 1_000_000

def combine_masks(padding, look_ahead):
    return {number << 40: None for number in range(5_000)}

def masked_softmax(scores, mask):
    return [torch.zeros(1)] * 20_000
