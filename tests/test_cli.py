"""The command line: what it prints, how it ends, and that its errors are one clear line."""

import importlib
import json
import shutil
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest
from sampled import one_in

from grader.authoring.build import instructor_notebook
from grader.cli import main
from grader.errors import GraderError
from grader.exercise import ROOT, Exercise, find_exercise


@pytest.fixture
def grader(monkeypatch, capsys):
    """Run the command line in this process: `grader("check", cwd=...)` -> status, what it printed, what it said on stderr."""

    def run(*arguments, cwd=ROOT):
        monkeypatch.chdir(cwd)
        monkeypatch.setattr(sys, "argv", ["grader", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return SimpleNamespace(status=ended.value.code or 0, out=printed.out, err=printed.err)

    return run


@pytest.fixture
def folder(tmp_path):
    """A student's folder, in a path with a space and Korean letters."""
    copy = tmp_path / "내 연습" / "masking"
    shutil.copytree(ROOT / "exercises" / "masking", copy)
    return copy


def solve(folder, *, but=None):
    """Replace the stubs by the instructor's cells; `but` maps a question to another cell."""
    notebook = instructor_notebook(find_exercise("masking"))
    for cell in notebook.cells:
        marked = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = (but or {}).get(marked, cell.source)
    nbformat.write(notebook, folder / "masking.ipynb")


def test_help_does_not_wait_for_torch():
    code = "import sys; from grader.cli import app; assert not {'torch', 'nbgrader'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd=ROOT)


@pytest.mark.parametrize(
    "command", one_in(3, ["autograde", "scores", "feedback", "report", "export"], rest="whole")
)
def test_an_instructor_does_not_wait_for_torch_twice(command, masking_class, tmp_path):
    """Judges load it, and who writes down what they say does without."""
    shutil.copytree(masking_class, tmp_path / "class")
    about = [
        command,
        *["masking"] * (command not in ("report", "export")),
        "--class",
        str(tmp_path / "class"),
    ]
    code = f"""
import sys
from grader.cli import main
sys.argv[1:] = {about!r}
try:
    main()
except SystemExit:
    pass
assert not {{'torch', 'jupytext', 'pytest'}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd=ROOT)


def test_a_stub_has_everything_left_to_do(folder, grader):
    done = grader("check", cwd=folder)
    assert done.status == 1, done.err
    assert done.out.count("아직 구현하지 않았습니다.") == 5
    assert "합계 0/" in done.out


def test_right_answers_pass(folder, grader):
    solve(folder)
    done = grader("check", "masking", "--json", cwd=folder.parent)
    assert done.status == 0, done.out + done.err
    found = json.loads(done.out)
    assert found["earned"] == found["possible"] > 0 and found["errors"] == []


def test_a_mistake_is_named_and_an_error_in_a_cell_does_not_stop_the_rest(folder, grader, monkeypatch):
    solve(
        folder,
        but={
            "look_ahead_mask": "def look_ahead_mask(length, device=None):\n"
            "    return torch.ones(length, length, dtype=torch.bool).tril(-1)\n"
            "1 / 0",
        },
    )
    monkeypatch.setenv("COURSE_BOOK_URL", "http://book.test")
    done = grader("check", folder / "masking.ipynb")
    assert done.status == 1
    assert "ZeroDivisionError: division by zero" in done.out
    assert "대각선이 빠졌습니다" in done.out
    assert "http://book.test/chapters/masking.html#diagonal" in done.out
    assert "통과  combine_masks" in done.out


def test_the_notebooks_own_checks_and_prints_stay_silent(folder, grader):
    solve(folder, but={"combine_masks": "print('noise')\nimport sys; print('more', file=sys.stderr)"})
    done = grader("check", cwd=folder)
    assert "noise" not in done.out and "more" not in done.err
    assert "없는 이름입니다" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "nothing"], "연습 폴더를 찾지 못했습니다"),
        (["check", "nothing.ipynb"], "파일이 없습니다"),
        (["check"], "노트북이 0개"),
        (["build", "nothing"], "No exercise 'nothing'"),
        (["release", "nothing", "-o", "x"], "No exercise 'nothing'"),
    ],
)
def test_an_error_is_one_line(tmp_path, grader, monkeypatch, arguments, said):
    done = grader(*arguments, cwd=tmp_path)
    assert done.status == 2
    assert said in done.err and len(done.err.strip().splitlines()) == 1
    monkeypatch.setattr(sys, "argv", ["grader", "--debug", *arguments])
    with pytest.raises(GraderError):
        main()


@pytest.mark.parametrize(
    ("missing", "said"),
    [("sqlalchemy.orm", ".[instructor]"), ("babel", ".[instructor]"), ("seaborn", "into this environment")],
)
def test_a_missing_library_says_how_to_get_it(grader, monkeypatch, missing, said):
    def command():
        raise ModuleNotFoundError(name=missing)

    monkeypatch.setattr("grader.cli.app", command)
    done = grader("scores")
    assert done.status == 2 and said in done.err and f"'{missing}' is not installed" in done.err


def test_a_broken_notebook_is_an_error_not_a_crash(folder, grader):
    (folder / "masking.ipynb").write_text("{")
    done = grader("check", cwd=folder)
    assert done.status == 2 and "중간에서 끊겼습니다" in done.err


def test_build_says_what_is_up_to_date(grader):
    done = grader("build", "masking", "--check")
    assert done.status == 0, done.err
    assert "masking: up to date" in done.out


def test_build_says_which_files_of_an_exercise_are_still_to_be_written(grader, monkeypatch):
    monkeypatch.setattr(Exercise, "missing", lambda self: [self.suite_path, self.bank_path])
    done = grader("build", "masking")
    assert done.status == 2
    assert "to be written: grader/suites/test_masking.py, grader/misconceptions/masking.py." in done.err


def test_doctor_says_what_is_lacking(grader, monkeypatch):
    from grader import sandbox

    layers = [
        sandbox.Layer("landlock", True, "version 6"),
        sandbox.Layer("seccomp", False, "not in this kernel"),
    ]
    monkeypatch.setattr("grader.sandbox.doctor", lambda: layers)
    done = grader("doctor")
    assert done.status == 1 and "NO   seccomp: not in this kernel" in done.out
    monkeypatch.setattr("grader.sandbox.doctor", lambda: layers[:1])
    assert grader("doctor").status == 0


@pytest.mark.parametrize(("mode", "filtered"), [(0, False), (2, True)])
def test_doctor_does_not_blame_the_kernel_alone_inside_a_filter(mode, filtered, monkeypatch, tmp_path):
    """A container of Docker 20.10, or a unit with SystemCallFilter=, refuses Landlock on a kernel that has it."""
    module = importlib.import_module("grader.sandbox.doctor")
    (tmp_path / "status").write_text(f"NoNewPrivs:\t1\nSeccomp:\t{mode}\nSeccomp_filters:\t{mode // 2}\n")
    monkeypatch.setattr(module, "STATUS", str(tmp_path / "status"))
    monkeypatch.setattr(module.landlock, "version", lambda: 0)
    [layer] = [layer for layer in module.doctor() if layer.name == "landlock"]
    assert not layer.available and "the kernel lacks Landlock" in layer.why
    assert ("SystemCallFilter=" in layer.why) is filtered
