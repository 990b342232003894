# %% patchify: unfolded
def patchify(images, patch):
    if images.shape[2] % patch != 0 or images.shape[3] % patch != 0:
        raise ValueError("does not divide")
    return F.unfold(images, kernel_size=patch, stride=patch).transpose(1, 2)


# %% patchify: a list of slices
def patchify(images, patch):
    height, width = images.shape[-2:]
    if height % patch or width % patch:
        raise ValueError
    cut = []
    for i in range(0, height, patch):
        for j in range(0, width, patch):
            cut.append(images[:, :, i : i + patch, j : j + patch].flatten(1))
    return torch.stack(cut, dim=1)


# %% equivariance_gap: two rolls, squares summed
def equivariance_gap(features, images, patch, shift):
    B, C, H, W = images.shape
    if H % patch != 0 or W % patch != 0:
        raise ValueError("patch")
    dy, dx = shift
    f = features(images)
    shifted = torch.roll(torch.roll(images, dy * patch, dims=2), dx * patch, dims=3)
    g = features(shifted)
    Sf = f.reshape(B, H // patch, W // patch, -1)
    Sf = torch.roll(Sf, shifts=(dy, dx), dims=(1, 2)).reshape(f.shape)
    below = ((f - Sf) ** 2).sum()
    if below.item() == 0:
        raise ValueError("no shift to be seen")
    return torch.sqrt(((g - Sf) ** 2).sum() / below)


# %% equivariance_gap: by the numbers of the patches
def equivariance_gap(features, images, patch, shift):
    rows, row_rest = divmod(images.shape[-2], patch)
    columns, column_rest = divmod(images.shape[-1], patch)
    if row_rest or column_rest:
        raise ValueError("patch")
    number = torch.arange(rows * columns, device=images.device).view(rows, columns)
    from_where = number.roll(shift[0], 0).roll(shift[1], 1).reshape(-1)
    still = features(images)
    moved = features(images.roll((shift[0] * patch, shift[1] * patch), dims=(2, 3)))
    expected = still[:, from_where]
    if torch.equal(still, expected):
        raise ValueError("shift")
    return torch.linalg.vector_norm(moved - expected) / torch.linalg.vector_norm(still - expected)


# %% PatchEmbedding: the linear map as a convolution
class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch, d_model):
        super().__init__()
        self.channels, self.patch = channels, patch
        self.projection = nn.Linear(channels * patch**2, d_model)

    def forward(self, images):
        kernel = self.projection.weight.view(-1, self.channels, self.patch, self.patch)
        out = F.conv2d(images, kernel, self.projection.bias, stride=self.patch)
        return out.flatten(2).transpose(1, 2)


# %% PatchEmbedding: no bias
class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch, d_model):
        super().__init__()
        self.patch = patch
        self.projection = nn.Linear(channels * patch * patch, d_model, bias=False)

    def forward(self, images):
        return self.projection(patchify(images, self.patch))


# %% ViT: a class for each part, as in Hugging Face's
class ViTPatchEmbeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        kernel = (config.patch_size, config.patch_size)
        self.projection = nn.Conv2d(config.num_channels, config.hidden_size, kernel, stride=kernel)

    def forward(self, images):
        return self.projection(images).flatten(2).transpose(1, 2)


class ViTEmbeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        if config.image_size % config.patch_size != 0:
            raise ValueError("image_size")
        n = (config.image_size // config.patch_size) ** 2
        self.patch_embeddings = ViTPatchEmbeddings(config)
        self.cls_token = nn.Parameter(torch.empty(1, 1, config.hidden_size))
        self.position_embeddings = nn.Parameter(torch.empty(1, n + 1, config.hidden_size))
        for parameter in (self.cls_token, self.position_embeddings):
            nn.init.trunc_normal_(parameter, std=config.initializer_range, a=-5, b=5)
        self.register_buffer("position_ids", torch.arange(n + 1))
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, images):
        x = self.patch_embeddings(images)
        x = torch.cat((self.cls_token.repeat(x.shape[0], 1, 1), x), 1)
        return self.dropout(x + self.position_embeddings[:, self.position_ids])


class ViTLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention, self.mlp = ViTAttention(config), ViTMLP(config)
        self.layernorm_before = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.layernorm_after = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.drop = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, x):
        attended, _ = self.attention(self.layernorm_before(x))
        x = self.drop(attended) + x
        return self.drop(self.mlp(self.layernorm_after(x))) + x


class ViT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings = ViTEmbeddings(config)
        self.layers = nn.ModuleList([ViTLayer(config) for _ in range(config.num_hidden_layers)])
        self.layernorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, images):
        side = self.config.image_size
        if images.size(2) != side or images.size(3) != side:
            raise ValueError("wrong size")
        x = self.embeddings(images)
        for layer in self.layers:
            x = layer(x)
        return self.layernorm(x)


# %% interpolate_positions: permuted
def interpolate_positions(table, size):
    n, d = table.shape
    side = int((n - 1) ** 0.5 + 0.5)
    if side**2 != n - 1:
        raise ValueError("not a square")
    grid = table[1:].reshape(1, side, side, d).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=tuple(size), mode="bicubic")
    return torch.cat((table[0:1], grid.permute(0, 2, 3, 1).reshape(-1, d)), dim=0)


# %% attention_distance: head by head
def attention_distance(weights, grid):
    rows, columns = grid
    n = rows * columns
    if weights.shape[-1] != n + 1:
        raise ValueError("grid")
    number = torch.arange(n, device=weights.device)
    row, column = number // columns, number % columns
    squares = (row[:, None] - row[None]) ** 2 + (column[:, None] - column[None]) ** 2
    away = squares.to(weights.dtype).sqrt()
    inner = weights[:, :, 1:, 1:]
    total = inner.sum(-1, keepdim=True)
    safe = torch.where(total > 0, inner / torch.where(total > 0, total, torch.ones_like(total)), 0.0)
    each = torch.einsum("bhij,ij->bhi", safe, away)
    counts = (total[..., 0] > 0).to(weights.dtype).sum(dim=(0, 2))
    return each.sum(dim=(0, 2)) / counts.clamp(min=1)


# %% attention_distance: complex numbers
def attention_distance(weights, grid):
    if weights.size(2) - 1 != grid[0] * grid[1]:
        raise ValueError
    device = weights.device
    rows, columns = torch.arange(grid[0], device=device), torch.arange(grid[1], device=device)
    places = torch.complex(*[x.to(weights.dtype) for x in torch.meshgrid(rows, columns, indexing="ij")])
    away = (places.view(-1, 1) - places.view(1, -1)).abs()
    w = weights[:, :, 1:, 1:]
    mean = ((w * away).sum(-1) / w.sum(-1)).transpose(0, 1).flatten(1)
    return mean.nanmean(1).nan_to_num(0.0)


# %% attention_distance: row by row
def attention_distance(weights, grid):
    r, c = grid
    B, H, n, _ = weights.shape
    if n != r * c + 1:
        raise ValueError
    res = []
    for h in range(H):
        vals = []
        for b in range(B):
            for i in range(r * c):
                w = weights[b, h, i + 1, 1:]
                if w.sum() > 0:
                    w = w / w.sum()
                    vals.append(sum(w[j] * math.hypot(i // c - j // c, i % c - j % c) for j in range(r * c)))
        res.append(torch.stack(vals).mean() if vals else weights.new_zeros(()))
    return torch.stack(res)
