# %% recurrent_linear_attention: einsum, outputs written into a tensor
def recurrent_linear_attention(query, key, value, log_decay, state=None):
    n, d_v = value.shape[-2:]
    if state is None:
        state = torch.zeros(*query.shape[:-2], query.shape[-1], d_v, dtype=value.dtype, device=value.device)
    output = torch.empty_like(value)
    for t in range(n):
        state = torch.exp(log_decay[..., t])[..., None, None] * state
        state = state + torch.einsum("...k,...v->...kv", key[..., t, :], value[..., t, :])
        output[..., t, :] = torch.einsum("...k,...kv->...v", query[..., t, :], state)
    return output, state


# %% recurrent_linear_attention: as attention with a mask, which one call may be
def recurrent_linear_attention(query, key, value, log_decay, state=None):
    G = log_decay.cumsum(-1)
    gap = G.unsqueeze(-1) - G.unsqueeze(-2)
    n = gap.shape[-1]
    seen = torch.tril(torch.ones(n, n, dtype=torch.bool, device=gap.device))
    weights = torch.exp(torch.where(seen, gap, torch.tensor(-math.inf, dtype=gap.dtype, device=gap.device)))
    output = (weights * (query @ key.transpose(-1, -2))) @ value
    end = (key * weights[..., -1, :].unsqueeze(-1)).transpose(-1, -2) @ value
    if state is not None:
        output = output + G.exp().unsqueeze(-1) * (query @ state)
        end = end + G[..., -1].exp()[..., None, None] * state
    return output, end


# %% chunked_linear_attention: slices by range, a state of None until it is needed
def chunked_linear_attention(query, key, value, log_decay, chunk, state=None):
    if chunk <= 0:
        raise ValueError("chunk must be positive")
    pieces = []
    for start in range(0, query.shape[-2], chunk):
        part = slice(start, start + chunk)
        q, k, v, g = query[..., part, :], key[..., part, :], value[..., part, :], log_decay[..., part]
        G = torch.cumsum(g, -1)
        c = G.shape[-1]
        gap = G[..., :, None] - G[..., None, :]
        above = torch.triu(torch.ones(c, c, dtype=torch.bool, device=G.device), 1)
        L = gap.masked_fill(above, float("-inf")).exp()
        out = torch.einsum("...ik,...jk,...ij,...jv->...iv", q, k, L, v)
        new = torch.einsum("...jk,...j,...jv->...kv", k, torch.exp(G[..., -1:] - G), v)
        if state is not None:
            out = out + torch.exp(G)[..., None] * (q @ state)
            new = new + torch.exp(G[..., -1])[..., None, None] * state
        pieces.append(out)
        state = new
    return torch.cat(pieces, -2), state


# %% chunked_linear_attention: filled up to whole chunks, all of them at once, a loop for the states alone
def chunked_linear_attention(query, key, value, log_decay, chunk, state=None):
    if chunk < 1:
        raise ValueError("chunk")
    n = query.shape[-2]
    extra = -n % chunk
    q, k, v = (
        torch.nn.functional.pad(x, (0, 0, 0, extra)).unflatten(-2, (-1, chunk)) for x in (query, key, value)
    )
    G = torch.nn.functional.pad(log_decay, (0, extra)).unflatten(-1, (-1, chunk)).cumsum(-1)
    future = torch.ones(chunk, chunk, dtype=torch.bool, device=G.device).triu(1)
    L = (G[..., :, None] - G[..., None, :]).masked_fill(future, -math.inf).exp()
    inside = (q @ k.mT * L) @ v
    written = (k * (G[..., -1:] - G).exp()[..., None]).mT @ v
    left = G[..., -1].exp()[..., None, None]
    if state is None:
        state = torch.zeros_like(written[..., 0, :, :])
    before = []
    for i in range(G.shape[-2]):
        before.append(state)
        state = left[..., i, :, :] * state + written[..., i, :, :]
    output = inside + G.exp()[..., None] * (q @ torch.stack(before, -3))
    return output.flatten(-3, -2)[..., :n, :], state


# %% gated_delta_rule: the state multiplied by a matrix
def gated_delta_rule(query, key, value, beta, log_decay, state=None):
    d_k, outputs = key.shape[-1], []
    if state is None:
        state = torch.zeros(*key.shape[:-2], d_k, value.shape[-1], dtype=key.dtype, device=key.device)
    eye = torch.eye(d_k, dtype=key.dtype, device=key.device)
    for t in range(key.shape[-2]):
        k, b = key[..., t, :].unsqueeze(-1), beta[..., t, None, None]
        state = log_decay[..., t, None, None].exp() * (eye - b * k @ k.transpose(-1, -2)) @ state
        state = state + b * k @ value[..., t, :].unsqueeze(-2)
        outputs.append((state.transpose(-1, -2) @ query[..., t, :].unsqueeze(-1)).squeeze(-1))
    return torch.stack(outputs, -2), state


# %% gated_delta_rule: sums of products, as transformers has it
def gated_delta_rule(query, key, value, beta, log_decay, state=None):
    if state is None:
        state = (0 * key[..., 0, :]).unsqueeze(-1) * value[..., 0, :].unsqueeze(-2)
    outputs = []
    for t in range(key.shape[-2]):
        k, v, q = key[..., t, :], value[..., t, :], query[..., t, :]
        state = state * log_decay[..., t].exp()[..., None, None]
        found = (state * k.unsqueeze(-1)).sum(-2)
        state = state + k.unsqueeze(-1) * (beta[..., t, None] * (v - found)).unsqueeze(-2)
        outputs.append((state * q.unsqueeze(-1)).sum(-2))
    return torch.stack(outputs, -2), state


# %% chunked_delta_rule: an inverse of the system
def chunked_delta_rule(query, key, value, beta, chunk, state=None):
    if chunk < 1:
        raise ValueError("chunk")
    if state is None:
        state = key.new_zeros(*key.shape[:-2], key.shape[-1], value.shape[-1])
    outputs = []
    for q, k, v, b in zip(
        query.split(chunk, -2), key.split(chunk, -2), value.split(chunk, -2), beta.split(chunk, -1)
    ):
        b = b.unsqueeze(-1)
        eye = torch.eye(k.shape[-2], dtype=k.dtype, device=k.device)
        T = torch.linalg.inv(eye + torch.tril(b * k @ k.mT, -1))
        u = T @ (b * v) - T @ (b * k) @ state
        outputs.append(q @ state + torch.tril(q @ k.mT) @ u)
        state = state + k.mT @ u
    return torch.cat(outputs, -2), state


# %% chunked_delta_rule: a general solver
def chunked_delta_rule(query, key, value, beta, chunk, state=None):
    if chunk < 1:
        raise ValueError("chunk")
    outputs = []
    S = torch.zeros_like(key[..., :1, :].mT @ value[..., :1, :]) if state is None else state.clone()
    for s in range(0, key.shape[-2], chunk):
        q, k, v = (x[..., s : s + chunk, :] for x in (query, key, value))
        b = beta[..., s : s + chunk, None]
        A = torch.eye(k.shape[-2], dtype=k.dtype, device=k.device) + (b * (k @ k.mT)).tril(-1)
        u = torch.linalg.solve(A, b * (v - k @ S))
        outputs.append(q @ S + (q @ k.mT).tril() @ u)
        S = S + k.mT @ u
    return torch.cat(outputs, dim=-2), S


# %% chunked_linear_attention: differences kept below 0, then a triangle
def chunked_linear_attention(query, key, value, log_decay, chunk, state=None):
    if not chunk >= 1:
        raise ValueError("chunk")
    outs = []
    S = state
    for q, k, v, g in zip(
        query.split(chunk, -2), key.split(chunk, -2), value.split(chunk, -2), log_decay.split(chunk, -1)
    ):
        G = g.cumsum(-1)
        A = (G[..., None] - G[..., None, :]).clamp(max=0).exp().tril() * (q @ k.mT)
        o = A @ v
        W = k.mT @ ((G[..., -1:] - G).exp()[..., None] * v)
        if S is not None:
            o = o + G.exp()[..., None] * (q @ S)
            W = W + G[..., -1, None, None].exp() * S
        S = W
        outs.append(o)
    return torch.cat(outs, -2), S
