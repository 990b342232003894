"""The files in a zip or a folder, zips in them opened. Nothing is unpacked: names are read, never followed.

A file's date says when it was downloaded or checked out, not when it was handed in; so none is read.
"""

from __future__ import annotations

import io
import os
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import BinaryIO

from grader.errors import GraderError

MAX_FILES = 100_000
MAX_MB = 512  # of one file, unpacked
DEPTH = 3  # of zips in zips
# What systems and Jupyter leave beside people's files.
NOBODYS = {".git", "__MACOSX", ".ipynb_checkpoints", ".DS_Store", "Thumbs.db", "desktop.ini"}
_BROKEN = (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, ValueError)


class Unreadable(Exception):
    """A file that cannot be read; the message (English) says why."""


@dataclass(frozen=True)
class Entry:
    """A file.

    Attributes:
        path: with `/`, in NFC, through zips as well.
        on_disk: where it lies, if it does so by itself.
        key: another where the file has changed; None where nobody has looked.
    """

    path: str
    _open: Callable[[], BinaryIO]
    on_disk: Path | None = None
    key: Hashable = None

    @property
    def parts(self) -> list[str]:
        return self.path.split("/")

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    def head(self) -> bytes:
        """The first bytes.

        Raises:
            Unreadable: it is broken, or encrypted.
        """
        return self._read(64)

    def read(self) -> bytes:
        """The file's content.

        Raises:
            Unreadable: it is broken, encrypted, or larger than `MAX_MB` whatever the archive says of it.
        """
        content = self._read((MAX_MB << 20) + 1)
        if len(content) > MAX_MB << 20:
            raise Unreadable(f"larger than {MAX_MB} MB")
        return content

    def _read(self, most: int) -> bytes:
        try:
            with self._open() as file:
                return file.read(most)
        except _BROKEN as error:
            raise Unreadable(f"cannot be read ({type(error).__name__})") from None


def entries(source: Path, only: Mapping[Path, Hashable] | None = None) -> Iterator[Entry]:
    """The files of a folder or zip.

    Args:
        only: these of the folder's files, with their keys.

    Raises:
        GraderError: it is neither a folder nor a zip, or holds too many files.
    """
    found = _of_folder(source, only) if source.is_dir() else _of_zip(source)
    for number, entry in enumerate(opened(found)):
        if number >= MAX_FILES:
            raise GraderError(f"{source} holds more than {MAX_FILES} files.")
        yield entry


def opened(found: Iterable[Entry], depth: int = 1) -> Iterator[Entry]:
    """The entries, and in place of each zip what it holds."""
    for entry in found:
        parts = entry.parts
        if NOBODYS & set(parts) or parts[-1].startswith("._"):
            continue
        if depth < DEPTH and parts[-1].lower().endswith(".zip"):
            whole = cache(partial(_zip, entry))
            try:
                infos = _listed(entry.on_disk) if entry.on_disk else whole().infolist()
            except (Unreadable, *_BROKEN):
                yield entry  # to be listed
            else:
                yield from opened(_members(infos, whole, entry.path + "/", entry.key), depth + 1)
        else:
            yield entry


def key_of(about: os.stat_result) -> tuple[int, ...]:
    """A file's key: another where it was written, replaced or dated back. Only a drive that keeps no time of the last
    change could have two files of one key."""
    return about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino


def _zip(entry: Entry) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(entry.read()))


def _listed(path: Path) -> list[zipfile.ZipInfo]:
    """A zip's table of contents: all that is read of it until somebody wants a file in it."""
    with zipfile.ZipFile(path) as archive:
        return archive.infolist()


def _of_folder(source: Path, only: Mapping[Path, Hashable] | None) -> Iterator[Entry]:
    """Its files; a folder that may not be entered is one that cannot be read, and so are links, pipes and the like."""
    errors: list[OSError] = []
    found = [
        Path(folder, name)
        for folder, folders, names in os.walk(source, onerror=errors.append)
        for name in [*names, *(name for name in folders if os.path.islink(os.path.join(folder, name)))]
    ]
    closed = {Path(error.filename) for error in errors if isinstance(error, PermissionError)}
    if source in closed:
        raise GraderError(f"{source} cannot be read: look who may.")
    for path in sorted([*found, *closed]):
        if ".git" in path.parts[len(source.parts) :] or only is not None and path not in only:
            continue
        name = "/".join(_decoded(os.fsencode(part)) for part in path.relative_to(source).parts)
        with suppress(FileNotFoundError):
            about, key = path.lstat(), only[path] if only else None
            if path in closed or stat.S_ISREG(about.st_mode):
                yield Entry(name, partial(open, path, "rb"), path, key)
            else:
                yield Entry(name, partial(_not_opened, about.st_mode), key=key)


def _not_opened(mode: int) -> BinaryIO:
    raise Unreadable(
        "a link, which could lead anywhere: put there what it leads to"
        if stat.S_ISLNK(mode)
        else "no plain file"
    )


def _of_zip(source: Path) -> Iterator[Entry]:
    try:
        archive = zipfile.ZipFile(source)
    except _BROKEN as error:
        raise GraderError(f"{source} is neither a folder nor a zip that can be read ({error}).") from None
    yield from _members(archive.infolist(), lambda: archive, "", None)


def _members(
    infos: list[zipfile.ZipInfo], archive: Callable[[], zipfile.ZipFile], before: str, key: Hashable
) -> Iterator[Entry]:
    if len(infos) > MAX_FILES:
        raise GraderError(f"{before or 'The zip'} holds more than {MAX_FILES} files.")
    for info in infos:
        if not info.is_dir():
            inside = key and (key, info.header_offset)  # two may have one name
            yield Entry(before + _name(info), lambda info=info: archive().open(info), key=inside)


def _name(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 0x800:
        name = unicodedata.normalize("NFC", info.filename)
    else:  # not said to be UTF-8
        try:
            name = _decoded(info.filename.encode("cp437"))
        except UnicodeError:
            name = info.filename
    return name.replace("\\", "/")


def _decoded(name: bytes) -> str:
    """A file's name, in UTF-8 or as Korean Windows writes it, in NFC."""
    for encoding in ("utf-8", "cp949"):
        try:
            return unicodedata.normalize("NFC", name.decode(encoding))
        except UnicodeDecodeError:
            continue
    return name.decode("latin-1")
