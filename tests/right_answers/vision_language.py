# %% clip_loss: transformers' way, the diagonal's logarithm
def clip_loss(image, text, log_scale):
    if image.shape[0] != text.shape[0]:
        raise ValueError("not as many pictures as captions")
    image = image / image.norm(dim=-1, keepdim=True)
    text = text / text.norm(dim=-1, keepdim=True)
    logits = text @ image.t() * torch.clamp(torch.exp(log_scale), max=100.0)
    rows = -torch.diag(F.log_softmax(logits, dim=1)).mean()
    columns = -torch.diag(F.log_softmax(logits, dim=0)).mean()
    return (rows + columns) / 2


# %% clip_loss: one hot targets
def clip_loss(image, text, log_scale):
    n = image.size(0)
    if n != text.size(0):
        raise ValueError
    scale = torch.minimum(log_scale.exp(), torch.full_like(log_scale, 100))
    cosine = F.cosine_similarity(image[:, None], text[None], dim=-1)
    target = torch.eye(n, dtype=image.dtype, device=image.device)
    return 0.5 * (F.cross_entropy(scale * cosine, target) + F.cross_entropy(scale * cosine.mT, target))


# %% zero_shot: the sum instead of the mean, one class after another
def zero_shot(image, prompts):
    image = image / image.norm(dim=-1, keepdim=True)
    columns = []
    for vectors in prompts:
        total = (vectors / vectors.norm(dim=-1, keepdim=True)).sum(0)
        columns.append(image @ (total / total.norm()))
    return torch.stack(columns, dim=1)


# %% insert_picture: one after another
def insert_picture(ids, answer, embedding, patches, image_id):
    if (ids == image_id).sum() != 1:
        raise ValueError("exactly one picture")
    rows, labels = [], []
    for i, token in enumerate(ids.tolist()):
        if token == image_id:
            rows.append(patches)
            labels += [-100] * len(patches)
        else:
            rows.append(embedding[token][None])
            labels.append(token if answer[i] else -100)
    return torch.cat(rows), torch.tensor(labels, device=ids.device)


# %% insert_picture: an index of every place, as Hugging Face scatters them
def insert_picture(ids, answer, embedding, patches, image_id):
    is_picture = ids == image_id
    if is_picture.sum().item() != 1:
        raise ValueError("exactly one picture")
    at, n = is_picture.nonzero().item(), len(patches)
    where = torch.cumsum(torch.where(is_picture, n, 1), 0) - 1
    text = ~is_picture
    rows = embedding.new_zeros(len(ids) - 1 + n, embedding.shape[1])
    rows = rows.index_put((where[text],), F.embedding(ids[text], embedding))
    rows = rows.index_put((torch.arange(at, at + n, device=ids.device),), patches)
    labels = torch.full((len(rows),), -100, dtype=ids.dtype, device=ids.device)
    labels[where[text]] = torch.where(answer, ids, -100)[text]
    return rows, labels


# %% prefix_mask: a triangle, then a square for each picture
def prefix_mask(picture):
    n = picture.shape[0]
    mask = torch.ones(n, n, dtype=torch.bool, device=picture.device).tril()
    for number in picture.unique():
        if number > 0:
            at = picture == number
            mask = mask | (at[:, None] & at[None, :])
    return mask


# %% dino_loss: facebookresearch's two loops
def dino_loss(student, teacher, center, student_temperature=0.1, teacher_temperature=0.04, momentum=0.9):
    with torch.no_grad():
        target = F.softmax((teacher - center) / teacher_temperature, dim=-1)
        new = center * momentum + teacher.reshape(-1, teacher.shape[-1]).mean(0) * (1 - momentum)
    total, count = 0, 0
    for t, p in enumerate(target):
        for s, x in enumerate(student):
            if s != t:
                total = total + torch.sum(-p * F.log_softmax(x / student_temperature, dim=-1), dim=-1).mean()
                count += 1
    if count == 0:
        raise ValueError("no pair of different views")
    return total / count, new


# %% dino_loss: cross_entropy with probabilities, a mask of pairs
def dino_loss(student, teacher, center, student_temperature=0.1, teacher_temperature=0.04, momentum=0.9):
    S, T = student.shape[0], teacher.shape[0]
    keep = torch.arange(T)[:, None] != torch.arange(S)
    if not keep.any():
        raise ValueError("no pair of different views")
    teacher = teacher.detach()
    p = torch.softmax((teacher - center.detach()) / teacher_temperature, -1)
    losses = []
    for t, s in keep.nonzero().tolist():
        losses.append(F.cross_entropy(student[s] / student_temperature, p[t]))
    return torch.stack(losses).mean(), torch.lerp(teacher.mean((0, 1)), center.detach(), momentum)


# %% dino_loss: everything of the teacher without gradients
def dino_loss(student, teacher, center, student_temperature=0.1, teacher_temperature=0.04, momentum=0.9):
    T, S = teacher.shape[0], student.shape[0]
    if T == 0 or S * T - min(S, T) <= 0:
        raise ValueError
    with torch.no_grad():
        p = torch.softmax((teacher - center) / teacher_temperature, -1)
        new = torch.lerp(teacher.mean((0, 1)), center, momentum)
    q = torch.log_softmax(student / student_temperature, -1)
    ce = -(p[:, None] * q[None]).sum(-1).mean(-1)
    keep = ~torch.eye(T, S, dtype=torch.bool, device=ce.device)
    return (ce * keep).sum() / keep.sum(), new
