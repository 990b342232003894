# %% completion_log_probs: the first end by argmax, as TRL finds it
def completion_log_probs(logits, ids, prompt_lengths, eos_id, temperature=1.0):
    if not temperature > 0:
        raise ValueError
    places = torch.arange(ids.size(1), device=ids.device).expand_as(ids)
    behind = places >= prompt_lengths.unsqueeze(1)
    is_end = behind & (ids == eos_id)
    last = torch.where(is_end.any(dim=1), is_end.int().argmax(dim=1), ids.size(1))
    mask = (behind & (places <= last.unsqueeze(1)))[:, 1:]
    scaled = logits[:, :-1, :] / temperature
    chosen = scaled.gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)
    return torch.where(mask, chosen - scaled.logsumexp(dim=-1), torch.zeros_like(chosen)), mask


# %% completion_log_probs: row by row, by cross_entropy
def completion_log_probs(logits, ids, prompt_lengths, eos_id, temperature=1.0):
    if temperature <= 0:
        raise ValueError
    losses = torch.nn.functional.cross_entropy(
        (logits[:, :-1] / temperature).transpose(1, 2), ids[:, 1:], reduction="none"
    )
    mask = torch.zeros_like(ids[:, 1:], dtype=torch.bool)
    for row, text, length in zip(mask, ids.tolist(), prompt_lengths.tolist()):
        written = text[length:]
        count = written.index(eos_id) + 1 if eos_id in written else len(written)
        row[length - 1 : length - 1 + count] = True
    return -losses.masked_fill(~mask, 0.0), mask


# %% group_advantages: torch's own deviation
def group_advantages(rewards):
    std, mean = torch.std_mean(rewards, dim=-1, correction=0, keepdim=True)
    alike = (rewards == rewards[..., :1]).all(dim=-1, keepdim=True)
    return torch.where(alike, 0.0, (rewards - mean) / torch.where(alike, 1.0, std))


# %% group_advantages: brought to 0 and 1 first, group by group
def group_advantages(rewards):
    rows = []
    for row in rewards.reshape(-1, rewards.shape[-1]):
        low, high = row.min(), row.max()
        if low == high:
            rows.append(torch.zeros_like(row))
            continue
        row = (row - low) / (high - low)
        rows.append((row - row.mean()) / row.std(unbiased=False))
    return torch.stack(rows).reshape(rewards.shape)


# %% clipped_loss: two losses and the larger of them, as verl writes it
def clipped_loss(log_probs, old_log_probs, advantages, mask, low=0.2, high=0.2):
    difference = torch.where(mask, log_probs - old_log_probs.detach(), 0.0)
    ratio = torch.exp(difference)
    one = -advantages.unsqueeze(-1) * ratio
    two = -advantages.unsqueeze(-1) * torch.clamp(ratio, 1 - low, 1 + high)
    losses = torch.where(mask, torch.maximum(one, two), 0.0)
    return (losses.sum(-1) / mask.sum(-1).clamp(min=1)).mean()


# %% clipped_loss: one bound by the sign, text by text
def clipped_loss(log_probs, old_log_probs, advantages, mask, low=0.2, high=0.2):
    total = log_probs.new_zeros(())
    for new, old, advantage, kept in zip(log_probs, old_log_probs.detach(), advantages, mask):
        if not kept.any():
            continue
        ratio = (new[kept] - old[kept]).exp()
        ratio = ratio.clamp(max=1 + high) if advantage > 0 else ratio.clamp(min=1 - low)
        total = total - (advantage * ratio).mean()
    return total / len(mask)


# %% k3_divergence: as TRL writes it, in twice the precision
def k3_divergence(log_probs, reference_log_probs):
    d = (reference_log_probs.detach() - log_probs).double()
    return (torch.exp(d) - d - 1).to(log_probs.dtype)


# %% k3_divergence: from the other side
def k3_divergence(log_probs, reference_log_probs):
    with torch.no_grad():
        reference = reference_log_probs.clone()
    log_ratio = log_probs - reference
    return torch.expm1(-log_ratio) + log_ratio


# %% pass_at_k: the printed product
def pass_at_k(right, k):
    count, n = right.shape
    if k < 1 or k > n:
        raise ValueError
    found = []
    for c in right.sum(1).tolist():
        found.append(1.0 if n - c < k else 1.0 - math.prod(1.0 - k / i for i in range(n - c + 1, n + 1)))
    return math.fsum(found) / count


# %% pass_at_k: in logarithms of factorials
def pass_at_k(right, k):
    n = right.size(1)
    if not 0 < k <= n:
        raise ValueError

    def log_choose(top):
        return math.lgamma(top + 1) - math.lgamma(k + 1) - math.lgamma(top - k + 1)

    wrongs = (~right).sum(dim=1).tolist()
    return sum(1.0 - (math.exp(log_choose(w) - log_choose(n)) if w >= k else 0.0) for w in wrongs) / len(
        wrongs
    )


# %% completion_log_probs: token by token
def completion_log_probs(logits, ids, prompt_lengths, eos_id, temperature=1.0):
    if temperature <= 0:
        raise ValueError("t")
    B, n = ids.shape
    lp = (
        F.log_softmax(logits / temperature, -1)
        if "F" in globals()
        else torch.log_softmax(logits / temperature, -1)
    )
    mask = torch.zeros(B, n - 1, dtype=torch.bool, device=ids.device)
    for b in range(B):
        for t in range(int(prompt_lengths[b]), n):
            mask[b, t - 1] = True
            if ids[b, t] == eos_id:
                break
    got = torch.gather(lp[:, :-1], 2, ids[:, 1:].unsqueeze(-1)).squeeze(-1)
    return torch.where(mask, got, torch.zeros_like(got)), mask


# %% group_advantages: from the first reward
def group_advantages(rewards):
    r = rewards - rewards[..., :1]
    r = r - r.mean(-1, keepdim=True)
    s = torch.sqrt((r * r).mean(-1, keepdim=True))
    return torch.where(s > 0, r / s, torch.zeros_like(r))
