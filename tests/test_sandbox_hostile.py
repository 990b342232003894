"""A worker that answers whatever it likes, and what a worker's memory holds."""

import os
import platform
import socket
import threading
from pathlib import Path

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.judging.suite import gradients, mutated
from grader.sandbox import Limits, Record, Run, Sandbox, SandboxError, watch
from grader.sandbox.errors import RAISED, MissingName
from grader.sandbox.frames import Frames
from grader.sandbox.outputs import clean_outputs
from grader.sandbox.standin import Handle
from grader.sandbox.wire import Reference, Writer

PROJECT = Path(__file__).resolve().parents[1]

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.just(torch.ones(2))
    | st.builds(Reference, st.just(b"h"), st.integers(0, 9), st.text(max_size=5)),
    lambda inner: st.lists(inner, max_size=4)
    | st.lists(inner, max_size=4).map(tuple)
    | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
words = st.sampled_from(["value", "missing", "error", "callback", "return", "raise", "", "cell"])
replies = plain | st.tuples(st.integers(0, 3) | st.none(), words, plain, plain, plain) | st.tuples(
    st.just(1), words, plain
) | st.tuples(st.just(1), st.just("error"), st.lists(st.text() | st.sampled_from(sorted(RAISED))), st.text(), st.text())  # fmt: skip  # noqa: E501

QUESTIONS = {
    "name": lambda student: student.anything,
    "call": lambda student: Handle(student._Student__run, 0, "f")(lambda x: x),
    "attribute": lambda student: Handle(student._Student__run, 0, "f").attribute,
    "iteration": lambda student: list(Handle(student._Student__run, 0, "f")),
    "length": lambda student: len(Handle(student._Student__run, 0, "f")),
    "gradients": lambda student: gradients(Handle(student._Student__run, 0, "f"), torch.ones(2)),
    "mutated": lambda student: mutated(Handle(student._Student__run, 0, "f"), torch.ones(2)),
}


class Puppet:
    """The server's part in a run, so that a test can be the worker."""

    def kill(self, number):
        pass

    def record(self, number):
        return Record(
            status=1,
            signal=None,
            cpu_seconds=0,
            wall_seconds=0,
            peak_memory_mb=0,
            reason="the puppet is gone",
        )


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(QUESTIONS)), st.lists(replies, min_size=1, max_size=3))
def test_any_answer_is_a_value_or_an_error_that_the_judge_knows(question, answers):
    ours, theirs = socket.socketpair()
    theirs.settimeout(1)
    run = Run(Puppet(), 1, ours, Limits(wall=1, call=1))
    for answer in answers:
        Frames(theirs.fileno()).send(Writer(lambda value: value).encode(answer))
    theirs.shutdown(socket.SHUT_WR)
    try:
        QUESTIONS[question](run.student)
    except (SandboxError, MissingName, *RAISED.values()):
        pass
    finally:
        run.close()
        theirs.close()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["output_type", "name", "text", "data", "ename", "evalue", "traceback", "execution_count", "metadata"]), plain | st.sampled_from(["stream", "error", "display_data", "execute_result", "stdout"]))))  # fmt: skip  # noqa: E501
@example([{"output_type": "execute_result", "data": {}, "execution_count": False}])
@example([{"output_type": "execute_result", "data": {}, "execution_count": -1}])
def test_any_outputs_become_outputs_of_a_notebook(raw):
    nbformat = pytest.importorskip("nbformat")
    cell = nbformat.v4.new_code_cell("", outputs=clean_outputs(raw))
    nbformat.validate(nbformat.v4.new_notebook(cells=[cell]))


def test_an_endless_stream_of_garbage_ends_with_the_budget():
    ours, theirs = socket.socketpair()
    run = Run(Puppet(), 1, ours, Limits(wall=0.5, call=0.5))
    stop = threading.Event()

    def drip():
        try:
            theirs.sendall((1 << 20).to_bytes(4, "big"))
            while not stop.wait(0.01):
                theirs.sendall(b"l")
        except OSError:
            pass

    threading.Thread(target=drip, daemon=True).start()
    with pytest.raises(SandboxError):
        _ = run.student.anything
    stop.set()


@pytest.mark.skipif(platform.system() != "Linux", reason="reads /proc")
def test_a_workers_memory_holds_no_test_and_no_answer():
    """Byte by byte, from outside: what a fork inherits and what the judge has sent."""
    secrets = {
        "a hidden test's hint": "앞에서 생긴 NaN은 나중에 0으로",
        "a hidden test": "test_gradients_are_finite",
        "the solution": "Rows with nothing to see go through softmax",
        "a misconception": (PROJECT / "grader/misconceptions/masking.py").read_text()[:60],
    }
    needles = {name: text.encode(encoding) for name, text in secrets.items() for encoding in ("utf-8",)}
    with Sandbox(Limits(wall=20)) as server:
        with server.run(["planted = 'here it' + ' is'", "def f(x): return x"]) as run:
            assert run.student.f(torch.ones(2)).tolist() == [1, 1]
            [worker] = (
                Path(f"/proc/{server._process.pid}/task/{server._process.pid}/children").read_text().split()
            )
            try:
                memory = list(_memory(int(worker)))
            except PermissionError:
                pytest.skip("this user may not read its own processes' memory")
    assert any(b"here it is" in part for part in memory)
    assert sum(map(len, memory)) > 50 << 20
    for name, needle in needles.items():
        assert not any(needle in part for part in memory), name


def _memory(pid):
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            low, high = (int(end, 16) for end in span.split("-"))
            if rights.startswith("rw"):
                memory.seek(low)
                try:
                    yield memory.read(high - low)
                except OSError:
                    continue


def test_a_folder_is_removed_however_it_was_left(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    here = os.open(".", os.O_RDONLY)
    os.chdir(folder)
    try:
        for _ in range(60):
            os.mkdir("x" * 100)
            os.chdir("x" * 100)
        os.mkdir("closed", 0o300)
        os.close(os.open("closed/file", os.O_CREAT))
    finally:
        os.fchdir(here)
        os.close(here)
    assert watch.stored(os.getpid(), folder) == float("inf")
    watch.remove(folder)
    assert not folder.exists()
