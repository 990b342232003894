# %% LearnedPositionalEmbedding: the positions in a buffer
class LearnedPositionalEmbedding(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.max_length = max_length
        self.position_embedding = nn.Embedding(max_length, d_model)
        self.register_buffer("positions", torch.arange(max_length))

    def forward(self, x):
        n = x.size(-2)
        if n > self.max_length:
            raise ValueError(f"{n} > {self.max_length}")
        return x + self.position_embedding(self.positions[:n])


# %% LearnedPositionalEmbedding: a bare parameter
class LearnedPositionalEmbedding(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.rows = nn.Parameter(torch.zeros(max_length, d_model))

    def forward(self, x):
        if x.shape[-2] > len(self.rows):
            raise ValueError("too long")
        return x + self.rows[: x.shape[-2]]


# %% rotary: angles in float32
def rotary(x, positions):
    d = x.shape[-1]
    if d % 2 != 0:
        raise ValueError("d must be even")
    theta = 10000 ** (-torch.arange(0, d, 2, device=x.device) / d)
    angles = positions[:, None] * theta
    cos, sin = torch.cos(angles), torch.sin(angles)
    out = torch.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    out[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    return out


# %% rotary: complex numbers
def rotary(x, positions):
    d = x.shape[-1]
    if d % 2:
        raise ValueError
    frequencies = 1.0 / (10000.0 ** (torch.arange(0, d, 2, device=x.device).float() / d))
    turns = torch.exp(1j * torch.outer(positions.float(), frequencies))
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], d // 2, 2).contiguous())
    return torch.view_as_real(pairs * turns).flatten(-2).to(x.dtype)


# %% sinusoidal_encoding: filled column by column
def sinusoidal_encoding(length, d_model, device=None):
    if d_model % 2 == 1:
        raise ValueError("odd")
    pe = torch.zeros(length, d_model, dtype=torch.float64, device=device)
    p = torch.arange(length, dtype=torch.float64, device=device).unsqueeze(1)
    div = torch.exp(
        torch.arange(0, d_model, 2, dtype=torch.float64, device=device) * (-9.210340371976184 / d_model)
    )
    pe[:, 0::2], pe[:, 1::2] = torch.sin(p * div), torch.cos(p * div)
    return pe.float()


# %% shift_matrix: entry by entry
def shift_matrix(k, d_model):
    if d_model % 2:
        raise ValueError
    M = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        angle = torch.tensor(k / 10000 ** (i / d_model))
        M[i, i] = M[i + 1, i + 1] = torch.cos(angle)
        M[i, i + 1] = torch.sin(angle)
        M[i + 1, i] = -torch.sin(angle)
    return M


# %% shift_matrix: kron of diag
def shift_matrix(k, d_model):
    if d_model % 2:
        raise ValueError
    w = k * 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    stay, turn = (
        torch.eye(2, dtype=torch.float64),
        torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64),
    )
    return (torch.kron(torch.diag(w.cos()), stay) + torch.kron(torch.diag(w.sin()), turn)).float()


# %% rotary: complex multiplication
def rotary(x, positions):
    d = x.shape[-1]
    if d % 2:
        raise ValueError
    inv = 10000.0 ** (-torch.arange(0, d, 2, device=x.device, dtype=torch.float32) / d)
    ang = positions.float()[:, None] * inv
    xc = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2).contiguous())
    out = torch.view_as_real(xc * torch.polar(torch.ones_like(ang), ang)).flatten(-2)
    return out.to(x.dtype)


# %% rotary: empty_like fill
def rotary(x, positions):
    d = x.shape[-1]
    if d % 2:
        raise ValueError
    out = torch.empty_like(x)
    for i in range(d // 2):
        th = positions * (10000 ** (-2 * i / d))
        c, s = torch.cos(th).to(x.dtype), torch.sin(th).to(x.dtype)
        a, b = x[..., 2 * i], x[..., 2 * i + 1]
        out[..., 2 * i], out[..., 2 * i + 1] = a * c - b * s, a * s + b * c
    return out
