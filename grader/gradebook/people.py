"""People: one model of a person for rosters, what is handed in, files of grades, groups and feedback.

A person is an id. Names help only where there is no id, and where they are unique on both sides; a name never overrules
an id. What cannot be decided belongs to nobody, and is said.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# Kinds of what else a person is known by.
CANVAS, MOODLE, GITHUB, LOGIN, HUB, SECTION = "canvas", "moodle", "github", "login", "hub", "section"
# A user of a Moodle; MOODLE is a participant of one assignment there.
MOODLE_USER = "moodle user"
UNIQUE = (CANVAS, MOODLE, MOODLE_USER, GITHUB, LOGIN, HUB)  # of these one belongs to one person
LONGEST_ID = 128  # bytes
_HANGUL = re.compile(r"[가-힣]{2,4}")


@dataclass(frozen=True)
class Person:
    """A person of the class.

    Attributes:
        also: what else the person is known by, as (kind, text).
    """

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    also: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        between = "" if _HANGUL.fullmatch(self.last_name + self.first_name) else " "
        return f"{self.last_name}{between}{self.first_name}".strip()

    @property
    def known_as(self) -> set[str]:
        return spellings(self.name) | spellings(f"{self.first_name} {self.last_name}")

    def of(self, kind: str) -> set[str]:
        """The person's names or numbers of a kind, without case."""
        return {text.casefold() for other, text in self.also if other == kind}


@dataclass(frozen=True)
class Claim:
    """A claim of ownership, as a file or a row makes it.

    Attributes:
        ids: a person's own: 학번, a login. Where there is one, a name says nothing.
        numbers: a platform's own, and logins, as (kind, text); the class may not know them.
        emails: whole addresses.
        names: spellings of one name.
        place: tells two claims apart that say the same; a name that two claim is nobody's.
    """

    ids: tuple[str, ...] = ()
    numbers: tuple[tuple[str, str], ...] = ()
    emails: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    place: str = ""


class People:
    """Those in a class, to be found."""

    def __init__(self, people: Mapping[str, Person]):
        self._people = people
        self._ids = {clean_id(identity): identity for identity in people}
        self._folded = _unique((identity.casefold(), identity) for identity in people)
        self._emails = _unique((p.email.casefold(), p.id) for p in people.values() if p.email)
        self._also = {
            kind: _unique((text, p.id) for p in people.values() for text in p.of(kind)) for kind in UNIQUE
        }
        self._names: dict[str, set[str]] = {}
        for person in people.values():
            for name in person.known_as:
                self._names.setdefault(name, set()).add(person.id)

    def find(self, claims: Iterable[Claim]) -> dict[Claim, str | None]:
        """Each claim's owner, or None. All claims of one source at once: only then is a name known to be one's."""
        claims = list(dict.fromkeys(claims))
        if not self._people:
            return {claim: _as_it_is(claim) for claim in claims}
        found = {claim: self._by_id(claim) for claim in claims}
        certain = {student for student in found.values() if student}
        named = {claim: self._by_name(claim) for claim in claims if found[claim] is None}
        times = Counter(named.values())
        for claim, student in named.items():
            found[claim] = student if times[student] == 1 and student not in certain else None
        return {claim: student or None for claim, student in found.items()}

    def certain(self, claim: Claim) -> str | None:
        """The owner of a claim, by what is no name."""
        return self._by_id(claim) or None

    def by_id(self, text: str) -> str | None:
        """The student with this id or login."""
        text = clean_id(text)
        if text in self._ids:
            return self._ids[text]
        folded = text.casefold()
        return next(
            (s for s in (self._folded.get(folded), *(self._also[k].get(folded) for k in (LOGIN, HUB))) if s),
            None,
        )

    def known(self, kind: str, text: str) -> str | None:
        """The student with this number or name of a platform."""
        return self._also[kind].get(text.casefold())

    def handle(self, text: str) -> str | None:
        """The student of a name on GitHub; where the class knows none, of an id, or the start of an e-mail address."""
        if self._also[GITHUB]:
            return self.known(GITHUB, text) or self.by_id(text)
        begins = [s for mail, s in self._emails.items() if mail.partition("@")[0] == text.casefold()]
        return self.by_id(text) or (begins[0] if len(begins) == 1 else None)

    def is_name(self, text: str) -> bool:
        """True if somebody, or several, are called that."""
        return any(spelling in self._names for spelling in spellings(text))

    def __bool__(self) -> bool:
        return bool(self._people)

    def _by_id(self, claim: Claim) -> str | None:
        """The owner by what is no name; "" where that says that it is nobody's."""
        found = {self.by_id(text) for text in claim.ids if text} | {
            self._emails.get(text.casefold()) for text in claim.emails if text
        }
        found |= {
            self.by_id(text) if kind == LOGIN else self.known(kind, text) or self._as_id(text, claim)
            for kind, text in claim.numbers
        }
        found -= {None}
        if len(found) > 1 or not found and any(claim.ids):
            return ""
        return next(iter(found), None)

    def _as_id(self, number: str, claim: Claim) -> str | None:
        """A class without a roster has taken a platform's numbers for ids; elsewhere they may be equal by chance."""
        student = self._ids.get(clean_id(number))
        names = self._people[student].known_as if student else set()
        return student if not names or names & _spelt(claim) else None

    def _by_name(self, claim: Claim) -> str | None:
        same = {student for name in _spelt(claim) for student in self._names.get(name, ())}
        if len(same) != 1:
            return None
        person = self._people[next(iter(same))]
        known = [
            ({text.casefold() for k, text in claim.numbers if k == kind}, person.of(kind)) for kind in UNIQUE
        ]
        known.append(({text.casefold() for text in claim.emails}, {person.email.casefold()} - {""}))
        return None if any(said and there for said, there in known) else person.id


def clean_id(text: str) -> str:
    """An id without what nobody sees: other widths of digits, spaces around it, zero-width characters."""
    text = unicodedata.normalize("NFKC", text)
    return "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Cc")).strip()


def can_be_id(name: str) -> bool:
    """True if a name can stand in gradebook, file names and tables. nbgrader refuses "+"."""
    return why_no_id(name) is None


def why_no_id(name: str) -> str | None:
    """The reason why a name can be no student's folder; None if it can."""
    if not name:
        return "it is empty"
    if len(name.encode("utf-8", "replace")) > LONGEST_ID:
        return f"it is longer than {LONGEST_ID} bytes"
    if not name.isprintable():
        return "it holds characters that cannot be seen"
    if name.startswith("."):
        return "a folder that begins with a dot is hidden"
    if unfit := sorted(set(name) & set("+/\\")):
        return f"{' '.join(unfit)} cannot stand in the name of a student's folder"
    return None


def spellings(name: str) -> set[str]:
    """Spellings of a name elsewhere: its words in another order, with spaces or without, without accents."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    bare = "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))
    found = set()
    for text in {folded, unicodedata.normalize("NFC", bare)}:
        words = [word for word in re.split(r"[\W_]+", text) if word]
        found |= {"".join(words[turn:] + words[:turn]) for turn in range(len(words))}
    return found


def _spelt(claim: Claim) -> set[str]:
    return {spelling for name in claim.names for spelling in spellings(name)}


def _unique(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Values by keys that only one has."""
    found: dict[str, set[str]] = {}
    for key, value in pairs:
        found.setdefault(key, set()).add(value)
    return {key: next(iter(values)) for key, values in found.items() if len(values) == 1}


def _as_it_is(claim: Claim) -> str | None:
    """Without a roster, what a platform calls somebody is the id."""
    said = [*claim.ids, *(text for _, text in claim.numbers), *claim.emails, *claim.names]
    return next((text for text in map(clean_id, said) if can_be_id(text)), None)
