"""What others have made stands in NOTICE.md with its licence, whose text is here."""

import re
import subprocess

import pytest

from grader.exercise import ROOT

# What nobody types: fonts, weights, vocabularies, packed scripts. Pictures and outputs are drawn by our own code.
MADE_ELSEWHERE = re.compile(r"\.(woff2?|otf|ttf|safetensors|min\.(js|css))$|/vocab\.txt$|/temml\.css$")
LICENCES = {
    "SIL Open Font License 1.1": r"SIL OPEN FONT LICENSE\s+Version 1\.1",
    "MIT License": "MIT License",
    "MIT": "MIT License",
    "Mozilla Public License 2.0": "Mozilla Public License, version 2.0",
    "CC0 1.0": "CC0 1.0 Universal",
}
ROW = re.compile(r"^\| `(?P<path>[^`]+)` \| .* \| (?P<licence>[^|]+) \| `(?P<text>[^`]+)` \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def rows():
    found = list(ROW.finditer((ROOT / "NOTICE.md").read_text(encoding="utf-8")))
    assert len(found) >= 10
    return found


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the repository's list of files")
def test_everything_that_others_have_made_is_named(rows):
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [name for name in listed.stdout.splitlines() if MADE_ELSEWHERE.search(name)]
    unnamed = [name for name in files if not any(name.startswith(row["path"]) for row in rows)]
    assert files and unnamed == [], "name it in NOTICE.md, and put its licence beside it"


def test_each_licence_is_here(rows):
    for row in rows:
        assert (ROOT / row["path"]).exists(), row["path"]
        text = (ROOT / row["text"]).read_text(encoding="utf-8")
        assert re.search(LICENCES[row["licence"].strip()], text), row["path"]
