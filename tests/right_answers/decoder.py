# %% DecoderLayer: the attentions in a dictionary too
class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError
        options = {"dropout": dropout, "batch_first": True}
        parts = {name: nn.MultiheadAttention(d_model, num_heads, **options) for name in ("self", "memory")}
        self.attentions = nn.ModuleDict(parts)
        self.self_attn, self.multihead_attn = self.attentions["self"], self.attentions["memory"]
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (
            nn.LayerNorm(d_model),
            nn.LayerNorm(d_model),
            nn.LayerNorm(d_model),
        )
        self.drop, self.norm_first = nn.Dropout(dropout), norm_first

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        steps = [
            (self.norm1, lambda y: attend(self.attentions["self"], y, y, self_mask)),
            (self.norm2, lambda y: attend(self.attentions["memory"], y, memory, memory_mask)),
            (self.norm3, lambda y: self.linear2(self.drop(torch.relu(self.linear1(y))))),
        ]
        for norm, step in steps:
            x = x + self.drop(step(norm(x))) if self.norm_first else norm(x + self.drop(step(x)))
        return x


# %% generator_logits: linear
def generator_logits(hidden, embedding):
    return nn.functional.linear(hidden, embedding.weight)


# %% shift_right: new tensor, filled
def shift_right(ids, sos_id):
    shifted = torch.zeros_like(ids)
    shifted[..., 0] = sos_id
    shifted[..., 1:] = ids[..., :-1]
    return shifted


# %% shift_right: roll and set
def shift_right(ids, sos_id):
    out = torch.roll(ids, 1, dims=-1)
    out[..., 0] = sos_id
    return out


# %% shift_right: F.pad
def shift_right(ids, sos_id):
    return nn.functional.pad(ids[..., :-1], (1, 0), value=sos_id)
