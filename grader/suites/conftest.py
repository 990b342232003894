"""Runs the suites against the reference (also without an option), or against a notebook: --notebook PATH."""

from pathlib import Path

import pytest
import torch

from grader.exercise import find_exercise
from grader.judging.suite import Local


def pytest_addoption(parser):
    group = parser.getgroup("suites")
    group.addoption("--reference", action="store_true", help="run the suites against the reference (default)")
    group.addoption("--notebook", type=Path, help="run the suite of this notebook's exercise against it")


def pytest_collection_modifyitems(config, items):
    notebook = config.getoption("--notebook")
    if notebook is None:
        return
    other = [item for item in items if item.path.stem != f"test_{notebook.stem}"]
    config.hook.pytest_deselected(items=other)
    items[:] = [item for item in items if item not in other]


@pytest.fixture(scope="module")
def exercise(request):
    return find_exercise(request.path.stem.removeprefix("test_"))


@pytest.fixture(scope="module")
def reference(exercise):
    return exercise.reference


@pytest.fixture(scope="module")
def student(request, exercise):
    notebook = request.config.getoption("--notebook")
    if notebook is None:
        return exercise.reference
    from grader.student.execute import read_code, run_here

    names, _ = run_here(read_code(notebook), notebook.parent)
    return Local(names)


@pytest.fixture(params=["cpu", *(["cuda"] if torch.cuda.is_available() else [])])
def device(request):
    return torch.device(request.param)


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)
