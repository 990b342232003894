# %% EncoderLayer: the sublayers in a list, too, and a scale in a buffer
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads")
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norms = nn.ModuleList([self.norm1, self.norm2])
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.ffn = nn.Sequential(self.linear1, nn.ReLU(), nn.Dropout(dropout), self.linear2)
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, dropout, batch_first=True)
        self.dropout1, self.dropout2 = nn.Dropout(dropout), nn.Dropout(dropout)
        self.norm_first = norm_first
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))

    def forward(self, x, mask=None):
        if self.norm_first:
            h = self.norms[0](x)
            x = x + self.dropout1(attend(self.self_attn, h, h, mask))
            x = x + self.dropout2(self.ffn(self.norms[1](x)))
        else:
            x = self.norms[0](x + self.dropout1(attend(self.self_attn, x, x, mask)))
            x = self.norms[1](x + self.dropout2(self.ffn(x)))
        return x


# %% Encoder: of the library's layers
class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.heads = num_heads
        self.layers = nn.ModuleList(
            [
                nn.TransformerEncoderLayer(
                    d_model, num_heads, d_ff, dropout, batch_first=True, norm_first=norm_first
                )
                for _ in range(num_layers)
            ]
        )
        if norm_first:
            self.norm = nn.LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if mask is not None:
            batch, n, _ = x.shape
            mask = ~mask.expand(batch, n, n).repeat_interleave(self.heads, dim=0)
        for layer in self.layers:
            x = layer(x, src_mask=mask)
        return self.norm(x) if self.norm_first else x
