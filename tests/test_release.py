"""A bundle holds what a student needs, works alone, and gives no answer away."""

import io
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from grader.authoring.release import release
from grader.errors import GraderError
from grader.exercise import ROOT, PublicExercise, all_exercises, find_exercise
from grader.reading import place


@pytest.fixture(scope="module")
def exercise():
    return find_exercise("masking")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory, exercise):
    to = tmp_path_factory.mktemp("release") / "연습 꾸러미"
    release([exercise], to, book_url="https://book.test", archive=True)
    return to


def texts(archive):
    """Every file of a zip by name, those of the wheels in it too."""
    for name in archive.namelist():
        content = archive.read(name)
        if name.endswith(".whl"):
            yield from texts(zipfile.ZipFile(io.BytesIO(content)))
        elif not name.endswith(("/", ".safetensors")):
            yield name, content.decode()


def secrets(exercise):
    """What must not get out: telling lines of solutions, wrong answers and hidden tests, and the names of the latter.

    What the lines that do get out compute, `test_answers` sees to.
    """
    source = exercise.source.read_text()
    hidden = re.findall(
        r"### BEGIN HIDDEN TESTS\n(.*?)### END HIDDEN TESTS", exercise.suite_path.read_text(), re.S
    )
    answers = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", source, re.S)
    lines = {
        line.strip()
        for block in [*hidden, *answers, exercise.bank_path.read_text()]
        for line in block.splitlines()
    }
    given = {
        line.strip() for line in re.sub("### BEGIN SOLUTION.*?### END", "", source, flags=re.S).splitlines()
    }
    hints = {line for line in lines if line.startswith(("read=", "@", '"""', "#"))}
    names = {f'"{question}",' for question in exercise.suite.questions}
    telling = {line for line in lines - given - hints - names if len(line) > 25}
    assert len(telling) > 40
    return telling | {case.name for case in exercise.suite.cases if case.hidden} | {"BEGIN SOLUTION"}


def test_no_answer_and_no_hidden_test_gets_out(bundle, exercise):
    forbidden = secrets(exercise)
    # The package's own code knows the markers by name.
    own = {"grader/judging/suite.py", "grader/authoring/build.py", "grader/judging/answers.py"}
    files = dict(texts(zipfile.ZipFile(bundle.with_name(bundle.name + ".zip"))))
    assert len(files) > 20
    for name, text in files.items():
        found = {line for line in forbidden if line in text}
        assert found <= ({"BEGIN SOLUTION"} if name in own else set()), f"{name}: {found}"


def test_bundle_holds_what_a_student_needs(bundle):
    wheel = next(bundle.glob("*.whl"))
    assert sorted(path.name for path in (bundle / "masking").iterdir()) == [
        "book_url.txt",
        "checks.py",
        "masking.ipynb",
        "mistakes.json",
    ]
    assert wheel.name in (bundle / "README.md").read_text(encoding="utf-8")
    names = zipfile.ZipFile(wheel).namelist()
    metadata = next(name for name in names if name.endswith("METADATA"))
    assert "\nRequires-Python: >=3.11\n" in zipfile.ZipFile(wheel).read(metadata).decode()
    assert not [name for name in names if re.match(r"solutions/|grader/(suites|misconceptions)/", name)]
    assert {name for name in names if name.endswith(".safetensors")} == {
        "course_data/tiny_bert/model.safetensors"
    }
    carried = {name.rpartition("/licenses/")[2] for name in names if "/licenses/" in name}
    assert carried == {"LICENSE", "LICENSE-TEXT", "LICENSE-NSMC", "NOTICE.md"}
    assert wheel.stat().st_size < 6 << 20
    assert "https://book.test/chapters/masking.html" in (bundle / "masking" / "masking.ipynb").read_text(
        "utf-8"
    )


def test_all_say_the_same_versions_of_python():
    project = (ROOT / "pyproject.toml").read_text()
    lowest = re.search(r'requires-python = ">=([\d.]+)"', project)[1]
    tried = re.findall(r"Python :: ([\d.]+)\"", project)
    newest = tried[-1]
    assert tried == [f"3.{minor}" for minor in range(int(lowest[2:]), int(newest[2:]) + 1)]
    said = {
        "chapters/how_to.md": f"Python {lowest} 이상이 필요합니다({newest}까지 시험했습니다)",
        "README.md": f"Python {lowest} or later (tried to {newest})",
        "README.ko.md": f"Python {lowest} 이상, {newest}까지 시험",
        "grader/authoring/release.py": f"Python {lowest}부터 쓸 수 있습니다",
    }
    assert {name for name, words in said.items() if words not in (ROOT / name).read_text("utf-8")} == set()


def test_what_the_package_leaves_out_no_exercise_uses():
    for exercise in all_exercises():
        for path in (exercise.source, exercise.suite_path, exercise.bank_path):
            assert not re.search("TINY_GPT|gpt_name", path.read_text(encoding="utf-8")), path


def test_hints_lead_to_the_book_or_nowhere(bundle, exercise, tmp_path):
    assert PublicExercise(bundle / "masking").book_url == "https://book.test"
    assert PublicExercise(exercise.folder).book_url == "http://localhost:8000"
    shutil.copytree(exercise.folder, tmp_path / "masking")
    assert PublicExercise(tmp_path / "masking").book_url == ""
    assert place("masking#diagonal") == "마스킹, '대각선을 한 칸 잘못 자르기'"


@pytest.mark.whole
def test_check_works_inside_with_only_the_package(bundle, tmp_path):
    zipfile.ZipFile(next(bundle.glob("*.whl"))).extractall(tmp_path)
    code = f"import grader; assert grader.__file__.startswith({str(tmp_path)!r}); from grader.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "check", "masking"],
        cwd=bundle,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1 and done.stdout.count("아직 구현하지 않았습니다.") == 5, done.stderr


def test_an_existing_bundle_is_not_overwritten(bundle, exercise):
    before = sorted(bundle.rglob("*"))
    with pytest.raises(GraderError, match="is there already"):
        release([exercise], bundle)
    assert sorted(bundle.rglob("*")) == before
