"""One mistake is paid for once: what builds on an earlier answer that is wrong is judged once more without that mistake.

The course's answer stands in for the wrong one, but never in the student's process: what stands there calls it where it
is, by way of the judge, gradients included. Functions can stand in so; of a class it is only said whose fault it is.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import torch

from grader.judging.names import definitions, reach
from grader.judging.suite import Suite, gradients, place
from grader.results import QuestionResult
from grader.sandbox.errors import SandboxError


def foundations(sources: Iterable[str], suite: Suite) -> dict[str, list[str]]:
    """On which earlier questions each question builds, by the names in the cells of a notebook and in its tests."""
    used: dict[str, set[str]] = {}
    for source in sources:
        for name, names in definitions(source):
            used[name] = names  # the last definition counts
    found = {}
    for number, question in enumerate(suite.questions):
        tests = {name for case in suite.of(question) for name in case.test.__code__.co_names}
        reached = reach(question, used) | {name for name in tests if name in suite.questions}
        found[question] = [name for name in suite.questions[:number] if name in reached]
    return found


def wrong(results: Iterable[QuestionResult]) -> set[str]:
    """The questions that were answered, and not rightly."""
    return {
        result.question for result in results if result.earned < result.possible and not result.unanswered
    }


def blame(result: QuestionResult, culprits: list[str]) -> None:
    """Say that what a wrong answer builds on is wrong itself."""
    if culprits and result.earned < result.possible and not result.unanswered:
        result.blamed = culprits


def excuse(first: QuestionResult, again: QuestionResult, culprits: list[str]) -> QuestionResult:
    """The better of two results, the second of which stands on the course's answers."""
    if again.earned <= first.earned:
        return first
    again.excused = culprits
    return again


def stand_in(student: Any, name: str, reference: Any) -> None:
    """Put the reference's answer in the place of the student's, for as long as its process lives.

    Args:
        reference: the course's names, in a process of their own: what is called with comes from a stranger.
    """

    def forward(args: tuple, kwargs: dict) -> Any:
        return _elsewhere(lambda: getattr(reference, name)(*args, **kwargs))

    def backward(args: tuple, kwargs: dict, output: int, cotangent: torch.Tensor) -> Any:
        found = _elsewhere(
            lambda: gradients(getattr(reference, name), *args, output=output, cotangent=cotangent, **kwargs)
        )
        return found["inputs"]

    student.__bind__(name, place(student, make_stand_in)(forward, backward))


def _elsewhere(call: Any) -> Any:
    try:
        return call()
    except SandboxError as error:  # of the reference's process, not of the student's
        raise RuntimeError("the course's answer could not be computed") from error


def make_stand_in(forward, backward):
    """In the student's process: a function that is computed elsewhere, and differentiable."""
    import torch

    class Elsewhere(torch.autograd.Function):
        @staticmethod
        def forward(ctx, args, kwargs, keys, shape, *tensors):
            ctx.call, ctx.keys = (args, kwargs), keys
            found = forward(args, kwargs)
            shape.append(type(found))
            outputs = tuple(found) if isinstance(found, (tuple, list)) else (found,)
            ctx.mark_non_differentiable(
                *(t for t in outputs if isinstance(t, torch.Tensor) and not t.is_floating_point())
            )
            return outputs

        @staticmethod
        def backward(ctx, *cotangents):
            sums = {}
            for output, cotangent in enumerate(cotangents):
                if cotangent is None or not cotangent.is_floating_point():
                    continue
                for key, found in backward(*ctx.call, output, cotangent).items():
                    if found is not None:
                        sums[key] = found + sums[key] if key in sums else found
            return (None, None, None, None, *(sums.get(key) for key in ctx.keys))

    def stand_in(*args, **kwargs):
        pairs = [*enumerate(args), *kwargs.items()]
        wanted = {
            key: value for key, value in pairs if isinstance(value, torch.Tensor) and value.requires_grad
        }
        shape = []
        outputs = Elsewhere.apply(args, kwargs, list(wanted), shape, *wanted.values())
        return shape[0](outputs) if issubclass(shape[0], (tuple, list)) else outputs[0]

    return stand_in


def is_function(reference: dict[str, Any], name: str) -> bool:
    """Whether something can stand in for an answer: not for a class, whose objects would have to live on both sides."""
    return inspect.isfunction(reference.get(name))
