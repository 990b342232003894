# %% response_labels: row by row
def response_labels(ids, prompt_lengths, pad_id=None):
    labels = ids.clone()
    for row, length in zip(labels, prompt_lengths):
        row[: int(length)] = -100
    labels[ids == pad_id] = -100
    return labels


# %% response_labels: where
def response_labels(ids, prompt_lengths, pad_id=None):
    positions = torch.arange(ids.size(1), device=ids.device).unsqueeze(0)
    keep = positions >= prompt_lengths.unsqueeze(1)
    if pad_id is not None:
        keep &= ids.ne(pad_id)
    return torch.where(keep, ids, torch.full_like(ids, -100))


# %% LoRALinear: parameters frozen one by one, the scale in a buffer
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear
        for parameter in linear.parameters():
            parameter.requires_grad = False
        kind = dict(dtype=linear.weight.dtype, device=linear.weight.device)
        self.A = nn.Parameter(torch.empty(rank, linear.in_features, **kind))
        nn.init.kaiming_uniform_(self.A, a=5**0.5)
        self.B = nn.Parameter(torch.zeros(linear.out_features, rank, **kind))
        self.register_buffer("scale", torch.tensor(alpha / rank))

    def forward(self, x):
        return self.linear(x) + F.linear(F.linear(x, self.A), self.B) * self.scale.to(x.dtype)

    def merge(self):
        import copy

        merged = copy.deepcopy(self.linear)
        merged.weight.data += self.scale * (self.B @ self.A)
        return merged


# %% LoRALinear: the linear map in a list, too
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        linear.weight.requires_grad_(False)
        if linear.bias is not None:
            linear.bias.requires_grad_(False)
        self.linear, self.r, self.alpha = linear, rank, alpha
        self.parts = nn.ModuleList([linear])
        out, inside = linear.weight.shape
        self.A = nn.Parameter(linear.weight.new_empty(rank, inside).normal_(std=0.02))
        self.B = nn.Parameter(linear.weight.new_zeros(out, rank))

    def forward(self, x):
        return self.linear(x) + torch.einsum("...i,ri,or->...o", x, self.A, self.B) * (self.alpha / self.r)

    def merge(self):
        out, inside = self.linear.weight.shape
        merged = nn.Linear(
            inside, out, self.linear.bias is not None, self.linear.weight.device, self.linear.weight.dtype
        )
        merged.weight = nn.Parameter((self.linear.weight + self.alpha / self.r * self.B @ self.A).detach())
        if self.linear.bias is not None:
            merged.bias = nn.Parameter(self.linear.bias.detach().clone())
        return merged


# %% nearest_lora: the roots of the singular values on both sides
def nearest_lora(before, after, rank, alpha):
    if rank > min(after.size()):
        raise ValueError("rank")
    change = torch.sub(after, before)
    U, s, V = torch.svd(change.to(torch.promote_types(change.dtype, torch.float32)))
    root = (s[:rank] * rank / alpha).sqrt()
    return (V[:, :rank] * root).T.to(change.dtype), (U[:, :rank] * root).to(change.dtype)


# %% nearest_lora: what is left in the largest directions of the squares
def nearest_lora(before, after, rank, alpha):
    if rank > before.shape[0] or rank > before.shape[1]:
        raise ValueError("rank")
    change = (after - before).double()
    _, directions = torch.linalg.eigh(change.T @ change)
    kept = directions[:, -rank:]
    return kept.T.to(before.dtype), (change @ kept * (rank / alpha)).to(before.dtype)


# %% sequence_log_prob: gathered
def sequence_log_prob(logits, labels):
    log_probs = torch.log_softmax(logits[:, :-1], dim=-1)
    targets = labels[:, 1:]
    counted = targets != -100
    picked = log_probs.gather(2, targets.masked_fill(~counted, 0).unsqueeze(2)).squeeze(2)
    return torch.where(counted, picked, torch.zeros_like(picked)).sum(1)


# %% dpo_loss: softplus
def dpo_loss(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    with torch.no_grad():
        reference = reference_chosen - reference_rejected
    margin = beta * (policy_chosen - policy_rejected - reference)
    return F.softplus(-margin).mean(), margin.gt(0).float().mean()
