# %% PositionwiseFeedForward: a sequence beside the names
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.net = nn.Sequential(self.linear1, nn.ReLU(), self.linear2)

    def forward(self, x):
        return self.net(x)


# %% PositionwiseFeedForward: the names behind the sequence, no bias
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(d_model, d_ff, bias=False), nn.ReLU(), nn.Linear(d_ff, d_model, bias=False)
        )
        self.linear1, self.linear2 = self.net[0], self.net[2]

    def forward(self, x):
        return self.linear2(torch.clamp(self.linear1(x), min=0))


# %% SublayerConnection: the norm under a second name
class SublayerConnection(nn.Module):
    def __init__(self, d_model, dropout, norm_first):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.before = self.norm if norm_first else nn.Identity()
        self.after = nn.Identity() if norm_first else self.norm
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return self.after(x + self.dropout(sublayer(self.before(x))))


# %% layer_norm: with var
def layer_norm(x, weight, bias, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=-1, unbiased=False, keepdim=True)
    return weight * (x - mean) * torch.rsqrt(variance + eps) + bias


# %% normalize_over: axes by kind
def normalize_over(x, kind, groups=None, eps=1e-5):
    shape = x.shape
    if kind == "batch":
        dims = (0, *range(2, x.ndim))
    elif kind == "layer":
        dims = tuple(range(1, x.ndim))
    elif kind == "instance":
        dims = tuple(range(2, x.ndim))
    elif kind == "group":
        if groups is None or shape[1] % groups != 0:
            raise ValueError("groups must divide the channels")
        x = x.reshape(shape[0], groups, shape[1] // groups, *shape[2:])
        dims = tuple(range(2, x.ndim))
    else:
        raise ValueError(f"unknown kind: {kind}")
    mean = x.mean(dims, keepdim=True)
    std = torch.sqrt(x.var(dims, keepdim=True, unbiased=False) + eps)
    return ((x - mean) / std).reshape(shape)


# %% layer_norm: var_mean correction=0, addcmul
def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    var, mu = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(bias, (x - mu) / torch.sqrt(var + eps), weight)


# %% normalize_over: if chain with dims, group reshape
def _norm(z, dims, eps):
    m = z.mean(dim=dims, keepdim=True)
    v = z.var(dim=dims, keepdim=True, unbiased=False)
    return (z - m) / torch.sqrt(v + eps)


def normalize_over(x, kind, groups=None, eps=1e-5):
    rest = tuple(range(2, x.dim()))
    if kind == "batch":
        return _norm(x, (0,) + rest, eps)
    if kind == "layer":
        return _norm(x, (1,) + rest, eps)
    if kind == "instance":
        if not rest:
            return torch.zeros_like(x) * x
        return _norm(x, rest, eps)
    if kind == "group":
        if not groups or x.size(1) % groups != 0:
            raise ValueError("groups")
        y = x.reshape(x.size(0), groups, x.size(1) // groups, *x.shape[2:])
        return _norm(y, tuple(range(2, y.dim())), eps).reshape_as(x)
    raise ValueError(kind)
