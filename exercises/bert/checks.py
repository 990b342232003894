"""What the exercise `bert` is graded by."""

from functools import cache

import pytest
import torch

from grader.judging.suite import (
    assert_close,
    follows_device,
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

# No two alike, so that none can take another's place.
SIZES = {
    "vocab_size": 13,
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 12,
    "max_position_embeddings": 7,
    "type_vocab_size": 3,
}


# Oracles and examples -----------------------------------------------------------------------------------------
# An oracle is made once and gets other weights in each test: making one takes longer than asking it.


def hugging_face_config(sizes):
    """A configuration of transformers, on either side."""
    from transformers import BertConfig

    return BertConfig(**sizes, attn_implementation="eager")


def fixed_state(state):
    """The same names and shapes with fixed float64 values."""
    return {
        name: scattered(value.shape, name.replace("layer_norm", "LayerNorm")) for name, value in state.items()
    }


def random_state(state, rng):
    return {
        name: torch.randn(value.shape, generator=rng, dtype=torch.float64) / 2
        for name, value in sorted(state.items())
    }


@cache
def oracle_embeddings(**changes):
    """Embeddings of transformers, in float64 and evaluation mode."""
    from transformers.models.bert.modeling_bert import BertEmbeddings

    return BertEmbeddings(hugging_face_config({**SIZES, **changes})).double().eval()


@cache
def oracle_model(**changes):
    """BERT of transformers, in float64 and evaluation mode."""
    from transformers import BertModel

    return BertModel(hugging_face_config({**SIZES, **changes})).double().eval()


def loaded(student, module, state, dtype=torch.float64):
    """A student's module with this state, in evaluation mode."""
    load(student, module.to(dtype), {name: value.to(dtype) for name, value in state.items()})
    return module.eval()


def pair():
    """Two sentence pairs: ids, segments, and a mask under which the second has three tokens of padding."""
    ids = torch.tensor([[2, 5, 9, 3, 7, 3], [2, 11, 3, 0, 0, 0]])
    types = torch.tensor([[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0]])
    return ids, types, torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])


# BertEmbeddings -----------------------------------------------------------------------------------------------


@points(
    0.5,
    question="BertEmbeddings",
    hint="토큰, 위치, 세그먼트 임베딩을 더한 다음 LayerNorm을 지나야 합니다. 이름과 eps도 config대로인지 보십시오.",
    read="bert#bert-input",
)
def test_three_embeddings_are_added(student):
    oracle, (ids, types, _) = oracle_embeddings(), pair()
    state = fixed_state(oracle.state_dict())
    oracle.load_state_dict(state)
    embeddings = loaded(student, student.BertEmbeddings(student.BertConfig(**SIZES)), state, torch.float32)
    assert_close(embeddings(ids, types), oracle(ids, types), atol=1e-5)


@points(
    0.25,
    question="BertEmbeddings",
    hint="상태 사전에는 네 부품만 있어야 Hugging Face의 가중치를 그대로 부릅니다. 버퍼는 persistent=False로 등록하십시오.",
    read="bert#bert-input",
)
def test_state_holds_the_four_parts(student):
    found = set(student.BertEmbeddings(student.BertConfig(**SIZES)).state_dict())
    wrong = sorted(found ^ set(oracle_embeddings().state_dict()))
    assert not wrong, f"상태 사전의 이름이 다릅니다: {wrong[:3]}"


@points(
    0.25,
    question="BertEmbeddings",
    hint="위치 임베딩의 행보다 긴 입력에는 ValueError를 내야 합니다. 꼭 맞는 길이는 받아야 합니다.",
    read="bert#bert-positions",
)
def test_more_tokens_than_positions_are_refused(student):
    embeddings = student.BertEmbeddings(student.BertConfig(**SIZES)).eval()
    assert tuple(embeddings(torch.full((1, 7), 5)).shape) == (1, 7, 8), "7개까지는 받아야 합니다."
    with pytest.raises(ValueError):
        embeddings(torch.full((1, 8), 5))


@observes("BertEmbeddings")
def observe_bert_embeddings(student):
    config = student.BertConfig(**SIZES, layer_norm_eps=0.5, hidden_dropout_prob=1.0)
    embeddings, (ids, types, _) = student.BertEmbeddings(config), pair()
    state = parameters(student, embeddings)
    names = sorted(name.replace("layer_norm", "LayerNorm") for name in embeddings.state_dict())
    embeddings = loaded(student, embeddings, fixed_state(state))
    turned = torch.tensor([[3, 0, 1, 2, 6, 4]] * 2)
    return [
        names,
        embeddings(ids, types)[..., :3],
        outcome(lambda: embeddings(ids)[..., :3]),
        outcome(lambda: embeddings(ids, types, turned)[..., :3]),
        outcome(lambda: list(embeddings(torch.full((1, 8), 5)).shape)),
        embeddings.train()(ids, types)[..., :3],
    ]




# BertModel ----------------------------------------------------------------------------------------------------


@points(
    0.75,
    question="BertModel",
    hint="Hugging Face의 BertModel과 은닉 상태가 다릅니다. 임베딩, 층의 연결, 층을 쌓은 차례를 보십시오.",
    read="bert#bert-layers",
)
def test_hidden_states_equal_hugging_face(student):
    oracle, (ids, types, _) = oracle_model(), pair()
    state = fixed_state(oracle.state_dict())
    oracle.load_state_dict(state)
    model = loaded(student, student.BertModel(student.BertConfig(**SIZES)), state, torch.float32)
    hidden, _ = model(ids, types)
    assert_close(hidden, oracle(ids, token_type_ids=types).last_hidden_state, atol=1e-4)


@points(
    0.5,
    question="BertModel",
    hint="attention_mask가 0인 자리는 키로서 가려져야 합니다. (B, L)을 (B, 1, 1, L) 불리언으로 바꾸어 모든 층에 넘기십시오.",
    read="bert#bert-mask",
)
def test_padding_is_hidden(student):
    oracle, (ids, types, mask) = oracle_model(), pair()
    state = fixed_state(oracle.state_dict())
    oracle.load_state_dict(state)
    model = loaded(student, student.BertModel(student.BertConfig(**SIZES)), state, torch.float32)
    hidden, _ = model(ids, types, mask)
    expected = oracle(ids, attention_mask=mask, token_type_ids=types).last_hidden_state
    assert_close(hidden, expected, atol=1e-4)


@points(
    0.25,
    question="BertModel",
    hint="둘째 결과는 [CLS]의 마지막 은닉 상태를 dense와 tanh에 통과시킨 (B, H)입니다.",
    read="bert#bert-pooler",
)
def test_pooled_equals_hugging_face(student):
    oracle, (ids, types, _) = oracle_model(), pair()
    state = fixed_state(oracle.state_dict())
    oracle.load_state_dict(state)
    model = loaded(student, student.BertModel(student.BertConfig(**SIZES)), state, torch.float32)
    _, pooled = model(ids, types)
    assert_close(pooled, oracle(ids, token_type_ids=types).pooler_output, atol=1e-4)


@observes("BertModel")
def observe_bert_model(student):
    config = student.BertConfig(**SIZES, initializer_range=0.0)
    model, (ids, types, mask) = student.BertModel(config), pair()
    state = parameters(student, model)
    start = sum(float(value.abs().sum()) for name, value in state.items() if name.endswith("query.weight"))
    wanted = fixed_state(oracle_model().state_dict())
    load(student, model.double(), wanted, optional=wanted)
    model = model.eval()
    biases = sum(float(value.abs().sum()) for name, value in state.items() if name.endswith("dense.bias"))
    seen = [len(state), start == 0.0, biases == 0.0]
    for call in [
        lambda: model(ids, types),
        lambda: model(ids),
        lambda: model(ids, types, mask),
        lambda: model(ids, types, mask.bool()),
    ]:
        found = outcome(call)
        seen.append(found if isinstance(found, str) else [part[..., :2] for part in found])
    return seen




# pool ---------------------------------------------------------------------------------------------------------


def three_states():
    """Two sentences of three tokens, all values below zero but the padding's."""
    return torch.tensor(
        [
            [[-1.0, -5.0, -2.0], [-3.0, -1.0, -4.0], [9.0, 9.0, 9.0]],
            [[-2.0, -6.0, -1.0], [-4.0, -3.0, -7.0], [-6.0, -9.0, -1.0]],
        ]
    )


def three_mask():
    return torch.tensor([[True, True, False], [True, True, True]])


@points(
    0.5,
    question="pool",
    hint="평균은 진짜 토큰의 합을 진짜 토큰의 수로 나눈 것입니다. 패딩은 합에도 수에도 들어가지 않습니다.",
    read="bert#pool-mean",
)
def test_mean_of_real_tokens(student):
    expected = torch.tensor([[-2.0, -3.0, -3.0], [-4.0, -6.0, -3.0]])
    assert_close(student.pool(three_states(), three_mask(), "mean"), expected)


@points(
    0.25,
    question="pool",
    hint="최댓값도 진짜 토큰에서만 고릅니다. 패딩을 0으로 채우면 음수뿐인 성분에서 0이 뽑힙니다.",
    read="bert#pool-max",
)
def test_max_of_real_tokens(student):
    expected = torch.tensor([[-1.0, -1.0, -2.0], [-2.0, -3.0, -1.0]])
    assert_close(student.pool(three_states(), three_mask(), "max"), expected)


@points(
    0.25,
    question="pool",
    hint="cls는 토큰 축의 첫 자리, hidden[:, 0]입니다. 아는 이름이 아니면 ValueError를 냅니다.",
    read="bert#bert-pooler",
)
def test_first_token(student):
    expected = torch.tensor([[-1.0, -5.0, -2.0], [-2.0, -6.0, -1.0]])
    assert_close(student.pool(three_states(), three_mask(), "cls"), expected)
    with pytest.raises(ValueError):
        student.pool(three_states(), three_mask(), "median")


@observes("pool")
def observe_pool(student):
    nothing = torch.tensor([[True, False, False], [False, False, False]])
    seen = [
        outcome(lambda mask=mask, how=how: student.pool(three_states(), mask, how))
        for how in ["cls", "mean", "max"]
        for mask in [three_mask(), nothing]
    ]
    changed = outcome(
        lambda: [mutated(student.pool, three_states(), three_mask(), h) for h in ["mean", "max"]]
    )
    return [seen, outcome(lambda: student.pool(three_states(), three_mask(), "median")), changed]




# count_bert_parameters ----------------------------------------------------------------------------------------


def assert_count(found, expected):
    assert isinstance(found, int) and found == expected, f"{expected:,}이어야 하는데 {found!r}입니다."


@points(
    0.5,
    question="count_bert_parameters",
    hint="BERT-base는 109,482,240개입니다. 임베딩 23,837,184, 층 하나 7,087,872, 풀러 590,592로 나누어 견주어 보십시오.",
    read="bert#bert-counting",
)
def test_size_of_bert_base(student):
    assert_count(student.count_bert_parameters(student.BertConfig()), 109_482_240)


@observes("count_bert_parameters")
def observe_count_bert_parameters(student):
    changes = [
        {},
        SIZES,
        {
            **SIZES,
            "num_hidden_layers": 5,
            "num_attention_heads": 2,
            "type_vocab_size": 4,
            "intermediate_size": 9,
        },
    ]
    return [str(student.count_bert_parameters(student.BertConfig(**sizes))) for sizes in changes]
