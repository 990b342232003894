"""Sources of each catalogue's sentences. A new kind of source is one more function here, named in SOURCES."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import jupytext
import yaml

from grader.errors import GraderError
from grader.exercise import ROOT, Exercise, all_exercises
from grader.translation import drawing, strings
from grader.translation.catalogue import Catalogue
from grader.translation.markdown import KOREAN, messages

Said = tuple[str, int]
SETTINGS, FIGURES = ("_config.yml", "_toc.yml"), ROOT / "chapters" / "figures"
# Where the grader speaks to students.
SPOKEN = (
    "cli/students.py judging/answers.py reading.py student/check.py student/selfcheck.py student/answer_key.py "
    "student/execute.py results.py judging/judge.py judging/failures.py judging/silence.py judging/turned.py judging/contract.py judging/suite.py "
    "notebook.py misfiled.py gradebook/marked.py classroom/page.py classroom/early.py classroom/answer_block.py classroom/job.py classroom/grading.py classroom/sitting.py "
    "classroom/course_feedback.py classroom/platforms/gradescope_run.py authoring/ladder.py authoring/release.py"
).split()
# Where it speaks to those who teach.
SHOWN = ("classroom/report.py", "classroom/similarity_page.py", "classroom/watch_page.py")


# Pages that tell their examples in the reader's language: the words in their code, but for the book's running sentence.
EXAMPLES, RUNNING_SENTENCE = ("index", "attention"), {"나는", "집에", "간다"}
CODE = re.compile(r"^```\{code-cell\}.*?^```", re.MULTILINE | re.DOTALL)
STRING = re.compile(r'"([^"\n]*[가-힣][^"\n]*)"')


@dataclass(frozen=True)
class Source:
    """The source of one catalogue.

    Attributes:
        name: the catalogue's, "hints/masking".
        read: gives texts and their lines, in the source's order.
    """

    name: str
    path: Path
    read: Callable[[], list[Said]]

    @cached_property
    def said(self) -> list[Said]:
        return self.read()


def chapters() -> Iterator[Source]:
    for path in sorted((ROOT / "chapters").glob("*.md")):
        yield Source(f"chapters/{path.stem}", path, partial(_page, path))


def exercises() -> Iterator[Source]:
    for exercise in all_exercises():
        yield Source(f"exercises/{exercise.stem}", exercise.source, partial(_cells, exercise))


def hints() -> Iterator[Source]:
    for exercise in all_exercises():
        yield Source(f"hints/{exercise.stem}", exercise.suite_path, partial(_hints, exercise))


def grader() -> Iterator[Source]:
    yield Source("grader", ROOT / "grader", partial(_own_words, SPOKEN))


def instructors() -> Iterator[Source]:
    yield Source("instructors", ROOT / "grader", partial(_own_words, SHOWN))


def figures() -> Iterator[Source]:
    yield Source("figures", ROOT / "chapters" / "figures", _drawings)


def site() -> Iterator[Source]:
    yield Source("site", ROOT, _settings)


def examples() -> Iterator[Source]:
    yield Source("examples", ROOT / "chapters", _examples)


SOURCES = (chapters, exercises, hints, grader, instructors, figures, site, examples)


def _page(path: Path) -> list[Said]:
    return _prose(path.read_text(encoding="utf-8"))


def _prose(page: str) -> list[Said]:
    return [(message.text, message.line) for message in messages(page)]


def _cells(exercise: Exercise) -> list[Said]:
    """The text cells of a notebook."""
    cells = jupytext.read(exercise.source, fmt="py:percent").cells
    return [text for cell in cells if cell.cell_type == "markdown" for text in _prose(cell.source)]


def _hints(exercise: Exercise) -> list[Said]:
    """Texts that the suite and the misconceptions of an exercise say to a student."""
    paths = (exercise.suite_path, exercise.bank_path)
    return [said for path in paths for said in strings.hints(path.read_text(encoding="utf-8"))]


def _own_words(names: Iterable[str]) -> list[Said]:
    """Texts in modules of the grader; those of several lines are pages of their own."""
    said = []
    for name in names:
        for text, line in strings.spoken((ROOT / "grader" / name).read_text(encoding="utf-8")):
            said += _prose(text) if "\n" in text else [(text, line)]
    return said


def _drawings() -> list[Said]:
    """The words of drawings, and of what stands for live figures on paper."""
    pages = (path.read_text(encoding="utf-8") for path in sorted(FIGURES.rglob("*.svg")))
    return [(text, 0) for page in pages for text in drawing.messages(page)]


def _examples() -> list[Said]:
    """The words that the code of some pages works with."""
    pages = ((ROOT / "chapters" / f"{stem}.md").read_text(encoding="utf-8") for stem in EXAMPLES)
    words = (word for page in pages for cell in CODE.findall(page) for word in STRING.findall(cell))
    return [(word, 0) for word in words if word not in RUNNING_SENTENCE]


def _settings() -> list[Said]:
    """The words of the book's settings: its title, its parts."""
    settings = (yaml.safe_load((ROOT / name).read_text(encoding="utf-8")) for name in SETTINGS)
    return [(text, 0) for one in settings for text in _korean(one)]


def _korean(settings) -> Iterator[str]:
    if isinstance(settings, dict | list):
        for value in settings.values() if isinstance(settings, dict) else settings:
            yield from _korean(value)
    elif isinstance(settings, str) and KOREAN.search(settings):
        yield settings


def find_sources(names: Iterable[str] = ()) -> list[Source]:
    """All sources, or those of some names: "masking" is whatever has this stem, "hints/masking" one.

    Raises:
        GraderError: there is none of a name.
    """
    found = [source for kind in SOURCES for source in kind()]
    names = list(names)
    for name in names:
        if not any(_is_called(source, name) for source in found):
            raise GraderError(f"Nothing to translate is called '{name}'.")
    return [source for source in found if not names or any(_is_called(source, name) for name in names)]


def _is_called(source: Source, name: str) -> bool:
    return name in (source.name, source.name.partition("/")[0], source.name.rpartition("/")[2])


@dataclass(frozen=True)
class State:
    """The state of a catalogue: its messages, those without a translation, those whose source has changed since.

    Attributes:
        behind: whether the file does not hold what the source says now.
    """

    source: Source
    total: int
    missing: list[str]
    stale: list[str]
    behind: bool

    @property
    def complete(self) -> bool:
        return not (self.missing or self.stale or self.behind)

    def __str__(self) -> str:
        left = {"to translate": len(self.missing), "stale": len(self.stale)}
        said = [f"{count} of {self.total} {what}" for what, count in left.items() if count]
        return f"{self.source.name}: {', '.join([*said, *(['not up to date'] if self.behind else [])])}"


def update(source: Source, language: str, write: bool = True) -> State:
    """Bring a catalogue up to date with its source; without `write` only say how it would stand."""
    catalogue = Catalogue(language, source.name)
    catalogue.update(source.said, str(source.path.relative_to(ROOT)))
    if write:
        catalogue.write()
    stale = [message.id for message in catalogue.messages if message.fuzzy]
    missing = [message.id for message in catalogue.messages if not message.string]
    return State(source, len(catalogue.messages), missing, stale, behind=catalogue.changed)
