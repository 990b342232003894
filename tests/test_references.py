"""The references as a student reads them at the end: what can be held of a page that one wants to keep."""

import ast
import io
import re
import tokenize

import pytest

from grader.exercise import ROOT, all_exercises

COLUMNS = 88  # what a notebook's cell shows on the book's page
NOTATION = (ROOT / "chapters" / "notation.md").read_text(encoding="utf-8")
LEGEND = set(re.findall(r"^\| `(\w+)` \| \$", NOTATION, re.MULTILINE))
# Axes of one chapter alone, each with one meaning; a second name for one of the legend's is none of them.
OF_A_CHAPTER = set(
    "channels columns_of_E columns_of_F d d_a d_h d_in d_out d_q d_r d_value experts groups half half_b height hidden_dim k "
    "k_and_one labels n_and_N n_embd n_new new_batch one patches positions rank reads t tokens total values width".split()
)
# said in the notation page; torch's own; groups of any size, one prediction less than tokens
CUSTOM = {
    "sentiment": {"N", "L", "H"},
    "add_norm": {"N", "C"},
    "all_attention": {"N", "heads_times_N"},
    "circuits": {"depths", "features", "rows", "shares"},
    "evaluation": {"c", "n_minus_1", "pairs"},
    "product_key_memory": {"pairs"},
    "reasoning": {"size", "questions", "shape", "n_minus_1"},
    "vision_language": {"views", "global_views", "classes", "_"},
}

SOURCES = {exercise.stem: exercise.source for exercise in all_exercises()}
each_reference = pytest.mark.parametrize("path", SOURCES.values(), ids=SOURCES)


def code_of(path) -> str:
    """The module without its text cells, whose lines are not code's."""
    source = path.read_text(encoding="utf-8")
    return re.sub(r"^# %% \[markdown\]\n(?:#.*\n|\n)*", lambda m: "\n" * m[0].count("\n"), source, flags=re.M)


def definitions(path):
    return [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node)
    ]


@each_reference
def test_a_comment_stands_above_its_line_or_at_its_end(path):
    """Not behind the bracket of an expression that was wrapped to make room for it."""
    lines = code_of(path).splitlines()
    assert [line for line in lines if re.match(r"\s*[)\]}]+[^#\"']*#", line)] == []


@each_reference
def test_comments_and_docstrings_fit_a_page(path):
    code = code_of(path)
    lines = code.splitlines()
    shown = set()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT or token.string.startswith('"""'):
            shown.update(range(token.start[0], token.end[0] + 1))
    assert [line for number in shown if len(line := lines[number - 1]) > COLUMNS] == []


@each_reference
def test_a_docstring_opens_with_a_whole_sentence(path):
    opened = [(node.name, ast.get_docstring(node).splitlines()[0]) for node in definitions(path)]
    assert [name for name, line in opened if not line.endswith(".")] == []


@each_reference
def test_axes_have_the_names_of_the_notation_page(path):
    names = set()
    for shape in re.findall(r'\[Tensor, "([^"]*)"', path.read_text(encoding="utf-8")):
        names.update(name.lstrip("*") for name in shape.split() if re.match(r"\*?[A-Za-z]", name))
    leading = {"batch", "queries", "heads", "any", "positions", "reads"}  # with a star: any number of axes
    assert names - LEGEND - OF_A_CHAPTER - CUSTOM.get(path.stem, set()) - leading == set()


@each_reference
def test_a_shape_is_given_once(path):
    """By the annotation; a docstring says what it cannot."""
    twice = []
    for node in definitions(path):
        if isinstance(node, ast.FunctionDef):
            shapes = {
                a.arg for a in node.args.args if a.annotation and "[Tensor, " in ast.unparse(a.annotation)
            }
            said = re.findall(r"^ +(\w+): (?:.*, )?\([^()]*\)\.$", ast.get_docstring(node), re.MULTILINE)
            twice += [f"{node.name}: {name}" for name in said if name in shapes]
    assert twice == []
