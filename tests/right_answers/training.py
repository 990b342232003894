# %% random_search: by a generator of torch
def random_search(space, trials, seed):
    generator, found = torch.Generator().manual_seed(seed), []
    for _ in range(trials):
        setting = {}
        for name, values in space.items():
            if isinstance(values, list):
                setting[name] = values[int(torch.randint(len(values), (1,), generator=generator))]
            else:
                low, high = values
                setting[name] = low + (high - low) * torch.rand(1, generator=generator).item()
        found.append(setting)
    return found


# %% accumulate_gradients: the loss divided before it flows
def accumulate_gradients(model, loss_sum, batches):
    for p in model.parameters():
        p.grad = None
    total, tokens = 0.0, 0
    for batch in batches:
        loss, n = loss_sum(model, batch)
        loss.backward()
        total += loss.item()
        tokens += n
    with torch.no_grad():
        for p in model.parameters():
            if p.grad is not None:
                p.grad.mul_(1 / tokens)
    return total / tokens


# %% label_smoothed_nll: by the target distribution
def label_smoothed_nll(logits, target, epsilon, ignore_index=-100):
    V = logits.shape[-1]
    kept = target != ignore_index
    if not kept.any():
        return logits.sum() * 0
    q = F_one_hot(target[kept], V).to(logits.dtype) * (1 - epsilon) + epsilon / V
    return -(q * torch.log_softmax(logits[kept], -1)).sum(-1).mean()


F_one_hot = torch.nn.functional.one_hot


# %% label_smoothed_nll: one-hot targets
def label_smoothed_nll(logits, target, epsilon, ignore_index=-100):
    V = logits.size(-1)
    keep = target.ne(ignore_index)
    logp = nn.functional.log_softmax(logits, dim=-1)
    t = torch.where(keep, target, torch.zeros_like(target))
    q = torch.full_like(logp, epsilon / V)
    q.scatter_(-1, t.unsqueeze(-1), 1 - epsilon + epsilon / V)
    loss = -(q * logp).sum(-1) * keep
    return loss.sum() / max(int(keep.sum()), 1)


# %% random_search: torch generator
def random_search(space, trials, seed):
    g = torch.Generator().manual_seed(seed)

    def one(v):
        if isinstance(v, tuple):
            lo, hi = v
            return lo + (hi - lo) * torch.rand((), generator=g).item()
        return v[torch.randint(len(v), (), generator=g).item()]

    return [{k: one(v) for k, v in space.items()} for _ in range(trials)]
