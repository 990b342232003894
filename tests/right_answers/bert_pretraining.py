# %% MLMHead: a module for the transform, the bias apart, a scale in a buffer
class Transform(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden):
        return self.LayerNorm(F.gelu(self.dense(hidden)))


class MLMHead(nn.Module):
    def __init__(self, config, embedding):
        super().__init__()
        self.decoder = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.decoder.weight = embedding.weight
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.transform = Transform(config)
        self.register_buffer("one", torch.ones(()))

    def forward(self, hidden):
        return self.one * self.decoder(self.transform(hidden)) + self.bias


# %% NSPHead: a sequence as well
class NSPHead(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.seq_relationship = nn.Linear(config.hidden_size, 2)
        self.net = nn.Sequential(self.seq_relationship)

    def forward(self, pooled):
        return self.net(pooled)


# %% mask_tokens: as transformers does, with bernoulli
def mask_tokens(ids, special_mask, vocab_size, mask_id, generator=None):
    inputs, labels = ids.clone(), ids.clone()
    share = torch.full(ids.shape, 0.15).masked_fill(special_mask.bool().cpu(), 0.0)
    chosen = torch.bernoulli(share, generator=generator).bool().to(ids.device)
    labels[~chosen] = -100
    masks = torch.bernoulli(torch.full(ids.shape, 0.8), generator=generator).bool().to(ids.device) & chosen
    inputs[masks] = mask_id
    half = torch.bernoulli(torch.full(ids.shape, 0.5), generator=generator).bool().to(ids.device)
    words = torch.randint(vocab_size, ids.shape, dtype=torch.long, generator=generator).to(ids.device)
    other = half & chosen & ~masks
    inputs[other] = words[other]
    return inputs, labels


# %% pretraining_loss: the chosen picked out
def pretraining_loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    chosen = mlm_labels != -100
    pairs = F.cross_entropy(nsp_logits, nsp_labels)
    if not chosen.any():
        return pairs
    return F.cross_entropy(mlm_logits[chosen], mlm_labels[chosen]) + pairs
