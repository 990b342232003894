"""A net for what platforms write: nobody's work is lost or given to another, what is not taken is listed, files come back whole."""

import json
import re
import shutil
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_net_notebooks import net
from worlds import Soul, table, worlds

from grader.classroom.collect import collect
from grader.classroom.folder import Classroom
from grader.classroom.merge import fill
from grader.gradebook.csvfile import CsvFile
from grader.gradebook.register import Register
from grader.gradebook.roster import read_roster

STEM = "masking"
SAMPLED, ALL = 20, 700


@pytest.fixture(scope="module")
def fresh(masking_class):
    """fresh(roster's bytes): a class of its own, and who is in it."""
    made = []

    def make(roster: bytes) -> Classroom:
        folder = Path(tempfile.mkdtemp())
        made.append(folder)
        classroom = Classroom(Path(shutil.copytree(masking_class, folder / "class")))
        (folder / "roster.csv").write_bytes(roster)
        with Register(classroom.database) as register:
            register.enrol(read_roster(folder / "roster.csv").people)
        return classroom

    yield make
    for folder in made:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def notebook(masking_class):
    released = json.loads((Classroom(masking_class).released(STEM) / f"{STEM}.ipynb").read_bytes())

    def make(mark: str) -> bytes:
        cells = [
            *released["cells"],
            {"cell_type": "code", "metadata": {}, "source": f"# <{mark}>", "outputs": []},
        ]
        return json.dumps({**released, "cells": cells}).encode()

    return make


def nothing_is_lost(world, fresh) -> None:
    classroom = fresh(world.roster)
    if world.groups:
        classroom.groups_path(STEM).parent.mkdir(exist_ok=True)
        classroom.groups_path(STEM).write_text(json.dumps(world.groups))
    source = classroom.root.parent / "in.zip"
    source.write_bytes(world.packed())
    outcome = collect(classroom, STEM, source, world.platform)
    arrived = {}
    for path in classroom.root.glob(f"submitted/*/{STEM}/*.ipynb"):
        arrived[path.parts[-3]] = re.search(r"<([\w-]+)>", path.read_text())[1]
    for student, mark in arrived.items():
        assert student in world.owners[mark], f"{mark} was given to {student}"
    for mark, whose in world.certain.items():
        for student in whose:
            assert student in arrived, f"{mark} of {student} was not taken"
            assert world.owners[arrived[student]] & whose
    listed = "\n".join([*outcome.unmatched, *outcome.others, *outcome.unreadable])
    several = {line.partition(":")[0] for line in outcome.several}
    for path, content in world.files.items():
        text = str(content if isinstance(content, dict) else content.decode())
        mark = found[1] if (found := re.search(r"<([\w-]+)>", text)) else ""
        taken = mark in arrived.values() or any(
            w in several and w in arrived for w in world.owners.get(mark, ())
        )
        name = unicodedata.normalize("NFC", path)
        assert taken or name in listed or path.endswith(".yml"), f"{path} is nowhere"
    assert set(outcome.missing) == {p.id for p in _people(classroom)} - set(classroom.students(STEM))
    again = collect(classroom, STEM, source, world.platform)
    assert not again.new + again.newer and sorted(again.unmatched) == sorted(outcome.unmatched)


def _people(classroom):
    with Register(classroom.database) as register:
        return list(register.people().values())


@st.composite
def gradebooks(draw, worlds_of):
    """A world, and a file of grades of it: as Canvas exports it, or Moodle's worksheet; and whose each row is."""
    world = draw(worlds_of)
    with_ids, named = (
        draw(st.booleans()),
        draw(st.sampled_from([str, str.upper, lambda name: ", ".join(name.split(" ", 1))])),
    )
    rows, souls = [], draw(st.permutations(world.souls))
    mark = draw(st.sampled_from(["", "EX", "7", "7,5", "-"]))
    if canvas := draw(st.booleans()):
        rows += [["Student", "ID", "SIS User ID", "Section", "quiz (3)", f"{STEM} (77)", "Final"]]
        rows += [
            ["", "", "", "", "", "Manual Posting", ""],
            ["    Points Possible", "", "", "", "5", "10", "(read only)"],
        ]
        rows += [
            [named(s.name), s.number, s.id if with_ids else "", "A;B", "=1+1", mark, '"x", y'] for s in souls
        ]
    else:
        rows += [
            ["Identifier", "Full name", "ID number", "Status", "Grade", "Maximum Grade", "Feedback comments"]
        ]
        rows += [
            [f"Participant {s.number}", named(s.name), s.id if with_ids else "", "a\nb", mark, "10.00", "ㄱ"]
            for s in souls
        ]
    column = 5 if canvas else 4
    return (
        world,
        table(draw, rows),
        {len(rows) - len(souls) + n: soul for n, soul in enumerate(souls)},
        column,
        with_ids,
    )


def files_come_back(case, fresh, monkeypatch) -> None:
    world, content, whose, column, with_ids = case
    classroom = fresh(world.roster)
    scores = {person.id: 1 + n / 4 for n, person in enumerate(_people(classroom))}
    monkeypatch.setattr(
        "grader.classroom.merge.counted", lambda *_: {s: (points, "") for s, points in scores.items()}
    )
    path = classroom.root.parent / "g.csv"
    path.write_bytes(content)
    filled = fill(classroom, path, [STEM])
    before = CsvFile(path)
    (back := path.with_name("back.csv")).write_bytes(filled.content)
    now, listed = CsvFile(back), "\n".join(filled.unmatched)
    assert len(before.rows) == len(now.rows)
    entered = 0
    for number, (old, new) in enumerate(zip(before.rows, now.rows, strict=True)):
        assert old[:column] + old[column + 1 :] == new[:column] + new[column + 1 :]
        if old == new:
            student = _scored(whose[number], scores) if number in whose else None
            kept = f"{student} EX" in filled.kept
            assert (
                student is None or kept or not with_ids and any(cell and cell in listed for cell in old[:2])
            )
            continue
        soul = whose[number]
        assert soul.enrolled and float(new[column].replace(",", ".")) == scores[_scored(soul, scores)]
        entered += 1
    assert entered == filled.rows


def _scored(soul: Soul, scores: dict) -> str | None:
    cleaned = unicodedata.normalize("NFKC", soul.id).replace("\u200b", "").strip()
    return cleaned if soul.enrolled and cleaned in scores else None


def sampled(check, strategy, examples: int, **how):
    @net(max_examples=examples, **how)
    @given(strategy)
    def hold(case):
        check(case)

    hold()


def test_a_sample_of_what_is_handed_in(fresh, notebook):
    sampled(lambda world: nothing_is_lost(world, fresh), worlds(notebook), SAMPLED, derandomize=True)


def test_a_sample_of_files_of_grades(fresh, notebook, monkeypatch):
    check = lambda case: files_come_back(case, fresh, monkeypatch)  # noqa: E731
    sampled(check, gradebooks(worlds(notebook)), SAMPLED, derandomize=True)


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
def test_much_of_what_is_handed_in(fresh, notebook):
    sampled(lambda world: nothing_is_lost(world, fresh), worlds(notebook), ALL)


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
def test_many_files_of_grades(fresh, notebook, monkeypatch):
    check = lambda case: files_come_back(case, fresh, monkeypatch)  # noqa: E731
    sampled(check, gradebooks(worlds(notebook)), ALL)
