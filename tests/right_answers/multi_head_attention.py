# %% MultiHeadAttention: the maps in a list too
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.maps = nn.ModuleList([self.W_q, self.W_k, self.W_v])
        self.W_o = nn.Linear(d_model, d_model)
        self.num_heads, self.d_k = num_heads, d_model // num_heads

    def forward(self, query, key, value, mask=None):
        Q, K, V = (split_heads(f(x), self.num_heads) for f, x in zip(self.maps, (query, key, value)))
        scores = torch.matmul(Q, K.transpose(-1, -2)) / self.d_k**0.5
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
            return self.W_o(merge_heads(weights @ V)), weights
        if mask.dim() == query.dim():
            mask = mask.unsqueeze(-3)
        mask = mask.expand_as(scores)
        seen = mask.any(dim=-1, keepdim=True)
        weights = torch.softmax(scores.masked_fill(~mask, -1e30), dim=-1) * mask * seen
        output = self.W_o(merge_heads(weights @ V))
        return output * seen.any(dim=-3), weights


# %% MultiHeadAttention: a scale in a buffer
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError
        self.h = num_heads
        self.W_o, self.W_v, self.W_k, self.W_q = [nn.Linear(d_model, d_model) for _ in range(4)]
        self.register_buffer("scale", torch.tensor(math.sqrt(d_model // num_heads)))

    def forward(self, query, key, value, mask=None):
        Q, K, V = [split_heads(x, self.h) for x in (self.W_q(query), self.W_k(key), self.W_v(value))]
        scores = Q @ K.mT / self.scale
        if mask is None:
            mask = torch.ones_like(scores).bool()
        elif mask.ndim == query.ndim:
            mask = mask[..., None, :, :]
        blind = ~mask.any(-1, keepdim=True)
        scores = torch.where(mask | blind, scores, torch.tensor(float("-inf"), dtype=scores.dtype))
        weights = torch.where(blind, torch.tensor(0.0, dtype=scores.dtype), scores.softmax(-1))
        output = self.W_o(merge_heads(weights @ V))
        return output.masked_fill(blind.expand(*weights.shape[:-1], 1).all(-3), 0), weights
