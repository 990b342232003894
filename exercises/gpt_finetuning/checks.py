"""What the exercise `gpt_finetuning` is graded by."""

import math
import os.path

import torch

from grader.judging.contract import bad_manners
from grader.judging.observed import same, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    follows_device,
    gradients,
    mutated,
    observes,
    place,
    points,
    scattered,
)


def assert_ids(actual, expected):
    """A list of ids, or of lists of ids; tuples will do."""
    if not isinstance(actual, list | tuple):
        raise AssertionError(f"리스트를 돌려주어야 하는데 {type(actual).__name__}입니다.")
    found = [list(row) if isinstance(row, tuple) else row for row in actual]
    assert found == expected, f"{expected} 대신 {found}입니다."


def call_and_look(function, args, keywords):
    """What a call returns, and what its arguments are afterwards."""
    returned = function(*args, **keywords)
    return [returned, args]


MARKS = {"start": 1, "delimiter": 2, "extract": 3}
OTHER_MARKS = {"start": 40, "delimiter": 30, "extract": 20}
OTHER_ENDS = {"start": 40, "extract": 20}


def made_of(found):
    """What a list holds, such as ["int"]; of anything else, what it is."""
    if not isinstance(found, list | tuple):
        return type(found).__name__
    return sorted({type(entry).__name__.replace("tuple", "list") for entry in found})


def texts_of(row):
    """The ids of texts in a row: those from 4 to 9."""
    return [number for number in row if 3 < number < 10]


def signs_of(row):
    """A row of ids told by what they are, a text by one sign."""
    names = {number: name for name, number in OTHER_MARKS.items()}
    signs = ["text" if texts_of([number]) else names.get(number, "other") for number in row]
    return [sign for i, sign in enumerate(signs) if sign != "text" or signs[i - 1 : i] != ["text"]]


def each_once(row):
    """Whether a row holds each special token once."""
    return all(list(row).count(number) == 1 for number in OTHER_MARKS.values())


def left_alone(student, function, args, keywords):
    """Whether a call leaves its arguments, lists of lists, as they are."""
    before = repr(args)
    return repr(place(student, call_and_look)(function, args, keywords)[1]) == before


# format_classification --------------------------------------------------------------------------------------


@points(0.5, "format_classification", read="gft-extract", step="warm-up")
def test_text_between_start_and_extract(student):
    """시작 토큰, 글, 추출 토큰의 차례입니다. 추출 토큰은 글 전체를 볼 수 있는 마지막 자리에 둡니다."""
    assert_ids(student.format_classification([5, 6], start=1, extract=3), [1, 5, 6, 3])
    assert_ids(student.format_classification([9, 8, 7], start=40, extract=20), [40, 9, 8, 7, 20])


@observes("format_classification")
def observe_format_classification(student):
    def row(text):
        return student.format_classification(list(text), **OTHER_ENDS)

    return up_to_the_first_wrong(
        (lambda: made_of(row([7, 5, 6])), ["int"]),
        (lambda: left_alone(student, student.format_classification, [[7, 5, 6]], OTHER_ENDS), True),
        (lambda: signs_of(row([7, 5, 6])), ["start", "text", "extract"]),
        (lambda: texts_of(row([7, 5, 6])), [7, 5, 6]),
        (lambda: list(row([])) == [40, 20], True),
    )




# format_entailment ------------------------------------------------------------------------------------------


@points(0.5, "format_entailment", read="gft-delimiter", step="warm-up")
def test_delimiter_between_premise_and_hypothesis(student):
    """시작, 전제, 구분, 가설, 추출의 차례입니다. 구분 토큰은 둘 사이에 하나만 있습니다."""
    assert_ids(student.format_entailment([5, 6], [7], **MARKS), [1, 5, 6, 2, 7, 3])
    assert_ids(
        student.format_entailment([5], [7, 8, 5], start=9, delimiter=4, extract=6), [9, 5, 4, 7, 8, 5, 6]
    )


@observes("format_entailment")
def observe_format_entailment(student):
    def row(premise, hypothesis):
        return student.format_entailment(list(premise), list(hypothesis), **OTHER_MARKS)

    return up_to_the_first_wrong(
        (lambda: made_of(row([7, 5, 6], [8, 4])), ["int"]),
        (lambda: left_alone(student, student.format_entailment, [[7, 5, 6], [8, 4]], OTHER_MARKS), True),
        (lambda: texts_of(row([7, 5, 6], [8, 4])), [7, 5, 6, 8, 4]),
        (lambda: {40, 20} <= set(row([7, 5, 6], [8, 4])), True),
        (lambda: list(row([7, 5, 6], [8, 4])).count(20), 1),
        (lambda: list(row([7, 5, 6], [8, 4])).count(30), 1),
        (lambda: signs_of(row([7, 5, 6], [8, 4])), ["start", "text", "delimiter", "text", "extract"]),
        (lambda: [list(row([], [8])), list(row([7], []))] == [[40, 30, 8, 20], [40, 7, 30, 20]], True),
    )




# format_similarity ------------------------------------------------------------------------------------------


@points(0.75, "format_similarity", read="gft-both-orders", step="warm-up")
def test_both_orders(student):
    """두 차례를 모두 만듭니다. a가 앞인 것이 먼저, b가 앞인 것이 나중이고, 줄마다 구분 토큰이 있습니다."""
    expected = [[1, 5, 6, 2, 7, 3], [1, 7, 2, 5, 6, 3]]
    assert_ids(student.format_similarity([5, 6], [7], **MARKS), expected)
    expected = [[1, 9, 2, 4, 8, 3], [1, 4, 8, 2, 9, 3]]
    assert_ids(student.format_similarity([9], [4, 8], **MARKS), expected)


@observes("format_similarity")
def observe_format_similarity(student):
    def rows(a, b):
        return student.format_similarity(list(a), list(b), **OTHER_MARKS)

    def kind():
        found = rows([4, 8], [7, 5, 6])
        if made_of(found) == ["int"]:  # one flat list: with how many starts, of how many texts
            return min(list(found).count(40), 2), len(texts_of(found)) > 5
        return made_of(found)

    def texts(a, b):
        return [texts_of(row) for row in rows(a, b)]

    return up_to_the_first_wrong(
        (kind, ["list"]),
        (lambda: left_alone(student, student.format_similarity, [[4, 8], [7, 5, 6]], OTHER_MARKS), True),
        (lambda: texts([4, 8], [7, 5, 6]), [[4, 8, 7, 5, 6], [7, 5, 6, 4, 8]]),
        (lambda: [30 in row for row in rows([4, 8], [7, 5, 6])], [True, True]),
        (lambda: all(each_once(row) for row in rows([4, 8], [7, 5, 6])), True),
        (
            lambda: [signs_of(row) for row in rows([4, 8], [7, 5, 6])],
            [["start", "text", "delimiter", "text", "extract"]] * 2,
        ),
        (lambda: texts([7, 5, 6], [4, 8]) == [[7, 5, 6, 4, 8], [4, 8, 7, 5, 6]], True),
        (lambda: len(rows([4], [4])) == 2, True),
        (lambda: [list(row) for row in rows([], [4])] == [[40, 30, 4, 20], [40, 4, 30, 20]], True),
    )




# format_multiple_choice -------------------------------------------------------------------------------------


@points(0.75, "format_multiple_choice", read="gft-choices", step="warm-up")
def test_one_sequence_a_choice(student):
    """보기마다 한 줄입니다. 줄마다 시작, 글과 질문 전체, 구분, 보기 하나, 추출이 있습니다."""
    expected = [[1, 5, 6, 2, 7, 3], [1, 5, 6, 2, 8, 9, 3]]
    assert_ids(student.format_multiple_choice([5, 6], [[7], [8, 9]], **MARKS), expected)
    expected = [[1, 5, 2, 8, 3], [1, 5, 2, 7, 3], [1, 5, 2, 6, 4, 3]]
    assert_ids(student.format_multiple_choice([5], [[8], [7], [6, 4]], **MARKS), expected)


@observes("format_multiple_choice")
def observe_format_multiple_choice(student):
    choices = [[8], [9, 4], [6]]

    def rows(context, choices):
        return student.format_multiple_choice(
            list(context), [list(choice) for choice in choices], **OTHER_MARKS
        )

    def untouched():
        return left_alone(student, student.format_multiple_choice, [[7, 5], choices], OTHER_MARKS)

    return up_to_the_first_wrong(
        (lambda: made_of(rows([7, 5], choices)), ["list"]),
        (lambda: [texts_of(row) for row in rows([7, 5], choices)], [[7, 5, 8], [7, 5, 9, 4], [7, 5, 6]]),
        (untouched, True),
        (lambda: len({len(row) for row in rows([7, 5], choices)}) == 2, True),
        (lambda: [30 in row for row in rows([7, 5], choices)], [True, True, True]),
        (lambda: all(each_once(row) for row in rows([7, 5], choices)), True),
        (
            lambda: [signs_of(row) for row in rows([7, 5], choices)],
            [["start", "text", "delimiter", "text", "extract"]] * 3,
        ),
        (lambda: list(rows([], [[8]])[0]) == [40, 30, 8, 20], True),
        (lambda: [len(row) for row in rows([7], [[8], [], [9]])] == [5, 4, 5], True),
    )




# read_extract -----------------------------------------------------------------------------------------------


@points(0.25, "read_extract", read="gft-read", step="warm-up")
def test_each_row_is_read_at_its_own_end(student, device):
    """줄마다 자기 길이의 끝, lengths - 1번째 자리를 읽습니다. 텐서의 마지막 열은 패딩일 수 있습니다."""
    hidden = torch.arange(24.0, device=device).view(3, 4, 2)
    found = student.read_extract(hidden, torch.tensor([2, 4, 1], device=device))
    assert_close(found, torch.tensor([[2.0, 3.0], [14.0, 15.0], [16.0, 17.0]]))
    found = student.read_extract(hidden[:2], torch.tensor([1, 3], device=device))
    assert_close(found, torch.tensor([[0.0, 1.0], [12.0, 13.0]]))


@points(0.25, "read_extract", read="gft-alias", step="robust")
def test_lengths_are_left_alone(student):
    """받은 lengths를 바꾸지 않습니다. lengths -= 1 대신 lengths - 1을 쓰십시오."""
    hidden, lengths = scattered((2, 3, 2), 1), torch.tensor([3, 2])
    assert_close(student.read_extract(hidden, lengths), hidden[[0, 1], [2, 1]])
    assert mutated(student.read_extract, hidden, lengths) == [], "받은 텐서를 바꾸었습니다."


@observes("read_extract")
def observe_read_extract(student):
    read = student.read_extract
    hidden, lengths = scattered((3, 7, 4), 2), torch.tensor([2, 4, 3])

    def states_read():
        """The row and the place of each state that is read."""
        found = read(hidden, lengths.clone())
        if found.numel() % 4:
            return "not whole states"
        places = [(row, t) for row in range(3) for t in range(7)]
        seen = [[at for at in places if same(state, hidden[at])] for state in found.reshape(-1, 4)]
        return [at[0] for at in seen] if all(seen) else "mixed"

    def keeps_axes_of_one():
        shapes = [(1, 3, 4), (3, 3, 1), (1, 1, 1)]
        found = [read(scattered((b, n, d), 1), torch.ones(b, dtype=torch.long)) for b, n, d in shapes]
        return [tuple(one.shape) for one in found] == [(b, d) for b, _, d in shapes]

    def finite():
        apart = torch.full((2, 4, 3), float("nan"), dtype=torch.float64)
        apart[0, 1] = apart[1, 2] = 1.0
        return bool(read(apart, torch.tensor([2, 3])).isfinite().all())

    return up_to_the_first_wrong(
        (states_read, [[0, 1], [1, 3], [2, 2]]),
        (lambda: list(read(hidden, lengths.clone()).shape), [3, 4]),
        (lambda: bad_manners(student, read, hidden, lengths), "none"),
        (finite, True),
        (keeps_axes_of_one, True),
    )




# combined_loss ----------------------------------------------------------------------------------------------


@points(0.25, "combined_loss", read="gft-lambda", step="warm-up")
def test_adds_lam_times_the_second(student):
    """분류의 손실은 그대로, 언어 모델의 손실은 lam배 해서 더합니다."""
    for clf, lm, lam in [(2.0, 4.0, 0.5), (1.0, 3.0, 2.0), (0.5, 8.0, 0.25)]:
        assert_close(student.combined_loss(torch.tensor(clf), torch.tensor(lm), lam), clf + lam * lm)


@observes("combined_loss")
def observe_combined_loss(student):
    combine, clf, lm = student.combined_loss, torch.tensor(0.75), torch.tensor(6.0)

    def value(lam):
        return float(combine(clf.clone(), lm.clone(), lam))

    return up_to_the_first_wrong(
        (lambda: [value(lam) for lam in (0.5, 0.2, 3.0)], [3.75, 1.95, 18.75]),
        (lambda: bad_manners(student, combine, clf, lm, 0.2), "none"),
        (lambda: value(0.0), 0.75),
    )




# few_shot_prompt --------------------------------------------------------------------------------------------


def films():
    """Examples, made anew: an answer may spoil them."""
    return [("또 보고 싶다", "긍정"), ("졸았다", "부정")]


def form_of(student):
    """What stands before a text and between text and label, as the answer itself writes an example."""
    prompt = student.few_shot_prompt([("가나다라", "마바사")], "아자차카")
    if not isinstance(prompt, str):
        raise AssertionError(f"문자열을 돌려주어야 하는데 {type(prompt).__name__}입니다.")
    example = prompt.split("\n\n")[0]
    found = [example.find("가나다라"), example.find("마바사")]
    assert -1 < found[0] < found[1], f"첫 문단에 글과 라벨이 이 차례로 있어야 하는데 {example!r}입니다."
    before, between = example[: found[0]], example[found[0] + 4 : found[1]]
    assert between.strip(), "글과 라벨 사이에 '감정:'처럼 라벨이 시작됨을 알리는 말이 있어야 합니다."
    return before, between


def assert_prompt(actual, expected):
    assert isinstance(actual, str), f"문자열을 돌려주어야 하는데 {type(actual).__name__}입니다."
    same = len(os.path.commonprefix([actual, expected]))
    near = slice(max(0, same - 10), same + 15)
    assert actual == expected, f"{same}번째 글자부터 다릅니다: {expected[near]!r} 대신 {actual[near]!r}."


@points(0.5, "few_shot_prompt", read="gft-prompt", step="warm-up")
def test_examples_then_query_in_the_same_form(student):
    """예는 받은 차례로 한 문단씩, 물음은 마지막 문단에 같은 꼴로 씁니다. 문단 사이에는 빈 줄이 있습니다."""
    before, between = form_of(student)
    prompt = student.few_shot_prompt(films(), "표가 아깝다")
    assert isinstance(prompt, str), f"문자열을 돌려주어야 하는데 {type(prompt).__name__}입니다."
    expected = (
        f"{before}또 보고 싶다{between}긍정\n\n{before}졸았다{between}부정\n\n{before}표가 아깝다{between}"
    )
    assert_prompt(prompt.rstrip(), expected.rstrip())  # what follows is the next test's


@points(0.25, "few_shot_prompt", read="gft-prompt-end")
def test_ends_where_the_answer_begins(student):
    """답이 시작될 자리에서 끝냅니다. 라벨도, 빈칸도, 줄바꿈도 뒤에 붙이지 않습니다."""
    between = form_of(student)[1]
    prompt = student.few_shot_prompt(films(), "표가 아깝다")
    assert prompt.endswith("표가 아깝다" + between.rstrip()), f"프롬프트가 {prompt[-12:]!r}로 끝납니다."


EXAMPLES = [("가나", "사아"), ("다라", "자차"), ("마바", "카타")]
PIECES = ("거너더", "가나", "사아", "다라", "자차", "마바", "카타", "파하")


def pieces_of(text):
    """Which of the pieces stand in a text, by their number, in the order of the text."""
    found = [
        (at, i) for i, piece in enumerate(PIECES) for at in range(len(text)) if text.startswith(piece, at)
    ]
    return [i for _, i in sorted(found)]


@observes("few_shot_prompt")
def observe_few_shot_prompt(student):
    """The prompts, whatever words the answer chose for "문장: " and "감정: "."""

    def prompt(examples=EXAMPLES, query="파하", instruction="거너더"):
        return student.few_shot_prompt(list(examples), query, instruction)

    def order():
        found = pieces_of(prompt())
        return "answered" if found[:-1] == list(range(8)) else found

    def paragraphs():
        """Whether an empty line stands between what belongs apart, and nowhere else."""
        parts = prompt().strip().split("\n\n")
        if any(part[:1].isspace() or not part for part in parts):
            return "too many"
        found = [pieces_of(part) for part in parts]
        if any(len(set(pieces) - {2, 4, 6}) > 1 for pieces in found):
            return "not parted"
        return "right" if all(set(pieces) - {2, 4, 6} for pieces in found) else "too many"

    def forms():
        """What stands before a text and what behind it, up to the label, in each example and in the query."""
        parts = [part for part in prompt().split("\n\n") if {1, 3, 5, 7} & set(pieces_of(part))]
        for part, text, label in zip(
            parts, ("가나", "다라", "마바", "파하"), ("사아", "자차", "카타", "\0"), strict=True
        ):
            before, _, after = part.partition(text)
            yield before, after.partition(label)[0].rstrip()

    def likeness():
        *examples, query = forms()
        if query in (("", ""), (examples[0][0], "")):
            return "no place for the label" if query[0] else "no words"
        return "same" if {query} == set(examples) else "other"

    def ending():
        found = prompt()
        rest = found[len(found.rstrip()) :]
        return "newline" if "\n" in rest else "space" if rest else "none"

    def untouched():
        return left_alone(student, student.few_shot_prompt, [list(EXAMPLES), "파하", "거너더"], {})

    return up_to_the_first_wrong(
        (lambda: type(prompt()).__name__, "str"),
        (order, list(range(8))),
        (paragraphs, "right"),
        (likeness, "same"),
        (ending, "none"),
        (lambda: prompt().startswith("거너더\n\n"), True),
        (lambda: prompt(instruction="")[:1].isspace(), False),
        (lambda: prompt(instruction="") == prompt().removeprefix("거너더\n\n"), True),
        (lambda: prompt([]) == "거너더\n\n" + prompt().split("\n\n")[-1], True),
        (untouched, True),
        (lambda: len(pieces_of(prompt([("가나", "사아"), ("가나", "자차")]))) == 6, True),
    )




# score_labels -----------------------------------------------------------------------------------------------

# The prompt is two tokens; label 0 is token 1, label 1 is tokens 2 and 0. What stands at t is said of the token at
# t + 1: so 1/4 for label 0, 1/2 and 1/3 for label 1. The last column is padding.
CHANCES = torch.tensor(
    [
        [[0.7, 0.2, 0.1], [0.35, 0.25, 0.4], [0.1, 0.3, 0.6], [0.3, 0.6, 0.1], [0.2, 0.2, 0.6]],
        [[0.7, 0.2, 0.1], [0.3, 0.2, 0.5], [1 / 3, 1 / 2, 1 / 6], [0.3, 0.6, 0.1], [0.6, 0.2, 0.2]],
    ]
)
ROWS = torch.tensor([[0, 2, 1, 1, 1], [0, 2, 2, 0, 1]])
ROW_LENGTHS = torch.tensor([3, 4])


@points(0.75, "score_labels", read="gft-shift", step="warm-up")
def test_a_label_is_the_sum_of_its_tokens(student, device):
    """t번째 토큰에 매긴 로그 확률은 log_probs의 t - 1번째 자리에 있습니다. 라벨의 토큰만 더합니다."""
    rows = [t.to(device) for t in (CHANCES.log(), ROWS, ROW_LENGTHS)]
    assert_close(student.score_labels(*rows, 2), torch.tensor([-1.3862944, -1.7917595]))


@points(0.5, "score_labels", read="gft-score")
def test_a_mean_is_over_the_labels_own_tokens(student, device):
    """per_token이면 라벨의 토큰 수, lengths - prompt_length로 나눕니다. 줄의 길이로 나누지 않습니다."""
    rows = [t.to(device) for t in (CHANCES.log(), ROWS, ROW_LENGTHS)]
    expected = torch.tensor([-1.3862944, -0.8958797])
    assert_close(student.score_labels(*rows, 2, per_token=True), expected)


@observes("score_labels")
def observe_score_labels(student):
    """Which tokens are counted at which places: said by powers of a number, of which a sum shows what it holds."""
    score, lengths, prompt = student.score_labels, torch.tensor([5, 6]), 3
    ids = torch.tensor([[0, 0, 0, 1, 3, 4, 4, 4, 4, 4, 4], [0, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4]])

    def said(powers):
        """Log-probabilities of these sizes, and of a last token that takes what is left."""
        left = powers.neg().exp().sum(dim=-1, keepdim=True).neg().log1p()
        return torch.cat([-powers, left], dim=-1)

    def counts(number, base, digits):
        whole = round(-number)
        if number > 0 or abs(-number - whole) > 1e-3:
            return number
        return [whole // base**i % base for i in range(digits)]

    def kind():
        """What comes of chances of 1/4 alone."""
        found = score(torch.full((2, 11, 4), 0.25).log(), ids.clamp(max=3), lengths.clone(), prompt).tolist()
        if all(x > 0 and abs(64 * x - round(64 * x)) < 1e-3 for x in found):
            return "chances"
        return "a loss" if min(found) > 0 else "scores"

    def tokens():
        """How the prompt, each of the label's tokens and the padding are counted."""
        powers = said((16.0 ** torch.arange(5, dtype=torch.float64)).expand(2, 11, 5))
        seen = []
        for number, padding in zip(score(powers, ids, lengths.clone(), prompt).tolist(), (6, 5), strict=True):
            found = counts(number, 16, 5)
            if isinstance(found, float) or max(found[1:4]) > 1:
                seen.append([number] * 5)  # no sum
            else:
                seen.append([found[0] > 0, *found[1:4], "all" if found[4] == padding else found[4] > 0])
        return seen

    def places():
        powers = said((4.0 ** torch.arange(11, dtype=torch.float64)).view(11, 1).expand(2, 11, 1))
        found = score(powers, torch.zeros_like(ids), lengths.clone(), prompt).tolist()
        return [[t for t, one in enumerate(counts(number, 4, 11)) if one] for number in found]

    def divisors():
        chances = torch.full((2, 11, 5), 0.2, dtype=torch.float64).log()
        total, mean = (score(chances, ids, lengths.clone(), prompt, one) for one in (False, True))
        return (total / mean).tolist()

    def finite():
        apart = torch.full((2, 11, 5), float("-inf"), dtype=torch.float64)
        apart[0, 2:4] = apart[1, 2:5] = math.log(0.2)
        return bool(score(apart, ids, lengths.clone(), prompt).isfinite().all())

    ordinary = (torch.full((2, 11, 5), 0.2, dtype=torch.float64).log(), ids, lengths, prompt)
    return up_to_the_first_wrong(
        (kind, "scores"),
        (lambda: [row[0] for row in tokens()], [False, False]),
        (lambda: [row[1] for row in tokens()], [1, 1]),
        (tokens, [[False, 1, 0, 1, False], [False, 1, 1, 1, False]]),
        (places, [[2, 3], [2, 3, 4]]),
        (divisors, [2.0, 3.0]),
        (finite, True),
        (
            lambda: [bad_manners(student, score, *ordinary, one, learns=()) for one in (False, True)],
            ["none"] * 2,
        ),
    )
