"""The words that suites are written in: points, observations, and calls that work on either side of the sandbox.

A suite is plain pytest. Its tests take `student` (the namespace under test), `reference` (the same names,
ours; hidden tests only), `device` and `rng` (a seeded `torch.Generator` on the CPU). `student` is a `Local`
here, or the sandbox's stand-in, which offers the same.
"""

from __future__ import annotations

import importlib.util
import inspect
import math
import sys
import textwrap
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import torch

from grader.judging.devices import run_on_two_devices
from grader.results import CORE, STEPS
from grader.sandbox import probes
from grader.sandbox.errors import UNFINISHED, MissingName, SandboxError
from grader.sandbox.moments import Moments
from grader.sandbox.surroundings import Surroundings

# What a suite's FORBIDDEN is made of: torch's own attention, and its normalisations, by every road to them.
ATTENTION = ("aten::*scaled_dot_product*", "aten::*multi_head_attention*", "torch.nn.MultiheadAttention")
NORMALISATION = (
    "aten::*layer_norm*",
    "aten::*group_norm*",
    "aten::*instance_norm*",
    "aten::*batch_norm*",
    "torch._refs.native_layer_norm",
    "torch._refs.native_group_norm",
)

HIDDEN_BEGIN, HIDDEN_END = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"


@dataclass(frozen=True)
class Case:
    """One test: what it is worth, and what to say and to read when it fails."""

    test: Callable
    points: float
    question: str
    hint: str
    read: str
    step: str = CORE
    hidden: bool = False

    @property
    def name(self) -> str:
        return self.test.__name__

    @property
    def needs_reference(self) -> bool:
        return "reference" in inspect.signature(self.test).parameters


@dataclass(frozen=True)
class Suite:
    """An exercise's tests and observations, question by question in the order they are written.

    `forbidden` holds, by question, what an answer must not call (as `sandbox.forbid` takes it): the suite's
    constant `FORBIDDEN`.
    """

    stem: str
    cases: list[Case]
    observations: dict[str, Callable]
    forbidden: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def questions(self) -> list[str]:
        return list(dict.fromkeys(case.question for case in self.cases))

    def of(self, question: str) -> list[Case]:
        return [case for case in self.cases if case.question == question]


def points(
    points: float, question: str, *, read: str, step: str = CORE, hint: str | None = None
) -> Callable[[Callable], Callable]:
    """Mark a test with its `points` for `question`. Its docstring is the hint (Korean) when it fails.

    Args:
        read: the paragraph to read then, "anchor" of the exercise's own chapter or "stem#anchor".
        step: of the question, as `grader.results.STEPS` has them: one tiny example, the idea, what it must withstand.
        hint: in the docstring's place.

    Raises:
        ValueError: there is no such step.
    """
    if step not in STEPS:
        raise ValueError(f"{question}: '{step}' is none of {', '.join(STEPS)}")

    def mark(test: Callable) -> Callable:
        said = test.__doc__.strip() if hint is None else hint
        test.__case__ = Case(test, points, question, said, read, step)
        return test

    return mark


def paragraph(read: str, stem: str) -> str:
    """A paragraph as "stem#anchor"; `stem` where none is named."""
    return read if "#" in read else f"{stem}#{read}"


def observes(question: str) -> Callable[[Callable], Callable]:
    """Mark `observe(student)`: what an answer returns on fixed inputs, by which a misconception is recognised."""

    def mark(observe: Callable) -> Callable:
        observe.__observes__ = question
        return observe

    return mark


def load_suite(path: Path, stem: str) -> Suite:
    """Load a suite's file.

    Raises:
        ValueError: two tests share a name, so that one would silently replace the other, or something is
            forbidden in a question that is not there.
    """
    module = load_module(path, f"suite_of_{stem}")
    source = path.read_text(encoding="utf-8")
    hidden = _hidden_lines(source)
    cases, observations = [], {}
    for value in vars(module).values():
        if case := getattr(value, "__case__", None):
            line = value.__code__.co_firstlineno
            read = paragraph(case.read, stem)
            cases.append(replace(case, read=read, hidden=line in hidden))
        elif question := getattr(value, "__observes__", None):
            observations[question] = value
    if len(cases) != source.count("\n@points("):
        raise ValueError(f"{path}: two tests share a name, or a test is not at the top level")
    suite = Suite(stem, cases, observations, getattr(module, "FORBIDDEN", {}))
    if unknown := suite.forbidden.keys() - set(suite.questions):
        raise ValueError(f"{path}: FORBIDDEN names {sorted(unknown)}, which no test asks")
    return suite


def load_module(path: Path, name: str) -> ModuleType:
    """Import a file under `name`, without it lying on the import path."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def public_source(source: str) -> str:
    """A suite's text without its hidden blocks.

    Raises:
        ValueError: a hidden block is not closed, or closes nothing.
    """
    hidden = _hidden_lines(source)
    kept = [line for number, line in enumerate(source.splitlines(), 1) if number not in hidden]
    return "\n".join(kept).rstrip() + "\n"


def _hidden_lines(source: str) -> set[int]:
    hidden, begun = set(), None
    for number, line in enumerate(source.splitlines(), 1):
        marker = line.strip()
        if marker == HIDDEN_BEGIN and begun is None:
            begun = number
        elif marker == HIDDEN_END and begun is not None:
            hidden |= set(range(begun, number + 1))
            begun = None
        elif marker in (HIDDEN_BEGIN, HIDDEN_END):
            raise ValueError(f"line {number}: {marker!r} has no counterpart")
    if begun is not None:
        raise ValueError(f"line {begun}: {HIDDEN_BEGIN!r} is never closed")
    return hidden


class Local:
    """A namespace in this process: a reference module's, or that of a student's own notebook."""

    def __init__(
        self, names: dict[str, Any], moments: Moments | None = None, surroundings: Surroundings | None = None
    ):
        self.__names, self.__ban = names, None
        self.__moments, self.__surroundings = moments, surroundings

    def __getattr__(self, name: str) -> Any:
        if name == "torch":
            return torch
        try:
            return self.__names[name]
        except KeyError:
            raise MissingName(name) from None

    def __stand__(self, question: str, last: bool = False) -> bool:
        """See `grader.sandbox.standin.Student.__stand__`."""
        if self.__surroundings is not None:
            self.__surroundings.clean()
        return self.__moments is not None and self.__moments.stand(question, last)

    def __forbid__(self, names: Sequence[str]) -> None:
        """Forbid functions of torch in this process, also to the suite; an empty list allows all."""
        from grader.sandbox.forbid import Ban

        self.__ban = self.__ban or Ban()
        self.__ban.replace(names)

    def __place__(self, source: str, name: str) -> Callable:
        namespace: dict[str, Any] = {"torch": torch}
        exec(source, namespace)
        return namespace[name]


def place(student: Any, function: Callable) -> Any:
    """Put a self-contained function (its imports inside) on the student's side, so that gradients flow through it."""
    return student.__place__(_source(function.__code__), function.__name__)


@cache
def _source(code: CodeType) -> str:
    return textwrap.dedent(inspect.getsource(code))


def parameters(student: Any, module: Any, *names: str) -> dict[str, torch.Tensor]:
    """Detached copies of a module's named parameters: those of `names`, or all, shared ones once; no buffers."""
    return place(student, _parameters)(module, list(names))


def load(
    student: Any,
    module: Any,
    values: Mapping[str, torch.Tensor],
    *,
    optional: Collection[str] = (),
    typed: bool = False,
    device: Any = "cpu",
    evaluating: bool = False,
) -> dict[str, torch.Tensor]:
    """Give a module's parameters the values that a suite chose, by the names that the exercise's text asks for.

    Whatever else the module holds is its author's: buffers, parts in lists or dicts, a part under a second name.

    Args:
        optional: names that the module may lack, such as a bias that the text leaves free.
        typed: give the module the values' type first, and move it to `device`.
        evaluating: put it in evaluation mode.

    Returns:
        the values that were set, as the caller gave them.

    Raises:
        AssertionError: a name is missing, or its parameter has another shape.
    """
    shapes = place(student, _load)(module, dict(values), torch.device(device) if typed else None, evaluating)
    for name, value in values.items():
        assert name in shapes or name in optional, f"{name}라는 파라미터가 없습니다."
        assert shapes.get(name, tuple(value.shape)) == tuple(value.shape), (
            f"{name}의 모양이 {tuple(value.shape)}이어야 하는데 {shapes[name]}입니다."
        )
    return {name: value for name, value in values.items() if name in shapes}


def _parameters(module, names):
    found = module.named_parameters(remove_duplicate=not names)
    return {name: value.detach().clone() for name, value in found if not names or name in names}


def _load(module, values, device, evaluating):
    """Copy what fits; the shapes of what is there. One call for all: each takes turns with another process."""
    if device is not None:
        module.to(device, next(iter(values.values())).dtype)
    if evaluating:
        module.eval()
    found = dict(module.named_parameters(remove_duplicate=False))
    with torch.no_grad():
        for name, value in values.items():
            if name in found and found[name].shape == value.shape:
                found[name].copy_(value)
    return {name: tuple(found[name].shape) for name in values if name in found}


def gradients(
    function: Any, *args: Any, output: int = 0, cotangent: torch.Tensor | None = None, **kwargs: Any
) -> dict:
    """Gradients of `(out * cotangent).sum()`, where `out` is what `function` returns (entry `output` of a tuple).

    Args:
        function: a function, a module, or a bound method of one.
        cotangent: the output's shape; ones if None.

    Returns:
        `output`; `inputs`, a gradient (or None) for each floating argument, by position or keyword;
        `parameters`, by every name that they bear, where `function` is a module.
    """
    if hasattr(function, "__gradients__"):
        return function.__gradients__(args, kwargs, output, cotangent)
    return probes.gradients(function, args, kwargs, output, cotangent)


def reached(function: Any, *args: Any, **options: Any) -> list[str]:
    """The inputs and parameters to which a gradient flows that is not zero; none where the graph is cut."""
    try:
        found = gradients(function, *args, **options)
    except RuntimeError:
        return []
    everything = {**found["inputs"], **found["parameters"]}
    return sorted(str(key) for key, grad in everything.items() if grad is not None and (grad != 0).any())


def each(student: Any, function: Any, calls: Iterable[Sequence[Any]]) -> Iterator[Any]:
    """Results of one call after another with these arguments, all asked for at once; an error when its turn comes.

    For calls that do not depend on what those before them returned: an answer costs less time than asking for it.
    """
    found, fail = place(student, _each)(function, [list(args) for args in calls])
    yield from found
    if fail is not None:
        fail()


def _each(function, calls):
    found = []
    for args in calls:
        try:
            found.append(function(*args))
        except BaseException as error:

            def fail(error=error):
                raise error

            return found, fail
    return found, None


def mutated(function: Any, *args: Any, **kwargs: Any) -> list[int | str]:
    """Positions or keywords of the tensor arguments that a call changes in place."""
    if hasattr(function, "__mutated__"):
        return function.__mutated__(args, kwargs)
    return probes.mutated(function, args, kwargs)


def device_of(student: Any, function: Any, *args: Any, **kwargs: Any) -> str:
    """The device of a call's result: "meta" for what is asked for there, with or without a GPU."""
    [device] = place(student, run_on_two_devices)(function, args, kwargs, False)
    return device


def follows_device(student: Any, function: Any, *args: Any, **kwargs: Any) -> bool:
    """True if a call works where its inputs, and what it returns, do not lie on torch's default device."""
    try:
        return "meta" not in place(student, run_on_two_devices)(function, args, kwargs, True)
    except (SandboxError, *UNFINISHED):
        raise
    except Exception:
        return False


def scattered(shape: Sequence[int], key: float | str) -> torch.Tensor:
    """Float64 values in [-1, 1) that look random and are the same on every machine; others for another key.

    The key may be a parameter's name, so that its values do not depend on what else there is.
    """
    number = zlib.crc32(key.encode()) % 10_007 if isinstance(key, str) else key
    positions = torch.arange(math.prod(shape), dtype=torch.float64)
    return (2 * ((43758.5453 * (12.9898 * positions + 59 * number).sin()) % 1) - 1).reshape(shape)


def outcome(function: Callable, *args: Any) -> Any:
    """The result of a call, or the name of the error that it raises; an answer that is not finished crashes."""
    try:
        return function(*args)
    except UNFINISHED:
        raise
    except Exception as error:
        return type(error).__name__


def refuses(function: Callable, *args: Any) -> bool:
    """True if a call raises a ValueError, and no other error."""
    try:
        function(*args)
    except ValueError:
        return True
    except UNFINISHED:
        raise
    except Exception:
        return False
    return False


class NoTensor(AssertionError):
    """An answer is no tensor, but of another `kind`."""

    def __init__(self, kind: str):
        self.kind = kind
        said = f"텐서를 돌려주어야 하는데 {kind}입니다."
        if kind == "ndarray":
            said = "텐서를 돌려주어야 하는데 numpy의 배열입니다. numpy에서는 기울기가 끊기므로 torch의 함수로 계산하십시오."
        if kind in ("max", "min", "sort", "topk", "median"):  # what torch calls the types of their results
            said = "텐서를 돌려주어야 하는데 값과 자리의 쌍입니다. `.values`로 값만 꺼내십시오."
        super().__init__(said)


def assert_close(actual: Any, expected: Any, *, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    """Assert that a student's tensor is the expected one, and say in Korean what differs first.

    Raises:
        AssertionError: not a tensor, another shape or dtype kind, NaN, or other values.
    """
    if not isinstance(actual, torch.Tensor):
        # A gradient that is not there is None, too: the test's hint says what that means.
        kind = type(actual).__name__
        raise AssertionError("텐서가 있어야 하는데 None입니다.") if actual is None else NoTensor(kind)
    expected = torch.as_tensor(expected, device=actual.device)
    if actual.shape != expected.shape:
        raise AssertionError(f"모양이 {tuple(expected.shape)}이어야 하는데 {tuple(actual.shape)}입니다.")
    if (actual.dtype == torch.bool) != (expected.dtype == torch.bool):
        raise AssertionError(f"자료형이 {expected.dtype}이어야 하는데 {actual.dtype}입니다.")
    if expected.dtype == torch.bool:
        wrong = actual != expected
        if wrong.any():
            raise AssertionError(_first_difference(actual, expected, wrong))
        return
    if actual.isnan().any() and not expected.isnan().any():
        raise AssertionError("결과에 NaN이 있습니다.")
    wrong = ~torch.isclose(actual.double(), expected.double(), rtol=rtol, atol=atol, equal_nan=True)
    if wrong.any():
        raise AssertionError(_first_difference(actual, expected, wrong))


def _first_difference(actual: torch.Tensor, expected: torch.Tensor, wrong: torch.Tensor) -> str:
    where = tuple(int(i) for i in wrong.nonzero()[0])
    place = f"{list(where)} 자리" if where else "값"
    found, right = (t[where].item() for t in (actual, expected))
    for digits in range(4, 18):  # as many as it takes to see the difference
        shown = [f"{x:.{digits}g}" if isinstance(x, float) else str(x) for x in (right, found)]
        if shown[0] != shown[1]:
            break
    return f"{place}: {shown[0]} 대신 {shown[1]}. 다른 값 {int(wrong.sum())}/{wrong.numel()}개."
