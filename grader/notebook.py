"""A submitted notebook, read as what it is: a file from a stranger.

Only what grading needs is read (kinds, sources and nbgrader's ids and points of cells); whatever else the file
holds, outputs of hundreds of megabytes or broken metadata, is skipped.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

MAX_MB = 32


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
    """A cell: `kind` is code, markdown or raw; `grade_id` is "" where nbgrader has no part in it."""

    kind: str
    source: str
    grade_id: str = ""
    grade: bool = False
    points: float | None = None


@dataclass(frozen=True)
class Template:
    """The notebook as it was handed out: the cells that have a part in grading, by their ids.

    `cells` are nbformat's, in order; of `locked` cells the text is ours, and `checks` hold the points.
    """

    stem: str
    cells: list[dict]
    metadata: dict

    @classmethod
    def read(cls, path: Path) -> Template:
        notebook = json.loads(path.read_bytes())
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"])
        return cls(path.stem, notebook["cells"], notebook["metadata"])

    def _marked(self, key: str) -> dict[str, dict]:
        marked = [cell for cell in self.cells if cell["metadata"].get("nbgrader", {}).get(key)]
        return {cell["metadata"]["nbgrader"]["grade_id"]: cell for cell in marked}

    @property
    def checks(self) -> dict[str, dict]:
        return self._marked("grade")

    @property
    def locked(self) -> dict[str, dict]:
        return self._marked("locked")

    @property
    def solutions(self) -> dict[str, dict]:
        return self._marked("solution")


@dataclass
class Sheet:
    """A submission that can be graded: its cells, locked ones as they were handed out, and what was put right."""

    cells: list[Cell]
    notes: list[str] = field(default_factory=list)


def read_submitted(path: Path) -> bytes:
    """The file's content.

    Raises:
        Ungradable: it is missing, too large, or no plain file (a link could lead to another's work).
    """
    try:
        # Without O_NONBLOCK a named pipe would wait for a writer for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Ungradable(f"제출 폴더에 {path.name} 파일이 없습니다.") from None
    except OSError as error:
        raise Ungradable(f"{path.name} 파일을 열 수 없습니다 ({error.strerror}).") from None
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise Ungradable(f"{path.name}이 보통 파일이 아닙니다.")
        if about.st_size > MAX_MB << 20:
            raise Ungradable(f"파일이 {about.st_size >> 20} MB입니다. {MAX_MB} MB까지 채점합니다.")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(MAX_MB << 20)
    finally:
        os.close(descriptor)


class _Nbgrader(msgspec.Struct):
    grade_id: str = ""
    grade: bool = False
    points: float | None = None


class _Metadata(msgspec.Struct):
    nbgrader: _Nbgrader | None = None


class _Cell(msgspec.Struct):
    cell_type: str
    source: str | list[str] = ""
    metadata: _Metadata | None = None


class _Notebook(msgspec.Struct):
    nbformat: int
    cells: list[_Cell] = []


def parse(content: bytes) -> list[Cell]:
    """The cells of a notebook.

    Raises:
        Ungradable: not JSON, not a notebook, or of another format than 4.
    """
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        notebook = _decode(content)
    except msgspec.ValidationError as error:
        raise Ungradable(f"노트북의 구조가 망가졌습니다 ({error}).") from None
    except (ValueError, RecursionError):
        raise Ungradable("파일이 JSON이 아닙니다. 노트북을 저장해 다시 제출해야 합니다.") from None
    if notebook.nbformat != 4:
        raise Ungradable(
            f"노트북의 형식이 nbformat {notebook.nbformat}입니다. 4로 저장해 다시 제출해야 합니다."
        )
    if unknown := {cell.cell_type for cell in notebook.cells} - {"code", "markdown", "raw"}:
        raise Ungradable(f"노트북의 구조가 망가졌습니다 (칸의 종류 {sorted(unknown)[0][:40]!r}).")
    return [_plain_cell(cell) for cell in notebook.cells]


def _decode(content: bytes) -> _Notebook:
    try:
        return msgspec.json.decode(content, type=_Notebook)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # Python's own reader also takes what Python's writer makes: NaN, and halves of surrogate pairs.
        return msgspec.convert(json.loads(content), type=_Notebook)


def _plain_cell(cell: _Cell) -> Cell:
    marked = (cell.metadata.nbgrader if cell.metadata else None) or _Nbgrader()
    source = cell.source if isinstance(cell.source, str) else "".join(cell.source)
    clean = source.encode("utf-8", "replace").decode()
    return Cell(cell.cell_type, clean, marked.grade_id, marked.grade, marked.points)


def compare(cells: list[Cell], template: Template) -> Sheet:
    """Hold a submission against what was handed out, and put back the text of locked cells.

    Raises:
        Ungradable: a check cell is missing, there twice or unknown, or its points are not those handed out.
    """
    checks, locked = template.checks, template.locked
    present = [cell.grade_id for cell in cells if cell.grade_id]
    _refuse("채점 칸이 없습니다", [name for name in checks if name not in present], cells)
    _refuse("같은 채점 칸이 두 번 있습니다", [name for name in checks if present.count(name) > 1], cells)
    marked = [cell for cell in cells if cell.grade]
    _refuse(
        "모르는 채점 칸이 있습니다", [cell.grade_id for cell in marked if cell.grade_id not in checks], cells
    )
    asked = {name: float(cell["metadata"]["nbgrader"]["points"]) for name, cell in checks.items()}
    changed = [
        cell.grade_id
        for cell in cells
        if cell.grade_id in checks and (not cell.grade or cell.points != asked[cell.grade_id])
    ]
    _refuse("채점 칸의 배점이 바뀌었습니다", changed, cells)

    sheet = Sheet([])
    for cell in cells:
        ours = locked.get(cell.grade_id)
        if ours is not None and (cell.source, cell.kind) != (ours["source"], ours["cell_type"]):
            sheet.notes.append(f"잠긴 칸 `{cell.grade_id}`을 나누어 준 대로 되돌렸습니다.")
            cell = replace(cell, kind=ours["cell_type"], source=ours["source"])
        sheet.cells.append(cell)
    return sheet


def _refuse(reason: str, names: list[str], cells: list[Cell]) -> None:
    if names:
        shown = ", ".join(name[:60] for name in names[:5])
        raise Ungradable(f"{reason}: {shown}", cells)
