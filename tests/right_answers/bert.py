# %% BertEmbeddings: positions in a buffer that is not saved
class BertEmbeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        places = torch.arange(config.max_position_embeddings)
        self.register_buffer("position_ids", places.expand(1, -1), persistent=False)

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        n = input_ids.size(1)
        if n > self.position_ids.size(1):
            raise ValueError("too long")
        if position_ids is None:
            position_ids = self.position_ids[:, :n]
        if token_type_ids is None:
            token_type_ids = torch.zeros(input_ids.size(), dtype=torch.long, device=input_ids.device)
        x = self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids)
        return self.dropout(self.LayerNorm(x + self.position_embeddings(position_ids)))


# %% pool: by weights
def pool(hidden, mask, how):
    if how == "cls":
        return hidden[:, 0, :]
    m = mask.to(hidden.dtype).unsqueeze(-1)
    if how == "mean":
        total = torch.where(m > 0, hidden, torch.zeros_like(hidden)).sum(1)
        return total / m.sum(1).clamp_min(1)
    if how == "max":
        lowest = torch.finfo(hidden.dtype).min
        best = hidden.masked_fill(m == 0, lowest).max(dim=1).values
        return torch.where(m.sum(1) > 0, best, torch.zeros_like(best))
    raise ValueError(how)


# %% BertEmbeddings: numbers moved to the device
class BertEmbeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.limit = config.max_position_embeddings

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        B, L = input_ids.shape
        if L > self.limit:
            raise ValueError("too long")
        if token_type_ids is None:
            token_type_ids = torch.zeros(B, L, dtype=torch.long).to(input_ids.device)
        if position_ids is None:
            position_ids = torch.arange(L).expand(B, L).to(input_ids.device)
        tables = [self.word_embeddings, self.position_embeddings, self.token_type_embeddings]
        return self.dropout(
            self.LayerNorm(sum(t(i) for t, i in zip(tables, [input_ids, position_ids, token_type_ids])))
        )
