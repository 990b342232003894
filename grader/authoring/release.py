"""The bundle that students receive: notebooks, public tests, how to begin, and the package that checks."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import tomllib

from grader.authoring.build import build
from grader.errors import GraderError
from grader.exercise import BOOK_URL_FILE, HINTS, HINTS_FILE, ROOT, Exercise, words_file
from grader.results import write_whole
from grader.translation import markdown
from grader.translation.catalogue import Catalogue
from grader.words import ENGLISH, IN_KOREAN, KOREAN, Words

_CHAPTER_LINK = re.compile(r"\[([^\[\]]*)\]\((?:\.\./)+chapters/(\w+)\.md\)")
# No exercise uses the tiny GPT, half of the package's size; chapters do, in the repository.
_NOT_FOR_STUDENTS = shutil.ignore_patterns("__pycache__", "suites", "misconceptions", "tiny_gpt")


def release(
    exercises: list[Exercise],
    to: Path,
    book_url: str | None = None,
    archive: bool = False,
    language: str = KOREAN,
    hints: int = HINTS,
) -> None:
    """Write a bundle to the folder `to`, and to `to`.zip if `archive`.

    Args:
        book_url: where students read the book (the Korean one, below which the English lies); hints link there.
        language: of the notebooks.
        hints: how many a check tells.

    Raises:
        GraderError: `to` is there already.
    """
    _refuse_existing(to)
    if archive:
        _refuse_existing(to.with_name(to.name + ".zip"))
    with tempfile.TemporaryDirectory() as scratch:
        bundle = Path(scratch) / to.name
        build(exercises, Path(scratch) / "build", bundle)
        if hints != HINTS:
            for exercise in exercises:
                write_whole(bundle / exercise.stem / HINTS_FILE, f"{hints}\n".encode())
        pack(bundle, exercises, book_url, language)
        to.parent.mkdir(parents=True, exist_ok=True)
        if archive:
            shutil.make_archive(str(to), "zip", scratch, to.name)
        shutil.copytree(bundle, to, dirs_exist_ok=True)


def _keep(folder: Path, language: str) -> None:
    """Leave an exercise's notebook in one language, under the name by which it is handed in."""
    english = folder / f"{folder.name}.{ENGLISH}.ipynb"
    if language == ENGLISH:
        english.replace(folder / f"{folder.name}.ipynb")
    else:
        english.unlink()
        (folder / words_file(ENGLISH)).unlink()


def pack(bundle: Path, exercises: list[Exercise], book_url: str | None, language: str = KOREAN) -> None:
    """Make a bundle of a folder of exercises: one language, links to the book, the package that checks, how to begin."""
    words = Words(Catalogue(language, "grader").texts, language)
    for exercise in exercises:
        _keep(bundle / exercise.stem, language)
        link_book(bundle / exercise.stem, book_url, words)
    wheel = students_package(bundle)
    readme = _readme(exercises, wheel, words.book(book_url), bundle.name)
    write_whole(bundle / "README.md", markdown.translated(readme, words).encode())


def _refuse_existing(path: Path) -> None:
    if path.is_file() or path.is_dir() and any(path.iterdir()):
        raise GraderError(f"{path} is there already. Remove it, or choose another name with -o.")


def link_book(folder: Path, book_url: str | None, words: Words = IN_KOREAN) -> None:
    """Make an exercise's links to chapters lead to the book at `book_url`, or to nowhere without one."""
    path = folder / f"{folder.name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    link = rf"[\1]({words.book(book_url)}/chapters/\2.html)" if book_url else r"\1"
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _CHAPTER_LINK.sub(link, cell.source)
    write_whole(path, (nbformat.writes(notebook) + "\n").encode())
    if book_url:
        write_whole(folder / BOOK_URL_FILE, f"{book_url}\n".encode())


def students_package(to: Path) -> Path:
    """Build the wheel that `check` comes from. It holds no suite, no misconception and no solution."""
    with tempfile.TemporaryDirectory() as source:
        for name in ("pyproject.toml", "README.md", *_licences()):
            shutil.copy(ROOT / name, source)
        for package in ("grader", "data"):
            shutil.copytree(ROOT / package, Path(source) / package, ignore=_NOT_FOR_STUDENTS)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        done = subprocess.run([*command, "--wheel-dir", to, source], capture_output=True, text=True)
    if done.returncode:
        raise GraderError(f"The students' package could not be built:\n{done.stderr.strip()}")
    return next(to.glob("*.whl"))


def _licences() -> list[str]:
    """The files that say under which licences this and what it carries may be used: those that the package names."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["license-files"]


def _readme(exercises: list[Exercise], wheel: Path, book_url: str, name: str) -> str:
    stem = exercises[0].stem
    folders = "\n".join(f"- `{exercise.stem}/{exercise.stem}.ipynb`" for exercise in exercises)
    book = f"\n책은 <{book_url}>에 있습니다.\n" if book_url else ""
    return f"""# 트랜스포머 집중 강의: 연습

{folders}
{book}
## 설치

Python 3.11부터 쓸 수 있습니다. 이 폴더에서 터미널을 열어 실행하십시오. macOS와 리눅스에서는 다음과 같습니다. 리눅스에서 둘째 줄을 빼면 쓰지 않을 CUDA까지 2 GB를 더 받습니다.

```sh
python3 -m venv .venv
.venv/bin/pip install torch --index-url https://download.pytorch.org/whl/cpu
.venv/bin/pip install ./{wheel.name} jupyterlab
```

Windows에서는 다음과 같습니다. 아래의 줄에서도 `.venv/bin/`을 `.venv\\Scripts\\`로 바꿉니다.

```sh
py -m venv .venv
.venv\\Scripts\\pip install ./{wheel.name} jupyterlab
```

## 열기

```sh
.venv/bin/jupyter lab {stem}/{stem}.ipynb
```

`# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행합니다. 점수와 어긋난 이유, 읽을 문단이 나옵니다.

## Colab에서

`{stem}/{stem}.ipynb`를 Colab에 올려 열고, 왼쪽 파일 창에 `{name}.zip`을 올립니다. 맨 위에 칸을 하나 만들어 먼저 실행합니다.

```python
!unzip -qo {name}.zip && pip install -q ./{name}/{wheel.name}
%cd {name}
```

Colab에 torch는 이미 있습니다. 다 풀면 '파일 → 다운로드 → .ipynb 다운로드'로 내려받아 제출합니다.

## 확인하기

노트북 전체를 처음부터 다시 실행하고 점수를 봅니다. 노트북을 저장하고, 같은 폴더에서 둘째 터미널을 열어 실행합니다.

```sh
.venv/bin/grader check {stem}
```

여기 보이는 시험에서 모두 점수를 받아도, 제출한 뒤에는 보이지 않는 시험이 더 있습니다. 문제에 적힌 약속을 지키면 통과합니다.

## 제출하기

노트북 파일(`{stem}.ipynb`)을 제출합니다. 파일 이름과 문제에 적힌 함수와 클래스의 이름은 바꾸지 마십시오. 채점은 그
이름으로 합니다.
"""
