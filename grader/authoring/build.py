"""solutions/ → exercises/: the instructor's notebooks, the students' notebooks, public tests, observed mistakes."""

from __future__ import annotations

import copy
import hashlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import jupytext
import msgspec
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from grader.authoring.drills import drills
from grader.authoring.headings import headings
from grader.authoring.ladder import head, points_line, text_in
from grader.authoring.public import public_checks, same_but_rounding
from grader.errors import GraderError
from grader.exercise import AT_HOME_TAG, ROOT, Exercise, words_file
from grader.gradebook.converters import generate_assignment
from grader.judging.mistakes import Mistake
from grader.judging.observed import alike
from grader.notebook import AT_HOME, CHECK_PREFIX
from grader.reading import DRILLS, HEADINGS
from grader.results import write_whole
from grader.translation import markdown
from grader.translation.strings import hints
from grader.translation.voices import common_words, own_words
from grader.words import ENGLISH, KOREAN, OPENINGS

MISTAKES, CHECKS = "mistakes.json", "checks.py"


def instructor_notebook(exercise: Exercise) -> NotebookNode:
    """The percent-format source as nbgrader's source notebook, each question's points before it, a locked check behind.

    Raises:
        GraderError: the questions of the source and of the suite are not the same.
    """
    notebook = jupytext.read(exercise.source, fmt="py:percent")
    points = {q: sum(case.points for case in exercise.suite.of(q)) for q in exercise.suite.questions}
    asked = [cell.metadata.get("title") for cell in notebook.cells if _is_question(cell)]
    if sorted(asked) != sorted(points):
        raise GraderError(
            f"{exercise.source.name} asks {asked}, but {exercise.suite_path.name} grades {list(points)}. "
            "Give each question a cell '# %% NAME tags=[\"question\"]' and each test question=NAME."
        )
    cells, texts = [], []
    for number, cell in enumerate(notebook.cells):
        title = cell.metadata.pop("title", None)
        question, at_home = _is_question(cell), AT_HOME_TAG in cell.metadata.get("tags", [])
        cell.metadata = NotebookNode()
        cell.id = _cell_id(exercise.stem, number)
        cells.append(cell)
        texts += [cell] if cell.cell_type == "markdown" else []
        if question:
            texts[-1].source += f"\n\n{points_line(exercise, title)}"
            _mark(cell, title, solution=True)
            check = new_code_cell(f'check("{exercise.stem}", "{title}")', id=_cell_id(exercise.stem, title))
            cells.append(_mark(check, CHECK_PREFIX + title, grade=True, locked=True, points=points[title]))
        elif cell.cell_type == "code":
            _mark(cell, f"{AT_HOME if at_home else 'given_'}{number}", locked=True)
    texts[0].source = "\n\n".join(filter(None, [texts[0].source, head(exercise)]))
    first_code = next(i for i, cell in enumerate(cells) if cell.cell_type == "code")
    opening = new_code_cell(OPENINGS[KOREAN], id=_cell_id(exercise.stem, "opening"))
    cells.insert(first_code, _mark(opening, "opening", locked=True))
    closing = new_code_cell(f'check("{exercise.stem}")', id=_cell_id(exercise.stem, "closing"))
    cells.append(_mark(closing, "closing", locked=True))
    notebook.cells = cells
    notebook.metadata = NotebookNode(
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def _is_question(cell: NotebookNode) -> bool:
    return "question" in cell.metadata.get("tags", [])


def _cell_id(*parts) -> str:
    """Ids that stay the same from build to build."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:8]


def _mark(
    cell: NotebookNode, grade_id: str, *, solution=False, grade=False, locked=False, points=None
) -> NotebookNode:
    cell.metadata["nbgrader"] = {
        "schema_version": 3,
        "grade_id": grade_id,
        "solution": solution,
        "grade": grade,
        "locked": locked,
        "task": False,
        **({"points": points} if grade else {}),
    }
    return cell


def build(exercises: list[Exercise], build_folder: Path, to: Path = ROOT / "exercises") -> list[Path]:
    """Write instructors' notebooks under `build_folder` and students' folders under `to`.

    Returns:
        What has changed, relative to `to`.
    """
    with tempfile.TemporaryDirectory() as fresh:
        _build_into(Path(fresh), exercises, build_folder)
        changed = _differences(Path(fresh), to)
        for path, content in changed.items():
            write_whole(to / path, content)
        return [*changed]


def outdated(
    exercises: list[Exercise], build_folder: Path, committed: Path = ROOT / "exercises"
) -> list[Path]:
    """The files of `committed` that a build would change."""
    with tempfile.TemporaryDirectory() as fresh:
        _build_into(Path(fresh), exercises, build_folder)
        return [*_differences(Path(fresh), committed)]


def build_common(check: bool = False) -> bool:
    """Write what grading any exercise says, for the students' package: its English, the book's headings and drills.

    Args:
        check: only compare.

    Returns:
        Whether it was out of date.
    """
    files = {words_file(ENGLISH): common_words(ENGLISH), HEADINGS.name: headings(), DRILLS.name: drills()}
    outdated = {
        ROOT / "grader" / name: content
        for name, content in ((name, _json(texts)) for name, texts in files.items())
        if not (ROOT / "grader" / name).exists() or (ROOT / "grader" / name).read_bytes() != content
    }
    if not check:
        for path, content in outdated.items():
            write_whole(path, content)
    return bool(outdated)


def _build_into(to: Path, exercises: list[Exercise], build_folder: Path) -> None:
    """nbgrader's generate_assignment makes a student's notebook of the instructor's."""
    sources = write_sources(exercises, build_folder)
    with tempfile.TemporaryDirectory() as course:
        shutil.copytree(sources, Path(course) / "source")
        for exercise in exercises:
            generate_assignment(Path(course), exercise.stem)
            released = Path(course) / "release" / exercise.stem / f"{exercise.stem}.ipynb"
            _write_public(exercise, nbformat.read(released, as_version=4), to / exercise.stem)


def write_sources(exercises: list[Exercise], build_folder: Path) -> Path:
    """Write each instructor's notebook to `build_folder/source/STEM/STEM.ipynb`, and return that `source` folder."""
    for exercise in exercises:
        path = build_folder / "source" / exercise.stem / f"{exercise.stem}.ipynb"
        write_whole(path, nbformat.writes(instructor_notebook(exercise)).encode())
    return build_folder / "source"


def _write_public(exercise: Exercise, notebook: NotebookNode, folder: Path) -> None:
    for cell in notebook.cells:
        cell.metadata.get("nbgrader", {}).pop("checksum", None)
    write_notebook(notebook, folder / f"{exercise.stem}.ipynb")
    english = translated(notebook, text_in(exercise, ENGLISH), ENGLISH)
    write_notebook(english, folder / f"{exercise.stem}.{ENGLISH}.ipynb")
    write_checks(exercise, folder)


def translated(notebook: NotebookNode, text: Callable[[str], str], language: str) -> NotebookNode:
    """The notebook in another language: its text cells, and how it opens. Code is the same in all."""
    notebook = copy.deepcopy(notebook)
    notebook.metadata["lang"] = language
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = markdown.translated(cell.source, text)
        elif cell.source == OPENINGS[KOREAN]:
            cell.source = OPENINGS[language]
    return notebook


def write_notebook(notebook: NotebookNode, path: Path) -> None:
    write_whole(path, (nbformat.writes(notebook) + "\n").encode())


def write_checks(exercise: Exercise, folder: Path) -> None:
    """Write what `check` needs beside a student's notebook: public tests, observed mistakes, and their translation."""
    public = public_checks(exercise)
    write_whole(folder / CHECKS, public.encode())
    write_whole(folder / MISTAKES, _rows(exercise.mistakes))
    said = [
        text for code in (public, exercise.bank_path.read_text(encoding="utf-8")) for text, _ in hints(code)
    ]
    write_whole(folder / words_file(ENGLISH), _json(own_words(exercise, ENGLISH, only=said)))


def _json(texts: dict) -> bytes:
    return msgspec.json.format(msgspec.json.encode(texts), indent=1) + b"\n"


def _rows(mistakes: list[Mistake]) -> bytes:
    """One a line, so that a change of one changes one line."""
    return b"[\n" + b",\n".join(map(msgspec.json.encode, mistakes)) + b"\n]\n"


def _differences(built: Path, committed: Path) -> dict[Path, bytes]:
    """Contents to write, by path: built files of which `committed` holds something else."""
    found = {}
    for path in sorted(built.glob("*/*")):
        old = committed / path.relative_to(built)
        content = path.read_bytes()
        if path.name == MISTAKES and old.exists():
            content = _settled(content, old.read_bytes())
        if (
            path.name == CHECKS
            and old.exists()
            and same_but_rounding(content.decode(), old.read_text("utf-8"))
        ):
            content = old.read_bytes()
        if not old.exists() or old.read_bytes() != content:
            found[path.relative_to(built)] = content
    return found


def _settled(built: bytes, committed: bytes) -> bytes:
    """The built mistakes, those that differ from the committed ones by rounding alone as these are."""
    ours, theirs = (msgspec.json.decode(rows, type=list[Mistake]) for rows in (built, committed))
    known = {(mistake.question, mistake.name): mistake for mistake in theirs}
    kept = []
    for mistake in ours:
        old = known.get((mistake.question, mistake.name), mistake)
        same = alike(msgspec.to_builtins(mistake), msgspec.to_builtins(old))
        kept.append(old if same else mistake)
    return _rows(kept)
