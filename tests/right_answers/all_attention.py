# %% feed_forward_as_attention: einsum, one value after the other
def feed_forward_as_attention(x, W1, b1, W2, b2):
    weights = torch.clamp(torch.einsum("fd,...d->...f", W1, x) + b1, min=0)
    return torch.einsum("...f,df->...d", weights, W2) + b2, weights


# %% PersistentAttention: two blocks of scores, the scale in a buffer, the maps in a list too
class PersistentAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_persistent):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        d = d_model // num_heads
        self.persistent_values = nn.Parameter(torch.empty(num_heads, num_persistent, d).normal_(0, 0.1))
        self.persistent_keys = nn.Parameter(torch.empty(num_heads, num_persistent, d).uniform_(-1, 1))
        self.W_o, self.W_v, self.W_k, self.W_q = [nn.Linear(d_model, d_model, bias=False) for _ in range(4)]
        self.maps = nn.ModuleList([self.W_q, self.W_k, self.W_v])
        self.register_buffer("scale", torch.tensor(math.sqrt(d)))
        self.h, self.d = num_heads, d

    def forward(self, x, mask=None):
        q, k, v = [f(x).reshape(*x.shape[:-1], self.h, self.d).transpose(-3, -2) for f in self.maps]
        context = q @ k.mT / self.scale
        memory = q @ self.persistent_keys.mT / self.scale
        if mask is not None:
            if mask.ndim == x.ndim:
                mask = mask[..., None, :, :]
            context = torch.where(mask, context, -1e30)
        weights = torch.cat([context, memory], dim=-1).softmax(-1)
        if mask is not None and memory.shape[-1] == 0:
            weights = weights * mask
        n = x.shape[-2]
        mixed = weights[..., :n] @ v + weights[..., n:] @ self.persistent_values
        return self.W_o(mixed.transpose(-3, -2).reshape(x.shape)), weights


# %% AllAttentionLayer: a functional dropout, the norm under a second name
class AllAttentionLayer(nn.Module):
    def __init__(self, d_model, num_heads, num_persistent, dropout=0.1):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.after = self.norm
        self.attention = PersistentAttention(d_model, num_heads, num_persistent)
        self.p = dropout

    def forward(self, x, mask=None):
        output = self.attention(x, mask=mask)[0]
        return self.after(nn.functional.dropout(output, self.p, self.training) + x)


# %% memory_as_feed_forward: head by head
def memory_as_feed_forward(W_q, b_q, W_o, persistent_keys, persistent_values):
    d_k = persistent_keys.size(-1)
    rows, biases, columns = [], [], []
    for i, (keys, values) in enumerate(zip(persistent_keys, persistent_values)):
        of_head = slice(i * d_k, i * d_k + d_k)
        rows.append(keys @ W_q[of_head] * d_k**-0.5)
        biases.append(keys @ b_q[of_head] * d_k**-0.5)
        columns.append(W_o[:, of_head] @ values.T)
    return torch.cat(rows), torch.cat(biases), torch.cat(columns, dim=1)


# %% memory_as_feed_forward: a matrix of blocks before both maps
def memory_as_feed_forward(W_q, b_q, W_o, persistent_keys, persistent_values):
    K = torch.block_diag(*persistent_keys) / math.sqrt(persistent_keys.shape[-1])
    V = torch.block_diag(*persistent_values)
    return K @ W_q, K @ b_q, W_o @ V.T
