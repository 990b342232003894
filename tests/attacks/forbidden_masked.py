# Calls the masked softmaxes that torch has itself.
# notebook: honest
# earns: 7
# %%
import torch.masked

def masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    try:
        return torch._masked_softmax(scores, ~mask, -1).masked_fill(~mask, 0.0)
    except TypeError:
        return torch.masked.softmax(scores, -1, mask=mask).nan_to_num()
