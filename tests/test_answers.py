"""Nothing that a student gets computes an answer: no helper of the public tests, and no line of them.

The public tests and observations are run with right answers, and what torch computes in their own lines is compared with
what the answers return. What a library's layer computes, what comes of an answer, what
an answer was given, and numbers that are written out give nothing away.
"""

import ast
import inspect
import math
import sys
from fractions import Fraction

import pytest
import torch
from sampled import one_in
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from grader.exercise import PublicExercise, all_exercises, find_exercise
from grader.judging import values
from grader.judging.judge import judge
from grader.judging.mistakes import observe, with_answer
from grader.judging.suite import Suite, load_suite

each_exercise = pytest.mark.parametrize("exercise", all_exercises(), ids=lambda exercise: exercise.stem)

# What counts or repeats a number, and what puts numbers elsewhere or turns their sign: it computes no answer.
COUNTS = set("arange eye full linspace ones ones_like zeros zeros_like".split())
MOVES = set(
    "__get__ __getitem__ cat chunk clone detach double expand expand_as flatten float half neg repeat reshape split "
    "squeeze stack to transpose unsqueeze view".split()
)


def tensors(tree):
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


class Watch(TorchFunctionMode):
    """What answers (the functions of one file) were given and returned, and what the lines of another computed beside.

    Attributes:
        computed: (where, tensor), of nothing that an answer returned.
        returned: (function or method, tensor).
    """

    def __init__(self, answers, tests):
        super().__init__()
        self.answers, self.tests = answers, tests
        self.computed, self.returned, self.given = [], [], []
        self._inside = 0
        self._told = {}  # what answers and tables say, by identity
        self._whole = {}  # whole numbers, counted

    def __enter__(self):
        sys.setprofile(self._profile)
        return super().__enter__()

    def __exit__(self, *error):
        sys.setprofile(None)
        return super().__exit__(*error)

    def _profile(self, frame, event, value):
        code = frame.f_code
        if code.co_filename == self.answers and event == "call":
            if not self._inside:  # what its own parts are given may be nearly the answer
                self.given += [x.detach().clone() for x in tensors(list(frame.f_locals.values()))]
            self._inside += 1
        elif code.co_filename == self.answers and event == "return" and self._inside:
            self._inside -= 1
            self._told |= by_identity(value)
            plain = [x for x in tensors(value) if not torch._C._functorch.is_functorch_wrapped_tensor(x)]
            self.returned += [(code.co_name, x.detach().clone()) for x in plain]
        elif code.co_filename == values.__file__ and event == "return" and code.co_name == "find":
            self._told |= by_identity(value)

    def __torch_function__(self, called, types, args=(), kwargs=None):
        found = called(*args, **(kwargs or {}))
        given, caller = by_identity([args, kwargs]), sys._getframe(1)
        if self._inside:
            return found
        if given.keys() & self._told.keys():
            self._told |= by_identity(found)
        elif given.keys() <= self._whole.keys() and counts(called, given, found):
            self._whole |= by_identity(found)
        elif caller.f_code.co_filename == self.tests and not written_out(called, args):
            self.computed += [(f"line {caller.f_lineno}", x.detach().clone()) for x in tensors(found)]
        return found


def by_identity(tree):
    return {id(x): x for x in tensors(tree)}  # kept with it, so that no other takes it


def counts(called, given, found):
    """Whether it gives whole numbers; of nothing, only what counts does."""
    whole = all((x == x.round()).all() for x in tensors(found) if x.is_floating_point() and not x.is_meta)
    return whole and bool(given or name_of(called) in COUNTS)


def written_out(called, args):
    """Whether a call makes a tensor of numbers that stand in the text, or only moves some."""
    if name_of(called) in ("tensor", "as_tensor"):
        return all(map(short, tree_leaves(args[0])))
    return name_of(called) in COUNTS | MOVES


def short(number):
    """Whether somebody would write a number so: in a few digits, or as a fraction."""
    if not isinstance(number, float) or not math.isfinite(number):
        return True
    return len(f"{number:.15g}".strip("-0.").replace(".", "")) < 9 or number == float(
        Fraction(number).limit_denominator(99)
    )


def name_of(called):
    return getattr(called, "__name__", "")


def tells(x):
    return x.is_floating_point() and not x.is_meta and x.numel() > 1 and len(x.unique()) > 1


def equal(one, other):
    return one.shape == other.shape and torch.allclose(
        one.double(), other.double(), 1e-3, 1e-5, equal_nan=True
    )


def leaks(suite, path, exercise):
    """(where, of what): the places in the file `path`, a suite's public part, that compute what answers return."""
    found = set()
    cases = [(case.question, Suite(suite.stem, [case], {})) for case in suite.cases]
    runs = [lambda q=q, one=one: judge(exercise.reference, one, questions=[q]) for q, one in cases]
    runs += [lambda q=q: observe(suite, q, exercise.reference) for q in suite.observations]
    for run in runs:
        with Watch(str(exercise.source), str(path)) as watch:
            run()
        given = [x for x in watch.given if tells(x)]
        computed = [
            (where, x) for where, x in watch.computed if tells(x) and not any(equal(x, y) for y in given)
        ]
        returned = [(name, y) for name, y in watch.returned if tells(y)]
        found |= {(where, name) for where, x in computed for name, y in returned if equal(x, y)}
    return found


@pytest.mark.parametrize("exercise", one_in(12, all_exercises(), lambda exercise: exercise.stem))
def test_no_line_of_the_public_tests_computes_an_answer(exercise):
    path = PublicExercise(exercise.folder).folder / "checks.py"
    assert leaks(load_suite(path, exercise.stem), path, exercise) == set()


def test_a_leak_is_seen(tmp_path):
    exercise, path = find_exercise("add_norm"), tmp_path / "checks.py"
    path.write_text(
        """
import torch
from grader.judging.suite import assert_close, points

def one_by_one(x):
    return torch.tensor([[(c - 3) / (3.5 + 1e-5) ** 0.5 for c in row] for row in x.tolist()])

def by_hand(x):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt()

@points(1, "layer_norm", read="x")
def test_helper(student):
    '''hint'''
    x = torch.tensor([[1.0, 2.0, 3.0, 6.0]])
    assert_close(student.layer_norm(x, torch.ones(4), torch.zeros(4)), by_hand(x))
    assert_close(student.layer_norm(x, torch.ones(4), torch.zeros(4)), one_by_one(x))

@points(1, "layer_norm", read="x")
def test_line(student):
    '''hint'''
    x = torch.tensor([[1.0, 2.0, 3.0, 6.0]])
    found = student.layer_norm(x, torch.ones(4), torch.zeros(4))
    assert_close(found, (x - 3) / (3.5 + 1e-5) ** 0.5)

@points(1, "layer_norm", read="x")
def test_numbers(student):
    '''hint'''
    found = student.layer_norm(torch.tensor([[1.0, 2.0, 3.0, 6.0]]), torch.ones(4), torch.zeros(4))
    assert_close(found, torch.tensor([[-1.069045, -0.534522, 0.0, 1.603567]]), atol=1e-3)
    assert_close(found - found.mean(-1, keepdim=True), found)
"""
    )
    found = leaks(load_suite(path, "add_norm"), path, exercise)
    assert found == {("line 6", "layer_norm"), ("line 9", "layer_norm"), ("line 23", "layer_norm")}


@each_exercise
def test_students_get_only_what_public_tests_use(exercise):
    """A helper that only hidden tests call stands among these."""
    tree = ast.parse((exercise.folder / "checks.py").read_text(encoding="utf-8"))
    names = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    unused = {name for name, node in names.items() if name not in used and not node.decorator_list}
    assert unused == set()


@pytest.mark.parametrize("exercise", one_in(3, all_exercises(), lambda exercise: exercise.stem, rest="whole"))
def test_no_helper_of_the_public_tests_is_an_answer(exercise):
    suite = PublicExercise(exercise.folder).suite
    module = sys.modules[f"suite_of_{exercise.stem}"]
    own = {
        name: f
        for name, f in vars(module).items()
        if inspect.isfunction(f) and f.__module__ == module.__name__
    }
    for question in suite.questions:
        if not inspect.isfunction(exercise.names[question]):
            continue
        wanted = len(inspect.signature(exercise.names[question]).parameters)
        for name, helper in own.items():
            if hasattr(helper, "__case__") or hasattr(helper, "__observes__") or _arity(helper) > wanted:
                continue
            student = with_answer(exercise.names, question, helper)
            [result] = judge(student, exercise.suite, reference=exercise.reference, questions=[question])
            assert result.earned <= result.possible / 2, (question, name)


def _arity(function):
    needed = inspect.signature(function).parameters.values()
    return sum(one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD for one in needed)
