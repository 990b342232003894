"""Fixtures of a class that is connected to a stand-in for a platform: a class folder, the command line, a notebook."""

import functools
import io
import json
import shutil
from pathlib import Path

import pytest
import typer.main

from grader.classroom.connected import course_of
from grader.classroom.connection import connection_to, keep
from grader.classroom.enrol import roster_from
from grader.classroom.folder import Classroom
from grader.classroom.platforms import web
from grader.cli import main
from grader.gradebook.register import Register

STEM = "masking"
_commands = functools.cache(typer.main.get_command)  # made anew for each command, they are half of its time


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
    """run(words): what a command says, of which it is known how it ends."""

    def run(*words, code=0, told=""):
        arguments = ["grader", *map(str, words), "--class", str(classroom.root)]
        monkeypatch.setattr("sys.argv", arguments)
        monkeypatch.setattr("sys.stdin", io.StringIO(told))
        monkeypatch.setattr(typer.main, "get_command", _commands)
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert (ended.value.code or 0) == code, printed.out + printed.err
        return printed.out + printed.err

    return run


@pytest.fixture
def notebook(classroom):
    """notebook(mark): what a student hands in."""
    released = json.loads((classroom.released(STEM) / f"{STEM}.ipynb").read_bytes())

    def make(mark=""):
        cell = {"cell_type": "code", "metadata": {}, "source": f"# <{mark}>", "outputs": []}
        return json.dumps({**released, "cells": [*released["cells"], cell]}).encode()

    return make


def connect(classroom, server, token):
    """As 'grader connect' does."""
    keep(classroom, connection_to(server.course, token))
    server.asked.clear()
    return server


def enrol(classroom, server, platform):
    """As 'grader roster' does."""
    read, _ = roster_from(classroom, course_of(classroom, platform))
    with Register(classroom.database) as register:
        register.enrol(read.people)
    server.asked.clear()
    return server
