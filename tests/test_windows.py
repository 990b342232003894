"""A student's own check on Windows, as far as Linux can play it (tests/windows/sitecustomize.py)."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from grader.classroom.folder import Classroom
from grader.classroom.sample import Sample
from grader.exercise import ROOT, find_exercise


def grader(encoding, *words, cwd=ROOT):
    """Run `grader WORDS` where Windows' library lacks what it lacks, and a pipe has an old code page."""
    code = "import sitecustomize; assert sitecustomize.ABSENT; from grader.cli import main; main()"
    env = {name: value for name, value in os.environ.items() if name != "COURSE_BOOK_URL"}
    env |= {
        "PYTHONPATH": str(ROOT / "tests" / "windows"),
        "PYTHONIOENCODING": encoding,
        "PYTHONUTF8": "0",
        "PYTHONWARNDEFAULTENCODING": "1",
    }
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=cwd, env=env, capture_output=True, timeout=120
    )


@pytest.fixture(scope="module")
def desktop(tmp_path_factory, masking_class):
    """An exercise on a Korean desktop, saved by an editor of Windows, half solved and half wrong."""
    folder = tmp_path_factory.mktemp("C") / "사용자" / "바탕 화면" / "연습 (1)" / "masking"
    shutil.copytree(ROOT / "exercises" / "masking", folder)
    notebook = folder / "masking.ipynb"
    sample = Sample(Classroom.open(masking_class), find_exercise("masking"))
    saved = json.dumps(
        sample.solved(padding_mask="raise ValueError('— 틀림 ✗')"), ensure_ascii=False, indent=1
    )
    notebook.write_bytes(b"\xef\xbb\xbf" + saved.replace("\n", "\r\n").encode())
    return folder


@pytest.mark.parametrize(
    ("encoding", "shown"), [("cp949", "cp949"), pytest.param("cp1252", "utf-8", marks=pytest.mark.whole)]
)
def test_a_student_checks_a_notebook(desktop, encoding, shown):
    done = grader(encoding, "check", cwd=desktop)
    said = done.stdout.decode(shown)
    assert done.returncode == 1, done.stderr.decode(shown)
    assert "통과  combine_masks" in said and "확인 필요  padding_mask" in said


@pytest.mark.whole
def test_json_of_a_check_can_be_read(desktop):
    done = grader("cp949", "check", "masking", "--json", cwd=desktop)
    assert json.loads(done.stdout.decode("cp949"))["exercise"] == "masking", done.stderr.decode("cp949")


@pytest.mark.parametrize("encoding", ["cp949", pytest.param("cp1252", marks=pytest.mark.whole)])
def test_help_and_what_a_machine_cannot_do(encoding, tmp_path):
    assert grader(encoding, "--help").returncode == 0
    doctor = grader(encoding, "doctor")
    assert doctor.returncode == 1 and b"WSL" in doctor.stdout, doctor.stderr
    refused = grader(encoding, "autograde", "masking", "--class", str(tmp_path))
    assert refused.returncode == 2
    assert refused.stderr.count(b"\n") == 1 and b"WSL" in refused.stderr, refused.stderr
