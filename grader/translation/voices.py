"""Words of grading an exercise in another language, taken from the catalogues."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from grader.errors import GraderError
from grader.exercise import Exercise, words_in
from grader.words import KOREAN, OPENINGS, Words


def voices(exercise: Exercise) -> dict[str, Words]:
    """The words of grading an exercise, by language: as a class pinned them, or as the catalogues have them."""
    if exercise.pinned:
        return {language: words_in(exercise.pinned, language) for language in OPENINGS}
    return {language: _words(exercise, language) for language in OPENINGS}


def _words(exercise: Exercise, language: str) -> Words:
    return Words({**common_words(language), **own_words(exercise, language)}, language)


def common_words(language: str) -> dict[str, str]:
    """Translations of what grading any exercise says."""
    return _texts(language, "grader")


def own_words(exercise: Exercise, language: str, only: Iterable[str] | None = None) -> dict[str, str]:
    """Translations of an exercise's own words: its title and its hints.

    Args:
        only: of the hints no other than these, for what a student holds in hand.
    """
    hints = _texts(language, f"hints/{exercise.stem}")
    if only is not None:
        hints = {text: hints[text] for text in only if text in hints}
    title = islice(_texts(language, f"exercises/{exercise.stem}").items(), 1)
    return {**dict(title), **hints}


def to_instructors(told: Words) -> Words:
    """Words of pages for those who teach: their own as they are today, and those of grading as a class keeps them.

    Raises:
        GraderError: there are no catalogues, as in an installation without the repository.
    """
    if told.language == KOREAN:
        return told
    own = _texts(told.language, "instructors")
    if not own:
        raise GraderError(
            "No translations here. Run this in a checkout of the course, or leave out --language."
        )
    return Words({**told.texts, **own}, told.language)


def _texts(language: str, name: str) -> dict[str, str]:
    from grader.translation.catalogue import Catalogue  # needs Babel, which Gradescope's image has not

    return Catalogue(language, name).texts
