"""What the exercise `decoding` is graded by."""

import math
from functools import cache

import pytest
import torch

from grader.judging.observed import attempt, up_to_the_first_wrong
from grader.judging.suite import assert_close, mutated, observes, place, points, refuses

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


@points(0.5, "greedy_decode", read="greedy-decoding", step="warm-up")
def test_takes_the_best_at_every_step(student):
    """걸음마다 로짓이 가장 큰 토큰을 뒤에 붙입니다. step에는 처음부터 지금까지의 토큰을 모두 넘기고, 결과에는 프롬프트도 들어갑니다."""
    table = torch.zeros(97, 8)
    step, start = by_prefix(table), torch.tensor([[2, 3], [4, 5]])
    expected = start
    for tokens in [(6, 2), (7, 7), (3, 4)]:
        for row, token in zip(expected, tokens, strict=True):
            places = torch.arange(1, len(row) + 1)
            table[7 * (row * places).sum() % 97, token] = 3.0
        expected = torch.cat([expected, torch.tensor(tokens)[:, None]], dim=1)
    assert_close(student.greedy_decode(step, start, 3, EOS), expected)


@points(0.5, "greedy_decode", read="stopping-at-eos")
def test_a_finished_row_stays_finished(student):
    """EOS를 생성한 문장은 그 뒤가 모두 EOS입니다. 다른 문장은 자기 EOS가 나올 때까지 이어집니다."""
    found = student.greedy_decode(countdown, torch.tensor([[3], [5], [4]]), 9, EOS)
    expected = [[3, 2, 1, 1, 1], [5, 4, 3, 2, 1], [4, 3, 2, 1, 1]]
    assert_close(padded(found, 10), padded(torch.tensor(expected), 10))
    assert_close(found[:, :5], torch.tensor(expected))


@observes("greedy_decode")
def observe_greedy_decode(student):
    def decode(start, limit, step=countdown):
        return torch.as_tensor(student.greedy_decode(step, torch.tensor(start), limit, EOS))

    def calls(start, limit):
        """The shapes that the model was called with."""
        shapes = []

        def step(ids):
            shapes.append(tuple(ids.shape))
            return countdown(ids)

        decode(start, limit, step)
        return shapes

    def row_that_ends():
        """What stands behind the EOS of a row while another goes on, and whether that one gets its EOS."""
        found = decode([[3], [5]], 9)
        return found[0, :5].tolist(), EOS in found[1].tolist()

    def behind(prompt):
        return decode([prompt, [5, 6, 9]], 3)[:, 3:].tolist()

    three = [[3], [6], [2]]
    return up_to_the_first_wrong(
        (lambda: abs(decode([[2, 4, 9]], 5).shape[1] - 8) == 1, False),
        (lambda: decode([[2, 4, 9]], 5).tolist(), [[2, 4, 9, 8, 7, 6, 5, 4]]),
        (lambda: [width for _, width in calls([[9]], 3)], [1, 2, 3]),
        (
            lambda: decode([[2, 3], [3, 2]], 3, by_prefix(random_table(7))).tolist(),
            [[2, 3, 5, 2, 5], [3, 2, 2, 4, 2]],
        ),
        (row_that_ends, [[3, 2, 1, 1, 1], True]),
        (lambda: behind([6, 3, EOS]), [[9, 8, 7], [8, 7, 6]]),
        (lambda: behind([4, EOS, 5]), [[4, 3, 2], [8, 7, 6]]),
        (lambda: max(rows for rows, _ in calls(three, 12)), 3),
        (lambda: len(calls(three, 12)), 5),
        (lambda: decode(three, 0).tolist(), three),
        (lambda: mutated(student.greedy_decode, countdown, torch.tensor(three), 3, EOS), []),
    )


### BEGIN HIDDEN TESTS
@cache
def for_hugging_face():
    """A model that Hugging Face can search with; its next-token logits are those of `by_prefix`."""
    from transformers import GPT2Config, GPT2LMHeadModel
    from transformers.modeling_outputs import CausalLMOutput

    class ByPrefix(GPT2LMHeadModel):
        step = None

        def forward(self, input_ids, **_):
            return CausalLMOutput(logits=self.step(input_ids)[:, None])

    special = dict(bos_token_id=0, eos_token_id=EOS, pad_token_id=EOS)
    return ByPrefix(GPT2Config(vocab_size=VOCAB, n_embd=1, n_layer=0, n_head=1, **special)).eval()


def by_hugging_face(step, start, steps, **options):
    """What Hugging Face's `generate` finds."""
    model = for_hugging_face()
    model.step = step
    # An EOS is padding to transformers, which would warn of it on the teacher's terminal.
    usual = dict(attention_mask=torch.ones_like(start), do_sample=False, use_cache=False)
    return model.generate(start, max_new_tokens=steps, **usual, **options)


def random_step(rng):
    """So many rows that no two prefixes but those of one sum share one."""
    return by_prefix(1.5 * torch.randn(997, VOCAB, generator=rng))


@points(0.5, "greedy_decode", read="stopping-at-eos")
def test_equals_hugging_face(student, device, rng):
    """Hugging Face의 generate(do_sample=False)와 달라졌습니다. 문장마다 끝나는 때를 따로 기억해야 합니다."""
    for batch, length in [(1, 1), (5, 2), (3, 4)]:
        step = random_step(rng)
        start = torch.randint(2, VOCAB, (batch, length), generator=rng)
        expected = by_hugging_face(step, start, 8)
        found = student.greedy_decode(step, start.to(device), 8, EOS)
        assert_close(padded(found, length + 8), padded(expected, length + 8))


@points(0.25, "greedy_decode", read="stopping-at-eos", step="robust")
def test_eos_of_the_prompt_ends_nothing(student):
    """프롬프트 안의 EOS는 끝이 아닙니다. 생성한 EOS만 문장을 끝냅니다."""
    start = torch.tensor([[4, EOS, 5], [EOS, 6, 4], [6, 3, EOS]])
    expected = [[4, EOS, 5, 4, 3, 2], [EOS, 6, 4, 3, 2, 1], [6, 3, EOS, 9, 8, 7]]
    assert_close(padded(student.greedy_decode(countdown, start, 3, EOS), 6), torch.tensor(expected))


@points(0.25, "greedy_decode", read="stopping-at-eos", step="robust")
def test_stops_when_all_have_finished(student):
    """걸음마다 step을 한 번, 문장 전부로 부르고, 모든 문장이 끝나면 더 부르지 않습니다. start는 그대로 둡니다."""
    start = torch.tensor([[3], [6], [2]])
    step, calls = counted(countdown)
    found = student.greedy_decode(step, start, 12, EOS)
    assert_close(padded(found, 13)[1], padded(torch.tensor([[6, 5, 4, 3, 2, 1]]), 13)[0])
    assert max(calls) == 3, "step에는 문장 전부를 한 배치로 넘깁니다."
    assert len(calls) == 5, f"step을 5번 부르면 되는데 {len(calls)}번 불렀습니다."
    assert mutated(student.greedy_decode, countdown, start, 3, EOS) == [], "start가 바뀌었습니다."
    assert_close(student.greedy_decode(countdown, start, 0, EOS), start)


### END HIDDEN TESTS


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


@points(0.25, "beam_search", read="decoding-beam-search", step="warm-up")
def test_finds_what_greedy_misses(student):
    """모든 가설의 모든 후보를 한데 모아 상위 K개를 고릅니다. 지금 뒤진 가설도 다음 걸음에서 앞설 수 있습니다."""
    found = student.beam_search(by_last(GARDEN_PATH), torch.tensor([[0]]), 2, 3, EOS, 0.0)
    assert pairs(found)[0][0] == [0, 3, 4, 1], f"[0, 3, 4, 1] 대신 {pairs(found)[0][0]}."
    score = pairs(found)[0][1]
    assert math.isclose(score, log_p(0.4, 0.89, 0.79), rel_tol=1e-4), (
        f"점수가 log(0.4 × 0.89 × 0.79) = {log_p(0.4, 0.89, 0.79):.4f}이어야 하는데 {score:.4f}입니다."
    )


@points(0.25, "beam_search", read="beam-length-penalty")
def test_scores_are_divided_by_length(student):
    """점수는 로그 확률의 합을 생성한 토큰의 수의 α제곱으로 나눈 것입니다. EOS는 세고 프롬프트는 세지 않습니다."""
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


@points(0.5, "beam_search", read="beam-finished")
def test_a_finished_hypothesis_gives_way(student):
    """EOS로 끝난 가설은 더 잇지 않고, 그 자리는 끝나지 않은 다음 후보가 메웁니다."""
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


# The best of all begins with the second of two; an end is never among the best.
POOL = {
    0: [0.01, 0.01, 0.48, 0.45, 0.05],
    1: [0.05, 0.10, 0.20, 0.30, 0.35],
    2: [0.21, 0.01, 0.26, 0.25, 0.27],
    3: [0.02, 0.01, 0.50, 0.45, 0.02],
    4: [0.30, 0.01, 0.25, 0.24, 0.20],
}

# An end is the best at once.
FIRST_ENDS = {
    0: [0.01, 0.40, 0.34, 0.20, 0.05],
    1: [0.05, 0.10, 0.20, 0.30, 0.35],
    2: [0.01, 0.79, 0.10, 0.05, 0.05],
    3: [0.01, 0.01, 0.01, 0.02, 0.95],
}

# Two have ended after two steps, one of them a bad one; what goes on is better, and gets better still.
SOON = {
    0: [0.002, 0.05, 0.944, 0.002, 0.002],
    1: [0.05, 0.10, 0.20, 0.30, 0.35],
    2: [0.003, 0.5, 0.004, 0.49, 0.003],
    3: [0.01, 0.01, 0.005, 0.97, 0.005],
    4: [0.25, 0.15, 0.2, 0.3, 0.1],
}

# The same, but what goes on is worse than both before it gets better.
THEN = {
    0: [0.002, 0.4, 0.594, 0.002, 0.002],
    1: [0.05, 0.10, 0.20, 0.30, 0.35],
    2: [0.1, 0.45, 0.15, 0.2, 0.1],
    3: [0.01, 0.01, 0.005, 0.97, 0.005],
    4: [0.3, 0.25, 0.2, 0.15, 0.1],
}

# The end is third at the first step, outside a beam of two, and better than all that goes on.
THIRD = {
    0: [0.002, 0.099, 0.5, 0.397, 0.002],
    1: [0.05, 0.10, 0.20, 0.30, 0.35],
    2: [0.24, 0.01, 0.23, 0.27, 0.25],
    3: [0.28, 0.02, 0.22, 0.22, 0.26],
    4: [0.21, 0.03, 0.29, 0.23, 0.24],
}


@observes("beam_search")
def observe_beam_search(student):
    def found(rows, steps, alpha, prompt=(0,)):
        """What is found with a beam of two; the logits of a model are no logarithms of probabilities."""
        step = by_last(rows)
        args = (lambda ids: step(ids) + 1 + ids[:, -1:]), torch.tensor([prompt]), 2, steps, EOS, alpha
        ends = len(prompt) if EOS in prompt else 0
        result = [(torch.as_tensor(ids).flatten()[ends:], score) for ids, score in student.beam_search(*args)]
        return [list(pair) for pair in pairs(result)]

    def calls(rows, steps):
        """The numbers of rows that the model was called with; whatever came of it."""
        step, seen = counted(by_last(rows))
        attempt(lambda: student.beam_search(step, torch.tensor([[0]]), 2, steps, EOS, 1.0))
        return list(seen)

    def of_a_small_vocabulary():
        step = by_prefix(random_table(1, 3))
        return len(student.beam_search(step, torch.tensor([[0]]), 20, 2, EOS, 1.0))

    def refused():
        step, start = by_last(POOL), torch.tensor([[0]])
        return [refuses(student.beam_search, step, start, *two, EOS, 1.0) for two in [(0, 3), (2, 0)]]

    long, ended = (3, 4, 0), (4, EOS, 0)
    return up_to_the_first_wrong(
        (lambda: found(POOL, 1, 0.0, long), [[[*long, 2], log_p(0.48)], [[*long, 3], log_p(0.45)]]),
        (lambda: calls(POOL, 2), [1, 2]),
        (lambda: found(POOL, 2, 0.0), [[[0, 3, 2], log_p(0.225)], [[0, 3, 3], log_p(0.2025)]]),
        (lambda: found(POOL, 2, 3.0, long)[0][1], log_p(0.225) / 8),
        (lambda: calls(FIRST_ENDS, 2)[1:], [2]),
        (lambda: len(calls(SOON, 3)), 3),
        (lambda: len(calls(THEN, 3)), 3),
        (
            lambda: found(FIRST_ENDS, 2, 1.0),
            [[[0, 2, 1], log_p(0.34, 0.79) / 2], [[0, 3, 4], log_p(0.19) / 2]],
        ),
        (lambda: found(THIRD, 3, 0.0)[0][0][:2], [0, 2]),
        (
            lambda: found(FIRST_ENDS, 2, 1.0, ended),
            [[[2, 1], log_p(0.34, 0.79) / 2], [[3, 4], log_p(0.19) / 2]],
        ),
        (of_a_small_vocabulary, 7),
        (refused, [True, True]),
        (lambda: mutated(student.beam_search, by_last(POOL), torch.tensor([[0]]), 2, 2, EOS), []),
    )


### BEGIN HIDDEN TESTS
def beams_of_hugging_face(step, start, size, steps, alpha):
    found = by_hugging_face(
        step, start, steps, num_beams=size, num_return_sequences=size, early_stopping="never",
        length_penalty=alpha, return_dict_in_generate=True, output_scores=True,
    )  # fmt: skip
    return list(zip(found.sequences, found.sequences_scores.tolist(), strict=True))


@points(1.5, "beam_search", read="decoding-beam-search")
def test_beams_equal_hugging_face(student, device, rng):
    """Hugging Face의 generate(num_beams=K, early_stopping='never')와 가설이나 점수가 다릅니다."""
    settings = [
        (3, 7, 0.6, 2),
        (4, 6, 0.0, 3),
        (2, 8, 2.0, 1),
        (5, 5, 1.0, 2),
    ]
    for size, steps, alpha, length in settings:
        step = random_step(rng)
        start = torch.randint(2, VOCAB, (1, length), generator=rng)
        expected = beams_of_hugging_face(step, start, size, steps, alpha)
        found = student.beam_search(step, start.to(device), size, steps, EOS, alpha)
        assert_beams(found, expected)
    start = torch.tensor([[0]])
    expected = beams_of_hugging_face(by_last(THIRD), start, 2, 3, 0.0)
    assert_beams(student.beam_search(by_last(THIRD), start, 2, 3, EOS, 0.0), expected)
    overtaking = ([0, 2, 3, 3], log_p(0.594, 0.2, 0.97) / 3)
    found = student.beam_search(by_last(THEN), torch.tensor([[0]]), 2, 3, EOS, 1.0)
    assert_beams(found, [([0, 2, 1], log_p(0.594, 0.45) / 2), overtaking])
    found = student.beam_search(by_last(THEN), torch.tensor([[0]]), 2, 8, EOS, 1.0)
    longest = ([0, 2, *[3] * 7], log_p(0.594, 0.2, *[0.97] * 6) / 8)
    assert_beams(found, [longest, ([0, 2, 2, *[3] * 6], log_p(0.594, 0.15, 0.2, *[0.97] * 5) / 8)])


@points(0.5, "beam_search", read="beam-finished")
def test_a_wide_beam_is_exhaustive(student, rng):
    """빔이 모든 문장을 담을 만큼 크면 가능한 문장을 다 세어 고른 것과 같아야 합니다. 끝나지 않은 가설도 마지막에는 완성입니다."""
    for vocab, steps, alpha in [(3, 3, 1.0), (4, 3, 0.0), (3, 4, 0.7)]:
        table = 1.5 * torch.randn(97, vocab, generator=rng)
        step, start = by_prefix(table), torch.tensor([[0, 2]])
        everything, going_on = [], [(start[0].tolist(), 0.0)]
        for length in range(1, steps + 1):
            hypotheses, going_on = going_on, []
            for ids, total in hypotheses:
                log_p_next = step(torch.tensor([ids]))[0].double().log_softmax(dim=-1).tolist()
                for token, value in enumerate(log_p_next):
                    if token == EOS or length == steps:
                        everything.append((torch.tensor([*ids, token]), (total + value) / length**alpha))
                    else:
                        going_on.append(([*ids, token], total + value))
        expected = sorted(everything, key=lambda pair: -pair[1])
        assert_beams(student.beam_search(step, start, 200, steps, EOS, alpha), expected)


@points(0.25, "beam_search", read="beam-cost", step="robust")
def test_calls_the_model_once_a_step(student):
    """걸음마다 step을 한 번만, 많아야 K행으로 부릅니다. 첫 걸음에는 한 행뿐입니다. start는 그대로 둡니다."""
    step, calls = counted(by_prefix(random_table(5)))
    found = student.beam_search(step, torch.tensor([[0]]), 3, 5, EOS)
    assert len(found) == 3, f"결과가 3개여야 하는데 {len(found)}개입니다."
    assert_beams(student.beam_search(step, torch.tensor([[0]]), 3, 5, EOS, 1.0), found)
    calls.clear()
    student.beam_search(step, torch.tensor([[0]]), 3, 5, EOS)
    for size, steps in [(1, 3), (3, 1)]:
        number = len(student.beam_search(by_last(GARDEN_PATH), torch.tensor([[0]]), size, steps, EOS))
        assert number == size, f"beam_size {size}, max_new_tokens {steps}: 결과가 {number}개입니다."
    assert calls[0] == 1 and max(calls) == 3 and len(calls) <= 5, f"행의 수가 {calls}인 호출을 했습니다."
    assert mutated(student.beam_search, step, torch.tensor([[0]]), 3, 5, EOS) == [], "start가 바뀌었습니다."


@points(0.25, "beam_search", read="beam-cost", step="robust")
def test_no_beam_is_refused(student):
    """1보다 작은 beam_size와 max_new_tokens는 ValueError입니다."""
    step, start = by_last(GARDEN_PATH), torch.tensor([[0]])
    assert len(student.beam_search(step, start, 1, 1, EOS)) == 1
    for size, steps in [(0, 3), (2, 0)]:
        assert refuses(student.beam_search, step, start, size, steps, EOS)


### END HIDDEN TESTS


# sample_next ------------------------------------------------------------------------------------------------


def spread():
    """Five tokens, not in the order of their probabilities: 0.1, 0.4, 0.05, 0.25, 0.2."""
    return torch.tensor([0.10, 0.40, 0.05, 0.25, 0.20]).log()


def draws(student, logits, count=4000, seed=0, **options):
    generator = torch.Generator().manual_seed(seed)
    return student.sample_next(logits.expand(count, -1), generator=generator, **options)


@points(0.25, "sample_next", read="sampling-shape", step="warm-up")
def test_temperature_zero_is_greedy(student):
    """온도가 0이면 가장 큰 것을 고릅니다. 앞에 붙은 축은 그대로 남고 어휘의 축만 사라집니다."""
    logits = torch.tensor([[[1.0, 3.0, 2.0], [0.5, -1.0, 0.0]], [[0.0, 1.0, 5.0], [2.0, 2.5, 1.0]]])
    assert_close(student.sample_next(logits, temperature=0.0), torch.tensor([[1, 0], [2, 1]]))
    assert_close(student.sample_next(logits[0, 0], 0.0), torch.tensor(1))
    many = student.sample_next(logits[0, 0].repeat(1, 64, 1), top_k=1)  # no luck helps who draws from all
    assert_close(many, torch.ones(1, 64, dtype=torch.long))


@points(0.5, "sample_next", read="decoding-nucleus")
def test_keeps_the_right_tokens(student):
    """top_k는 큰 것부터 k개를, top_p는 합이 p에 처음 이르는 토큰까지 남깁니다. 남은 것은 모두 나올 수 있어야 합니다."""
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

    def drawn(count, seed, **options):
        generator = torch.Generator().manual_seed(seed)
        return student.sample_next(spread().repeat(count, 1), generator=generator, **options)

    def varies():
        """Whether draws differ from one state of the generator to another, and from row to row."""
        alone = {int(drawn(1, number).flatten()[0]) for number in range(20)}
        return len(alone) > 1, any(drawn(200, seed).unique().numel() > 1 for seed in range(3))

    def tokens(**options):
        return summary(drawn(20_000, 3, **options))

    def shape(*leading, **options):
        return list(student.sample_next(torch.zeros(*leading, 5) + spread(), **options).shape)

    def of_two_rows():
        rows = torch.stack([spread(), spread().flip(0)])[None].repeat(10_000, 1, 1)
        found = student.sample_next(rows, top_k=2, generator=torch.Generator().manual_seed(4))
        return [summary(column) for column in found.reshape(10_000, -1).unbind(1)]

    def refused(*several):
        return [refuses(lambda o=options: student.sample_next(spread(), **o)) for options in several]

    refusals = (
        [{"temperature": -1.0}],
        [{"top_k": -1}],
        [{"top_k": 0}],
        [{"top_p": 1.5}],
        [{"top_p": 0.0}],
        [{"temperature": 0.0, "top_k": -1}, {"temperature": 0.0, "top_p": 1.5}],
    )
    looks = [
        varies,
        lambda: shape(4),
        tokens,
        lambda: tokens(temperature=0.5),
        lambda: tokens(temperature=2.0),
        lambda: student.sample_next(torch.stack([spread(), spread().flip(0)]), temperature=0.0).tolist(),
        lambda: tokens(top_k=2),
        lambda: tokens(top_p=0.22),
        lambda: tokens(top_p=0.5),
        lambda: tokens(top_p=0.66),
        lambda: tokens(top_k=3, top_p=0.7),
        lambda: tokens(temperature=4.0, top_p=0.5),
        lambda: tokens(temperature=0.4, top_p=0.6),
        lambda: shape(2, 3),
        lambda: [shape(), shape(1), shape(1, 1)],
        of_two_rows,
        lambda: bool((drawn(200, 5) == drawn(200, 5)).all()),
        lambda: any(any(refused(*several)) for several in refusals),
        *(lambda several=several: refused(*several) for several in refusals),
        lambda: len(set(drawn(2000, 6, temperature=1.0, top_k=9).tolist())),
        lambda: mutated(student.sample_next, spread().repeat(3, 1), 0.7, 3, 0.9),
    ]
    return [attempt(look) for look in looks]


def summary(tokens):
    return [sorted(set(tokens.flatten().tolist())), round(10 * (tokens == 1).float().mean().item())]


### BEGIN HIDDEN TESTS
def p_value(drawn, probabilities):
    """Pearson's chi-square test of tokens (count,) against their probabilities (vocab,)."""
    counts = torch.bincount(drawn.flatten(), minlength=len(probabilities)).double()
    possible = probabilities > 0
    if counts[~possible].sum() > 0 or len(counts) > len(probabilities):
        return 0.0
    expected = probabilities[possible] * drawn.numel()
    statistic = ((counts[possible] - expected) ** 2 / expected).sum()
    freedom = torch.tensor((int(possible.sum()) - 1) / 2, dtype=torch.float64)
    return 1.0 if freedom == 0 else torch.special.gammaincc(freedom, statistic / 2).item()


def by_warpers(logits, temperature=1.0, top_k=None, top_p=None):
    """The probabilities that Hugging Face's warpers leave."""
    from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    scores = logits.double()[None]
    warpers = [
        TemperatureLogitsWarper(temperature) if temperature != 1.0 else None,
        TopKLogitsWarper(top_k) if top_k else None,
        TopPLogitsWarper(top_p) if top_p else None,
    ]
    for warper in filter(None, warpers):
        scores = warper(None, scores)
    return scores[0].softmax(dim=-1)


@points(0.5, "sample_next", read="decoding-temperature")
def test_temperature_shapes_the_distribution(student, rng):
    """로짓을 온도로 나눈 다음의 소프트맥스가 뽑히는 확률이어야 합니다."""
    for seed, temperature in enumerate([1.0, 0.5, 2.0]):
        logits = torch.randn(6, generator=rng)
        found = draws(student, logits, 10_000, seed, temperature=temperature)
        assert p_value(found, (logits.double() / temperature).softmax(-1)) > 1e-6, (
            f"온도 {temperature}: 뽑힌 횟수가 확률과 맞지 않습니다."
        )


@points(0.75, "sample_next", read="decoding-sampling-order")
def test_filters_in_order(student, rng):
    """온도, top-k, top-p의 차례입니다. top-p의 확률은 top-k로 남긴 것에서 다시 구합니다."""
    logits = 1.5 * torch.randn(8, generator=rng)
    for seed, options in enumerate(
        [
            {"top_k": 3},
            {"top_p": 0.6},
            {"top_k": 4, "top_p": 0.75},
            {"temperature": 2.5, "top_p": 0.7},
            {"temperature": 0.6, "top_k": 5, "top_p": 0.9},
        ]
    ):
        found = draws(student, logits, 10_000, 10 + seed, **options)
        assert p_value(found, by_warpers(logits, **options)) > 1e-6, (
            f"{options}: 뽑힌 횟수가 Hugging Face의 분포와 맞지 않습니다."
        )
    # 0.4, 0.3, 0.2, 0.1: of the three that top-k leaves, the first two hold 7/9.
    ordered = torch.tensor([0.1, 0.3, 0.4, 0.2]).log()
    found = sorted(set(draws(student, ordered, 4000, 20, top_k=3, top_p=0.75).tolist()))
    assert found == [1, 2], f"top_k=3, top_p=0.75: 나온 토큰이 [1, 2]이어야 하는데 {found}입니다."
    found = set(draws(student, torch.zeros(4), 4000, 21, top_p=0.5).tolist())
    assert len(found) == 2, f"확률이 1/4씩일 때 top_p=0.5는 둘을 남기는데 {len(found)}가지가 나왔습니다."


@points(0.25, "sample_next", read="decoding-sampling", step="robust")
def test_randomness_comes_from_the_generator(student, rng):
    """난수는 generator에서만 얻습니다. 같은 상태의 generator는 같은 토큰을 내고, 행마다 따로 뽑습니다."""
    logits = torch.randn(4, generator=rng)
    same = [draws(student, logits, 300, seed) for seed in [7, 7, 8]]
    assert_close(same[0], same[1])
    assert not torch.equal(same[0], same[2]), "generator가 달라도 같은 토큰을 뽑았습니다."
    rows = torch.stack([logits, logits.flip(0)]).expand(10_000, 2, 4)
    found = student.sample_next(rows, generator=torch.Generator().manual_seed(9))
    assert p_value(found[:, 0], logits.double().softmax(-1)) > 1e-6, "행마다 자기 로짓으로 뽑아야 합니다."
    assert p_value(found[:, 1], logits.flip(0).double().softmax(-1)) > 1e-6, (
        "행마다 자기 로짓으로 뽑아야 합니다."
    )
    pairs_of_rows = 4 * found[:, 0] + found[:, 1]
    joint = torch.outer(logits.double().softmax(-1), logits.flip(0).double().softmax(-1)).flatten()
    assert p_value(pairs_of_rows, joint) > 1e-6, "두 행을 서로 독립으로 뽑아야 합니다."


@points(0.25, "sample_next", read="decoding-sampling-order", step="robust")
def test_refuses_what_cannot_be(student, device):
    """음수 온도, 1보다 작은 top_k, (0, 1] 밖의 top_p는 ValueError입니다. 로짓은 그대로 둡니다."""
    found = student.sample_next(spread().to(device).repeat(64, 1), top_k=1)
    assert_close(found, torch.ones(64, dtype=torch.long))
    assert found.device.type == device.type, "결과가 로짓과 다른 장치에 있습니다."
    assert mutated(student.sample_next, spread().expand(3, 5), 0.7, 3, 0.9) == [], "로짓이 바뀌었습니다."
    greedy = [{"temperature": 0.0, "top_k": 0}, {"temperature": 0.0, "top_p": 1.5}]
    for options in [{"temperature": -1.0}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.5}, *greedy]:
        with pytest.raises(ValueError):
            student.sample_next(spread(), **options)


### END HIDDEN TESTS


# KVCache ----------------------------------------------------------------------------------------------------


def positions(*values, width=2):
    """(1, 1, n, width): position by position filled with one number."""
    return torch.tensor(values, dtype=torch.float32)[None, None, :, None].expand(1, 1, len(values), width)


@points(0.5, "KVCache", read="decoding-cache-time", step="warm-up")
def test_returns_everything_so_far(student):
    """새 키와 값을 시간 축(뒤에서 둘째)의 뒤에 붙이고, 그 층에서 지금까지 모은 것을 모두 돌려줍니다."""
    for one in (student.KVCache() for _ in range(2)):
        for new, total in [((1, 2, 3), (1, 2, 3)), ((4,), (1, 2, 3, 4)), ((5, 6), (1, 2, 3, 4, 5, 6))]:
            key, value = one.update(0, positions(*new), -positions(*new, width=3))
            assert_close(key, positions(*total))
            assert_close(value, -positions(*total, width=3))


@points(0.25, "KVCache", read="decoding-cache-layers")
def test_layers_do_not_mix(student):
    """층마다 따로 모아야 합니다. 다른 층의 키와 섞이지 않습니다."""
    cache = student.KVCache()
    for token in range(1, 4):
        for layer in [0, 1, 2]:
            key, value = cache.update(layer, positions(10 * layer + token), positions(100 * layer + token))
            assert_close(key, positions(*(10 * layer + t for t in range(1, token + 1))))
            assert_close(value, positions(*(100 * layer + t for t in range(1, token + 1))))


def begins_full(student):
    """Whether a new cache holds something of an older one. What an answer raises says nothing of that."""
    key = torch.zeros(2, 2, 1, 2)
    for layer in [11, 2]:  # 11 is nowhere else, where other shapes could have been kept
        old = attempt(lambda n=layer: student.KVCache().update(n, key, key))
        new = attempt(lambda n=layer: student.KVCache().update(n, key, key)[0].shape[-2])
        if old != "fails" and isinstance(new, int) and new > 1:
            return True
    return False


def numbered(shape, first=0):
    """A tensor of consecutive numbers, so that each tells where it comes from."""
    return torch.arange(first, first + math.prod(shape), dtype=torch.float32).reshape(shape)


@observes("KVCache")
def observe_kv_cache(student):
    # As many positions as rows and heads, so that a wrong axis shows in what comes back and nothing raises.
    def after(times, shape=(2, 2, 2, 2), layers=(0,)):
        """What comes back last, of every layer, when each has been given something so many times."""
        cache = student.KVCache()
        for time in range(times):
            seen = []
            for layer in layers:
                key = numbered(shape, 1000 * layer + 100 * time)
                seen.append(list(cache.update(layer, key, -key)))
        return seen

    def chosen(rows, layers=(0,)):
        """Where the rows, heads and positions come from when rows have been chosen anew: keys, values, each layer."""
        cache, old = student.KVCache(), numbered((3, 3, 3, 1))
        for layer in layers:
            cache.update(layer, old, old + 1000)
        cache.reorder(torch.tensor(rows))
        new = numbered((len(rows), 3, 1, 1))
        seen = [cache.update(layer, new, new) for layer in layers]
        return [[[x[:, 0, 0, 0], x[0, :, 0, 0], x[0, 0, :-1, 0]] for x in pair] for pair in seen]

    def widths():
        cache, key, value = student.KVCache(), numbered((1, 2, 3, 2)), numbered((1, 2, 3, 4))
        return [[list(kept.shape) for kept in cache.update(0, key, value)] for _ in range(2)]

    looks = [
        lambda: begins_full(student),
        lambda: after(1),
        lambda: after(2),
        lambda: after(3),
        lambda: after(2, layers=(0, 1)),
        lambda: after(1, layers=(0, 1, 2)),
        lambda: after(2, (2, 2, 2)),  # no axis of heads
        widths,
        lambda: chosen([2, 0, 1]),
        lambda: chosen([2, 0, 1], (0, 1)),
        lambda: chosen([1, 1, 0]),
        lambda: chosen([0, 2]),
        lambda: chosen([1, 0, 2, 1]),
    ]
    if begins_full(student):
        return [True] + [None] * (len(looks) - 1)
    return [attempt(look) for look in looks]


### BEGIN HIDDEN TESTS
def causal_model(weights, ids, chunks, cache):
    """Logits at all positions of two causal attention layers, the ids fed in chunks through `cache` (or None)."""
    import torch

    outputs, first = [], 0
    for n in chunks:
        new = ids[:, first : first + n]
        positions = torch.arange(first, first + n)
        x = weights["token"][new] + weights["position"][positions]
        for layer in range(2):
            qkv = (x @ weights["qkv"][layer]).unflatten(-1, (3, 2, -1)).permute(2, 0, 3, 1, 4)
            query, key, value = qkv[0], qkv[1], qkv[2]
            if cache is not None:
                key, value = cache.update(layer, key, value)
            seen = torch.arange(key.shape[-2]) <= positions[:, None]
            scores = (query @ key.transpose(-2, -1)).masked_fill(~seen, float("-inf"))
            x = x + (scores.softmax(-1) @ value).transpose(1, 2).flatten(2)
        outputs.append(x @ weights["token"].T)
        first += n
    return torch.cat(outputs, dim=1)


@points(0.5, "KVCache", read="decoding-cache")
def test_logits_do_not_change(student, rng):
    """캐시를 쓴 로짓이 캐시 없이 전체를 다시 계산한 로짓과 다릅니다."""
    on_the_other_side = place(student, causal_model)
    weights = {
        "token": torch.randn(9, 8, generator=rng, dtype=torch.float64),
        "position": torch.randn(12, 8, generator=rng, dtype=torch.float64),
        "qkv": torch.randn(2, 8, 24, generator=rng, dtype=torch.float64) / 2,
    }
    for batch, chunks in [(1, [1] * 6), (3, [4, 1, 1, 1]), (2, [2, 3, 1, 2])]:
        ids = torch.randint(0, 9, (batch, sum(chunks)), generator=rng)
        expected = causal_model(weights, ids, [sum(chunks)], None)
        found = on_the_other_side(weights, ids, chunks, student.KVCache())
        assert_close(found, expected, rtol=1e-10, atol=1e-10)


@points(0.25, "KVCache", read="decoding-cache-layers")
def test_caches_share_nothing(student, rng):
    """캐시를 새로 만들면 비어 있어야 합니다. 두 캐시가 저장소를 나누어 쓰면 안 됩니다."""
    for shape in [(2, 3, 4, 5), (2, 4, 5), (2, 3, 2, 4, 5)]:  # with heads, without, and with two axes of them
        one, other = student.KVCache(), student.KVCache()
        key = torch.randn(*shape, generator=rng)
        one.update(0, key, key)
        found, _ = other.update(0, key[..., :1, :], key[..., :1, :])
        assert_close(found, key[..., :1, :])
        found, value = one.update(0, key[..., :2, :], key[..., 2:, :])
        assert_close(found, torch.cat([key, key[..., :2, :]], dim=-2))
        assert_close(value, torch.cat([key, key[..., 2:, :]], dim=-2))


@points(0.5, "KVCache", read="decoding-cache-reorder")
def test_rows_are_chosen_anew(student, rng):
    """reorder는 모든 층의 키와 값에서 배치의 행을 다시 고릅니다. 같은 행이 여러 번 나올 수 있습니다."""
    cache = student.KVCache()
    old = [torch.randn(3, 2, 4, 5, generator=rng) for _ in range(2)]
    for layer in [0, 1]:
        cache.update(layer, old[layer], 2 * old[layer])
    for rows in [[2, 0, 2, 1], [3, 3], [1, 0, 0]]:
        cache.reorder(torch.tensor(rows))
        for layer in [0, 1]:
            new = torch.randn(len(rows), 2, 1, 5, generator=rng)
            old[layer] = torch.cat([old[layer][rows], new], dim=2)
            key, value = cache.update(layer, new, 2 * new)
            assert_close(key, old[layer])
            assert_close(value, 2 * old[layer])


### END HIDDEN TESTS
