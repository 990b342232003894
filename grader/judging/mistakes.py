"""Misconceptions: the wrong answers that people really give, and how an answer is recognised as one of them.

An answer is recognised by what it returns on fixed inputs (a suite's `observes` functions), so a student's
copy of an exercise carries the observed values, never the wrong answers themselves: those are one line
away from the right ones.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from grader.judging.observed import alike, failed, plain
from grader.judging.suite import Local, Suite, load_module, paragraph
from grader.sandbox.errors import ForbiddenCall, SandboxError


class Mistake(msgspec.Struct, frozen=True):
    """A misconception and what an answer that holds it returns (`observed`, as `plain` makes it).

    `telling` are the places of `observed` (a list) at which it returns something else than a right answer.
    """

    name: str
    question: str
    hint: str
    read: str
    observed: Any = None
    telling: list[int] = []


def wrong(
    question: str, *, read: str, slip: bool = False, hint: str | None = None
) -> Callable[[Callable], Callable]:
    """Mark a wrong answer to `question` (a function or a class). Its docstring is the hint (Korean).

    Args:
        read: the paragraph that clears it up, "anchor" of the exercise's own chapter or "stem#anchor".
        slip: the idea is there and something beside it is not (an edge, ranks, precision, manners), so that more than
            half of the question's points stay; a mistake in the idea costs at least half.
        hint: in the docstring's place, what several answers share.
    """

    def mark(answer: Callable) -> Callable:
        answer.__slip__ = slip
        answer.__mistake__ = Mistake(answer.__name__, question, hint or answer.__doc__.strip(), read)
        return answer

    return mark


def right_answer(question: str, made: Callable = lambda answer: answer) -> Callable[[Callable], Callable]:
    """Mark a right answer to `question`, its steps laid open, from which wrong ones change some.

    Args:
        made: what makes an answer of it, where it is none as it stands.
    """

    def mark(answer: Callable) -> Callable:
        answer.__right__ = question, made
        return answer

    return mark


misconception = wrong  # its name in the banks that classes were handed out with before


def load_bank(path: Path, stem: str) -> dict[Callable, Mistake]:
    """The wrong answers in a bank's file, in order, each with its description."""
    module = load_module(path, f"misconceptions_of_{stem}")
    return {
        value: msgspec.structs.replace(mistake, read=paragraph(mistake.read, stem))
        for value in vars(module).values()
        if (mistake := getattr(value, "__dict__", {}).get("__mistake__"))
    }


def load_rights(path: Path, stem: str) -> list[tuple[str, str, Callable]]:
    """The (name, question, answer) of what a bank's file marks as right."""
    own = vars(load_module(path, f"misconceptions_of_{stem}")).items()
    marked = (
        (name, vars(value).get("__right__"), value) for name, value in own if hasattr(value, "__dict__")
    )
    return [(name, mark[0], mark[1](value)) for name, mark, value in marked if mark]


def is_slip(answer: Callable) -> bool:
    """True for a wrong answer of a bank that has the idea (see `wrong`)."""
    return answer.__slip__


def with_answer(reference: dict[str, Any], question: str, answer: Callable) -> Local:
    """The reference's names with one question answered by `answer`."""
    return Local({**reference, question: answer})


def record(suite: Suite, bank: dict[Callable, Mistake], reference: dict[str, Any]) -> list[Mistake]:
    """Observe every wrong answer of a bank."""
    right = {question: observe(suite, question, Local(reference)) for question in suite.observations}
    found = []
    for answer, mistake in bank.items():
        observed = observe(suite, mistake.question, with_answer(reference, mistake.question, answer))
        telling = places_that_tell(observed, right.get(mistake.question))
        found.append(msgspec.structs.replace(mistake, observed=observed, telling=telling))
    return found


def places_that_tell(observed: Any, right: Any) -> list[int]:
    """Positions at which observations hold what a right answer does not return; not where it only failed."""
    if not isinstance(observed, list) or not isinstance(right, list):
        return []
    pairs = enumerate(zip(observed, right, strict=False))
    return [place for place, (one, other) in pairs if not failed(one) and not alike(one, other)]


def observe(suite: Suite, question: str, student: Any) -> Any:
    """An answer's observation on the fixed inputs; None where it raises or nothing is observed.

    Raises:
        SandboxError: the student's process ended meanwhile.
        ForbiddenCall: the answer called what it must not.
    """
    if question not in suite.observations:
        return None
    try:
        return plain(suite.observations[question](student))
    except (SandboxError, ForbiddenCall):
        raise
    except Exception:
        return None


def recognise(observed: Any, question: str, mistakes: list[Mistake]) -> Mistake | None:
    """The misconception that returns the same; none where the observation cannot tell two of them apart.

    Where nobody's is quite the same, the one whose first sign is there and nothing else before it: what else follows
    from a mistake, or is wrong beside it, depends on how an answer is written.
    """
    if observed is None:
        return None
    known = [m for m in mistakes if m.question == question and m.observed is not None]
    same = [m for m in known if alike(m.observed, observed)]
    if not same and (begin_so := [m for m in known if begins_like(m, observed)]):
        agreeing = {id(m): sum(map(alike, m.observed, observed)) for m in begin_so}
        most = max(agreeing.values())
        same = [m for m in begin_so if agreeing[id(m)] == most]
    return same[0] if len(same) == 1 else None


def begins_like(mistake: Mistake, observed: Any) -> bool:
    """True if an answer returns what a mistake returns, up to the first place where no right answer does."""
    if not mistake.telling or not isinstance(observed, list) or len(observed) != len(mistake.observed):
        return False
    until = mistake.telling[0] + 1
    pairs = zip(mistake.observed[:until], observed[:until], strict=True)
    return all(failed(expected) or alike(expected, found) for expected, found in pairs)
