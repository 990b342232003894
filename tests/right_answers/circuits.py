# %% logit_lens: a loop with a condition
def logit_lens(hidden_states, norm, unembedding):
    logits = []
    for depth, x in enumerate(hidden_states):
        if depth < len(hidden_states) - 1:
            x = norm(x)
        logits.append(torch.nn.functional.linear(x, unembedding))
    return torch.stack(logits, dim=0)


# %% logit_shares: the mean subtracted from weight times direction instead
def logit_shares(parts, weight, bias, direction, eps=1e-5):
    x = parts.sum(0)
    sigma = torch.sqrt(((x - x.mean()) ** 2).mean() + eps)
    reading = weight * direction
    reading = reading - reading.mean()
    return torch.cat([parts @ reading / sigma, (bias * direction).sum()[None]])


# %% logit_shares: part by part
def logit_shares(parts, weight, bias, direction, eps=1e-5):
    std = (torch.var(parts.sum(dim=0), unbiased=False) + eps) ** 0.5
    shares = [torch.dot((part - part.mean()) / std * weight, direction) for part in parts]
    shares.append(torch.dot(bias, direction))
    return torch.stack(shares)


# %% patch_effect: one run for each place
def patch_effect(layers, score, clean, corrupted):
    def streams(x):
        kept = [x.unsqueeze(0)]
        for layer in layers:
            kept.append(layer(kept[-1]))
        return kept

    of_clean, of_corrupted = streams(clean), streams(corrupted)
    right, wrong = score(of_clean[-1])[0], score(of_corrupted[-1])[0]
    gap = right - wrong
    if gap.item() == 0:
        raise ValueError("the scores are the same")
    L, n = len(layers), clean.shape[0]
    effect = torch.zeros(L + 1, n, dtype=clean.dtype, device=clean.device)
    for depth in range(L + 1):
        for i in range(n):
            x = of_corrupted[depth].clone()
            x[0, i] = of_clean[depth][0, i]
            for layer in layers[depth:]:
                x = layer(x)
            effect[depth, i] = (score(x)[0] - wrong) / gap
    return effect


# %% patch_effect: a mask, all places at once
def patch_effect(layers, score, clean, corrupted):
    n = clean.size(0)
    eye = torch.eye(n, dtype=torch.bool, device=clean.device).unsqueeze(-1)
    a, b = clean[None], corrupted[None]
    rows = []
    for depth in range(len(layers) + 1):
        x = torch.where(eye, a, b)
        for layer in layers[depth:]:
            x = layer(x)
        rows.append(score(x))
        if depth < len(layers):
            a, b = layers[depth](a), layers[depth](b)
    high, low = score(a), score(b)
    if torch.equal(high, low):
        raise ValueError
    return (torch.stack(rows) - low) / (high - low)


# %% SparseAutoencoder: those whose rank is below k
class SparseAutoencoder(nn.Module):
    def __init__(self, d, features, k):
        super().__init__()
        if k < 1 or k > features:
            raise ValueError("k")
        self.top = k
        dec = nn.functional.normalize(torch.randn(features, d), dim=1)
        self.W_enc = nn.Parameter(dec.clone())
        self.W_dec = nn.Parameter(dec.t().contiguous())
        self.b_pre = nn.Parameter(torch.zeros(d))

    def encode(self, x):
        pre = nn.functional.linear(x - self.b_pre, self.W_enc)
        rank = pre.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)
        return torch.where(rank < self.top, pre, torch.zeros_like(pre)).clamp(min=0)

    def decode(self, z):
        return nn.functional.linear(z, self.W_dec, self.b_pre)

    def forward(self, x):
        z = self.encode(x)
        return self.decode(z), z

    def normalize_decoder(self):
        self.W_dec.data = self.W_dec.data / self.W_dec.data.norm(dim=0, keepdim=True)

    def unexplained(self, x):
        x_hat, _ = self(x)
        return nn.functional.mse_loss(x_hat, x) / nn.functional.mse_loss(x.mean(0).expand_as(x), x)


# %% SparseAutoencoder: a mask scattered
class SparseAutoencoder(nn.Module):
    def __init__(self, d, features, k):
        super().__init__()
        if not (0 < k <= features):
            raise ValueError(k)
        self.k = k
        self.W_enc = nn.Parameter(torch.empty(features, d))
        self.W_dec = nn.Parameter(torch.randn(d, features))
        self.b_pre = nn.Parameter(torch.zeros(d))
        self.normalize_decoder()
        with torch.no_grad():
            self.W_enc.copy_(self.W_dec.T)

    def encode(self, x):
        h = torch.relu(torch.einsum("fd,...d->...f", self.W_enc, x - self.b_pre))
        keep = torch.zeros_like(h).scatter_(-1, h.topk(self.k, dim=-1).indices, 1.0)
        return h * keep

    def decode(self, z):
        return torch.einsum("df,...f->...d", self.W_dec, z) + self.b_pre

    def forward(self, x):
        z = self.encode(x)
        return self.decode(z), z

    @torch.no_grad()
    def normalize_decoder(self):
        self.W_dec.div_(self.W_dec.norm(dim=0))

    def unexplained(self, x):
        error = x - self.forward(x)[0]
        return (error**2).sum() / (x.var(dim=0, unbiased=False).sum() * len(x))


# %% against_random_directions: all drawn at once
def against_random_directions(effect, direction, count, generator):
    if count <= 0:
        raise ValueError("count")
    noise = torch.randn(count, direction.numel(), generator=generator).to(direction.dtype)
    noise = nn.functional.normalize(noise, dim=1) * torch.linalg.vector_norm(direction)
    real = float(effect(direction))
    others = torch.tensor([float(effect(v)) for v in noise], dtype=torch.float64)
    c = int((others.abs() >= abs(real)).sum())
    return real, (c + 1) / (count + 1)


# %% against_random_directions: a list, in the direction's own type
def against_random_directions(effect, direction, count, generator):
    if count < 1:
        raise ValueError
    length = direction.pow(2).sum().sqrt()
    effects = []
    for _ in range(count):
        v = torch.empty_like(direction).normal_(generator=generator)
        effects.append(abs(float(effect(v * (length / v.pow(2).sum().sqrt())))))
    real = effect(direction)
    return float(real), float(1 + sum(e >= abs(float(real)) for e in effects)) / (count + 1)


# %% patch_effect: one run for each place, streams kept
def patch_effect(layers, score, clean, corrupted):
    n = clean.shape[0]
    L = len(layers)
    cs, x = [clean], clean[None]
    for layer in layers:
        x = layer(x)
        cs.append(x[0])
    base_c = score(x)[0]
    ks, x = [corrupted], corrupted[None]
    for layer in layers:
        x = layer(x)
        ks.append(x[0])
    base_k = score(x)[0]
    if base_c == base_k:
        raise ValueError
    out = clean.new_zeros(L + 1, n)
    for d in range(L + 1):
        for p in range(n):
            x = ks[d].clone()
            x[p] = cs[d][p]
            x = x[None]
            for layer in layers[d:]:
                x = layer(x)
            out[d, p] = (score(x)[0] - base_k) / (base_c - base_k)
    return out
