"""What goes back to Moodle, Canvas and Gradescope, in the form that they take."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from grader.classroom.collect import collect
from grader.classroom.folder import Classroom
from grader.classroom.handback import pack
from grader.classroom.platforms import gradescope_autograder, gradescope_run
from grader.classroom.sample import Sample
from grader.errors import GraderError
from grader.exercise import ROOT, find_exercise
from grader.gradebook.people import Person
from grader.gradebook.register import Register
from grader.results import CaseResult, QuestionResult, Submission, write_whole
from grader.sandbox import Layer
from grader.words import ENGLISH, KOREAN, OPENINGS

STEM = "masking"


@pytest.fixture
def made(masking_class):
    return Classroom.open(masking_class)


@pytest.fixture
def classroom(made, tmp_path):
    copy = Classroom(Path(shutil.copytree(made.root, tmp_path / "봄")))
    with Register(copy.database) as register:
        register.enrol(
            [Person("657700", "채원", "유"), Person("657701", "John", "Doe"), Person("657702", "민", "김")]
        )
    for student in ("657700", "657701"):
        write_whole(copy.feedback(STEM, student), f"<p>{student}".encode())
    return copy


def packed(path, names):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, '{"nbformat": 4, "cells": []}')
    return path


def contents(content, path):
    path.write_bytes(content)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


class TestFeedbackGoesBack:
    def test_to_moodle(self, classroom, tmp_path):
        names = [
            "유채원_31_assignsubmission_file/제 답.ipynb",
            "John Doe_32_assignsubmission_file_/masking.ipynb",
        ]
        names += [
            "김민_33_assignsubmission_file/masking.ipynb",
            "Nobody_34_assignsubmission_file/masking.ipynb",
        ]
        names += ["../유채원_31_assignsubmission_file/masking.ipynb"]
        back = pack(classroom, STEM, packed(tmp_path / "in.zip", names))
        assert contents(back.content, tmp_path / "out.zip") == {
            "유채원_31_assignsubmission_file/masking.html": b"<p>657700",
            "John Doe_32_assignsubmission_file_/masking.html": b"<p>657701",
        }
        assert back.without == ["657702"] and back.unmatched == [names[3]]

    def test_to_canvas(self, classroom, tmp_path):
        names = ["doejohn_LATE_40023_9000023_masking-1.ipynb", "유채원_40024_9000024_masking.ipynb"]
        back = pack(classroom, STEM, packed(tmp_path / "in.zip", names))
        assert contents(back.content, tmp_path / "out.zip") == {
            "doejohn_40023_9000023_masking.html": b"<p>657701",
            "유채원_40024_9000024_masking.html": b"<p>657700",
        }

    def test_what_is_neither_is_refused(self, classroom, tmp_path):
        with pytest.raises(GraderError, match="no zip of submissions"):
            pack(classroom, STEM, packed(tmp_path / "in.zip", ["a/masking.ipynb"]))


class TestGradescope:
    @pytest.fixture
    def there(self, made, tmp_path, monkeypatch):
        """/autograder, as Gradescope lays it out."""

        def fake_package(to):
            (to / "attentively.whl").touch()

        monkeypatch.setattr(gradescope_autograder, "students_package", fake_package)
        contents(gradescope_autograder.autograder(made, STEM), tmp_path / "a.zip")
        base = tmp_path / "autograder"
        for room in ("submission", "results", "venv/bin"):
            (base / room).mkdir(parents=True)
        with zipfile.ZipFile(tmp_path / "a.zip") as archive:
            archive.extractall(base / "source")
        python = base / "venv" / "bin" / "python"
        python.write_text(
            f'#!/bin/sh\nshift\nexec {sys.executable} "$@"\n'
        )  # without -I: the checkout's package
        python.chmod(0o755)
        return base

    @pytest.mark.whole
    def test_a_submission_is_graded_there_as_here(self, made, there):
        sample = Sample(made, find_exercise(STEM))
        wrong = sample.mistaken("look_ahead_mask", "forgot_the_diagonal")
        notebook = json.dumps(sample.solved(look_ahead_mask=wrong)).encode()
        write_whole(there / "submission" / "bundle" / "내 답.ipynb", notebook)
        environment = {**os.environ, "AUTOGRADER": str(there), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            ["bash", there / "source" / "run_autograder"],
            env=environment,
            cwd=there,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        results = json.loads((there / "results" / "results.json").read_bytes())
        assert "내 답.ipynb" in results["output"]
        tests = {test["name"]: test for test in results["tests"]}
        assert sum(test["max_score"] for test in tests.values()) == 10
        assert sum(test["score"] for test in tests.values()) == 8.5
        shown, later = tests["look_ahead_mask"], tests["look_ahead_mask (제출한 뒤의 시험)"]
        assert shown["visibility"] == "visible" and later["visibility"] == "after_published"
        assert "대각선" in shown["output"] and "https://book.test/chapters/masking.html#" in shown["output"]
        assert tests["padding_mask"]["output"] == "" and tests["padding_mask"]["status"] == "passed"

    def test_no_score_is_claimed_for_what_cannot_be_graded(self, there, monkeypatch):
        (there / "submission" / "essay.txt").write_text("x")
        said = {}

        def refuse(classroom, stem, job):
            said["refused"] = job.refused
            return Submission(exercise=stem, student="s", verdict="ungradable", reason=job.refused), ""

        monkeypatch.setattr(gradescope_run, "grade", refuse)
        gradescope_run.main(there)
        results = json.loads((there / "results" / "results.json").read_bytes())
        assert (
            results["score"] == 0
            and "masking.ipynb 파일이 없습니다" in results["output"]
            and "tests" not in results
        )
        assert "점수가 아닙니다" in results["output"]

    @pytest.mark.parametrize(("opening", "said"), [(KOREAN, "담당자에게"), (ENGLISH, "Tell your instructor")])
    def test_where_the_sandbox_cannot_start_an_instructor_is_told_why(
        self, made, there, monkeypatch, capfd, opening, said
    ):
        notebook = json.dumps(Sample(made, find_exercise(STEM)).solved())
        write_whole(
            there / "submission" / "masking.ipynb",
            notebook.replace(OPENINGS[KOREAN], OPENINGS[opening]).encode(),
        )
        lacking = Layer("landlock", False, "the kernel lacks it")
        monkeypatch.setattr("grader.sandbox.launch.missing", lambda: [lacking])
        gradescope_run.main(there)
        assert "Traceback" not in "".join(capfd.readouterr())
        results = json.loads((there / "results" / "results.json").read_bytes())
        assert results["score"] == 0 and said in results["output"] and "landlock" not in results["output"]
        [told] = results["tests"]
        assert told["visibility"] == "hidden" and "score" not in told
        assert "landlock: the kernel lacks it" in told["output"] and "unconfined = True" in told["output"]

    def test_a_server_that_does_not_start_says_its_last_line(self, there, monkeypatch, tmp_path):
        (there / "submission" / "masking.ipynb").write_text("{")
        entry = tmp_path / "entry.py"
        entry.write_text("raise ImportError('no torch here')")
        monkeypatch.setattr("grader.sandbox.launch.__file__", str(tmp_path / "launch.py"))
        gradescope_run.main(there)
        [told] = json.loads((there / "results" / "results.json").read_bytes())["tests"]
        assert "does not start: ImportError: no torch here\n" in told["output"]

    def test_a_hidden_test_says_only_what_it_was_about(self):
        def case(hidden):
            name = "h" if hidden else "v"
            return CaseResult(
                name=name,
                question="q",
                possible=1,
                earned=0,
                hidden=hidden,
                reason="까닭",
                detail=f"detail {name}",
            )

        [seen, hidden] = gradescope_run._tests(
            QuestionResult(question="q", cases=[case(False), case(True)]), ""
        )
        assert (
            "detail v" in seen["output"] and "까닭" in hidden["output"] and "detail" not in hidden["output"]
        )

    def test_what_runs_there_needs_only_the_plain_package(self):
        code = "import sys\nfor name in ('nbgrader', 'sqlalchemy', 'jupytext', 'beartype', 'matplotlib', 'distributed'):\n"
        code += "    sys.modules[name] = None\nimport grader.classroom.platforms.gradescope_run\n"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)

    def test_both_scripts_are_shell(self, there):
        for name in ("setup.sh", "run_autograder"):
            subprocess.run(["bash", "-n", there / "source" / name], check=True)


def test_what_moodle_gave_comes_back_to_whom_it_was_collected_from(classroom, tmp_path):
    """The two directions agree on who is who."""
    released = json.loads((classroom.released(STEM) / f"{STEM}.ipynb").read_bytes())
    path = tmp_path / "m.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("유채원_31_assignsubmission_file/x.ipynb", json.dumps(released))
    assert collect(classroom, STEM, path, "moodle").new == pack(classroom, STEM, path).students == ["657700"]
