"""The sandbox as the judge uses it: cells, the stand-in, limits, faults. Attacks are in tests/attacks."""

import gc
import json
import mmap
import os
import signal
import socket
import time
from pathlib import Path

import pytest
import torch

from grader.judging.suite import Local, gradients, mutated, place
from grader.sandbox import Limits, Sandbox, SandboxUnavailable, ServerDied, WorkerDied, WorkerTimeout, reach
from grader.sandbox.errors import MissingName
from grader.sandbox.launch import Launch

NOTEBOOK = """
import torch
from torch import nn

def add(a, b=1):
    return a + b

def pair(x):
    return x, {"twice": [2 * x]}

def apply(function, x):
    return function(x) + 1

def fails(message):
    raise ValueError(message)

def increments(x, y):
    x += 1
    return x + y

class Doubling(nn.Module):
    def __init__(self, width, after=None):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.after = after

    def forward(self, x):
        out = 2 * self.linear(x)
        return out if self.after is None else self.after(out)

    def halved(self, x):
        return self.forward(x) / 2

plain = {"name": "값", "shape": (2, 3), "none": None, "flag": True, "number": 2**70, "bytes": b"\\x00"}
"""


@pytest.fixture(scope="module")
def server():
    with Sandbox(Limits(wall=60, call=30, memory_mb=600, threads=16)) as server:
        yield server


@pytest.fixture(params=["sandbox", "local"])
def student(request):
    """The same notebook behind the stand-in and in this process: suites must not see a difference."""
    if request.param == "local":
        names: dict = {}
        exec(NOTEBOOK, names)
        yield Local(names)
        return
    with request.getfixturevalue("server").run([NOTEBOOK]) as run:
        assert [cell.error for cell in run.cells] == [None]
        yield run.student


def test_plain_values_and_calls(student):
    assert student.plain == {
        "name": "값", "shape": (2, 3), "none": None, "flag": True, "number": 2**70, "bytes": b"\x00"
    }  # fmt: skip
    assert torch.equal(student.add(torch.ones(2, 3), b=2), torch.full((2, 3), 3.0))
    first, rest = student.pair(torch.arange(3))
    assert first.tolist() == [0, 1, 2] and rest["twice"][0].tolist() == [0, 2, 4]
    assert student.add(1.5) == 2.5


def test_missing_name(student):
    with pytest.raises(MissingName, match="absent"):
        _ = student.absent
    assert not hasattr(student, "absent") and hasattr(student, "add")


def test_errors_keep_their_class_and_message(student):
    with pytest.raises(ValueError, match="because"):
        student.fails("because")


def test_modules(student):
    torch.manual_seed(0)
    module, oracle = student.Doubling(3), torch.nn.Linear(3, 3)
    module.linear.load_state_dict(oracle.state_dict())
    x = torch.randn(2, 3)
    assert torch.allclose(module(x), 2 * oracle(x))
    assert torch.allclose(module.halved(x), oracle(x))
    assert [tuple(p.shape) for p in module.parameters()] == [(3, 3), (3,)]
    assert [name for name, _ in module.named_parameters()] == ["linear.weight", "linear.bias"]
    assert list(module.state_dict()) == ["linear.weight", "linear.bias"]
    assert module.eval().training is False and module.train().training is True


def test_functions_cross(student):
    seen = []

    def note(x):
        seen.append(x.clone())
        return x * 10

    assert torch.equal(student.apply(note, torch.ones(2)), torch.full((2,), 11.0))
    assert seen[0].tolist() == [1.0, 1.0]
    assert torch.equal(student.apply(student.add, torch.ones(2)), torch.full((2,), 3.0))
    assert student.Doubling(2, student.torch.nn.ReLU())(torch.ones(1, 2)).min() >= 0


def test_a_function_that_was_handed_over_early_is_called_later(student):
    module = student.Doubling(2, lambda x: x * 0)
    student.add(1)
    assert module(torch.ones(1, 2)).abs().sum() == 0


def test_an_error_of_the_suites_function_passes_through_the_notebook(student):
    def refuse(x):
        raise KeyError("refused")

    with pytest.raises(KeyError):
        student.apply(refuse, torch.ones(2))


def test_gradients(student):
    def cube(x):
        return x**3

    x = torch.tensor([1.0, 2.0])
    found = gradients(place(student, cube), x, cotangent=torch.tensor([1.0, 10.0]))
    assert found["output"].tolist() == [1.0, 8.0] and found["inputs"][0].tolist() == [3.0, 120.0]
    found = gradients(student.Doubling(2), x[None])
    assert found["parameters"]["linear.bias"].tolist() == [2.0, 2.0]
    found = gradients(student.pair, x, output=0)
    assert found["inputs"][0].tolist() == [1.0, 1.0] and found["parameters"] == {}
    assert gradients(student.Doubling(2).halved, x[None])["inputs"][0].shape == (1, 2)
    assert gradients(student.add, x, b=torch.ones(2, dtype=torch.long))["inputs"].keys() == {0}


def test_mutated(student):
    assert mutated(student.increments, torch.ones(2), torch.ones(2)) == [0]
    assert mutated(student.increments, torch.ones(2), y=torch.ones(2)) == [0]
    assert mutated(student.add, torch.ones(2)) == []


def test_every_plain_kind_survives_both_ways(server):
    values = [
        torch.randn(2, 3, dtype=torch.float64), torch.zeros(0, 4), torch.tensor(3), torch.randn(2).bfloat16(),
        torch.tensor([True, False]), torch.randn(3, dtype=torch.complex64), torch.randn(4, 4).t(),
    ]  # fmt: skip
    with server.run(["def same(*values): return values"]) as run:
        for sent, received in zip(values, run.student.same(*values), strict=True):
            assert sent.dtype == received.dtype and torch.equal(sent, received)
        assert run.student.same(torch.float16, torch.device("cpu")) == (torch.float16, torch.device("cpu"))
        generator = torch.Generator().manual_seed(3)
        with server.run(["import torch\ndef draw(g): return torch.randn(3, generator=g)"]) as other:
            drawn = other.student.draw(generator)
        assert torch.equal(drawn, torch.randn(3, generator=torch.Generator().manual_seed(3)))


def test_an_object_is_neither_true_nor_equal(server):
    with server.run(["class Yes:\n    def __eq__(self, other): return True\ndef yes(): return Yes()"]) as run:
        answer = run.student.yes()
        for pretence in (
            lambda: bool(answer),
            lambda: answer == 1,
            lambda: answer != 1,
            lambda: float(answer),
        ):
            with pytest.raises(TypeError):
                pretence()
        assert not isinstance(answer, torch.Tensor)
        with pytest.raises(AttributeError):
            _ = answer.__array__


def test_objects_are_forgotten_with_their_handles(server, monkeypatch):
    monkeypatch.setattr("grader.sandbox.run.FORGET_AT_ONCE", 1)
    with server.run(["import gc\nclass Big: pass\ndef count(): gc.collect(); return sum(type(o) is Big for o in gc.get_objects())"]) as run:  # fmt: skip  # noqa: E501
        for _ in range(3):
            run.student.Big()
        kept = run.student.Big()
        gc.collect()
        assert run.student.count() == 1
        del kept


def test_a_method_is_looked_up_once_and_what_is_data_each_time(server, monkeypatch):
    with server.run(["class Counter:\n    n = 0\n    def up(self):\n        self.n += 1\n"]) as run:
        counter = run.student.Counter()
        asked = []
        ask = run.ask
        monkeypatch.setattr(
            run, "ask", lambda operation, *rest: asked.append(operation) or ask(operation, *rest)
        )
        for n in range(3):
            counter.up()
            assert counter.n == n + 1
        assert sorted(asked) == ["call"] * 3 + ["get"] * 4


def test_students_traceback_shows_the_line(server):
    with server.run(["def outer(x):\n    return inner(x)\n", "def inner(x):\n    return x @ x\n"]) as run:
        with pytest.raises(RuntimeError) as caught:
            run.student.outer(torch.ones(2, 3))
    assert "return x @ x" in caught.value.student_lines
    assert "worker.py" not in caught.value.student_lines


def test_forbidden_functions_are_refused_by_any_name(server):
    code = """
import copy, torch, torch.nn.functional as F
from torch.nn import MultiheadAttention as Own
from torch.nn.functional import layer_norm as norm, scaled_dot_product_attention as own
bound = torch._C._nn.scaled_dot_product_attention
class Mine(Own): pass
q = torch.ones(1, 2, 4)
tries = dict(
    alias=lambda: own(q, q, q), bound=lambda: bound(q, q, q), module=lambda: Own(4, 1)(q, q, q), subclass=lambda: Mine(4, 1)(q, q, q),
    operator=lambda: torch.ops.aten.scaled_dot_product_attention(q, q, q),
    lower=lambda: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q[None], q[None], q[None]),
    inference=lambda: torch.inference_mode()(own)(q, q, q), norm=lambda: norm(q, (4,)), layer=lambda: torch.nn.LayerNorm(4)(q),
)
made = Own(4, 1)
tries["made before"] = lambda: made(q, q, q)
def attempt(name):
    tries[name]()
    return "done"
"""  # noqa: E501
    attention = {"alias", "bound", "module", "subclass", "operator", "lower", "inference", "made before"}
    forbidden = ["aten::*scaled_dot_product*", "torch.nn.MultiheadAttention"]
    with server.run([code]) as run:
        assert run.cells[0].error is None

        def refused():
            names = attention | {"norm", "layer"}
            return {
                name
                for name in names
                if isinstance(_caught(lambda n=name: run.student.attempt(n)), RuntimeError)
            }

        assert refused() == set()
        run.student.__forbid__(forbidden)
        assert refused() == attention
        run.student.__forbid__(["aten::layer_norm"])
        assert refused() == {"norm", "layer"}
        run.student.__forbid__([])
        assert refused() == set()
        with pytest.raises(LookupError):
            run.student.__forbid__(["torch.nn.NoSuchThing"])
        with pytest.raises(LookupError):
            run.student.__forbid__(["aten::no_such_operator"])


def _caught(action):
    try:
        action()
    except Exception as error:
        return error


def test_a_shell_command_does_not_run_and_does_not_end_its_cell(server):
    """Colab's first cell: `!pip install ...` above the imports on which all answers rest."""
    cell = "!pip install torch\n%pip install numpy\nfound = !ls\nimport math\nright = 1"
    with server.run([cell]) as run:
        assert run.cells[0].error is None
        assert run.student.right == 1 and run.student.found == []
        assert "!pip install torch" in run.cells[0].outputs[0]["text"]


def test_outputs_are_those_of_a_notebook(server):
    cells = [
        "import sys, warnings\nprint('one')\nprint('two', file=sys.stderr)\nprint('three')\n'last'",
        "1 / 0",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2]);",
        "warnings.warn('careful'); None",
        "%time x = 1\n!echo no",
        "x",
    ]
    with server.run(cells) as run:
        shown = [cell.outputs for cell in run.cells]
        errors = [cell.error for cell in run.cells]
    assert [(o["output_type"], o.get("name")) for o in shown[0]] == [
        ("stream", "stdout"), ("stream", "stderr"), ("stream", "stdout"), ("execute_result", None)
    ]  # fmt: skip
    assert shown[0][0]["text"] == "one\n" and shown[0][3]["data"] == {"text/plain": "'last'"}
    assert errors[:4] == [None, "ZeroDivisionError", None, None]
    assert shown[1][0]["ename"] == "ZeroDivisionError" and "1 / 0" in "".join(shown[1][0]["traceback"])
    assert [sorted(o["data"]) for o in shown[2] if o["output_type"] == "display_data"] == [
        ["image/png", "text/plain"]
    ]
    assert "careful" in shown[3][0]["text"] and shown[3][0]["name"] == "stderr"
    assert shown[5][0]["data"]["text/plain"] == "1"


def test_a_run_leaves_a_record(server):
    with server.run(["x = sum(range(10**6))"]) as run:
        assert run.record is None
    assert run.record.cpu_seconds > 0 and run.record.wall_seconds > 0 and run.record.peak_memory_mb > 50
    with pytest.raises(WorkerDied, match="closed"):
        _ = run.student.x


def test_a_closed_run_says_so(server):
    run = server.run(["def f(): return 1"])
    f = run.student.f
    run.close()
    run.close()
    with pytest.raises(WorkerDied, match="closed"):
        f()


def test_runs_do_not_see_each_other(server):
    with server.run(
        ["import builtins, torch\nbuiltins.leak = 1\ntorch.leak = 2\nopen('left', 'w').write('x')"]
    ):
        pass
    with server.run(["import builtins, os, torch"]) as run:
        pass
    seen = ["hasattr(builtins, 'leak')", "hasattr(torch, 'leak')", "os.listdir()"]
    with server.run(["import builtins, os, torch", *seen]) as run:
        assert [cell.outputs[0]["data"]["text/plain"] for cell in run.cells[1:]] == ["False", "False", "[]"]


def test_the_same_notebook_gives_the_same_numbers(server):
    code = (
        "import random, numpy, torch\nx = (random.random(), float(numpy.random.rand()), float(torch.rand(1)))"
    )
    numbers = []
    for _ in range(2):
        with server.run([code]) as run:
            numbers.append(run.student.x)
    assert numbers[0] == numbers[1]


def test_an_endless_cell_is_ended_and_the_cells_before_it_are_kept(server):
    with pytest.raises(WorkerTimeout) as caught:
        server.run(["print('here')", "while True: pass", "print('never')"], Limits(wall=2))
    assert caught.value.cell == 1
    assert caught.value.cells[0].outputs[0]["text"] == "here\n"


@pytest.mark.parametrize("catch", ["", "signal.signal(signal.SIGXCPU, signal.SIG_IGN)"])
def test_processor_time_is_limited(server, catch):
    with pytest.raises(WorkerTimeout, match="processor"):
        server.run([f"import signal\n{catch}\nwhile True: pass"], Limits(wall=60, cpu=1))


def test_a_worker_that_ends_during_a_call_is_named(server):
    with server.run(["import os\ndef f(): os._exit(3)"]) as run:
        with pytest.raises(WorkerDied, match="status 3") as caught:
            run.student.f()
        assert caught.value.cell is None and run.record.status == 3
        with pytest.raises(WorkerDied):
            run.student.f()


@pytest.mark.parametrize("status", [0, 70])
def test_a_notebook_that_ends_itself_is_told_from_a_sandbox_that_fails(server, status):
    """Also in how a grading child died (mlcommons/endpoints#433)."""
    with pytest.raises(WorkerDied, match=f"ended itself with status {status}") as caught:
        server.run([f"import os; os._exit({status})"])
    assert not isinstance(caught.value, ServerDied)
    with pytest.raises(ServerDied, match="the sandbox does not start"):
        server.run(["x = 1"], Limits(cpu=1e30))  # more than can be set: confining fails


def test_a_worker_killed_by_somebody_else(server):
    with server.run(["def f(): return 1"]) as run:
        [worker] = _children(server._process.pid)
        os.kill(worker, signal.SIGKILL)
        with pytest.raises(WorkerDied, match="SIGKILL"):
            run.student.f()
    with server.run(["def f(): return 1"]) as run:
        assert run.student.f() == 1


def test_what_a_class_needs_is_loaded_before_the_fork():
    names = "import sys\nloaded = [name in sys.modules for name in ('wave', 'mailbox', 'sndhdr')]"
    with Sandbox(preload=["wave", "mailbox:mbox"]) as server, server.run([names]) as run:
        assert run.student.loaded == [True, True, False]
    with pytest.raises(SandboxUnavailable, match="no_such_module"):
        Sandbox(preload=["no_such_module"])


def test_what_workers_share_lies_on_large_pages(server):
    try:
        with mmap.mmap(-1, 8 << 20, flags=mmap.MAP_PRIVATE) as here:
            here.write(bytes(8 << 20))
            here.madvise(25)  # MADV_COLLAPSE
    except (AttributeError, OSError) as error:
        pytest.skip(f"this system has no large pages to give: {error}")
    rollup = Path(f"/proc/{server._process.pid}/smaps_rollup").read_text()
    assert int(rollup.partition("AnonHugePages:")[2].split()[0]) > 1024  # kB


def test_the_judges_share_what_was_loaded_for_notebooks():
    launched = Launch(("wave", "mailbox:mbox")).start(sibling="forked:tell")
    assert json.loads(launched.ask(b"loaded")) == ["wave", "mailbox"]
    launched.close()


def test_the_server_is_started_again_after_its_death(server):
    with server.run(["def f(): return 1"]) as run:
        [worker] = _children(server._process.pid)
        os.kill(server._process.pid, signal.SIGKILL)
        with pytest.raises(ServerDied):
            while True:
                run.student.f()
    _wait_until(lambda: not Path(f"/proc/{worker}").exists())
    with server.run(["def f(): return 2"]) as run:
        assert run.student.f() == 2


@pytest.mark.whole
def test_a_stopped_server_does_not_hang_the_judge(server, monkeypatch):
    monkeypatch.setattr("grader.sandbox.client.EXIT_SECONDS", 0.5)
    os.kill(server._process.pid, signal.SIGSTOP)
    with pytest.raises((WorkerDied, WorkerTimeout)):
        server.run(["1"], Limits(wall=1))
    with server.run(["x = 1"]) as run:
        assert run.student.x == 1


def test_runs_that_are_left_fill_no_connection(server):
    """How a run ended is told also where nobody asks; unheard, that fills the connection after some 280 runs."""
    for number in range(40):
        run = server.run([f"x = {number}"], Limits(wall=20))
        assert run.student.x == number
        run.leave()
    assert len(server._left) < 20


def test_nothing_is_readable_below_what_is_forbidden(tmp_path):
    for path in ("site/torch/nn", "site/grader/suites", "site/course"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "site/one.py").write_text("")
    (tmp_path / "site/link").symlink_to(tmp_path / "site/grader")
    whole, listed = reach.readable([tmp_path / "site"], [tmp_path / "site/grader"])
    ours = {Path(path).name for path in whole if Path(path).is_relative_to(tmp_path)}
    assert ours == {"torch", "course", "one.py"}
    assert [Path(path).name for path in listed] == ["site"]


def test_the_import_path_holds_installed_packages_only(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    assert str(tmp_path) not in reach.import_paths()
    assert any("site-packages" in path or "dist-packages" in path for path in reach.import_paths())


def test_packages_given_to_notebooks_and_nothing_left_when_the_client_is_gone(tmp_path):
    package = tmp_path / "folder"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from pathlib import Path\nword = (Path(__file__).parent / 'w').read_text()"
    )
    (package / "w").write_text("read")
    server = Sandbox(packages={"given": package})
    with server.run(["import given"]) as run:
        assert run.student.given.word == "read"
        base, process = Path(server._base), server._process
        [worker] = _children(process.pid)
        server._control.shutdown(socket.SHUT_RDWR)
        assert process.wait(10) == 0
        assert not Path(f"/proc/{worker}").exists() and not base.exists()
    server.close()


def test_zombies_and_descriptors_do_not_pile_up(server):
    def state():
        return len(os.listdir("/proc/self/fd")), len(os.listdir(f"/proc/{server._process.pid}/fd"))

    with server.run([]):
        pass
    before = state()
    for _ in range(10):
        with server.run(["x = 1"]) as run:
            assert run.student.x == 1
    assert state() == before and _children(server._process.pid) == []


def _children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _wait_until(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
