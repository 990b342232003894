"""Question banks: read back, they say what the chapters' quizzes say, in both languages."""

import re
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from grader.authoring.quizzes import Question, gift, html, moodle, questions, shares
from grader.cli import app
from grader.exercise import ROOT

KOREAN = re.compile("[가-힣]")


@pytest.fixture(scope="module", params=["ko", "en"])
def bank(request):
    return request.param, questions(request.param)


def test_the_bank_holds_every_quiz_of_the_book(bank):
    _, found = bank
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "chapters").glob("*.md")]
    assert len(found) == sum(page.count("\n:::{quiz} ") for page in pages) >= 100
    choices = [line for page in pages for line in re.findall(r"^- \[[ x]\] ", page, re.MULTILINE)]
    assert sum(len(question.choices) for question in found) == len(choices)
    assert len({question.name for question in found}) == len(found)


def test_nothing_of_the_pages_markup_is_left(bank):
    language, found = bank
    for question in found:
        for text in [question.text, *(text for _, *told in question.choices for text in told)]:
            assert text and not re.search(r"\{\w+\}`|`|\*\*|(?<!\\)\$|\]\(", text), (question.name, text)
    asked = [question.name for question in found if KOREAN.search(question.text)]
    assert len(asked) == len(found) if language == "ko" else len(asked) < len(found) / 5


def test_moodles_xml_says_the_same(bank):
    _, found = bank
    read = ElementTree.fromstring(moodle(found).encode()).findall("question")
    for question, element in zip(found, read, strict=True):
        assert element.get("type") == "multichoice"
        assert element.findtext("name/text") == question.name
        assert element.findtext("questiontext/text") == question.text
        assert (element.findtext("single") == "false") == question.several
        answers = [
            (float(answer.get("fraction")) > 0, answer.findtext("text"), answer.findtext("feedback/text"))
            for answer in element.findall("answer")
        ]
        assert answers == question.choices
        assert sum(
            max(0, float(answer.get("fraction"))) for answer in element.findall("answer")
        ) == pytest.approx(100, abs=0.01)


def test_gift_says_the_same(bank):
    _, found = bank

    def plain(text: str) -> str:
        return re.sub(r"\\([\\~=#{}:])", r"\1", text)

    own = r"(?<!\\)(?:\\\\)*"  # a mark that no backslash takes back
    blocks = gift(found).rstrip("\n").split("\n\n")
    for question, block in zip(found, blocks, strict=True):
        head, *lines, last = block.split("\n")
        assert last == "}" and head.endswith(" {")
        name, text = re.fullmatch(r"::(.*?)::\[html\](.*) \{", head).groups()
        assert (plain(name), plain(text)) == (question.name, question.text)
        for line, choice, share in zip(lines, question.choices, shares(question), strict=True):
            mark, text, explanation = re.fullmatch(rf"  (=|~(?:%-?[\d.]+%)?)(.*?{own})#(.*)", line).groups()
            assert (plain(text), plain(explanation)) == choice[1:]
            assert (mark == "=" or f"%{share:g}%" in mark and share > 0) == choice[0]


def test_several_right_choices_share_and_wrong_ones_cost():
    def worth(*correct: bool) -> list[float]:
        return shares(Question("", "", [(one, "", "") for one in correct]))

    assert worth(True, False, True) == [50, -100, 50]
    assert worth(True, True, True, False, False) == [33.33333, 33.33333, 33.33333, -50, -50]
    assert worth(False, True, False) == [0, 100, 0]


def test_markup_becomes_html():
    told = html(
        "{doc}`/exercises/x/masking`의 {term}`키` $a < b$, `x_1`, **둘**, [거기](#p), {ref}`여기 <p>`",
        {"masking": "마스킹"},
    )
    assert told == r"마스킹의 키 \(a &lt; b\), <code>x_1</code>, <b>둘</b>, 거기, 여기"


def test_the_command_writes_a_file_or_says_why_not(tmp_path):
    made = tmp_path / "bank.xml"
    done = CliRunner().invoke(app, ["quizzes", "-o", str(made), "--language", "en"])
    assert done.exit_code == 0 and made.read_text(encoding="utf-8").startswith("<?xml")
    assert CliRunner().invoke(app, ["quizzes", "-o", str(made), "--language", "fr"]).exit_code != 0
