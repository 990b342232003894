"""What the exercise `bert_pretraining` is graded by."""

import math
from functools import cache

import torch

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

VOCAB, MASK = 40, 4
SIZES = {"vocab_size": 13, "hidden_size": 8}


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


@points(
    0.75,
    question="mask_tokens",
    hint="특수 토큰이 아닌 것의 15%를 뽑고, 뽑은 자리의 라벨은 원래 토큰, 나머지는 -100입니다. 뽑지 않은 자리의 입력은 그대로입니다.",
    read="bert_pretraining#mlm-labels",
)
def test_labels_are_what_was_there(student):
    ids, special = batch()
    inputs, labels = masked(student, ids, special)
    chosen = labels != -100
    assert not (chosen & special).any(), "특수 토큰을 뽑았습니다."
    assert_share(int(chosen.sum()), int((~special).sum()), 0.15, "뽑힌 토큰의 비율")
    assert_close(labels[chosen], ids[chosen])
    assert_close(inputs[~chosen], ids[~chosen])


@points(
    0.5,
    question="mask_tokens",
    hint="뽑힌 토큰 가운데 80%는 [MASK], 10%는 무작위 토큰이 되고 10%는 그대로입니다. 세 가지 모두 라벨이 있습니다.",
    read="bert_pretraining#mlm-fates",
)
def test_fates_of_the_chosen(student):
    ids, special = batch()
    inputs, labels = masked(student, ids, special, seed=1)
    chosen = labels != -100
    before, after, count = ids[chosen], inputs[chosen], int(chosen.sum())
    assert count > 0, "뽑힌 토큰이 없습니다."
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
    kept = ids.clone()
    inputs, labels = masked(student, ids, special, seed=2, vocab_size=80)
    chosen = labels != -100
    before, after, count = kept[chosen], inputs[chosen], max(1, int(chosen.sum()))
    words = after[(after != MASK) & (after != before)]
    counts = chosen.sum(dim=1).double()
    again, _ = masked(student, kept.clone(), special, seed=2, vocab_size=80)
    other, _ = masked(student, kept.clone(), special, seed=3, vocab_size=80)
    top, _ = masked(student, kept.clone(), special, seed=4, vocab_size=6)
    numbers, masks = (torch.tensor(part).double() for part in numbers_drawn(student, range(30)))
    return [
        round(20 * int((chosen & ~special).sum()) / int((~special).sum())),
        bool((chosen & special).any()),
        bool((labels[chosen] == before).all()),
        bool((inputs[~chosen] == kept[~chosen]).all()),
        [round(10 * int(part.sum()) / count) for part in (after == MASK, after == before)],
        min(20, len(set(words.tolist()))),
        bool((words < 5).any()),
        bool(((top == 5) & (kept != 5)).any()),
        round(counts.std().item() / 2.4),
        bool((chosen == chosen[:1]).all()),
        bool(numbers.std() > 2),
        bool((masks - 0.8 * numbers).std() > 1),
        bool(torch.equal(inputs, again)),
        bool(torch.equal(inputs, other)),
        mutated(student.mask_tokens, kept, special, VOCAB, MASK, torch.Generator().manual_seed(5)),
    ]




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


@points(
    0.5,
    question="make_nsp_pairs",
    hint="다음 문장이 있는 문장마다 짝이 하나씩, 글의 차례대로 나옵니다. 라벨 0의 b는 같은 문서의 바로 다음 문장입니다.",
    read="bert_pretraining#nsp-pairs",
)
def test_one_pair_for_each_sentence_with_a_next(student):
    documents = library([4, 2, 1, 40, 30])
    found = plain_pairs(student, documents)
    assert [a for a, _, _ in found] == firsts(documents), "짝의 앞 문장이 다릅니다."
    following = {a: b for document in documents for a, b in zip(document, document[1:], strict=False)}
    real = [(a, b) for a, b, label in found if label == 0]
    assert real, "라벨 0인 짝이 없습니다."
    for a, b in real:
        assert b == following[a], f"라벨 0인 짝이 ({a}, {b})입니다. b는 {following[a]}이어야 합니다."


@points(
    0.5,
    question="make_nsp_pairs",
    hint="라벨 1의 b는 다른 문서에서 뽑고, 라벨은 반반입니다.",
    read="bert_pretraining#nsp-other-document",
)
def test_random_sentences_come_from_elsewhere(student):
    found = plain_pairs(student, library([200, 300, 100]), seed=1)
    random = [(a, b) for a, b, label in found if label == 1]
    assert_share(len(random), max(1, len(found)), 0.5, "라벨 1의 비율")
    for a, b in random:
        assert document_of(a) != document_of(b), f"({a}, {b})는 같은 문서의 문장입니다."


@observes("make_nsp_pairs")
def observe_make_nsp_pairs(student):
    lengths = [300, 1, 200, 3, 1, 100]
    documents = library(lengths)
    found = plain_pairs(student, library(lengths), seed=2)
    following = {a: b for document in documents for a, b in zip(document, document[1:], strict=False)}
    real = [pair for pair in found if pair[2] == 0]
    random = [pair for pair in found if pair[2] == 1]
    own = sum(document_of(a) == document_of(b) for a, b, _ in random)
    return [
        len(found),
        [a for a, _, _ in found] == firsts(documents),
        round(4 * len(random) / max(1, len(found))),
        all(following.get(a) == b for a, b, _ in real),
        all(following.get(a) == b for a, b, _ in random),
        min(2, round(8 * own / max(1, len(random)))),
        len({document_of(b) for a, b, _ in random if document_of(a) == 0}) > 1,
        len({b for _, b, _ in random}) > len(random) // 2,
        {b for _, b, _ in random} <= {document[0] for document in documents},
        len({a for a, _, _ in random} & set(firsts(documents))) == len(random),
        plain_pairs(student, library(lengths), seed=2) == found,
        place(student, leaves_alone)(student.make_nsp_pairs, library(lengths), 3),
    ]


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
    head = student.MLMHead(config, embedding).to(state["decoder.weight"].dtype)
    found = load(student, head, state, optional=BIASES)
    assert found.keys() & set(BIASES), "편향이 없습니다."
    return head.eval(), embedding


def fixed_head_state(state):
    """Fixed values by name; the bias has one value under both of its names."""
    return {name: scattered(value.shape, "bias" if name in BIASES else name) for name, value in state.items()}


@points(
    0.25,
    question="MLMHead",
    hint="dense, GELU, LayerNorm, decoder의 차례여야 합니다. 이름과 편향도 Hugging Face와 같아야 합니다.",
    read="bert_pretraining#mlm-head",
)
def test_head_equals_hugging_face(student):
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


@points(
    0.5,
    question="MLMHead",
    hint="decoder.weight는 embedding.weight와 같은 파라미터여야 합니다. 값을 베끼면 임베딩이 학습되어도 헤드는 그대로입니다.",
    read="bert_pretraining#mlm-tied",
)
def test_decoder_is_the_embedding(student):
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
    table = scattered((13, 8), 5)
    embedding = place(student, embedding_of)(table)
    config = student.BertConfig(**SIZES, layer_norm_eps=0.5)
    head = student.MLMHead(config, embedding)
    kept = bool(torch.equal(place(student, table_of)(embedding), table))
    biases = list(parameters(student, head, *BIASES).values())
    start = sum(float(value.abs().sum()) for value in biases)
    head = head.double()
    load(student, head, fixed_head_state(oracle_head().state_dict()), optional=BIASES)
    hidden = scattered((3, 8), 9)
    before, after = place(student, follows_the_table)(head.eval(), embedding, hidden)
    head = head.train()
    return [
        kept,
        bool(torch.equal(head(hidden), head(hidden))),
        len(biases) > 0,
        start == 0.0,
        before[..., :4],
        after[..., :4],
    ]




# NSPHead ------------------------------------------------------------------------------------------------------


def nsp_head_with(student, config, state):
    head = student.NSPHead(config).to(state["seq_relationship.weight"].dtype)
    load(student, head, state)
    return head.eval()


def fixed_nsp_state():
    return {"seq_relationship.weight": scattered((2, 8), 1), "seq_relationship.bias": scattered((2,), 2)}


@points(
    0.5,
    question="NSPHead",
    hint="풀러의 출력에 선형 변환 seq_relationship 하나를 씁니다. 로짓은 둘입니다.",
    read="bert_pretraining#nsp-head",
)
def test_two_logits(student):
    state, pooled = fixed_nsp_state(), scattered((3, 8), 3)
    head = nsp_head_with(student, student.BertConfig(**SIZES), state)
    expected = pooled @ state["seq_relationship.weight"].T + state["seq_relationship.bias"]
    assert_close(head(pooled), expected, atol=1e-6)


@observes("NSPHead")
def observe_nsp_head(student):
    head = student.NSPHead(student.BertConfig(**SIZES)).double()
    state = parameters(student, head)
    load(student, head, {name: scattered(value.shape, name) for name, value in state.items()})
    pooled = 2 * scattered((3, 8), 11)
    return [sorted(state), head.eval()(pooled), head.train()(pooled)]




# pretraining_loss ---------------------------------------------------------------------------------------------


def scored():
    """Logits and labels of two rows with three chosen tokens and one."""
    labels = torch.tensor([[-100, 3, 0, -100, 6], [-100, -100, -100, 2, -100]])
    return 3 * scattered((2, 5, 8), 1), labels, 2 * scattered((2, 2), 2), torch.tensor([1, 0])


@points(
    0.5,
    question="pretraining_loss",
    hint="모든 로짓이 0이면 log V + log 2입니다. 뽑힌 토큰의 평균과 문장 쌍의 평균을 더합니다.",
    read="bert_pretraining#pretraining-sum",
)
def test_no_idea_costs_the_logarithms(student):
    labels = torch.tensor([[-100, 3, 5], [2, -100, -100]])
    loss = student.pretraining_loss(torch.zeros(2, 3, 8), labels, torch.zeros(2, 2), torch.tensor([0, 1]))
    assert_close(loss, torch.tensor(math.log(8) + math.log(2)))
    one = torch.tensor([[-100, 3, -100], [-100, -100, -100]])
    loss = student.pretraining_loss(torch.zeros(2, 3, 8), one, torch.zeros(2, 2), torch.tensor([0, 1]))
    assert_close(loss, torch.tensor(math.log(8) + math.log(2)))
    sure = 50.0 * torch.nn.functional.one_hot(labels.clamp(min=0), 8)
    loss = student.pretraining_loss(sure, labels, torch.zeros(2, 2), torch.tensor([0, 1]))
    assert_close(loss, torch.tensor(math.log(2)))


@points(
    0.5,
    question="pretraining_loss",
    hint="뽑힌 토큰이 하나도 없으면 앞의 것은 NaN이 아니라 0입니다. 문장 쌍의 손실은 남습니다.",
    read="bert_pretraining#pretraining-nothing-chosen",
)
def test_nothing_chosen_costs_nothing(student):
    logits, labels, _, _ = scored()
    pairs = torch.tensor([[0.0, math.log(3)], [0.0, math.log(3)]])
    nothing = torch.full_like(labels, -100)
    loss = student.pretraining_loss(logits.float(), nothing, pairs, torch.tensor([0, 1]))
    assert_close(loss, torch.tensor((math.log(4) + math.log(4 / 3)) / 2))


@observes("pretraining_loss")
def observe_pretraining_loss(student):
    logits, labels, pairs, following = scored()
    nothing = torch.full_like(labels, -100)
    return [
        outcome(lambda: student.pretraining_loss(logits, labels, pairs, following)),
        outcome(lambda: student.pretraining_loss(logits, nothing, pairs, following)),
        outcome(lambda: student.pretraining_loss(logits[:1], labels[:1], pairs[:1], following[:1])),
    ]
