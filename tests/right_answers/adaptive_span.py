# %% soft_span_mask: minimum and maximum, the future by a product
def soft_span_mask(distance, z, ramp):
    mask = torch.minimum(1 + (z - distance) / ramp, torch.ones_like(z))
    return torch.relu(mask) * (distance >= 0)


# %% span_attention: the largest score that is visible taken off by hand
def span_attention(scores, distance, z, ramp):
    mask = soft_span_mask(distance, z, ramp)
    visible = (mask > 0).expand(scores.shape)
    top = torch.where(visible, scores, -1e30).amax(-1, keepdim=True).detach()
    parts = torch.where(visible, scores - top, 0).exp() * mask
    return parts / (parts.sum(-1, keepdim=True) + (~visible.any(-1, keepdim=True)))


# %% AdaptiveSpanAttention: one query after the other, no biases
class AdaptiveSpanAttention(nn.Module):
    def __init__(self, d_model, num_heads, max_span, ramp):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError
        self.h, self.max_span, self.ramp = num_heads, max_span, ramp
        self.W_q, self.W_k, self.W_v, self.W_o = [nn.Linear(d_model, d_model, bias=False) for _ in range(4)]
        self.z = nn.Parameter(torch.ones(num_heads) * max_span / 2)
        self.register_buffer("counted", torch.arange(512))

    def forward(self, x):
        B, n, d = x.shape
        q, k, v = [
            f(x).view(B, n, self.h, d // self.h).transpose(1, 2) for f in (self.W_q, self.W_k, self.W_v)
        ]
        z = torch.clamp(self.z, 0, self.max_span).view(self.h, 1, 1)
        longest = float(z.max()) + self.ramp
        outputs, rows = [], []
        for i in range(n):
            seen = [j for j in range(i + 1) if i - j < longest]
            first = seen[0]
            scores = q[:, :, i : i + 1] @ k[:, :, first : i + 1].mT / math.sqrt(d // self.h)
            distance = (i - self.counted[first : i + 1])[None]
            w = span_attention(scores, distance, z, self.ramp)
            outputs.append(w @ v[:, :, first : i + 1])
            rows.append(nn.functional.pad(w, (first, n - 1 - i)))
        output = torch.cat(outputs, dim=2).transpose(1, 2).reshape(B, n, d)
        return self.W_o(output), torch.cat(rows, dim=2)


# %% AdaptiveSpanAttention: windows of padded keys, the spans kept in range in place
class AdaptiveSpanAttention(nn.Module):
    def __init__(self, d_model, num_heads, max_span, ramp):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("heads")
        self.W_o, self.W_v, self.W_k, self.W_q = [nn.Linear(d_model, d_model) for _ in range(4)]
        self.maps = nn.ModuleList([self.W_q, self.W_k, self.W_v])
        self.z = nn.Parameter(torch.full([num_heads], max_span / 2))
        self.num_heads, self.max_span, self.ramp = num_heads, max_span, ramp

    def forward(self, x):
        with torch.no_grad():
            self.z.clamp_(0, self.max_span)
        batch, n, d_model = x.shape
        reach = max(1, min(n, math.ceil(self.z.max().item() + self.ramp)))
        q, k, v = (f(x).reshape(batch, n, self.num_heads, -1).transpose(1, 2) for f in self.maps)
        k, v = (nn.functional.pad(t, (0, 0, reach - 1, 0)).unfold(2, reach, 1) for t in (k, v))
        scores = torch.einsum("bhid,bhidc->bhic", q, k) * (d_model // self.num_heads) ** -0.5
        column = torch.arange(reach, device=x.device)
        key = torch.arange(n, device=x.device)[:, None] + column - (reach - 1)
        distance = torch.where(key < 0, -1, reach - 1 - column)
        weights = span_attention(scores, distance, self.z[:, None, None], self.ramp)
        output = torch.einsum("bhic,bhidc->bhid", weights, v)
        wide = torch.zeros(batch, self.num_heads, n, n + reach - 1, dtype=x.dtype, device=x.device)
        wide = wide.scatter(-1, (key + reach - 1).expand_as(weights), weights)
        return self.W_o(output.transpose(1, 2).reshape(batch, n, d_model)), wide[..., reach - 1 :]


# %% AdaptiveSpanAttention: blocks of queries, each with the keys that it may reach
class AdaptiveSpanAttention(nn.Module):
    def __init__(self, d_model, num_heads, max_span, ramp):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("heads")
        self.W_q, self.W_k, self.W_v, self.W_o = [nn.Linear(d_model, d_model) for _ in range(4)]
        self.z = nn.Parameter(torch.full([num_heads], max_span / 2))
        self.num_heads, self.max_span, self.ramp = num_heads, max_span, ramp

    def forward(self, x):
        batch, n, d_model = x.shape
        q, k, v = (
            f(x).reshape(batch, n, self.num_heads, -1).transpose(1, 2) for f in (self.W_q, self.W_k, self.W_v)
        )
        z = self.z.clamp(0, self.max_span)[:, None, None]
        reach = math.ceil(z.max().item() + self.ramp)
        block, places, outputs, rows = 2, torch.arange(n, device=x.device), [], []
        for start in range(0, n, block):
            first, end = max(0, start - reach + 1), min(start + block, n)
            scores = q[:, :, start:end] @ k[:, :, first:end].mT / (d_model // self.num_heads) ** 0.5
            distance = places[start:end, None] - places[first:end]
            w = span_attention(scores, distance, z, self.ramp)
            outputs.append(w @ v[:, :, first:end])
            rows.append(nn.functional.pad(w, (first, n - end)))
        return self.W_o(torch.cat(outputs, 2).transpose(1, 2).flatten(2)), torch.cat(rows, 2)


# %% span_slope: the quotient rule, the largest score that is visible taken off
def span_slope(scores, distance, z, ramp, gain):
    mask = soft_span_mask(distance, z, ramp)
    moves = ((distance > z) & (distance < z + ramp)).to(scores.dtype) / ramp
    visible = (mask > 0).expand(scores.shape)
    top = torch.where(visible, scores, -1e30).amax(-1, keepdim=True)
    exps = torch.where(visible, scores - top, -1e30).exp() * visible
    above, below = (exps * mask * gain).sum(-1), (exps * mask).sum(-1)
    more_above, more_below = (exps * moves * gain).sum(-1), (exps * moves).sum(-1)
    below = below + (below == 0)
    return (more_above * below - above * more_below) / below**2


# %% span_attention: the logarithm of the mask added to the scores
def span_attention(scores, distance, z, ramp):
    m = soft_span_mask(distance, z, ramp)
    empty = (m == 0).all(-1, keepdim=True)
    safe = m.masked_fill(m == 0, 1.0).log()
    s = (scores + safe).masked_fill((m == 0) & ~empty, -math.inf)
    return s.softmax(-1).masked_fill(empty, 0.0)


# %% AdaptiveSpanAttention: one distance after the other
class AdaptiveSpanAttention(nn.Module):
    def __init__(self, d_model, num_heads, max_span, ramp):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("heads")
        self.h, self.dk, self.max_span, self.ramp = num_heads, d_model // num_heads, max_span, ramp
        for w in ["W_q", "W_k", "W_v", "W_o"]:
            setattr(self, w, nn.Linear(d_model, d_model))
        self.z = nn.Parameter(torch.ones(num_heads) * max_span / 2)

    def forward(self, x):
        B, n, _ = x.shape

        def sp(t):
            return t.view(B, n, self.h, self.dk).transpose(1, 2)

        q, k, v = sp(self.W_q(x)), sp(self.W_k(x)), sp(self.W_v(x))
        z = self.z.clamp(0, self.max_span)
        reach = int(min(n, math.ceil(float(z.max().detach()) + self.ramp)))
        cols = []
        for d in range(reach):
            s = (q[:, :, d:] * k[:, :, : n - d]).sum(-1) / math.sqrt(self.dk)
            cols.append(torch.nn.functional.pad(s, (d, 0)))
        s = torch.stack(cols, -1)
        i = torch.arange(n, device=x.device)[:, None]
        d = torch.arange(reach, device=x.device)[None]
        dist = torch.where(d <= i, d, -1)
        w = span_attention(s, dist, z.view(-1, 1, 1), self.ramp)
        out = 0
        full = x.new_zeros(B, self.h, n, n)
        for d in range(reach):
            wd = w[..., d]
            out = out + torch.nn.functional.pad(v[:, :, : n - d], (0, 0, d, 0)) * wd[..., None]
            full = full + torch.diag_embed(wd[:, :, d:], offset=-d)[..., :n, :n]
        return self.W_o(out.transpose(1, 2).reshape(B, n, -1)), full
