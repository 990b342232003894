# Calls the operator behind torch's attention, and those behind that one.
# notebook: honest
# earns: 7
# %%

def masked_softmax(scores, mask):
    eye = torch.eye(scores.shape[-1]).expand(*scores.shape[:-2], -1, -1)
    return attend(scores, eye, eye, attn_mask=mask, scale=1.0)

def attend(query, key, value, attn_mask, scale):
    for name in ("scaled_dot_product_attention", "_scaled_dot_product_attention_math"):
        try:
            found = getattr(torch.ops.aten, name)(query, key, value, attn_mask=attn_mask, scale=scale)
            return found[0] if isinstance(found, tuple) else found
        except TypeError:
            pass
    return torch.ops.aten.scaled_dot_product_attention.default.decompose(query, key, value, attn_mask=attn_mask, scale=scale)
