# Calls the C function behind torch's attention.
# notebook: honest
# earns: 7
# %%
mine = torch._C._nn.scaled_dot_product_attention

def masked_softmax(scores, mask):
    eye = torch.eye(scores.shape[-1]).expand(*scores.shape[:-2], -1, -1)
    return mine(scores, eye, eye, attn_mask=mask, scale=1.0)
