"""What the exercise `bert` is graded by."""

from functools import cache

import pytest
import torch

from grader.judging.contract import assert_manners, bad_manners
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    follows_device,
    gradients,
    load,
    mutated,
    observes,
    parameters,
    place,
    points,
    refuses,
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

# What right answers return on the fixed inputs of the observations
EMBEDDED = [-0.52766, 0.27936, 0.12815, -0.10098, -1.1447, -1.0012]
FIRST_SEGMENT, SOFTER = [-0.52766, -0.20976, 0.090102], [-0.50405, 0.099539, 0.07772]
HIDDEN, POOLED = [-0.099357, 0.093106, -0.10227, 0.094305, -0.12828, 0.091868], [-0.31719, 0.1736]
UNMASKED, MASKED, AT_PADDING = [-0.099662, 0.06461], [-0.099068, 0.11055], [-0.14884, 0.099948]

COUNTS = ["109482240", "1336", "2685"]


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
    values = {name: value.to(dtype) for name, value in state.items()}
    load(student, module, values, typed=True, evaluating=True)
    return module


def pair():
    """Two sentence pairs: ids, segments, and a mask under which the second has three tokens of padding."""
    ids = torch.tensor([[2, 5, 9, 3, 7, 3], [2, 11, 3, 0, 0, 0]])
    types = torch.tensor([[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0]])
    return ids, types, torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])


# BertEmbeddings -----------------------------------------------------------------------------------------------


@points(0.25, "BertEmbeddings", read="bert-input", step="warm-up")
def test_three_embeddings_are_added(student):
    """토큰, 위치, 세그먼트 임베딩을 더한 다음 LayerNorm을 지나야 합니다. 이름과 eps도 config대로인지 보십시오."""
    oracle, (ids, types, _) = oracle_embeddings(), pair()
    state = fixed_state(oracle.state_dict())
    oracle.load_state_dict(state)
    embeddings = loaded(student, student.BertEmbeddings(student.BertConfig(**SIZES)), state, torch.float32)
    assert_close(embeddings(ids, types), oracle(ids, types), atol=1e-5)


@points(0.25, "BertEmbeddings", read="bert-input")
def test_state_holds_the_four_parts(student):
    """상태 사전에는 네 부품만 있어야 Hugging Face의 가중치를 그대로 부릅니다. 버퍼는 persistent=False로 등록하십시오."""
    found = set(student.BertEmbeddings(student.BertConfig(**SIZES)).state_dict())
    wrong = sorted(found ^ set(oracle_embeddings().state_dict()))
    assert not wrong, f"상태 사전의 이름이 다릅니다: {wrong[:3]}"


@points(0.25, "BertEmbeddings", read="bert-positions", step="robust")
def test_more_tokens_than_positions_are_refused(student):
    """위치 임베딩의 행보다 긴 입력에는 ValueError를 내야 합니다. 꼭 맞는 길이는 받아야 합니다."""
    embeddings = student.BertEmbeddings(student.BertConfig(**SIZES)).eval()
    assert tuple(embeddings(torch.full((1, 7), 5)).shape) == (1, 7, 8), "7개까지는 받아야 합니다."
    with pytest.raises(ValueError):
        embeddings(torch.full((1, 8), 5))


@observes("BertEmbeddings")
def observe_bert_embeddings(student):
    (ids, types, _), turned = pair(), torch.tensor([[3, 0, 1, 2, 6, 4]] * 2)

    def made(eps=1e-12, dropout=0.0):
        config = student.BertConfig(**SIZES, layer_norm_eps=eps, hidden_dropout_prob=dropout)
        return loaded(student, student.BertEmbeddings(config), fixed_state(oracle_embeddings().state_dict()))

    def state():
        return set(student.BertEmbeddings(student.BertConfig(**SIZES)).state_dict())

    def given_positions():
        """What becomes of positions that are given: the same tokens, turned with them, keep their vectors."""
        embeddings, straight = made(), torch.arange(6).expand(2, 6)
        found = embeddings(ids.flip(1), types.flip(1), straight.flip(1)).flip(1)
        if torch.allclose(embeddings(ids, types, turned), embeddings(ids, types)):
            return "ignored"
        return "used" if torch.allclose(found, embeddings(ids, types)) else "otherwise"

    def too_long():
        try:
            return list(
                student.BertEmbeddings(student.BertConfig(**SIZES)).eval()(torch.full((1, 8), 5)).shape
            )
        except ValueError:
            return "refused"

    def dropped():
        """What dropout leaves of everything."""
        left = made(dropout=1.0).train()(ids, types)
        return "nothing" if not left.any() else "one vector" if (left == left[:1, :1]).all() else "all"

    names = set(oracle_embeddings().state_dict())
    return up_to_the_first_wrong(
        (lambda: state() >= names, True),
        (lambda: made()(ids, types)[0, :, 3].tolist(), EMBEDDED),
        (lambda: made()(ids)[1, :3, 3].tolist(), FIRST_SEGMENT),
        (given_positions, "used"),
        (lambda: made(eps=0.5)(ids, types)[0, :3, 3].tolist(), SOFTER),
        (lambda: list(made()(torch.full((1, 7), 5)).shape), [1, 7, 8]),
        (too_long, "refused"),
        (lambda: torch.equal(made(dropout=1.0)(ids, types), made()(ids, types)), True),
        (dropped, "nothing"),
        (lambda: state() == names, True),
        (lambda: follows_device(student, made(), ids), True),
    )




# BertModel ----------------------------------------------------------------------------------------------------


@points(0.5, "BertModel", read="bert-layers", step="warm-up")
def test_hidden_states_equal_hugging_face(student):
    """Hugging Face의 BertModel과 은닉 상태가 다릅니다. 임베딩, 층의 연결, 층을 쌓은 차례를 보십시오."""
    oracle, (ids, types, _) = oracle_model(), pair()
    state = fixed_state(oracle.state_dict())
    oracle.load_state_dict(state)
    model = loaded(student, student.BertModel(student.BertConfig(**SIZES)), state, torch.float32)
    hidden, _ = model(ids, types)
    assert_close(hidden, oracle(ids, token_type_ids=types).last_hidden_state, atol=1e-4)


@points(0.5, "BertModel", read="bert-mask")
def test_padding_is_hidden(student):
    """attention_mask가 0인 자리는 키로서 가려져야 합니다. (B, L)을 (B, 1, 1, L) 불리언으로 바꾸어 모든 층에 넘기십시오."""
    oracle, (ids, types, mask) = oracle_model(), pair()
    state = fixed_state(oracle.state_dict())
    oracle.load_state_dict(state)
    model = loaded(student, student.BertModel(student.BertConfig(**SIZES)), state, torch.float32)
    hidden, _ = model(ids, types, mask)
    expected = oracle(ids, attention_mask=mask, token_type_ids=types).last_hidden_state
    assert_close(hidden, expected, atol=1e-4)


@points(0.5, "BertModel", read="bert-pooler")
def test_pooled_equals_hugging_face(student):
    """둘째 결과는 [CLS]의 마지막 은닉 상태를 dense와 tanh에 통과시킨 (B, H)입니다."""
    oracle, (ids, types, _) = oracle_model(), pair()
    state = fixed_state(oracle.state_dict())
    oracle.load_state_dict(state)
    model = loaded(student, student.BertModel(student.BertConfig(**SIZES)), state, torch.float32)
    _, pooled = model(ids, types)
    assert_close(pooled, oracle(ids, token_type_ids=types).pooler_output, atol=1e-4)


@observes("BertModel")
def observe_bert_model(student):
    ids, types, mask = (part.repeat(2, 1) for part in pair())  # as many sentences as heads
    wanted = fixed_state(oracle_model().state_dict())
    fresh = student.BertModel(student.BertConfig(**SIZES, initializer_range=0.0))
    start, once = parameters(student, fresh, *wanted), parameters(student, fresh)

    def missing():
        """Whether names are missing, and whether all of them are names of the layers."""
        names = wanted.keys() - start.keys()
        return (
            "none"
            if not names
            else "layers"
            if all(name.startswith("encoder.layer.") for name in names)
            else "some"
        )

    def model():
        made = student.BertModel(student.BertConfig(**SIZES))
        load(student, made, wanted, typed=True, evaluating=True)
        return made

    def hidden_of(*given):
        return model()(*given)[0]

    def started():
        """What is not as init_weights leaves it, where all that it draws is zero."""
        words = start["embeddings.word_embeddings.weight"]
        if words.any():
            return "everything" if words.std() > 0.5 else "another spread"
        matrices = {name.split(".")[0] for name, value in start.items() if value.dim() == 2 and value.any()}
        biases = any(
            value.any() for name, value in start.items() if name.endswith(("dense.bias", "query.bias"))
        )
        return sorted(matrices) or ("biases" if biases else "nothing")

    return up_to_the_first_wrong(
        (missing, "none"),
        (lambda: len(once) == len(wanted), True),
        (lambda: hidden_of(ids[:1], types[:1])[0, :3, 4:6].flatten().tolist(), HIDDEN),
        (lambda: model()(ids[:1], types[:1])[1][0, :2].tolist(), POOLED),
        (lambda: hidden_of(ids[1:2], types[1:2])[0, 0, 4:6].tolist(), UNMASKED),
        (lambda: hidden_of(ids, types, mask.bool())[1, 1, 4:6].tolist(), MASKED),
        (lambda: hidden_of(ids, types, mask.bool())[1, 4, 4:6].tolist(), AT_PADDING),
        (lambda: same(hidden_of(ids, types, mask), hidden_of(ids, types, mask.bool())), True),
        (started, "nothing"),
        (lambda: follows_device(student, model(), ids, types, mask), True),
    )




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


@points(0.25, "pool", read="pool-mean", step="warm-up")
def test_mean_of_real_tokens(student):
    """평균은 진짜 토큰의 합을 진짜 토큰의 수로 나눈 것입니다. 패딩은 합에도 수에도 들어가지 않습니다."""
    expected = torch.tensor([[-2.0, -3.0, -3.0], [-4.0, -6.0, -3.0]])
    assert_close(student.pool(three_states(), three_mask(), "mean"), expected)


@points(0.25, "pool", read="pool-max")
def test_max_of_real_tokens(student):
    """최댓값도 진짜 토큰에서만 고릅니다. 패딩을 0으로 채우면 음수뿐인 성분에서 0이 뽑힙니다."""
    expected = torch.tensor([[-1.0, -1.0, -2.0], [-2.0, -3.0, -1.0]])
    assert_close(student.pool(three_states(), three_mask(), "max"), expected)


@points(0.25, "pool", read="bert-pooler")
def test_first_token(student):
    """cls는 토큰 축의 첫 자리, hidden[:, 0]입니다."""
    expected = torch.tensor([[-1.0, -5.0, -2.0], [-2.0, -6.0, -1.0]])
    assert_close(student.pool(three_states(), three_mask(), "cls"), expected)


@observes("pool")
def observe_pool(student):
    mask = torch.tensor([[True, True, False], [True, True, False]])
    nothing = torch.tensor([[True, True, False], [False, False, False]])

    def pooled(how, given=mask):
        return student.pool(three_states(), given, how)

    def of_nothing(how):
        """What stands for a sentence without real tokens."""
        found = pooled(how, nothing)[1]
        return "lowest" if (found < -1e30).all() else found.tolist()

    def unknown():
        try:
            pooled("median")
        except ValueError:
            return "refused"
        return "accepted"

    def with_numbers():
        first = torch.tensor([[True, False, False]] * 2)
        return all(same(pooled(how, first.long()), pooled(how, first)) for how in ("mean", "max"))

    def manners():
        return [
            bad_manners(student, student.pool, three_states().double(), mask, how, learns=())
            for how in ("mean", "max")
        ]

    def learns():
        """Whether gradients flow, and are finite, also beside a sentence without real tokens."""
        calls = [(three_states(), given, how) for given in (mask, nothing) for how in ("mean", "max")]
        found = [gradients(student.pool, *call)["inputs"][0] for call in calls]
        return all(bool(grad.isfinite().all() and grad.any()) for grad in found)

    return up_to_the_first_wrong(
        (lambda: pooled("mean").tolist(), [[-2, -3, -3], [-3, -4.5, -4]]),
        (lambda: pooled("max").tolist(), [[-1, -1, -2], [-2, -3, -1]]),
        (lambda: pooled("cls").tolist(), [[-1, -5, -2], [-2, -6, -1]]),
        (with_numbers, True),
        (lambda: of_nothing("mean"), [0, 0, 0]),
        (lambda: of_nothing("max"), [0, 0, 0]),
        (lambda: of_nothing("cls"), [-2, -6, -1]),
        (unknown, "refused"),
        (manners, ["none", "none"]),
        (learns, True),
    )




# count_bert_parameters ----------------------------------------------------------------------------------------


def assert_count(found, expected):
    assert isinstance(found, int) and found == expected, f"{expected:,}이어야 하는데 {found!r}입니다."


@points(0.5, "count_bert_parameters", read="bert-counting", step="warm-up")
def test_size_of_bert_base(student):
    """BERT-base는 109,482,240개입니다. 임베딩 23,837,184, 층 하나 7,087,872, 풀러 590,592로 나누어 비교해 보십시오."""
    assert_count(student.count_bert_parameters(student.BertConfig()), 109_482_240)


def sizes_only(sizes):
    """A configuration that knows sizes and nothing else."""
    from types import SimpleNamespace

    return SimpleNamespace(**sizes)


@observes("count_bert_parameters")
def observe_count_bert_parameters(student):
    others = {"num_hidden_layers": 5, "num_attention_heads": 2, "type_vocab_size": 4, "intermediate_size": 9}

    def counted(**sizes):
        return student.count_bert_parameters(student.BertConfig(**sizes))

    def needs_more():
        """Whether a count fails where there is nothing but sizes."""
        alone = attempt(student.count_bert_parameters, place(student, sizes_only)(SIZES))
        return alone == "fails" and attempt(lambda: counted(**SIZES)) != "fails"

    return up_to_the_first_wrong(
        (needs_more, False),
        (lambda: [str(int(counted(**sizes))) for sizes in ({}, SIZES, {**SIZES, **others})], COUNTS),
        (lambda: type(counted()).__name__, "int"),
    )
