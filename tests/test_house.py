"""The house's rules: a room imports of those below it, nothing in a circle; a docstring says what a thing is."""

import ast
import re
from graphlib import TopologicalSorter
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from grader.exercise import ROOT

# Lowest first: a room may import of those before it. The modules at the top are the ground that all stand on, and the
# exercise, which knows judging; what is started from outside (`from grader import check`, the command) stands highest.
ORDER = "sandbox ground judging exercise translation student gradebook authoring classroom cli entry".split()
AT_THE_TOP = {"exercise": "exercise", "grader": "entry", "en": "entry", "__main__": "entry"}
# Settings of older classes know the preprocessor by this name.
AS_BEFORE = {"grader.gradebook.preprocessor": "classroom"}
WRITTEN_BY_AUTHORS = ("suites", "misconceptions")


def modules() -> dict[str, Path]:
    """The autograder's modules by their dotted names."""
    found = {}
    for path in (ROOT / "grader").rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[1] not in WRITTEN_BY_AUTHORS:
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(name: str) -> set[str]:
    """The autograder's modules that a module imports: late, and for annotations alone, too."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    package = name if MODULES[name].name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = f"{package}.{node.module or ''}".rstrip(".") if node.level else node.module
            found.update(
                full if (full := f"{base}.{alias.name}") in MODULES else base for alias in node.names
            )
    return (found & MODULES.keys()) - {name}


def room(name: str) -> str:
    parts = name.split(".")
    if name in AS_BEFORE:
        return AS_BEFORE[name]
    if len(parts) > 2 or len(parts) == 2 and (ROOT / "grader" / parts[1]).is_dir():
        return parts[1]
    return AT_THE_TOP.get(parts[-1], "ground")


def test_every_room_is_in_the_package():
    """But for what authors write: no student's installation may hold it."""
    rooms = {".".join(path.parent.relative_to(ROOT).parts) for path in MODULES.values()}
    listed = set(re.findall(r'^  "(grader[\w.]*)",$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE))
    assert listed == rooms


def test_no_import_cycle():
    order = TopologicalSorter({name: imports(name) for name in MODULES})
    order.prepare()  # raises CycleError and names the cycle


@pytest.mark.parametrize("name", MODULES)
def test_a_room_knows_nothing_of_those_above_it(name):
    above = ORDER[ORDER.index(room(name)) + 1 :]
    assert {other for other in imports(name) if room(other) in above} == set()


SAYS_NO_MORE_THAN_A_QUESTION = re.compile(
    r"(What|Whether|Where|Whose|Whom|Who|How|Which|Args|Attributes|Raises|Returns)\b"
)


def test_a_docstring_opens_with_what_is_returned_or_done():
    """Not with a question that the reader has, nor with a heading."""
    files = [
        *MODULES.values(),
        *(path for room in ("assets", "benchmarks", "data") for path in (ROOT / room).rglob("*.py")),
    ]
    opening = [
        f"{path.relative_to(ROOT)}: {said.splitlines()[0]}"
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (said := ast.get_docstring(node))
        if SAYS_NO_MORE_THAN_A_QUESTION.match(said)
    ]
    assert opening == []


def test_what_is_pinned_installs_on_the_oldest_python():
    """A pin that asks for 3.11.5 stops Debian 12, whose Python is 3.11.2; nobody who has a newer one would see it."""
    pins = re.findall(r"^([\w.-]+)==", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    ours = set(map(canonicalize_name, pins))
    found = [one for one in distributions() if canonicalize_name(one.name) in ours]
    asked = {one.name: one.metadata.get("Requires-Python") for one in found}
    refused = {
        name: wanted for name, wanted in asked.items() if wanted and "3.11.0" not in SpecifierSet(wanted)
    }
    assert len(found) > 100 and refused == {}
