"""Automatic mutants: which there are, who notices them, and what is said of those that nobody can notice."""

import ast
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.authoring.mutants import examine, explanations_path, mutants, read_explanations
from grader.authoring.mutate import mutants_of
from grader.errors import GraderError
from grader.exercise import ROOT, find_exercise
from grader.judging.suite import Local, load_suite

SAMPLED = ["masking", "positional_encoding", "tokenization", "decoding"]
SOLUTION = '''
def count_below(values: list[int], limit: int = 10) -> int:
    """How many values are below the limit, in whole dozens."""
    if not values:
        return 0
    found = sum(value < limit for value in sorted(values, reverse=True))
    return found // 12
'''
SUITE = """
from grader.judging.suite import points

@points(1, "count_below", read="one")
def test_counts(student):
    '''The hint.'''
    assert student.count_below([1] * 24 + [10]) == 2
    assert student.count_below([]) == 0
"""


@pytest.fixture
def exercise(tmp_path):
    (tmp_path / "sample.py").write_text(SOLUTION)
    (tmp_path / "test_sample.py").write_text(SUITE)
    names = {}
    exec(SOLUTION, names)
    return SimpleNamespace(
        stem="sample",
        source=tmp_path / "sample.py",
        suite_path=tmp_path / "test_sample.py",
        suite=load_suite(tmp_path / "test_sample.py", "sample"),
        names=names,
        reference=Local(names),
    )


def named(source: str) -> set[str]:
    return {mutant.name for mutant in mutants_of(ast.parse(source).body[0])}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("return a < b", {"return a <= b", "return a >= b", "return"}),
        ("return a - b", {"return a + b", "return b - a", "return"}),
        ("return -x", {"return x", "return"}),
        (
            "return x.softmax(-1)",
            {"return x.softmax(0)", "return x.softmax(-2)", "return x", "return -1", "return"},
        ),
        ("return f(a, b, c=d)", {"return a", "return f(a, b)", "return f(b, a, c=d)", "return"}),
        ("return torch.arange(n)", {"return n", "return"}),
        (
            "return x[1:, :n]",
            {"return x[:, :n]", "return x[2:, :n]", "return x[0:, :n]", "return x[1:, :]", "return"},
        ),
        ("return not a", {"return a", "return"}),
        ("return [v for v in w if v]", {"return [v for v in w]", "return"}),
        ("x += 1", {"x -= 1", "x += 2", "x += 0", "- x += 1"}),
        ("self.norm = Norm(d)", {"self.norm = d", "- self.norm = Norm(d)"}),
        ("raise ValueError('no ' + name)", set()),
    ],
)
def test_operators(statement, expected):
    assert named(f"def f():\n    {statement}") == expected


def test_conditions_are_held_true_and_false():
    assert {"if True:", "if False:", "if a:"} <= named("def f(a):\n    if not a:\n        return 1")


def test_a_docstring_and_annotations_are_no_code():
    assert named('def f(a: Float["n 2"]) -> Int["3"]:\n    """Of 2."""\n    return a') == {"return"}


def test_a_default_is_changed():
    assert {"def f(a=2):", "def f(a=0):"} <= named("def f(a=1):\n    return a")


def test_no_mutant_is_the_reference_or_another(exercise):
    sources = [mutant.source for mutant in mutants(exercise)]
    assert len(set(sources)) == len(sources)
    assert ast.unparse(ast.parse(SOLUTION).body[0]) not in sources


def test_what_a_suite_does_not_notice_is_found(exercise):
    found = examine(exercise, jobs=2)
    survivors = {mutant.name for mutant in found.survivors}
    assert "found = sum((value < limit for value in sorted(values)))" in survivors  # nobody could
    assert "return found // 11" in survivors  # a hole: 24 are two dozens, and two elevens
    assert "return found // 13" not in survivors
    assert found.mutants == found.killed + len(found.survivors)


def test_an_explained_survivor_is_counted_and_a_stale_explanation_reported(exercise):
    survivor = "found = sum((value < limit for value in sorted(values)))"
    explanations_path(exercise).write_text(
        f"# why\n[count_below]\n{survivor}  #: a sum does not depend on the order\nreturn 7  #: never was\n"
    )
    found = examine(exercise, jobs=2)
    assert found.equivalent == 1
    assert survivor not in {mutant.name for mutant in found.survivors}
    assert found.stale == ["[count_below] return 7"]


@pytest.mark.parametrize(("limit", "seconds"), [("AT_LEAST", 1), ("SECONDS", 2)])
@pytest.mark.whole
def test_an_endless_mutant_is_noticed(exercise, monkeypatch, limit, seconds):
    monkeypatch.setattr(f"grader.authoring.mutants.{limit}", seconds)
    endless = SOLUTION.replace(
        "return found // 12", "while found > 12:\n        found -= 12\n    return 2 if values else 0"
    )
    exercise.source.write_text(endless)
    exec(endless, exercise.names)
    names = {mutant.name for mutant in examine(exercise, jobs=2).survivors}
    assert "- found -= 12" not in names


def test_a_reference_that_fails_is_said(exercise):
    exercise.names["count_below"] = lambda values: 3
    with pytest.raises(GraderError, match="the reference itself loses points in 'count_below'"):
        examine(exercise, jobs=1)


@pytest.mark.parametrize(
    "line", ["count_below  #: why", "[count_below]\nreturn 7", "[count_below]\nreturn 7  #: "]
)
def test_a_line_that_explains_nothing_is_refused(tmp_path, line):
    path = Path(tmp_path / "equivalent_sample.txt")
    path.write_text(line)
    with pytest.raises(GraderError, match=":[12]: write"):
        read_explanations(path)


def test_every_explanation_is_read_and_of_a_question():
    """Whether its change exists, and is noticed by nobody, `grader mutants` says."""
    files = sorted((ROOT / "grader" / "suites").glob("equivalent_*.txt"))
    assert len(files) > 25
    for path in files:
        solution = ROOT / "solutions" / f"{path.stem.removeprefix('equivalent_')}.py"
        tree = ast.parse(solution.read_text(encoding="utf-8"))
        definitions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        assert {question for question, _ in read_explanations(path)} <= definitions, path.name


def test_a_sample_is_the_same_each_time(monkeypatch):
    exercise, judged = find_exercise("masking"), []
    monkeypatch.setattr(
        "grader.authoring.mutants._judge_all",
        lambda _, chosen, jobs: judged.append(chosen) or [(mutant, False) for mutant in chosen],
    )
    assert examine(exercise, 1, sample=5).killed == examine(exercise, 1, sample=5).killed == 5
    assert judged[0] == judged[1]


@pytest.mark.whole
def test_a_sample_of_changes_is_noticed():
    """All of them take `grader mutants` minutes."""
    command = ["mutants", *SAMPLED, "--sample", "8", "--jobs", "1"]
    code = f"import sys; from grader.cli import main; sys.argv[1:] = {command}; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("8 mutants") == len(SAMPLED)
