"""What the suites load and read of a student's module: the same at home and in a class."""

import pytest
import torch

from grader.judging.suite import Local, gradients, load, parameters
from grader.sandbox import Limits, Server

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
WEIGHT, BIAS = torch.arange(6.0).reshape(3, 2), torch.tensor([1.0, -1.0, 5.0])


@pytest.fixture(scope="module")
def server():
    with Server(Limits(wall=60, call=30, memory_mb=600, threads=16)) as server:
        yield server


@pytest.fixture(params=["home", "class"])
def student(request):
    if request.param == "home":
        names: dict = {}
        exec(MODULES, names)
        yield Local(names)
        return
    with request.getfixturevalue("server").run([MODULES]) as run:
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
