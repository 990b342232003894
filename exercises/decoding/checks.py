"""What the exercise `decoding` is graded by."""

import math
from functools import cache

import pytest
import torch

from grader.judging.suite import assert_close, mutated, observes, outcome, place, points

EOS, VOCAB = 1, 7


def by_prefix(table):
    """A model whose next-token logits, a row of `table`, depend on every token so far and on its place."""

    def step(ids):
        places = torch.arange(1, ids.shape[1] + 1)
        return table[(7 * (ids.cpu() * places).sum(dim=1)) % len(table)].to(ids.device)

    return step


def by_last(probabilities):
    """A model whose next-token probabilities depend on the last token: a dictionary of rows."""

    def step(ids):
        return torch.tensor([probabilities[last] for last in ids[:, -1].tolist()]).log().to(ids.device)

    return step


def counted(step):
    """The same model, and the list of the numbers of rows it was called with."""
    calls = []

    def counting(ids):
        calls.append(len(ids))
        return step(ids)

    return counting, calls


def random_table(seed, vocab=6, rows=97):
    return 1.5 * torch.randn(rows, vocab, generator=torch.Generator().manual_seed(seed))


# greedy_decode ----------------------------------------------------------------------------------------------


def countdown(ids):
    """From token t to t - 1; behind 2 comes EOS, behind EOS comes 9."""
    logits = torch.zeros(len(ids), 10)
    following = torch.where(ids[:, -1] == EOS, 9, ids[:, -1] - 1)
    logits[torch.arange(len(ids)), following.cpu()] = 5.0
    return logits.to(ids.device)


def padded(ids, width):
    """Rows filled up with EOS."""
    assert isinstance(ids, torch.Tensor) and ids.dim() == 2, "2차원 텐서를 돌려주어야 합니다."
    missing = width - ids.shape[1]
    assert missing >= 0, f"열이 {width}개 이하여야 하는데 {ids.shape[1]}입니다."
    return torch.cat([ids, torch.full((len(ids), missing), EOS, dtype=ids.dtype, device=ids.device)], dim=1)


@points(
    0.5,
    question="greedy_decode",
    hint="걸음마다 로짓이 가장 큰 토큰을 뒤에 붙입니다. step에는 처음부터 지금까지의 토큰을 모두 넘기고, 결과에는 프롬프트도 들어갑니다.",
    read="decoding#greedy-decoding",
)
def test_takes_the_best_at_every_step(student):
    table = torch.zeros(97, 8)
    step, start = by_prefix(table), torch.tensor([[2, 3], [4, 5]])
    expected = start
    for tokens in [(6, 2), (7, 7), (3, 4)]:
        for row, token in zip(expected, tokens, strict=True):
            places = torch.arange(1, len(row) + 1)
            table[7 * (row * places).sum() % 97, token] = 3.0
        expected = torch.cat([expected, torch.tensor(tokens)[:, None]], dim=1)
    assert_close(student.greedy_decode(step, start, 3, EOS), expected)


@points(
    0.5,
    question="greedy_decode",
    hint="EOS를 생성한 문장은 그 뒤가 모두 EOS입니다. 다른 문장은 자기 EOS가 나올 때까지 이어집니다.",
    read="decoding#stopping-at-eos",
)
def test_a_finished_row_stays_finished(student):
    found = student.greedy_decode(countdown, torch.tensor([[3], [5], [4]]), 9, EOS)
    expected = [[3, 2, 1, 1, 1], [5, 4, 3, 2, 1], [4, 3, 2, 1, 1]]
    assert_close(padded(found, 10), padded(torch.tensor(expected), 10))


@observes("greedy_decode")
def observe_greedy_decode(student):
    seen = []
    for start, limit in [([[3], [5], [4]], 9), ([[5, 1, 3], [4, 6, 7]], 2), ([[5, 1, 4], [4, 6, 3]], 9)]:
        step, calls = counted(countdown)
        seen += [student.greedy_decode(step, torch.tensor(start), limit, EOS), list(calls)]
    step = by_prefix(random_table(0))
    start = torch.tensor([[2, 3], [4, 5], [3, 2]])
    return [
        *seen,
        student.greedy_decode(step, start, 6, EOS),
        mutated(student.greedy_decode, step, start, 3, EOS),
    ]




# beam_search ------------------------------------------------------------------------------------------------

# Behind 0 (the start) 2 is best, but the best sequence of three tokens begins with 3.
GARDEN_PATH = {
    0: [0.01, 0.01, 0.53, 0.40, 0.05],
    1: [0.05, 0.10, 0.20, 0.30, 0.35],
    2: [0.01, 0.31, 0.27, 0.20, 0.21],
    3: [0.01, 0.02, 0.03, 0.05, 0.89],
    4: [0.01, 0.79, 0.05, 0.10, 0.05],
}


def pairs(found):
    """Results as lists: tokens up to the first EOS behind a prompt that holds none, and score."""
    plain = []
    for ids, score in found:
        ids = torch.as_tensor(ids).flatten().tolist()
        if EOS in ids:
            ids = ids[: ids.index(EOS) + 1]
        plain.append((ids, float(score)))
    return plain


def assert_beams(found, expected, atol=1e-4):
    """Both are pairs of tokens and score, best first."""
    found, expected = pairs(found), pairs(expected)
    assert len(found) == len(expected), f"결과가 {len(expected)}개여야 하는데 {len(found)}개입니다."
    for i, ((ids, score), (wanted, target)) in enumerate(zip(found, expected, strict=True)):
        assert math.isclose(score, target, rel_tol=1e-4, abs_tol=atol), (
            f"{i}번째 점수: {target:.4f} 대신 {score:.4f}."
        )
        assert ids == wanted, f"{i}번째 가설: {wanted} 대신 {ids}."


def log_p(*probabilities):
    return sum(math.log(p) for p in probabilities)


@points(
    0.5,
    question="beam_search",
    hint="모든 가설의 모든 후보를 한데 모아 상위 K개를 고릅니다. 지금 뒤진 가설도 다음 걸음에서 앞설 수 있습니다.",
    read="decoding#decoding-beam-search",
)
def test_finds_what_greedy_misses(student):
    found = student.beam_search(by_last(GARDEN_PATH), torch.tensor([[0]]), 2, 3, EOS, 0.0)
    assert pairs(found)[0][0] == [0, 3, 4, 1], f"[0, 3, 4, 1] 대신 {pairs(found)[0][0]}."
    score = pairs(found)[0][1]
    assert math.isclose(score, log_p(0.4, 0.89, 0.79), rel_tol=1e-4), (
        f"점수가 log(0.4 × 0.89 × 0.79) = {log_p(0.4, 0.89, 0.79):.4f}이어야 하는데 {score:.4f}입니다."
    )


@points(
    0.5,
    question="beam_search",
    hint="점수는 로그 확률의 합을 생성한 토큰의 수의 α제곱으로 나눈 것입니다. EOS는 세고 프롬프트는 세지 않습니다.",
    read="decoding#beam-length-penalty",
)
def test_scores_are_divided_by_length(student):
    prompt = torch.tensor([[4, 3, 0]])
    for alpha in [1.0, 0.5]:
        found = student.beam_search(by_last(GARDEN_PATH), prompt, 2, 3, EOS, alpha)
        best = ([4, 3, 0, 3, 4, 1], log_p(0.4, 0.89, 0.79) / 3**alpha)
        second = ([4, 3, 0, 2, 1], log_p(0.53, 0.31) / 2**alpha)
        assert_beams(found, [best, second])
        # An EOS in the prompt ends nothing. `pairs` cuts behind the first EOS: what is compared begins after it.
        found = student.beam_search(by_last(GARDEN_PATH), torch.tensor([[4, EOS, 0]]), 2, 3, EOS, alpha)
        behind = [(torch.as_tensor(ids).flatten()[2:], score) for ids, score in found]
        assert_beams(behind, [([0, 3, 4, 1], best[1]), ([0, 2, 1], second[1])])


@points(
    0.5,
    question="beam_search",
    hint="EOS로 끝난 가설은 더 잇지 않고, 그 자리는 끝나지 않은 다음 후보가 메웁니다.",
    read="decoding#beam-finished",
)
def test_a_finished_hypothesis_gives_way(student):
    # Token 2 is followed by EOS at once; with its place not refilled, nobody reaches the best sequence.
    rows = {
        0: [0.01, 0.40, 0.34, 0.20, 0.05],
        1: [0.05, 0.10, 0.20, 0.30, 0.35],
        2: [0.01, 0.79, 0.10, 0.05, 0.05],
        3: [0.01, 0.01, 0.01, 0.02, 0.95],
        4: [0.005, 0.96, 0.01, 0.01, 0.015],
    }
    expected = [
        ([0, 3, 4, 1], log_p(0.2, 0.95, 0.96) / 3),
        ([0, 2, 1], log_p(0.34, 0.79) / 2),
    ]
    assert_beams(student.beam_search(by_last(rows), torch.tensor([[0]]), 2, 3, EOS, 1.0), expected)


@observes("beam_search")
def observe_beam_search(student):
    seen = []
    for vocab, size, steps, alpha, prompt in [
        (5, 2, 3, 0.0, [0]),
        (6, 3, 6, 1.0, [0, 2, 3]),
        (6, 4, 5, 0.5, [0, 4]),
        (4, 3, 7, 2.0, [0]),
    ]:
        for seed in [1, 2, 3]:
            step = by_prefix(random_table(seed, vocab))
            seen.append(observed_pairs(student, step, torch.tensor([prompt]), size, steps, EOS, alpha))
    for prompt in [[0], [4, EOS, 0]]:
        seen.append(observed_pairs(student, by_last(GARDEN_PATH), torch.tensor([prompt]), 2, 3, EOS, 1.0))
    return seen


def observed_pairs(student, *args):
    found = student.beam_search(*args)
    return [[torch.as_tensor(ids).flatten().tolist(), float(score)] for ids, score in found]




# sample_next ------------------------------------------------------------------------------------------------


def spread():
    """Five tokens, not in the order of their probabilities: 0.1, 0.4, 0.05, 0.25, 0.2."""
    return torch.tensor([0.10, 0.40, 0.05, 0.25, 0.20]).log()


def draws(student, logits, count=4000, seed=0, **options):
    generator = torch.Generator().manual_seed(seed)
    return student.sample_next(logits.expand(count, -1), generator=generator, **options)


@points(
    0.5,
    question="sample_next",
    hint="온도가 0이면 가장 큰 것을 고릅니다. 앞에 붙은 축은 그대로 남고 어휘의 축만 사라집니다.",
    read="decoding#sampling-shape",
)
def test_temperature_zero_is_greedy(student):
    logits = torch.tensor([[[1.0, 3.0, 2.0], [0.5, -1.0, 0.0]], [[0.0, 1.0, 5.0], [2.0, 2.5, 1.0]]])
    assert_close(student.sample_next(logits, temperature=0.0), torch.tensor([[1, 0], [2, 1]]))
    assert_close(student.sample_next(logits[0, 0], 0.0), torch.tensor(1))


@points(
    0.5,
    question="sample_next",
    hint="top_k는 큰 것부터 k개를, top_p는 합이 p에 처음 이르는 토큰까지 남깁니다. 남은 것은 모두 나올 수 있어야 합니다.",
    read="decoding#decoding-nucleus",
)
def test_keeps_the_right_tokens(student):
    for options, kept in [
        ({}, [0, 1, 2, 3, 4]),
        ({"top_k": 2}, [1, 3]),
        ({"top_k": 9}, [0, 1, 2, 3, 4]),
        ({"top_p": 0.5}, [1, 3]),
        ({"top_p": 0.7}, [1, 3, 4]),
        ({"top_p": 0.01}, [1]),
        ({"top_p": 1.0}, [0, 1, 2, 3, 4]),
    ]:
        found = draws(student, spread(), **options)
        assert isinstance(found, torch.Tensor) and found.shape == (4000,), "모양이 (4000,)이어야 합니다."
        found = sorted(set(found.tolist()))
        assert found == kept, f"{options}: 나온 토큰이 {kept}이어야 하는데 {found}입니다."


@observes("sample_next")
def observe_sample_next(student):
    """Which tokens come out, and how often token 1 in tenths: alike for every right way to draw."""
    alone = {int(draws(student, spread(), 1, number).flatten()[0]) for number in range(20)}
    if len(alone) > 1 and all(draws(student, spread(), 200, seed).unique().numel() == 1 for seed in range(3)):
        return "one draw for all rows"
    seen = []
    for options in [
        {},
        {"temperature": 0.5},
        {"temperature": 2.0},
        {"top_k": 2},
        {"top_p": 0.22},
        {"top_p": 0.5},
        {"top_p": 0.66},
        {"top_k": 3, "top_p": 0.7},
        {"temperature": 4.0, "top_p": 0.5},
        {"temperature": 0.4, "top_p": 0.6},
    ]:
        seen.append(outcome(lambda o=options: described(draws(student, spread(), 20_000, 3, **o))))
    for options in [{}, {"temperature": 0.0}, {"temperature": 0.0, "top_k": 0}]:
        shape_of = lambda o: list(student.sample_next(torch.zeros(2, 3, 5) + spread(), **o).shape)  # noqa: E731
        seen.append(outcome(shape_of, options))
    rows = torch.stack([spread(), spread().flip(0)]).expand(20_000, 2, 5)
    found = student.sample_next(rows, top_k=2, generator=torch.Generator().manual_seed(4))
    seen += [summary(column) for column in found.reshape(20_000, -1).unbind(1)]
    first, second = (draws(student, spread(), 200, 5) for _ in range(2))
    return [*seen, bool((first == second).all()), len(alone) > 1]


def described(tokens):
    return [list(tokens.shape), summary(tokens)]


def summary(tokens):
    return [sorted(set(tokens.flatten().tolist())), round(10 * (tokens == 1).float().mean().item())]




# KVCache ----------------------------------------------------------------------------------------------------


def positions(*values, width=2):
    """(1, 1, n, width): position by position filled with one number."""
    return torch.tensor(values, dtype=torch.float32)[None, None, :, None].expand(1, 1, len(values), width)


@points(
    0.5,
    question="KVCache",
    hint="새 키와 값을 시간 축(뒤에서 둘째)의 뒤에 붙이고, 그 층에서 지금까지 모은 것을 모두 돌려줍니다.",
    read="decoding#decoding-cache-time",
)
def test_returns_everything_so_far(student):
    cache = student.KVCache()
    for new, total in [((1, 2, 3), (1, 2, 3)), ((4,), (1, 2, 3, 4)), ((5, 6), (1, 2, 3, 4, 5, 6))]:
        key, value = cache.update(0, positions(*new), -positions(*new, width=3))
        assert_close(key, positions(*total))
        assert_close(value, -positions(*total, width=3))


@points(
    0.25,
    question="KVCache",
    hint="층마다 따로 모아야 합니다. 다른 층의 키와 섞이지 않습니다.",
    read="decoding#decoding-cache-layers",
)
def test_layers_do_not_mix(student):
    cache = student.KVCache()
    for token in range(1, 4):
        for layer in [0, 1, 2]:
            key, value = cache.update(layer, positions(10 * layer + token), positions(100 * layer + token))
            assert_close(key, positions(*(10 * layer + t for t in range(1, token + 1))))
            assert_close(value, positions(*(100 * layer + t for t in range(1, token + 1))))


def begins_empty(student):
    """Whether a new cache holds nothing of an older one, whatever has been kept before this call."""
    key = torch.zeros(2, 2, 1, 2)
    try:
        student.KVCache().update(0, key, key)
        return student.KVCache().update(0, key, key)[0].shape == key.shape
    except Exception:
        return False


@observes("KVCache")
def observe_kv_cache(student):
    if not begins_empty(student):
        return "shared"
    seen = []
    generator = torch.Generator().manual_seed(0)
    cache = student.KVCache()
    # Two positions and two rows each time, so that a wrong axis shows in what comes back and nothing raises.
    for rows in [None, None, None, [1, 0], [1, 1]]:
        if rows is not None:
            cache.reorder(torch.tensor(rows))
        for layer in [0, 1]:
            key = torch.randn(2, 2, 2, 2, generator=generator)
            seen.append(list(cache.update(layer, key, -2 * key)))
    cache, alone = student.KVCache(), torch.randn(2, 2, 2, generator=generator)  # no axis of heads
    seen += [list(cache.update(0, alone, -alone)) for _ in range(2)]
    return seen
