"""A net for notebooks: whatever programs and people make of a notebook costs no point, home and class agree, nothing is lost."""

import json
import sys
from pathlib import Path

import pytest
from bends import bent_notebooks, code
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from sampled import one_in

from grader.classroom.folder import Classroom
from grader.classroom.job import Job
from grader.classroom.judge_process import JudgeSettings, make_grader
from grader.classroom.newclass import make_class
from grader.classroom.sample import Sample
from grader.exercise import PublicExercise, find_exercise
from grader.student.selfcheck import run

EXERCISES = Path(__file__).resolve().parents[1] / "exercises"
STEMS = ["masking", "multi_head_attention"]  # answers that stand alone; answers that build on one another
SAMPLED, ALL = 4, 600


class Room:
    """An exercise in a class and at home."""

    def __init__(self, root: Path, stem: str):
        self.exercise = find_exercise(stem)
        classroom = Classroom.open(root)
        self.sample = Sample(classroom, self.exercise)
        self.grader = make_grader(JudgeSettings(classroom.root, stem, unconfined=False))
        self.bank = {question: [] for question in self.exercise.suite.questions}
        for answer, mistake in self.exercise.bank.items():
            self.bank[mistake.question].append(answer.__name__)
        self._clean: dict[frozenset, dict[str, float]] = {}
        self._public, self._file = PublicExercise(EXERCISES / stem), root.parent / f"{stem}.ipynb"

    def in_class(self, content: bytes):
        return self.grader.grade(Job(student="s", content=content, digest="d"))

    def at_home(self, content: bytes):
        self._file.write_bytes(content)
        for name in [name for name in sys.modules if name.startswith("answers")]:
            del sys.modules[name]  # the notebook's own, where 'grader check' is a process of its own
        return run(self._file, self._public)[0]

    def clean(self, answers: dict[str, str]) -> dict[str, float]:
        """Points by question of the same answers in the notebook as it was handed out."""
        key = frozenset(answers.items())
        if key not in self._clean:
            solved = self.sample.solved(**{q: self.sample.mistaken(q, name) for q, name in answers.items()})
            graded = self.in_class(json.dumps(solved).encode()).submission
            self._clean[key] = {result.question: result.earned for result in graded.questions}
        return self._clean[key]


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    root = tmp_path_factory.mktemp("net") / "class"
    make_class(root, [find_exercise(stem) for stem in STEMS], "https://book.test")
    made = {stem: Room(root, stem) for stem in STEMS}
    yield made
    for room in made.values():
        room.grader.close()


def holds(room: Room, bent) -> None:
    """The invariants."""
    for kind in bent.said:
        event(kind.partition(":")[0].split()[0])
    graded = room.in_class(bent.content)
    submission = graded.submission
    assert submission.verdict == "graded", submission.reason
    clean = room.clean(bent.answers)
    for result in submission.questions:
        assert result.earned >= clean[result.question], f"{result.question}: {result.reason}"
    theirs = {result.question: result for result in submission.questions}
    for result in room.at_home(bent.content):
        there = {case.name: case for case in theirs[result.question].cases}
        for case in result.cases:
            other = there[case.name]
            if theirs[result.question].excused:
                assert case.earned <= other.earned
            else:
                assert (case.earned, case.reason) == (other.earned, other.reason), (
                    f"{case.name}: {case.detail}"
                )
        if not theirs[result.question].excused and result.earned < result.possible:
            assert result.reason == theirs[result.question].reason
    cells = json.loads(graded.notebook)["cells"]
    kept = (
        "\n".join("".join(cell["source"]) for cell in cells).replace("\r\n", "\n").encode("ascii", "ignore")
    )
    for source in bent.sources:
        assert source.strip().encode("ascii", "ignore") in kept, f"lost: {source}"


def net(**how):
    quiet = [
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.large_base_example,
    ]
    return settings(deadline=None, database=None, suppress_health_check=quiet, print_blob=True, **how)


@pytest.mark.whole
@pytest.mark.parametrize("stem", STEMS)
def test_a_sample(rooms, stem):
    room = rooms[stem]

    @net(max_examples=SAMPLED, derandomize=True)
    @given(bent_notebooks(room.sample, room.bank))
    def hold(bent):
        holds(room, bent)

    hold()


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("stem", STEMS)
def test_many(rooms, stem):
    room = rooms[stem]

    @net(max_examples=ALL)
    @given(bent_notebooks(room.sample, room.bank))
    def hold(bent):
        holds(room, bent)

    hold()


@pytest.mark.parametrize(
    "last", one_in(2, ["import sys; sys.modules['torch'] = sys", "torch.autograd.Function = None"])
)
@pytest.mark.whole
def test_answers_are_followed_through_where_torch_is_patched(rooms, last):
    """The course's answer stands in for a wrong one also where the last cell has put another module in torch's place."""
    room = rooms["multi_head_attention"]
    wrong = {"split_heads": "view_without_transpose"}
    notebook = room.sample.solved(**{q: room.sample.mistaken(q, name) for q, name in wrong.items()})
    notebook["cells"].append(code(last))
    submission = room.in_class(json.dumps(notebook).encode()).submission
    assert submission.verdict == "graded", submission.reason
    assert {result.question: result.earned for result in submission.questions} == room.clean(wrong)
    assert any("split_heads" in result.excused for result in submission.questions)


REFUSED = {
    "cut off": lambda text: text[: len(text) // 2],
    "empty": lambda text: b"",
    "another format": lambda text: text.replace(b'"nbformat": 4', b'"nbformat": 3'),
    "no cells": lambda text: b'{"nbformat": 4, "cells": []}',
    "not JSON": lambda text: b"PK\x03\x04" + text,
    "a list": lambda text: b"[]",
    "cells in a dict": lambda text: b'{"nbformat": 4, "cells": {}}',
    "conflict markers": lambda text: text.replace(b"\n", b"\n<<<<<<< HEAD\n", 1),
    "source is a number": lambda text: text.replace(b'"source": [', b'"source": 3, "s": [', 1),
    "deep": lambda text: b'{"nbformat": 4, "cells": ' + b"[" * 100_000,
}


@pytest.mark.parametrize("what", REFUSED)
@settings(deadline=None, max_examples=3, derandomize=True)
@given(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_what_is_refused_is_said_alike(rooms, what, encoding):
    from grader.errors import GraderError

    room = rooms["masking"]
    content = REFUSED[what](json.dumps(room.sample.solved(), indent=1).encode())
    if content.isascii():
        content = content.decode().encode(encoding)
    submission = room.in_class(content).submission
    assert submission.verdict == "ungradable" and submission.reason and "\n" not in submission.reason
    if what == "no cells":  # at home it is the exercise that says which notebook this is
        return
    with pytest.raises(GraderError) as refused:
        room.at_home(content)
    assert str(refused.value).endswith(submission.reason)
