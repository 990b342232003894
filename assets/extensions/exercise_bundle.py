"""Puts what a reader needs for the exercises beside the book: all notebooks, public tests and the checker, in one zip.

It is made again when anything in it has changed. A book without its repository has none.
"""

import shutil
import tempfile
from pathlib import Path

from other_language import site_of

BUNDLE = "downloads/exercises.zip"


def has_bundle(app) -> bool:
    return Path(app.srcdir, "grader").is_dir()


def newest(root: Path) -> float:
    """The time of the last change to anything that goes into the bundle."""
    files = [root / "pyproject.toml"]
    for folder in ("grader", "exercises", "data"):
        files += [
            path for path in (root / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts
        ]
    return max(path.stat().st_mtime for path in files)


def make_bundle(app, exception):
    if exception or app.builder.format != "html" or not has_bundle(app):
        return
    root, archive = Path(app.srcdir), Path(app.outdir, BUNDLE)
    if archive.exists() and archive.stat().st_mtime >= newest(root):
        return
    # Imported here: other books need no grader.
    from grader.authoring.release import pack
    from grader.exercise import all_exercises

    with tempfile.TemporaryDirectory() as scratch:
        bundle = Path(scratch) / Path(BUNDLE).stem  # its README names the zip by its folder
        exercises = all_exercises()
        for exercise in exercises:
            shutil.copytree(exercise.folder, bundle / exercise.stem, ignore=shutil.ignore_patterns(".*"))
        pack(bundle, exercises, site_of(app) or None, app.config.language)
        made = shutil.make_archive(str(Path(scratch) / "exercises"), "zip", scratch, bundle.name)
        archive.parent.mkdir(exist_ok=True)
        shutil.move(made, archive)


def setup(app):
    app.connect("build-finished", make_bundle)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
