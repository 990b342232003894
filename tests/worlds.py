"""Classes with odd people in them, and what platforms write of their work, for Hypothesis. The truth is known of each file."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from dataclasses import dataclass, field

from hypothesis import strategies as st

from grader.gradebook.people import spellings

NAMES = [
    "김민수",
    "이서연",
    "John Doe",
    "Doe John",
    "José García",
    "Jose Garcia",
    "van der Berg",
    "Ng",
    "박 지훈",
    "O'Neil Ann",
    "남궁민",
]
IDS = ["2027000{}", "s-{}", "a.kim_{}", "00{}", "２０２７{}", "K{}\u200b", "{}", "x y {}", "이서연{}"]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp949"]


@dataclass(frozen=True)
class Soul:
    """Somebody with a number of their own, `n`, by which all else of them is told apart."""

    n: int
    id: str
    name: str
    enrolled: bool

    @property
    def number(self) -> str:
        return str(500 + self.n)

    @property
    def email(self) -> str:
        return f"m{self.n}@u.test"

    @property
    def handle(self) -> str:
        return f"gh-{self.n}"


@dataclass
class World:
    """
    Attributes:
        owners: whose each notebook is, by the mark in it.
        certain: marks that must arrive: what they came with can be only one person's.
        files: what a platform has packed, by path; zips in it are dicts.
        groups: a group's name by the id of each member.
    """

    souls: list[Soul]
    roster: bytes
    platform: str
    groups: dict[str, str] = field(default_factory=dict)
    files: dict[str, object] = field(default_factory=dict)
    owners: dict[str, set[str]] = field(default_factory=dict)
    certain: dict[str, set[str]] = field(default_factory=dict)
    legacy: bool = False

    def _repr_pretty_(self, printer, cycle) -> None:
        printer.text(self.said())

    def said(self) -> str:
        return f"World({self.platform}, {self.souls}, {self.groups}, {list(self.files)}, {self.roster!r})"

    def packed(self) -> bytes:
        return _zip(self.files, self.legacy)


@st.composite
def worlds(draw, notebook) -> World:
    """
    Args:
        notebook: makes the bytes of a notebook with a mark in it.
    """
    count = draw(st.integers(1, 5))
    shapes, names = draw(st.permutations(IDS)), st.sampled_from(NAMES)
    souls = [
        Soul(n, shapes[n].format(n), draw(names), n == 0 or draw(st.integers(0, 3)) > 0) for n in range(count)
    ]
    platform = draw(st.sampled_from(["moodle", "canvas", "gradescope", "github", "nbgrader", "folder"]))
    columns = draw(st.lists(st.sampled_from(["이름", "이메일", "github_username", "Login ID"]), unique=True))
    world = World(souls, _roster(draw, souls, columns), platform, legacy=draw(st.booleans()))
    enrolled = [soul for soul in souls if soul.enrolled]
    if platform == "moodle" and len(enrolled) > 1 and draw(st.booleans()):
        world.groups = {_clean(soul.id): "3조" for soul in enrolled[:2]}
    for soul in souls:
        # Of two of one name both hand in: a stranger's work under a name that only one on the roster has looks like hers.
        shared = any(other is not soul and spellings(other.name) & spellings(soul.name) for other in souls)
        for attempt in range(draw(st.integers(1 if shared else 0, 2))):
            _hand_in(draw, world, soul, attempt, columns, notebook)
    if world.groups and draw(st.booleans()):
        world.files["3조_77_assignsubmission_file/masking.ipynb"] = notebook("team")
        world.owners["team"] = set(world.groups)
    if platform == "gradescope":
        about = {s.n: f"submission_{s.n}:\n  :submitters:\n" + _submitter(draw, s) for s in souls}
        world.files["export/submission_metadata.yml"] = "".join(about.values()).encode()
    return world


def _hand_in(draw, world: World, soul: Soul, attempt: int, columns: list[str], notebook) -> None:
    file = draw(
        st.sampled_from(
            [
                "masking.ipynb",
                "masking (1).ipynb",
                "과제.ipynb",
                "Masking-2.IPYNB",
                "masking.ipynb.json",
                "a b.ipynb.txt",
            ]
        )
    )
    mark = f"mark-{soul.n}-{attempt}"
    path, alone = _path(draw, world, soul, attempt, file, columns)
    content: object = notebook(mark)
    what = draw(st.sampled_from(["notebook", "notebook", "notebook", "zip", "text", "other"]))
    if what in ("text", "other"):  # nothing of theirs is a notebook of the exercise
        path = path.replace(file, "report.pdf" if what == "text" else "other.ipynb")
        content = b"%PDF" if what == "text" else b'{"nbformat": 4, "cells": []}'
    elif what == "zip":
        path, content = path.replace(file, f"hw{attempt}.zip"), {f"안/{file}": content}
    path = unicodedata.normalize(draw(st.sampled_from(["NFC", "NFD"])), path)
    if path in world.files:
        return
    world.files[path] = content
    if what in ("notebook", "zip"):
        world.owners[mark] = {_clean(soul.id)} if soul.enrolled else set()
        if alone and soul.enrolled:
            world.certain[mark] = {_clean(soul.id)}


def _path(draw, world: World, soul: Soul, attempt: int, file: str, columns: list[str]) -> tuple[str, bool]:
    """Where a platform puts a file; and whether it says whose it is in a way that only one can be meant."""
    named = (
        "이름" in columns and sum(bool(spellings(s.name) & spellings(soul.name)) for s in world.souls) == 1
    )
    flat = draw(st.booleans())
    if world.platform == "moodle":
        return f"{soul.name}_{soul.number}_assignsubmission_file{'_' if flat else '/'}{file}", named
    if world.platform == "canvas":
        sortable = re.sub(r"[\W_]", "", soul.name).casefold()
        return (
            f"{sortable}_{'LATE_' if flat else ''}{soul.number}_{900 + soul.n * 10 + attempt}_{file}",
            named,
        )
    if world.platform == "gradescope":
        return f"export/submission_{soul.n}/{file}", True
    if world.platform == "github":
        user = soul.handle if "github_username" in columns else f"m{soul.n}"
        return f"masking-{user}/{file}", "github_username" in columns or "이메일" in columns
    if world.platform == "nbgrader":
        inbound = f"inbound/{soul.id}+masking+2027-03-20 10:00:0{attempt}.5 UTC+x{soul.n}/{file}"
        return inbound if flat else f"submitted/{soul.id}/masking/{file}", True
    return f"{soul.id}/{'masking/' if flat else ''}{file}", True


def _submitter(draw, soul: Soul) -> str:
    also = draw(st.sampled_from(["", f"    :email: {soul.email}\n", f'    :name: "{soul.name}"\n']))
    return f'  - :sid: "{soul.id}"\n{also}'


def _clean(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\u200b", "").strip()


def _roster(draw, souls: list[Soul], columns: list[str]) -> bytes:
    cells = {
        "이름": lambda s: s.name,
        "이메일": lambda s: s.email,
        "github_username": lambda s: s.handle,
        "Login ID": lambda s: f"l{s.n}",
    }
    rows = [["학번", *columns], *([s.id, *(cells[c](s) for c in columns)] for s in souls if s.enrolled)]
    if draw(st.booleans()):
        rows.append([""] * len(rows[0]))
    return table(draw, rows)


def table(draw, rows: list[list[str]]) -> bytes:
    """A CSV as one program or another writes it."""
    delimiter, end = draw(st.sampled_from(",;\t")), draw(st.sampled_from(["\n", "\r\n"]))
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)
    text = unicodedata.normalize(draw(st.sampled_from(["NFC", "NFD"])), out.getvalue())
    encoding = draw(st.sampled_from(ENCODINGS))
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode()


class _Legacy(zipfile.ZipInfo):
    """A member whose name Korean Windows has written."""

    def _encodeFilenameFlags(self):
        return unicodedata.normalize("NFC", self.filename).encode("cp949"), self.flag_bits & ~0x800


def _zip(files: dict[str, object], legacy: bool) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            inside = _zip(content, legacy) if isinstance(content, dict) else content
            archive.writestr(_info(name, legacy), inside)
    return out.getvalue()


def _info(name: str, legacy: bool) -> zipfile.ZipInfo:
    try:
        unicodedata.normalize("NFC", name).encode("cp949")
    except UnicodeEncodeError:
        legacy = False
    return (_Legacy if legacy else zipfile.ZipInfo)(name)
