"""exercises/ is what a build makes; a suite's hidden blocks stay hidden."""

import json
import shutil
from dataclasses import replace
from itertools import cycle, repeat
from types import SimpleNamespace
from unicodedata import east_asian_width

import pytest

from grader.authoring import built
from grader.authoring.build import instructor_notebook, outdated, translated
from grader.authoring.ladder import text_in
from grader.classroom.sitting import Sitting
from grader.exercise import ROOT, Exercise, PublicExercise, all_exercises, find_exercise
from grader.judging.suite import load_suite, public_source
from grader.notebook import AT_HOME, Cell, Template
from grader.results import CORE, STEPS
from grader.student.execute import read_code

# answers that stand alone; cells that only home runs; tables in the place of answers
BUILT_WHOLE = {"masking", "sentiment", "positional_encoding"}


def test_every_exercise_is_built_of_todays_sources():
    found = {exercise.stem: built.digest(exercise) for exercise in all_exercises()}
    known = built.known()
    assert [stem for stem in found if known.get(stem) != found[stem]] == [], (
        "run 'grader build STEM' and commit"
    )
    assert known.keys() == found.keys()


def test_a_changed_source_or_product_is_noticed(tmp_path):
    exercise = find_exercise("masking")
    shutil.copytree(exercise.folder, tmp_path / "masking")
    copied = SimpleNamespace(
        stem="masking", folder=tmp_path / "masking", source=tmp_path / "solution.py",
        suite_path=exercise.suite_path, bank_path=exercise.bank_path,
    )  # fmt: skip
    shutil.copy(exercise.source, copied.source)
    digests = {built.digest(copied)}
    for changed in (copied.source, copied.folder / "mistakes.json"):
        changed.write_bytes(changed.read_bytes() + b"\n")
        digests.add(built.digest(copied))
    assert len(digests) == 3
    copied.stem = "an exercise without translations"
    assert built.digest(copied) not in digests


def test_wrong_answers_are_run_anew_only_where_a_source_has_changed(monkeypatch, tmp_path):
    exercise = find_exercise("masking")
    monkeypatch.setattr(Exercise, "mistakes", property(lambda self: "observed anew"))
    written = PublicExercise(exercise.folder).mistakes
    assert built.mistakes_of(exercise) == written and len(written) > 50
    built.write_checks_of(exercise, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"checks.py", "mistakes.json", "words.en.json"}
    assert all(path.read_bytes() == (exercise.folder / path.name).read_bytes() for path in tmp_path.iterdir())
    monkeypatch.setattr(built, "known", lambda: {"masking": "of other sources"})
    assert built.mistakes_of(exercise) == "observed anew"


@pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(e, id=e.stem, marks=[] if e.stem in BUILT_WHOLE else [pytest.mark.exhaustive])
        for e in all_exercises()
    ],
)
def test_exercises_are_what_a_build_makes(exercise, tmp_path):
    assert outdated([exercise], tmp_path) == [], "run 'grader build' and commit exercises/"


def test_an_outdated_exercise_is_noticed(tmp_path):
    shutil.copytree(ROOT / "exercises" / "masking", tmp_path / "exercises" / "masking")
    with open(tmp_path / "exercises" / "masking" / "checks.py", "a") as checks:
        checks.write("# changed")
    found = outdated([find_exercise("masking")], tmp_path / "build", tmp_path / "exercises")
    assert [str(path) for path in found] == ["masking/checks.py"]


def test_hidden_blocks_are_cut_out():
    source = "a = 1\n### BEGIN HIDDEN TESTS\nsecret = 2\n### END HIDDEN TESTS\nb = 3\n"
    assert public_source(source) == "a = 1\nb = 3\n"


@pytest.mark.parametrize(
    "source", ["### BEGIN HIDDEN TESTS\nsecret = 1\n", "secret = 1\n### END HIDDEN TESTS\n"]
)
def test_an_unpaired_marker_is_refused(source):
    with pytest.raises(ValueError, match="HIDDEN TESTS"):
        public_source(source)


def test_two_tests_of_one_name_are_refused(tmp_path):
    test = '\n@points(1, "q", read="")\ndef test_same(student):\n    """The hint."""\n'
    path = tmp_path / "test_twice.py"
    path.write_text("from grader.judging.suite import points\n" + test + test)
    with pytest.raises(ValueError, match="share a name"):
        load_suite(path, "twice")


def test_a_cell_for_home_is_given_and_not_run_when_graded():
    notebook = instructor_notebook(find_exercise("sentiment"))
    trains = [cell for cell in notebook.cells if cell.source.endswith("\n    learn_two()")]
    ids = [cell.metadata.nbgrader.grade_id for cell in trains]
    assert len(ids) == 1 and ids[0].startswith(AT_HOME)
    cells = [
        Cell("code", "x = 1", "given_1"),
        Cell("code", trains[0].source, ids[0]),
        Cell("code", "check('sentiment')", "check_x", grade=True),
    ]
    assert Sitting(None, None, cells).sources == ["x = 1", "check('sentiment')"]
    bare = [Cell("code", cell.source) for cell in cells]
    at_home = Template.read(find_exercise("sentiment").folder / "sentiment.ipynb").at_home
    assert trains[0].source not in Sitting(None, None, bare, at_home).sources
    assert trains[0].source not in read_code(find_exercise("sentiment").folder / "sentiment.ipynb")


@pytest.fixture
def laddered():
    """An exercise one of whose questions has three steps, another one."""
    exercise = find_exercise("masking")
    suite = load_suite(exercise.suite_path, "masking")
    steps = {"masked_softmax": cycle(STEPS)}
    cases = [replace(case, step=next(steps.get(case.question, repeat(CORE)))) for case in suite.cases]
    exercise.__dict__["suite"] = replace(suite, cases=cases)
    return exercise


def test_a_question_ends_with_its_points_and_the_head_says_what_the_steps_are(laddered):
    notebook = instructor_notebook(laddered)
    english = translated(notebook, text_in(laddered, "en"), "en")
    points = [
        c.metadata.nbgrader.points for c in notebook.cells if "points" in c.metadata.get("nbgrader", {})
    ]
    for cells, word, unit, names in (
        (notebook.cells, "배점", "점", ("준비", "핵심", "튼튼하게")),
        (english.cells, "Points", "", ("Warm-up", "Core", "Robust")),
    ):
        assert all(f"**{name}**" in cells[0].source for name in names)
        texts = [cell.source.splitlines()[-1] for cell in cells[1:] if cell.cell_type == "markdown"]
        lines = [line for line in texts if line.startswith(f"**{word}**")]
        for line, total, question in zip(lines, points, laddered.suite.questions, strict=True):
            head, _, steps = line.partition(": ")
            assert head == f"**{word}** {total:g}{unit}"
            assert bool(steps) == (question == "masked_softmax")
            said = dict(step.split(" ") for step in filter(None, steps.split(", ")))
            assert not steps or tuple(said) == names and sum(map(float, said.values())) == total


def test_an_exercise_whose_questions_have_one_step_each_does_not_speak_of_steps(laddered):
    laddered.suite.cases[:] = [replace(case, step=CORE) for case in laddered.suite.cases]
    assert "튼튼하게" not in "".join(cell.source for cell in instructor_notebook(laddered).cells)


def test_code_fits_a_page():
    """A page shows 88 columns: a stub's longer lines, its docstring's above all, would be cut."""
    too_long = [
        f"{path.stem}: {line}"
        for path in sorted((ROOT / "exercises").glob("*/*.ipynb"))
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
        for line in "".join(cell["source"]).splitlines()
        if sum(1 + (east_asian_width(letter) in "WF") for letter in line) > 88
    ]
    assert too_long == []
