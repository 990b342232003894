"""The book's English source: every file of the Korean one, with the catalogues' sentences in place of its own.

    python assets/editions/english.py build/english

What holds no sentence is a link. Code cells are the same, so that the pages' outputs come from the same cache.
"""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import yaml

from grader.exercise import ROOT
from grader.translation import drawing, markdown
from grader.translation.catalogue import Catalogue
from grader.translation.sources import SETTINGS

LANGUAGE = "en"
SHARED = ("assets", "data", "grader", "locale", "pyproject.toml", "references.bib", "solutions")


def write(to: Path) -> None:
    fresh = to.with_name(to.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    for name in SHARED:
        (fresh / name).symlink_to(ROOT / name)
    for name in SETTINGS:
        _settings(ROOT / name, fresh / name)
    _chapters(ROOT / "chapters", fresh / "chapters")
    _exercises(ROOT / "exercises", fresh / "exercises")
    _keep_times(to, fresh)
    shutil.rmtree(to, ignore_errors=True)
    fresh.rename(to)


def _settings(source: Path, target: Path) -> None:
    settings = yaml.safe_load(source.read_text(encoding="utf-8"))
    settings = _strings(settings, Catalogue(LANGUAGE, "site"))
    if source.name == "_config.yml":
        settings["sphinx"]["config"]["language"] = LANGUAGE
        if address := settings["html"]["baseurl"]:
            settings["html"]["baseurl"] = f"{address.rstrip('/')}/{LANGUAGE}/"
    target.write_text(yaml.safe_dump(settings, allow_unicode=True, sort_keys=False), encoding="utf-8")


def _strings(settings, translate: Callable[[str], str]):
    if isinstance(settings, dict):
        return {key: _strings(value, translate) for key, value in settings.items()}
    if isinstance(settings, list):
        return [_strings(value, translate) for value in settings]
    return translate(settings) if isinstance(settings, str) else settings


def _chapters(source: Path, target: Path) -> None:
    words = Catalogue(LANGUAGE, "figures")
    for path in sorted(p for p in source.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            page = Catalogue(LANGUAGE, f"chapters/{path.stem}")
            copy.write_text(markdown.translated(path.read_text(encoding="utf-8"), page), encoding="utf-8")
        elif path.suffix == ".svg":
            copy.write_text(drawing.translated(path.read_text(encoding="utf-8"), words), encoding="utf-8")
        else:
            copy.symlink_to(path)


def _exercises(source: Path, target: Path) -> None:
    for folder in sorted(p for p in source.iterdir() if p.is_dir()):
        (target / folder.name).mkdir(parents=True)
        english = (folder / f"{folder.name}.{LANGUAGE}.ipynb").resolve(strict=True)
        (target / folder.name / f"{folder.name}.ipynb").symlink_to(english)


def _keep_times(before: Path, fresh: Path) -> None:
    """A page that says the same as before keeps its time, so that Sphinx does not read it again."""
    for path in (p for p in fresh.rglob("*") if p.is_file() and not p.is_symlink()):
        old = before / path.relative_to(fresh)
        if old.is_file() and old.read_bytes() == path.read_bytes():
            shutil.copystat(old, path)


if __name__ == "__main__":
    write(Path(sys.argv[1]).resolve())
