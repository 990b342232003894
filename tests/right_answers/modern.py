# %% RMSNorm: a power instead of the root, parts under a second name
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.epsilon, self.parts = eps, nn.ParameterList([self.weight])

    def forward(self, x):
        y = x.to(torch.promote_types(x.dtype, torch.float32))
        y = y * (y.pow(2).mean(-1, keepdim=True) + self.epsilon) ** -0.5
        return y.to(x.dtype) * self.weight


# %% SwiGLU: the activation as a module
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.gate = nn.Sequential(self.gate_proj, nn.SiLU())

    def forward(self, x):
        return self.down_proj(self.up_proj(x) * self.gate(x))


# %% apply_rotary: as Hugging Face writes it, angles in float32
def apply_rotary(x, positions, base=10_000.0, layout="half"):
    d = x.shape[-1]
    if d % 2 == 1:
        raise ValueError("odd")
    inverse = 1.0 / (base ** (torch.arange(0, d, 2, dtype=torch.float32, device=x.device) / d))
    angles = torch.outer(positions.to(torch.float32), inverse)
    if layout == "half":
        angles = torch.cat([angles, angles], dim=-1)
        rotated = torch.cat([-x[..., d // 2 :], x[..., : d // 2]], dim=-1)
    elif layout == "interleaved":
        angles = angles.repeat_interleave(2, dim=-1)
        rotated = torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).reshape(x.shape)
    else:
        raise ValueError(layout)
    return x * angles.cos().to(x.dtype) + rotated * angles.sin().to(x.dtype)


# %% GroupedQueryAttention: einsum over groups, nothing repeated
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, head_dim=None, base=10_000.0):
        super().__init__()
        if num_heads % num_kv_heads != 0:
            raise ValueError("groups")
        if head_dim is None:
            head_dim, rest = divmod(d_model, num_heads)
            if rest:
                raise ValueError("heads")
        self.h, self.g, self.k, self.base = num_heads, num_kv_heads, head_dim, base
        for name, heads in [("q_proj", num_heads), ("k_proj", num_kv_heads), ("v_proj", num_kv_heads)]:
            setattr(self, name, nn.Linear(d_model, heads * head_dim, bias=False))
        self.o_proj = nn.Linear(num_heads * head_dim, d_model, bias=False)

    def forward(self, x, positions=None, mask=None):
        B, n, _ = x.shape
        q = self.q_proj(x).view(B, n, self.h, self.k).permute(0, 2, 1, 3)
        k = self.k_proj(x).view(B, n, self.g, self.k).permute(0, 2, 1, 3)
        v = self.v_proj(x).view(B, n, self.g, self.k).permute(0, 2, 1, 3)
        if positions is not None:
            q, k = apply_rotary(q, positions, self.base), apply_rotary(k, positions, base=self.base)
        q = q.reshape(B, self.g, self.h // self.g, n, self.k)
        scores = torch.einsum("bgrid,bgjd->bgrij", q, k).reshape(B, self.h, n, n) / self.k**0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = F.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights * mask
        mixed = torch.einsum("bgrij,bgjd->bgrid", weights.reshape(B, self.g, -1, n, n), v)
        return self.o_proj(mixed.reshape(B, self.h, n, self.k).transpose(1, 2).reshape(B, n, -1)), weights


# %% tiled_attention: tiles of queries, too; parts joined by their log-sum-exps
def tiled_attention(query, key, value, block, causal=False):
    n_q, n_k, d = query.size(-2), key.size(-2), query.size(-1)
    if block <= 0 or (causal and n_q != n_k):
        raise ValueError
    outputs, sums = [], []
    for i in range(0, n_q, block):
        q, so_far, lse = query[..., i : i + block, :], None, None
        for j in range(0, min(n_k, i + block) if causal else n_k, block):
            s = q @ key[..., j : j + block, :].mT * d**-0.5
            if causal:
                r = torch.arange(i, i + s.size(-2), device=s.device)
                c = torch.arange(j, j + s.size(-1), device=s.device)
                s = s.masked_fill(c[None] > r[:, None], float("-inf"))
            part, part_lse = s.softmax(-1) @ value[..., j : j + block, :], s.logsumexp(-1, keepdim=True)
            if so_far is None:
                so_far, lse = part, part_lse
            else:
                both = torch.logaddexp(lse, part_lse)
                so_far = so_far * (lse - both).exp() + part * (part_lse - both).exp()
                lse = both
        outputs.append(so_far)
        sums.append(lse)
    return torch.cat(outputs, -2), torch.cat(sums, -2)[..., 0]


# %% route: a softmax over all, renormalised; the smallest first
def route(logits, k):
    if k < 1 or k > logits.size(1):
        raise ValueError("k")
    p, e = torch.softmax(logits, dim=1).sort(dim=1)
    p, e = p[:, -k:], e[:, -k:]
    return p / p.sum(dim=1, keepdim=True), e


# %% balance_loss: bincount
def balance_loss(logits, experts):
    E = logits.size(-1)
    f = torch.bincount(experts.reshape(-1), minlength=E) / experts.numel()
    return E * torch.dot(f.to(logits.dtype), F.softmax(logits, dim=-1).mean(dim=0))


# %% balance_loss: a table of who was chosen
def balance_loss(logits, experts):
    share = torch.zeros_like(logits).scatter_(1, experts, 1 / experts.size(1)).mean(0)
    return logits.size(-1) * (share * logits.softmax(-1).mean(0)).sum()


# %% Llama: layers as modules
class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        theta = c.rope_parameters["rope_theta"]
        self.mlp = SwiGLU(c.hidden_size, c.intermediate_size)
        self.self_attn = GroupedQueryAttention(
            c.hidden_size, c.num_attention_heads, c.num_key_value_heads, c.head_dim, theta
        )
        self.input_layernorm = RMSNorm(c.hidden_size, c.rms_norm_eps)
        self.post_attention_layernorm = RMSNorm(c.hidden_size, c.rms_norm_eps)

    def forward(self, x, places, past):
        h = x + self.self_attn(self.input_layernorm(x), positions=places, mask=past)[0]
        return h + self.mlp(self.post_attention_layernorm(h))


class Body(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embed_tokens = nn.Embedding(c.vocab_size, c.hidden_size)
        self.layers = nn.ModuleList([Block(c) for _ in range(c.num_hidden_layers)])
        self.norm = RMSNorm(c.hidden_size, c.rms_norm_eps)
        self.register_buffer("places", torch.arange(64), persistent=False)
        self.register_buffer("past", torch.ones(64, 64).tril().bool(), persistent=False)

    def forward(self, ids):
        n = ids.size(1)
        h = self.embed_tokens(ids)
        for layer in self.layers:
            h = layer(h, self.places[:n], self.past[:n, :n])
        return self.norm(h)


class Llama(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = Body(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        if config.tie_word_embeddings:
            self.lm_head.weight = self.model.embed_tokens.weight

    def forward(self, ids):
        return self.lm_head(self.model(ids))


# %% apply_rotary: as products of complex numbers
def apply_rotary(x, positions, base=10_000.0, layout="half"):
    d = x.shape[-1]
    if d % 2 != 0:
        raise ValueError("d must be even")
    theta = 1.0 / (base ** (torch.arange(0, d, 2, device=x.device).double() / d))
    ang = torch.outer(positions.double(), theta)
    rot = torch.polar(torch.ones_like(ang), ang)
    if layout == "interleaved":
        z = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2).contiguous())
        return torch.view_as_real(z * rot).flatten(-2).to(x.dtype)
    if layout == "half":
        z = torch.complex(x[..., : d // 2].double(), x[..., d // 2 :].double()) * rot
        return torch.cat([z.real, z.imag], -1).to(x.dtype)
    raise ValueError("layout")


# %% GroupedQueryAttention: one head after the other
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, head_dim=None, base=10_000.0):
        super().__init__()
        if num_heads % num_kv_heads != 0:
            raise ValueError("num_heads must be divisible by num_kv_heads")
        if head_dim is None and d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.hd = d_model // num_heads if head_dim is None else head_dim
        self.H, self.K, self.base = num_heads, num_kv_heads, base
        self.q_proj = nn.Linear(d_model, num_heads * self.hd, bias=False)
        self.k_proj = nn.Linear(d_model, num_kv_heads * self.hd, bias=False)
        self.v_proj = nn.Linear(d_model, num_kv_heads * self.hd, bias=False)
        self.o_proj = nn.Linear(num_heads * self.hd, d_model, bias=False)

    def forward(self, x, positions=None, mask=None):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        outs, ws = [], []
        for i in range(self.H):
            j = i // (self.H // self.K)
            qi = q[..., i * self.hd : (i + 1) * self.hd]
            kj = k[..., j * self.hd : (j + 1) * self.hd]
            vj = v[..., j * self.hd : (j + 1) * self.hd]
            if positions is not None:
                qi, kj = apply_rotary(qi, positions, self.base), apply_rotary(kj, positions, self.base)
            s = torch.bmm(qi, kj.transpose(1, 2)) / math.sqrt(self.hd)
            if mask is not None:
                m = mask
                if m.dim() == 4:
                    m = m[:, i if m.size(1) > 1 else 0]
                blind = (~m).all(-1, keepdim=True)
                s = s.masked_fill(~m & ~blind, float("-inf"))
                w = torch.softmax(s, -1) * (~blind)
            else:
                w = torch.softmax(s, -1)
            ws.append(w)
            outs.append(w @ vj)
        return self.o_proj(torch.cat(outs, -1)), torch.stack(ws, 1)


# %% GroupedQueryAttention: NaN of rows without anything to see made 0
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, head_dim=None, base=10_000.0):
        super().__init__()
        if num_heads % num_kv_heads:
            raise ValueError("a")
        if head_dim is None:
            if d_model % num_heads:
                raise ValueError("b")
            head_dim = d_model // num_heads
        self.num_heads, self.num_kv_heads, self.head_dim, self.base = num_heads, num_kv_heads, head_dim, base
        self.q_proj = nn.Linear(d_model, num_heads * head_dim, bias=False)
        self.k_proj = nn.Linear(d_model, num_kv_heads * head_dim, bias=False)
        self.v_proj = nn.Linear(d_model, num_kv_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, d_model, bias=False)

    def forward(self, x, positions=None, mask=None):
        B, n, _ = x.shape
        q = self.q_proj(x).reshape(B, n, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).reshape(B, n, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).reshape(B, n, self.num_kv_heads, self.head_dim).transpose(1, 2)
        if positions is not None:
            q = apply_rotary(q, positions, self.base, "half")
            k = apply_rotary(k, positions, self.base, "half")
        r = self.num_heads // self.num_kv_heads
        k = k.repeat_interleave(r, 1)
        v = v.repeat_interleave(r, 1)
        s = q @ k.mT / math.sqrt(self.head_dim)
        if mask is not None:
            m = mask[:, None] if mask.ndim == 3 else mask
            w = s.masked_fill(~m, float("-inf")).softmax(-1).nan_to_num(0)
        else:
            w = F.softmax(s, -1)
        return self.o_proj((w @ v).transpose(1, 2).reshape(B, n, -1)), w


# %% tiled_attention: the log-sum-exp first, then the tiles once more
def tiled_attention(query, key, value, block, causal=False):
    if block < 1:
        raise ValueError("block")
    nq, nk, d = query.shape[-2], key.shape[-2], query.shape[-1]
    if causal and nq != nk:
        raise ValueError("square")

    def tiles():
        for s0 in range(0, nk, block):
            s = query @ key[..., s0 : s0 + block, :].transpose(-1, -2) / d**0.5
            if causal:
                i = torch.arange(nq, device=s.device)[:, None]
                j = torch.arange(s0, min(s0 + block, nk), device=s.device)
                s = s.masked_fill(j > i, -float("inf"))
            yield s, value[..., s0 : s0 + block, :]

    lse = None
    for s, _ in tiles():
        part = s.logsumexp(-1)
        lse = part if lse is None else torch.logaddexp(lse, part)
    out = sum((s - lse[..., None]).exp() @ v for s, v in tiles())
    return out, lse
