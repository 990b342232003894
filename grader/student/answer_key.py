"""`grader answer-key`: the course's answers, for who studies in the repository, to what they have solved."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions
from rich.syntax import Syntax
from rich.text import Text

from grader.errors import GraderError
from grader.exercise import PublicExercise
from grader.judging.answers import WHY, Answer, course_answers
from grader.reading import where_to_read
from grader.results import QuestionResult
from grader.words import IN_KOREAN, Words


def answers_of(exercise: PublicExercise, questions: list[str], words: Words = IN_KOREAN) -> dict[str, Answer]:
    """The course's answers to some questions, or to all where none is named.

    Raises:
        GraderError: there are no answers here, or the exercise does not ask this.
    """
    if exercise.solution is None:
        raise GraderError(
            words(
                "여기에는 모범 답안이 없습니다. 강의의 저장소에서 푸는 사람만 볼 수 있습니다. "
                "수업을 듣고 있다면 마감이 지난 뒤 피드백에 나옵니다."
            )
        )
    if unknown := [question for question in questions if question not in exercise.suite.questions]:
        known = ", ".join(exercise.suite.questions)
        raise GraderError(words(f"'{exercise.stem}'에는 '{unknown[0]}' 문제가 없습니다. 문제: {known}"))
    found = course_answers(exercise.solution, exercise.suite)
    return {question: found[question] for question in questions or exercise.suite.questions}


class AnswerKey:
    """The answers as the terminal shows them: of what is not solved only that it is not, unless `anyway`."""

    def __init__(
        self,
        exercise: PublicExercise,
        answers: dict[str, Answer],
        results: list[QuestionResult],
        anyway: bool = False,
        words: Words = IN_KOREAN,
    ):
        self._exercise, self._answers, self._anyway, self._words = exercise, answers, anyway, words
        self.unsolved = [r.question for r in results if r.reason and r.question in answers]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        for question, answer in self._answers.items():
            yield Text(question, style="bold yellow" if question in self.unsolved else "bold green")
            if question in self.unsolved and not self._anyway:
                said = "아직 점수를 다 얻지 못했습니다. 그래도 보려면 --anyway를 붙이십시오."
                yield Text(f"  {self._words(said)}")
                continue
            if question in self.unsolved:
                yield Text(f"  {self._words('점수를 다 얻기 전에 본 모범 답안입니다.')}", style="yellow")
            yield Syntax(answer.code, "python", theme="ansi_dark").highlight(answer.code)
            yield Text(self._words(WHY))
            for read, hints in answer.why.items():
                yield from (Text(f"  - {self._words(hint)}") for hint in hints)
                yield Text(f"    {where_to_read(read, self._exercise.book_url, self._words)}")
            yield Text()
