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


# %% sorted_lsh_attention: one bucket after the other
def sorted_lsh_attention(qk, value, buckets, block, causal=False):
    output = torch.empty_like(value)
    for number in buckets.unique():
        here = torch.where(buckets == number)[0]
        output[here] = lsh_attention(qk[here], value[here], torch.zeros_like(here), causal)[0]
    return output


# %% sorted_lsh_attention: in blocks, the future by the order of the sorted
def sorted_lsh_attention(qk, value, buckets, block, causal=False):
    order = torch.sort(buckets, stable=True).indices
    sorted_buckets, back = buckets[order], torch.empty_like(order)
    back[order] = torch.arange(len(order), device=order.device)
    key = qk / torch.linalg.vector_norm(qk, dim=-1, keepdim=True).clamp(min=1e-12)

    def rule(i, j):
        return (sorted_buckets[i] == sorted_buckets[j]) & ((j <= i) | (not causal))

    return attend_in_blocks(qk[order], key[order], value[order], block, rule, True).index_select(0, back)


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
