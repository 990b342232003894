"""Wrong answers that people give to the exercise `vision_language`."""

import torch
import torch.nn.functional as F

from grader.judging.mistakes import right_answer, wrong

# clip_loss ----------------------------------------------------------------------------------------------------


def _unit(x):
    return F.normalize(x, dim=-1)


def _scale(log_scale):
    return log_scale.exp().clamp(max=100)


def _both_ways(logits):
    own = torch.arange(len(logits), device=logits.device)
    return (F.cross_entropy(logits, own) + F.cross_entropy(logits.T, own)) / 2


@right_answer("clip_loss")
def _clip(image, text, log_scale, *, unit=_unit, scale=_scale, loss=_both_ways):
    """The right loss, in parts that a mistake can replace."""
    if len(image) != len(text):
        raise ValueError(f"{len(image)} pictures and {len(text)} captions")
    return loss(scale(log_scale) * unit(image) @ unit(text).T)


@wrong("clip_loss", read="vision-language-loss")
def only_the_rows(*args):
    """행의 손실만 구했습니다. 그림이 제 글을 맞히는 것과 글이 제 그림을 맞히는 것을 더해 2로 나눕니다."""
    return _clip(*args, loss=lambda z: F.cross_entropy(z, torch.arange(len(z), device=z.device)))


@wrong("clip_loss", read="vision-language-loss")
def only_the_columns(*args):
    """열의 손실만 구했습니다. 그림이 제 글을 맞히는 것과 글이 제 그림을 맞히는 것을 더해 2로 나눕니다."""
    return _clip(*args, loss=lambda z: F.cross_entropy(z.T, torch.arange(len(z), device=z.device)))


@wrong("clip_loss", read="vision-language-loss")
def softmax_twice(*args):
    """소프트맥스를 두 번 취했습니다. `F.cross_entropy`가 안에서 취하므로 로짓을 그대로 넣으십시오."""

    def loss(logits):
        own = torch.arange(len(logits), device=logits.device)
        return (F.cross_entropy(logits.softmax(1), own) + F.cross_entropy(logits.T.softmax(1), own)) / 2

    return _clip(*args, loss=loss)


@wrong("clip_loss", read="vision-language-loss")
def lengths_left(*args):
    """벡터의 크기를 1로 만들지 않았습니다. 내적이 코사인이 되도록 두 벡터를 저마다의 크기로 나누십시오."""
    return _clip(*args, unit=lambda x: x)


@wrong("clip_loss", read="vision-language-loss")
def only_pictures_of_length_one(image, text, log_scale):
    """글의 벡터는 크기가 그대로입니다. 그림과 글을 모두 크기 1로 만드십시오."""
    return _clip(_unit(image), text, log_scale, unit=lambda x: x)


@wrong("clip_loss", read="vision-language-loss")
def lengths_over_the_batch(*args):
    """배치에 걸친 크기로 나누었습니다. 행마다, 곧 마지막 축의 크기로 나누십시오."""
    return _clip(*args, unit=lambda x: F.normalize(x, dim=0))


@wrong("clip_loss", read="vision-language-loss")
def the_logarithm_itself(*args):
    """log_scale을 그대로 곱했습니다. 배우는 것은 로그이므로 exp를 취해 곱하십시오."""
    return _clip(*args, scale=lambda s: s)


@wrong("clip_loss", read="vision-language-loss")
def divides_by_the_scale(*args):
    """곱하지 않고 나누었습니다. exp(log_scale)은 온도의 역수입니다. 곱하십시오."""
    return _clip(*args, scale=lambda s: 1 / _scale(s))


@wrong("clip_loss", read="vision-language-loss")
def no_scale(*args):
    """온도가 없습니다. 코사인은 1을 넘지 못하므로 exp(log_scale)을 곱해야 소프트맥스가 뾰족해집니다."""
    return _clip(*args, scale=lambda s: 1 + 0 * s)


@wrong("clip_loss", read="vision-language-loss")
def the_sum_of_both(*args):
    """두 방향의 손실을 더하기만 했습니다. 2로 나누십시오."""
    return _clip(*args, loss=lambda z: 2 * _both_ways(z))


@wrong("clip_loss", read="vision-language-loss")
def summed_over_the_batch(*args):
    """배치에 걸쳐 더했습니다. 짝의 수로 나눈 평균이어야 배치의 크기가 달라도 비교할 수 있습니다."""
    return _clip(*args, loss=lambda z: len(z) * _both_ways(z))


@wrong("clip_loss", read="vision-language-loss")
def only_pulls(*args):
    """짝의 코사인만 키웠습니다. 짝이 아닌 것을 밀어내지 않으면 모든 벡터가 한곳에 모여도 손실이 가장 작습니다."""
    return _clip(*args, loss=lambda z: -z.diagonal().mean())


@wrong("clip_loss", read="vision-language-loss")
def all_pairs_in_one_softmax(*args):
    """n × n 전체에 소프트맥스를 취했습니다. 행마다 한 번, 열마다 한 번 취합니다."""
    return _clip(*args, loss=lambda z: z.flatten().logsumexp(0) - z.diagonal().mean())


@wrong("clip_loss", read="vision-language-loss")
def each_pair_alone(*args):
    """짝마다 따로 참과 거짓을 맞혔습니다(시그모이드). 그것은 SigLIP의 손실이고, 여기서는 소프트맥스입니다."""
    return _clip(*args, loss=lambda z: -F.logsigmoid((2 * torch.eye(len(z)).to(z) - 1) * z).sum() / len(z))


@wrong("clip_loss", read="vision-language-grading", slip=True)
def scale_without_limit(*args):
    """곱하는 수가 100을 넘었습니다. 100에서 멈출 것은 log_scale이 아니라 exp를 취한 수입니다."""
    return _clip(*args, scale=lambda s: s.exp())


@wrong("clip_loss", read="vision-language-grading", slip=True)
def more_captions_than_pictures(image, text, log_scale):
    """짝의 수가 다른데도 계산했습니다. ValueError를 내십시오."""
    n = min(len(image), len(text))
    return _clip(image[:n], text[:n], log_scale)


@wrong("clip_loss", read="vision-language-grading", slip=True)
def scale_without_gradient(*args):
    """온도의 기울기를 끊었습니다(detach, item). 온도도 배웁니다."""
    return _clip(*args, scale=lambda s: _scale(s).detach())


# zero_shot ----------------------------------------------------------------------------------------------------


@right_answer("zero_shot")
def _cosines(image, prompts, *, unit=_unit, join=lambda x: _unit(x).mean(0), again=_unit):
    """The right scores, in parts that a mistake can replace."""
    return unit(image) @ again(torch.stack([join(x) for x in prompts])).T


@wrong("zero_shot", read="vision-language-zero-shot")
def long_prompts_weigh_more(*args):
    """프롬프트를 크기 1로 만들지 않고 평균했습니다. 그러면 긴 벡터가 평균을 정합니다."""
    return _cosines(*args, join=lambda x: x.mean(0))


@wrong("zero_shot", read="vision-language-zero-shot")
def the_mean_left_short(*args):
    """평균을 다시 크기 1로 만들지 않았습니다. 표현이 서로 다른 분류일수록 평균이 짧아져 손해를 봅니다."""
    return _cosines(*args, again=lambda x: x)


@wrong("zero_shot", read="vision-language-zero-shot")
def pictures_left_long(*args):
    """그림의 벡터를 크기 1로 만들지 않았습니다. 코사인이어야 합니다."""
    return _cosines(*args, unit=lambda x: x)


@wrong("zero_shot", read="vision-language-zero-shot")
def only_the_first_prompt(*args):
    """첫 프롬프트만 썼습니다. 분류의 프롬프트를 모두 평균하십시오."""
    return _cosines(*args, join=lambda x: x[0])


@wrong("zero_shot", read="vision-language-zero-shot")
def the_best_prompt(image, prompts):
    """가장 비슷한 프롬프트의 코사인을 골랐습니다. 프롬프트를 평균한 벡터 하나가 분류의 벡터입니다."""
    return torch.stack([(_unit(image) @ _unit(x).T).max(1).values for x in prompts], 1)


@wrong("zero_shot", read="vision-language-zero-shot")
def softmax_over_the_classes(*args):
    """분류에 걸쳐 소프트맥스를 취했습니다. 코사인을 그대로 돌려주십시오."""
    return _cosines(*args).softmax(-1)


@wrong("zero_shot", read="vision-language-zero-shot")
def classes_in_the_rows(*args):
    """행이 분류이고 열이 그림입니다. 행이 그림, 열이 분류여야 합니다."""
    return _cosines(*args).T


@wrong("zero_shot", read="vision-language-zero-shot")
def numbers_of_the_classes(*args):
    """가장 비슷한 분류의 번호를 돌려주었습니다. 코사인을 모두 돌려주십시오."""
    return _cosines(*args).argmax(-1)


@wrong("zero_shot", read="vision-language-zero-shot")
def as_many_prompts_each(image, prompts):
    """분류마다 프롬프트의 수가 같다고 보고 잘랐습니다. 수는 분류마다 다를 수 있습니다."""
    least = min(len(x) for x in prompts)
    return _cosines(image, [x[:least] for x in prompts])


@wrong("zero_shot", read="vision-language-grading", slip=True)
def cosines_in_float32(image, prompts):
    """float32로 바꾸어 계산했습니다. 자료형은 그림을 따릅니다."""
    return _cosines(image.float(), [x.float() for x in prompts])


# insert_picture -----------------------------------------------------------------------------------------------


@right_answer("insert_picture")
def _insert(
    ids,
    answer,
    embedding,
    patches,
    image_id,
    *,
    keep=slice(None),
    gap=0,
    label=lambda ids, a: ids.masked_fill(~a, -100),
    in_gap=-100,
):
    """The right input, in parts that a mistake can replace."""  # fmt: skip
    places = (ids == image_id).nonzero().flatten().tolist()
    if len(places) != 1:
        raise ValueError(f"{len(places)} placeholders of a picture")
    at = places[0]
    labels, patches = label(ids, answer), patches[keep]
    vectors = torch.cat([embedding[ids[:at]], patches, embedding[ids[at + 1 :]]])
    labels = torch.cat([labels[:at], labels.new_full((len(patches),), in_gap), labels[at + 1 :]])
    return vectors, labels


@wrong("insert_picture", read="vision-language-insert")
def one_vector_for_the_picture(ids, answer, embedding, patches, image_id):
    """패치를 평균한 벡터 하나를 끼웠습니다. 패치마다 한 자리를 차지합니다."""
    return _insert(ids, answer, embedding, patches.mean(0, keepdim=True), image_id)


@wrong("insert_picture", read="vision-language-insert")
def picture_in_front(ids, answer, embedding, patches, image_id):
    """그림을 맨 앞에 두었습니다. 자리의 번호가 있던 곳에 끼우십시오."""
    vectors, labels = _insert(ids, answer, embedding, patches, image_id)
    at = (ids == image_id).nonzero().item()
    order = [*range(at, at + len(patches)), *range(at), *range(at + len(patches), len(vectors))]
    return vectors[order], labels[order]


@wrong("insert_picture", read="vision-language-insert")
def picture_at_the_end(ids, answer, embedding, patches, image_id):
    """그림을 맨 뒤에 두었습니다. 그러면 대답이 그림을 보지 못합니다. 자리의 번호가 있던 곳에 끼우십시오."""
    vectors, labels = _insert(ids, answer, embedding, patches, image_id)
    at = (ids == image_id).nonzero().item()
    order = [*range(at), *range(at + len(patches), len(vectors)), *range(at, at + len(patches))]
    return vectors[order], labels[order]


@wrong("insert_picture", read="vision-language-insert")
def patches_from_the_last(ids, answer, embedding, patches, image_id):
    """패치의 차례가 거꾸로입니다. 받은 차례대로 끼우십시오."""
    return _insert(ids, answer, embedding, patches.flip(0), image_id)


@wrong("insert_picture", read="vision-language-insert")
def the_placeholder_stays(ids, answer, embedding, patches, image_id):
    """자리의 번호를 남기고 그 앞에 패치를 끼웠습니다. 그 자리는 빼십시오."""
    vectors, labels = _insert(ids, answer, embedding, torch.cat([patches, embedding[:1]]), image_id)
    return vectors, labels


@wrong("insert_picture", read="vision-language-insert")
def the_question_too(ids, answer, embedding, patches, image_id):
    """물음에도 정답을 두었습니다. 물음은 사람이 쓰는 것이니 −100을 두고, 대답만 남기십시오."""
    return _insert(ids, torch.ones_like(answer), embedding, patches, image_id)


@wrong("insert_picture", read="vision-language-insert")
def labels_shifted(ids, answer, embedding, patches, image_id):
    """정답을 한 칸 밀었습니다. 미는 일은 손실이 합니다. 두 번 밀면 다음다음 토큰을 맞히게 됩니다."""
    vectors, labels = _insert(ids, answer, embedding, patches, image_id)
    return vectors, torch.cat([labels[1:], labels.new_full((1,), -100)])


@wrong("insert_picture", read="vision-language-insert")
def zeros_for_no_answer(ids, answer, embedding, patches, image_id):
    """정답이 없는 자리에 0을 두었습니다. 0도 토큰의 번호이므로 손실이 그것을 맞히게 합니다. −100을 두십시오."""
    return _insert(ids, answer, embedding, patches, image_id, label=lambda ids, a: ids * a, in_gap=0)


@wrong("insert_picture", read="vision-language-insert")
def the_question_and_not_the_answer(ids, answer, embedding, patches, image_id):
    """참과 거짓이 뒤바뀌었습니다. answer가 참인 자리에 정답을 둡니다."""
    right = ids != image_id
    return _insert(ids, ~answer & right, embedding, patches, image_id)


@wrong("insert_picture", read="vision-language-insert")
def labels_of_the_old_places(ids, answer, embedding, patches, image_id):
    """정답의 길이가 글과 같습니다. 그림이 차지한 자리만큼 정답에도 −100을 끼우십시오."""
    vectors, _ = _insert(ids, answer, embedding, patches, image_id)
    return vectors, ids.masked_fill(~answer, -100)


@wrong("insert_picture", read="vision-language-insert")
def labels_first(*args):
    """돌려주는 차례가 뒤바뀌었습니다. (벡터, 정답)입니다."""
    return _insert(*args)[::-1]


@wrong("insert_picture", read="vision-language-grading", slip=True)
def looks_up_the_placeholder(ids, answer, embedding, patches, image_id):
    """자리의 번호까지 표에서 찾았습니다. 표에 없는 번호일 수 있습니다. 그 자리를 뺀 다음 찾으십시오."""
    embedding[ids]
    return _insert(ids, answer, embedding, patches, image_id)


@wrong("insert_picture", read="vision-language-grading", slip=True)
def any_number_of_placeholders(ids, answer, embedding, patches, image_id):
    """자리가 없거나 둘인 글을 받아들였습니다. 꼭 하나가 아니면 ValueError를 내십시오."""
    places = (ids == image_id).nonzero().flatten().tolist()
    if len(places) == 1:
        return _insert(ids, answer, embedding, patches, image_id)
    return embedding[ids.clamp(0)], ids.masked_fill(~answer, -100)


@wrong("insert_picture", read="vision-language-grading", slip=True)
def patches_without_gradient(ids, answer, embedding, patches, image_id):
    """패치의 기울기를 끊었습니다(detach). 그러면 투영이 배우지 못합니다."""
    return _insert(ids, answer, embedding, patches.detach(), image_id)


# prefix_mask --------------------------------------------------------------------------------------------------


@right_answer("prefix_mask")
def _mask(picture, *, own=lambda p: (p[:, None] == p) & (p > 0), past=lambda i: i[:, None] >= i):
    """The right mask, in parts that a mistake can replace."""
    return own(picture) | past(torch.arange(len(picture), device=picture.device))


@wrong("prefix_mask", read="vision-language-mask")
def causal_everywhere(picture):
    """그림에서도 앞만 보았습니다. 그림의 패치는 같은 그림의 뒤 패치도 봅니다."""
    return _mask(picture, own=lambda p: torch.zeros(len(p), len(p), dtype=torch.bool, device=p.device))


@wrong("prefix_mask", read="vision-language-mask")
def both_at_once(picture):
    """두 조건을 모두 지킬 때만 보았습니다(`&`). 앞이거나 같은 그림이면 봅니다(`|`)."""
    places = torch.arange(len(picture), device=picture.device)
    return (picture[:, None] == picture) & (picture > 0) & (places[:, None] >= places)


@wrong("prefix_mask", read="vision-language-mask")
def all_pictures_are_one(picture):
    """다른 그림의 뒤 패치까지 보았습니다. 번호가 같은 그림끼리만 봅니다."""
    return _mask(picture, own=lambda p: (p[:, None] > 0) & (p > 0))


@wrong("prefix_mask", read="vision-language-mask")
def text_sees_ahead_too(picture):
    """글이 뒤의 글을 보았습니다. 번호 0은 그림이 아니므로, 같은 번호라고 해서 서로 보지 않습니다."""
    return _mask(picture, own=lambda p: p[:, None] == p)


@wrong("prefix_mask", read="vision-language-mask")
def everybody_sees_pictures(picture):
    """글이 뒤에 나올 그림을 보았습니다. 글은 앞만 봅니다. 보는 쪽도 같은 그림의 패치여야 합니다."""
    return _mask(picture, own=lambda p: (p > 0).expand(len(p), len(p)))


@wrong("prefix_mask", read="vision-language-mask")
def pictures_see_everything(picture):
    """그림의 패치가 뒤의 글까지 보았습니다. 그러면 대답이 그림을 거쳐 새어 나옵니다. 같은 그림의 패치만 더 봅니다."""
    return _mask(picture, own=lambda p: (p[:, None] > 0).expand(len(p), len(p)))


@wrong("prefix_mask", read="vision-language-mask")
def only_the_future(picture):
    """자기와 뒤를 보았습니다. 글은 자기와 앞을 봅니다. 행이 보는 쪽입니다."""
    return _mask(picture, past=lambda i: i[:, None] <= i)


@wrong("prefix_mask", read="vision-language-mask")
def not_itself(picture):
    """글이 자기 자신을 보지 못합니다. 대각선도 참이어야 합니다."""
    return _mask(picture, past=lambda i: i[:, None] > i)


@wrong("prefix_mask", read="vision-language-mask")
def what_is_hidden(picture):
    """참과 거짓이 뒤바뀌었습니다. 보면 참입니다."""
    return ~_mask(picture)


@wrong("prefix_mask", read="vision-language-mask")
def only_their_own_picture(picture):
    """그림의 패치가 앞의 글을 보지 못합니다. 앞의 모든 자리는 누구나 봅니다."""
    return _mask(picture, past=lambda i: (i[:, None] >= i) & (picture[:, None] == 0))


@wrong("prefix_mask", read="vision-language-mask")
def up_to_the_last_patch(picture):
    """마지막 그림까지를 모두 서로 보게 했습니다. 그림 사이와 앞의 글은 앞만 봅니다."""
    patches = (picture > 0).nonzero().flatten().tolist()
    end = patches[-1] + 1 if patches else 0
    return _mask(picture, own=lambda p: (torch.arange(len(p), device=p.device) < end)[:, None] & (torch.arange(len(p), device=p.device) < end))  # fmt: skip


@wrong("prefix_mask", read="vision-language-mask")
def zeros_and_infinities(picture):
    """점수에 더할 0과 음의 무한대를 돌려주었습니다. 참·거짓을 돌려주십시오."""
    return torch.zeros(len(picture), len(picture)).to(picture.device).masked_fill(~_mask(picture), -torch.inf)


@wrong("prefix_mask", read="vision-language-mask")
def only_number_one(picture):
    """번호 1만 그림으로 보았습니다. 0보다 큰 번호는 모두 그림입니다."""
    return _mask(picture, own=lambda p: (p[:, None] == 1) & (p == 1))


# dino_loss ----------------------------------------------------------------------------------------------------


def _cross_entropies(target, log_guess):
    return -torch.einsum("tbk,sbk->ts", target, log_guess) / target.shape[1]


def _different(losses):
    return losses[~torch.eye(*losses.shape, dtype=torch.bool, device=losses.device)].mean()


def _target(teacher, center, temperature):
    return ((teacher - center) / temperature).softmax(-1)


def _guess(student, center, temperature):
    return (student / temperature).log_softmax(-1)


def _moved(center, teacher, momentum):
    return momentum * center + (1 - momentum) * teacher.mean((0, 1))


@right_answer("dino_loss")
def _dino(
    student,
    teacher,
    center,
    student_temperature=0.1,
    teacher_temperature=0.04,
    momentum=0.9,
    *,
    target=_target,
    guess=_guess,
    mean=_different,
    moved=_moved,
    cut=torch.Tensor.detach,
):
    """The right loss and centre, in parts that a mistake can replace."""  # fmt: skip
    if len(teacher) * (len(student) - 1) < 1:
        raise ValueError("no pair of different views")
    teacher, center = cut(teacher), center.detach()
    p, q = target(teacher, center, teacher_temperature), guess(student, center, student_temperature)
    return mean(_cross_entropies(p, q)), moved(center, teacher, momentum)


@wrong("dino_loss", read="vision-language-dino")
def center_forgotten(*args):
    """선생의 로짓에서 중심을 빼지 않았습니다. 빼지 않으면 모든 그림에 같은 답을 내는 쪽으로 무너집니다."""
    return _dino(*args, target=lambda z, c, t: (z / t).softmax(-1))


@wrong("dino_loss", read="vision-language-dino")
def center_added(*args):
    """중심을 빼지 않고 더했습니다. 자주 나오는 성분을 더 키우게 됩니다."""
    return _dino(*args, target=lambda z, c, t: ((z + c) / t).softmax(-1))


@wrong("dino_loss", read="vision-language-dino")
def center_after_the_temperature(*args):
    """온도로 나눈 다음 중심을 뺐습니다. 로짓에서 먼저 빼고 나눕니다."""
    return _dino(*args, target=lambda z, c, t: (z / t - c).softmax(-1))


@wrong("dino_loss", read="vision-language-dino")
def student_centred_too(*args):
    """학생에게서도 중심을 뺐습니다. 선생에게서만 뺍니다."""
    return _dino(*args, guess=lambda x, c, t: ((x - c) / t).log_softmax(-1))


@wrong("dino_loss", read="vision-language-dino")
def temperatures_swapped(
    student, teacher, center, student_temperature=0.1, teacher_temperature=0.04, momentum=0.9
):
    """두 온도가 뒤바뀌었습니다. 선생의 온도가 선생의 것을 나눕니다."""
    return _dino(student, teacher, center, teacher_temperature, student_temperature, momentum)


@wrong("dino_loss", read="vision-language-dino")
def one_temperature(
    student, teacher, center, student_temperature=0.1, teacher_temperature=0.04, momentum=0.9
):
    """선생에게도 학생의 온도를 썼습니다. 선생의 온도가 더 낮아야 정답이 뾰족합니다."""
    return _dino(student, teacher, center, student_temperature, student_temperature, momentum)


@wrong("dino_loss", read="vision-language-dino")
def multiplies_by_the_temperature(*args):
    """온도를 곱했습니다. 나누십시오. 온도가 낮을수록 뾰족해야 합니다."""
    return _dino(*args, target=lambda z, c, t: ((z - c) * t).softmax(-1), guess=lambda x, c, t: (x * t).log_softmax(-1))  # fmt: skip


@wrong("dino_loss", read="vision-language-dino")
def same_views_too(*args):
    """같은 보기끼리의 쌍까지 셌습니다. 같은 보기를 맞히는 것은 배울 것이 적으니 뺍니다."""
    return _dino(*args, mean=torch.mean)


@wrong("dino_loss", read="vision-language-dino")
def same_views_as_zeros(*args):
    """같은 보기의 쌍을 0으로 두고 모든 쌍의 수로 나누었습니다. 남은 쌍의 수로 나누십시오."""
    return _dino(*args, mean=lambda x: (x * ~torch.eye(*x.shape, dtype=torch.bool, device=x.device)).mean())


@wrong("dino_loss", read="vision-language-dino")
def only_same_views(*args):
    """같은 보기끼리만 맞혔습니다. 서로 다른 보기의 쌍을 씁니다."""
    return _dino(*args, mean=lambda x: x.diagonal().mean())


@wrong("dino_loss", read="vision-language-dino")
def pairs_added_up(*args):
    """쌍에 걸쳐 더했습니다. 쌍의 수로 나누십시오."""
    return _dino(*args, mean=lambda x: x[~torch.eye(*x.shape, dtype=torch.bool, device=x.device)].sum())


@wrong("dino_loss", read="vision-language-dino")
def pictures_added_up(*args):
    """배치에 걸쳐 더했습니다. 그림의 수로도 나누십시오."""
    loss, center = _dino(*args)
    return loss * args[0].shape[1], center


@wrong("dino_loss", read="vision-language-dino")
def squared_differences(
    student, teacher, center, student_temperature=0.1, teacher_temperature=0.04, momentum=0.9
):
    """확률의 차이를 제곱했습니다. 교차 엔트로피를 씁니다."""
    _, moved = _dino(student, teacher, center, student_temperature, teacher_temperature, momentum)
    p = _target(teacher.detach(), center.detach(), teacher_temperature)
    q = (student / student_temperature).softmax(-1)
    return _different((p[:, None] - q).pow(2).sum(-1).mean(-1)), moved


@wrong("dino_loss", read="vision-language-dino")
def teacher_guesses_the_student(student, teacher, center, student_temperature=0.1, teacher_temperature=0.04, momentum=0.9):  # fmt: skip
    """교차 엔트로피의 두 분포가 뒤바뀌었습니다. 로그는 학생의 것에 취합니다."""
    _, moved = _dino(student, teacher, center, student_temperature, teacher_temperature, momentum)
    p = ((teacher.detach() - center.detach()) / teacher_temperature).log_softmax(-1)
    q = (student / student_temperature).softmax(-1)
    return _different(_cross_entropies(p, q)), moved


@wrong("dino_loss", read="vision-language-dino")
def momenta_swapped(*args):
    """관성이 뒤바뀌었습니다. m은 옛 중심에, 1 − m은 새 평균에 곱합니다."""
    return _dino(*args, moved=lambda c, z, m: (1 - m) * c + m * z.mean((0, 1)))


@wrong("dino_loss", read="vision-language-dino")
def center_of_this_batch(*args):
    """중심이 이번 배치의 평균입니다. 옛 중심에 m을 곱해 더하십시오."""
    return _dino(*args, moved=lambda c, z, m: z.mean((0, 1)))


@wrong("dino_loss", read="vision-language-dino")
def center_of_the_first_view(*args):
    """첫 보기의 로짓만 평균했습니다. 선생의 모든 보기에 걸쳐 평균하십시오."""
    return _dino(*args, moved=lambda c, z, m: _moved(c, z[:1], m))


@wrong("dino_loss", read="vision-language-dino")
def center_of_the_student(student, *args):
    """학생의 로짓을 평균했습니다. 중심은 선생의 로짓에서 구합니다."""
    return _dino(student, *args, moved=lambda c, z, m: _moved(c, student.detach(), m))


@wrong("dino_loss", read="vision-language-dino")
def center_of_the_targets(
    student, teacher, center, student_temperature=0.1, teacher_temperature=0.04, momentum=0.9
):
    """소프트맥스를 취한 것을 평균했습니다. 로짓을 평균하십시오."""
    target = _target(teacher.detach(), center.detach(), teacher_temperature)
    return _dino(student, teacher, center, student_temperature, teacher_temperature, momentum, moved=lambda c, z, m: _moved(c, target, m))  # fmt: skip


@wrong("dino_loss", read="vision-language-dino")
def the_new_center_in_the_loss(student, teacher, center, student_temperature=0.1, teacher_temperature=0.04, momentum=0.9):  # fmt: skip
    """손실에 새 중심을 썼습니다. 받은 중심을 쓰고, 새 중심은 다음 걸음의 것입니다."""
    new = _moved(center.detach(), teacher.detach(), momentum)
    return _dino(student, teacher, center, student_temperature, teacher_temperature, momentum, target=lambda z, c, t: _target(z, new, t))  # fmt: skip


@wrong("dino_loss", read="vision-language-dino")
def only_the_loss(*args):
    """손실만 돌려주었습니다. 손실과 새 중심을 차례로 돌려주십시오."""
    return _dino(*args)[0]


@wrong("dino_loss", read="vision-language-dino")
def teacher_temperature_for_both(
    student, teacher, center, student_temperature=0.1, teacher_temperature=0.04, momentum=0.9
):
    """학생의 로짓도 선생의 온도로 나누었습니다. 학생의 온도가 따로 있습니다. 선생의 것이 더 낮아서 정답이 더 뾰족합니다."""
    return _dino(student, teacher, center, teacher_temperature, teacher_temperature, momentum)


@wrong("dino_loss", read="vision-language-grading", slip=True)
def center_changed_in_place(student, teacher, center, *options):
    """받은 중심을 제자리에서 바꾸었습니다(`mul_`, `+=`). 새 중심을 새 텐서로 만들어 돌려주십시오."""
    loss, new = _dino(student, teacher, center, *options)
    return loss, center.copy_(new)


@wrong("dino_loss", read="vision-language-grading", slip=True)
def teacher_learns_too(*args):
    """선생으로 기울기가 흘렀습니다. 선생은 학생의 평균으로만 움직입니다. detach로 끊으십시오."""
    return _dino(*args, cut=lambda x: x)


@wrong("dino_loss", read="vision-language-grading", slip=True)
def logarithm_of_the_softmax(*args):
    """소프트맥스를 구한 다음 로그를 취했습니다. 확률이 0으로 반올림되면 로그가 음의 무한대입니다. log_softmax를 쓰십시오."""
    return _dino(*args, guess=lambda x, c, t: (x / t).softmax(-1).log())


@wrong("dino_loss", read="vision-language-grading", slip=True)
def no_pairs_accepted(student, teacher, *args):
    """쌍이 하나도 없는데 받아들였습니다. 빈 평균은 NaN입니다. ValueError를 내십시오."""
    if len(student) * len(teacher) == 1:
        return student.sum() * torch.nan, args[0]
    return _dino(student, teacher, *args)
