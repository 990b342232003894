# %% SelfAttention: a scale in a buffer
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_q, self.W_k = nn.Linear(d_model, d_k), nn.Linear(d_model, d_k)
        self.W_v = nn.Linear(d_model, d_v)
        self.register_buffer("scale", torch.tensor(d_k**0.5))

    def forward(self, x):
        weights = (self.W_q(x) @ self.W_k(x).transpose(-2, -1) / self.scale).softmax(-1)
        return weights @ self.W_v(x), weights


# %% SelfAttention: the maps in a dictionary too
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.maps = nn.ModuleDict(
            {"v": nn.Linear(d_model, d_v, bias=False), "k": nn.Linear(d_model, d_k, bias=False)}
        )
        self.W_q, self.W_k, self.W_v = nn.Linear(d_model, d_k), self.maps["k"], self.maps["v"]
        self.d_k = d_k

    def forward(self, x):
        scores = torch.einsum("...id,...jd->...ij", self.W_q(x), self.maps["k"](x)) * self.d_k**-0.5
        weights = torch.softmax(scores, dim=-1)
        return torch.matmul(weights, self.maps["v"](x)), weights


# %% basic_self_attention: the softmax written out
def basic_self_attention(x):
    scores = torch.matmul(x, x.mT)
    powers = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return weights.matmul(x), weights
