# %% CausalSelfAttention: the mask in a buffer, as in nanoGPT
class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        if config.n_embd % config.n_head != 0:
            raise ValueError
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.attn_dropout = nn.Dropout(config.attn_pdrop)
        self.resid_dropout = nn.Dropout(config.resid_pdrop)
        self.n_head = config.n_head
        size = config.n_positions
        self.register_buffer("bias", torch.tril(torch.ones(size, size)).view(1, 1, size, size))

    def forward(self, x, cache=None, need_weights=True):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v))
        if cache is not None:
            if "key" in cache:
                k, v = torch.cat((cache["key"], k), dim=-2), torch.cat((cache["value"], v), dim=-2)
            cache.update(key=k, value=v)
        S = k.size(-2)
        mask = self.bias[:, :, S - T : S, :S] != 0
        if not need_weights:
            p = self.attn_dropout.p if self.training else 0
            y, att = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p), None
        else:
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = F.softmax(att.masked_fill(~mask, float("-inf")), dim=-1)
            y = self.attn_dropout(att) @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.c_proj(y)), att


# %% Block: a module for the mlp, the parts in a list as well
class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_proj = nn.Linear(4 * config.n_embd, config.n_embd)
        self.c_fc = nn.Linear(config.n_embd, 4 * config.n_embd)
        self.gelu = nn.GELU(approximate="tanh")
        self.net = nn.Sequential(self.c_fc, self.gelu, self.c_proj, nn.Dropout(config.resid_pdrop))

    def forward(self, x):
        return self.net(x)


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.mlp = MLP(config)
        self.attn = CausalSelfAttention(config)
        self.norms = nn.ModuleList(nn.LayerNorm(config.n_embd, config.layer_norm_epsilon) for _ in range(2))
        self.ln_1, self.ln_2 = self.norms

    def forward(self, x, cache=None):
        x = x + self.attn(self.ln_1(x), cache=cache)[0]
        return x + self.mlp(self.ln_2(x))


# %% GPT: positions in a buffer
class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.transformer = nn.ModuleDict(
            dict(
                h=nn.ModuleList([Block(config) for _ in range(config.n_layer)]),
                ln_f=nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon),
                wpe=nn.Embedding(config.n_positions, config.n_embd),
                wte=nn.Embedding(config.vocab_size, config.n_embd),
                drop=nn.Dropout(config.embd_pdrop),
            )
        )
        self.transformer["wte"].weight = self.lm_head.weight
        self.register_buffer("places", torch.arange(config.n_positions))
        initialize(self, config.n_layer)

    def forward(self, ids, cache=None):
        seen = 0 if cache is None or not cache[0] else cache[0]["key"].size(2)
        if seen + ids.size(1) > self.config.n_positions:
            raise ValueError("too many")
        places = self.places[seen : seen + ids.size(1)]
        x = self.transformer["drop"](self.transformer["wte"](ids) + self.transformer["wpe"](places))
        for block, memory in zip(self.transformer["h"], cache or [None] * self.config.n_layer):
            x = block(x, memory)
        return self.lm_head(self.transformer["ln_f"](x))


# %% generate: one token at a time by a sum of exponentials
@torch.no_grad()
def generate(model, ids, max_new_tokens, temperature=1.0, generator=None, use_cache=True):
    limit, out = model.config.n_positions, ids.clone()
    cache = [dict() for _ in range(model.config.n_layer)] if use_cache else None
    for i in range(max_new_tokens):
        if cache is not None and out.size(1) <= limit:
            logits = model(out if i == 0 else out[:, -1:], cache)[:, -1]
        else:
            logits = model(out[:, max(0, out.size(1) - limit) :])[:, -1]
        if temperature == 0:
            new = logits.max(dim=-1).indices[:, None]
        else:
            new = torch.multinomial(F.softmax(logits / temperature, dim=-1), 1, generator=generator)
        out = torch.cat((out, new), dim=1)
    return out


# %% CausalSelfAttention: the mask moved to the device
class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        if config.n_embd % config.n_head:
            raise ValueError("heads")
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.p, self.out = config.attn_pdrop, nn.Dropout(config.resid_pdrop)
        self.n_head, self.head_dim = config.n_head, config.n_embd // config.n_head

    def forward(self, x, cache=None, need_weights=True):
        batch, n, width = x.shape
        qkv = self.c_attn(x).reshape(batch, n, 3, self.n_head, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        if cache is not None and len(cache):
            k, v = torch.cat([cache["key"], k], -2), torch.cat([cache["value"], v], -2)
        if cache is not None:
            cache["key"] = k
            cache["value"] = v
        past = k.shape[-2] - n
        future = torch.triu(torch.ones(n, past + n), diagonal=past + 1).bool().to(x.device)
        if need_weights:
            scores = torch.einsum("bhid,bhjd->bhij", q, k) * self.head_dim**-0.5
            weights = scores.masked_fill(future, -1e30).softmax(-1)
            mixed = F.dropout(weights, self.p, self.training) @ v
        else:
            weights, p = None, self.p if self.training else 0.0
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=~future, dropout_p=p)
        return self.out(self.c_proj(mixed.transpose(1, 2).flatten(2))), weights
