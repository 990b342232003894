"""One module for each platform: all that is known of what it writes, and of what it takes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from grader.classroom.archive import Entry
from grader.gradebook.people import Claim


@dataclass
class Handed:
    """A file as a platform hands it on.

    Attributes:
        claims: whose it is; several where several have handed in one work.
        group: the name of the group whose it is, where the platform names no person.
        when: in UTC without a zone, as the platform says; None where it does not.
        attempt: later uploads have larger numbers.
        late: the platform has marked it as late.
        name: what the student called the file.
        back: what a page of feedback is called on the way back, without its ending; "" where nothing goes back.
        secret: nbgrader's, by which its exchange names the page that goes back.
        by: the student who has put it there under another's name; "" where nobody has.
    """

    entry: Entry
    claims: list[Claim] = field(default_factory=list)
    group: str = ""
    when: datetime | None = None
    attempt: int = 0
    late: bool = False
    name: str = ""
    back: str = ""
    secret: bytes = b""
    by: str = ""

    def __post_init__(self) -> None:
        self.name = self.name or self.entry.parts[-1]
