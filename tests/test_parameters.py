"""What the suites load into a student's module and read of it: the same at home and in a class."""

import pytest
import torch

from grader.judging.suite import (
    Local,
    assert_close,
    device_of,
    follows_device,
    gradients,
    load,
    parameters,
    reached,
)
from grader.sandbox import Limits, Sandbox

MODULES = """
import torch
from torch import nn

class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 3)

    def forward(self, x):
        return self.linear(x)

class Buffer(Plain):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(2.0))
        self.register_buffer("positions", torch.arange(4))

class SecondName(Plain):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleDict({"all": self.linear})

class FirstName(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([nn.Linear(2, 3)])
        self.linear = self.parts[0]

    def forward(self, x):
        return self.parts[0](x)

class NoBias(Plain):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 3, bias=False)
"""
FUNCTIONS = """
def on_its_device(lengths):
    return torch.arange(3, device=lengths.device) < lengths[:, None]

def on_the_default_device(lengths):
    return torch.arange(3) < lengths[:, None]

def row_by_row(lengths):
    mask = torch.zeros(len(lengths), 3, dtype=torch.bool, device=lengths.device)
    for i, length in enumerate(lengths.tolist()):
        mask[i, :length] = True
    return mask

def one_by_one(lengths):
    return torch.vmap(lambda length: torch.arange(3, device=lengths.device) < length)(lengths)

def moved(lengths):
    return torch.nn.functional.one_hot(torch.arange(3)).to(lengths.device)[lengths - 1]

def looked_at(lengths):
    steps = torch.arange(3, device=lengths.device)
    return steps if steps[-1] == 2 and lengths.max() == 3 else torch.arange(3)

def made_where_another_was_made(lengths):
    return torch.ones(3, device=torch.arange(3).device)

def filled_from_elsewhere(lengths):
    steps = torch.zeros(2)
    steps[:] = lengths
    return steps

def by_a_layer_of_its_own(lengths):
    return nn.Linear(2, 3)(lengths.float())

def made_there(n, device):
    return torch.arange(n, device=device) * 2.0

def moved_there(n, device):
    return (torch.arange(n) * 2.0).to(device)

def left_here(n, device):
    return torch.arange(n)

def with_a_constant(x):
    return torch.where(x > 0, x, torch.tensor(0.0))

def cut(x, y):
    return x.detach() * y

def cut_everywhere(x):
    return x.detach()
"""
WEIGHT, BIAS = torch.arange(6.0).reshape(3, 2), torch.tensor([1.0, -1.0, 5.0])


@pytest.fixture(scope="module")
def server():
    with Sandbox(Limits(wall=60, call=30, memory_mb=600, threads=16)) as server:
        yield server


@pytest.fixture(params=["home", "class"])
def student(request):
    if request.param == "home":
        names: dict = {}
        exec(MODULES + FUNCTIONS, names)
        yield Local(names)
        return
    with request.getfixturevalue("server").run([MODULES, FUNCTIONS]) as run:
        yield run.student


@pytest.mark.parametrize("name", ["Plain", "Buffer", "SecondName", "FirstName"])
def test_a_part_is_found_by_the_name_that_the_text_asks_for(student, name):
    module = getattr(student, name)()
    load(student, module, {"linear.weight": WEIGHT, "linear.bias": BIAS})
    found = parameters(student, module, "linear.weight", "other")
    assert found.keys() == {"linear.weight"} and torch.equal(found["linear.weight"], WEIGHT)
    assert len(parameters(student, module)) == 2
    assert torch.equal(module(torch.eye(2)), WEIGHT.T + BIAS)
    learns = gradients(module, torch.eye(2))["parameters"]
    assert torch.equal(learns["linear.bias"], torch.full((3,), 2.0))


def test_buffers_keep_their_values(student):
    module = student.Buffer()
    load(student, module, {"linear.weight": WEIGHT, "linear.bias": BIAS})
    state = module.state_dict()
    assert state["scale"] == 2 and torch.equal(state["positions"], torch.arange(4))


def test_a_bias_may_be_left_out_where_the_suite_says_so(student):
    values = {"linear.weight": WEIGHT, "linear.bias": BIAS}
    assert load(student, student.NoBias(), values, optional=["linear.bias"]).keys() == {"linear.weight"}
    with pytest.raises(AssertionError, match="linear.bias라는 파라미터가 없습니다"):
        load(student, student.NoBias(), values)


def test_another_shape_is_said(student):
    with pytest.raises(AssertionError, match=r"\(2, 3\)이어야 하는데 \(3, 2\)"):
        load(student, student.Plain(), {"linear.weight": WEIGHT.T})


@pytest.mark.parametrize("name", ["on_its_device", "row_by_row", "one_by_one", "moved", "looked_at"])
def test_what_follows_its_input_passes(student, name):
    assert follows_device(student, getattr(student, name), torch.tensor([1, 3]))


@pytest.mark.parametrize(
    "name",
    [
        "on_the_default_device",
        "made_where_another_was_made",
        "filled_from_elsewhere",
        "by_a_layer_of_its_own",
    ],
)
def test_a_tensor_left_on_the_default_device_is_found_without_a_gpu(student, name):
    assert not follows_device(student, getattr(student, name), torch.tensor([1, 3]))


def test_a_constant_may_lie_where_it_likes(student):
    assert follows_device(student, student.with_a_constant, torch.randn(3))


@pytest.mark.parametrize(
    ("name", "where"), [("made_there", "meta"), ("moved_there", "meta"), ("left_here", "cpu")]
)
def test_where_a_result_lies_is_seen_without_a_gpu(student, name, where):
    assert device_of(student, getattr(student, name), 3, device="meta") == where
    assert device_of(student, getattr(student, name), 3, "cpu") == "cpu"


def test_looking_for_devices_does_not_load_the_compiler(server):
    with server.run(
        [MODULES, FUNCTIONS, "def loaded(): import sys; return 'torch._dynamo' in sys.modules"]
    ) as run:
        for name in ("on_the_default_device", "moved"):
            follows_device(run.student, getattr(run.student, name), torch.tensor([1, 3]))
        device_of(run.student, run.student.made_there, 3, device="meta")
        assert not run.student.loaded()


def test_what_a_gradient_reaches(student):
    x = torch.ones(2)
    assert reached(student.cut, x, 2 * x) == ["1"]
    assert reached(student.cut_everywhere, x) == []
    assert reached(student.SecondName(), x) == [
        "0", "linear.bias", "linear.weight", "parts.all.bias", "parts.all.weight"
    ]  # fmt: skip


def test_two_numbers_that_differ_are_shown_to_differ():
    with pytest.raises(AssertionError, match=r"-0\.40982 대신 -0\.40981"):
        assert_close(torch.tensor(-0.40981), torch.tensor(-0.40982), rtol=1e-6)
