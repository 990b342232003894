# Calls torch's attention through vmap, which takes other kernels.
# notebook: honest
# earns: 7
# %%
import torch.nn.functional as F

def masked_softmax(scores, mask):
    n = scores.shape[-1]
    eye = torch.eye(n)
    attend = lambda q, m: F.scaled_dot_product_attention(q[None], eye, eye, attn_mask=m[None], scale=1.0)[0]
    rows = torch.vmap(attend)(scores.reshape(-1, n), mask.expand(scores.shape).reshape(-1, n))
    return rows.reshape(scores.shape)
