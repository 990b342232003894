"""Who may import whom."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from grader.exercise import ROOT

ROOMS = {
    "sandbox": {"sandbox"},
    "judging": {"judging", "sandbox", "top"},
    "student": {"student", "judging", "sandbox", "top"},
}
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
    """What a module imports of the autograder's, late imports too; not what only annotations need."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    annotations = {
        node
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    package = name if MODULES[name].name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(tree):
        if node in annotations:
            continue
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
    return parts[1] if len(parts) > 2 or (ROOT / "grader" / parts[-1]).is_dir() else "top"


def test_every_room_is_in_the_package():
    """But for what authors write: no student's installation may hold it."""
    rooms = {".".join(path.parent.relative_to(ROOT).parts) for path in MODULES.values()}
    listed = set(re.findall(r'^  "(grader[\w.]*)",$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE))
    assert listed == rooms


def test_no_import_cycle():
    order = TopologicalSorter({name: imports(name) for name in MODULES})
    order.prepare()  # raises CycleError and names the cycle


@pytest.mark.parametrize("name", [name for name in MODULES if room(name) in ROOMS])
def test_rooms_below_know_nothing_of_those_above(name):
    assert {room(other) for other in imports(name)} <= ROOMS[room(name)]
