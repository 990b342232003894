"""Lines that a build adds to a notebook on its steps: at its head what they are, below each question their points."""

from __future__ import annotations

from collections.abc import Callable

from grader.exercise import Exercise
from grader.results import STEP_NAMES, steps_of
from grader.translation.catalogue import Catalogue
from grader.translation.voices import common_words
from grader.words import IN_KOREAN, Words

WHAT_STEPS_ARE = (
    "문제마다 시험을 쉬운 것부터 세 단계로 나눕니다. **준비**는 아주 작은 예 하나, **핵심**은 그 문제의 생각, **튼튼하게**는 마스크, 여러 배치 축, "
    "정밀도, 장치처럼 답이 견뎌야 하는 것입니다. `check`는 통과하지 못한 가장 낮은 단계를 먼저 설명합니다."
)


def head(exercise: Exercise, words: Words = IN_KOREAN) -> str:
    """A paragraph on what the three steps are; empty where no question has more than one."""
    questions = map(exercise.suite.of, exercise.suite.questions)
    return words(WHAT_STEPS_ARE) if any(len(steps_of(cases)) > 1 for cases in questions) else ""


def points_line(exercise: Exercise, question: str, words: Words = IN_KOREAN) -> str:
    """A question's points, those of public and hidden tests together, and where it has several steps each step's."""
    cases = exercise.suite.of(question)
    of_step = {step: sum(case.points for case in cases if case.step == step) for step in steps_of(cases)}
    total = f"{sum(of_step.values()):g}"
    if len(of_step) == 1:
        return words(f"**배점** {total}점")
    by_step = ", ".join(f"{words(STEP_NAMES[step])} {points:g}" for step, points in of_step.items())
    return words(f"**배점** {total}점: {by_step}")


def text_in(exercise: Exercise, language: str) -> Callable[[str], str]:
    """The notebook's text in a language: its catalogue's, and the lines that are made here."""
    words, catalogue = (
        Words(common_words(language), language),
        Catalogue(language, f"exercises/{exercise.stem}"),
    )
    made = {head(exercise): head(exercise, words)}
    for question in exercise.suite.questions:
        made[points_line(exercise, question)] = points_line(exercise, question, words)
    return lambda text: made.get(text) or catalogue(text)
