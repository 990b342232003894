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
from grader.judging.values import values_of

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




# NSPHead ------------------------------------------------------------------------------------------------------


def nsp_head_with(student, config, state):
    head = student.NSPHead(config)
    load(student, head, state, typed=True, evaluating=True)
    return head


def fixed_nsp_state():
    return {"seq_relationship.weight": scattered((2, 8), 1), "seq_relationship.bias": scattered((2,), 2)}


next_sentence_logits = values_of(
    [
        ([['float64', 3, 8, 24, -9.2543601, 11.486991], [['float64', 2, 2, -0.55653353, 0.62551698], ['float64', 2, 8, 16, 9.0474417, 6.7921115]]], {'dtype': 'float64', 'shape': [3, 2], 'values': [0.075102982, -0.61100368, -1.9482566, -0.41281964, -2.4284126, -0.57878184]}),
    ]
)


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
