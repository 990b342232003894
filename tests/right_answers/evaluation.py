# %% yarn_frequencies: as transformers writes it, by periods
def yarn_frequencies(dim, base, factor, original_length, beta_fast=32.0, beta_slow=1.0):
    if dim % 2 != 0 or factor < 1 or not beta_fast > beta_slow:
        raise ValueError("no such RoPE")

    def find_correction_dim(rotations):
        return (dim * math.log(original_length / (rotations * 2 * math.pi))) / (2 * math.log(base))

    low, high = max(find_correction_dim(beta_fast), 0), find_correction_dim(beta_slow)
    pos_freqs = base ** (torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    extrapolation = 1 - torch.clamp((torch.arange(dim // 2, dtype=torch.float64) - low) / (high - low), 0, 1)
    inv_freq = 1.0 / (factor * pos_freqs) * (1 - extrapolation) + 1.0 / pos_freqs * extrapolation
    return inv_freq, 1.0 if factor <= 1 else 0.1 * math.log(factor) + 1.0


# %% yarn_frequencies: pair by pair
def yarn_frequencies(dim, base, factor, original_length, beta_fast=32.0, beta_slow=1.0):
    if dim % 2 or factor < 1 or beta_slow >= beta_fast:
        raise ValueError
    half = dim // 2
    start, end = (
        half * (math.log(original_length) - math.log(2 * math.pi * b)) / math.log(base)
        for b in (beta_fast, beta_slow)
    )
    start = 0 if start < 0 else start
    speeds = []
    for i in range(half):
        theta = base ** (-i / half)
        g = 0 if i <= start else 1 if i >= end else (i - start) / (end - start)
        speeds.append(theta * (1 - g + g / factor))
    return torch.tensor(speeds, dtype=torch.float64), 1 + math.log(factor) / 10


# %% strided_nll: as the page of transformers has it, with its target length mended
def strided_nll(model, ids, window, stride):
    if stride <= 0 or stride >= window:
        raise ValueError("stride")
    n, done, out = len(ids), 1, []
    for begin in range(0, n, stride):
        end = min(begin + window, n)
        logits = model(ids[begin:end])
        nll = torch.nn.functional.cross_entropy(logits[:-1], ids[begin + 1 : end], reduction="none")
        out.append(nll[-(end - done) :] if end > done else nll[:0])
        done = end
        if end == n:
            break
    return torch.cat(out)


# %% strided_nll: written into a tensor, only where nothing stands yet
def strided_nll(model, ids, window, stride):
    if not 0 < stride < window:
        raise ValueError
    result, start = None, 0
    while True:
        part = ids[start : start + window]
        logits = model(part)
        log_probs = torch.log_softmax(logits, dim=-1)
        if result is None:
            result = torch.full((ids.shape[0] - 1,), float("nan"), dtype=logits.dtype, device=ids.device)
        for j in range(len(part) - 1):
            if torch.isnan(result[start + j]):
                result[start + j] = -log_probs[j, part[j + 1]]
        if start + window >= len(ids):
            return result
        start += stride


# %% choice_scores: where before every sum
def choice_scores(log_probs, mask, how, byte_lengths=None, prior=None):
    def total(x):
        return torch.where(mask, x, torch.zeros((), dtype=x.dtype, device=x.device)).sum(-1)

    count = mask.sum(-1)
    if how == "sum":
        scores = total(log_probs)
    elif how == "token":
        scores = total(log_probs) / torch.clamp(count, min=1)
    elif how == "byte" and byte_lengths is not None:
        scores = total(log_probs) / torch.clamp(byte_lengths, min=1)
    elif how == "pmi" and prior is not None:
        scores = total(log_probs) - total(prior)
    else:
        raise ValueError(how)
    return torch.where(count > 0, scores, torch.full_like(scores, -math.inf))


# %% choice_scores: a dictionary of functions
def choice_scores(log_probs, mask, how, byte_lengths=None, prior=None):
    own = log_probs.masked_fill(mask.logical_not(), 0.0).sum(dim=-1)
    tokens = mask.long().sum(dim=-1)
    ways = {"sum": lambda: own, "token": lambda: own / tokens.clamp_min(1)}
    if byte_lengths is not None:
        ways["byte"] = lambda: own / byte_lengths.to(own.dtype).clamp_min(1)
    if prior is not None:
        ways["pmi"] = lambda: own - prior.masked_fill(mask.logical_not(), 0.0).sum(dim=-1)
    if how not in ways:
        raise ValueError(f"unknown: {how}")
    return ways[how]().masked_fill(tokens == 0, float("-inf"))


# %% paired_difference: Miller's sum over pairs within a passage
def paired_difference(a, b, groups=None):
    n = a.shape[0]
    if groups is None:
        groups = torch.arange(n, device=a.device)
    G = len(set(groups.tolist()))
    if b.shape[0] != n or groups.shape[0] != n or G < 2:
        raise ValueError
    d = a - b
    off = d - d.mean()
    together = (groups[:, None] == groups[None, :]).to(off.dtype)
    variance = (off[:, None] * off[None, :] * together).sum() / n**2 * G / (G - 1)
    return d.mean(), variance.clamp(min=0).sqrt()


# %% paired_difference: passage by passage, torch's own variance where there are none
def paired_difference(a, b, groups=None):
    if len(a) != len(b) or len(a) < 2:
        raise ValueError("lengths")
    d = a - b
    if groups is None:
        return d.mean(), (d.var() / len(d)) ** 0.5
    if len(groups) != len(d):
        raise ValueError("groups")
    names = torch.unique(groups)
    if len(names) == 1:
        raise ValueError("one group")
    sums = torch.stack([(d[groups == name] - d.mean()).sum() for name in names])
    return d.mean(), ((sums**2).sum() * len(names) / (len(names) - 1)).sqrt() / len(d)


# %% judge_fairly: numpy's line
def judge_fairly(judge, a, b):
    import numpy as np

    if len(a) != len(b) or len(a) == 0:
        raise ValueError
    x = np.array([len(p) - len(q) for p, q in zip(a, b)], dtype=float)
    if (x == x[0]).all():
        raise ValueError
    y = np.array([0.5 * judge(p, q) + 0.5 * (1 - judge(q, p)) for p, q in zip(a, b)])
    slope, height = np.polyfit(x, y, 1)
    return float(y.mean()), float(height)


# %% judge_fairly: torch's least squares, both orders in two lists
def judge_fairly(judge, a, b):
    if not a or len(a) != len(b):
        raise ValueError("answers")
    x = [float(len(a[i]) - len(b[i])) for i in range(len(a))]
    if max(x) == min(x):
        raise ValueError("lengths")
    forth = [judge(p, q) for p, q in zip(a, b)]
    back = [1 - judge(q, p) for p, q in zip(a, b)]
    p = torch.tensor([(f + g) / 2 for f, g in zip(forth, back)], dtype=torch.float64)
    design = torch.tensor([[1.0, one] for one in x], dtype=torch.float64)
    solution = torch.linalg.lstsq(design, p[:, None]).solution
    return p.mean().item(), solution[0, 0].item()


# %% yarn_frequencies: bounded as transformers does
def yarn_frequencies(dim, base, factor, original_length, beta_fast=32.0, beta_slow=1.0):
    if dim % 2 == 1 or factor < 1 or not beta_fast > beta_slow:
        raise ValueError("dim")

    def idx(r):
        return dim * math.log(original_length / (r * 2 * math.pi)) / (2 * math.log(base))

    lo, hi = max(idx(beta_fast), 0), min(idx(beta_slow), dim - 1)
    if lo == hi:
        hi += 0.001
    i = torch.arange(dim // 2).double()
    th = base ** (-2 * i / dim)
    g = ((i - lo) / (hi - lo)).clamp(0, 1)
    return th * (1 - g) + th / factor * g, 0.1 * math.log(factor) + 1.0


# %% choice_scores: nothing divided by nothing, then left out
def choice_scores(log_probs, mask, how, byte_lengths=None, prior=None):
    if how not in ("sum", "token", "byte", "pmi"):
        raise ValueError(how)
    if how == "byte" and byte_lengths is None:
        raise ValueError
    if how == "pmi" and prior is None:
        raise ValueError
    s = log_probs.masked_fill(~mask, 0).sum(-1)
    cnt = mask.sum(-1)
    if how == "token":
        s = s / cnt
    if how == "byte":
        s = s / byte_lengths
    if how == "pmi":
        s = s - prior.masked_fill(~mask, 0).sum(-1)
    return torch.where(cnt > 0, s, -math.inf)


# %% paired_difference: torch's own deviation, a table of who belongs where
def paired_difference(a, b, groups=None):
    if a.shape != b.shape:
        raise ValueError
    d = a - b
    n = d.numel()
    if groups is None:
        if n < 2:
            raise ValueError
        return d.mean(), d.std() / n**0.5
    if groups.shape != a.shape:
        raise ValueError
    u = groups.unique()
    if len(u) < 2:
        raise ValueError
    onehot = (groups[None] == u[:, None]).to(d.dtype)
    s = onehot @ (d - d.mean())
    G = len(u)
    return d.mean(), torch.sqrt(G / (G - 1) * (s**2).sum()) / n
