"""GitHub Classroom, and Classroom 50 after it: a folder of clones, called ASSIGNMENT-USER or CLASSROOM-ASSIGNMENT-USER.

Users' names hold hyphens, too. The time is that of the last commit of a file: the clone's files have the checkout's.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timezone
from functools import cache, cached_property
from pathlib import Path

from grader.classroom.archive import Entry
from grader.classroom.platforms import Handed
from grader.gradebook.people import Claim, People

TIMES = "No commit says when: nobody is late by it."
_DOWNLOADED = re.compile(r"-(main|master|[0-9a-f]{40})$")  # what GitHub's own zip of a repository adds
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
SECONDS = 60  # for git to say when


def handed(found: Iterable[Entry], stem: str, groups: Iterable[str], people: People) -> list[Handed]:
    found = [_rooted(entry) for entry in found]
    slug = re.sub(r"[\W_]+", "-", stem).casefold()
    paths = {tuple(entry.parts[:-1]) for entry in found}
    around = _around(paths, slug)
    repositories = {path: _user(path, slug, around) for path in paths}
    voted = _voted({path for path, user in repositories.items() if user is None}, people)
    with ExitStack() as stack:
        git = _Git(stack)
        return [_handed(entry, repositories, voted, people, git) for entry in found]


def _rooted(entry: Entry) -> Entry:
    """The entry, below the repository's name where the folder that is collected is one itself."""
    depth = len(entry.parts)
    root = entry.on_disk.parents[depth - 1] if entry.on_disk else None
    return replace(entry, path=f"{root.name}/{entry.path}") if root and (root / ".git").exists() else entry


def _handed(entry: Entry, repositories: dict, voted: dict, people: People, git: _Git) -> Handed:
    path = tuple(entry.parts[:-1])
    user = repositories[path] or voted.get(path) or (path[0] if path else "")
    shorter = _DOWNLOADED.sub("", user)
    student = people.handle(user) or people.handle(shorter)
    claim = Claim(ids=(student or (user if people else shorter),))
    return Handed(entry, [claim], when=git.time(entry.on_disk) if entry.on_disk else None)


def _user(path: tuple[str, ...], slug: str, around: set[tuple[str, ...]]) -> str | None:
    """The user in a repository's name, behind the assignment's. Outermost first: below, names are a student's."""
    for depth, part in enumerate(path, 1):
        rest = _rest(part, slug)
        if rest and rest.casefold() != "submissions" and path[:depth] not in around:
            return rest
    return None


def _around(paths: set[tuple[str, ...]], slug: str) -> set[tuple[str, ...]]:
    """Folders that hold several repositories, and may be called like one."""
    inside: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for path in paths:
        for depth, part in enumerate(path):
            if _rest(part, slug):
                inside[path[:depth]].add(part)
    return {folder for folder, parts in inside.items() if len(parts) > 1}


def _rest(part: str, slug: str) -> str:
    """The end of a folder's name, behind the assignment; `gh` makes ASSIGNMENT-submissions around them."""
    folded = part.casefold().replace("_", "-")
    at = 0 if folded.startswith(f"{slug}-") else folded.find(f"-{slug}-") + 1
    return part[at + len(slug) + 1 :] if folded.startswith(f"{slug}-", at) else ""


def _voted(paths: set[tuple[str, ...]], people: People) -> dict[tuple[str, ...], str]:
    """Users by path where no name names the assignment: after the beginning that fits most, at the depth where it does.

    One repository alone is ambiguous where more than one hyphen could end the beginning.
    """
    votes: dict[tuple[int, str], set[str]] = defaultdict(set)
    for path in paths:
        for depth, part in enumerate(path):
            for before, user in _splits(part):
                if people.handle(user) or people.handle(_DOWNLOADED.sub("", user)):
                    votes[depth, before].add(part)
    votes = {
        key: parts for key, parts in votes.items() if len(parts) > 1 or all(p.count("-") < 2 for p in parts)
    }
    if not votes:
        return {}
    depth, before = max(votes, key=lambda key: (len(votes[key]), -key[0], -len(key[1])))
    return {
        path: path[depth][len(before) :]
        for path in paths
        if len(path) > depth and path[depth].startswith(before)
    }


def _splits(name: str) -> Iterator[tuple[str, str]]:
    for at in [0, *(match.end() for match in re.finditer("-", name))]:
        if name[at:]:
            yield name[:at], name[at:]


class _Git:
    """Says when, from a clone's objects alone: what a student has put into its configuration would be run."""

    def __init__(self, stack: ExitStack):
        self._stack = stack
        self.time = cache(self._time)

    @cached_property
    def _empty(self) -> Path | None:
        """A repository of our own, without anything in it; None where there is no git."""
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        return folder if self._run(["init", "--quiet", "--bare", str(folder)], {}) is not None else None

    def _time(self, path: Path) -> datetime | None:
        clone = next((folder for folder in path.parents if (folder / ".git").is_dir()), None)
        head = clone and _head(clone / ".git")
        if not head or not (empty := self._empty):
            return None
        where = {"GIT_DIR": str(empty), "GIT_OBJECT_DIRECTORY": str(clone / ".git" / "objects")}
        if (clone / ".git" / "shallow").is_file():
            where["GIT_SHALLOW_FILE"] = str(clone / ".git" / "shallow")
        said = self._run(["log", "-1", "--format=%ct", head, "--", path.relative_to(clone).as_posix()], where)
        if not said or not said.strip().isdigit():
            return None
        return datetime.fromtimestamp(int(said), timezone.utc).replace(tzinfo=None)

    def _run(self, arguments: list[str], where: dict[str, str]) -> str | None:
        closed = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_NO_LAZY_FETCH": "1"}
        closed |= {"PATH": os.environ.get("PATH", os.defpath), "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C"}
        try:
            done = subprocess.run(
                ["git", *arguments], env=closed | where, capture_output=True, text=True, timeout=SECONDS
            )
        except (OSError, subprocess.SubprocessError, UnicodeError):
            return None
        return None if done.returncode else done.stdout


def _head(folder: Path) -> str | None:
    """The commit that a clone is at."""
    try:
        said = (folder / "HEAD").read_text(encoding="ascii").strip()
        if name := re.fullmatch(r"ref: (refs/[\w./-]+)", said):
            if ".." in name[1]:
                return None
            loose = folder / name[1]
            if loose.is_file():
                said = loose.read_text(encoding="ascii").strip()
            else:
                packed = (folder / "packed-refs").read_text(encoding="utf-8", errors="replace")
                said = next(
                    (line.split()[0] for line in packed.splitlines() if line.endswith(f" {name[1]}")), ""
                )
    except (OSError, UnicodeError):
        return None
    return said if _COMMIT.fullmatch(said) else None
