"""Runs a suite against a namespace and decides. Knows nothing of where the student's code runs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import torch

from grader.judging import failures, turned
from grader.judging.mistakes import Mistake, observe, recognise
from grader.judging.suite import Case, Local, Suite
from grader.results import NOT_YET, TOO_LATE, CaseResult, QuestionResult
from grader.sandbox.errors import ForbiddenCall, MissingName, SandboxError, WorkerTimeout

MAX_RESTARTS = 3
ENDED = "실행 중에 프로세스가 끝났습니다."


def judge(
    student: Any,
    suite: Suite,
    *,
    mistakes: list[Mistake] = (),
    reference: Any = None,
    device: str = "cpu",
    seed: str = "",
    questions: list[str] | None = None,
    restart: Callable[[], Any] | None = None,
) -> list[QuestionResult]:
    """Grade the questions of a suite, one after another.

    Args:
        reference: the right answers; without them the tests that need them are left out.
        seed: what the hidden inputs are drawn from; the same seed gives the same inputs.
        restart: makes a fresh `student` after one of its answers has killed or hung its process.
    """
    examinee = _Examinee(student, restart)
    return [
        _judge_question(examinee, suite, question, mistakes, reference, device, seed)
        for question in suite.questions
        if questions is None or question in questions
    ]


class _Examinee:
    """A student's process, begun anew a few times where an answer ends it."""

    def __init__(self, student: Any, restart: Callable[[], Any] | None):
        self.student = student
        self._restart = restart
        self._left = MAX_RESTARTS
        self._forbidden: Sequence[str] = ()
        # In this process the suite's own oracles would be refused too.
        self.apart = not isinstance(student, Local)

    def forbid(self, names: Sequence[str]) -> ForbiddenCall | None:
        """Forbid what an answer must not call, and nothing else; an error where the notebook does not let us."""
        if not names and not self._forbidden:
            return None
        self._forbidden = names
        try:
            self.student.__forbid__(names)
        except SandboxError:
            pass  # the process has ended; whatever is asked of it next says so
        except Exception:
            return ForbiddenCall("") if self.apart else None
        return None

    def stand(self, question: str, last: bool = False) -> bool:
        """Make a question ready (see `sandbox.moments`); whether anything was another at the notebook's end."""
        self._question = question, last
        try:
            return self.student.__stand__(question, last)
        except SandboxError:
            return False  # the process has ended; whatever is asked of it next says so

    def revive(self) -> None:
        if self._restart is None or not self._left:
            return
        self._left -= 1
        try:
            self.student = self._restart()
            self.student.__stand__(*self._question)
            self.forbid(self._forbidden)
        except SandboxError:
            self._left = 0


def _judge_question(examinee, suite, question, mistakes, reference, device, seed) -> QuestionResult:
    forbidden = suite.forbidden.get(question, ())
    another_later = examinee.stand(question)
    hindered = examinee.forbid(forbidden if examinee.apart else ())
    cases, errors = _judge_cases(examinee, suite, question, reference, device, seed)
    if another_later and any(isinstance(error, NotImplementedError | MissingName) for error in errors):
        examinee.stand(question, last=True)  # it, or what it uses, may be answered below its check
        later = _judge_cases(examinee, suite, question, reference, device, seed)
        if sum(case.earned for case in later[0]) > sum(case.earned for case in cases):
            cases, errors = later
        else:
            examinee.stand(question)
    unanswered = all(isinstance(error, NotImplementedError) for error in errors)
    result = QuestionResult(question=question, cases=cases, unanswered=bool(cases) and unanswered)
    # At home a misconception is named even where the public tests let it pass: the hidden ones will not.
    if not unanswered and (reference is None or result.earned < result.possible):
        examinee.forbid(forbidden)
        observed = None
        try:
            observed = (
                None if any(map(failures.is_array, errors)) else observe(suite, question, examinee.student)
            )
        except SandboxError:
            examinee.revive()
        except ForbiddenCall as error:
            errors.append(error)
        if mistake := recognise(observed, question, mistakes):
            result.mistake, result.mistake_reason, result.mistake_read = (
                mistake.name,
                mistake.hint,
                mistake.read,
            )
        elif _is_swapped(examinee, suite, question, result, device, seed):
            result.mistake, result.mistake_reason = turned.NAME, turned.HINT
            result.mistake_read = result.failures[0].read
    examinee.forbid(())
    calls = [error for error in [hindered, *errors] if isinstance(error, ForbiddenCall)]
    return _refused(result, str(calls[0])) if calls else result


def _is_swapped(examinee, suite, question, result, device, seed) -> bool:
    """True for an answer whose pairs, turned round, pass more of the public tests, and all that they passed before."""
    public = [case for case in suite.of(question) if not case.hidden]
    passed = {case.name for case in result.cases if case.passed and not case.hidden}
    if len(passed) == len(public) or any(case.reason in (TOO_LATE, ENDED) for case in result.cases):
        return False
    other = _Examinee(turned.Turned(examinee.student, question), None)
    judged = [_judge_case(other, case, None, device, seed) for case in public]
    if any(failure is None and not case.passed for case, failure in judged):
        examinee.revive()  # its process has ended
    return passed < {case.name for case, _ in judged if case.passed}


def _judge_cases(examinee, suite, question, reference, device, seed) -> tuple[list[CaseResult], list]:
    """A question's results, and the errors that its tests failed with."""
    cases = [case for case in suite.of(question) if reference is not None or not case.needs_reference]
    judged = [_judge_case(examinee, case, reference, device, seed) for case in cases]
    return [result for result, _ in judged], [error for _, error in judged]


def _refused(result: QuestionResult, called: str) -> QuestionResult:
    """The result without points of an answer that calls what it must write. `called` comes from its process."""
    name = f"`{called}`" if re.fullmatch(r"[\w.]{1,80}", called) else "라이브러리 함수"
    reason = f"{name} 호출이 있습니다. 이 문제에서는 바로 그 계산을 직접 써야 합니다."
    cases = [msgspec.structs.replace(c, earned=0.0, reason=reason, detail="") for c in result.cases]
    return QuestionResult(question=result.question, cases=cases)


def _judge_case(examinee, case: Case, reference, device, seed) -> tuple[CaseResult, BaseException | None]:
    """The case's result, and the error that it failed with."""
    given = {
        "student": examinee.student,
        "reference": reference,
        "device": torch.device(device),
        "rng": torch.Generator().manual_seed(_number(f"{seed}/{case.name}")),
    }
    result = CaseResult(
        name=case.name,
        question=case.question,
        possible=case.points,
        earned=0.0,
        step=case.step,
        hidden=case.hidden,
        read=case.read,
    )
    failure = None
    names = case.test.__code__.co_varnames[: case.test.__code__.co_argcount]
    try:
        case.test(**{name: given[name] for name in names})
    except NotImplementedError as error:
        result.reason, failure = NOT_YET, error
    except MissingName as error:
        result.reason, failure = f"노트북에 없는 이름입니다: `{error}`.", error
    except SandboxError as error:
        late = isinstance(error, WorkerTimeout)
        result.reason = TOO_LATE if late else ENDED
        result.detail = str(error)
        examinee.revive()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # pytest's own outcomes and a student's SystemExit are no Exceptions
        result.reason, result.detail, failure = failures.reason(error, case), failures.detail(error), error
    else:
        result.earned = case.points
    return result, failure


def _number(seed: str) -> int:
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:7], "big")
