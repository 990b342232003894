"""What every exercise must hold: the reference is right, the stub is empty, every misconception is caught."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import jaxtyping
import nbformat
import pytest
import torch
import yaml
from sampled import one_in

from grader.authoring.build import instructor_notebook
from grader.authoring.built import mistakes_of
from grader.classroom.sample import mistaken_cell
from grader.exercise import PACKAGES, ROOT, PublicExercise, all_exercises
from grader.judging.judge import judge
from grader.judging.mistakes import Mistake, load_rights, observe, places_that_tell, recognise, with_answer
from grader.judging.suite import Local
from grader.notebook import CHECK_PREFIX
from grader.reading import HEADINGS, page_url
from grader.sandbox import Sandbox
from grader.sandbox.forbid import Ban
from grader.sandbox.limits import Limits
from grader.student.check import Report, check_names
from grader.words import IN_KOREAN

EXERCISES = {exercise.stem: exercise for exercise in all_exercises()}
COMPLETE = {s: e for s, e in EXERCISES.items() if e.suite_path.exists() and e.bank_path.exists()}


def name_of_mistake(exercise, _, mistake):
    return f"{exercise.stem}-{mistake.question}-{mistake.name}"


each_exercise = pytest.mark.parametrize("exercise", COMPLETE.values(), ids=COMPLETE)
MISTAKES = [(e, answer, mistake) for e in COMPLETE.values() for answer, mistake in e.bank.items()]


some_exercises = pytest.mark.parametrize(
    "exercise", one_in(4, COMPLETE.values(), lambda exercise: exercise.stem)
)


def some_mistakes(one_of):
    return pytest.mark.parametrize(
        ("exercise", "answer", "mistake"), one_in(one_of, MISTAKES, name_of_mistake)
    )


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_nothing_is_missing(exercise):
    assert [str(path.relative_to(ROOT)) for path in exercise.missing()] == []


def cells_of(notebook, kind):
    return [cell.source for cell in notebook.cells if cell.cell_type == kind]


def run_cells(sources):
    """Run code cells as a notebook does, errors allowed; the namespace and the errors."""
    names, errors = {"check": lambda *_: None, "__name__": "__main__"}, []
    for source in sources:
        if source.startswith("from grader import check"):
            continue
        try:
            exec(compile(source, "<cell>", "exec"), names)
        except Exception as error:
            errors.append(error)
    return names, errors


def test_libraries_are_those_of_the_notebook_and_of_what_tests_place_there():
    found = EXERCISES["sentiment"].libraries
    assert {
        "transformers:BertModel",
        "transformers:AutoTokenizer",
        "transformers:PreTrainedTokenizerFast",
    } <= set(found)
    assert not [name for name in found if name.startswith(("pytest", "grader", "course_data"))]
    assert not [name for name in EXERCISES["masking"].libraries if name.startswith("transformers")]


def assert_full_marks(exercise, **asked):
    for result in judge(exercise.reference, exercise.suite, reference=exercise.reference, **asked):
        lost = [(case.name, case.detail) for case in result.cases if not case.passed]
        assert not lost, f"{exercise.stem}.{result.question} with {asked}: {lost}"


def test_a_suite_is_plain_pytest():
    """What the judge says of references (below), pytest says too: one suite is asked for all."""
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "grader/suites/test_masking.py")
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0 and re.search(r"^\d\d passed", ran.stdout, re.MULTILINE), ran.stdout


@each_exercise
def test_reference_gets_full_marks(exercise):
    for device in ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]:
        assert_full_marks(exercise, device=device)


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
@each_exercise
def test_reference_gets_full_marks_whatever_is_drawn(exercise):
    """Hidden inputs are drawn from a class' secret and the notebook: none may be unlucky."""
    for seed in range(200):
        assert_full_marks(exercise, seed=str(seed))


@some_exercises
def test_what_is_forbidden_can_be_forbidden_and_is_not_what_the_answers_use(exercise):
    """The reference, and one in four of the wrong answers."""
    for question, names in exercise.suite.forbidden.items():
        ban = Ban()
        ban.replace(names)
        try:
            assert observe(exercise.suite, question, exercise.reference) is not None
            wrong = [answer for answer, mistake in exercise.bank.items() if mistake.question == question]
            for answer in wrong[::4]:
                observe(exercise.suite, question, with_answer(exercise.names, question, answer))
        finally:
            ban.replace([])


@each_exercise
def test_points_add_up_to_ten(exercise):
    assert sum(case.points for case in exercise.suite.cases) == 10


@some_exercises
def test_stub_fails_only_with_not_implemented_and_gets_nothing(exercise):
    notebook = nbformat.read(PublicExercise(exercise.folder).notebook, as_version=4)
    names, errors = run_cells(cells_of(notebook, "code"))
    assert all(isinstance(error, NotImplementedError) for error in errors), errors
    for result in judge(Local(names), exercise.suite, reference=exercise.reference):
        assert result.earned == 0, result.question
        failed_otherwise = [
            (c.name, c.reason, c.detail) for c in result.cases if c.reason != "아직 구현하지 않았습니다."
        ]
        assert not failed_otherwise


PAYING = [e for e in EXERCISES.values() if 'tags=["at-home"]' in e.source.read_text(encoding="utf-8")]


def test_each_exercise_of_the_first_four_parts_pays_off():
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    stems = {Path(chapter["file"]).stem for part in parts[1:5] for chapter in part["chapters"]}
    assert len(stems & EXERCISES.keys()) > 15
    assert stems & EXERCISES.keys() <= {exercise.stem for exercise in PAYING}


@pytest.mark.parametrize("exercise", one_in(18, PAYING, lambda exercise: exercise.stem))
@pytest.mark.whole
def test_what_was_built_does_something_in_a_cell_at_the_end(exercise, capsys):
    _, errors = run_cells(cells_of(instructor_notebook(exercise), "code"))
    assert errors == [] and capsys.readouterr().out


def first_tensor(args):
    return next((arg for arg in args if isinstance(arg, torch.Tensor)), torch.zeros(1))


def refuses(*args, **kwargs):
    raise ValueError


TRIVIAL = {
    "the input": lambda *args, **kwargs: args[0] if args else None,
    "a pair": lambda *args, **kwargs: (first_tensor(args), first_tensor(args)),
    "zeros": lambda *args, **kwargs: torch.zeros_like(first_tensor(args)),
    "ones": lambda *args, **kwargs: torch.ones_like(first_tensor(args)),
    "True": lambda *args, **kwargs: True,
    "False": lambda *args, **kwargs: False,
    "half": lambda *args, **kwargs: 0.5,
    "nothing": lambda *args, **kwargs: None,
    "an error": refuses,
}
CRUMB = 0.25
RIGHT = {("crossover_length", "the input")}  # d_model itself


def as_class(function):
    class Answer(torch.nn.Module):
        def __init__(self, *args, **kwargs):
            super().__init__()

        def load_state_dict(self, *args, **kwargs): ...

        def forward(self, *args, **kwargs):
            return function(*args, **kwargs)

        predict = training_step = forward

    return Answer


@some_exercises
def test_a_trivial_answer_earns_a_crumb_at_most(exercise):
    for question in exercise.suite.questions:
        for name, function in TRIVIAL.items():
            answer = as_class(function) if isinstance(exercise.names[question], type) else function
            student = with_answer(exercise.names, question, answer)
            [result] = judge(student, exercise.suite, reference=exercise.reference, questions=[question])
            assert result.earned <= CRUMB or (question, name) in RIGHT, (question, name)


@each_exercise
def test_public_notebook_holds_no_answer(exercise):
    for path in filter(Path.is_file, exercise.folder.iterdir()):
        text = path.read_text(encoding="utf-8")
        for marker in ["BEGIN SOLUTION", "HIDDEN TESTS", r"reference\.\w"]:
            assert not re.search(marker, text), f"{path.name} holds {marker!r}"
        for case in exercise.suite.cases:
            assert not (case.hidden and case.name in text), f"{path.name} holds {case.name}"


@each_exercise
def test_public_tests_need_no_reference(exercise):
    assert not [case.name for case in exercise.suite.cases if case.needs_reference and not case.hidden]


@each_exercise
def test_every_question_has_a_check_and_both_kinds_of_tests(exercise):
    notebook = nbformat.read(PublicExercise(exercise.folder).notebook, as_version=4)
    graded = [
        c.metadata.nbgrader.grade_id for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade")
    ]
    assert graded == [CHECK_PREFIX + question for question in exercise.suite.questions]
    for question in exercise.suite.questions:
        assert {case.hidden for case in exercise.suite.of(question)} == {True, False}, question


@some_mistakes(one_of=72)
def test_misconception_loses_points_on_its_own_question_only(exercise, answer, mistake):
    student = with_answer(exercise.names, mistake.question, answer)
    results = judge(student, exercise.suite, reference=exercise.reference)
    lost = {result.question for result in results if result.earned < result.possible}
    assert lost == {mistake.question}


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
@each_exercise
def test_no_misconception_is_lucky(exercise):
    """Whatever is drawn, a mistake loses points."""
    lucky = []
    for answer, mistake in exercise.bank.items():
        wrong = with_answer(exercise.names, mistake.question, answer)
        for seed in range(8):
            [result] = judge(
                wrong,
                exercise.suite,
                reference=exercise.reference,
                seed=str(seed),
                questions=[mistake.question],
            )
            if result.earned == result.possible:
                lucky.append(f"{mistake.name} with seed {seed}")
    assert lucky == []


@some_mistakes(one_of=48)
def test_students_own_check_names_the_misconception(exercise, answer, mistake):
    student = {**exercise.names, mistake.question: answer}
    [result] = check_names(PublicExercise(exercise.folder), student, mistake.question)
    assert result.mistake == mistake.name, "does @observes look at what is wrong?"
    shown = repr(Report([result], "http://book"))
    wrong, idea = result.in_two(IN_KOREAN)
    assert f"{wrong} {idea}".rstrip() == mistake.hint and wrong in shown and idea in shown
    assert page_url(mistake.read, "http://book") in shown


@pytest.fixture(scope="session")
def sandbox():
    libraries = dict.fromkeys(name for exercise in COMPLETE.values() for name in exercise.libraries)
    with Sandbox(preload=tuple(libraries), packages=PACKAGES) as server:
        yield server


def submitted(exercise, question, answer):
    """The code of a notebook with right answers, but for one question."""
    for cell in instructor_notebook(exercise).cells:
        marks = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and not marks.get("grade"):
            yield answer if marks.get("grade_id") == question else cell.source


@some_mistakes(one_of=2000)
def test_class_names_the_misconception_as_the_students_own_check_does(exercise, answer, mistake, sandbox):
    bank = exercise.bank_path.read_text(encoding="utf-8")
    wrong = mistaken_cell(bank, mistake.question, mistake.name)
    patient = Limits.within(250)  # some train first, which a busy machine takes a minute for
    with sandbox.run(list(submitted(exercise, mistake.question, wrong)), patient) as run:
        [result] = judge(
            run.student,
            exercise.suite,
            mistakes=mistakes_of(exercise),
            reference=exercise.reference,
            questions=[mistake.question],
        )
    assert (result.mistake, result.earned < result.possible) == (mistake.name, True)


@some_exercises
def test_right_answer_is_no_misconception(exercise):
    for question in exercise.suite.questions:
        observed = observe(exercise.suite, question, exercise.reference)
        assert observed is not None, f"nothing is observed of {question}"
        assert recognise(observed, question, mistakes_of(exercise)) is None


def test_what_looks_like_two_mistakes_is_named_as_neither():
    one, other = (Mistake(name, "f", "the hint", "page#anchor", [1, "x"]) for name in ("one", "other"))
    assert recognise([1, "x"], "f", [one]) is one
    assert recognise([1, "x"], "f", [one, other]) is None


def test_a_mistake_is_seen_past_its_own_failures_and_never_by_those_of_an_answer():
    right, wrong = [1, 2, 3], [5, "RuntimeError", 3]
    assert places_that_tell(wrong, right) == [0]
    mistake = Mistake("one", "f", "the hint", "page#anchor", wrong, [0])
    assert recognise([5, 2, 3], "f", [mistake]) is mistake
    for other in (right, [1, "RuntimeError", 3], ["RuntimeError"] * 3, ["RuntimeError", 2, 3]):
        assert recognise(other, "f", [mistake]) is None, other
    assert places_that_tell([1, "ValueError", 3], right) == [1]  # refusing is an answer, not a failure
    silent = Mistake("none", "f", "the hint", "page#anchor", [1, "RuntimeError", 3], [])
    assert recognise(right, "f", [silent]) is None


def test_a_mistake_is_known_by_its_first_sign_whatever_follows():
    early = Mistake("early", "f", "the hint", "page#anchor", [1, 5, 6], [1, 2])
    late = Mistake("late", "f", "the hint", "page#anchor", [1, 2, 7], [2])
    for found, named in [([1, 5, 7], early), ([1, 5, "RuntimeError"], early), ([1, 2, 7], late)]:
        assert recognise(found, "f", [early, late]) is named
    for found in ([8, 5, 6], [8, 2, 7], [1, 8, 7]):  # something else goes wrong before
        assert recognise(found, "f", [early, late]) is None
    twin = Mistake("twin", "f", "the hint", "page#anchor", [1, 5, 9], [1, 2])
    assert recognise([1, 5, 9], "f", [early, twin]) is twin
    assert recognise([1, 5, 8], "f", [early, twin]) is None


def test_a_mistakes_cell_brings_what_it_builds_on_and_nothing_else():
    bank = """
from grader.judging.mistakes import wrong

def helper(x):
    return x + 1

@wrong("f", read="b")
def base(x):
    '''a'''
    return helper(x)

@wrong("f", read="b")
def built(x):
    '''a'''
    return base(x) * 2

@wrong("f", read="b")
def unrelated(x):
    '''a'''

"""
    cell = mistaken_cell(bank, "f", "built")
    assert "unrelated" not in cell and "wrong" not in cell and "'a'" not in cell
    names = {}
    exec(cell, names)
    assert names["f"](1) == 4


@some_exercises
def test_what_wrong_answers_change_is_right(exercise):
    """A second right answer in a bank, which its wrong ones change in one place, gets full marks."""
    for name, question, answer in load_rights(exercise.bank_path, exercise.stem):
        student = with_answer(exercise.names, question, answer)
        [result] = judge(student, exercise.suite, reference=exercise.reference, questions=[question])
        assert [(case.name, case.detail) for case in result.cases if not case.passed] == [], name


@each_exercise
def test_hints_point_to_paragraphs_that_exist(exercise):
    chapters = exercise.source.parent.parent / "chapters"
    reads = {c.read for c in exercise.suite.cases} | {m.read for m in exercise.bank.values()}
    headings = json.loads(HEADINGS.read_text(encoding="utf-8")).values()
    for read in reads:
        stem, _, anchor = read.partition("#")
        page = chapters / f"{stem}.md"
        assert page.is_file() and f"({anchor})=" in page.read_text("utf-8"), f"no paragraph {read}"
        assert all(read in named for named in headings)


@some_exercises
def test_annotated_shapes_are_true(exercise, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "solutions"]:
        monkeypatch.delitem(sys.modules, name)
    with jaxtyping.install_import_hook("solutions", "beartype.beartype"):
        module = importlib.import_module(f"solutions.{exercise.stem}")
    checked = Local(vars(module))
    for result in judge(checked, exercise.suite, reference=checked):
        lost = [(case.name, case.detail) for case in result.cases if not case.passed]
        assert not lost, f"{result.question}: {lost}"
