"""A class that is connected to a stand-in for Canvas, with five people in two sections."""

import io
import json
import shutil
from pathlib import Path

import pytest
from canvas_server import DOE, KIM, LEE, MOON, PARK, STEM, TOKEN, Canvas

from grader.classroom.folder import Classroom
from grader.classroom.platforms import web
from grader.cli import main


@pytest.fixture
def canvas():
    made = Canvas()
    made.sections = {1: "월요일", 2: "수요일"}
    made.enrol(KIM, "김민", "657700", section=1, login="kim")
    made.enrol(DOE, "Doe, John", "657701", section=2)
    made.enrol(LEE, "이서", "657702", section=2)
    made.enrol(MOON, "문하", "657703", section=1)
    made.enrol(PARK, "박온", "657704", section=1)
    made.assign(70, "Masking quiz")
    made.assign(71, "masking")
    made.assign(72, "attention")
    yield made
    made.close()


@pytest.fixture
def waited(monkeypatch):
    """The seconds that were waited, none of which pass."""
    seconds = []
    monkeypatch.setattr(web, "sleep", seconds.append)
    return seconds


@pytest.fixture
def classroom(masking_class, tmp_path, monkeypatch, waited):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    return Classroom(Path(shutil.copytree(masking_class, tmp_path / "봄")))


@pytest.fixture
def run(classroom, monkeypatch, capsys):
    def run(*words, code=0, told=""):
        arguments = ["grader", *map(str, words), "--class", str(classroom.root)]
        monkeypatch.setattr("sys.argv", arguments)
        monkeypatch.setattr("sys.stdin", io.StringIO(told))
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert (ended.value.code or 0) == code, printed.out + printed.err
        return printed.out + printed.err

    return run


@pytest.fixture
def connected(canvas, run):
    run("connect", canvas.course, told=TOKEN + "\n")
    canvas.asked.clear()
    return canvas


@pytest.fixture
def enrolled(connected, run):
    run("roster", "--from", "canvas")
    connected.asked.clear()
    return connected


@pytest.fixture
def notebook(classroom):
    """notebook(mark): what a student hands in."""
    released = json.loads((classroom.released(STEM) / f"{STEM}.ipynb").read_bytes())

    def make(mark=""):
        cell = {"cell_type": "code", "metadata": {}, "source": f"# <{mark}>", "outputs": []}
        return json.dumps({**released, "cells": [*released["cells"], cell]}).encode()

    return make
