"""Runs a student's own notebook in this process, as "Run All" does."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import nbformat

from grader.errors import GraderError
from grader.sandbox.shell import Capture, Shell, Stream, make_shell, run_cell

OUTPUT_BYTES = 1 << 20


@dataclass(frozen=True)
class CellError:
    """An error that a cell ended with. `cell` counts the notebook's code cells from 1."""

    cell: int
    error: str
    message: str


def read_code(path: Path) -> list[str]:
    """The code cells of a notebook.

    Raises:
        GraderError: the file is not there or is no notebook.
    """
    try:
        notebook = nbformat.reads(path.read_text(encoding="utf-8-sig"), as_version=4)  # editors add a mark
        return [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    except FileNotFoundError:
        raise GraderError(f"{path} 파일이 없습니다.") from None
    except Exception as error:
        raise GraderError(
            f"{path} 파일을 노트북으로 읽을 수 없습니다 ({type(error).__name__}). 원본을 다시 내려받아 답을 옮기십시오."
        ) from error


def run_here(cells: list[str], folder: Path) -> tuple[dict[str, Any], list[CellError]]:
    """Run cells one after another, going on after an error; `grader.check` does nothing meanwhile.

    Args:
        folder: the working directory, as in Jupyter that of the notebook.

    Returns:
        The names that the cells define, and their errors.
    """
    capture, errors = Capture(OUTPUT_BYTES), []
    silent = [mock.patch(name, lambda *args, **kwargs: None) for name in ("grader.check", "grader.en.check")]
    with _shell(folder) as shell, silent[0], silent[1]:
        shell.capture = capture
        with redirect_stdout(Stream("stdout", capture)), redirect_stderr(Stream("stderr", capture)):
            for number, code in enumerate(cells, 1):
                outputs, error, _ = run_cell(shell, code)
                said = next((o["evalue"] for o in reversed(outputs) if o["output_type"] == "error"), "")
                if error:
                    errors.append(CellError(number, error, said))
        return shell.user_ns, errors


@contextmanager
def _shell(folder: Path):
    """A shell in `folder`; what it changes in this process is put back."""
    os.environ.setdefault("MPLBACKEND", "agg")  # a window would wait to be closed
    before, main = Path.cwd(), sys.modules["__main__"]
    os.chdir(folder)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            yield make_shell(scratch)
    finally:
        Shell.clear_instance()
        sys.modules["__main__"] = main
        os.chdir(before)
