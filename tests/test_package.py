"""What a release consists of: one version everywhere, distributions that are whole and give nothing away, metadata."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import tomllib
import yaml
from packaging.metadata import Metadata

from grader.exercise import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
BUILD = "import sys; from setuptools import build_meta as b; to = sys.argv[1]; b.build_sdist(to); b.build_wheel(to)"
NOT_IN_IT = re.compile(r"(^|/)(solutions|exercises|tests|suites|misconceptions)/")


@pytest.fixture(scope="module")
def distributions(tmp_path_factory) -> Path:
    """The folder of an sdist and a wheel, built from a copy that no earlier build has touched."""
    source = tmp_path_factory.mktemp("source") / "attentively"
    unneeded = shutil.ignore_patterns(
        ".git", ".venv", "build", "__pycache__", "*.egg-info", "assets", "chapters", "locale"
    )
    shutil.copytree(ROOT, source, ignore=unneeded)
    to = tmp_path_factory.mktemp("dist")
    done = subprocess.run([sys.executable, "-c", BUILD, to], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return to


def files_of(distributions: Path) -> dict[str, dict[str, bytes]]:
    """Each distribution's files by name, the sdist's below its folder."""
    [wheel], [sdist] = distributions.glob("*.whl"), distributions.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as packed:
        found = {"wheel": {name: packed.read(name) for name in packed.namelist()}}
    with tarfile.open(sdist) as packed:
        members = [member for member in packed if member.isfile()]
        found["sdist"] = {
            member.name.partition("/")[2]: packed.extractfile(member).read() for member in members
        }
    return found


def test_one_version_one_day():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest, day = re.search(r"^## ([\d.]+) \(([\d-]+)\)$", changes, re.MULTILINE).groups()
    assert PROJECT["version"] == CITATION["version"] == newest
    assert CITATION["date-released"] == day


def test_citation_and_zenodo_say_the_same():
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert zenodo["title"] == CITATION["title"]
    assert [person["name"] for person in zenodo["creators"]] == [
        person["name"] for person in CITATION["authors"]
    ]
    assert zenodo["keywords"] == CITATION["keywords"]
    assert zenodo["description"].startswith(CITATION["abstract"])
    assert zenodo["license"] == PROJECT["license"] == CITATION["license"][0]
    assert "version" not in zenodo


@pytest.mark.whole
def test_distributions_are_whole_and_give_no_answer_away(distributions):
    files = files_of(distributions)
    for names in files.values():
        assert [name for name in names if NOT_IN_IT.search(name)] == []
    info = f"attentively-{PROJECT['version']}.dist-info"
    stated = {
        "wheel": files["wheel"][f"{info}/METADATA"],
        "sdist": files["sdist"]["PKG-INFO"],
    }
    for which, text in stated.items():
        told = Metadata.from_email(text, validate=True)
        assert (told.name, str(told.version)) == ("attentively", PROJECT["version"]), which
        assert told.description_content_type == "text/markdown" and "## Two commands" in told.description
        assert told.license_expression == "MIT" and told.license_files == PROJECT["license-files"]
    packages = {name for name in files["wheel"] if name.startswith("grader/") and name.endswith(".py")}
    assert packages == {
        name for name in files["sdist"] if name.startswith("grader/") and name.endswith(".py")
    }
    for name in PROJECT["license-files"]:
        assert files["wheel"][f"{info}/licenses/{name}"] == (ROOT / name).read_bytes()


@pytest.fixture(scope="module")
def run_from_wheel(distributions, tmp_path_factory):
    """run_from_wheel(*arguments): the command of the unpacked wheel, in a folder with one exercise and nothing else of ours."""
    package, folder = tmp_path_factory.mktemp("package"), tmp_path_factory.mktemp("home")
    zipfile.ZipFile(next(distributions.glob("*.whl"))).extractall(package)
    shutil.copytree(ROOT / "exercises" / "masking", folder / "masking")
    code = f"import grader; assert grader.__file__.startswith({str(package)!r}); from grader.cli import main; main()"

    def run(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(package)},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


@pytest.mark.whole
def test_the_wheel_checks_a_students_work(run_from_wheel):
    helped = run_from_wheel("--help")
    assert helped.returncode == 0 and "new-class" in helped.stdout
    checked = run_from_wheel("check", "masking")
    assert checked.returncode == 1 and checked.stdout.count("아직 구현하지 않았습니다.") == 5, checked.stderr


def test_the_wheel_tells_an_instructor_where_classes_are_made(run_from_wheel):
    refused = run_from_wheel("new-class", "spring", "--exercise", "masking")
    assert refused.returncode == 2
    assert "checkout of the course" in refused.stderr and "Traceback" not in refused.stderr
