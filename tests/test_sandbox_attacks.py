"""Every attack in tests/attacks, through the judge: what it earns, how it ends, what it learns, whom it harms.

An attack is the exercise `masking`, unanswered (or answered: `# notebook: honest`), with cells of its own behind.
Its first lines say what must come of it:

    # earns: points            exactly
    # ends: died | timeout     while its cells run, so that there is nothing to judge
    # only: x86_64             the machines on which it means something

What it has learnt it puts into `loot`, which must stay empty.
"""

import hashlib
import os
import platform
import re
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from sampled import one_in

from grader.judging.judge import judge
from grader.judging.suite import Local, load_module, load_suite
from grader.sandbox import Limits, Sandbox, SandboxError, WorkerDied, WorkerTimeout, doctor

PROJECT = Path(__file__).resolve().parents[1]
ATTACKS = sorted((PROJECT / "tests/attacks").glob("*.py"))
LIMITS = Limits(wall=20, call=2, cpu=15, memory_mb=256, output_mb=0.25, scratch_mb=4, threads=12)
SECRET = "a-secret-of-the-class"

pytestmark = pytest.mark.skipif(
    any(layer.required and not layer.available for layer in doctor()),
    reason="this machine cannot confine a worker",
)


@pytest.fixture(scope="module")
def school(tmp_path_factory):
    """A class folder with what an attacker would like to reach, and a listener on the loopback."""
    folder = tmp_path_factory.mktemp("class")
    submission = folder / "submitted/honest/masking/masking.ipynb"
    submission.parent.mkdir(parents=True)
    submission.write_text("another student's work")
    (folder / "gradebook.db").write_bytes(b"points")
    (folder / "gradebook.db").chmod(0o640)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield folder, listener


@pytest.fixture(scope="module")
def server(school):
    os.environ["CLASS_SECRET"] = SECRET
    with Sandbox(LIMITS) as server:
        del os.environ["CLASS_SECRET"]
        yield server


@pytest.fixture(scope="module")
def suite():
    return load_suite(PROJECT / "grader/suites/test_masking.py", "masking")


@pytest.fixture(scope="module")
def reference():
    return Local(vars(load_module(PROJECT / "solutions/masking.py", "reference_masking")))


def answers(honest: bool) -> str:
    source = (PROJECT / "solutions/masking.py").read_text()
    if honest:
        return source
    return re.sub(r"### BEGIN SOLUTION.*?### END SOLUTION", "raise NotImplementedError", source, flags=re.S)


def prelude(school) -> str:
    folder, listener = school
    return f"""
PROJECT, CLASS, PORT, SECRET_NAME = {str(PROJECT)!r}, {str(folder)!r}, {listener.getsockname()[1]}, {SECRET!r}
loot = []
def attempt(action):
    try:
        loot.append(repr(action()))
    except Exception:
        pass
"""


def cells(text: str) -> list[str]:
    return re.split(r"^# %%.*\n", text, flags=re.M)[1:]


def directive(text: str, name: str) -> str:
    found = re.search(rf"^# {name}: (.*)$", text, flags=re.M)
    return found.group(1) if found else ""


def state(folder: Path) -> dict:
    """Every file below, with its content, mode and time of change."""
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_mtime_ns, path.is_file() and path.read_bytes())
        for path in sorted([folder, *folder.rglob("*")])
    }


def digest(path: Path) -> tuple:
    return hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mode, path.stat().st_mtime_ns


def grade(server, notebook, suite, reference, judged=judge):
    """Points, what the notebook put into `loot`, and the outputs of its cells."""
    runs = [server.run(notebook)]

    def restart():
        runs.append(server.run(notebook))
        return runs[-1].student

    try:
        try:
            loot = runs[0].student.loot
        except (SandboxError, AttributeError):
            loot = []
        results = judged(runs[0].student, suite, reference=reference, seed="attacks", restart=restart)
    finally:
        for run in runs:
            run.close()
    outputs = [output for cell in runs[0].cells for output in cell.outputs]
    return sum(result.earned for result in results), loot, outputs


@pytest.mark.parametrize("path", one_in(3, ATTACKS, lambda path: path.stem, rest="whole"))
def test_attack(path, server, school, suite, reference):
    text = path.read_text()
    if (only := directive(text, "only")) and only != platform.machine():
        pytest.skip(f"written for {only}")
    notebook = [answers(directive(text, "notebook") == "honest"), prelude(school), *cells(text)]
    folder, listener = school
    before = state(folder), digest(PROJECT / "solutions/masking.py")

    if end := directive(text, "ends"):
        with pytest.raises({"died": WorkerDied, "timeout": WorkerTimeout}[end]) as caught:
            server.run(notebook, replace(LIMITS, wall=2) if end == "timeout" else None).close()
        assert caught.value.cell is not None and caught.value.cell >= 2
    else:
        earned, loot, outputs = grade(server, notebook, suite, reference)
        assert earned == float(directive(text, "earns"))
        assert loot == []
        assert_harmless(outputs)

    assert (state(folder), digest(PROJECT / "solutions/masking.py")) == before
    with pytest.raises(BlockingIOError):
        listener.accept()
    assert list(Path(server._base).glob("run-*")) == []


def assert_harmless(outputs):
    """Nothing but text and pictures, and not too much of it."""
    size = 0
    for output in outputs:
        assert output.keys() <= {"output_type", "name", "text", "ename", "evalue", "traceback", "data", "metadata", "execution_count"}  # fmt: skip  # noqa: E501
        assert output.get("metadata", {}) == {}
        assert output.get("data", {}).keys() <= {"text/plain", "image/png", "image/jpeg"}
        for mime, content in output.get("data", {}).items():
            assert mime == "text/plain" or re.fullmatch(r"[A-Za-z0-9+/=\n]*", content)
        size += len(str(output))
    assert size < 2 * LIMITS.output_mb * (1 << 20)


def test_an_honest_notebook_keeps_its_points_after_all_of_them(server, school, suite, reference):
    notebook = [answers(honest=True), prelude(school)]
    assert grade(server, notebook, suite, reference)[0] == 10
    assert grade(server, [answers(honest=False), prelude(school)], suite, reference)[0] == 0


def test_the_corpus_is_large_enough():
    assert len(ATTACKS) >= 40
    for path in ATTACKS:
        text = path.read_text()
        assert directive(text, "earns") or directive(text, "ends"), path.stem
