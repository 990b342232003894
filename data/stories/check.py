"""The rules of the world, marked in a text that somebody has written.

`checks(text)` reads the sentences in order, as a reader does: who are the children, who the elder, where is it, what has
been given to whom. Each place where a rule decides is a `Check`.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from course_data.stories.world import COUNTER, DAYS, ELDERS, FIRST, NUMBERS, PLACES, SECOND, has_final

RULES = ("sentence", "particle", "honorific", "counter", "name", "place", "owner", "sum")


class Check(NamedTuple):
    """A place where a rule decides: text[start:end] keeps it or breaks it."""

    rule: str
    start: int
    end: int
    kept: bool


def forms(*patterns: str) -> list[re.Pattern]:
    """Patterns of whole sentences; <x> is a group x, any word without a space."""
    return [
        re.compile(re.sub(r"(?<!P)<(\w+)>", r"(?P<\1>[^ .“”]+?)", pattern) + r"\.") for pattern in patterns
    ]


PERSON = "(?P<topic>께서는|[은는]) "
OPENINGS = forms(
    r"(?P<day>\S+( \S+)? 날) <a>(?P<and>[과와]) <b>(?P<a_b>[은는]) <place>에 갔다",
    r"(?P<day>\S+( \S+)? 날) <a>(?P<a_topic>[은는]) <place>에서 <b>(?P<b_object>[을를]) 만났다",
    r"(?P<day>\S+( \S+)? 날) <place>에서 <a>(?P<and>[과와]) <b>(?P<b_subject>[이가]) 놀았다",
)
ELDER = forms(r"그곳에는 <elder>께서 계셨다")
GIFT = forms(
    rf"<giver>{PERSON}<taker>(?P<to>에게|께) <thing>(?P<object>[을를]) (?P<ending>선물했다|선물하셨다|선물해 드렸다|드렸다|주셨다|주었다)"
)
PURCHASE = forms(
    rf"<buyer>{PERSON}<first> <n> <counter>(?P<and>[과와]) <second> <m> <again>(?P<object>[을를]) (?P<ending>샀다|사셨다)"
)
TOTAL = forms(r"모두 (?P<sum>\d)<counter>(?P<is>이었다|였다)")
SPEECH = forms(
    rf"<speaker>{PERSON}<listener>(?P<to>에게|께) “((?P<pronoun>[저나])는|어제) <thing>(?P<object>[을를이가]) "
    r"(좋아(?P<like>해요|해|한단다)|갖고 싶(?P<want>어요|어|구나)|보았(?P<saw>어요|어|단다))\.”라고 말(?P<ending>했다|씀하셨다|씀드렸다)"
)
OWNER = forms(r"<thing>(?P<topic>[은는]) 이제 <owner>의 것이었다")
CLOSINGS = forms(
    r"두 아이는 <place>에서 집으로 돌아왔다",
    r"<a>(?P<and>[과와]) <b>(?P<a_b>[은는]) <place>에서 집으로 돌아왔다",
)
PAIRS = ("은는", "을를", "과와", "이가")  # after a consonant, after a vowel
GIVES = {
    "from": ("선물하셨다", "주셨다"),
    "to": ("선물해 드렸다", "드렸다"),
    "none": ("선물했다", "주었다"),
}
SAYS = {
    "from": ("한단다", "구나", "단다", "씀하셨다"),
    "to": ("해요", "어요", "씀드렸다"),
    "none": ("해", "어", "했다"),
}


class Reader:
    """Reads one story, and remembers what its rules need."""

    def __init__(self, text: str):
        self.text = text
        self.found: list[Check] = []
        self.children: tuple[str, ...] = ()
        self.elder = self.place = None
        self.owner: dict[str, str] = {}
        self.bought: tuple[str, int] | None = None
        kinds = (
            (OPENINGS, self.opening),
            (ELDER, self.presence),
            (GIFT, self.gift),
            (PURCHASE, self.purchase),
            (TOTAL, self.total),
            (SPEECH, self.speech),
            (OWNER, self.ownership),
            (CLOSINGS, self.closing),
        )
        for sentence in re.finditer(r"\S.*?(?:\.(?!”)|$)", text, re.DOTALL):
            whole = (
                (form.fullmatch(text, *sentence.span()), read) for forms, read in kinds for form in forms
            )
            match, read = next(((match, read) for match, read in whole if match), (None, None))
            understood = match is not None and self.words(match)
            self.found.append(Check("sentence", *sentence.span(), understood))
            if understood:
                read(match, match.groupdict())

    def words(self, match: re.Match) -> bool:
        """True if its day, things and numbers are those of the world, and not one thing twice."""
        word = match.groupdict()
        things = [word[name] for name in ("thing", "first", "second") if word.get(name)]
        return (
            word.get("day") in (None, *DAYS)
            and all(thing in COUNTER for thing in things)
            and len(set(things)) == len(things)
            and all(word[name] in NUMBERS for name in "nm" if word.get(name))
        )

    def mark(self, rule: str, match: re.Match, group: str, kept: bool) -> None:
        self.found.append(Check(rule, *match.span(group), kept))

    def particles(self, match: re.Match, **words: str) -> None:
        """The particle in each group fits the word before it."""
        for group, word in words.items():
            if match[group] and len(match[group]) == 1:
                pair = next(pair for pair in PAIRS if match[group] in pair)
                self.mark("particle", match, group, match[group] == pair[not has_final(word)])

    def person(self, match: re.Match, group: str, other: str | None = None) -> None:
        """The group names one who was introduced, and not the other one of the sentence again."""
        if self.children:
            known = match[group] in (*self.children, self.elder)
            self.mark("name", match, group, known and match[group] != other)

    # Sentences

    def opening(self, match: re.Match, word: dict) -> None:
        self.children, self.place = (word["a"], word["b"]), word["place"]
        for group in "ab":
            name = word[group]
            known = len(name) == 2 and name[0] in FIRST and name[1] in SECOND
            self.mark("name", match, group, known and (group == "a" or name != word["a"]))
        self.mark("place", match, "place", self.place in PLACES)
        b = {group: word["b"] for group in ("a_b", "b_object", "b_subject") if group in word}
        a = {group: word["a"] for group in ("and", "a_topic") if group in word}
        self.particles(match, **a, **b)

    def presence(self, match: re.Match, word: dict) -> None:
        self.elder = word["elder"]
        self.mark("name", match, "elder", self.elder in ELDERS)

    def honour(self, first: str, second: str) -> str:
        return "from" if first == self.elder else "to" if second == self.elder else "none"

    def topic(self, match: re.Match, group: str) -> None:
        self.person(match, group)
        self.mark("honorific", match, "topic", (match["topic"] == "께서는") == (match[group] == self.elder))
        self.particles(match, topic=match[group])

    def to(self, match: re.Match, group: str, other: str) -> None:
        self.person(match, group, other)
        self.mark("honorific", match, "to", (match["to"] == "께") == (match[group] == self.elder))

    def gift(self, match: re.Match, word: dict) -> None:
        self.topic(match, "giver")
        self.to(match, "taker", word["giver"])
        self.particles(match, object=word["thing"])
        honour = self.honour(word["giver"], word["taker"])
        self.mark("honorific", match, "ending", word["ending"] in GIVES[honour])
        self.owner[word["thing"]] = word["taker"]

    def purchase(self, match: re.Match, word: dict) -> None:
        self.topic(match, "buyer")
        counter = COUNTER[word["first"]]
        self.mark("counter", match, "counter", word["counter"] == counter)
        self.mark("counter", match, "again", word["again"] == COUNTER[word["second"]])
        self.particles(match, **{"and": word["counter"], "object": word["again"]})
        self.mark("honorific", match, "ending", (word["ending"] == "사셨다") == (word["buyer"] == self.elder))
        self.bought = counter, NUMBERS.index(word["n"]) + NUMBERS.index(word["m"]) + 2

    def total(self, match: re.Match, word: dict) -> None:
        counter, total = self.bought or (None, None)
        self.mark("sum", match, "sum", int(word["sum"]) == total)
        self.mark("counter", match, "counter", word["counter"] == counter)
        self.mark("particle", match, "is", (word["is"] == "이었다") == has_final(word["counter"]))

    def speech(self, match: re.Match, word: dict) -> None:
        self.topic(match, "speaker")
        self.to(match, "listener", word["speaker"])
        self.particles(match, object=word["thing"])
        honour = self.honour(word["speaker"], word["listener"])
        if word["pronoun"]:
            self.mark("honorific", match, "pronoun", (word["pronoun"] == "저") == (honour == "to"))
        said = next(group for group in ("like", "want", "saw") if word[group])
        for group in (said, "ending"):
            self.mark("honorific", match, group, word[group] in SAYS[honour])

    def ownership(self, match: re.Match, word: dict) -> None:
        self.particles(match, topic=word["thing"])
        self.mark("owner", match, "owner", word["owner"] == self.owner.get(word["thing"]))

    def closing(self, match: re.Match, word: dict) -> None:
        self.mark("place", match, "place", word["place"] == self.place)
        if "a" in word:
            for group, particle in (("a", "and"), ("b", "a_b")):
                self.person(match, group, word["a"] if group == "b" else None)
                self.particles(match, **{particle: word[group]})


def checks(text: str) -> list[Check]:
    """Every place of the text where a rule decides, in the order of the sentences."""
    return Reader(text).found


def broken(text: str) -> list[Check]:
    return [check for check in checks(text) if not check.kept]


def shares(texts: list[str]) -> dict[str, float | None]:
    """Of each rule, and of all of them, the share of its places that break it; None where it has no place."""
    places, breaks = Counter(), Counter()
    for check in (check for text in texts for check in checks(text)):
        places.update((check.rule, "all"))
        breaks.update((check.rule, "all") if not check.kept else ())
    return {rule: breaks[rule] / places[rule] if places[rule] else None for rule in (*RULES, "all")}
