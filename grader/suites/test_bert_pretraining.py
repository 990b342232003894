"""What the exercise `bert_pretraining` is graded by."""

import math
from functools import cache

import torch

from grader.judging.contract import bad_manners, finite_gradients
from grader.judging.observed import same, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    gradients,
    load,
    mutated,
    observes,
    outcome,
    parameters,
    place,
    points,
    scattered,
)
from grader.judging.values import secret

VOCAB, MASK = 40, 4
SIZES = {"vocab_size": 13, "hidden_size": 8}

# What right answers return on the fixed inputs of the observations
LOGITS = [1.3128, -3.0831, 0.28806, -1.3465, -0.21015, -2.0108, -0.35639, -2.1735]
SOFTER, STEEP = [0.85609, -2.4563], [-1.4144, 0.64519]
JUDGEMENTS = [0.0089716, -3.093, -2.5968, 0.25799]
LOSSES = [4.7474, 4.2935, 0.23931]


# mask_tokens --------------------------------------------------------------------------------------------------


def batch(rows=400, columns=50):
    """Rows that begin with [CLS], hold tokens from 5 to 39, end with [SEP] and four of padding."""
    ids = 5 + (7 * torch.arange(rows)[:, None] + 11 * torch.arange(columns)) % (VOCAB - 5)
    ids[:, 0], ids[:, -5], ids[:, -4:] = 2, 3, 0
    return ids, ids < 5


def masked(student, ids, special, seed=0, vocab_size=VOCAB):
    """Inputs and labels, which must be two tensors like `ids`."""
    found = student.mask_tokens(ids, special, vocab_size, MASK, torch.Generator().manual_seed(seed))
    assert isinstance(found, tuple | list) and len(found) == 2, "(inputs, labels)를 돌려주어야 합니다."
    for part in found:
        assert isinstance(part, torch.Tensor) and part.shape == ids.shape, (
            "둘 다 ids와 같은 모양이어야 합니다."
        )
    return found


def assert_share(successes, trials, share, what):
    """Within five standard deviations of a binomial."""
    spread = math.sqrt(share * (1 - share) / trials)
    found = successes / trials
    assert abs(found - share) < 5 * spread, f"{what}: {share:.0%}쯤이어야 하는데 {found:.1%}입니다."


@points(0.5, "mask_tokens", read="mlm-labels", step="warm-up")
def test_labels_are_what_was_there(student):
    """특수 토큰이 아닌 것의 15%를 뽑고, 뽑은 자리의 라벨은 원래 토큰, 나머지는 -100입니다. 뽑지 않은 자리의 입력은 그대로입니다."""
    ids, special = batch()
    inputs, labels = masked(student, ids, special)
    chosen = labels != -100
    assert not (chosen & special).any(), "특수 토큰을 뽑았습니다."
    assert_share(int(chosen.sum()), int((~special).sum()), 0.15, "뽑힌 토큰의 비율")
    assert_close(labels[chosen], ids[chosen])
    assert_close(inputs[~chosen], ids[~chosen])


@points(0.75, "mask_tokens", read="mlm-fates")
def test_fates_of_the_chosen(student):
    """뽑힌 토큰 가운데 80%는 [MASK], 10%는 무작위 토큰이 되고 10%는 그대로입니다. 세 가지 모두 라벨이 있습니다."""
    ids, special = batch()
    inputs, labels = masked(student, ids, special, seed=1)
    chosen = labels != -100
    before, after, count = ids[chosen], inputs[chosen], int(chosen.sum())
    assert count > 0, "뽑힌 토큰이 없습니다."
    assert_close(labels[chosen], before)
    assert_share(int((after == MASK).sum()), count, 0.8 + 0.1 / VOCAB, "[MASK]가 된 것")
    assert_share(int((after == before).sum()), count, 0.1 + 0.1 / VOCAB, "그대로 둔 것")
    changed = (after != MASK) & (after != before)
    assert_share(int(changed.sum()), count, 0.1 * (VOCAB - 2) / VOCAB, "무작위 토큰이 된 것")


def numbers_drawn(student, seeds):
    """How many of the same 200 tokens are chosen, seed by seed, and how many of these become [MASK]."""
    ids = 5 + torch.arange(200).reshape(10, 20) % (VOCAB - 5)
    drawn = [masked(student, ids, ids < 0, seed) for seed in seeds]
    return [int((labels != -100).sum()) for _, labels in drawn], [
        int((inputs == MASK).sum()) for inputs, _ in drawn
    ]


@observes("mask_tokens")
def observe_mask_tokens(student):
    """Coarse statistics: alike for every right way to draw."""
    ids, special = batch()
    inputs, labels = masked(student, ids.clone(), special, seed=2, vocab_size=80)
    again, _ = masked(student, ids.clone(), special, seed=2, vocab_size=80)
    other, _ = masked(student, ids.clone(), special, seed=3, vocab_size=80)
    small, _ = masked(student, ids.clone(), special, seed=4, vocab_size=6)
    chosen = labels != -100
    before, after, count = ids[chosen], inputs[chosen], max(1, int(chosen.sum()))
    changed = chosen & (inputs != MASK) & (inputs != ids)
    words = small[(small != ids) & (small != MASK)]
    numbers, masks = (torch.tensor(part).double() for part in numbers_drawn(student, range(30)))

    def labelled():
        """Where labels are that are no tokens' that may be chosen, or what stands elsewhere instead of -100."""
        if torch.equal(labels[~special], ids[~special]):
            return "everywhere"
        fillers = set(labels[special].tolist())
        if len(fillers) > 1:
            return "special tokens too" if (chosen & ~special).any() else "only special tokens"
        return "nowhere else" if fillers == {-100} else "another number"

    def one_fate():
        """Whether all that is chosen in a call becomes [MASK], or nothing."""
        shares = masks / numbers
        return bool(
            ((shares < 0.2) | (shares > 0.97)).all() and (shares < 0.2).any() and (shares > 0.97).any()
        )

    def with_numbers():
        """Whether a special token is never chosen where 0 and 1 stand for False and True."""
        _, found = masked(student, ids.clone(), special.long())
        return bool((found != -100).any() and not (found[special] != -100).any())

    def fates():
        """The tenths that become [MASK] and that stay, and whether any token is a random one."""
        found = [round(10 * int(part.sum()) / count) for part in (after == MASK, after == before)]
        return "covered" if 3 < found[0] < 8 else [*found, bool(changed.any())]

    def shared(places):
        """Whether a row, a column or all of them have one coin."""
        places = places[:, 1:-5]
        return bool((places == places[:1]).all() or (places == places[:, :1]).all())

    return up_to_the_first_wrong(
        (lambda: bool((inputs < 0).any()), False),
        (labelled, "nowhere else"),
        (lambda: bool((labels[chosen] == before).all()), True),
        (lambda: shared(chosen), False),
        (lambda: round(chosen.sum(dim=1).double().std().item() / 2.4), 1),
        (lambda: round(20 * int(chosen.sum()) / int((~special).sum())), 3),
        (lambda: torch.equal(inputs[~chosen], ids[~chosen]), True),
        (one_fate, False),
        (fates, [8, 1, True]),
        (lambda: torch.equal(inputs, again) and not torch.equal(inputs, other), True),
        (lambda: bool(numbers.std() > 2), True),
        (lambda: bool((masks - 0.8 * numbers).std() > 1), True),
        (lambda: agreement(inputs, changed) or agreement(inputs.T, changed.T), False),
        (lambda: min(int(words.max()), 7), 5),
        (lambda: int(words.min()) == 0, True),
        (with_numbers, True),
        (lambda: inputs.dtype == labels.dtype == ids.dtype, True),
        (
            lambda: mutated(student.mask_tokens, ids, special, VOCAB, MASK, torch.Generator().manual_seed(5)),
            [],
        ),
    )


def agreement(inputs, changed):
    """Whether two random tokens of one row are mostly the same."""
    pairs = equal = 0
    for row, at in zip(inputs, changed, strict=True):
        words = row[at]
        pairs += len(words) * (len(words) - 1)
        equal += int((words[:, None] == words).sum()) - len(words)
    return equal > pairs / 2


### BEGIN HIDDEN TESTS
def by_collator(ids, special, vocab_size, seed):
    """The same by Hugging Face's DataCollatorForLanguageModeling."""
    from transformers import DataCollatorForLanguageModeling

    class Vocabulary:
        mask_token = "[MASK]"

        def __len__(self):
            return vocab_size

        def convert_tokens_to_ids(self, token):
            return MASK

    collator = DataCollatorForLanguageModeling(Vocabulary())
    collator.generator = torch.Generator().manual_seed(seed)
    return collator.torch_mask_tokens(ids.clone(), special)


def kinds(ids, inputs, labels):
    """How many were not chosen, became [MASK], stayed, and became something else."""
    chosen = labels != -100
    mask, same = chosen & (inputs == MASK), chosen & (inputs == ids)
    return torch.tensor([(~chosen).sum(), mask.sum(), same.sum(), (chosen & ~mask & ~same).sum()])


def upper_tail(statistic, freedom):
    """The probability that a chi-square variable is larger."""
    halves = torch.tensor([freedom / 2, statistic / 2], dtype=torch.float64)
    return torch.special.gammaincc(*halves).item()


def same_distribution(one, other):
    """Pearson's chi-square test that two rows of counts come from the same distribution."""
    table = torch.stack([one, other]).double()
    table = table[:, table.sum(dim=0) > 0]
    expected = table.sum(dim=1, keepdim=True) * table.sum(dim=0) / table.sum()
    return upper_tail(((table - expected) ** 2 / expected).sum(), table.shape[1] - 1)


@points(0.75, "mask_tokens", read="mlm-fates")
def test_shares_equal_the_collator(student, rng):
    """Hugging Face의 DataCollatorForLanguageModeling과 비율이 다릅니다. 80, 10, 10은 뽑힌 토큰 가운데의 비율입니다."""
    for seed, vocab_size in [(10, 40), (20, 300)]:
        ids = torch.randint(5, vocab_size, (500, 60), generator=rng)
        special = torch.rand(500, 60, generator=rng) < 0.3
        inputs, labels = masked(student, ids.clone(), special, seed, vocab_size)
        left = labels == -100
        assert torch.equal(inputs[left], ids[left]), "뽑지 않은 토큰을 바꾸었습니다."
        assert torch.equal(labels[~left], ids[~left]), "라벨이 원래 토큰이 아닙니다."
        found = kinds(ids[~special], inputs[~special], labels[~special])
        expected = kinds(
            *(part[~special] for part in (ids, *by_collator(ids, special, vocab_size, seed + 1)))
        )
        p = same_distribution(found, expected)
        assert p > 1e-6, (
            f"뽑지 않음, [MASK], 그대로, 무작위의 수가 {found.tolist()}인데 {expected.tolist()}쯤이어야 합니다."
        )
        assert torch.equal(inputs[special], ids[special]) and (labels[special] == -100).all(), (
            "특수 토큰을 건드렸습니다."
        )


@points(0.25, "mask_tokens", read="mlm-own-coin")
def test_every_token_has_its_own_coin(student, rng):
    """토큰마다 자기 동전을 던져야 합니다. 줄마다 같은 수를 뽑거나, 이웃과 함께 뽑거나, 모든 줄에서 같은 자리를 뽑으면 안 됩니다."""
    ids = torch.randint(5, VOCAB, (2000, 20), generator=rng)
    _, labels = masked(student, ids, torch.zeros_like(ids).bool(), seed=30)
    chosen = (labels != -100).double()
    # Rows hold binomial numbers, so do columns; neighbours and rows are independent.
    counts = torch.bincount(chosen.sum(dim=1).long(), minlength=21).double()
    binomial = torch.tensor([math.comb(20, k) * 0.15**k * 0.85 ** (20 - k) for k in range(21)])
    pooled = torch.cat([counts[:8], counts[8:].sum()[None]])
    expected = 2000 * torch.cat([binomial[:8], binomial[8:].sum()[None]]).double()
    assert upper_tail(((pooled - expected) ** 2 / expected).sum(), 8) > 1e-6, (
        "한 줄에서 뽑힌 수가 이항분포를 따르지 않습니다."
    )
    for one, two in [(chosen[:, :-1], chosen[:, 1:]), (chosen[:-1], chosen[1:])]:
        both, trials = int((one * two).sum()), one.numel()
        assert_share(both, trials, 0.15**2, "이웃한 두 토큰이 함께 뽑힌 비율")
    for column in chosen.sum(dim=0).tolist():
        assert_share(int(column), 2000, 0.15, "한 자리가 뽑힌 비율")
    # From seed to seed, the numbers themselves are binomial: neither wilder nor, as with a fixed share, tamer.
    numbers, masks = (torch.tensor(part).double() for part in numbers_drawn(student, range(100, 150)))
    of_numbers = ((numbers - 30) ** 2 / (200 * 0.15 * 0.85)).sum()
    share = 0.8 + 0.1 / VOCAB
    of_masks = ((masks - share * numbers) ** 2 / (share * (1 - share) * numbers.clamp(min=1))).sum()
    assert 1e-6 < upper_tail(of_numbers, 50) < 1 - 1e-6, (
        "뽑힌 수가 언제나 같습니다. 15%는 확률이지 몫이 아닙니다."
    )
    assert 1e-6 < upper_tail(of_masks, 50) < 1 - 1e-6, (
        "[MASK]의 수가 언제나 뽑힌 것의 80%입니다. 80%는 확률입니다."
    )


@points(0.5, "mask_tokens", read="mlm-random-words")
def test_random_words_are_uniform(student, rng):
    """무작위 토큰은 자리마다 어휘 전체에서 고르게 뽑습니다. 0번도, 마지막 번호도 나올 수 있습니다."""
    ids = torch.full((2000, 50), 6)
    inputs, labels = masked(student, ids, torch.zeros_like(ids), seed=40, vocab_size=12)
    found = inputs[(labels != -100) & (inputs != MASK) & (inputs != 6)]
    counts = torch.bincount(found, minlength=12).double()
    assert len(counts) == 12 and len(found) > 0, "어휘에 없는 번호가 나오거나, 무작위 토큰이 없습니다."
    possible = torch.tensor([i not in (MASK, 6) for i in range(12)])
    expected = counts.sum() / 10
    statistic = ((counts[possible] - expected) ** 2 / expected).sum()
    assert upper_tail(statistic, 9) > 1e-6, f"고르게 뽑히지 않았습니다: {counts.long().tolist()}"


@points(0.25, "mask_tokens", read="mlm-generator", step="robust")
def test_randomness_comes_from_the_generator(student, device, rng):
    """난수는 모두 generator에서 얻고, ids는 그대로 두고, 결과는 ids와 같은 장치와 자료형입니다."""
    ids = torch.randint(5, VOCAB, (60, 30), generator=rng).to(device)
    special = torch.zeros_like(ids).bool()
    one, two, three = (masked(student, ids, special, seed) for seed in [7, 7, 8])
    for first, second in zip(one, two, strict=True):
        assert_close(first, second)
        assert first.device.type == ids.device.type and first.dtype == ids.dtype, (
            "장치나 자료형이 ids와 다릅니다."
        )
    assert not torch.equal(one[1], three[1]), "generator가 달라도 같은 토큰을 뽑았습니다."
    found = mutated(student.mask_tokens, ids, special, VOCAB, MASK, torch.Generator().manual_seed(9))
    assert found == [], "입력이 바뀌었습니다."
    inputs, labels = student.mask_tokens(ids, special, VOCAB, MASK)  # the generator may be left out
    assert inputs.shape == labels.shape == ids.shape, "generator 없이도 부를 수 있어야 합니다."
    nothing = torch.ones_like(ids)
    inputs, labels = masked(student, ids, nothing)
    assert torch.equal(inputs, ids) and (labels == -100).all(), "모두 특수 토큰이면 아무것도 뽑지 않습니다."


### END HIDDEN TESTS


# make_nsp_pairs -----------------------------------------------------------------------------------------------


def library(lengths):
    """Documents of so many sentences, no two alike."""
    return [[f"{d}:{s}" for s in range(length)] for d, length in enumerate(lengths)]


def plain_pairs(student, documents, seed=0):
    found = student.make_nsp_pairs(documents, torch.Generator().manual_seed(seed))
    assert isinstance(found, list | tuple), "리스트를 돌려주어야 합니다."
    for pair in found:
        assert isinstance(pair, tuple | list) and len(pair) == 3, "짝은 (a, b, label)입니다."
    return [(a, b, int(label)) for a, b, label in found]


def firsts(documents):
    return [sentence for document in documents for sentence in document[:-1]]


def document_of(sentence):
    return int(sentence.split(":")[0])


@points(0.5, "make_nsp_pairs", read="nsp-pairs", step="warm-up")
def test_one_pair_for_each_sentence_with_a_next(student):
    """다음 문장이 있는 문장마다 짝이 하나씩, 글의 차례대로 나옵니다. 라벨 0의 b는 같은 문서의 바로 다음 문장입니다."""
    documents = library([4, 2, 1, 40, 30])
    found = plain_pairs(student, documents)
    assert [a for a, _, _ in found] == firsts(documents), "짝의 앞 문장이 다릅니다."
    following = {a: b for document in documents for a, b in zip(document, document[1:], strict=False)}
    real = [(a, b) for a, b, label in found if label == 0]
    assert real, "라벨 0인 짝이 없습니다."
    for a, b in real:
        assert b == following[a], f"라벨 0인 짝이 ({a}, {b})입니다. b는 {following[a]}이어야 합니다."


@points(0.5, "make_nsp_pairs", read="nsp-other-document")
def test_random_sentences_come_from_elsewhere(student):
    """라벨 1의 b는 다른 모든 문서에서 뽑고, 라벨은 반반입니다."""
    found = plain_pairs(student, library([200, 300, 100]), seed=1)
    random = [(a, b) for a, b, label in found if label == 1]
    assert_share(len(random), max(1, len(found)), 0.5, "라벨 1의 비율")
    for a, b in random:
        assert document_of(a) != document_of(b), f"({a}, {b})는 같은 문서의 문장입니다."
    drawn = {document_of(b) for a, b in random if document_of(a) == 0}
    assert drawn == {1, 2}, "다른 문서가 둘인데 한 문서에서만 뽑았습니다."


@observes("make_nsp_pairs")
def observe_make_nsp_pairs(student):
    lengths = [300, 3, 200, 1, 1, 100]
    documents, found = library(lengths), plain_pairs(student, library(lengths), seed=2)
    expected = firsts(documents)
    following = {a: b for document in documents for a, b in zip(document, document[1:], strict=False)}
    real = [pair for pair in found if pair[2] == 0]
    random = [pair for pair in found if pair[2] == 1]

    def of_each():
        """Whether a pair belongs to each sentence, or keeps at least its second."""
        if sorted(a for a, _, _ in found) == sorted(expected):
            return "first"
        pairs = zip(found, expected, strict=True)
        return (
            "second" if all(pair[1] in (a, following[a]) for pair, a in pairs if pair[2] == 1) else "neither"
        )

    def own():
        """Whether random sentences come from the same document."""
        share = sum(document_of(a) == document_of(b) for a, b, _ in random) / len(random)
        return share if share in (0, 1) else "some"

    def drawn(*lengths):
        """What is drawn for a long document beside others of these lengths."""
        pairs = plain_pairs(student, library([200, *lengths]), seed=3)
        return sorted({b for a, b, label in pairs if label == 1 and document_of(a) == 0})

    def twins():
        """Whether a document draws from another one with the same text."""
        pairs = plain_pairs(student, [["가", "나"] * 30, ["가", "나"] * 30, ["다"]], seed=4)
        return any(b in "가나" for _, b, label in pairs if label == 1)

    return up_to_the_first_wrong(
        (lambda: len(found), len(expected)),
        (of_each, "first"),
        (lambda: [a for a, _, _ in found] == expected, True),
        (lambda: kind_of_coin(student), "a pair's"),
        (lambda: plain_pairs(student, library(lengths), seed=2) == found, True),
        (lambda: [all(following[a] == b for a, b, _ in part) for part in (real, random)], [True, False]),
        (lambda: round(4 * len(random) / len(found)), 2),
        (own, 0),
        (lambda: len({document_of(b) for b in drawn(2, 1, 3, 2)}) > 1, True),
        (lambda: drawn(2, 1, 3, 2), ["1:0", "1:1", "2:0", "3:0", "3:1", "3:2", "4:0", "4:1"]),
        (lambda: len(drawn(0, 2, 0)), 2),
        (twins, True),
        (lambda: without_another(student), True),
        (lambda: place(student, leaves_alone)(student.make_nsp_pairs, library([3, 0, 2, 1]), 3), True),
    )


def kind_of_coin(student):
    """For what a coin decides, as seen in the labels of four documents under twelve seeds."""
    calls = [[label for _, _, label in plain_pairs(student, library([4] * 4), seed)] for seed in range(12)]
    if all(labels == calls[0] for labels in calls):
        return f"always {calls[0][0]}" if len(set(calls[0])) == 1 else "shared"
    alike = [len(set(labels[start : start + 3])) == 1 for labels in calls for start in range(0, 12, 3)]
    return "shared" if all(alike) else "a pair's"


def without_another(student):
    """Whether an answer refuses, or makes only pairs of label 0, where there is no document to draw from."""
    [document] = library([9])
    try:
        found = place(student, in_a_few_steps)(student.make_nsp_pairs, [document, []], 1)
    except ValueError:
        return True
    return [int(label) for _, _, label in found] == [0] * 8


def in_a_few_steps(make_pairs, documents, seed):
    """What a call returns; an error where it goes on and on."""
    import sys

    steps, before = iter(range(20_000)), sys.gettrace()

    def count(frame, event, argument):
        if next(steps, None) is None:
            raise TimeoutError
        return count

    sys.settrace(count)
    try:
        return make_pairs(documents, torch.Generator().manual_seed(seed))
    finally:
        sys.settrace(before)


def leaves_alone(make_pairs, documents, seed):
    """Whether the documents are the same after the call."""
    import copy

    before = copy.deepcopy(documents)
    make_pairs(documents, torch.Generator().manual_seed(seed))
    return documents == before


### BEGIN HIDDEN TESTS
@points(0.5, "make_nsp_pairs", read="nsp-other-document")
def test_every_other_sentence_may_come(student, rng):
    """다른 문서의 모든 문장이 뽑힐 수 있어야 합니다. 짝을 만들지 못하는 한 문장짜리 문서도 마찬가지입니다."""
    small = torch.tensor([1, 3, 2, 1])[torch.randperm(4, generator=rng)].tolist()
    documents = library([600, *small])
    found = plain_pairs(student, documents, seed=3)
    assert [a for a, _, _ in found] == firsts(documents), "짝의 앞 문장이 다릅니다."
    drawn = {b for a, b, label in found if label == 1 and document_of(a) == 0}
    expected = {sentence for document in documents[1:] for sentence in document}
    assert drawn == expected, f"뽑혀야 하는데 나오지 않은 문장: {sorted(expected - drawn)[:3]}"


@points(0.25, "make_nsp_pairs", read="nsp-other-document")
def test_a_coin_for_each_pair(student, rng):
    """짝마다 generator로 동전을 던집니다. 이웃한 짝의 라벨은 서로 상관이 없습니다."""
    documents = library((10 + torch.randint(0, 10, (30,), generator=rng)).tolist())
    found = plain_pairs(student, documents, seed=4)
    assert plain_pairs(student, documents, seed=4) == found, "같은 generator에서 다른 짝이 나왔습니다."
    labels = [label for _, _, label in found]
    others = [label for _, _, label in plain_pairs(student, documents, seed=5)]
    assert labels != others, "generator가 달라도 라벨이 같습니다."
    both = sum(a == b == 1 for a, b in zip(labels, labels[1:], strict=False))
    assert_share(len([label for label in labels if label]), len(labels), 0.5, "라벨 1의 비율")
    # Neighbouring pairs share a coin, so the spread is a little larger than a binomial's.
    assert abs(both / len(labels) - 0.25) < 8 * math.sqrt(0.25 * 0.75 / len(labels)), (
        "이웃한 짝의 라벨이 서로 상관있습니다."
    )


@points(0.25, "make_nsp_pairs", read="nsp-other-document", step="robust")
def test_odd_documents(student):
    """문서가 비어 있거나 서로 글이 같아도 됩니다. 뽑을 다른 문서가 없으면 라벨 1을 만들지 않습니다. documents는 그대로 둡니다."""
    documents = library([20, 0, 1, 5])
    assert [a for a, _, _ in plain_pairs(student, documents)] == firsts(documents), "짝의 앞 문장이 다릅니다."
    assert place(student, leaves_alone)(student.make_nsp_pairs, documents, 6), "documents가 바뀌었습니다."
    alike = [plain_pairs(student, [["가", "나"], ["가", "나"]], seed) for seed in range(12)]
    assert any(label for found in alike for _, _, label in found), "글이 같아도 다른 문서입니다."
    alone = outcome(lambda: plain_pairs(student, library([9, 0])))
    if alone != "ValueError":
        [document] = library([9])
        assert alone == [(a, b, 0) for a, b in zip(document, document[1:], strict=False)], (
            "다른 문서가 없을 때는 ValueError를 내거나 라벨 0인 짝만 돌려주어야 합니다."
        )


### END HIDDEN TESTS


# MLMHead ------------------------------------------------------------------------------------------------------


def hugging_face_config(sizes):
    """A configuration of transformers, on either side."""
    from transformers import BertConfig

    quiet = {"num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 12}
    return BertConfig(**{**quiet, **sizes}, attn_implementation="eager")


@cache
def oracle_head(**changes):
    """The head of transformers, in float64."""
    from transformers.models.bert.modeling_bert import BertLMPredictionHead

    return BertLMPredictionHead(hugging_face_config({**SIZES, **changes})).double()


def embedding_of(weight):
    """An embedding with this table."""
    embedding = torch.nn.Embedding(*weight.shape, dtype=weight.dtype)
    with torch.no_grad():
        embedding.weight.copy_(weight)
    return embedding


def table_of(embedding):
    return embedding.weight.detach().clone()


BIASES = ("bias", "decoder.bias")  # two names of one parameter, either of which will do


def head_with(student, config, state):
    """A student's head whose every value is given, and its embedding."""
    embedding = place(student, embedding_of)(state["decoder.weight"])
    head = student.MLMHead(config, embedding)
    found = load(student, head, state, optional=BIASES, typed=True, evaluating=True)
    assert found.keys() & set(BIASES), "편향이 없습니다."
    return head, embedding


def fixed_head_state(state):
    """Fixed values by name; the bias has one value under both of its names."""
    return {name: scattered(value.shape, "bias" if name in BIASES else name) for name, value in state.items()}


@points(0.25, "MLMHead", read="mlm-head", step="warm-up")
def test_head_equals_hugging_face(student):
    """dense, GELU, LayerNorm, decoder의 차례여야 합니다. 이름과 편향도 Hugging Face와 같아야 합니다."""
    oracle = oracle_head()
    state = fixed_head_state(oracle.state_dict())
    oracle.load_state_dict(state)
    single = {name: value.float() for name, value in state.items()}
    head, _ = head_with(student, student.BertConfig(**SIZES), single)
    hidden = scattered((2, 5, 8), 8)
    assert_close(head(hidden.float()), oracle(hidden), atol=1e-4)


def follows_the_table(head, embedding, hidden):
    """Logits with the embedding's table as it is, and with the table moved."""
    with torch.no_grad():
        before = head(hidden)
        embedding.weight.add_(1.0)
        after = head(hidden)
        embedding.weight.sub_(1.0)
    return before, after


@points(0.25, "MLMHead", read="mlm-tied")
def test_decoder_is_the_embedding(student):
    """decoder.weight는 embedding.weight와 같은 파라미터여야 합니다. 값을 베끼면 임베딩이 학습되어도 헤드는 그대로입니다."""
    state = fixed_head_state(oracle_head().state_dict())
    head, embedding = head_with(student, student.BertConfig(**SIZES), state)
    hidden = scattered((3, 8), 9)
    before, after = place(student, follows_the_table)(head, embedding, hidden)
    oracle = oracle_head()
    oracle.load_state_dict(state)
    assert_close(before, oracle(hidden), atol=1e-6)
    oracle.load_state_dict({**state, "decoder.weight": state["decoder.weight"] + 1})
    assert_close(after, oracle(hidden), atol=1e-6)


@observes("MLMHead")
def observe_mlm_head(student):
    state = fixed_head_state(oracle_head().state_dict())
    steep = {**state, "transform.dense.weight": 0.1 * state["transform.dense.weight"]}
    steep["transform.dense.bias"] = torch.linspace(-3.6, -2.2, 8).double()
    hidden = scattered((2, 2, 8), 9)

    def made(eps=1e-12, values=state):
        embedding = place(student, embedding_of)(state["decoder.weight"])
        head = student.MLMHead(student.BertConfig(**SIZES, layer_norm_eps=eps), embedding)
        load(student, head, values, optional=BIASES, typed=True, evaluating=True)
        return head, embedding

    def logits(shown=hidden, **changes):
        found = made(**changes)[0](shown)
        return "probabilities" if normalized(found) else found[..., :3:2].flatten().tolist()

    def named():
        head = student.MLMHead(
            student.BertConfig(**SIZES), place(student, embedding_of)(state["decoder.weight"])
        )
        return set(parameters(student, head, *state)) >= state.keys() - set(BIASES)

    def fresh():
        """The embedding's table and the biases before anything is loaded."""
        embedding = place(student, embedding_of)(state["decoder.weight"])
        head = student.MLMHead(student.BertConfig(**SIZES), embedding)
        return place(student, table_of)(embedding), parameters(student, head, *BIASES).values()

    def follows():
        before, after = place(student, follows_the_table)(*made(), hidden)
        return not torch.allclose(before, after)

    def learns():
        return bool(place(student, learns_by)(*made(), hidden, scattered((2, 2, 13), 10))[0].any())

    def dropped():
        head = made()[0].train()
        return not torch.equal(head(hidden), head(hidden))

    def bias_starts():
        return "at zero" if not any(value.any() for value in fresh()[1]) else "elsewhere"

    return up_to_the_first_wrong(
        (named, True),
        (logits, LOGITS),
        (lambda: [logits(hidden[0]), logits(hidden[0, 0])], [LOGITS[:4], LOGITS[:2]]),
        (follows, True),
        (learns, True),
        (dropped, False),
        (lambda: same(fresh()[0], state["decoder.weight"]), True),
        (bias_starts, "at zero"),
        (lambda: logits(hidden[0, 0], eps=0.5), SOFTER),
        (lambda: logits(hidden[0, 0], values=steep), STEEP),
    )


def normalized(found):
    """Whether a softmax, or its logarithm, has been taken."""
    one = torch.ones_like(found.sum(dim=-1))
    return torch.allclose(found.sum(dim=-1), one) or torch.allclose(found.exp().sum(dim=-1), one)


def learns_by(head, embedding, hidden, cotangent):
    """The gradients of the embedding's table and of the hidden states."""
    hidden = hidden.clone().requires_grad_()
    (head(hidden) * cotangent).sum().backward()
    return embedding.weight.grad, hidden.grad


### BEGIN HIDDEN TESTS
@cache
def bert_for_pretraining(**changes):
    """Made once: it takes longer than to ask it."""
    from transformers import BertForPreTraining

    return BertForPreTraining(hugging_face_config({**SIZES, **changes})).double().eval()


def oracle_pretraining(rng, **changes):
    """BERT with both heads, of transformers, in float64 and evaluation mode, with random weights."""
    model = bert_for_pretraining(**changes)
    model.zero_grad()
    state = {
        name: torch.randn(value.shape, generator=rng, dtype=torch.float64) / 2
        for name, value in sorted(model.state_dict().items())
        if value.is_floating_point()
    }
    state["cls.predictions.decoder.weight"] = state["bert.embeddings.word_embeddings.weight"]
    state["cls.predictions.decoder.bias"] = state["cls.predictions.bias"]
    model.load_state_dict(state, strict=False)
    return model


def part(state, prefix):
    return {name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)}


@points(0.25, "MLMHead", read="mlm-head")
def test_logits_equal_bert_for_pretraining(student, device, rng):
    """Hugging Face의 BertForPreTraining과 로짓이 다릅니다. LayerNorm의 eps는 config의 것이고 앞쪽 축은 몇 개든 됩니다."""
    for changes in [{}, {"vocab_size": 21, "hidden_size": 6, "layer_norm_eps": 0.2}]:
        oracle = oracle_pretraining(rng, **changes)
        ids = torch.randint(0, 13, (3, 7), generator=rng)
        with torch.no_grad():
            expected, hidden = oracle(ids).prediction_logits, oracle.bert(ids).last_hidden_state
        state = part(oracle.state_dict(), "cls.predictions.")
        config = place(student, hugging_face_config)({**SIZES, **changes})
        head, _ = head_with(student, config, state)
        head = head.to(str(device))
        hidden = hidden.to(device)
        assert_close(head(hidden), expected, rtol=1e-10, atol=1e-10)
        assert_close(head.train()(hidden), expected, rtol=1e-10, atol=1e-10)  # no dropout
        assert_close(head(hidden[0, 3:5]), expected[0, 3:5], rtol=1e-10, atol=1e-10)
        assert_close(head(hidden[0, 0]), expected[0, 0], rtol=1e-10, atol=1e-10)


@points(1, "MLMHead", read="mlm-tied")
def test_the_embedding_learns_from_the_head(student, rng):
    """헤드에서 온 기울기가 임베딩까지 흘러야 합니다. decoder.weight를 detach하거나 복사하지 마십시오."""
    oracle = oracle_pretraining(rng).cls.predictions
    hidden = torch.randn(4, 8, generator=rng, dtype=torch.float64)
    cotangent = torch.randn(4, 13, generator=rng, dtype=torch.float64)
    head, embedding = head_with(student, student.BertConfig(**SIZES), oracle.state_dict())
    found = place(student, learns_by)(head, embedding, hidden, cotangent)
    assert found[0] is not None, "embedding에 기울기가 흐르지 않습니다."
    hidden.requires_grad_()
    (oracle(hidden) * cotangent).sum().backward()
    assert_close(found[0], oracle.decoder.weight.grad, rtol=1e-9, atol=1e-9)
    assert_close(found[1], hidden.grad, rtol=1e-9, atol=1e-9)


@points(0.25, "MLMHead", read="mlm-tied", step="robust")
def test_making_a_head_changes_nothing(student, rng):
    """헤드를 만들어도 embedding의 값은 그대로이고, 어휘의 편향은 0에서 시작합니다."""
    table = torch.randn(13, 8, generator=rng)
    embedding = place(student, embedding_of)(table)
    head = student.MLMHead(student.BertConfig(**SIZES), embedding)
    assert_close(place(student, table_of)(embedding), table)
    found = parameters(student, head, "decoder.weight", *BIASES)
    assert_close(found.pop("decoder.weight", None), table)
    assert found and all(not bias.any() for bias in found.values()), "어휘의 편향은 0에서 시작합니다."


### END HIDDEN TESTS


# NSPHead ------------------------------------------------------------------------------------------------------


def nsp_head_with(student, config, state):
    head = student.NSPHead(config)
    load(student, head, state, typed=True, evaluating=True)
    return head


def fixed_nsp_state():
    return {"seq_relationship.weight": scattered((2, 8), 1), "seq_relationship.bias": scattered((2,), 2)}


@secret
def next_sentence_logits(pooled, state):
    return pooled @ state["seq_relationship.weight"].T + state["seq_relationship.bias"]


@points(0.5, "NSPHead", read="nsp-head", step="warm-up")
def test_two_logits(student):
    """풀러의 출력에 선형 변환 seq_relationship 하나를 씁니다. 로짓은 둘입니다."""
    state, pooled = fixed_nsp_state(), scattered((3, 8), 3)
    head = nsp_head_with(student, student.BertConfig(**SIZES), state)
    assert_close(head(pooled), next_sentence_logits(pooled, state), atol=1e-6)


@observes("NSPHead")
def observe_nsp_head(student):
    head = student.NSPHead(student.BertConfig(**SIZES)).double()
    state, found = fixed_nsp_state(), parameters(student, head)
    shapes = {name: list(parameters(student, head, name).get(name, torch.zeros(0)).shape) for name in state}
    fitting = {name: value[: (shapes[name] or [0])[0]] for name, value in state.items()}
    pooled = 2 * scattered((8, 8), 11)

    def loaded():
        load(student, head, fitting, optional=state)
        return head.eval()

    def judged():
        found = loaded()(pooled)
        if list(found.shape) != [8, 2]:
            return list(found.shape)
        return "probabilities" if normalized(found) else found[:2].flatten().tolist()

    def dropped():
        loaded().train()
        return any(not torch.equal(head(pooled), head(pooled)) for _ in range(3))

    return up_to_the_first_wrong(
        (lambda: list(shapes.values()), [[2, 8], [2]]),
        (lambda: sum(value.numel() for value in found.values()) > 18, False),
        (judged, JUDGEMENTS),
        (dropped, False),
        (lambda: list(loaded()(pooled[:1]).shape), [1, 2]),
    )


### BEGIN HIDDEN TESTS
@points(0.25, "NSPHead", read="nsp-head")
def test_judgement_equals_bert_for_pretraining(student, device, rng):
    """Hugging Face의 BertForPreTraining과 판정의 로짓이 다릅니다. 소프트맥스도 tanh도 드롭아웃도 없습니다."""
    for changes in [{}, {"hidden_size": 6}]:
        oracle = oracle_pretraining(rng, **changes)
        ids = torch.randint(0, 13, (5, 7), generator=rng)
        with torch.no_grad():
            expected, pooled = oracle(ids).seq_relationship_logits, oracle.bert(ids).pooler_output
        config = place(student, hugging_face_config)({**SIZES, **changes})
        state = part(oracle.state_dict(), "cls.")
        state = {name: value for name, value in state.items() if name.startswith("seq")}
        head = nsp_head_with(student, config, state).to(str(device))
        assert_close(head(pooled.to(device)), expected, rtol=1e-10, atol=1e-10)
        found = gradients(head, pooled.to(device))["inputs"][0]
        weight = state["seq_relationship.weight"].sum(dim=0).expand(5, -1)
        assert_close(found, weight, rtol=1e-10, atol=1e-10)


@points(0.25, "NSPHead", read="nsp-head", step="robust")
def test_judgement_of_one_pair_and_in_training(student):
    """문장 쌍이 하나여도 결과는 (1, 2)입니다. 학습할 때도 드롭아웃은 없습니다."""
    state, pooled = fixed_nsp_state(), scattered((3, 8), 3)
    head = nsp_head_with(student, student.BertConfig(**SIZES), state)
    assert_close(head(pooled[:1]), next_sentence_logits(pooled[:1], state), atol=1e-6)
    assert_close(head.train()(pooled), next_sentence_logits(pooled, state), atol=1e-6)


### END HIDDEN TESTS


# pretraining_loss ---------------------------------------------------------------------------------------------


def scored():
    """Logits and labels of two rows with three chosen tokens and one."""
    labels = torch.tensor([[-100, 3, 0, -100, 6], [-100, -100, -100, 2, -100]])
    return 3 * scattered((2, 5, 8), 1), labels, 2 * scattered((2, 2), 2), torch.tensor([1, 0])


@points(0.25, "pretraining_loss", read="pretraining-sum", step="warm-up")
def test_no_idea_costs_the_logarithms(student):
    """모든 로짓이 0이면 log V + log 2입니다. 뽑힌 토큰의 평균과 문장 쌍의 평균을 더합니다."""
    labels = torch.tensor([[-100, 3, 5], [2, -100, -100]])
    loss = student.pretraining_loss(torch.zeros(2, 3, 8), labels, torch.zeros(2, 2), torch.tensor([0, 1]))
    assert_close(loss, torch.tensor(math.log(8) + math.log(2)))
    one = torch.tensor([[-100, 3, -100], [-100, -100, -100]])
    loss = student.pretraining_loss(torch.zeros(2, 3, 8), one, torch.zeros(2, 2), torch.tensor([0, 1]))
    assert_close(loss, torch.tensor(math.log(8) + math.log(2)))
    sure = 50.0 * torch.nn.functional.one_hot(labels.clamp(min=0), 8)
    loss = student.pretraining_loss(sure, labels, torch.zeros(2, 2), torch.tensor([0, 1]))
    assert_close(loss, torch.tensor(math.log(2)))


@points(0.25, "pretraining_loss", read="pretraining-nothing-chosen", step="robust")
def test_nothing_chosen_costs_nothing(student):
    """뽑힌 토큰이 하나도 없으면 앞의 것은 NaN이 아니라 0입니다. 문장 쌍의 손실은 남고, 기울기는 모두 유한합니다."""
    logits, labels, _, _ = scored()
    pairs = torch.tensor([[0.0, math.log(3)], [0.0, math.log(3)]])
    nothing = torch.full_like(labels, -100)
    loss = student.pretraining_loss(logits.float(), nothing, pairs, torch.tensor([0, 1]))
    assert_close(loss, torch.tensor((math.log(4) + math.log(4 / 3)) / 2))
    found = gradients(student.pretraining_loss, logits, nothing, pairs.double(), torch.tensor([0, 1]))
    to_words, to_pairs = found["inputs"][0], found["inputs"][2]
    assert to_words is None or not to_words.any(), "뽑힌 토큰이 없는데 단어의 기울기가 0이 아닙니다."
    assert to_pairs.isfinite().all(), "기울기에 NaN이 있습니다."


@observes("pretraining_loss")
def observe_pretraining_loss(student):
    logits, labels, pairs, following = scored()
    nothing, undecided = torch.full_like(labels, -100), torch.zeros_like(pairs)
    loss = student.pretraining_loss

    return up_to_the_first_wrong(
        (lambda: float(loss(logits, labels.clone(), undecided, following)), LOSSES[0]),
        (lambda: float(loss(logits, labels.clone(), pairs, following)), LOSSES[1]),
        (lambda: float(loss(logits, nothing.clone(), pairs, following)), LOSSES[2]),
        (lambda: bad_manners(student, loss, logits, labels, pairs, following), "none"),
        (lambda: finite_gradients(loss, logits, nothing, pairs, following), True),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "pretraining_loss", read="pretraining-sum")
def test_loss_equals_bert_for_pretraining(student, device, rng):
    """Hugging Face의 BertForPreTraining의 loss와 다릅니다. 배치에서 뽑힌 토큰 모두의 평균에 문장 쌍의 평균을 더합니다."""
    for rows in [1, 4]:
        oracle = oracle_pretraining(rng)
        ids = torch.randint(0, 13, (rows, 7), generator=rng)
        labels = ids.masked_fill(torch.rand(ids.shape, generator=rng) < 0.6, -100)
        labels[0, 2] = 0
        following = torch.randint(0, 2, (rows,), generator=rng)
        with torch.no_grad():
            expected = oracle(ids, labels=labels, next_sentence_label=following)
        found = student.pretraining_loss(
            expected.prediction_logits.to(device),
            labels.to(device),
            expected.seq_relationship_logits.to(device),
            following.to(device),
        )
        assert_close(found, expected.loss, rtol=1e-10, atol=1e-10)


@points(1, "pretraining_loss", read="pretraining-nothing-chosen")
def test_gradients_reach_both_heads(student, rng):
    """두 헤드에 모두 기울기가 흘러야 합니다. 뽑히지 않은 자리의 기울기는 0입니다."""
    words = torch.randn(3, 5, 9, generator=rng, dtype=torch.float64)
    pairs = torch.randn(3, 2, generator=rng, dtype=torch.float64)
    labels = torch.randint(1, 9, (3, 5), generator=rng)
    labels[torch.rand(3, 5, generator=rng) < 0.5] = -100
    labels[0, 0], labels[1] = 4, -100
    following = torch.tensor([0, 1, 1])
    chosen = labels != -100
    share = words.softmax(dim=-1) - torch.nn.functional.one_hot(labels.clamp(min=0), 9)
    to_pairs = (pairs.softmax(dim=-1) - torch.nn.functional.one_hot(following, 2)) / 3
    found = gradients(student.pretraining_loss, words, labels, pairs, following)["inputs"]
    assert found[0] is not None, "단어의 헤드에 기울기가 흐르지 않습니다."
    assert found[2] is not None, "문장 쌍의 헤드에 기울기가 흐르지 않습니다."
    assert_close(found[0], share * chosen[..., None] / chosen.sum(), rtol=1e-9, atol=1e-9)
    assert_close(found[2], to_pairs, rtol=1e-9, atol=1e-9)
    found = mutated(student.pretraining_loss, words, labels, pairs, following)
    assert found == [], "입력이 바뀌었습니다."


### END HIDDEN TESTS
