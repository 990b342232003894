# %% few_shot_prompt: another form, on one line
def few_shot_prompt(examples, query, instruction=""):
    prompt = instruction + "\n\n" if instruction else ""
    for text, label in examples:
        prompt += f"Review: {text} => {label}\n\n"
    return prompt + f"Review: {query} =>"


# %% read_extract: gather along the positions
def read_extract(hidden, lengths):
    index = (lengths - 1).view(-1, 1, 1).expand(-1, 1, hidden.size(-1))
    return hidden.gather(1, index).squeeze(1)


# %% read_extract: a loop over the rows
def read_extract(hidden, lengths):
    return torch.stack([row[n - 1] for row, n in zip(hidden, lengths.tolist())])


# %% read_extract: a mask of ones, picked out
def read_extract(hidden, lengths):
    last = torch.arange(hidden.shape[1], device=hidden.device)[None] == lengths[:, None] - 1
    return hidden[last]


# %% score_labels: a loop that mirrors the formula
def score_labels(log_probs, ids, lengths, prompt_length, per_token=False):
    scores = []
    for i in range(ids.shape[0]):
        said = [log_probs[i, t - 1, ids[i, t]] for t in range(prompt_length, int(lengths[i]))]
        total = torch.stack(said).sum()
        scores.append(total / len(said) if per_token else total)
    return torch.stack(scores)


# %% score_labels: cross-entropy with ignored labels
def score_labels(log_probs, ids, lengths, prompt_length, per_token=False):
    labels = ids.clone()
    labels[:, :prompt_length] = -100
    positions = torch.arange(ids.shape[1], device=ids.device)
    labels[positions[None, :] >= lengths[:, None]] = -100
    loss = torch.nn.functional.nll_loss(
        log_probs[:, :-1].transpose(1, 2), labels[:, 1:], ignore_index=-100, reduction="none"
    )
    total = -loss.sum(dim=1)
    if per_token:
        total = total / (labels != -100).sum(dim=1)
    return total


# %% score_labels: where, with the whole row shifted
def score_labels(log_probs, ids, lengths, prompt_length, per_token=False):
    target = torch.roll(ids, -1, dims=1)
    scores = torch.take_along_dim(log_probs, target.unsqueeze(-1), dim=-1)[..., 0]
    place = torch.arange(ids.size(1), device=log_probs.device)
    label = torch.logical_and(place + 1 >= prompt_length, place + 1 < lengths.unsqueeze(1))
    scores = torch.where(label, scores, torch.zeros_like(scores)).sum(1)
    return scores / label.sum(1) if per_token else scores
