"""Tries: how often each student's work has been graded while somebody watched.

A try is another notebook that was graded. One that could not be, the same once more, or an earlier one again is none.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from grader.classroom.folder import Classroom
from grader.errors import GraderError
from grader.results import write_whole


class Tries:
    """The works that were graded, by student, kept in the class' folder.

    Args:
        limit: how many each has; None for any number.

    Raises:
        GraderError: what was kept cannot be read.
    """

    def __init__(self, classroom: Classroom, stem: str, limit: int | None):
        self._classroom, self._stem, self.limit = classroom, stem, limit
        self._path = classroom.root / "tries" / f"{stem}.json"
        self._works: dict[str, list[str]] = {}
        try:
            self._works = msgspec.json.decode(self._path.read_bytes(), type=dict[str, list[str]])
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:
            raise GraderError(
                f"{self._path} cannot be read ({error}). Without it, tries are counted anew."
            ) from None

    def note(self, students: Iterable[str]) -> None:
        """Count the present results of some: also those of a run that was killed before it could."""
        new = False
        for student in students:
            result = self._classroom.result(self._stem, student)
            if result and result.verdict == "graded" and result.work not in self._works.get(student, ()):
                self._works.setdefault(student, []).append(result.work)
                new = True
        if new:
            write_whole(self._path, msgspec.json.format(msgspec.json.encode(self._works), indent=1))

    def of(self, student: str) -> int:
        return len(self._works.get(student, ()))

    def spent(self, student: str, content: bytes) -> bool:
        """True if a notebook, known by its SHA-256, would be one try too many."""
        works = self._works.get(student, ())
        return self.limit is not None and len(works) >= self.limit and content.hex()[:32] not in works
