"""Question banks: read back, they say what the chapters' quizzes say, in both languages."""

import io
import re
import sys
from itertools import product
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from typer.testing import CliRunner

from grader.authoring.drill_bank import drills
from grader.authoring.gift import gift
from grader.authoring.moodle import moodle
from grader.authoring.qti import qti
from grader.authoring.quizzes import Question, html, questions, shares
from grader.cli import app, main
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
    read = ElementTree.fromstring(moodle(found, []).encode()).findall("question")
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
    blocks = gift(found, []).rstrip("\n").split("\n\n")
    for question, block in zip(found, blocks, strict=True):
        head, *lines, last = block.split("\n")
        assert last == "}" and head.endswith(" {")
        name, text = re.fullmatch(r"::(.*?)::\[html\](.*) \{", head).groups()
        assert (plain(name), plain(text)) == (question.name, question.text)
        for line, choice, share in zip(lines, question.choices, shares(question), strict=True):
            mark, text, explanation = re.fullmatch(rf"  (=|~(?:%-?[\d.]+%)?)(.*?{own})#(.*)", line).groups()
            assert (plain(text), plain(explanation)) == choice[1:]
            assert (mark == "=" or f"%{share:g}%" in mark and share > 0) == choice[0]


def names_alone(root: ElementTree.Element) -> ElementTree.Element:
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


@pytest.fixture(scope="module")
def canvas(bank):
    """The zip's XML files by their names, without namespaces."""
    with ZipFile(io.BytesIO(qti(bank[1], []))) as packed:
        return {name: names_alone(ElementTree.fromstring(packed.read(name))) for name in packed.namelist()}


def fulfilled(condition: ElementTree.Element, made: set[str]) -> bool:
    """IMS QTI 1.2, 3.2.2: what stands together in a condition is joined by 'and'."""
    if condition.tag == "varequal":
        return condition.text in made
    each = [fulfilled(part, made) for part in condition]
    return not any(each) if condition.tag == "not" else all(each)


def answered(item: ElementTree.Element, made: set[str]) -> tuple[float, list[str]]:
    """The percent that a platform gives for the choices made, and what it says of them."""
    score, said = 0.0, []
    for condition in item.iter("respcondition"):
        if fulfilled(condition.find("conditionvar"), made):
            score = float(condition.findtext("setvar") or score)
            said += [shown.get("linkrefid") for shown in condition.iter("displayfeedback")]
            if condition.get("continue") == "No":
                break
    told = {shown.get("ident"): shown.findtext(".//mattext") for shown in item.iter("itemfeedback")}
    return score, [told[ident] for ident in said]


def test_qti_says_the_same_and_gives_points_for_the_right_choices_alone(bank, canvas):
    _, found = bank
    items = {item.get("title"): item for root in canvas.values() for item in root.iter("item")}
    assert list(items) == [question.name for question in found]
    for question in found:
        item = items[question.name]
        assert item.findtext("presentation/material/mattext") == f"<p>{question.text}</p>"
        labels = item.findall(".//response_label")
        idents = [label.get("ident") for label in labels]
        told = [f"<p>{text}</p>" for _, text, _ in question.choices]
        assert [label.findtext(".//mattext") for label in labels] == told
        assert item.find(".//response_lid").get("rcardinality") == (
            "Multiple" if question.several else "Single"
        )
        right = {ident for ident, (correct, *_) in zip(idents, question.choices, strict=True) if correct}
        one_each = [{ident} for ident in idents]
        several = [
            {i for i, is_made in zip(idents, on, strict=True) if is_made}
            for on in product([0, 1], repeat=len(idents))
        ]
        for made in several if question.several else one_each:
            score, said = answered(item, made)
            assert score == (100 if made == right else 0), (question.name, made)
            reasons = zip(idents, question.choices, strict=True)
            assert said == [f"<p>{why}</p>" for ident, (*_, why) in reasons if ident in made]


def test_canvas_finds_the_title_and_all_files(bank, canvas):
    """text2qti#18: the settings of a quiz are those whose identifier is its assessment's, or nothing is taken."""
    manifest = canvas["imsmanifest.xml"]
    listed = [file.get("href") for file in manifest.iter("file")]
    assert sorted([*listed, "imsmanifest.xml"]) == sorted(canvas)
    resources = {resource.get("identifier"): resource for resource in manifest.iter("resource")}
    titles = []
    for quiz in (found for found in resources.values() if found.get("type") == "imsqti_xmlv1p2"):
        assessment = canvas[quiz.find("file").get("href")].find("assessment")
        settings = canvas[resources[quiz.find("dependency").get("identifierref")].get("href")]
        assert quiz.get("identifier") == assessment.get("ident") == settings.get("identifier")
        assert assessment.get("title") == settings.findtext("title")
        assert settings.findtext("points_possible") == str(len(list(assessment.iter("item"))))
        titles.append(assessment.get("title"))
    assert titles == list(dict.fromkeys(question.chapter for question in bank[1]))


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
    packed = tmp_path / "bank.zip"
    CliRunner().invoke(app, ["quizzes", "-o", str(packed), "--format", "qti"])
    assert "imsmanifest.xml" in ZipFile(packed).namelist() and packed.read_bytes() == qti(
        questions("ko"), drills("ko")
    )
    assert CliRunner().invoke(app, ["quizzes", "-o", str(made), "--language", "fr"]).exit_code != 0


@pytest.mark.parametrize("place", ["made/bank.zip", "made"])
def test_a_place_that_cannot_be_written_is_told_in_a_line(tmp_path, capsys, monkeypatch, place):
    """A file where a folder should be, or the other way round: nothing is left behind."""
    made = tmp_path / "made"
    made.touch() if "/" in place else made.mkdir()
    monkeypatch.setattr(sys, "argv", ["grader", "quizzes", "-o", str(tmp_path / place), "--format", "qti"])
    with pytest.raises(SystemExit) as ended:
        main()
    said = " ".join(capsys.readouterr().err.split())
    assert ended.value.code == 2 and "unexpected" not in said and "Look at the path" in said
    assert list(tmp_path.iterdir()) == [made]
