"""A submitted notebook, read as what it is: a file from a stranger.

Only what grading needs is read (kinds, sources and nbgrader's ids and points of cells); whatever else the file
holds, outputs of hundreds of megabytes or broken metadata, is skipped.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from grader.misfiled import what_is_wrong
from grader.skim import TooLarge, skim
from grader.words import OPENINGS

CHECK_PREFIX = "check_"  # begins the ids of check cells; their question follows
MAX_MB = 32
MAX_RAW_MB = 512  # of a notebook with its outputs, which are skipped while it is read
# Not through a link, and not waiting for ever where a pipe has no writer; Windows has neither.
OPENING = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"))
AT_HOME = (
    "at_home_"  # ids of given cells (tag "at-home") that train or show something, and that grading leaves out
)


class Ungradable(Exception):
    """A submission that cannot be graded; the message (Korean) says why.

    Attributes:
        cells: what could be read of it nevertheless.
    """

    def __init__(self, reason: str, cells: list[Cell] | None = None):
        super().__init__(reason)
        self.reason, self.cells = reason, cells or []


@dataclass
class Cell:
    """A cell: `kind` is code, markdown or raw; `grade_id` is "" where nbgrader has no part in it.

    `grade`, that it is a check cell, is the file's word until `compare` has put ours in its place. `ours`: not the
    student's, but put there by `compare`, below what became of it.
    """

    kind: str
    source: str
    grade_id: str = ""
    grade: bool = False
    ours: bool = False


@dataclass(frozen=True)
class Template:
    """The notebook as it was handed out: the cells that have a part in grading, by their ids.

    `cells` are nbformat's, in order; of `locked` cells the text is ours, and `checks` hold the points. What a person
    grades (`manual`) an instructor has added.
    """

    stem: str
    cells: list[dict]
    metadata: dict

    @classmethod
    def read(cls, path: Path, stem: str | None = None) -> Template:
        """The template in a file.

        Args:
            stem: the exercise; the file's name if None.
        """
        notebook = json.loads(path.read_bytes())
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"])
        return cls(stem or path.stem, notebook["cells"], notebook["metadata"])

    def _marked(self, key: str) -> dict[str, dict]:
        marked = [cell for cell in self.cells if cell["metadata"].get("nbgrader", {}).get(key)]
        return {cell["metadata"]["nbgrader"]["grade_id"]: cell for cell in marked}

    @cached_property
    def checks(self) -> dict[str, dict]:
        return {name: cell for name, cell in self._marked("grade").items() if name not in self.solutions}

    @cached_property
    def manual(self) -> dict[str, dict]:
        answers = {name: cell for name, cell in self._marked("grade").items() if name in self.solutions}
        return {**answers, **self._marked("task")}

    @cached_property
    def graded(self) -> list[str]:
        """The ids of all cells that give points, in the notebook's order."""
        points = self.checks.keys() | self.manual.keys()
        named = (cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in self.cells)
        return [name for name in named if name in points]

    @cached_property
    def locked(self) -> dict[str, dict]:
        return self._marked("locked")

    @cached_property
    def at_home(self) -> set[str]:
        """The code that grading leaves out, also of a notebook that has lost its cells' ids."""
        return {cell["source"] for name, cell in self.locked.items() if name.startswith(AT_HOME)}

    @cached_property
    def solutions(self) -> dict[str, dict]:
        return self._marked("solution")


@dataclass
class Sheet:
    """A submission that can be graded: its cells, below changed ones those that were handed out, and what was put right."""

    cells: list[Cell]
    notes: list[str] = field(default_factory=list)


def read_submitted(path: Path, max_mb: int | None = None) -> bytes:
    """The file's content.

    Raises:
        Ungradable: it is missing, too large, or no plain file (a link could lead to another's work).
    """
    max_mb = MAX_MB if max_mb is None else max_mb
    with _opened(path, max_mb) as file:
        return file.read(max_mb << 20)


@contextmanager
def _opened(path: Path, max_mb: int) -> Iterator[BinaryIO]:
    try:
        descriptor = os.open(path, OPENING)
    except FileNotFoundError:
        raise Ungradable(f"제출 폴더에 {path.name} 파일이 없습니다.") from None
    except OSError as error:
        raise Ungradable(f"{path.name} 파일을 열 수 없습니다 ({error.strerror}).") from None
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise Ungradable(f"{path.name}이 보통 파일이 아닙니다.")
        if about.st_size > max_mb << 20:
            raise Ungradable(f"파일이 {about.st_size >> 20} MB입니다. {max_mb} MB까지 채점합니다.")
        with open(descriptor, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(descriptor)


def read_notebook(path: Path) -> bytes:
    """A notebook's content; of one of MAX_MB or more only what grading reads, without its outputs (see `skim`).

    Raises:
        Ungradable: as `read_submitted`, or it is larger than MAX_RAW_MB, or than MAX_MB without its outputs.
    """
    with _opened(path, MAX_RAW_MB) as file:
        size = os.fstat(file.fileno()).st_size >> 20
        if size < MAX_MB:
            return file.read(MAX_MB << 20)
        try:
            return skim(file, MAX_MB << 20)
        except TooLarge:
            raise Ungradable(
                f"파일이 {size} MB이고, 출력을 빼도 {MAX_MB} MB가 넘습니다. {MAX_MB} MB까지 채점합니다."
            ) from None


class _Cell(msgspec.Struct):
    cell_type: str
    source: str | list[str] = ""
    metadata: Any = None


class _Notebook(msgspec.Struct):
    nbformat: int
    cells: list[_Cell] = []


def parse(content: bytes) -> list[Cell]:
    """The cells of a notebook.

    Raises:
        Ungradable: not JSON, not a notebook, or of another format than 4.
    """
    content = _as_utf8(content)
    try:
        notebook = _decode(content)
    except msgspec.ValidationError as error:
        raise Ungradable(f"노트북의 구조가 망가졌습니다 ({error}).") from None
    except (ValueError, RecursionError):
        raise Ungradable(what_is_wrong(content)) from None
    if notebook.nbformat != 4:
        raise Ungradable(
            f"노트북의 형식이 nbformat {notebook.nbformat}입니다. 4로 저장해 다시 제출해야 합니다."
        )
    return [_plain_cell(cell) for cell in notebook.cells]


def _as_utf8(content: bytes) -> bytes:
    """JSON as editors save it: with a mark of its order of bytes, in UTF-16, or in Korean Windows' own code."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace").encode()
    content = content.removeprefix(codecs.BOM_UTF8)
    if not content.lstrip().startswith(b"{"):
        return content  # whatever it is, it is no notebook
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        try:
            return content.decode("cp949").encode()
        except UnicodeDecodeError:
            pass
    return content


def _decode(content: bytes) -> _Notebook:
    try:
        return msgspec.json.decode(content, type=_Notebook)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # Python's own reader also takes what Python's writer makes: NaN, and halves of surrogate pairs.
        return msgspec.convert(json.loads(content), type=_Notebook)


def _plain_cell(cell: _Cell) -> Cell:
    marked = cell.metadata.get("nbgrader") if isinstance(cell.metadata, dict) else None
    marked = marked if isinstance(marked, dict) else {}
    name = marked.get("grade_id")
    kind = (
        cell.cell_type if cell.cell_type in ("code", "markdown") else "raw"
    )  # tools have kinds of their own
    clean = _text(cell.source).encode("utf-8", "replace").decode()
    name = name.encode("utf-8", "replace").decode() if isinstance(name, str) else ""
    return Cell(kind, clean, name, marked.get("grade") is True)


def _text(source: str | list[str]) -> str:
    """The text of a cell; of lines whose ends a tool has dropped, each on its own."""
    if isinstance(source, str):
        return source
    dropped = not any(line.endswith("\n") for line in source[:-1])
    return ("\n" if dropped else "").join(source)


def compare(cells: list[Cell], template: Template) -> Sheet:
    """Hold a submission against what was handed out: put ours behind what became of locked cells, and say what else
    was put right.

    A notebook is graded by what it defines. That tools drop the ids of cells, and students copy or delete check
    cells, is noted and costs nothing; points are the template's.

    Raises:
        Ungradable: nothing of the exercise is in it.
    """
    checks, locked = template.checks, template.locked
    graded = checks.keys() | template.manual.keys()
    present = [cell.grade_id for cell in cells if cell.grade_id]
    if not belongs(cells, template):
        raise Ungradable(
            f"{template.stem} 연습의 노트북이 아닌 것 같습니다. 채점 칸이 없고, 답의 이름도 나오지 않습니다.",
            cells,
        )
    sheet = Sheet([])
    if gone := [name for name in checks if name not in present]:
        sheet.notes.append(f"없던 채점 칸을 다시 넣었습니다: {_few(gone)}")
    if copied := [name for name in checks if present.count(name) > 1]:
        sheet.notes.append(f"채점 칸이 여러 번 있습니다: {_few(copied)}")
    unknown = [cell.grade_id for cell in cells if cell.grade and cell.grade_id not in graded | locked.keys()]
    if unknown := [name for name in unknown if name not in template.solutions]:
        sheet.notes.append(f"모르는 채점 칸은 채점하지 않습니다: {_few(unknown)}")
    for cell in cells:
        ours = locked.get(cell.grade_id)
        if ours is not None and not _is_same(cell, ours):
            sheet.notes.append(
                f"잠긴 칸 `{cell.grade_id}`: 적힌 대로 실행한 다음, 나누어 준 대로 다시 실행합니다."
            )
            if cell.source.strip():
                sheet.cells.append(replace(cell, grade=False))
            cell = replace(cell, kind=ours["cell_type"], source=ours["source"], ours=True)
        answer = template.solutions.get(cell.grade_id)
        if answer is not None and answer["cell_type"] == "code" != cell.kind and cell.source.strip():
            sheet.notes.append(
                f"답 칸 `{plain_name(cell.grade_id)}`: 코드 칸이 아니라 글 칸이라서 실행하지 않습니다."
            )
        sheet.cells.append(replace(cell, grade=cell.grade_id in checks))
    return sheet


def _is_same(cell: Cell, ours: dict) -> bool:
    """True if a locked cell is as it was handed out, in whichever language."""
    same = OPENINGS.values() if ours["source"] in OPENINGS.values() else [ours["source"]]
    return cell.kind == ours["cell_type"] and cell.source in same


def belongs(cells: list[Cell], template: Template) -> bool:
    """True for a notebook of the exercise: it has a check cell, or a word that an answer is called by."""
    if any(cell.grade_id in template.graded for cell in cells):
        return True
    answers = "|".join(map(re.escape, template.solutions))
    return bool(answers) and any(
        cell.kind == "code" and re.search(rf"\b({answers})\b", cell.source) for cell in cells
    )


def _few(names: list[str]) -> str:
    return ", ".join(map(plain_name, dict.fromkeys(names[:5])))


def plain_name(name: str) -> str:
    """A stranger's name for something, as it can stand in a page that people open."""
    return re.sub(r"[^\w .-]", "?", name[:60])
