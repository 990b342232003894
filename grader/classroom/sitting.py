"""One submission's notebook in the sandbox: what of it runs, where, and how its end is told."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from grader.judging.names import written
from grader.notebook import AT_HOME, CHECK_PREFIX, Cell, Ungradable
from grader.sandbox import (
    CellRun,
    Limits,
    Run,
    Sandbox,
    SandboxError,
    ServerDied,
    WorkerKilled,
    WorkerTimeout,
)

NOT_INSTALLED = re.compile(r"^([\w.]{1,80}): this package is not installed here$", re.MULTILINE)
MAX_DISTURBANCES = 4  # a notebook that kills itself does so every time; a machine short of memory does not


class TooLate(Ungradable):
    """The cells took too long: a longer limit may help."""


class Disturbed(RuntimeError):
    """The sandbox's server or a worker ended through no fault of the notebook's, as far as can be seen."""


class Sitting:
    """One submission's notebook in a worker, and in a new one where that ends."""

    def __init__(self, sandbox: Sandbox, limits: Limits, cells: list[Cell], at_home: Collection[str] = ()):
        self._sandbox, self._limits, self._cells = sandbox, limits, cells
        # What runs, by the position of its cell.
        self._code = [
            i
            for i, cell in enumerate(cells)
            if cell.kind == "code" and cell.source
            if not cell.grade_id.startswith(AT_HOME) and cell.source not in at_home
        ]
        self.left_out: Ungradable | None = None  # why a cell of the student's own does not run
        self._killed = 0
        self.run: Run | None = None
        self.outputs: dict[int, list[dict]] = {}
        self.notes: list[str] = []
        self.lacking: list[str] = []  # packages that are not installed

    @property
    def sources(self) -> list[str]:
        """The code that runs, cell by cell."""
        return [self._cells[i].source for i in self._code]

    @property
    def _checks(self) -> dict[int, str]:
        """The questions whose checks stand among what runs, by position."""
        return {
            number: self._cells[i].grade_id.removeprefix(CHECK_PREFIX)
            for number, i in enumerate(self._code)
            if self._cells[i].grade
        }

    def begin(self) -> None:
        """Run the cells; without one of the student's own that ends the process or takes too long.

        Raises:
            Ungradable: they end their process or take too long.
            Disturbed: the process was ended from outside, for all that can be seen.
        """
        self.end()
        try:
            self.run = self.start()
            self._keep(self.run.cells)
        except SandboxError as failure:
            self._excuse(failure)
            self._keep(failure.cells)
            kind = TooLate if isinstance(failure, WorkerTimeout) else Ungradable
            ungradable = kind(self._reason(failure))
            if failure.cell is None or self.left_out or self._cells[self._code[failure.cell]].grade_id:
                raise ungradable from None
            # Beside the answers: a runtime restarted by force, a training of hours
            self.left_out = ungradable
            del self._code[failure.cell]
            self.begin()

    def restart(self) -> Any:
        """The names of a new worker, after a question ended the old one."""
        self._excuse(self.run.failure)
        self.end()
        self.run = self.start()
        return self.run.student

    def start(self) -> Run:
        """A new worker in which all has run."""
        return self._sandbox.run(self.sources, self._limits, checks=self._checks)

    def end(self) -> None:
        if self.run:
            self.run.leave()

    def _excuse(self, failure: SandboxError) -> None:
        """Let the whole be tried again where it was perhaps not the notebook that ended its process."""
        self._killed += isinstance(failure, WorkerKilled)
        if (
            isinstance(failure, ServerDied)
            or isinstance(failure, WorkerKilled)
            and self._killed < MAX_DISTURBANCES
        ):
            raise Disturbed(failure.reason)

    def _keep(self, ran: list[CellRun]) -> None:
        self.outputs, failed = {}, []
        for i, cell in zip(self._code, ran, strict=False):
            self.outputs[i] = cell.outputs
            if cell.error:
                failed.append((self._place(i), cell.error))
        self.notes = [f"{place}에서 오류가 났습니다: {error}" for place, error in dict.fromkeys(failed)]
        if self.left_out:
            self.notes.append(f"{self.left_out.reason} 이 칸을 빼고 채점했습니다.")
        self.notes += self._defined_again()
        self.lacking = _lacking(ran)

    def _defined_again(self) -> list[str]:
        """Notes on functions and classes that are written anew below their check."""
        notes = []
        checked = {question: self._code[number] for number, question in self._checks.items()}
        for question, at in checked.items():
            later = (
                i
                for i, code in zip(self._code, self.sources, strict=True)
                if i > at and question in written(code)
            )
            if (again := next(later, None)) is not None:
                notes.append(
                    f"`{question}` 답을 확인한 다음 {self._place(again)}에서 다시 썼습니다. 확인할 때의 답을 채점합니다."
                )
        return notes

    def _reason(self, failure: SandboxError) -> str:
        where = "노트북" if failure.cell is None else self._place(self._code[failure.cell])
        if isinstance(failure, WorkerTimeout):
            return f"{where}이 제한 시간({self._limits.wall:g}초) 안에 끝나지 않았습니다."
        return f"{where}을 실행하다가 프로세스가 끝났습니다 ({failure.reason})."

    def _place(self, position: int) -> str:
        number = sum(cell.kind == "code" and not cell.ours for cell in self._cells[: position + 1])
        name = self._cells[position].grade_id[:60]
        return f"{number}번째 코드 칸({name})" if name else f"{number}번째 코드 칸"


def _lacking(ran: list[CellRun]) -> list[str]:
    """The packages that cells have asked for in vain, by what they showed."""
    shown = (
        output.get("text", "") for cell in ran for output in cell.outputs if output.get("name") == "stderr"
    )
    return list(dict.fromkeys(name for text in shown for name in NOT_INSTALLED.findall(text)))[:5]
