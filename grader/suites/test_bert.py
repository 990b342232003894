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


### BEGIN HIDDEN TESTS
@points(0.5, "BertEmbeddings", read="bert-segments")
def test_without_segments_all_are_the_first(student, rng):
    """token_type_ids가 없으면 모두 0번 세그먼트입니다. 0번 세그먼트의 임베딩은 더해집니다."""
    oracle = oracle_embeddings()
    state = random_state(oracle.state_dict(), rng)
    oracle.load_state_dict(state)
    embeddings = loaded(student, student.BertEmbeddings(student.BertConfig(**SIZES)), state)
    for shape in [(1, 1), (3, 5)]:
        ids = torch.randint(0, 13, shape, generator=rng)
        assert_close(embeddings(ids), oracle(ids), rtol=1e-10, atol=1e-10)


@points(0.5, "BertEmbeddings", read="bert-input")
def test_embeddings_equal_hugging_face(student, device, rng):
    """어떤 크기에서도, 따로 준 위치 번호로도 Hugging Face의 BertEmbeddings와 같아야 합니다. LayerNorm의 eps는 1e-12입니다."""
    for changes in [
        {},
        {"hidden_size": 5, "num_attention_heads": 1, "type_vocab_size": 4, "layer_norm_eps": 0.1},
    ]:
        oracle = oracle_embeddings(**changes)
        state = random_state(oracle.state_dict(), rng)
        oracle.load_state_dict(state)
        config = place(student, hugging_face_config)({**SIZES, **changes})
        embeddings = loaded(student, student.BertEmbeddings(config), state).to(str(device))
        ids = torch.randint(0, 13, (3, 6), generator=rng)
        types = torch.randint(0, 2, (3, 6), generator=rng)
        positions = torch.randint(0, 7, (3, 6), generator=rng)
        for places in [None, positions]:
            found = embeddings(
                ids.to(device), types.to(device), None if places is None else places.to(device)
            )
            assert_close(found, oracle(ids, types, places), rtol=1e-10, atol=1e-10)


@points(0.5, "BertEmbeddings", read="bert-embedding-dropout")
def test_dropout_comes_last(student, rng):
    """드롭아웃은 층 정규화 다음에 한 번 걸리고, 평가할 때는 꺼집니다."""
    oracle = oracle_embeddings()
    state = random_state(oracle.state_dict(), rng)
    oracle.load_state_dict(state)
    config = student.BertConfig(**SIZES, hidden_dropout_prob=1.0)
    embeddings, (ids, types, _) = loaded(student, student.BertEmbeddings(config), state), pair()
    assert_close(embeddings(ids, types), oracle(ids, types), rtol=1e-10, atol=1e-10)
    assert_close(embeddings.train()(ids, types), torch.zeros(2, 6, 8))


@points(0.25, "BertEmbeddings", read="bert-positions", step="robust")
def test_embeddings_have_manners(student):
    """위치와 세그먼트의 번호를 input_ids의 장치에서 만드십시오. 받은 번호를 바꾸지 마십시오."""
    embeddings, (ids, types, _) = student.BertEmbeddings(student.BertConfig(**SIZES)).eval(), pair()
    assert mutated(embeddings, ids, types) == [], "입력이 바뀌었습니다."
    assert follows_device(student, embeddings, ids), "위치나 세그먼트 번호가 입력과 다른 장치에 있습니다."


### END HIDDEN TESTS


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


### BEGIN HIDDEN TESTS
@points(0.75, "BertModel", read="bert-mask")
def test_model_equals_hugging_face(student, device, rng):
    """어떤 크기와 마스크에서도 Hugging Face의 BertModel과 같아야 합니다. 마스크는 정수로도 불리언으로도 옵니다."""
    larger = {"num_hidden_layers": 3, "hidden_size": 12, "num_attention_heads": 2, "intermediate_size": 20}
    for changes in [{}, larger]:
        oracle = oracle_model(**changes)
        state = random_state(oracle.state_dict(), rng)
        oracle.load_state_dict(state)
        config = place(student, hugging_face_config)({**SIZES, **changes})
        model = loaded(student, student.BertModel(config), state).to(str(device))
        ids = torch.randint(0, 13, (3, 7), generator=rng)
        types = torch.randint(0, 2, (3, 7), generator=rng)
        mask = torch.rand(3, 7, generator=rng) < 0.6
        mask[:, 0] = True
        for given in [None, mask, mask.long()]:
            expected = oracle(ids, attention_mask=given, token_type_ids=types)
            hidden, pooled = model(
                ids.to(device), types.to(device), None if given is None else given.to(device)
            )
            assert_close(hidden, expected.last_hidden_state, rtol=1e-10, atol=1e-10)
            assert_close(pooled, expected.pooler_output, rtol=1e-10, atol=1e-10)
        one = ids[:1, :1]
        expected = oracle(one, token_type_ids=types[:1, :1]).last_hidden_state
        assert_close(model(one.to(device), types[:1, :1].to(device))[0], expected, rtol=1e-10, atol=1e-10)
        assert tuple(model(ids.to(device))[1].shape) == (3, expected.shape[-1]), (
            "번호만 받아도 되어야 합니다."
        )


@points(0.5, "BertModel", read="bert-mask", step="robust")
def test_a_sentence_of_padding(student, rng):
    """문장 하나가 모두 패딩이어도 결과는 유한하고, 같은 배치의 다른 문장은 혼자 들어왔을 때와 같아야 합니다."""
    oracle = oracle_model()
    state = random_state(oracle.state_dict(), rng)
    oracle.load_state_dict(state)
    model = loaded(student, student.BertModel(student.BertConfig(**SIZES)), state)
    ids = torch.randint(1, 13, (2, 5), generator=rng)
    ids[1] = 0
    mask = torch.tensor([[1, 1, 1, 1, 0], [0, 0, 0, 0, 0]])
    types = torch.zeros_like(ids)
    hidden, pooled = model(ids, types, mask)
    assert hidden.isfinite().all() and pooled.isfinite().all(), (
        "모두 패딩인 문장에서 NaN이나 무한대가 나옵니다."
    )
    alone = oracle(ids[:1, :4])
    assert_close(hidden[:1, :4], alone.last_hidden_state, rtol=1e-10, atol=1e-10)
    assert_close(pooled[:1], alone.pooler_output, rtol=1e-10, atol=1e-10)


@points(0.5, "BertModel", read="bert-layers")
def test_every_part_learns(student, rng):
    """모든 층과 풀러가 학습되어야 합니다. 층은 nn.ModuleList에 담고, 층마다 자기 가중치를 둡니다."""
    quiet = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    model = student.BertModel(student.BertConfig(**{**SIZES, **quiet, "num_hidden_layers": 3}))
    ids, types, mask = pair()
    found = gradients(model, ids, types, mask, output=1, cotangent=torch.randn(2, 8, generator=rng))
    names = [f"encoder.layer.{i}.intermediate.dense.weight" for i in range(3)]
    names += [f"encoder.layer.{i}.attention.self.query.weight" for i in range(3)]
    for name in [*names, "pooler.dense.weight", "embeddings.token_type_embeddings.weight"]:
        gradient = found["parameters"].get(name)
        assert gradient is not None and gradient.abs().sum() > 0, f"{name}에 기울기가 흐르지 않습니다."


@points(0.25, "BertModel", read="bert-start", step="robust")
def test_small_start(student):
    """새로 만든 모델의 행렬과 임베딩 표는 표준편차가 initializer_range인 정규분포에서 시작해야 합니다."""
    config = student.BertConfig(**{**SIZES, "hidden_size": 64, "vocab_size": 200, "initializer_range": 0.03})
    state = student.BertModel(config).state_dict()
    names = [
        "embeddings.word_embeddings.weight",
        "encoder.layer.1.attention.self.value.weight",
        "pooler.dense.weight",
    ]
    for name in names:
        deviation = state[name].std().item()  # its own spread is below 1.2 %
        assert abs(deviation - 0.03) < 0.003, f"{name}의 표준편차가 0.03이어야 하는데 {deviation:.3f}입니다."
    assert not state["pooler.dense.bias"].any(), "편향이 0에서 시작하지 않습니다. init_weights를 부르십시오."


@points(0.25, "BertModel", read="bert-embedding-dropout")
def test_dropout_in_training_only(student, rng):
    """학습할 때는 드롭아웃이 켜지고 평가할 때는 꺼져야 합니다. config의 확률을 부품에 넘겼는지 보십시오."""
    oracle, (ids, types, mask) = oracle_model(), pair()
    state = random_state(oracle.state_dict(), rng)
    oracle.load_state_dict(state)
    dropped = {"hidden_dropout_prob": 1.0, "attention_probs_dropout_prob": 1.0}
    model = loaded(student, student.BertModel(student.BertConfig(**SIZES, **dropped)), state)
    expected = oracle(ids, attention_mask=mask, token_type_ids=types).last_hidden_state
    assert_close(model(ids, types, mask)[0], expected, rtol=1e-10, atol=1e-10)
    # Everything but the shortcuts is dropped, and the embeddings too: what is left is the last bias, normalised.
    hidden, _ = model.train()(ids, types, mask)
    assert_close(hidden, hidden[:1, :1].expand(2, 6, 8), rtol=1e-10, atol=1e-10)


@points(0.25, "BertModel", read="bert-layers", step="robust")
def test_the_model_has_manners(student):
    """모델이 만드는 텐서는 input_ids와 같은 장치에 놓습니다. 받은 번호와 마스크를 바꾸지 마십시오."""
    model = student.BertModel(student.BertConfig(**SIZES)).eval()
    assert_manners(student, model, *pair())


### END HIDDEN TESTS


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


### BEGIN HIDDEN TESTS
@points(0.75, "pool", read="pool-mean")
def test_padding_has_no_influence(student, device, rng):
    """패딩 자리에 무엇이 있든 결과가 같아야 합니다."""
    for size, length, width in [(1, 1, 3), (4, 4, 4), (3, 6, 5)]:
        hidden = torch.randn(size, length, width, generator=rng, dtype=torch.float64) - 10
        lengths = [1, *torch.randint(1, length + 1, (size - 1,), generator=rng).tolist()]
        mask = torch.tensor([[j < n for j in range(length)] for n in lengths])
        other = torch.where(mask[..., None], hidden, torch.tensor(1e6, dtype=torch.float64))
        rows = [row[:n] for row, n in zip(hidden, lengths, strict=True)]
        for how, expected in [
            ("mean", torch.stack([row.mean(0) for row in rows])),
            ("max", torch.stack([row.max(0).values for row in rows])),
            ("cls", hidden[:, 0]),
        ]:
            found = student.pool(other.clone().to(device), mask.to(device), how)
            assert_close(found, expected, rtol=1e-10, atol=1e-10)


@points(0.25, "pool", read="pool-nothing", step="robust")
def test_nothing_to_pool(student, rng):
    """진짜 토큰이 없는 문장의 평균과 최댓값은 0이고, 다른 문장의 기울기는 유한해야 합니다."""
    hidden = (
        torch.randn(2, 3, 4, generator=rng, dtype=torch.float64) + 10
    )  # what is above 0 is another test's matter
    mask = torch.tensor([[True, True, False], [False, False, False]])
    cotangent = torch.randn(2, 4, generator=rng, dtype=torch.float64)
    for how, expected in [("mean", hidden[0, :2].mean(0)), ("max", hidden[0, :2].max(0).values)]:
        found = gradients(student.pool, hidden, mask, how, cotangent=cotangent)
        assert_close(found["output"], torch.stack([expected, torch.zeros(4)]), rtol=1e-10, atol=1e-10)
        gradient = found["inputs"][0]
        assert gradient.isfinite().all(), "기울기에 NaN이 있습니다."
        assert_close(gradient[0].sum(0), cotangent[0], rtol=1e-10, atol=1e-10)
        assert_close(gradient[:, 2], torch.zeros(2, 4))
    assert_close(student.pool(hidden, mask, "cls"), hidden[:, 0])


@points(0.25, "pool", read="pool-mean", step="robust")
def test_pool_has_manners(student):
    """마스크는 0과 1의 정수로도 옵니다. 아는 이름이 아니면 ValueError를 냅니다. 자료형과 장치는 hidden을 따르고, 받은 텐서를 바꾸지 않습니다."""
    hidden, mask = three_states().double(), three_mask()
    for how in ("mean", "max"):
        right = student.pool(hidden.clone(), mask, how)
        assert_close(student.pool(hidden.clone(), mask.long(), how), right)
        assert bad_manners(student, student.pool, hidden, mask, how, learns=()) == "none", how
    assert refuses(student.pool, hidden, mask, "median"), "모르는 이름을 받아들였습니다."


### END HIDDEN TESTS


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


### BEGIN HIDDEN TESTS
@points(0.5, "count_bert_parameters", read="bert-counting")
def test_size_of_bert_large(student):
    """BERT-large는 335,141,888개입니다. 층 24개, 은닉 1,024, 헤드 16개, 안쪽 4,096입니다."""
    large = {
        "hidden_size": 1024,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 4096,
    }
    assert_count(student.count_bert_parameters(student.BertConfig(**large)), 335_141_888)


@points(0.5, "count_bert_parameters", read="bert-counting")
def test_counts_of_hugging_face(student, rng):
    """어떤 크기에서도 Hugging Face의 BertModel에서 센 수와 같아야 합니다. intermediate_size가 언제나 4H는 아닙니다."""
    from transformers import BertModel

    for heads, num_layers in [(1, 1), (4, 3)]:
        drawn = torch.randint(3, 40, (4,), generator=rng).tolist()
        names = ["vocab_size", "intermediate_size", "max_position_embeddings", "type_vocab_size"]
        sizes = dict(zip(names, drawn, strict=True))
        sizes |= {"hidden_size": 8 * heads, "num_attention_heads": heads, "num_hidden_layers": num_layers}
        with torch.device("meta"):
            oracle = BertModel(hugging_face_config(sizes))
        expected = sum(parameter.numel() for parameter in oracle.parameters())
        for config in [place(student, hugging_face_config)(sizes), place(student, sizes_only)(sizes)]:
            assert_count(student.count_bert_parameters(config), expected)


### END HIDDEN TESTS
