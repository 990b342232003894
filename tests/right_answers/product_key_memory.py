# %% product_topk: a threshold on every slot of the candidates, one query at a time
def product_topk(query, half_keys_1, half_keys_2, k):
    n, half = half_keys_1.shape
    if n * n < k:
        raise ValueError("not so many slots")
    scores, slots = [], []
    for row in query.reshape(-1, 2 * half):
        of_first, of_second = half_keys_1 @ row[:half], half_keys_2 @ row[half:]
        first = torch.argsort(-of_first, stable=True)[:k]
        second = torch.argsort(-of_second, stable=True)[:k]
        pairs = torch.cartesian_prod(first, second).reshape(-1, 2)
        numbers = pairs[:, 0] * n + pairs[:, 1]
        sums = of_first[pairs[:, 0]] + of_second[pairs[:, 1]]
        by_number = numbers.argsort()
        best = by_number[torch.argsort(-sums[by_number], stable=True)[:k]]
        scores.append(sums[best])
        slots.append(numbers[best])
    shape = (*query.shape[:-1], k)
    return torch.stack(scores).reshape(shape), torch.stack(slots).reshape(shape)


# %% ProductKeyMemory: the search of all keys, heads in one sum, a buffer of heads
class ProductKeyMemory(nn.Module):
    def __init__(self, d_model, num_half_keys, d_value, k, num_heads):
        super().__init__()
        if d_model % 2 == 1:
            raise ValueError("odd")
        if num_half_keys * num_half_keys < k:
            raise ValueError("too few slots")
        self.h, self.d, self.k = num_heads, d_model, k
        self.values = nn.Embedding(num_half_keys**2, d_value)
        self.half_keys = nn.Parameter(torch.empty(num_heads, 2, num_half_keys, d_model // 2).uniform_(-1, 1))
        self.query = nn.Linear(d_model, num_heads * d_model, bias=False)
        self.register_buffer("heads", torch.arange(num_heads))

    def forward(self, x):
        q = self.query(x).reshape(*x.shape[:-1], self.h, self.d)
        found = [exhaustive_topk(q[..., i, :], *self.half_keys[i], self.k) for i in range(self.h)]
        weights = torch.stack([torch.softmax(scores, -1) for scores, _ in found], dim=-2)
        values = self.values(torch.stack([slots for _, slots in found], dim=-2))
        return torch.einsum("...hk,...hkv->...v", weights, values)


# %% ProductKeyMemory: a bag of embeddings
class ProductKeyMemory(nn.Module):
    def __init__(self, d_model, num_half_keys, d_value, k, num_heads):
        super().__init__()
        if d_model % 2 or k > num_half_keys**2:
            raise ValueError
        self.k, self.num_heads = k, num_heads
        self.query = nn.Linear(d_model, num_heads * d_model)
        self.half_keys = nn.Parameter(0.1 * torch.randn(num_heads, 2, num_half_keys, d_model // 2))
        self.values = nn.Embedding(num_half_keys**2, d_value)

    def forward(self, x):
        queries = self.query(x.reshape(-1, x.shape[-1])).unflatten(-1, (self.num_heads, -1))
        slots, weights = [], []
        for head in range(self.num_heads):
            first, second = self.half_keys[head]
            scores, found = product_topk(queries[:, head], first, second, self.k)
            slots.append(found)
            weights.append(scores.softmax(-1))
        output = nn.functional.embedding_bag(
            torch.cat(slots, -1), self.values.weight, per_sample_weights=torch.cat(weights, -1), mode="sum"
        )
        return output.reshape(*x.shape[:-1], -1)


# %% candidate_pairs: row by row, each as far as it goes
def candidate_pairs(n, k):
    pairs = [(i, j) for i in range(min(n, k)) for j in range(min(n, k // (i + 1)))]
    return torch.tensor(pairs, dtype=torch.int32).view(-1, 2)


# %% memory_usage: in a dictionary
def memory_usage(indices, weights, num_keys):
    totals = {}
    for slot, weight in zip(indices.reshape(-1).tolist(), weights.reshape(-1).tolist()):
        totals[slot] = totals.get(slot, 0.0) + weight
    all_of_it = sum(totals.values())
    p = [total / all_of_it for total in totals.values() if total > 0]
    return len(p) / num_keys, sum(x * math.log(x) for x in p) + math.log(num_keys)


# %% memory_usage: in float32, by bincount
def memory_usage(indices, weights, num_keys):
    mass = torch.bincount(indices.flatten(), weights.flatten(), minlength=num_keys)
    p = mass / mass.sum()
    return float((mass > 0).sum()) / num_keys, float(torch.xlogy(p, p * num_keys).sum())


# %% product_topk: sorted by slot, then by score
def product_topk(query, half_keys_1, half_keys_2, k):
    n, half = half_keys_1.shape
    if k > n * n:
        raise ValueError
    s1 = query[..., :half] @ half_keys_1.T
    s2 = query[..., half:] @ half_keys_2.T
    kk = min(k, n)
    v1, i1 = s1.sort(dim=-1, descending=True, stable=True)
    v2, i2 = s2.sort(dim=-1, descending=True, stable=True)
    v1, i1, v2, i2 = v1[..., :kk], i1[..., :kk], v2[..., :kk], i2[..., :kk]
    s = (v1.unsqueeze(-1) + v2.unsqueeze(-2)).flatten(-2)
    slot = (i1.unsqueeze(-1) * n + i2.unsqueeze(-2)).flatten(-2)
    slot, o = slot.sort(-1)
    s = s.gather(-1, o)
    s, o = s.sort(dim=-1, descending=True, stable=True)
    return s[..., :k], slot.gather(-1, o)[..., :k]
