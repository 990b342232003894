"""Runs a student's own notebook in this process, as "Run All" does."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from grader.errors import GraderError
from grader.notebook import AT_HOME, Ungradable, parse, read_notebook
from grader.sandbox.missing import doing_without
from grader.sandbox.moments import Moments
from grader.sandbox.shell import Capture, Shell, Stream, make_shell, run_cell
from grader.sandbox.surroundings import Surroundings

OUTPUT_BYTES = 1 << 20


@cache
def here() -> Surroundings:
    """This process' surroundings, as they were before the first notebook."""
    return Surroundings()


@dataclass(frozen=True)
class CellError:
    """An error that a cell ended with. `cell` counts the notebook's code cells from 1."""

    cell: int
    error: str
    message: str


def read_code(path: Path) -> list[str]:
    """The code cells of a notebook that a class runs, read as it reads them.

    Raises:
        GraderError: the file is not there or is no notebook.
    """
    path = path.resolve()  # one's own link is no stranger's
    if not path.is_file():
        raise GraderError(f"{path} 파일이 없습니다.")
    try:
        cells = parse(read_notebook(path))
    except Ungradable as error:
        raise GraderError(f"{path}: {error.reason}") from None
    return [cell.source for cell in cells if cell.kind == "code" and not cell.grade_id.startswith(AT_HOME)]


def run_here(
    cells: list[str], folder: Path, show: Callable[[list[dict]], None] = lambda outputs: None
) -> tuple[dict[str, Any], Moments, list[CellError]]:
    """Run cells one after another, going on after an error, as a worker does; `grader.check` only remembers answers.

    Args:
        folder: the working directory, as in Jupyter that of the notebook.
        show: told each cell's outputs (nbformat 4).

    Returns:
        The names that the cells define, what they were when each question was checked, and the cells' errors.
    """
    capture, errors = Capture(OUTPUT_BYTES), []
    with here().cleaned(), _shell(folder) as shell, doing_without():
        moments = Moments(shell.user_ns)

        def check(stem: object = None, question: object = None, *args: object, **kwargs: object) -> None:
            moments.keep(question if isinstance(question, str) else None)

        shell.capture = capture
        silent = [mock.patch(name, check) for name in ("grader.check", "grader.en.check")]
        with (
            silent[0],
            silent[1],
            redirect_stdout(Stream("stdout", capture)),
            redirect_stderr(Stream("stderr", capture)),
        ):
            for number, code in enumerate(cells, 1):
                outputs, error, _ = run_cell(shell, code)
                show(outputs)
                said = next((o["evalue"] for o in reversed(outputs) if o["output_type"] == "error"), "")
                if error:
                    errors.append(CellError(number, error, said))
        return shell.user_ns, moments, errors


@contextmanager
def _shell(folder: Path):
    """A shell in `folder`; what it changes in this process is put back."""
    os.environ.setdefault("MPLBACKEND", "agg")  # a window would wait to be closed
    before, main, path = Path.cwd(), sys.modules["__main__"], list(sys.path)
    os.chdir(folder)
    sys.path.insert(0, "")  # the notebook's own modules, as in Jupyter
    try:
        with tempfile.TemporaryDirectory() as scratch:
            yield make_shell(scratch)
    finally:
        Shell.clear_instance()
        sys.modules["__main__"], sys.path[:] = main, path
        os.chdir(before)
