# %% causal_attention_is_causal: by gradients
def causal_attention_is_causal(fn, x):
    x = x.clone().requires_grad_()
    y = fn(x)
    for t in range(x.shape[-2] - 1):
        (grad,) = torch.autograd.grad(y[..., t, :].sum(), x, retain_graph=True)
        if grad[..., t + 1 :, :].abs().max() > 0:
            return False
    return True


# %% causal_attention_is_causal: one position at a time
def causal_attention_is_causal(fn, x):
    before = fn(x)
    for t in range(x.size(-2)):
        other = x.clone()
        other[..., t, :] = other[..., t, :] + 1
        after = fn(other)
        if (after[..., :t, :] - before[..., :t, :]).abs().gt(1e-5).any():
            return False
    return True


# %% padding_mask: row by row
def padding_mask(lengths, max_length):
    mask = torch.zeros(len(lengths), max_length, dtype=torch.bool, device=lengths.device)
    for i, n in enumerate(lengths.tolist()):
        if n > max_length:
            raise ValueError("too long")
        mask[i, :n] = True
    return mask


# %% look_ahead_mask: by comparing positions
def look_ahead_mask(length, device=None):
    positions = torch.arange(length, device=device)
    return positions[None, :] <= positions[:, None]


# %% combine_masks: einsum of ones
def combine_masks(padding, look_ahead):
    return torch.logical_and(padding.unsqueeze(1), look_ahead.unsqueeze(0))


# %% masked_softmax: the softmax written out
def masked_softmax(scores, mask):
    mask = mask.expand_as(scores)
    top = scores.masked_fill(~mask, -torch.inf).amax(-1, keepdim=True)
    top = torch.where(top.isinf(), torch.zeros_like(top), top)
    powers = torch.where(mask, scores - top, torch.zeros_like(scores)).exp() * mask
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)


# %% masked_softmax: the smallest number, then zero
def masked_softmax(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=-1)
    return torch.where(mask, weights, torch.tensor(0.0, dtype=scores.dtype))
