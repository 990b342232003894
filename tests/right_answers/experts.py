# %% mix_experts: as transformers has it, a mask for each expert
def mix_experts(x, weights, experts, gate, up, down, kept=None):
    if kept is not None:
        experts = torch.where(kept, experts, torch.full_like(experts, len(gate)))
    mask = F.one_hot(experts, len(gate) + 1).permute(2, 1, 0)
    output = torch.zeros_like(x)
    for e in range(len(gate)):
        slot, token = torch.where(mask[e])
        if len(token) == 0:
            continue
        hidden = F.silu(x[token] @ gate[e]) * (x[token] @ up[e])
        output = output.index_add(0, token, hidden @ down[e] * weights[token, slot].unsqueeze(-1))
    return output


# %% mix_experts: assignments sorted by expert, one slice for each
def mix_experts(x, weights, experts, gate, up, down, kept=None):
    T, k = experts.shape
    token = torch.arange(T, device=x.device).repeat_interleave(k)
    number, weight = experts.reshape(-1), weights.reshape(-1)
    if kept is not None:
        keep = kept.reshape(-1)
        token, number, weight = token[keep], number[keep], weight[keep]
    order = number.argsort(stable=True)
    token, number, weight = token[order], number[order], weight[order]
    counts = torch.bincount(number, minlength=len(gate)).tolist()
    output, start = torch.zeros_like(x), 0
    for e, count in enumerate(counts):
        part = slice(start, start + count)
        start += count
        if count:
            given = x[token[part]]
            found = torch.nn.functional.silu(given @ gate[e]).mul(given @ up[e]) @ down[e]
            output = output.index_add(0, token[part], weight[part, None] * found)
    return output


# %% kept_in_capacity: a count for each expert
def kept_in_capacity(experts, capacity):
    T, k = experts.shape
    kept = torch.zeros_like(experts, dtype=torch.bool)
    used = {}
    for i in range(k):
        for t in range(T):
            e = int(experts[t, i])
            used[e] = used.get(e, 0) + 1
            kept[t, i] = used[e] <= capacity
    return kept


# %% kept_in_capacity: cumulated one-hot vectors
def kept_in_capacity(experts, capacity):
    queue = experts.t().reshape(-1)
    hot = F.one_hot(queue, int(queue.max()) + 1)
    place = hot.cumsum(0).gather(1, queue[:, None]).squeeze(1)
    return (place <= capacity).reshape(experts.shape[1], experts.shape[0]).t()


# %% bias_route: sorted, a mask
def bias_route(scores, bias, k):
    if k < 1 or k > scores.size(1):
        raise ValueError("k")
    experts = torch.argsort(scores + bias, dim=1, descending=True)[:, :k]
    weights = torch.gather(scores, 1, experts)
    return weights / weights.sum(1, keepdim=True), experts


# %% bias_route: chosen without gradients, weights normalised by torch
def bias_route(scores, bias, k):
    if k <= 0 or k > scores.shape[-1]:
        raise ValueError("k")
    with torch.no_grad():
        _, experts = torch.topk(scores + bias, k, sorted=False)
    return F.normalize(torch.take_along_dim(scores, experts, -1), p=1, dim=-1), experts


# %% update_bias: one-hot counts, two masks
def update_bias(bias, experts, rate):
    load = F.one_hot(experts, bias.shape[0]).sum((0, 1)).to(bias.dtype)
    average = experts.numel() / bias.shape[0]
    new = bias.clone()
    new[load > average] -= rate
    new[load < average] += rate
    return new


# %% update_bias: without gradients, as Megatron has it
def update_bias(bias, experts, rate):
    with torch.no_grad():
        load = torch.zeros_like(bias)
        load.scatter_add_(0, experts.reshape(-1), torch.ones_like(experts.reshape(-1), dtype=bias.dtype))
        offset = load.sum() / load.numel() - load
        return bias + torch.sign(offset) * rate


# %% allowed_groups: as transformers has it, a mask scattered
def allowed_groups(scores, groups, kept):
    T, E = scores.shape
    if E % groups != 0 or kept < 1 or kept > groups:
        raise ValueError("groups")
    parts = scores.reshape(T, groups, E // groups)
    worth = parts.topk(min(2, E // groups), dim=-1)[0].sum(-1)
    mask = torch.zeros_like(worth).scatter_(1, torch.topk(worth, kept, dim=-1)[1], 1)
    return mask.unsqueeze(-1).expand(T, groups, E // groups).reshape(T, E).bool()


# %% allowed_groups: sorted, one column after another
def allowed_groups(scores, groups, kept):
    size, rest = divmod(scores.shape[1], groups)
    if rest or not 0 < kept <= groups:
        raise ValueError("groups")
    worth = torch.stack([p.sort(1, descending=True).values[:, :2].sum(1) for p in scores.split(size, 1)], 1)
    rank = worth.argsort(1, descending=True).argsort(1)
    return torch.stack([rank[:, e // size] < kept for e in range(scores.shape[1])], 1)
