# %% additive_attention: einsum, the smallest number, then zero
def additive_attention(query, keys, W_q, W_k, v, mask=None):
    hidden = torch.tanh(torch.matmul(query, W_q)[..., None, :] + torch.matmul(keys, W_k))
    scores = torch.einsum("...na,a->...n", hidden, v)
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        weights = torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=-1)
        weights = weights * mask
    return (weights[..., None] * keys).sum(-2), weights


# %% luong_score: einsum
def luong_score(query, keys, W=None):
    if W is not None:
        query = torch.matmul(query, W)
    return torch.einsum("...d,...nd->...n", query, keys)


# %% DecoderStep: attention after the cell, a dot product, tied weights, a buffer
class DecoderStep(nn.Module):
    def __init__(self, vocab_size, embedding_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_dim)
        self.lstm = nn.LSTMCell(embedding_dim, hidden_dim)
        self.parts = nn.ModuleList([self.embedding, self.lstm])
        self.combine = nn.Linear(2 * hidden_dim, embedding_dim)
        self.register_buffer("scale", torch.tensor(float(hidden_dim)).sqrt())

    def forward(self, token, state, encoder_states, mask):
        h, c = self.lstm(self.embedding(token), state)
        scores = torch.bmm(encoder_states, h.unsqueeze(2)).squeeze(2) / self.scale
        seen = mask.any(dim=1, keepdim=True)
        weights = torch.softmax(scores.masked_fill(~mask & seen, float("-inf")), dim=1) * seen
        context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
        hidden = torch.tanh(self.combine(torch.cat([h, context], dim=1)))
        return hidden @ self.embedding.weight.T, (h, c), weights


# %% DecoderStep: a readout with a ReLU, attention first
class DecoderStep(nn.Module):
    def __init__(self, vocab_size, embedding_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_dim)
        self.cell = nn.LSTMCell(embedding_dim + hidden_dim, hidden_dim)
        self.hidden = nn.Linear(2 * hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def forward(self, token, state, encoder_states, mask):
        scores = (encoder_states * state[0][:, None]).sum(-1)
        seen = mask.any(dim=1, keepdim=True)
        weights = torch.softmax(scores.masked_fill(~mask & seen, float("-inf")), dim=1) * seen
        context = (weights[..., None] * encoder_states).sum(1)
        h, c = self.cell(torch.cat([self.embedding(token), context], -1), state)
        return self.out(torch.relu(self.hidden(torch.cat([h, context], -1)))), (h, c), weights


# %% DecoderStep: a whole nn.LSTM, states with a layer's axis
class DecoderStep(nn.Module):
    def __init__(self, vocab_size, embedding_dim, hidden_dim):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim + hidden_dim, hidden_dim, batch_first=True)
        self.score = nn.Linear(2 * hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, 1, bias=False)
        self.out = nn.Linear(2 * hidden_dim + embedding_dim, vocab_size)

    def forward(self, token, state, encoder_states, mask):
        h, c = state
        both = torch.cat([h[:, None].expand_as(encoder_states), encoder_states], dim=-1)
        scores = self.v(torch.tanh(self.score(both))).squeeze(-1)
        blind = ~mask.any(-1, keepdim=True)
        weights = scores.masked_fill(~mask & ~blind, float("-inf")).softmax(-1).masked_fill(blind, 0.0)
        context = (weights[..., None] * encoder_states).sum(1)
        x = self.embed(token)
        out, (h, c) = self.lstm(
            torch.cat([x, context], -1)[:, None], (h[None].contiguous(), c[None].contiguous())
        )
        return self.out(torch.cat([out[:, 0], context, x], -1)), (h[0], c[0]), weights


# %% DecoderStep: nn.LSTM one step
class DecoderStep(nn.Module):
    def __init__(self, vocab_size, embedding_dim, hidden_dim):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim + hidden_dim, hidden_dim, batch_first=True)
        self.Wa = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)

    def forward(self, token, state, encoder_states, mask):
        h, c = state
        s = luong_score(h, encoder_states, self.Wa).masked_fill(~mask, -1e30)
        w = torch.where(mask, s.softmax(-1), torch.zeros_like(s))
        ctx = (w.unsqueeze(-1) * encoder_states).sum(1)
        x = torch.cat([self.emb(token), ctx], -1).unsqueeze(1)
        o, (h2, c2) = self.lstm(x, (h.unsqueeze(0), c.unsqueeze(0)))
        return self.out(torch.cat([o.squeeze(1), ctx], -1)), (h2.squeeze(0), c2.squeeze(0)), w
