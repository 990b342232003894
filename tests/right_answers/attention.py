# %% dot_product_attention: einsum
def dot_product_attention(query, keys, values):
    scores = torch.einsum(
        "...d,...d->...", query[..., None, :], keys[..., None, :, :] if query.dim() > 1 else keys
    )
    weights = torch.softmax(scores, dim=-1)
    return weights @ values, weights


# %% scaled_dot_product_attention: the smallest number, then zero
def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-1, -2)) * d_k**-0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = torch.where(mask, weights, torch.tensor(0.0, dtype=weights.dtype))
    return torch.matmul(weights, value), weights


# %% expected_score_variance: pair by pair
def expected_score_variance(d_k, samples=10_000, generator=None):
    pairs = torch.randn(samples, 2, d_k, generator=generator)
    dots = torch.einsum("sd,sd->s", pairs[:, 0], pairs[:, 1])
    return float(dots.var(unbiased=False))


# %% expected_score_variance: the mean of squares
def expected_score_variance(d_k, samples=10_000, generator=None):
    q = torch.randn(d_k, samples, generator=generator)
    k = torch.randn(d_k, samples, generator=generator)
    scores = (q * k).sum(0)
    return ((scores - scores.mean()) ** 2).mean().item()


# %% expected_score_variance: one pair after the other
def expected_score_variance(d_k, samples=10_000, generator=None):
    scores = []
    for _ in range(samples):
        query = torch.randn(d_k, generator=generator)
        key = torch.randn(d_k, generator=generator)
        scores.append(torch.dot(query, key).item())
    mean = sum(scores) / samples
    return sum((score - mean) ** 2 for score in scores) / samples


# %% scaled_dot_product_attention: zeros of the NaN that a blind row leaves
def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
    return weights @ value, weights
