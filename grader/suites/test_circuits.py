"""What the exercise `circuits` is graded by."""

import torch
import torch.nn.functional as F

from grader.judging.contract import assert_manners, bad_manners, how_refused
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
    reached,
    refuses,
    scattered,
)
from grader.judging.values import secret

# logit_lens ---------------------------------------------------------------------------------------------------


def half_more(x):
    """A norm that is not linear."""
    return 1.5 * x + 0.1 * x.square()


def streams(depths=3, batch=(), n=4, d=3):
    return [scattered((*batch, n, d), 1 + depth) for depth in range(depths)]


@secret
def through_the_lens(hidden_states, unembedding):
    """Depth by depth, token by token."""
    read = [*(half_more(x) for x in hidden_states[:-1]), hidden_states[-1]]
    return torch.stack([torch.einsum("...d,vd->...v", x, unembedding) for x in read])


@points(0.25, "logit_lens", read="circuits-lens", step="warm-up")
def test_the_last_one_is_read_as_it_is(student):
    """도중의 흐름은 norm을 지나서, 마지막 흐름은 그대로 unembedding과 내적합니다. 마지막 것은 이미 norm을 지났습니다."""
    states = [torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]])]
    found = student.logit_lens(states, lambda x: 2 * x, torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    assert_close(found, torch.tensor([[[2.0, 4.0, 6.0]], [[3.0, 4.0, 7.0]]]))


@observes("logit_lens")
def observe_logit_lens(student):
    lens, unembedding = student.logit_lens, scattered((5, 3), 9)

    def double(x):
        return 2 * x

    return up_to_the_first_wrong(
        (lambda: lens(streams(), half_more, unembedding), through_the_lens(streams(), unembedding)),
        (lambda: list(lens(streams(batch=(2,)), half_more, unembedding).shape), [3, 2, 4, 5]),
        (lambda: lens(streams(1), half_more, unembedding), through_the_lens(streams(1), unembedding)),
        (lambda: bad_manners(student, lens, streams(), place(student, double), unembedding, learns=[]), "none"),
    )  # fmt: skip


### BEGIN HIDDEN TESTS
@points(0.5, "logit_lens", read="circuits-lens")
def test_the_last_depth_is_the_model(student, rng):
    """transformers의 GPT-2에서, 마지막 깊이의 로짓은 모델의 로짓과 같아야 합니다. 도중의 것은 ln_f를 지납니다."""
    model, ids = tiny_gpt(rng), torch.randint(11, (1, 5), generator=rng)
    with torch.no_grad():
        out = model(ids, output_hidden_states=True)
        states = [x[0] for x in out.hidden_states]
        found = student.logit_lens(states, model.transformer.ln_f, model.lm_head.weight)
        assert_close(found[-1], out.logits[0])
        for depth in (0, 1):
            read = F.layer_norm(states[depth], (8,), *model.transformer.ln_f.parameters())
            assert_close(found[depth], model.lm_head(read))


@points(0.25, "logit_lens", read="circuits-grading", step="robust")
def test_any_depth_and_any_leading_axes(student, rng):
    """깊이가 하나여도, 배치 축이 있어도 없어도 됩니다. 자료형과 장치는 흐름을 따릅니다."""
    for depths, batch in [(1, ()), (4, (2,)), (2, (3, 2))]:
        states = [torch.randn(*batch, 3, 6, generator=rng, dtype=torch.float64) for _ in range(depths)]
        unembedding = torch.randn(7, 6, generator=rng, dtype=torch.float64)
        found = student.logit_lens(states, half_more, unembedding)
        assert_close(found, through_the_lens(states, unembedding))
        assert found.dtype == torch.float64, "자료형이 흐름과 다릅니다."

    def double(x):
        return 2 * x

    call = student.logit_lens, streams(), place(student, double), scattered((5, 3), 9)
    assert follows_device(student, *call), "결과가 흐름과 다른 장치에 있습니다."


def tiny_gpt(rng):
    """A GPT-2 of two layers with weights large enough to matter, in float64."""
    import transformers

    sizes = {"vocab_size": 11, "n_positions": 6, "n_embd": 8, "n_layer": 2, "n_head": 2}
    sizes |= {"bos_token_id": 0, "eos_token_id": 0}
    config = transformers.GPT2Config(**sizes, attn_pdrop=0.0, resid_pdrop=0.0, embd_pdrop=0.0)
    model = transformers.GPT2LMHeadModel(config).double().eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter += 0.5 * torch.randn(parameter.shape, generator=rng, dtype=torch.float64)
    return model


### END HIDDEN TESTS


# logit_shares -------------------------------------------------------------------------------------------------


def some_parts(m=4, d=6):
    """Parts, weight, bias, direction; the parts' means differ."""
    parts = scattered((m, d), 1) + torch.arange(m)[:, None] * 0.3
    return [parts, 1 + 0.5 * scattered((d,), 2), scattered((d,), 3), scattered((d,), 4)]


@secret
def shares_of(parts, weight, bias, direction, eps=1e-5):
    """As a matrix: the normalisation with its scale fixed is linear."""
    d = parts.shape[-1]
    centre = torch.eye(d, dtype=parts.dtype) - 1 / d
    fixed = weight[:, None] * centre / (parts.sum(0).var(correction=0) + eps).sqrt()
    return torch.cat([parts @ fixed.T @ direction, (bias * direction).sum().reshape(1)])


def logit_of(parts, weight, bias, direction, eps=1e-5):
    return F.layer_norm(parts.sum(0), parts.shape[-1:], weight, bias, eps) @ direction


@points(0.5, "logit_shares", read="circuits-shares", step="warm-up")
def test_two_parts_by_hand(student):
    """합 (3, 1)의 평균은 2, 분산은 1입니다. 부품마다 제 평균을 빼고, 전체의 표준편차로 나눕니다. 둘째 부품 (1, 1)의 몫은 0이고, 마지막은 편향의 몫입니다."""
    parts = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    found = student.logit_shares(
        parts, torch.tensor([2.0, 1.0]), torch.tensor([0.5, 7.0]), torch.tensor([1.0, 0.0]), 0.0
    )
    assert_close(found, torch.tensor([2.0, 0.0, 0.5]))


@points(0.5, "logit_shares", read="circuits-shares")
def test_shares_add_up_to_the_logit(student):
    """몫을 모두 더하면 nn.LayerNorm을 지난 흐름과 방향의 내적입니다."""
    for m, d in [(4, 6), (3, 5)]:
        given = some_parts(m, d)
        found = student.logit_shares(*given)
        assert_close(found.sum(), logit_of(*given), rtol=1e-4, atol=1e-4)
        assert_close(found[-1], given[2] @ given[3])


@observes("logit_shares")
def observe_logit_shares(student):
    shares, small = student.logit_shares, [1e-2 * some_parts()[0], *some_parts()[1:]]

    def form():
        """The shape; and where one share is missing, whether the others are other than they should be."""
        found, right = shares(*some_parts()), shares_of(*some_parts())
        return [list(found.shape), found.shape == right[1:].shape and not same(found, right[:-1])]

    return up_to_the_first_wrong(
        (form, [[5], False]),
        (lambda: shares(*some_parts()), shares_of(*some_parts())),
        (lambda: shares(*small, 1e-3), shares_of(*small, 1e-3)),
        (lambda: shares(*small), shares_of(*small)),
        (lambda: shares(*some_parts(1, 3)), shares_of(*some_parts(1, 3))),
        (lambda: bad_manners(student, shares, *some_parts()), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "logit_shares", read="circuits-shares")
def test_any_parts(student, rng):
    """부품이 몇 개이든 같은 식입니다. 두 부품을 먼저 더해 하나로 넣으면 몫도 더해집니다."""
    for m, d in [(1, 3), (5, 8), (9, 4)]:
        parts = 3 * torch.randn(m, d, generator=rng, dtype=torch.float64)
        weight, bias, direction = torch.randn(3, d, generator=rng, dtype=torch.float64)
        for eps in (1e-5, 0.7):
            found = student.logit_shares(parts, weight, bias, direction, eps)
            assert_close(found, shares_of(parts, weight, bias, direction, eps))
            assert_close(found.sum(), logit_of(parts, weight, bias, direction, eps))
    small = 1e-3 * parts, weight, bias, direction  # so that eps matters; it is nn.LayerNorm's unless given
    assert_close(student.logit_shares(*small), shares_of(*small))
    together = torch.cat([parts[:1] + parts[1:2], parts[2:]])
    merged = student.logit_shares(together, weight, bias, direction)
    alone = student.logit_shares(parts, weight, bias, direction)
    assert_close(merged[0], alone[0] + alone[1])


@points(0.25, "logit_shares", read="circuits-grading", step="robust")
def test_logit_shares_has_manners(student):
    """자료형과 장치는 부품을 따르고, 받은 텐서를 바꾸지 않습니다. 기울기가 모든 입력으로 흐릅니다."""
    found = student.logit_shares(*some_parts())
    assert found.dtype == torch.float64, "자료형이 부품과 다릅니다."
    assert_manners(student, student.logit_shares, *some_parts())
    slopes = reached(student.logit_shares, *some_parts(), cotangent=scattered((5,), 6))
    assert slopes == ["0", "1", "2", "3"], "기울기가 흐르지 않는 입력이 있습니다."


### END HIDDEN TESTS


# patch_effect -------------------------------------------------------------------------------------------------


def to_the_right(x):
    """Each place takes in what the one before it holds."""
    return x + F.pad(x, (0, 0, 1, 0))[..., :-1, :]


def mixing(key, n=4):
    """A layer in which places look at each other, by a causal matrix, and are not merely added."""
    matrix = scattered((n, n), key).tril()

    def layer(x):
        assert x.dim() == 3, "층에는 (batch, n, d)를 넘깁니다."
        return x + (matrix.to(x) @ x + x.roll(1, -1)).tanh()

    return layer


def last_place(x):
    assert x.dim() == 3, "score에는 (batch, n, d)를 넘깁니다."
    return x[:, -1].sum(-1)


def all_places(x):
    return (x * torch.arange(1.0, 1 + x[0].numel()).view(x.shape[1:]).to(x)).sum((1, 2))


def two_texts(n=4, d=3):
    """Clean and corrupted streams that differ at places 0 and 2."""
    clean = scattered((n, d), 11)
    corrupted = clean.clone()
    corrupted[[0, 2]] = scattered((2, d), 12)
    return clean, corrupted


@secret
def effects(layers, score, clean, corrupted):
    """One depth and one place after another, each by runs of its own."""

    def run(x, layers):
        for layer in layers:
            x = layer(x[None])[0]
        return x

    right, wrong = (score(run(x, layers)[None])[0] for x in (clean, corrupted))
    rows = []
    for depth in range(len(layers) + 1):
        before, row = run(clean, layers[:depth]), []
        for i in range(len(clean)):
            x = run(corrupted, layers[:depth]).clone()
            x[i] = before[i]
            row.append((score(run(x, layers[depth:])[None])[0] - wrong) / (right - wrong))
        rows.append(torch.stack(row))
    return torch.stack(rows)


@points(0.5, "patch_effect", read="circuits-patching", step="warm-up")
def test_what_moves_one_place_a_layer(student):
    """층마다 한 자리씩 오른쪽으로 옮겨 적는 모델입니다. 답은 처음에 0번, 층 하나를 지나면 1번, 둘을 지나면 2번 자리에 있습니다."""
    clean, corrupted = torch.tensor([[1.0], [0.0], [0.0]]), torch.zeros(3, 1)
    found = student.patch_effect([to_the_right, to_the_right], lambda x: x[:, -1, 0], clean, corrupted)
    assert_close(found, torch.eye(3))


@points(0.5, "patch_effect", read="circuits-patching")
def test_layers_that_mix_places(student):
    """망가뜨린 글의 흐름에서 한 자리만 깨끗한 글의 것으로 바꾸고, 그 뒤의 층을 다시 지납니다. 끼우는 것은 같은 깊이에서 가진 벡터입니다."""
    layers = [mixing(1), mixing(2)]
    found = student.patch_effect(layers, last_place, *two_texts())
    assert_close(found, effects(layers, last_place, *two_texts()))


@observes("patch_effect")
def observe_patch_effect(student):
    patch, layers = student.patch_effect, [mixing(1), mixing(2)]

    def forward(x):
        return x + x.roll(1, 1).tanh()

    def first(x):
        return x[:, 0, 0]

    def batches():
        seen = []

        def watched(x):
            seen.append(x.dim())
            return to_the_right(x)

        patch([watched], lambda x: x[..., -1, 0], *two_texts())
        return set(seen) == {3}

    placed = [place(student, forward)], place(student, first)
    return up_to_the_first_wrong(
        (lambda: patch(layers, last_place, *two_texts()), effects(layers, last_place, *two_texts())),
        (batches, True),
        (lambda: patch(layers, all_places, *two_texts()), effects(layers, all_places, *two_texts())),
        (lambda: patch([], all_places, *two_texts()), effects([], all_places, *two_texts())),
        (lambda: how_refused(patch, layers, last_place, *[two_texts()[0]] * 2), "refused"),
        (lambda: bad_manners(student, patch, *placed, *two_texts(), learns=[]), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "patch_effect", read="circuits-patching")
def test_any_model(student, rng):
    """층과 자리가 몇이든 같은 식입니다. 층이 선형이고 점수도 선형이면, 깊이마다 효과의 합이 1입니다."""
    for depth, n in [(0, 3), (1, 1), (3, 5)]:
        clean, corrupted = torch.randn(2, n, 4, generator=rng, dtype=torch.float64)
        layers = [mixing(20 + i, n) for i in range(depth)]
        found = student.patch_effect(layers, all_places, clean, corrupted)
        assert_close(found, effects(layers, all_places, clean, corrupted))
    linear = student.patch_effect([to_the_right] * 3, all_places, clean, corrupted)
    assert_close(linear.sum(1), torch.ones(4))


@points(0.5, "patch_effect", read="circuits-patching")
def test_equals_hooks_in_a_gpt(student, rng):
    """transformers의 GPT-2에 훅을 걸어 바꾼 것과 같아야 합니다."""
    model = tiny_gpt(rng)
    blocks, first, last = model.transformer.h, model.transformer.wte.weight, model.transformer.wpe.weight
    ids = torch.tensor([[3, 1, 4, 1, 5], [3, 9, 4, 1, 5]])
    clean, corrupted = first[ids] + last[:5]

    def block(i):
        def call(x):
            out = blocks[i](x)
            return out[0] if isinstance(out, tuple) else out

        return call

    def hooked(depth, place_of):
        """The corrupted text's last logits with one vector before block `depth` replaced."""
        kept = []
        keep = blocks[depth].register_forward_pre_hook(lambda _, args: kept.append(args[0].clone()))
        model(ids[:1])
        keep.remove()

        def replace(_, args):
            x = args[0].clone()
            x[:, place_of] = kept[0][:, place_of]
            return x, *args[1:]

        change = blocks[depth].register_forward_pre_hook(replace)
        logits = model(ids[1:]).logits[0, -1]
        change.remove()
        return logits

    right, wrong = (model(ids[i : i + 1]).logits[0, -1] for i in (0, 1))
    patched = torch.stack([torch.stack([hooked(depth, i) for i in range(5)]) for depth in (0, 1)])
    moved, whole = ((x[..., :1] - x)[..., 1:] for x in (patched - wrong, right - wrong))
    expected = moved / whole  # of word 0 against each other word
    other = expected.amin((0, 1)).argmin()  # against which some vector moves the answer the other way

    def score(x):
        logits = model.lm_head(model.transformer.ln_f(x))
        return logits[:, -1, 0] - logits[:, -1, 1 + other]

    found = student.patch_effect([block(0), block(1)], score, clean, corrupted)
    assert found.shape == (3, 5)
    assert_close(found[:2], expected[..., other])


@points(0.25, "patch_effect", read="circuits-grading", step="robust")
def test_patch_effect_has_manners(student):
    """두 글의 점수가 같으면 ValueError입니다. 받은 흐름을 바꾸지 않고, 자료형과 장치는 흐름을 따릅니다."""
    clean, corrupted = two_texts()
    found = student.patch_effect([mixing(1)], last_place, clean, corrupted)
    assert found.dtype == torch.float64, "자료형이 흐름과 다릅니다."
    assert refuses(student.patch_effect, [mixing(1)], last_place, clean, clean), "나눌 것이 없습니다."
    assert_manners(
        student, student.patch_effect, [place(student, grow)], place(student, of_first), clean, corrupted
    )


def grow(x):
    return 2 * x


def of_first(x):
    return x[:, 0, 0]


### END HIDDEN TESTS


# SparseAutoencoder --------------------------------------------------------------------------------------------


def known(d=3, features=5, key=1):
    """Encoder, decoder and bias that are nobody's transposed."""
    names = {"W_enc": (features, d), "W_dec": (d, features), "b_pre": (d,)}
    return {name: scattered(shape, key + i) for i, (name, shape) in enumerate(names.items())}


def built(student, values, k):
    features, d = values["W_enc"].shape
    module = student.SparseAutoencoder(d, features, k)
    load(student, module, values, typed=True)
    return module


@secret
def features_of(x, values, k):
    """Vector by vector, feature by feature."""
    strength = torch.einsum("...d,fd->...f", x - values["b_pre"], values["W_enc"])
    rank = strength.argsort(-1, descending=True).argsort(-1)
    return torch.where((rank < k) & (strength > 0), strength, torch.zeros_like(strength))


@secret
def summed(z, values):
    return torch.einsum("...f,df->...d", z, values["W_dec"]) + values["b_pre"]


@secret
def left_over(x, values, k):
    """Coordinate by coordinate, as 1 minus the variance-weighted coefficient of determination."""
    error = (x - summed(features_of(x, values, k), values)).square().sum(0)
    spread = x.var(dim=0, correction=0) * len(x)
    return (error / spread * (spread / spread.sum())).sum()


BY_HAND = {
    "W_enc": torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [1.0, 1.0]]),
    "W_dec": torch.tensor([[1.0, 0.0, -1.0, 0.6], [0.0, 1.0, 0.0, 0.8]]),
    "b_pre": torch.tensor([1.0, -1.0]),
}


ALIKE = {"W_enc": torch.ones(5, 3), "W_dec": torch.ones(3, 5), "b_pre": torch.zeros(3)}


@points(0.25, "SparseAutoencoder", read="circuits-sae", step="warm-up")
def test_two_features_of_four(student):
    """x - b_pre = (2, -0.5)의 특징은 2, -0.5, -2, 1.5입니다. 큰 둘인 2와 1.5만 남고, 복원은 두 방향의 합에 b_pre를 더한 것입니다."""
    module = built(student, BY_HAND, 2)
    x = torch.tensor([[3.0, -1.5]])
    assert_close(module.encode(x), torch.tensor([[2.0, 0.0, 0.0, 1.5]]))
    reconstruction, z = module(x)
    assert_close(reconstruction, torch.tensor([[3.9, 0.2]]))
    assert_close(z, torch.tensor([[2.0, 0.0, 0.0, 1.5]]))


@points(0.25, "SparseAutoencoder", read="circuits-sae")
def test_starts_with_directions(student):
    """W_dec의 열은 길이 1인 서로 다른 무작위 방향, W_enc은 그 전치와 같은 값인 다른 파라미터, b_pre는 0에서 시작합니다."""
    found = parameters(student, student.SparseAutoencoder(12, 9, 2))
    assert set(found) == {"W_enc", "W_dec", "b_pre"}, f"파라미터: {sorted(found)}"
    assert_close(found["W_dec"].norm(dim=0), torch.ones(9))
    assert (found["W_dec"].T @ found["W_dec"]).fill_diagonal_(0).abs().max() < 0.999, "같은 방향이 있습니다."
    assert (found["W_dec"] < 0).any() and (found["W_dec"] > 0).any(), "모든 방향을 고르게 뽑으십시오."
    assert_close(found["W_enc"], found["W_dec"].T)
    assert_close(found["b_pre"], torch.zeros(12))


@points(0.5, "SparseAutoencoder", read="circuits-sae")
def test_largest_and_never_negative(student):
    """벡터마다 점수가 큰 k개를 남깁니다. 크기(절댓값)가 아니라 값이 큰 것이고, 남은 것이 음수이면 0입니다."""
    for k in (1, 3, 5):
        module, x = built(student, known(), k), scattered((6, 3), 7)
        assert_close(module.encode(x), features_of(x, known(), k))
        assert_close(module.decode(scattered((2, 5), 8)), summed(scattered((2, 5), 8), known()))


def all_alike(module):
    """How many features a vector keeps, of five with one score."""
    return (module.encode(torch.ones(1, 3)) != 0).sum()


def double_decoder(module):
    with torch.no_grad():
        module.W_dec.mul_(torch.arange(1.0, 1 + module.W_dec.shape[1]).to(module.W_dec))


def same_parameter(module):
    """Whether the decoder stays the parameter that an optimiser holds, and learns."""
    before = module.W_dec
    module.normalize_decoder()
    return module.W_dec is before and before.requires_grad and before.grad_fn is None


@observes("SparseAutoencoder")
def observe_sparse_autoencoder(student):
    def started():
        found = parameters(student, student.SparseAutoencoder(12, 9, 2))
        return {name: list(value.shape) for name, value in sorted(found.items())}

    def directions():
        found = parameters(student, student.SparseAutoencoder(12, 9, 2))
        dec, enc = found["W_dec"], found["W_enc"]
        unit = dec / dec.norm(dim=0)
        return [
            bool(torch.allclose(dec.norm(dim=0), torch.ones(9), atol=1e-4)),
            bool(torch.allclose(dec.norm(dim=1), torch.ones(12), atol=1e-4)),
            bool((unit.T @ unit).fill_diagonal_(0).abs().max() < 0.999 and (dec < 0).any()),
            bool(torch.allclose(enc, dec.T, atol=1e-6)),
            bool((found["b_pre"] == 0).all()),
        ]

    def apart():
        module = student.SparseAutoencoder(12, 9, 2)
        place(student, double_decoder)(module)
        found = parameters(student, module)
        return not torch.allclose(found["W_enc"], found["W_dec"].T)

    x, z = 2 * scattered((6, 3), 7), scattered((2, 5), 8)

    def encoded(k, x=x):
        return built(student, known(), k).encode(x.clone())

    def forward():
        reconstruction, features = built(student, known(), 2)(x.clone())
        right = features_of(x, known(), 2)
        return [same(features, right), same(reconstruction, summed(right, known()))]

    def normalized():
        module = built(student, known(), 2)
        place(student, double_decoder)(module)
        module.normalize_decoder()
        found = parameters(student, module)
        right = known()["W_dec"]
        return [
            found["W_dec"] / (right / right.norm(dim=0)),
            bool(torch.allclose(found["W_enc"], known()["W_enc"])),
            attempt(lambda: place(student, same_parameter)(module)),
        ]

    def learns():
        found = gradients(built(student, known(), 2), x, cotangent=scattered((6, 3), 9))["parameters"]
        return sorted(name for name, grad in found.items() if grad is not None and (grad != 0).any())

    def many_axes():
        many = scattered((2, 3, 3), 5)
        return same(built(student, known(), 2)(many)[0], summed(features_of(many, known(), 2), known()))

    names = ["W_dec", "W_enc", "b_pre"]
    return up_to_the_first_wrong(
        (started, {"W_dec": [12, 9], "W_enc": [9, 12], "b_pre": [12]}),
        (directions, [True, False, True, True, True]),
        (apart, True),
        (lambda: encoded(2), features_of(x, known(), 2)),
        (lambda: encoded(5), features_of(x, known(), 5)),
        (lambda: int(all_alike(built(student, ALIKE, 2))), 2),
        (lambda: built(student, known(), 2).decode(z), summed(z, known())),
        (forward, [True, True]),
        (normalized, [torch.ones(3, 5), True, True]),
        (lambda: built(student, known(), 2).unexplained(x), left_over(x, known(), 2)),
        (lambda: built(student, known(), 2).unexplained(x + 4), left_over(x + 4, known(), 2)),
        (learns, names),
        (many_axes, True),
        (lambda: [how_refused(student.SparseAutoencoder, 3, 5, k) for k in (0, -1, 6)], ["refused"] * 3),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "SparseAutoencoder", read="circuits-sae")
def test_any_autoencoder(student, device, rng):
    """벡터의 앞쪽 축이 몇이든, 특징이 몇 개이든 같은 식입니다."""
    for d, features, k, batch in [(4, 9, 3, (7,)), (5, 3, 1, (2, 4)), (2, 6, 6, ()), (3, 8, 2, (2, 1, 3))]:
        shapes = {"W_enc": (features, d), "W_dec": (d, features), "b_pre": (d,)}
        values = {n: torch.randn(s, generator=rng, dtype=torch.float64) for n, s in shapes.items()}
        module = built(student, values, k).to(str(device))
        x = torch.randn(*batch, d, generator=rng, dtype=torch.float64)
        reconstruction, z = module(x.to(device))
        expected = features_of(x, values, k)
        assert_close(z, expected)
        assert_close(reconstruction, summed(expected, values))
        assert_close(module.encode(x.to(device)), expected)


@points(0.25, "SparseAutoencoder", read="circuits-sae")
def test_only_what_was_kept_learns(student):
    """기울기는 W_enc, W_dec, b_pre로 흐릅니다. 어느 벡터도 쓰지 않은 특징에는 흐르지 않습니다."""
    module, x = built(student, known(), 1), scattered((1, 3), 7)
    found = gradients(module, x, cotangent=scattered((1, 3), 9))["parameters"]
    used = features_of(x, known(), 1)[0] > 0
    for name, axis in [("W_enc", 1), ("W_dec", 0)]:
        assert found.get(name) is not None, f"{name}으로 기울기가 흐르지 않습니다."
        assert ((found[name] != 0).any(axis) == used).all(), f"{name}의 기울기가 쓴 특징에만 있어야 합니다."
    assert found["b_pre"] is not None and (found["b_pre"] != 0).any(), "b_pre로 기울기가 흐르지 않습니다."
    start = parameters(student, student.SparseAutoencoder(3, 5, 2))
    assert not torch.allclose(
        start["W_dec"], parameters(student, student.SparseAutoencoder(3, 5, 2))["W_dec"]
    )


@points(0.25, "SparseAutoencoder", read="circuits-sae")
def test_decoder_is_normalised_in_place(student):
    """normalize_decoder는 열의 크기만 1로 되돌리고, 방향도 W_enc도 바꾸지 않습니다. 옵티마이저가 쥔 파라미터 그대로여야 합니다."""
    module = built(student, known(), 2)
    assert place(student, same_parameter)(module), "W_dec이 다른 텐서로 바뀌었습니다."
    found = parameters(student, module)
    assert_close(found["W_dec"], F.normalize(known()["W_dec"], dim=0))
    assert_close(found["W_enc"], known()["W_enc"])


@points(0.25, "SparseAutoencoder", read="circuits-sae")
def test_the_mean_leaves_everything_unexplained(student, rng):
    """복원이 같으면 0, 언제나 평균으로 복원하면 1입니다. 평균이 0에서 먼 벡터에서도 대조는 평균입니다."""
    x = 3 + torch.randn(20, 3, generator=rng, dtype=torch.float64)
    nothing = {**known(), "W_dec": torch.zeros(3, 5).double(), "b_pre": x.mean(0)}
    assert_close(built(student, nothing, 2).unexplained(x), torch.tensor(1.0))
    axes = torch.eye(3, dtype=torch.float64)
    all_of_it = {"W_enc": torch.cat([axes, -axes]), "W_dec": torch.cat([axes, -axes], 1), "b_pre": x[0]}
    assert_close(built(student, all_of_it, 6).unexplained(x), torch.tensor(0.0))
    for k in (1, 2):
        assert_close(built(student, known(), k).unexplained(x), left_over(x, known(), k))


@points(0.25, "SparseAutoencoder", read="circuits-grading", step="robust")
def test_what_cannot_be_kept(student):
    """k가 1보다 작거나 특징의 수보다 크면 ValueError입니다. 받은 벡터를 바꾸지 않고, 자료형을 따릅니다."""
    assert all_alike(built(student, ALIKE, 2)) == 2, "점수가 같은 특징이 여럿이어도 k개만 남깁니다."
    module, x = built(student, known(), 5), scattered((4, 3), 7)
    assert module(x)[0].dtype == torch.float64, "자료형이 입력과 다릅니다."
    for method in (module.encode, module.unexplained):
        assert mutated(method, x) == [], "받은 벡터가 바뀌었습니다."
    for k in (0, -1, 6):
        assert refuses(student.SparseAutoencoder, 3, 5, k), f"k = {k}"


### END HIDDEN TESTS


# against_random_directions ------------------------------------------------------------------------------------


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def asked_of(student, effect, direction, count, seed=0):
    """What is returned, and the directions that `effect` was asked of but for the given one."""
    seen = []

    def watched(v):
        seen.append(v.detach().clone())
        return effect(v)

    found = student.against_random_directions(watched, direction.clone(), count, seeded(seed))
    assert isinstance(found, list | tuple) and len(found) == 2, "효과와 p, 둘을 돌려줍니다."
    return found, [v for v in seen if not torch.equal(v, direction)]


def uneven(v):
    """An effect of either sign that no direction shares with its opposite."""
    return float(v[0] - 0.8 * v[1] + 0.3 * v[0] * v[1])


def p_of(observed, others):
    """(1 + how many are at least as large) / (1 + how many there are)."""
    return (1 + sum(abs(one) >= abs(observed) for one in others)) / (1 + len(others))


@points(0.25, "against_random_directions", read="circuits-control", step="warm-up")
def test_nothing_beats_what_only_one_direction_does(student):
    """찾은 방향에만 효과가 있으면 p는 1 / (1 + count)이고, 어느 방향이나 같으면 1입니다."""
    direction = torch.tensor([3.0, 4.0, 0.0])

    def alone(v):
        return -2.0 if torch.allclose(v, direction) else 0.5

    found = student.against_random_directions(alone, direction, 19, seeded(0))
    assert abs(found[0] + 2) < 1e-6 and abs(found[1] - 1 / 20) < 1e-6, f"{found}"
    found = student.against_random_directions(lambda v: -0.7, direction, 9, seeded(0))
    assert abs(found[0] + 0.7) < 1e-6 and abs(found[1] - 1) < 1e-6, f"{found}"


@points(0.5, "against_random_directions", read="circuits-control")
def test_random_directions_are_as_long(student):
    """무작위 방향은 count개이고 길이가 찾은 방향과 같습니다. p는 효과의 절댓값이 같거나 큰 것을 셉니다."""
    direction = torch.tensor([0.9, -0.2, 0.1, 1.5])
    (observed, p), others = asked_of(student, uneven, direction, 40)
    assert_fair(others, direction, 40)
    assert abs(observed - uneven(direction)) < 1e-6
    assert abs(p - p_of(observed, map_of(uneven, others))) < 1e-6, f"p = {p}"


def assert_fair(others, direction, count):
    """As many as were asked for, each its own, and as long as the direction."""
    assert len(others) == count, f"무작위 방향이 {len(others)}개입니다."
    assert_close(torch.stack(others).norm(dim=1), direction.norm().expand(count))
    assert len(torch.stack(others).unique(dim=0)) == count, "같은 방향이 되풀이됩니다."


def map_of(effect, directions):
    return [effect(v) for v in directions]


@observes("against_random_directions")
def observe_against_random_directions(student):
    direction = torch.tensor([0.9, -0.2, 0.1, 1.5])
    against = student.against_random_directions

    def observed():
        return float(asked_of(student, uneven, direction, 40)[0][0])

    def directions():
        others = torch.stack(asked_of(student, uneven, direction, 40)[1])
        lengths = others.norm(dim=1)
        return [
            len(others),
            bool(torch.allclose(lengths, direction.norm().expand(len(lengths)), rtol=1e-3)),
            bool(torch.allclose(lengths, torch.ones(len(lengths)), rtol=1e-3)),
            len(others.unique(dim=0)),
        ]

    def spread():
        others = asked_of(student, lambda v: 0.0, 2 + scattered((64,), 3).float(), 100)[1]
        return shape_of(torch.stack(others))

    def p(*values):
        """With the random directions' effects given in turn, whatever they are; the direction's own is -1."""
        left = list(values)

        def in_turn(v):
            return -1.0 if torch.allclose(v, direction.to(v)) else left.pop(0) if left else 0.0

        return float(against(in_turn, direction.clone(), len(values), seeded(0))[1])

    def by_seed():
        one, same_one, other = (
            torch.stack(asked_of(student, uneven, direction, 5, seed)[1]) for seed in (1, 1, 2)
        )
        return [torch.equal(one, same_one), torch.equal(one, other)]

    def kept():
        given = direction.clone()
        changed = mutated(against, lambda v: float(v[0]), given, 3, seeded(0))
        return [1 in changed, asked_type(torch.float64) == {torch.float64}]

    def asked_type(dtype):
        return {v.dtype for v in asked_of(student, uneven, direction.to(dtype), 3)[1]}

    return up_to_the_first_wrong(
        (observed, uneven(direction)),
        (directions, [40, True, False, 40]),
        (lambda: p(3.0, -3.0, -3.0, 1.0, -1.0, *[0.5, -0.5] * 7), 0.3),
        (lambda: p(*[-1.0] * 9), 1.0),
        (lambda: p(*[0.2] * 4), 0.2),
        (spread, "every way"),
        (by_seed, [True, False]),
        (lambda: [how_refused(against, uneven, direction, count, seeded(0)) for count in (0, -3)], ["refused"] * 2),
        (kept, [False, True]),
    )  # fmt: skip


def shape_of(others):
    """Of directions in 64 dimensions, what tells them from any direction's being as likely as another.

    The mean coordinate's deviation is some 0.0125, that of the kurtosis some 0.06; a sphere has 2.9, a cube 1.8.
    """
    coordinates = others / others.norm(dim=1, keepdim=True) * 8
    kurtosis = coordinates.pow(4).mean() / coordinates.square().mean() ** 2
    if (coordinates > 0).all():
        return "one side"
    if coordinates.mean(0).square().mean() > 0.1:
        return "around one"
    return "corners" if kurtosis < 2.5 else "axes" if kurtosis > 3.4 else "every way"


### BEGIN HIDDEN TESTS
@points(0.5, "against_random_directions", read="circuits-control")
def test_any_effect(student, rng):
    """효과가 음수여도, 같은 값이 여럿이어도, 무작위 방향의 효과가 더 커도 같은 식입니다."""
    for effect in (uneven, lambda v: -uneven(v), lambda v: float(v[0] > 0), lambda v: float(v[1].round())):
        direction = torch.randn(4, generator=rng)
        (observed, p), others = asked_of(student, effect, direction, 25, 7)
        assert_fair(others, direction, 25)
        assert abs(observed - effect(direction)) < 1e-6
        assert abs(p - p_of(observed, map_of(effect, others))) < 1e-6, f"p = {p}"


@points(0.25, "against_random_directions", read="circuits-control")
def test_every_direction_is_as_likely(student, rng):
    """정규분포에서 뽑아 길이를 맞추면 모든 방향이 고르게 나옵니다. 고른 분포나 부호만 뽑으면 모서리 쪽으로 몰립니다."""
    direction = torch.rand(64, generator=rng) + 0.5
    others = asked_of(student, lambda v: 0.0, direction, 100, int(torch.randint(10**6, (), generator=rng)))[1]
    found = shape_of(torch.stack(others))
    assert found == "every way", "방향이 고르지 않습니다."


@points(0.25, "against_random_directions", read="circuits-grading", step="robust")
def test_random_directions_have_manners(student):
    """난수는 generator에서만 얻습니다. count가 1보다 작으면 ValueError이고, 받은 방향은 그대로이며, 무작위 방향의 자료형은 그것을 따릅니다."""
    direction = scattered((5,), 3)
    one, again, other = (torch.stack(asked_of(student, uneven, direction, 6, seed)[1]) for seed in (1, 1, 2))
    assert_close(one, again)
    assert not torch.equal(one, other), "generator가 달라도 방향이 같습니다."
    assert one.dtype == torch.float64, "무작위 방향의 자료형이 다릅니다."
    for count in (0, -3):
        assert refuses(student.against_random_directions, uneven, direction, count, seeded(0)), f"{count}"
    changed = mutated(student.against_random_directions, uneven, direction, 3, seeded(0))
    assert 1 not in changed, "받은 방향이 바뀌었습니다."
    found = student.against_random_directions(uneven, direction, 1, seeded(0))
    assert all(isinstance(number, float) for number in found), "파이썬의 실수 둘을 돌려줍니다."


### END HIDDEN TESTS
