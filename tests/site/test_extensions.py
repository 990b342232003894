"""The parts of our Sphinx extensions and pictures that need no browser."""

import hashlib
import re
from types import SimpleNamespace

import numpy as np
import pytest
import so_far
import torch
from accessible_theme import name_parts
from clean_pages import left_behind
from course_data.digest import code
from fresh_outputs import imported_files, mark_page
from inline_svg import inline_markup
from plots import attention_map
from quiz import parse_choices, spoken_formula

GOOD = ["- [ ] 하나", "  > 까닭", "- [x] 둘", "  > 까닭"]


def test_a_quiz_is_read():
    question, choices = parse_choices(["더 읽을 줄", "", *GOOD, "  >", "  > 둘째 문단"])
    assert question == ["더 읽을 줄", ""]
    assert [(c.correct, c.text) for c in choices] == [(False, ["하나"]), (True, ["둘"])]
    assert choices[1].explanation == ["까닭", "", "둘째 문단"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "at least two"),
        (GOOD[:2], "at least two"),
        ([line.replace("x", " ") for line in GOOD], "no correct choice"),
        ([line.replace("[ ]", "[x]") for line in GOOD], "no wrong choice"),
        (GOOD[:3], "does not explain the choice '둘'"),
        (["- [ ] ", *GOOD[1:]], "without text"),
        ([*GOOD, "- 셋"], "cannot read '- 셋'"),
    ],
)
def test_a_malformed_quiz_is_refused(lines, message):
    with pytest.raises(ValueError, match=message):
        parse_choices(lines)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("$(n_q, n_k)$", "(n_q, n_k)"),
        ("$n$개", ""),
        (r"$\sqrt{d}$.", "sqrt{d}."),
        (r"$\frac{1}{3}$, $0$", "1/3, 0"),
    ],
)
def test_a_formula_alone_gets_a_spoken_name(text, spoken):
    assert spoken_formula(text) == spoken


def test_a_drawing_is_named_for_screen_readers():
    svg = '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path/></svg>'
    assert inline_markup(svg, 'a "b"').startswith('<svg role="img" aria-label="a &quot;b&quot;" xmlns=')


def test_a_column_headed_by_a_formula_alone_has_a_name():
    def head(inside):
        app = SimpleNamespace(config=SimpleNamespace(language="ko"))
        context = {"body": f'<th class="head"><p>{inside}</p></th>'}
        name_parts(app, "chapters/page", "page.html", context, None)
        return context["body"]

    formula = '<math display="inline"><mi>sin</mi><mo>\u2061</mo><mi>p</mi></math>'
    assert '<math aria-label="sin p" display="inline">' in head(formula)
    assert "aria-label" not in head(f"by {formula}")


def test_a_drawing_with_links_is_no_image():
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><a href="x.html"><path/></a></svg>'
    assert inline_markup(svg, "alt").startswith('<svg role="group" aria-label="alt"')


@pytest.mark.parametrize(
    ("svg", "message"), [("<svg", "well-formed"), ("<p/>", "no <svg>"), ("<svg/>", "viewBox")]
)
def test_a_drawing_that_cannot_stand_in_a_page_is_refused(svg, message):
    with pytest.raises(ValueError, match=message):
        inline_markup(svg, "alt")


@pytest.fixture
def project(tmp_path):
    files = {
        "solutions/masking.py": "import torch",
        "solutions/encoder.py": "    from solutions.masking import look_ahead_mask",
        "solutions/gpt.py": "",
        "chapters/plots.py": "",
        "data/__init__.py": "",
        "data/tiny_bert/vocab.txt": "",
        "data/stories/__init__.py": "",
        "data/stories/rows.json": "",
        "data/__pycache__/old.pyc": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("import torch", set()),
        ("from plots import style", {"chapters/plots.py"}),
        ("from solutions.encoder import Encoder", {"solutions/encoder.py", "solutions/masking.py"}),
        ("import course_data as data", {"data/__init__.py", "data/tiny_bert/vocab.txt"}),
        ("from course_data.nsmc import load", {"data/__init__.py", "data/tiny_bert/vocab.txt"}),
        (
            "from course_data.stories.grow import train",
            {"data/stories/__init__.py", "data/stories/rows.json"},
        ),
    ],
)
def test_a_page_depends_on_what_its_cells_import(project, code, files):
    found = imported_files(f"# Title\n\n```{{code-cell}}\n{code}\n```\n", project)
    assert {path.relative_to(project).as_posix() for path in found} == files


def test_a_changed_import_is_another_kernel(project):
    page = "---\nkernelspec:\n  name: python3\n  display_name: Python 3\n---\nfrom plots import style\n"
    app = SimpleNamespace(srcdir=project, env=SimpleNamespace(note_dependency=list))

    def marked():
        source = [page]
        mark_page(app, "chapters/page", source)
        return source[0]

    before = marked()
    assert re.sub(r"Python 3 [0-9a-f]{12}\n", "Python 3\n", before) == page != before
    (project / "solutions" / "gpt.py").write_text("unrelated = 1")
    assert marked() == before
    (project / "chapters" / "plots.py").write_text('"""Tells what it draws."""\n\n# and how\n')
    assert marked() == before
    (project / "chapters" / "plots.py").write_text("changed = 1")
    assert marked() != before


def test_a_map_is_a_table_of_its_weights(monkeypatch):
    monkeypatch.setenv("COURSE_BOOK", "1")
    weights = torch.tensor([[0.25, 0.75]], dtype=torch.bfloat16)
    html = attention_map(weights, ["<q>"], ["a", "b"], mask=[True, False], title="T&T")._repr_html_()
    assert "&lt;q&gt;" in html and "T&amp;T" in html
    assert 'data-weight="0.2500"' in html and "0.75" not in html
    assert html.count("am-hidden") == 1
    assert "<script" not in html


def test_a_map_brings_its_script_outside_the_book(monkeypatch):
    monkeypatch.delenv("COURSE_BOOK", raising=False)
    assert "<script" in attention_map([[1.0]], ["a"], ["b"])._repr_html_()


def test_a_map_of_nothing_visible_has_no_scale():
    assert 'data-max="1.00"' in attention_map([[np.nan]], ["a"], ["b"])._repr_html_()


@pytest.mark.parametrize(
    ("shape", "heads", "message"),
    [((2,), None, "n_q, n_k"), ((3, 2), None, "do not fit"), ((2, 2, 3), ["one"], "head names")],
)
def test_a_map_that_does_not_fit_is_refused(shape, heads, message):
    with pytest.raises(ValueError, match=message):
        attention_map(np.zeros(shape), ["a", "b"], ["a", "b", "c"], heads=heads)


@pytest.mark.parametrize(
    "html",
    [
        "<pre>/usr/lib/python3/site-packages/x.py:3: UserWarning: Glyph 44032 missing</pre>",
        '<span class="ne">RuntimeWarning</span><span class="p">:</span> overflow',
        "<pre>Traceback (most recent call last):</pre>",
        "<p>saved in /home/kim/model.pt</p>",
        "<span>/</span><span>root</span>/book",
        '<a href="file:///Users/kim/book">here</a>',
        "C:\\Users\\kim",
    ],
)
def test_what_a_build_has_left_behind_is_seen(html):
    assert left_behind(html)


@pytest.mark.parametrize(
    "html",
    ["<b>Warning</b>", "example.org/home/kim", "a traceback names the line", "the root/home/user of a tree"],
)
def test_what_an_author_wrote_is_not(html):
    assert left_behind(html) == []


def test_every_version_of_python_knows_a_module_by_the_same_digest():
    module = 'class A(B):\n    """Said."""\n    def f(self, x: int = 1) -> str:\n        return f"{x!r}" + "a" "b"\n'
    assert hashlib.sha256(code(module)).hexdigest()[:16] == "7bc309e36c17fe3e"


def test_each_row_and_skill_of_the_growing_model_has_its_words_in_both_languages():
    table = so_far.measured()["rows"]
    for language in so_far.WORDS.values():
        assert language["rows"].keys() == table.keys()
        assert all(language["skills"].keys() <= row["skills"].keys() for row in table.values())


def test_a_sample_that_was_cut_says_so():
    assert so_far.whole("책은 이") == "책은 이 …" and so_far.whole("돌아왔다.") == "돌아왔다."
