# %% KVCache: lists that grow
class KVCache:
    def __init__(self):
        self.keys, self.values = [], []

    def update(self, layer, key, value):
        while len(self.keys) <= layer:
            self.keys.append(None)
            self.values.append(None)
        if self.keys[layer] is not None:
            key = torch.cat((self.keys[layer], key), dim=-2)
            value = torch.cat((self.values[layer], value), dim=-2)
        self.keys[layer], self.values[layer] = key, value
        return key, value

    def reorder(self, rows):
        self.keys = [k if k is None else k.index_select(0, rows) for k in self.keys]
        self.values = [v if v is None else v.index_select(0, rows) for v in self.values]


# %% sample_next: by Gumbel noise
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError
    if temperature == 0:
        return logits.argmax(-1)
    logits = logits / temperature
    if top_k is not None:
        worst = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[..., -1:]
        logits = logits.masked_fill(logits < worst, float("-inf"))
    if top_p is not None:
        p, order = logits.softmax(-1).sort(dim=-1, descending=True)
        drop = (p.cumsum(-1) - p >= top_p).scatter(-1, order, p.cumsum(-1) - p >= top_p)
        logits = logits.masked_fill(drop, float("-inf"))
    noise = torch.rand(logits.shape, generator=generator).clamp(1e-12).log().neg().log().neg()
    return (logits + noise.to(logits.device)).argmax(-1)


# %% greedy_decode: into one tensor made beforehand
@torch.no_grad()
def greedy_decode(step, start, max_new_tokens, eos_id):
    n = start.shape[1]
    ids = torch.full((len(start), n + max_new_tokens), eos_id, dtype=start.dtype, device=start.device)
    ids[:, :n] = start
    running = torch.ones(len(start), dtype=torch.bool, device=start.device)
    for t in range(n, n + max_new_tokens):
        if not running.any():
            return ids[:, :t]
        ids[running, t] = step(ids[:, :t]).argmax(-1)[running].to(ids.dtype)
        running &= ids[:, t] != eos_id
    return ids


# %% beam_search: python lists, one batch call
@torch.no_grad()
def beam_search(step, start, beam_size, max_new_tokens, eos_id, alpha=1.0):
    if beam_size < 1 or max_new_tokens < 1:
        raise ValueError
    beams, done = [(start[0], 0.0)], []
    for length in range(1, max_new_tokens + 1):
        lp = torch.log_softmax(step(torch.stack([b for b, _ in beams])).double(), dim=-1)
        cands = []
        for i, (_, s) in enumerate(beams):
            k = min(2 * beam_size, lp.size(-1))
            v, t = lp[i].topk(k)
            cands += [(s + a, i, b) for a, b in zip(v.tolist(), t.tolist())]
        cands.sort(key=lambda c: -c[0])
        nxt = []
        for rank, (s, i, t) in enumerate(cands):
            ids = torch.cat([beams[i][0], beams[i][0].new_tensor([t])])
            if t == eos_id:
                if rank < beam_size:
                    done.append((ids, s / length**alpha))
            elif len(nxt) < beam_size:
                nxt.append((ids, s))
        beams = nxt
        if not beams:
            break
    done += [(ids, s / max_new_tokens**alpha) for ids, s in beams]
    return sorted(done, key=lambda p: p[1], reverse=True)[:beam_size]


# %% KVCache: list of layers growing in order
class KVCache:
    def __init__(self):
        self.layers = []

    def update(self, layer, key, value):
        while len(self.layers) <= layer:
            self.layers.append(None)
        old = self.layers[layer]
        self.layers[layer] = (
            (key, value) if old is None else tuple(torch.cat(p, -2) for p in zip(old, (key, value)))
        )
        return self.layers[layer]

    def reorder(self, rows):
        self.layers = [None if one is None else (one[0][rows], one[1][rows]) for one in self.layers]
