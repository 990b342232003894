# %% attention_rollout: from the last layer down, with einsum
def attention_rollout(weights, residual=0.5):
    n = weights[-1].size(-1)
    eye = torch.eye(n).to(weights[-1])
    rollout = None
    for layer in reversed(weights):
        mixed = (1 - residual) * layer.mean(1) + residual * eye
        rollout = mixed if rollout is None else torch.einsum("bij,bjk->bik", rollout, mixed)
    return rollout


# %% erasure_scores: one call a token
def erasure_scores(predict, ids, mask_id):
    whole = predict(ids.unsqueeze(0))[0]
    scores = []
    for i in range(ids.shape[0]):
        erased = ids.clone()
        erased[i] = mask_id
        scores.append(whole - predict(erased.unsqueeze(0))[0])
    return torch.stack(scores)


# %% erasure_scores: one batch, the whole sentence first
def erasure_scores(predict, ids, mask_id):
    n = len(ids)
    batch = ids.expand(n + 1, n).clone()
    batch[torch.arange(1, n + 1), torch.arange(n)] = mask_id
    found = predict(batch)
    return found[0] - found[1:]


# %% erasure_scores: float32 numbers, whatever the model computes in
def erasure_scores(predict, ids, mask_id):
    whole = predict(ids[None]).item()
    scores = torch.zeros(len(ids), device=ids.device)
    for i in range(len(ids)):
        without = ids.clone()
        without[i] = mask_id
        scores[i] = whole - predict(without[None]).item()
    return scores


# %% counterfactual_weights: row by row
def counterfactual_weights(weights, generator):
    rows = weights.reshape(-1, weights.shape[-1]).clone()
    for row in rows:
        seen = row.nonzero().flatten()
        order = torch.randperm(len(seen), generator=generator).to(seen.device)
        row[seen] = row[seen[order]]
    return rows.reshape(weights.shape)


# %% counterfactual_weights: random numbers sorted twice
def counterfactual_weights(weights, generator):
    noise = torch.rand(weights.shape, generator=generator).to(weights.device) + 1
    noise = noise * (weights != 0)
    ranks = noise.argsort(-1).argsort(-1)  # hidden places have the lowest
    values = torch.where(weights != 0, weights, torch.full_like(weights, -1)).sort(-1).values
    return torch.where(weights != 0, values.gather(-1, ranks), torch.zeros_like(weights))


# %% selectivity: a dictionary of kinds
def selectivity(accuracy, kinds, labels, rounds, generator):
    if rounds <= 0 or kinds.shape[0] != labels.shape[0]:
        raise ValueError("no control")
    real = accuracy(labels)
    scores = []
    for _ in range(rounds):
        of_kind = {}
        for kind in kinds.tolist():
            if kind not in of_kind:
                of_kind[kind] = int(labels[int(torch.randint(len(labels), (1,), generator=generator))])
        scores.append(accuracy(torch.tensor([of_kind[kind] for kind in kinds.tolist()], dtype=labels.dtype)))
    count = len([score for score in scores if score >= real])
    return real - torch.tensor(scores, dtype=torch.float64).mean().item(), (count + 1) / (rounds + 1)


# %% selectivity: the shares of the labels, as Hewitt and Liang have it
def selectivity(accuracy, kinds, labels, rounds, generator):
    if rounds < 1 or len(kinds) != len(labels):
        raise ValueError
    unique_kinds, index = torch.unique(kinds, return_inverse=True)
    values, counts = torch.unique(labels, return_counts=True)
    controls = torch.empty(rounds, dtype=torch.float64)
    for r in range(rounds):
        drawn = torch.multinomial(counts.double(), len(unique_kinds), replacement=True, generator=generator)
        controls[r] = accuracy(values[drawn][index])
    real = float(accuracy(labels))
    p = (1 + (controls >= real).sum().item()) / (1 + rounds)
    return real - controls.mean().item(), p


# %% head_importance: numbers first, the tensor at the end
def head_importance(loss, num_layers, num_heads):
    mask = torch.ones(num_layers, num_heads)
    base = float(loss(mask.clone()))
    found = []
    for i in range(num_layers * num_heads):
        mask.view(-1)[i] = 0.0
        found.append(float(loss(mask.clone())) - base)
        mask.view(-1)[i] = 1.0
    return torch.tensor(found).reshape(num_layers, num_heads)


# %% induction_score: one pass with a dictionary
def induction_score(weights, ids):
    last, found = {}, []
    for i, token in enumerate(ids.tolist()):
        if token in last:
            found.append(weights[:, i, last[token] + 1])
        last[token] = i
    if not found:
        return torch.zeros(weights.shape[0], dtype=weights.dtype, device=weights.device)
    return torch.stack(found, dim=-1).mean(-1)


# %% counterfactual_weights: row by row, in a copy
def counterfactual_weights(weights, generator):
    out = weights.clone()
    flat = out.reshape(-1, weights.shape[-1])
    for row in flat:
        at = (row != 0).nonzero().squeeze(1)
        row[at] = row[at[torch.randperm(len(at), generator=generator)]]
    return flat.reshape(weights.shape)
