# %% Transformer: the look-ahead mask in a buffer, the stacks in a list as well, no bias
class Transformer(nn.Module):
    def __init__(
        self, src_vocab, tgt_vocab, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_length=64
    ):
        super().__init__()
        self.generator = nn.Linear(d_model, tgt_vocab, bias=False)
        self.decoder = Decoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.stacks = nn.ModuleList([self.encoder, self.decoder])
        self.src_embedding = make_embedding(src_vocab, d_model)
        self.tgt_embedding = make_embedding(tgt_vocab, d_model)
        self.position = nn.Embedding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("look_ahead", torch.ones(max_length, max_length).tril().bool())
        self.register_buffer("places", torch.arange(max_length))
        self.scale, self.max_length = d_model**0.5, max_length

    def forward(self, src, tgt, src_mask):
        n, m = src.size(1), tgt.size(1)
        if max(n, m) > self.max_length:
            raise ValueError
        x = self.dropout(self.src_embedding(src) * self.scale + self.position(self.places[:n]))
        y = self.dropout(self.tgt_embedding(tgt) * self.scale + self.position(self.places[:m]))
        memory = self.encoder(x, src_mask)
        return self.generator(self.decoder(y, memory, self.look_ahead[:m, :m], src_mask))


# %% train_step: the loss by hand
def train_step(model, batch, optimizer, pad_id):
    src, tgt = batch
    model.train()
    optimizer.zero_grad()
    answer = tgt[:, 1:]
    log_p = model(src, tgt[:, :-1], src.ne(pad_id)).log_softmax(-1)
    nll = -log_p.gather(-1, answer[..., None])[..., 0]
    loss = nll[answer != pad_id].mean()
    loss.backward()
    optimizer.step()
    return loss.detach().item()


# %% collate: by pad_sequence
def collate(pairs, pad_id):
    from torch.nn.utils.rnn import pad_sequence

    return tuple(
        pad_sequence([torch.tensor(ids) for ids in side], batch_first=True, padding_value=pad_id)
        for side in zip(*pairs)
    )


# %% Transformer: mask and positions moved to the device
class Transformer(nn.Module):
    def __init__(
        self, src_vocab, tgt_vocab, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_length=64
    ):
        super().__init__()
        self.src_embedding = make_embedding(src_vocab, d_model)
        self.tgt_embedding = make_embedding(tgt_vocab, d_model)
        self.position = nn.Embedding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.decoder = Decoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.generator = nn.Linear(d_model, tgt_vocab)
        self.d_model, self.max_length = d_model, max_length

    def embed(self, table, ids):
        if ids.shape[1] > self.max_length:
            raise ValueError("too long")
        places = torch.arange(ids.shape[1]).unsqueeze(0).to(ids.device)
        return self.dropout(table(ids) * self.d_model**0.5 + self.position(places))

    def forward(self, src, tgt, src_mask):
        ahead = torch.tril(torch.ones(tgt.shape[1], tgt.shape[1])).bool().to(tgt.device)
        memory = self.encoder(self.embed(self.src_embedding, src), src_mask)
        return self.generator(self.decoder(self.embed(self.tgt_embedding, tgt), memory, ahead, src_mask))


# %% train_step: masked log softmax gather
def train_step(model, batch, optimizer, pad_id):
    model.train()
    src, tgt = batch
    inp, out = tgt[:, :-1], tgt[:, 1:]
    logp = torch.log_softmax(model(src, inp, src != pad_id), -1)
    real = out != pad_id
    nll = -logp.gather(-1, out.unsqueeze(-1)).squeeze(-1)
    loss = nll[real].sum() / real.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach().item()
