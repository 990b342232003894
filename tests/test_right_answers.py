"""Right answers, written as students write them, get full marks: at home and in a class alike.

Each cell of right_answers/STEM.py, `# %% question: what is special`, answers one question of the exercise anew.
"""

from pathlib import Path

import pytest
from sampled import one_in

from grader.exercise import PublicExercise, all_exercises, find_exercise
from grader.judging.judge import judge
from grader.judging.suite import Local
from grader.sandbox import Limits, Sandbox
from grader.student.check import check_names

ANSWERS = [
    (path.stem, *cell.split("\n", 1))
    for path in sorted(Path(__file__).with_name("right_answers").glob("*.py"))
    for cell in path.read_text(encoding="utf-8").split("# %% ")[1:]
]


def some_answers(one_of):
    return pytest.mark.parametrize(
        ("stem", "title", "code"), one_in(one_of, ANSWERS, lambda stem, title, _: f"{stem}-{title}")
    )


@pytest.fixture(scope="module")
def server():
    with Sandbox(Limits(wall=60, call=30, memory_mb=900, threads=16)) as server:
        yield server


def assert_full_marks(student, stem, question, seed=""):
    exercise = find_exercise(stem)
    [result] = judge(student, exercise.suite, reference=exercise.reference, questions=[question], seed=seed)
    assert [(case.name, case.detail) for case in result.cases if not case.passed] == []


@some_answers(one_of=3)
def test_at_home(stem, title, code):
    names = dict(find_exercise(stem).names)
    exec(code, names)
    assert_full_marks(Local(names), stem, title.split(":")[0])


@some_answers(one_of=6)
def test_by_the_public_tests_alone(stem, title, code):
    """The tables of values know what a right answer makes the tests ask for, with or without a bias, say."""
    exercise = find_exercise(stem)
    names = dict(exercise.names)
    exec(code, names)
    [result] = check_names(PublicExercise(exercise.folder), names, title.split(":")[0])
    assert [(case.name, case.detail) for case in result.cases if not case.passed] == []


@pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(e, id=e.stem, marks=[pytest.mark.exhaustive] if number % 6 else [])
        for number, e in enumerate(all_exercises())
    ],
)
def test_reference_by_the_public_tests_alone(exercise):
    """Their tables keep eight digits: a public test that asks for more calls the right answer wrong."""
    for question in exercise.suite.questions:
        [result] = check_names(PublicExercise(exercise.folder), dict(exercise.names), question)
        assert [(case.name, case.detail) for case in result.cases if not case.passed] == []


@pytest.mark.exhaustive
@some_answers(one_of=1)
def test_at_home_whatever_is_drawn(stem, title, code):
    names = dict(find_exercise(stem).names)
    exec(code, names)
    for seed in range(30):
        assert_full_marks(Local(names), stem, title.split(":")[0], str(seed))


@some_answers(one_of=18)
def test_in_a_class(stem, title, code, server):
    with server.run([find_exercise(stem).answers, code]) as run:
        assert [cell.error for cell in run.cells] == [None, None]
        assert_full_marks(run.student, stem, title.split(":")[0])


# Each, always: a right answer that loses points here loses them in every class.
@pytest.mark.parametrize("stem", one_in(3, [exercise.stem for exercise in all_exercises()], rest="whole"))
def test_reference_in_a_class(stem, server):
    """A test may ask what cannot travel to the answer's process: at home it passes, in a class it takes points."""
    exercise = find_exercise(stem)
    with server.run([exercise.answers]) as run:
        results = judge(run.student, exercise.suite, reference=exercise.reference)
    assert [(c.name, c.detail) for result in results for c in result.cases if not c.passed] == []
