"""Records of grading, written as JSON."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from grader.words import IN_KOREAN, KOREAN, Words

TOO_LATE = "제한 시간 안에 끝나지 않았습니다."
NOT_YET = "아직 구현하지 않았습니다."
FIRST_SENTENCE = re.compile(r".*?[.?!](?:\s+|$)|.*", re.DOTALL)  # and the space behind it
# A question's tests in three steps: one line or one tiny example; the idea; masks, ranks, precision, devices, manners.
STEPS = WARM_UP, CORE, ROBUST = ("warm-up", "core", "robust")
STEP_NAMES = {WARM_UP: "준비", CORE: "핵심", ROBUST: "튼튼하게"}
NOW, AFTERWARDS = "보이는 시험", "제출한 뒤의 시험"


class CaseResult(msgspec.Struct, kw_only=True):
    """One test of a suite."""

    name: str
    question: str
    possible: float
    earned: float
    step: str = CORE
    hidden: bool = False
    reason: str = ""  # Korean, for the student; empty where the test passed
    read: str = ""  # "stem#anchor" of the paragraph that clears it up
    detail: str = ""  # the error or the difference that was seen

    @property
    def passed(self) -> bool:
        return self.earned == self.possible

    @property
    def late(self) -> bool:
        return self.reason == TOO_LATE

    def told(self, words: Words) -> CaseResult:
        """The same in a language."""
        return msgspec.structs.replace(self, reason=words(self.reason), detail=words(self.detail))


def steps_of(cases: Iterable) -> list[str]:
    """Those of STEPS that some tests, or their results, are of."""
    found = {case.step for case in cases}
    return [step for step in STEPS if step in found]


class QuestionResult(msgspec.Struct, kw_only=True):
    """One question: the points of its tests, and the misconception that its answer shows, if one does."""

    question: str
    cases: list[CaseResult]
    mistake: str = ""  # name of the misconception
    mistake_reason: str = ""
    mistake_read: str = ""
    unanswered: bool = False
    blamed: list[str] = []  # earlier questions that this answer builds on and that are wrong
    excused: list[str] = []  # of these the ones that were put right for judging this answer

    @property
    def possible(self) -> float:
        return sum(case.possible for case in self.cases)

    @property
    def earned(self) -> float:
        return sum(case.earned for case in self.cases)

    @property
    def steps(self) -> list[str]:
        """Those of STEPS that it has tests of."""
        return steps_of(self.cases)

    @property
    def failures(self) -> list[CaseResult]:
        """The tests that failed, those of the lowest step first."""
        failed = (case for case in self.cases if not case.passed)
        return sorted(failed, key=lambda case: STEPS.index(case.step))

    def by_step(self, words: Words = IN_KOREAN) -> str:
        """The points of each step, in a line; empty where there is but one step."""
        if len(self.steps) == 1:
            return ""
        said = []
        for step in self.steps:
            cases = [case for case in self.cases if case.step == step]
            earned, possible = sum(case.earned for case in cases), sum(case.possible for case in cases)
            said.append(f"{words(STEP_NAMES[step])} {earned:g}/{possible:g}")
        return " · ".join(said)

    @property
    def reason(self) -> str:
        """The reason for lost points, in a sentence: of the lowest step that fails, unless the mistake is known."""
        return self.said(IN_KOREAN)

    def said(self, words: Words) -> str:
        """The reason in a language."""
        if self.unanswered:
            return words(NOT_YET)
        own = self.mistake_reason or next((case.reason for case in self.failures), "")
        return " ".join(map(words, [*self.faults, *([own] if own else [])]))

    def in_two(self, words: Words) -> tuple[str, str]:
        """The reason in a language: what is wrong, and of a named mistake the idea that mends it, which may be empty."""
        whole, own = self.said(words), words(self.mistake_reason)
        if self.unanswered or not own:
            return whole, ""
        wrong = FIRST_SENTENCE.match(own)[0]
        return whole.removesuffix(own) + wrong.rstrip(), own.removeprefix(wrong)

    @property
    def faults(self) -> list[str]:
        """Sentences on earlier questions that are wrong."""
        named = {
            kind: ", ".join(f"`{name}`" for name in names)
            for kind, names in (("excused", self.excused), ("blamed", self.blamed))
        }
        said = []
        if self.excused:
            said.append(f"앞 문제 {named['excused']}의 답이 틀려서, 그 자리에 맞는 답을 두고 채점했습니다.")
        if self.blamed:
            said.append(
                f"앞 문제 {named['blamed']}의 답이 틀렸습니다. 이 답은 그것을 쓰므로 그것부터 고치십시오."
            )
        return said

    @property
    def read(self) -> str:
        if self.unanswered:
            return ""
        return self.mistake_read or next((case.read for case in self.failures), "")

    def summary(self, words: Words = IN_KOREAN) -> dict:
        """Everything, with the sums, for JSON."""
        return {
            "question": self.question,
            "earned": self.earned,
            "possible": self.possible,
            "reason": self.said(words),
            "mistake": self.mistake,
            "blamed": self.blamed,
            "excused": self.excused,
            "read": self.read,
            "cases": [case.told(words) for case in self.cases],
        }


class Submission(msgspec.Struct, kw_only=True):
    """One student's exercise. `ungradable` is not zero: somebody has to look, and `reason` says at what."""

    exercise: str
    student: str
    verdict: str  # "graded" | "ungradable"; of those without a result "ungraded" | "missing"
    reason: str = ""
    notes: list[str] = []
    questions: list[QuestionResult] = []
    digest: str = ""
    seconds: float = 0.0
    timed_out: float = 0.0  # the limit in seconds that it, or one of its tests, did not keep
    language: str = KOREAN  # the notebook's; what stands here is Korean in every language

    @property
    def possible(self) -> float:
        return sum(question.possible for question in self.questions)

    @property
    def earned(self) -> float:
        return sum(question.earned for question in self.questions)

    def late_in(self, questions: list[str]) -> set[str]:
        """The tests of some questions that did not end in time."""
        cases = (case for result in self.questions if result.question in questions for case in result.cases)
        return {case.name for case in cases if case.late}

    @property
    def work(self) -> str:
        """The digest of the submitted file alone."""
        return self.digest.partition("-")[0]

    def summary(self, words: Words = IN_KOREAN) -> dict:
        """Everything, with the sums, for JSON; an ungradable submission has no points, rather than zero."""
        graded = self.verdict == "graded"
        return {
            "exercise": self.exercise,
            "student": self.student,
            "verdict": self.verdict,
            "reason": words(self.reason),
            "notes": list(map(words, self.notes)),
            "earned": self.earned if graded else None,
            "possible": self.possible if graded else None,
            "questions": [question.summary(words) for question in self.questions],
        }


def write(submission: Submission, path: Path) -> None:
    write_whole(path, msgspec.json.format(msgspec.json.encode(submission), indent=1))


def read(path: Path) -> Submission:
    return msgspec.json.decode(path.read_bytes(), type=Submission)


def write_whole(path: Path, content: bytes) -> None:
    """Write beside, then rename: a reader sees the old file or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        with suppress(OSError):
            path.parent.rmdir()  # an empty folder would look like work without a notebook
        raise


def write_changed(path: Path, content: bytes) -> None:
    if not path.exists() or path.read_bytes() != content:
        write_whole(path, content)


def sweep(paths: Iterable[Path]) -> None:
    """Remove what processes that are gone have left beside: files and folders whose names end in their number."""
    for path in paths:
        number = path.name.rpartition(".")[2]
        if number.isascii() and number.isdigit() and not _runs(int(number)):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
