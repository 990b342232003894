"""The notebook that is meant. What goes wrong is said in both languages: the notebook's is not known yet."""

from __future__ import annotations

from pathlib import Path

from grader.errors import GraderError
from grader.exercise import PublicExercise, find_public
from grader.words import ENGLISH


def find(notebook: str | None) -> tuple[Path, PublicExercise]:
    """The notebook that is meant, and its exercise.

    Args:
        notebook: a path, an exercise's name, or None for the one notebook in the current folder.

    Raises:
        GraderError: there is none, or more than one.
    """
    if notebook is None:
        everything = set(Path.cwd().glob("*.ipynb"))
        found = sorted(everything - set(Path.cwd().glob(f"*.{ENGLISH}.ipynb")) or everything)
        if len(found) != 1:
            raise GraderError(
                f"이 폴더에 노트북이 {len(found)}개 있습니다. 확인할 노트북을 적어 주십시오: grader check masking.ipynb "
                f"/ This folder holds {len(found)} notebooks. Say which one to check."
            )
        return found[0], _exercise_of(found[0])
    path = Path(notebook)
    if path.suffix == ".ipynb":
        if not path.is_file():
            raise GraderError(f"{path} 파일이 없습니다. / There is no such file.")
        return path.resolve(), _exercise_of(path.resolve())
    exercise = find_public(notebook, Path.cwd())
    return exercise.notebook, exercise


def _exercise_of(notebook: Path) -> PublicExercise:
    if (notebook.parent / "checks.py").exists():
        return PublicExercise(notebook.parent)
    return find_public(notebook.stem, notebook.parent)
