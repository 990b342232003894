"""Errors of a worker, and the way of a student's errors to the suite."""

from __future__ import annotations


class SandboxError(Exception):
    """The student's process cannot answer any more.

    Attributes:
        reason: one line.
        cell: index of the cell during which it happened, else None.
        cells: the cells that had run before it (`CellRun`).
    """

    def __init__(self, reason: str, cell: int | None = None, cells: tuple = ()):
        super().__init__(reason)
        self.reason, self.cell, self.cells = reason, cell, list(cells)


class MissingName(AttributeError):
    """The notebook does not define a name that the exercise asks for."""


class WorkerDied(SandboxError):
    """The process ended, was killed for breaking a limit, or stopped following the protocol."""


class WorkerKilled(WorkerDied):
    """The process was killed: by its own code, or by the machine (short of memory) or its operator."""


class ServerDied(WorkerDied):
    """The process from which workers are forked has ended, or a worker before it ran anything: no notebook can do that,
    so it is worth another try."""


class WorkerTimeout(SandboxError):
    """The process took too long."""


class SandboxUnavailable(RuntimeError):
    """This machine cannot confine a worker, or the server does not start."""


class ForbiddenCall(RuntimeError):
    """An answer called what its question asks to write. The message is the name of that function."""


# StopIteration and the BaseExceptions are left out on purpose: raised in the judge, they would end a loop or
# the judge itself.
RAISED = {
    kind.__name__: kind
    for kind in (
        ArithmeticError, AssertionError, AttributeError, BufferError, EOFError, FloatingPointError, ImportError,
        IndexError, KeyError, LookupError, MemoryError, ModuleNotFoundError, NameError, NotImplementedError,
        OSError, OverflowError, PermissionError, RecursionError, ReferenceError, RuntimeError, SyntaxError,
        TimeoutError, TypeError, UnboundLocalError, ValueError, ZeroDivisionError, ForbiddenCall,
    )
}  # fmt: skip


# Errors that no wrong idea raises, only a name that is not there: they never count as what an answer returns.
UNFINISHED = (NameError, ImportError)


def own_frame(filename: str) -> bool:
    """True if a frame's file is a cell of a notebook, in this sandbox or in Jupyter's kernel."""
    return filename.startswith("<ipython-input") or "ipykernel_" in filename


def raised_by_student(kinds: list[str], message: str, lines: str) -> Exception:
    """The student's error as the nearest builtin that suites may see; RuntimeError where there is none.

    Args:
        kinds: names of the error's class and its bases, nearest first.
        lines: the notebook's own, on the way to the error.
    """
    kind = next((RAISED[name] for name in kinds if name in RAISED), RuntimeError)
    error = kind(message)
    error.student_error = f"{kinds[0] if kinds else 'Error'}: {message}"
    error.student_lines = lines
    return error
