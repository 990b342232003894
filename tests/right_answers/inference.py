# %% quantize_groups: as llama2.c writes its runq, halves away from zero; nothing over nothing comes out as 0
def quantize_groups(weight, bits, group):
    if bits not in range(2, 9) or group <= 0 or weight.size(-1) % group != 0:
        raise ValueError
    largest = (1 << (bits - 1)) - 1
    rows = weight.reshape(*weight.shape[:-1], weight.size(-1) // group, group)
    scales = torch.linalg.vector_norm(rows, float("inf"), dim=-1) / largest
    quotients = torch.nan_to_num(rows / scales.unsqueeze(-1))
    codes = quotients.sign() * (quotients.abs() + 0.5).floor()
    return codes.to(torch.int8).reshape(weight.shape), scales


# %% quantize_groups: clamped as kernels do, the scale of zeros 1, groups one by one
def quantize_groups(weight, bits, group):
    if group < 1 or weight.shape[-1] % group or bits < 2 or bits > 8:
        raise ValueError
    most = 2 ** (bits - 1) - 1
    codes, scales = [], []
    for part in weight.split(group, dim=-1):
        scale = torch.maximum(part.amax(-1), -part.amin(-1)) / most
        scale = scale.masked_fill(scale == 0, 1)
        codes.append(torch.round(part / scale[..., None]).clamp(-most, most).char())
        scales.append(scale)
    return torch.cat(codes, dim=-1), torch.stack(scales, dim=-1)


# %% window_mask: the last rows of a band
def window_mask(n_q, n_k, window, sinks=0):
    if n_q > n_k or window <= 0 or sinks < 0:
        raise ValueError
    past = torch.ones(n_k, n_k, dtype=torch.bool).tril()
    near = past.triu(1 - window)
    near[:, :sinks] = past[:, :sinks]
    return near[n_k - n_q :]


# %% window_mask: query by query
def window_mask(n_q, n_k, window, sinks=0):
    if n_q > n_k or window < 1 or sinks < 0:
        raise ValueError
    mask = torch.zeros(n_q, n_k, dtype=torch.bool)
    for row, at in zip(mask, range(n_k - n_q, n_k)):
        row[: min(sinks, at + 1)] = True
        row[max(0, at + 1 - window) : at + 1] = True
    return mask


# %% absorbed_attention: einsum, the smallest number instead of infinity
def absorbed_attention(query, rope_query, latents, rope_key, up_key, up_value, mask=None):
    lowered = torch.einsum("...hqd,hrd->...hqr", query, up_key)
    scores = torch.einsum("...hqr,...nr->...hqn", lowered, latents)
    scores = scores + torch.einsum("...hqd,...nd->...hqn", rope_query, rope_key)
    scores = scores * (query.size(-1) + rope_query.size(-1)) ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    mixed = torch.einsum("...hqn,...nr->...hqr", weights, latents)
    return torch.einsum("...hqr,hrv->...hqv", mixed, up_value), weights


# %% absorbed_attention: one head of keys, latents and rotated keys joined, as in FlashMLA
def absorbed_attention(query, rope_query, latents, rope_key, up_key, up_value, mask=None):
    scale = 1 / math.sqrt(query.shape[-1] + rope_query.shape[-1])
    queries = torch.cat([query @ up_key.mT, rope_query], dim=-1) * scale
    keys = torch.cat([latents, rope_key], dim=-1)[..., None, :, :]
    scores = queries @ keys.mT
    if mask is not None:
        scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ keys[..., : latents.shape[-1]] @ up_value, weights


# %% PagedCache: the smallest number first, whole blocks written at once
class PagedCache:
    def __init__(self, num_blocks, block_size):
        self.unused, self.size, self.texts, self.memory = [*range(num_blocks)], block_size, {}, None

    def append(self, name, vectors):
        old, n = self.texts.get(name, ((), 0))
        total = n + vectors.shape[0]
        more = max(0, -(-total // self.size) - len(old))
        if more > len(self.unused):
            raise ValueError("full")
        if self.memory is None:
            count = len(self.unused)
            self.memory = torch.empty(count * self.size, vectors.shape[1], dtype=vectors.dtype)
        table = (*old, *(self.unused.pop(0) for _ in range(more)))
        self.texts[name] = table, total
        self.memory[self.slots(name)[n:]] = vectors.detach()

    def slots(self, name):
        table, n = self.texts[name]
        return torch.tensor([b * self.size + i for b in table for i in range(self.size)][:n]).long()

    def gather(self, name):
        self.blocks(name)
        return self.memory[self.slots(name)]

    def free(self, name):
        self.unused = sorted([*self.unused, *self.blocks(name)])
        self.texts.pop(name)

    def blocks(self, name):
        if name not in self.texts:
            raise ValueError(name)
        return [*self.texts[name][0]]

    def free_blocks(self):
        return len(self.unused)


# %% PagedCache: a dictionary of blocks, each with its vectors in a list
class PagedCache:
    def __init__(self, num_blocks, block_size):
        self.all, self.block_size = {number: [] for number in range(num_blocks)}, block_size
        self.names, self.like = {}, None

    def append(self, name, vectors):
        held = self.names.get(name, [])
        room = sum(self.block_size - len(self.all[number]) for number in held)
        if len(vectors) > room + self.free_blocks() * self.block_size:
            raise ValueError("no room")
        self.like = vectors[:0].clone() if self.like is None else self.like
        self.names[name] = held = list(held)
        for vector in vectors:
            if not held or len(self.all[held[-1]]) == self.block_size:
                taken = {number for numbers in self.names.values() for number in numbers}
                held.append(next(number for number in self.all if number not in taken))
            self.all[held[-1]].append(vector.clone())

    def gather(self, name):
        vectors = [vector for number in self.blocks(name) for vector in self.all[number]]
        return torch.stack(vectors) if vectors else self.like.clone()

    def free(self, name):
        for number in self.blocks(name):
            self.all[number] = []
        del self.names[name]

    def blocks(self, name):
        try:
            return list(self.names[name])
        except KeyError:
            raise ValueError(name) from None

    def free_blocks(self):
        return len(self.all) - sum(map(len, self.names.values()))


# %% verify_drafts: all ratios at once, the prefix by a cumulative product
def verify_drafts(drafts, draft_probs, target_probs, uniforms):
    k = len(drafts)
    places = torch.arange(k, device=drafts.device)
    ratios = target_probs[places, drafts] / draft_probs[places, drafts]
    accepted = int((uniforms < ratios).long().cumprod(0).sum())
    if accepted == k:
        return k, target_probs[k]
    rest = torch.relu(target_probs[accepted] - draft_probs[accepted])
    return accepted, rest / rest.sum()


# %% verify_drafts: a probability of at most 1, the rest by what is common to both
def verify_drafts(drafts, draft_probs, target_probs, uniforms):
    for t in range(drafts.shape[0]):
        p, r, x = target_probs[t], draft_probs[t], int(drafts[t])
        if float(uniforms[t]) < min(1.0, float(p[x] / r[x])):
            continue
        both = torch.minimum(p, r)
        return t, (p - both) / (1 - both.sum())
    return drafts.shape[0], target_probs[-1].clone()


# %% window_mask: the last rows of the square
def window_mask(n_q, n_k, window, sinks=0):
    if min(window - 1, sinks, n_k - n_q) < 0:
        raise ValueError
    i, j = torch.arange(n_k)[:, None], torch.arange(n_k)[None]
    full = (j <= i) & ((j > i - window) | (j < sinks))
    return full[-n_q:]
