"""Wrong answers that people give to the exercise `bert_pretraining`."""

import random

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# mask_tokens --------------------------------------------------------------------------------------------------


def _mask(
    ids,
    special,
    vocab_size,
    mask_id,
    generator,
    *,
    choose=None,
    among=None,
    limits=(0.8, 0.9),
    words=None,
    labels=None,
):
    """The right answer with its parts exchangeable."""

    def uniform():
        return torch.rand(ids.shape, generator=generator)

    special = special.bool()
    chosen = uniform() < 0.15 if choose is None else choose(uniform, generator)
    chosen = chosen & ~special if among is None else among(chosen)
    fate = uniform()
    mask, other = fate < limits[0], fate >= limits[1]
    found = torch.randint(vocab_size, ids.shape, generator=generator) if words is None else words(generator)
    inputs = torch.where(chosen & other, found, ids.masked_fill(chosen & mask, mask_id))
    answers = ids.masked_fill(~chosen, -100)
    return inputs, answers if labels is None else labels(chosen, mask, inputs, answers)


@wrong("mask_tokens", read="mlm-choose")
def chooses_special_tokens(ids, special_mask, vocab_size, mask_id, generator=None):
    """특수 토큰까지 뽑았습니다. special_mask가 True인 자리는 뽑지 않습니다."""
    return _mask(ids, special_mask, vocab_size, mask_id, generator, among=lambda chosen: chosen)


@wrong("mask_tokens", read="mlm-choose")
def only_special_tokens(ids, special_mask, vocab_size, mask_id, generator=None):
    """special_mask의 극성이 반대입니다. True가 특수 토큰이고, 뽑지 않을 자리입니다."""
    keep = special_mask.bool()
    return _mask(ids, special_mask, vocab_size, mask_id, generator, among=lambda chosen: chosen & keep)


@wrong("mask_tokens", read="mlm-choose")
def chooses_the_rest(ids, special_mask, vocab_size, mask_id, generator=None):
    """85%를 뽑았습니다. 0과 1 사이의 난수가 0.15보다 작은 것이 15%입니다."""

    def choose(uniform, _):
        return uniform() > 0.15

    return _mask(ids, special_mask, vocab_size, mask_id, generator, choose=choose)


@wrong("mask_tokens", read="mlm-own-coin", slip=True)
def a_fixed_number(ids, special_mask, vocab_size, mask_id, generator=None):
    """줄마다 정해진 수를 뽑았습니다. 토큰마다 자기 동전을 던지면 뽑히는 수가 줄마다 다릅니다."""

    def choose(uniform, _):
        order = uniform().masked_fill(special_mask.bool(), 2.0).argsort(dim=1).argsort(dim=1)
        return order < (0.15 * (~special_mask.bool()).sum(dim=1, keepdim=True)).round()

    return _mask(ids, special_mask, vocab_size, mask_id, generator, choose=choose)


@wrong("mask_tokens", read="mlm-own-coin", slip=True)
def one_row_of_coins(ids, special_mask, vocab_size, mask_id, generator=None):
    """여러 토큰이 동전 하나를 나누어 썼습니다. 토큰마다 따로 던지므로 난수의 모양은 ids와 같은 (B, L)입니다."""

    def choose(_, generator):
        return (torch.rand(ids.shape[1:], generator=generator) < 0.15).expand(ids.shape)

    return _mask(ids, special_mask, vocab_size, mask_id, generator, choose=choose)


@wrong("mask_tokens", read="mlm-fates")
def always_mask(ids, special_mask, vocab_size, mask_id, generator=None):
    """뽑힌 토큰을 모두 [MASK]로 바꾸었습니다. 10%는 무작위 토큰, 10%는 그대로입니다."""
    return _mask(ids, special_mask, vocab_size, mask_id, generator, limits=(2.0, 2.0))


@wrong("mask_tokens", read="mlm-fates")
def never_unchanged(ids, special_mask, vocab_size, mask_id, generator=None):
    """[MASK]가 되지 않은 것을 모두 무작위 토큰으로 바꾸었습니다. 그 가운데 절반은 그대로 둡니다."""
    return _mask(ids, special_mask, vocab_size, mask_id, generator, limits=(0.8, 0.8))


@wrong("mask_tokens", read="mlm-fates")
def never_random(ids, special_mask, vocab_size, mask_id, generator=None):
    """[MASK]가 되지 않은 것을 모두 그대로 두었습니다. 그 가운데 절반은 무작위 토큰이 됩니다."""
    return _mask(ids, special_mask, vocab_size, mask_id, generator, limits=(0.8, 2.0))


@wrong("mask_tokens", read="mlm-fates")
def a_tenth_of_the_rest(ids, special_mask, vocab_size, mask_id, generator=None):
    """[MASK]가 되지 않은 20%의 10%만 무작위로 바꾸었습니다. 전체의 10%가 되려면 남은 것의 절반이어야 합니다."""
    return _mask(ids, special_mask, vocab_size, mask_id, generator, limits=(0.8, 0.98))


@wrong("mask_tokens", read="mlm-fates")
def masks_the_unchosen(ids, special_mask, vocab_size, mask_id, generator=None):
    """80%나 10%의 동전이 뽑히지 않은 토큰까지 바꾸었습니다. 뽑힌 토큰 가운데에서만 바꾸십시오."""
    keep = ~special_mask.bool()
    chosen = (torch.rand(ids.shape, generator=generator) < 0.15) & keep
    fate = torch.rand(ids.shape, generator=generator)
    words = torch.randint(vocab_size, ids.shape, generator=generator)
    inputs = ids.masked_fill(keep & (fate < 0.8), mask_id)
    return torch.where(keep & (fate >= 0.9), words, inputs), ids.masked_fill(~chosen, -100)


@wrong("mask_tokens", read="mlm-labels")
def labels_after_masking(ids, special_mask, vocab_size, mask_id, generator=None):
    """라벨이 바꾼 다음의 토큰입니다. 라벨은 원래 토큰이어야 합니다. 바꾸기 전에 베껴 두십시오."""

    def labels(chosen, mask, inputs, answers):
        return inputs.masked_fill(~chosen, -100)

    return _mask(ids, special_mask, vocab_size, mask_id, generator, labels=labels)


@wrong("mask_tokens", read="mlm-labels")
def zero_elsewhere(ids, special_mask, vocab_size, mask_id, generator=None):
    """뽑히지 않은 자리의 라벨이 -100이 아닙니다. 0은 토큰의 번호라 손실에 들어가고, 건너뛰는 번호는 -100뿐입니다."""

    def labels(chosen, mask, inputs, answers):
        return answers.masked_fill(~chosen, 0)

    return _mask(ids, special_mask, vocab_size, mask_id, generator, labels=labels)


@wrong("mask_tokens", read="mlm-labels")
def labels_everywhere(ids, special_mask, vocab_size, mask_id, generator=None):
    """모든 토큰에 라벨을 주었습니다. 보이는 토큰을 베끼는 것은 문제가 되지 않습니다. 뽑힌 자리에만 라벨을 두십시오."""

    def labels(chosen, mask, inputs, answers):
        return ids.clone()

    return _mask(ids, special_mask, vocab_size, mask_id, generator, labels=labels)


@wrong("mask_tokens", read="mlm-labels")
def labels_only_masks(ids, special_mask, vocab_size, mask_id, generator=None):
    """[MASK]가 된 자리에만 라벨을 두었습니다. 무작위로 바꾼 것도, 그대로 둔 것도 맞혀야 합니다."""

    def labels(chosen, mask, inputs, answers):
        return answers.masked_fill(~mask, -100)

    return _mask(ids, special_mask, vocab_size, mask_id, generator, labels=labels)


@wrong("mask_tokens", read="mlm-labels")
def labels_only_changes(ids, special_mask, vocab_size, mask_id, generator=None):
    """그대로 둔 자리에 라벨이 없습니다. 그대로 두는 이유는 맞히게 하는 데 있습니다."""

    def labels(chosen, mask, inputs, answers):
        return answers.masked_fill(inputs == ids, -100)

    return _mask(ids, special_mask, vocab_size, mask_id, generator, labels=labels)


@wrong("mask_tokens", read="mlm-random-words", slip=True)
def one_random_word(ids, special_mask, vocab_size, mask_id, generator=None):
    """무작위 토큰 하나를 여러 자리에 썼습니다. 자리마다 따로 뽑으므로 난수의 모양은 ids와 같은 (B, L)입니다."""

    def words(generator):
        return torch.randint(vocab_size, (1,), generator=generator).expand(ids.shape)

    return _mask(ids, special_mask, vocab_size, mask_id, generator, words=words)


@wrong("mask_tokens", read="mlm-random-words", slip=True)
def never_the_last_word(ids, special_mask, vocab_size, mask_id, generator=None):
    """어휘의 마지막 토큰이 나오지 않습니다. torch.randint의 위 끝은 들어가지 않으므로 vocab_size를 그대로 넣습니다."""

    def words(generator):
        return torch.randint(vocab_size - 1, ids.shape, generator=generator)

    return _mask(ids, special_mask, vocab_size, mask_id, generator, words=words)


@wrong("mask_tokens", read="mlm-random-words", slip=True)
def words_of_the_batch(ids, special_mask, vocab_size, mask_id, generator=None):
    """무작위 토큰을 그 배치에 있는 토큰 가운데에서 뽑았습니다. 어휘 전체에서 뽑으십시오."""

    def words(generator):
        real = ids[~special_mask.bool()]
        return real[torch.randint(len(real), ids.shape, generator=generator)]

    return _mask(ids, special_mask, vocab_size, mask_id, generator, words=words)


@wrong("mask_tokens", read="mlm-generator")
def changes_the_ids(ids, special_mask, vocab_size, mask_id, generator=None):
    """받은 ids를 그 자리에서 바꾸었습니다. 다음에 다시 가리려면 원래 글이 남아 있어야 합니다. 새 텐서를 만드십시오."""
    inputs, labels = _mask(ids, special_mask, vocab_size, mask_id, generator)
    return ids.copy_(inputs), labels


@wrong("mask_tokens", read="mlm-generator", slip=True)
def ignores_the_generator(ids, special_mask, vocab_size, mask_id, generator=None):
    """받은 generator를 쓰지 않은 난수가 있습니다. torch.rand와 torch.randint에 모두 generator=generator를 넘기십시오."""
    return _mask(ids, special_mask, vocab_size, mask_id, None)


@wrong("mask_tokens", read="mlm-own-coin", slip=True)
def exactly_fifteen_percent(ids, special_mask, vocab_size, mask_id, generator=None):
    """언제나 꼭 15%를 뽑았습니다. 15%는 몫이 아니라 토큰마다의 확률입니다. 뽑히는 수는 부를 때마다 조금씩 다릅니다."""

    def choose(uniform, generator):
        places = (~special_mask.bool()).flatten().nonzero().flatten()
        some = places[torch.randperm(len(places), generator=generator)[: round(0.15 * len(places))]]
        chosen = torch.zeros(ids.numel(), dtype=torch.bool)
        chosen[some] = True
        return chosen.view(ids.shape)

    return _mask(ids, special_mask, vocab_size, mask_id, generator, choose=choose)


@wrong("mask_tokens", read="mlm-fates", slip=True)
def exact_shares_of_the_chosen(ids, special_mask, vocab_size, mask_id, generator=None):
    """뽑힌 토큰을 꼭 80, 10, 10으로 나누었습니다. 뽑힌 토큰마다 따로 던지는 동전의 확률이지 몫이 아닙니다."""
    chosen = (torch.rand(ids.shape, generator=generator) < 0.15) & ~special_mask.bool()
    places = chosen.flatten().nonzero().flatten()
    places = places[torch.randperm(len(places), generator=generator)]
    masks, words = round(0.8 * len(places)), round(0.1 * len(places))
    inputs = ids.clone().flatten()
    inputs[places[:masks]] = mask_id
    drawn = torch.randint(vocab_size, (words,), generator=generator)
    inputs[places[masks : masks + words]] = drawn
    return inputs.view(ids.shape), ids.masked_fill(~chosen, -100)


@wrong("mask_tokens", read="mlm-fates")
def one_fate_for_all(ids, special_mask, vocab_size, mask_id, generator=None):
    """한 번 뽑은 난수로 뽑힌 토큰 모두의 운명을 정했습니다. 80, 10, 10은 토큰마다 따로 던집니다."""
    fate = torch.rand((), generator=generator).item()
    limits = (2.0, 2.0) if fate < 0.8 else (0.0, 0.0) if fate < 0.9 else (0.0, 2.0)
    return _mask(ids, special_mask, vocab_size, mask_id, generator, limits=limits)


@wrong("mask_tokens", read="mlm-fates")
def shares_of_all_tokens(ids, special_mask, vocab_size, mask_id, generator=None):
    """12%와 1.5%는 전체 가운데의 비율입니다. 뽑힌 토큰 가운데에서는 80%, 10%, 10%입니다."""
    return _mask(ids, special_mask, vocab_size, mask_id, generator, limits=(0.12, 1 - 0.015))


@wrong("mask_tokens", read="mlm-fates")
def fates_overlap(ids, special_mask, vocab_size, mask_id, generator=None):
    """[MASK]로 바꾼 자리를 무작위 토큰으로 다시 덮었습니다. 무작위 토큰은 [MASK]가 되지 않은 것 가운데에서만 고릅니다."""
    inputs, labels = _mask(ids, special_mask, vocab_size, mask_id, generator, limits=(0.8, 2.0))
    again = (labels != -100) & (torch.rand(ids.shape, generator=generator) < 0.5)
    words = torch.randint(vocab_size, ids.shape, generator=generator)
    return torch.where(again, words, inputs), labels


@wrong("mask_tokens", read="mlm-random-words", slip=True)
def never_the_first_word(ids, special_mask, vocab_size, mask_id, generator=None):
    """무작위 토큰에서 앞의 번호를 뺐습니다. 0번과 특수 토큰까지 어휘 전체에서 고르게 뽑으십시오."""

    def words(generator):
        return torch.randint(1, vocab_size, ids.shape, generator=generator)

    return _mask(ids, special_mask, vocab_size, mask_id, generator, words=words)


@wrong("mask_tokens", read="mlm-choose", slip=True)
def reads_numbers_as_an_index(ids, special_mask, vocab_size, mask_id, generator=None):
    """special_mask가 0과 1의 정수이면 틀립니다. 정수의 ~는 비트를 뒤집고, 정수로 색인하면 줄의 번호로 읽힙니다. 먼저 bool로 바꾸십시오."""

    def among(chosen):
        chosen[special_mask] = False
        return chosen

    return _mask(ids, special_mask, vocab_size, mask_id, generator, among=among)


# make_nsp_pairs -----------------------------------------------------------------------------------------------


@right_answer("make_nsp_pairs")
def _pairs(documents, generator, *, following=None, other=None, coin=None, step=1):
    """The right answer with its parts exchangeable."""

    def draw(count):
        return int(torch.randint(count, (), generator=generator))

    def elsewhere(number, position):
        others = [document for i, document in enumerate(documents) if i != number and document]
        if not others:
            raise ValueError
        chosen = others[draw(len(others))]
        return chosen[draw(len(chosen))]

    pairs = []
    for number, document in enumerate(documents):
        for position in range(0, len(document) - 1, step):
            a = document[position]
            if coin() if coin else draw(2) == 0:
                pairs.append((a, document[position + 1], 0))
            else:
                pairs.append((a, (other or elsewhere)(number, position, *([draw] if other else [])), 1))
    return pairs


@wrong("make_nsp_pairs", read="nsp-labels")
def labels_turned(documents, generator=None):
    """라벨이 반대입니다. 0이 이어지는 짝, 1이 무작위 짝입니다."""
    return [(a, b, 1 - label) for a, b, label in _pairs(documents, generator)]


@wrong("make_nsp_pairs", read="nsp-other-document")
def from_the_same_document(documents, generator=None):
    """무작위 문장을 같은 문서에서 뽑았습니다. 다른 문서에서 뽑아야 이어지지 않는 짝이 됩니다."""

    def other(number, position, draw):
        return documents[number][draw(len(documents[number]))]

    return _pairs(documents, generator, other=other)


@wrong("make_nsp_pairs", read="nsp-other-document")
def from_any_document(documents, generator=None):
    """무작위 문장을 모든 문서에서 뽑았습니다. 같은 문서가 섞여, 이어지는 문장이 라벨 1을 받기도 합니다."""
    everything = [sentence for document in documents for sentence in document]

    def other(number, position, draw):
        return everything[draw(len(everything))]

    return _pairs(documents, generator, other=other)


@wrong("make_nsp_pairs", read="nsp-other-document")
def from_the_next_document(documents, generator=None):
    """무작위 문장을 언제나 한 문서에서 뽑았습니다. 바로 앞이나 다음 문서만이 아니라 다른 모든 문서에서 뽑을 수 있어야 합니다."""

    def other(number, position, draw):
        document = documents[(number + 1) % len(documents)]
        return document[draw(len(document))]

    return _pairs(documents, generator, other=other)


@wrong("make_nsp_pairs", read="nsp-pairs")
def across_documents(documents, generator=None):
    """문서의 마지막 문장을 다음 문서의 첫 문장과 이었습니다. 문서가 바뀌면 이어지지 않습니다."""
    pairs, last = [], None
    for document in documents:
        if last is not None and document:
            pairs.append((last, document[0], 0))
        last = document[-1] if document else last
    return _pairs(documents, generator) + pairs


@wrong("make_nsp_pairs", read="nsp-pairs")
def every_second_sentence(documents, generator=None):
    """문장을 둘씩 묶어, 두 문장마다 짝을 하나만 만들었습니다. 다음 문장이 있는 문장마다 하나씩입니다."""
    return _pairs(documents, generator, step=2)


@wrong("make_nsp_pairs", read="nsp-labels")
def always_next(documents, generator=None):
    """라벨 1인 짝이 없습니다. 답이 언제나 같으면 배울 것이 없습니다."""
    return _pairs(documents, generator, coin=lambda: True)


@wrong("make_nsp_pairs", read="nsp-labels")
def always_random(documents, generator=None):
    """이어지는 짝이 하나도 없습니다. 절반은 진짜 다음 문장이어야 합니다."""
    return _pairs(documents, generator, coin=lambda: False)


@wrong("make_nsp_pairs", read="nsp-pairs")
def both_for_every_sentence(documents, generator=None):
    """문장마다 짝을 둘씩 만들었습니다. 동전을 던져 둘 가운데 하나만 만드십시오."""
    real = _pairs(documents, generator, coin=lambda: True)
    wrong = _pairs(documents, generator, coin=lambda: False)
    return [pair for two in zip(real, wrong, strict=True) for pair in two]


@wrong("make_nsp_pairs", read="nsp-pairs")
def replaces_the_first(documents, generator=None):
    """앞 문장을 무작위로 바꾸었습니다. 바꾸는 것은 뒤의 문장입니다."""
    return [(b, a, 1) if label else (a, b, 0) for a, b, label in _pairs(documents, generator)]


@wrong("make_nsp_pairs", read="nsp-generator", slip=True)
def pairs_without_the_generator(documents, generator=None):
    """generator를 쓰지 않았습니다. random 모듈 대신 torch.randint에 generator를 넘기십시오."""
    return _pairs(documents, None, coin=lambda: random.random() < 0.5)


@wrong("make_nsp_pairs", read="nsp-generator")
def changes_the_documents(documents, generator=None):
    """documents를 섞거나 줄였습니다. 다시 쓸 글이므로 그대로 두십시오."""
    pairs = _pairs(documents, generator)
    for document in documents:
        document.clear()
    return pairs


@wrong("make_nsp_pairs", read="nsp-other-document", slip=True)
def first_sentence_of_another(documents, generator):
    """다른 문서의 첫 문장만 뽑았습니다. 그 문서의 모든 문장이 나올 수 있어야 합니다."""

    def other(number, position, draw):
        others = [document for i, document in enumerate(documents) if i != number and document]
        if not others:
            raise ValueError
        return others[draw(len(others))][0]

    return _pairs(documents, generator, other=other)


@wrong("make_nsp_pairs", read="nsp-pairs")
def the_last_sentence_too(documents, generator=None):
    """문서의 마지막 문장에도 짝을 만들었습니다. 다음 문장이 없는 문장에는 짝이 없습니다."""
    pairs = _pairs(documents, generator)
    for number, document in enumerate(documents):
        elsewhere = documents[number - 1]
        pairs += [(document[-1], elsewhere[0], 1)] if document and elsewhere else []
    return pairs


@wrong("make_nsp_pairs", read="nsp-labels")
def shares_a_coin(documents, generator=None):
    """여러 짝이 동전 하나를 나누어 쓰거나 라벨이 정해져 있습니다. 짝마다 generator로 동전을 새로 던지십시오."""
    sides = [int(torch.randint(2, (), generator=generator)) for _ in documents]
    coins = iter([side == 0 for side, document in zip(sides, documents, strict=True) for _ in document[1:]])
    return _pairs(documents, generator, coin=lambda: next(coins))


def _pairs_from(documents, generator, sentences_of):
    """The right answer, but for what it draws from: `sentences_of(number)` for a document's pairs."""

    def other(number, position, draw):
        sentences = sentences_of(number)
        return sentences[draw(len(sentences))]

    return _pairs(documents, generator, other=other)


@wrong("make_nsp_pairs", read="nsp-other-document", slip=True)
def never_from_a_single_sentence(documents, generator=None):
    """문장이 하나뿐인 문서에서는 뽑지 않았습니다. 짝은 만들지 못해도 b를 뽑는 데에는 쓰입니다."""

    def sentences_of(number):
        return [s for i, other in enumerate(documents) if i != number and len(other) > 1 for s in other]

    return _pairs_from(documents, generator, sentences_of)


@wrong("make_nsp_pairs", read="nsp-other-document", slip=True)
def from_an_empty_document(documents, generator=None):
    """빈 문서가 있으면 오류가 납니다. 뽑을 문서를 고르기 전에 빈 문서를 빼십시오."""

    def other(number, position, draw):
        others = documents[:number] + documents[number + 1 :]
        if not others:
            raise ValueError
        chosen = others[draw(len(others))]
        return chosen[draw(len(chosen))]

    return _pairs(documents, generator, other=other)


@wrong("make_nsp_pairs", read="nsp-other-document", slip=True)
def told_by_their_text(documents, generator=None):
    """다른 문서인지를 글로 비교했습니다. 글이 같아도 다른 문서입니다. 문서의 번호로 비교하십시오."""

    def sentences_of(number):
        return [s for other in documents if other != documents[number] for s in other]

    return _pairs_from(documents, generator, sentences_of)


@wrong("make_nsp_pairs", read="nsp-other-document", slip=True)
def stuck_without_another(documents, generator=None):
    """뽑을 다른 문서가 없을 때를 살피지 않았습니다. 라벨 1인 짝이나 다른 오류, 빠진 짝 대신 ValueError를 냅니다."""
    try:
        return _pairs(documents, generator)
    except ValueError:
        raise IndexError from None


# MLMHead ------------------------------------------------------------------------------------------------------


@right_answer("MLMHead")
class _Head(nn.Module):
    """The right head, its steps laid open."""

    def __init__(self, config, embedding):
        super().__init__()
        size = config.hidden_size
        norm = nn.LayerNorm(size, eps=self.eps(config))
        self.transform = nn.ModuleDict({"dense": nn.Linear(size, size), "LayerNorm": norm})
        self.decoder = nn.Linear(size, config.vocab_size)
        self.tie(embedding)
        self.decoder.bias.data.zero_()
        self.bias = self.decoder.bias

    def eps(self, config):
        return config.layer_norm_eps

    def tie(self, embedding):
        self.decoder.weight = embedding.weight

    def transformed(self, hidden):
        return self.transform["LayerNorm"](F.gelu(self.transform["dense"](hidden)))

    def logits(self, hidden):
        return self.decoder(hidden)

    def forward(self, hidden):
        return self.logits(self.transformed(hidden))


@wrong("MLMHead", read="mlm-tied")
class OwnTable(_Head):
    """decoder의 가중치가 embedding과 따로입니다. 새로 만들거나 값을 베끼지 말고 embedding.weight를 그대로 쓰십시오."""

    def tie(self, embedding):
        pass


@wrong("MLMHead", read="mlm-tied", slip=True)
class OverwritesTheEmbedding(_Head):
    """헤드를 만들면서 embedding의 값을 바꾸었습니다. decoder가 embedding의 파라미터를 받기만 해야 합니다."""

    def tie(self, embedding):
        embedding.weight.data.copy_(self.decoder.weight.data)
        super().tie(embedding)


@wrong("MLMHead", read="mlm-head", slip=True)
class DropsOut(_Head):
    """헤드에 드롭아웃을 넣었습니다. 식에는 dense, GELU, LayerNorm, decoder뿐입니다."""

    def transformed(self, hidden):
        return F.dropout(super().transformed(hidden), 0.1, self.training)


@wrong("MLMHead", read="mlm-head")
class NoGelu(_Head):
    """dense와 LayerNorm의 사이에 GELU가 없습니다."""

    def transformed(self, hidden):
        return self.transform["LayerNorm"](self.transform["dense"](hidden))


@wrong("MLMHead", read="mlm-head")
class ReluHead(_Head):
    """GELU 대신 ReLU를 썼습니다."""

    def transformed(self, hidden):
        return self.transform["LayerNorm"](self.transform["dense"](hidden).relu())


@wrong("MLMHead", read="mlm-head")
class TanhHead(_Head):
    """GELU 대신 tanh를 썼습니다. tanh는 풀러의 것입니다."""

    def transformed(self, hidden):
        return self.transform["LayerNorm"](self.transform["dense"](hidden).tanh())


@wrong("MLMHead", read="mlm-head")
class NormBeforeGelu(_Head):
    """LayerNorm을 GELU 앞에 두었습니다. dense, GELU, LayerNorm의 차례입니다."""

    def transformed(self, hidden):
        return F.gelu(self.transform["LayerNorm"](self.transform["dense"](hidden)))


@wrong("MLMHead", read="mlm-head")
class HeadWithoutNorm(_Head):
    """LayerNorm을 만들고 쓰지 않았습니다."""

    def transformed(self, hidden):
        return F.gelu(self.transform["dense"](hidden))


@wrong("MLMHead", read="mlm-head")
class NoTransform(_Head):
    """transform을 건너뛰고 은닉 상태를 곧바로 임베딩과 곱했습니다."""

    def transformed(self, hidden):
        return hidden


@wrong("MLMHead", read="mlm-head")
class DefaultEps(_Head):
    """층 정규화의 eps가 config의 것이 아닙니다. PyTorch의 기본값은 1e-5입니다."""

    def eps(self, config):
        return 1e-5


@wrong("MLMHead", read="mlm-bias", slip=True)
class NoBias(_Head):
    """어휘의 편향을 더하지 않았습니다."""

    def logits(self, hidden):
        return hidden @ self.decoder.weight.T


@wrong("MLMHead", read="mlm-bias", slip=True)
class BiasTwice(_Head):
    """편향을 두 번 더했습니다. bias와 decoder.bias는 같은 것의 두 이름입니다."""

    def logits(self, hidden):
        return self.decoder(hidden) + self.bias


@wrong("MLMHead", read="mlm-head")
class ReturnsProbabilities(_Head):
    """소프트맥스나 로그 소프트맥스를 취했습니다. 손실이 로짓을 받으므로 로짓을 그대로 돌려주십시오."""

    def logits(self, hidden):
        return self.decoder(hidden).softmax(dim=-1)


@wrong("MLMHead", read="mlm-head")
class OtherNames(_Head):
    """파라미터의 이름이 글의 것과 다릅니다. transform.dense, transform.LayerNorm, decoder여야 합니다."""

    def __init__(self, config, embedding):
        super().__init__(config, embedding)
        self.dense = self.transform.pop("dense")

    def transformed(self, hidden):
        return self.transform["LayerNorm"](F.gelu(self.dense(hidden)))


@wrong("MLMHead", read="mlm-tied")
class SharesTheValuesOnly(_Head):
    """값은 함께 쓰지만 기울기가 embedding까지 가지 않습니다. detach나 .data를 쓰거나 새 nn.Parameter로 싸면 끊어집니다."""

    def tie(self, embedding):
        self.decoder.weight = nn.Parameter(embedding.weight)


@wrong("MLMHead", read="mlm-head")
class ApproximateGelu(_Head):
    """GELU를 tanh로 어림했습니다. F.gelu의 기본값을 쓰십시오."""

    def transformed(self, hidden):
        return self.transform["LayerNorm"](F.gelu(self.transform["dense"](hidden), approximate="tanh"))


@wrong("MLMHead", read="mlm-tied", slip=True)
class BiasFromLinear(_Head):
    """어휘의 편향이 0에서 시작하지 않습니다. nn.Linear는 편향을 무작위 값으로 채웁니다."""

    def __init__(self, config, embedding):
        super().__init__(config, embedding)
        self.decoder.bias.data.uniform_(0.1, 0.3)


@wrong("MLMHead", read="mlm-head")
class ThreeAxesOnly(_Head):
    """축이 셋인 입력만 받습니다. hidden의 앞쪽 축은 몇 개든 올 수 있고, 하나도 없을 수 있습니다."""

    def transformed(self, hidden):
        batch, length, size = hidden.shape
        return super().transformed(hidden)


# NSPHead ------------------------------------------------------------------------------------------------------


@right_answer("NSPHead")
class _Judge(nn.Module):
    """The right head, its steps laid open."""

    outputs, bias = 2, True

    def __init__(self, config):
        super().__init__()
        self.seq_relationship = nn.Linear(config.hidden_size, self.outputs, bias=self.bias)

    def forward(self, pooled):
        return self.seq_relationship(pooled)


@wrong("NSPHead", read="nsp-head")
class OneLogit(_Judge):
    """로짓을 하나만 냅니다. Hugging Face처럼 IsNext와 NotNext의 로짓을 하나씩, 둘을 내십시오."""

    outputs = 1


@wrong("NSPHead", read="nsp-head")
class TanhAgain(_Judge):
    """tanh를 한 번 더 취했습니다. 풀러의 출력은 이미 tanh를 지났습니다."""

    def forward(self, pooled):
        return self.seq_relationship(pooled.tanh())


@wrong("NSPHead", read="nsp-head")
class JudgesByProbability(_Judge):
    """로짓에 소프트맥스나 로그 소프트맥스를 취했습니다. 손실이 로짓을 받습니다."""

    def forward(self, pooled):
        return self.seq_relationship(pooled).softmax(dim=-1)


@wrong("NSPHead", read="nsp-head")
class JudgesBySigmoid(_Judge):
    """로짓에 시그모이드를 취했습니다. 로짓을 그대로 돌려주십시오."""

    def forward(self, pooled):
        return self.seq_relationship(pooled).sigmoid()


@wrong("NSPHead", read="nsp-labels")
class TurnedLogits(_Judge):
    """로짓의 차례가 반대입니다. 0번이 IsNext이고 1번이 NotNext입니다."""

    def forward(self, pooled):
        return self.seq_relationship(pooled).flip(-1)


@wrong("NSPHead", read="nsp-head")
class JudgesWithoutBias(_Judge):
    """선형 변환에 편향이 없습니다."""

    bias = False


@wrong("NSPHead", read="nsp-head")
class OnlyTheFirstPair(_Judge):
    """pooled에서 하나만 골랐습니다. pooled는 이미 문장 쌍마다 벡터 하나이므로 그대로 넣습니다."""

    def forward(self, pooled):
        return self.seq_relationship(pooled[0])


@wrong("NSPHead", read="nsp-head", slip=True)
class JudgesWithDropout(_Judge):
    """풀러의 출력에 드롭아웃을 걸었습니다. 이 헤드에는 선형 변환 하나뿐입니다."""

    def forward(self, pooled):
        return self.seq_relationship(F.dropout(pooled, 0.1, self.training))


@wrong("NSPHead", read="nsp-head")
class PoolsAgain(_Judge):
    """seq_relationship 말고도 학습하는 층이 있습니다. 풀러가 이미 dense와 tanh를 지났으므로 선형 변환 하나면 됩니다."""

    def __init__(self, config):
        super().__init__(config)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, pooled):
        return self.seq_relationship(self.dense(pooled).tanh())


@wrong("NSPHead", read="nsp-head")
class JudgesByAnotherName(nn.Module):
    """파라미터의 이름이 글의 것과 다릅니다. nn.Linear 하나를 그대로 seq_relationship이라고 하십시오."""

    def __init__(self, config):
        super().__init__()
        self.classifier = nn.Linear(config.hidden_size, 2)

    def forward(self, pooled):
        return self.classifier(pooled)


@wrong("NSPHead", read="nsp-head", slip=True)
class SqueezesTheBatch(_Judge):
    """문장 쌍이 하나이면 배치 축이 없어집니다. squeeze는 길이가 1인 축을 모두 없앱니다. 결과는 언제나 (B, 2)입니다."""

    def forward(self, pooled):
        return self.seq_relationship(pooled).squeeze()


# pretraining_loss ---------------------------------------------------------------------------------------------


@right_answer("pretraining_loss")
def _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels, *, words=None, pairs=None, join=None):
    """The right answer with its parts exchangeable."""
    chosen = (mlm_labels != -100).sum().clamp(min=1)
    total = F.cross_entropy(mlm_logits.flatten(0, -2), mlm_labels.flatten(), reduction="sum")
    first = total / chosen if words is None else words(total)
    second = F.cross_entropy(nsp_logits, nsp_labels) if pairs is None else pairs()
    return first + second if join is None else join(first, second)


@wrong("pretraining_loss", read="pretraining-nothing-chosen", slip=True)
def nan_of_nothing(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """뽑힌 토큰이 없을 때 0 / 0, 곧 NaN입니다. 그때 앞의 손실은 0입니다."""

    def words(_):
        return F.cross_entropy(mlm_logits.flatten(0, -2), mlm_labels.flatten())

    return _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels, words=words)


@wrong("pretraining_loss", read="pretraining-sum")
def divides_by_every_token(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """모든 토큰의 수로 나누었습니다. 뽑힌 토큰의 수로 나누십시오."""

    def words(total):
        return total / mlm_labels.numel()

    return _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels, words=words)


@wrong("pretraining_loss", read="pretraining-sum")
def sum_of_words(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """토큰의 손실을 평균하지 않고 더했습니다."""
    return _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels, words=lambda total: total)


@wrong("pretraining_loss", read="mlm-labels")
def counts_the_unchosen(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """-100을 0번 토큰으로 읽어 뽑히지 않은 자리까지 셌습니다. 그 자리는 손실에서 빼야 합니다."""

    def words(_):
        return F.cross_entropy(mlm_logits.flatten(0, -2), mlm_labels.clamp(min=0).flatten())

    return _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels, words=words)


@wrong("pretraining_loss", read="mlm-labels", slip=True)
def leaves_out_token_zero(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """라벨이 0인 토큰까지 뺐습니다. 빼는 것은 -100입니다."""
    labels = mlm_labels.masked_fill(mlm_labels == 0, -100)
    return _loss(mlm_logits, labels, nsp_logits, nsp_labels)


@wrong("pretraining_loss", read="pretraining-sum")
def mean_of_means(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """문장마다 평균한 것을 다시 평균했습니다. 배치의 뽑힌 토큰을 모두 한 번에 평균하십시오."""

    def words(_):
        lost = F.cross_entropy(mlm_logits.transpose(1, 2), mlm_labels, reduction="none")
        return (lost.sum(dim=1) / (mlm_labels != -100).sum(dim=1).clamp(min=1)).mean()

    return _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels, words=words)


@wrong("pretraining_loss", read="pretraining-sum")
def mean_of_the_two(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """두 손실을 더하지 않고 평균했습니다."""

    def join(first, second):
        return (first + second) / 2

    return _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels, join=join)


@wrong("pretraining_loss", read="pretraining-sum")
def only_the_words(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """문장 쌍의 손실이 빠졌습니다."""
    return _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels, join=lambda first, second: first)


@wrong("pretraining_loss", read="pretraining-sum")
def only_the_pairs(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """토큰의 손실이 빠졌습니다."""
    return _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels, join=lambda first, second: second)


@wrong("pretraining_loss", read="pretraining-sum")
def sum_of_pairs(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """문장 쌍의 손실을 평균하지 않고 더했습니다."""

    def pairs():
        return F.cross_entropy(nsp_logits, nsp_labels, reduction="sum")

    return _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels, pairs=pairs)


@wrong("pretraining_loss", read="mlm-head")
def softmax_twice(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """교차 엔트로피에 로짓이 아니라 확률을 넣었습니다. 소프트맥스가 두 번 걸립니다."""
    return _loss(mlm_logits.softmax(dim=-1), mlm_labels, nsp_logits.softmax(dim=-1), nsp_labels)


@wrong("pretraining_loss", read="nsp-labels")
def turned_pairs(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """문장 쌍의 라벨을 뒤집어 썼습니다. 0번 로짓이 IsNext, 라벨 0이 IsNext입니다."""
    return _loss(mlm_logits, mlm_labels, nsp_logits, 1 - nsp_labels)


@wrong("pretraining_loss", read="pretraining-sum")
def reshapes_to_turn(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """어휘 축과 토큰 축이 섞였습니다. reshape은 축을 바꾸지 않습니다. 어휘 축을 둘째로 보내려면 transpose를 쓰십시오."""
    turned = mlm_logits.reshape(len(mlm_labels), -1, mlm_labels.shape[1]).transpose(1, 2)
    return _loss(turned, mlm_labels, nsp_logits, nsp_labels)


@wrong("pretraining_loss", read="mlm-labels")
def shifts_the_labels(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """라벨을 한 칸 밀었습니다. 다음 토큰이 아니라 그 자리의 토큰을 맞힙니다."""
    return _loss(mlm_logits[:, :-1], mlm_labels[:, 1:], nsp_logits, nsp_labels)


@wrong("pretraining_loss", read="pretraining-nothing-chosen", slip=True)
def nothing_at_all(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """뽑힌 토큰이 없을 때 손실 전체가 0입니다. 앞의 것만 0이고 문장 쌍의 손실은 남습니다."""

    def join(first, second):
        return first + second * (mlm_labels != -100).any()

    return _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels, join=join)


@wrong("pretraining_loss", read="pretraining-nothing-chosen", slip=True)
def mends_the_value_only(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """뽑힌 토큰이 없을 때 값은 유한해도 기울기가 NaN입니다. 0으로 나눈 것을 나중에 고치지 말고, 나누기 전에 피하십시오."""

    def words(_):
        chosen = mlm_labels != -100
        right = mlm_logits.log_softmax(dim=-1).gather(-1, mlm_labels.clamp(min=0)[..., None])[..., 0]
        return (-(right * chosen).sum() / chosen.sum()).nan_to_num(0.0)

    return _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels, words=words)


@wrong("pretraining_loss", read="pretraining-sum")
def cuts_the_gradient(mlm_logits, mlm_labels, nsp_logits, nsp_labels):
    """기울기가 끊어졌습니다. item, detach, no_grad, torch.tensor를 거치지 않은 텐서를 돌려주십시오."""
    return _loss(mlm_logits, mlm_labels, nsp_logits, nsp_labels).detach()
