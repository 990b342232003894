"""Points are fair: a mistake in the idea costs half of its question, a slip less, and the same in every class."""

import pytest
from sampled import one_in

from grader.authoring.built import mistakes_of
from grader.exercise import all_exercises
from grader.judging.judge import judge
from grader.judging.mistakes import is_slip, observe, recognise, with_answer
from grader.results import CORE, WARM_UP

EXERCISES = {exercise.stem: exercise for exercise in all_exercises()}
MISTAKES = [(e, answer, mistake) for e in EXERCISES.values() for answer, mistake in e.bank.items()]
QUESTIONS = [(e, question) for e in EXERCISES.values() for question in e.suite.questions]
CLASSES = ("spring", "autumn", "winter")  # hidden inputs are drawn from a class' secret


def one_mistake_in(count):
    return pytest.mark.parametrize(
        ("exercise", "answer", "mistake"),
        one_in(count, MISTAKES, lambda e, _, m: f"{e.stem}-{m.question}-{m.name}"),
    )


each_question = pytest.mark.parametrize(
    ("exercise", "question"), one_in(1, QUESTIONS, lambda e, question: f"{e.stem}-{question}")
)


def graded(exercise, question, answer, seed=""):
    """A question's result in a class: all its tests, the hidden ones too."""
    student = with_answer(exercise.names, question, answer)
    [result] = judge(student, exercise.suite, reference=exercise.reference, questions=[question], seed=seed)
    return result


@one_mistake_in(60)
def test_a_mistake_in_the_idea_costs_half_and_a_slip_less(exercise, answer, mistake):
    result = graded(exercise, mistake.question, answer)
    lost = [(case.name, case.possible) for case in result.cases if not case.passed]
    assert (result.earned > result.possible / 2) == is_slip(answer), (result.earned, result.possible, lost)


@one_mistake_in(240)
def test_a_mistake_gets_the_same_points_in_every_class(exercise, answer, mistake):
    earned = {seed: graded(exercise, mistake.question, answer, seed).earned for seed in CLASSES}
    assert len(set(earned.values())) == 1, earned


@each_question
def test_steps_go_from_a_warm_up_to_the_core(exercise, question):
    cases = exercise.suite.of(question)
    assert any(case.step == CORE for case in cases)
    visible = [case.name for case in cases if case.step == WARM_UP and not case.hidden]
    assert visible or len(cases) <= 2


def until_a_name_is_missing(right, method, calls):
    """An answer that is right for so many calls of one of its methods (or of itself), and then crashes."""
    left = calls

    def broken(*args, **kwargs):
        nonlocal left
        if left == 0:
            raise NameError("name 'oops' is not defined")
        left -= 1
        return whole(*args, **kwargs)

    whole = getattr(right, method) if isinstance(right, type) else right
    return type(right.__name__, (right,), {method: broken}) if isinstance(right, type) else broken


CRASHES = [
    (exercise, question, method, calls)
    for exercise, question in QUESTIONS
    for method in (("__init__", "forward") if isinstance(exercise.names[question], type) else ("call",))
    for calls in (0, 1, 4)
    if method == "call" or hasattr(exercise.names[question], method)
]


@pytest.mark.parametrize(
    ("exercise", "question", "method", "calls"),
    one_in(128, CRASHES, lambda e, *rest: "-".join(map(str, (e.stem, *rest)))),
)
def test_a_crash_is_named_as_no_misconception(exercise, question, method, calls):
    crashing = until_a_name_is_missing(exercise.names[question], method, calls)
    observed = observe(exercise.suite, question, with_answer(exercise.names, question, crashing))
    assert recognise(observed, question, mistakes_of(exercise)) is None


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_points_are_quarters(exercise):
    assert all(case.points >= 0.25 and case.points % 0.25 == 0 for case in exercise.suite.cases)
