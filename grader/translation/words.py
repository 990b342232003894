"""Words of grading an exercise in another language, taken from the catalogues."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from grader.errors import GraderError
from grader.translation.catalogue import Catalogue
from grader.words import KOREAN, Words

if TYPE_CHECKING:
    from grader.exercise import Exercise


def words(exercise: Exercise, language: str) -> Words:
    """All that grading an exercise says."""
    return Words({**common_words(language), **own_words(exercise, language)}, language)


def common_words(language: str) -> dict[str, str]:
    """Translations of what grading any exercise says."""
    return Catalogue(language, "grader").texts


def own_words(exercise: Exercise, language: str, only: Iterable[str] | None = None) -> dict[str, str]:
    """Translations of an exercise's own words: its title and its hints.

    Args:
        only: of the hints no other than these, for what a student holds in hand.
    """
    hints = Catalogue(language, f"hints/{exercise.stem}").texts
    if only is not None:
        hints = {text: hints[text] for text in only if text in hints}
    title = islice(Catalogue(language, f"exercises/{exercise.stem}").texts.items(), 1)
    return {**dict(title), **hints}


def to_instructors(told: Words) -> Words:
    """Words of pages for those who teach: their own as they are today, and those of grading as a class keeps them.

    Raises:
        GraderError: there are no catalogues, as in an installation without the repository.
    """
    if told.language == KOREAN:
        return told
    own = Catalogue(told.language, "instructors").texts
    if not own:
        raise GraderError(
            "No translations here. Run this in a checkout of the course, or leave out --language."
        )
    return Words({**told.texts, **own}, told.language)
