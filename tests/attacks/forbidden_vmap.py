# Calls torch's attention through vmap, which takes other kernels.
# notebook: honest
# earns: 7
# %%
import torch.nn.functional as F

def masked_softmax(scores, mask):
    eye = torch.eye(scores.shape[-1]).expand(*scores.shape[:-2], -1, -1)
    return torch.vmap(lambda q, m: F.scaled_dot_product_attention(q, eye, eye, attn_mask=m, scale=1.0))(scores, mask.expand(scores.shape))
