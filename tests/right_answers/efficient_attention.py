# %% linformer_attention: einsum, key and value mixed at once
def linformer_attention(query, key, value, E, F):
    n = key.size(-2)
    if E.size(1) != n or F.size(1) != n:
        raise ValueError("n")
    key = torch.einsum("kn,...nd->...kd", E, key)
    value = torch.einsum("kn,...nd->...kd", F, value)
    scores = torch.einsum("...qd,...kd->...qk", query, key) * query.size(-1) ** -0.5
    weights = torch.softmax(scores, -1)
    return torch.einsum("...qk,...kd->...qd", weights, value), weights


# %% sliding_window_mask: place by place
def sliding_window_mask(n, window, global_positions=()):
    chosen = set(global_positions)
    rows = [[abs(i - j) <= window or bool({i, j} & chosen) for j in range(n)] for i in range(n)]
    return torch.tensor(rows)


# %% sliding_window_mask: a band of ones
def sliding_window_mask(n, window, global_positions=()):
    mask = torch.ones(n, n).tril(window).triu(-window)
    for g in global_positions:
        mask[g, :] = mask[:, g] = 1
    return mask.bool()


# %% lsh_buckets: rotations with their opposites first
def lsh_buckets(x, rotations):
    return torch.max(x @ torch.cat([rotations, -rotations], dim=1), dim=-1).indices


# %% lsh_attention: a large number off one's own score, as Reformer does
def lsh_attention(qk, value, buckets, causal=False):
    n, d = qk.size(-2), qk.size(-1)
    key = qk / qk.norm(dim=-1, keepdim=True).clamp(min=1e-12)
    scores = torch.einsum("...id,...jd->...ij", qk, key) / d**0.5
    scores = scores - 1e5 * torch.eye(n, dtype=qk.dtype, device=qk.device)
    mask = buckets.unsqueeze(-1) == buckets.unsqueeze(-2)
    if causal:
        mask = mask & torch.ones(n, n, dtype=torch.bool, device=qk.device).tril()
    weights = scores.masked_fill(~mask, -1e9).softmax(-1)
    return weights @ value, weights


# %% positive_random_features: the constant in the exponent
def positive_random_features(x, projection):
    norm = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return torch.exp(
        torch.einsum("...d,md->...m", x, projection) - norm**2 / 2 - math.log(len(projection)) / 2
    )


# %% performer_attention: all prefix sums at once, epsilon in the denominator
def performer_attention(query, key, value, projection, causal=False):
    d = query.size(-1)
    q = positive_random_features(query / d**0.25, projection)
    k = positive_random_features(key / d**0.25, projection)
    if causal:
        kv = torch.einsum("...nm,...nd->...nmd", k, value).cumsum(-3)
        numerator = torch.einsum("...nm,...nmd->...nd", q, kv)
        denominator = (q * k.cumsum(-2)).sum(-1, keepdim=True)
    else:
        numerator = q @ (k.transpose(-1, -2) @ value)
        denominator = q @ k.sum(-2).unsqueeze(-1)
    return numerator / (denominator + 1e-6)


# %% performer_attention: one position after the other
def performer_attention(query, key, value, projection, causal=False):
    scale = math.sqrt(math.sqrt(query.shape[-1]))
    q, k = (positive_random_features(x / scale, projection) for x in (query, key))
    if not causal:
        return (q @ (k.mT @ value)) / (q @ k.sum(-2, keepdim=True).mT)
    total, count, outputs = 0, 0, []
    for i in range(k.shape[-2]):
        total = total + k[..., i, :, None] * value[..., i, None, :]
        count = count + k[..., i, :]
        here = q[..., i, None, :]
        outputs.append((here @ total) / (here @ count[..., None]))
    return torch.cat(outputs, dim=-2)


# %% latent_attention: einsum
def latent_attention(latents, inputs, W_q, W_k, W_v):
    q = torch.einsum("...md,de->...me", latents, W_q)
    k = torch.einsum("...nd,de->...ne", inputs, W_k)
    v = torch.einsum("...nd,de->...ne", inputs, W_v)
    weights = torch.softmax(torch.einsum("...me,...ne->...mn", q, k) / k.size(-1) ** 0.5, dim=-1)
    return torch.einsum("...mn,...ne->...me", weights, v), weights
