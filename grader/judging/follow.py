"""One mistake is paid for once: what builds on an earlier answer that is wrong is judged once more without that mistake.

The course's answer stands in for the wrong one, but never in the student's process: what stands there calls it where it
is, by way of the judge, gradients included. For what cannot stand in so, it is only said whose fault it is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Set
from typing import Any

import torch

from grader.judging.names import definitions, reach
from grader.judging.suite import Suite, gradients, place
from grader.results import QuestionResult
from grader.sandbox.errors import SandboxError


def foundations(sources: Iterable[str], suite: Suite) -> dict[str, list[str]]:
    """Earlier questions on which each question builds, by the names in the cells of a notebook and in its tests."""
    used: dict[str, Set[str]] = {}
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

    student.__bind__(name, _called_there(student, getattr(reference, name)))


def class_stand_in(student: Any, name: str, reference: Any) -> None:
    """Put modules that hold parameters, and compute elsewhere, in the place of a student's class of modules.

    Where it cannot do (a constructor that takes objects of the notebook's, a cache that a call fills), calls fail.
    """
    course = place(reference, apart)(getattr(reference, name))

    def new(args: tuple, kwargs: dict) -> Any:
        return _elsewhere(lambda: course[0](args, kwargs))

    student.__bind__(name, place(student, make_class)(new, _called_there(student, course[1])))


def _called_there(student: Any, function: Any) -> Any:
    """On the student's side: what calls a function of the course's process."""

    def forward(args: tuple, kwargs: dict) -> Any:
        return _elsewhere(lambda: function(*args, **kwargs))

    def backward(args: tuple, kwargs: dict, output: int, cotangent: torch.Tensor) -> Any:
        found = _elsewhere(lambda: gradients(function, *args, output=output, cotangent=cotangent, **kwargs))
        return found["inputs"]

    return place(student, make_stand_in)(forward, backward)


def _elsewhere(call: Any) -> Any:
    try:
        return call()
    except SandboxError as error:  # of the reference's process, not of the student's
        raise RuntimeError("the course's answer could not be computed") from error


def make_stand_in(forward, backward):
    """In the student's process: a function that is computed elsewhere, and differentiable."""

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


def apart(cls):
    """In the course's process: what makes a class' modules, and what calls one with the parameters that it is given."""
    modules = []

    def new(args, kwargs):
        modules.append(cls(*args, **kwargs))
        values = {name: value.detach() for name, value in modules[-1].named_parameters()}
        return len(modules) - 1, values

    def called(*args, **kwargs):
        number, training, seed = kwargs.pop("!")
        values = {name[1:]: kwargs.pop(name) for name in [*kwargs] if name.startswith("!")}
        torch.manual_seed(seed)  # what is dropped on the way there is dropped on the way back
        return torch.func.functional_call(modules[number].train(training), values, args, kwargs)

    return new, called


def make_class(new, called):
    """In the student's process: modules with the parameters of those that `new` makes elsewhere, where they compute."""

    class Elsewhere(torch.nn.Module):
        def __init__(self, *args, **kwargs):
            super().__init__()
            self._number, values = new(args, kwargs)
            for path, value in values.items():
                *parts, last = path.split(".")
                owner = self
                for part in parts:
                    if part not in owner._modules:
                        owner.add_module(part, torch.nn.Module())
                    owner = owner._modules[part]
                owner.register_parameter(last, torch.nn.Parameter(value))

        def forward(self, *args, **kwargs):
            values = {f"!{name}": value for name, value in self.named_parameters()}
            state = (self._number, self.training, int(torch.randint(2**31, ())))
            return called(*args, **kwargs, **values, **{"!": state})

    return Elsewhere


def substitute(answer: Any) -> Callable | None:
    """The function that puts the course's answer in a student's place; None where nothing can."""
    if inspect.isfunction(answer):
        return stand_in
    return class_stand_in if isinstance(answer, type) and issubclass(answer, torch.nn.Module) else None
