"""Drills in question banks: read back as the platforms read them, they ask, take and say what the book's pages do.

Some tests keep what went wrong for others who brought numbers to a platform; each names the report.
"""

import io
import re
from collections import Counter
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from html import unescape
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from test_quizzes import KOREAN, names_alone

from grader.authoring.drill_bank import POSED, VARIANTS, Blank, Drill, chapters, drills, run
from grader.authoring.gift import gift
from grader.authoring.moodle import category_of, moodle
from grader.authoring.qti import qti

# Each answer as the book's page judges it: (what it says, of which mistake).
JUDGED = """(chapter, language, asked, name, answers) => {
  const { html, judge, pose } = drillKit;
  const drill = courseDrills[chapter].find((one) => one.name === name);
  const own = drill.words[language];
  for (let seed = 1; seed < 1000; seed += 1) {
    const posed = pose(drill, seed);
    if (html(own.ask(posed.drawn)) !== asked) continue;
    return answers.map((answer) => {
      const { state, mistake } = judge(posed, answer);
      const said = mistake && own[mistake.name];
      return [state, mistake ? html(typeof said === "function" ? said(posed.drawn) : said) : ""];
    });
  }
}"""

MATRIX = re.compile(r"\\\(\\begin\{bmatrix\} (.*?) \\end\{bmatrix\}\\\)")


@pytest.fixture(scope="module", params=["ko", "en"])
def bank(request):
    return request.param, drills(request.param)


@pytest.fixture(scope="module")
def posed():
    """What the scripts say in Korean, by the names of the bank's questions."""
    return {
        f"{chapter} {drill['name']} {number}": {**drill, **one}
        for chapter in chapters()
        for drill in run(chapter, POSED, chapter, "ko", VARIANTS)
        for number, one in enumerate(drill["posed"], 1)
    }


def blanks(found: list[Drill]) -> list[tuple[Drill, Blank]]:
    return [(drill, blank) for drill in found for blank in drill.blanks]


def test_the_bank_holds_every_drill_of_the_book_in_its_variants(bank):
    _, found = bank
    variants = Counter(drill.name.rpartition(" ")[0] for drill in found)
    listed = {
        f"{chapter} {name}"
        for chapter in chapters()
        for name in run(chapter, "(chapter) => courseDrills[chapter].map(({ name }) => name)", chapter)
    }
    assert variants.keys() == listed
    few = {name for name, count in variants.items() if count != VARIANTS}
    assert few == {"positional_encoding period"}, "it has four at this level"
    assert len({drill.text for drill in found}) == len(found), "no two ask the same"


def test_both_languages_have_the_same_numbers():
    for korean, english in zip(drills("ko"), drills("en"), strict=True):
        numbers = [
            [(blank.right, [ways for ways, _ in blank.wrong]) for blank in one.blanks]
            for one in (korean, english)
        ]
        assert (korean.name, numbers[0]) == (english.name, numbers[1])
        assert KOREAN.search(korean.text + korean.hint)
        if not english.name.startswith("tokenization"):
            assert not KOREAN.search(
                english.text + english.hint + english.group + english.title + english.way
            )


@pytest.mark.whole
def test_what_is_taken_and_what_is_named_are_the_pages(posed):
    """The book's own judge, in its own words: each accepted way is right, each mistake is the one that is named."""
    for drill in drills("ko"):
        one, (chapter, *_) = posed[drill.name], drill.name.split()
        if len(drill.blanks) > 1:
            answers = [(" ".join(blank.right[0] for blank in drill.blanks), ["right", ""])]
        else:
            [blank] = drill.blanks
            answers = [(way, ["right", ""]) for way in blank.right]
            answers += [(way, ["named", said]) for ways, said in blank.wrong for way in ways]
        judged = run(
            chapter, JUDGED, chapter, "ko", one["ask"], one["name"], [answer for answer, _ in answers]
        )
        assert judged == [expected for _, expected in answers], drill.name
        assert drill.way.count("<li>") == len(one["way"])


def test_cells_name_a_mistake_by_the_number_that_it_alone_gives(posed):
    def flat(value: list) -> list[float]:
        return [one for row in value for one in row] if isinstance(value[0], list) else value

    several = [drill for drill in drills("ko") if len(drill.blanks) > 1]
    assert len(several) >= 80
    for drill in several:
        one = posed[drill.name]
        mistakes = {said: flat(value) for value, said in one["wrong"]}
        for place, blank in enumerate(drill.blanks):
            for [value], said in blank.wrong:
                gives = [
                    other
                    for other, values in mistakes.items()
                    if abs(values[place] - float(value)) < blank.tolerance
                ]
                assert gives == [said], (drill.name, place)
        assert any(blank.wrong for blank in drill.blanks), drill.name


def test_one_cell_is_asked_where_there_are_no_several(bank):
    _, found = bank
    for drill in found:
        [blank] = drill.one_cell().blanks
        assert blank in drill.blanks
        assert len(blank.wrong) == max(len(other.wrong) for other in drill.blanks) >= 1
        if len(drill.blanks) > 1:
            place = drill.blanks.index(blank) % len(drill.rows[0]) + 1
            assert str(place) in drill.one_cell().hint != drill.hint


# ---- Moodle's XML

# question/type/multianswer/questiontype.php: how Moodle finds the answers of a cell.
CELL = re.compile(r"\{1:NUMERICAL:((?:.*?(?<!\\))?)\}")
ALTERNATIVE = re.compile(r"~?(=|%(-?[0-9]+)%)?(.+?(?<!\\|&))(?=[~#}]|$)(#(.*?(?<!\\)(?=[~}]|$)))?")


def cells(text: str) -> list[list[tuple[str, str, str]]]:
    """Of each cell the answers: share, number with tolerance, what is said."""
    return [
        [
            ("100" if mark == "=" else share, answer, unescape(said or ""))
            for mark, share, answer, _, said in ALTERNATIVE.findall(found)
        ]
        for found in CELL.findall(text)
    ]


def expected(blank: Blank) -> list[tuple[str, str, str]]:
    margin = f":{blank.tolerance:f}" if blank.tolerance else ""
    answers = [("100", way + margin, "") for way in blank.right]
    return answers + [("0", way + margin, said) for ways, said in blank.wrong for way in ways]


def test_moodle_reads_the_same(bank):
    _, found = bank
    category, read = None, []
    for element in ElementTree.fromstring(moodle([], found).encode()):
        if element.get("type") == "category":
            category = element.findtext("category/text")
        else:
            read.append((category, element))
    for drill, (category, element) in zip(found, read, strict=True):
        assert category == category_of(drill) == f"top/{drill.group}/{drill.title}"
        assert element.findtext("name/text") == drill.name
        assert element.findtext("generalfeedback/text") == drill.way
        text = element.findtext("questiontext/text")
        assert text.startswith(f"<p>{drill.text}</p><p>{drill.hint}</p>")
        if element.get("type") == "cloze":
            assert cells(text) == [expected(blank) for blank in drill.blanks]
            assert text.count("<br>") == len(drill.rows) - 1
            continue
        [blank] = drill.blanks
        assert element.get("type") == ("numerical" if blank.tolerance else "shortanswer")
        answers = [
            (
                answer.get("fraction"),
                ":".join(filter(None, [answer.findtext("text"), answer.findtext("tolerance")])),
                answer.findtext("feedback/text"),
            )
            for answer in element.findall("answer")
        ]
        assert answers == expected(blank)


# ---- GIFT


def test_gift_reads_the_same(bank):
    """As question/format/gift/format.php does: marks that a backslash takes back are set aside first."""
    _, found = bank

    def aside(text: str) -> str:
        text = text.replace("\\\\", "\0092")
        return re.sub(r"\\([~=#{}:])", lambda mark: f"\0{ord(mark[1]):03}", text).replace("\0092", "\\")

    def back(text: str) -> str:
        return re.sub(r"\0(\d{3})", lambda code: chr(int(code[1])), text).strip()

    category, read = None, []
    for block in gift([], found).rstrip("\n").split("\n\n"):
        if block.startswith("$CATEGORY: "):
            category = block.removeprefix("$CATEGORY: ")
        else:
            read.append((category, aside(block)))
    for drill, (category, block) in zip(found, read, strict=True):
        one = drill.one_cell()
        [blank] = one.blanks
        assert category == category_of(drill)
        name, text = re.match(r"::(.*?)::\[html\](.*?)\{", block, re.DOTALL).groups()
        assert (back(name), back(text)) == (drill.name, f"<p>{drill.text}</p><p>{one.hint}</p>")
        assert block.count("{") == block.count("}") == 1 and block.endswith("}")
        answers, _, way = block[block.index("{") + 1 : -1].rpartition("####")
        assert back(way) == drill.way
        assert answers.startswith("#") == bool(blank.tolerance)
        assert "~" not in answers and "->" not in answers, "it would be read as another kind of question"
        taken = []
        for answer in filter(str.strip, answers.removeprefix("#").split("=")):
            share, answer = re.match(r"(?:%(\d+)%)?(.*)", answer.strip(), re.DOTALL).groups()
            answer, _, said = answer.partition("#")
            taken.append((share or "100", back(answer), back(said)))
        assert taken == expected(blank)


# ---- QTI


def fulfilled(condition: ElementTree.Element, typed: str) -> bool:
    if condition.tag == "varequal":
        return condition.text == typed
    if condition.tag in ("vargte", "varlte"):
        try:
            value = Decimal(typed)
        except ArithmeticError:
            return False
        return (
            value >= Decimal(condition.text)
            if condition.tag == "vargte"
            else value <= Decimal(condition.text)
        )
    if condition.tag == "other":
        return True
    each = [fulfilled(part, typed) for part in condition]
    return all(each) if condition.tag == "and" else any(each)


def answered(item: ElementTree.Element, typed: str) -> tuple[float, list[str]]:
    """The percent for what was typed, and what is shown."""
    told = {shown.get("ident"): shown.findtext(".//mattext") for shown in item.iter("itemfeedback")}
    score, said = 0.0, []
    for condition in item.iter("respcondition"):
        if fulfilled(condition.find("conditionvar"), typed):
            score = float(condition.findtext("setvar") or score)
            said += [told[shown.get("linkrefid")] for shown in condition.iter("displayfeedback")]
            if condition.get("continue") == "No":
                break
    return score, said


@pytest.fixture(scope="module")
def canvas(bank):
    with ZipFile(io.BytesIO(qti([], bank[1]))) as packed:
        return {name: names_alone(ElementTree.fromstring(packed.read(name))) for name in packed.namelist()}


def test_canvas_takes_what_is_right_alone_and_tells_all_mistakes(bank, canvas):
    _, found = bank
    items = {item.get("title"): item for root in canvas.values() for item in root.iter("item")}
    assert list(items) == [drill.name for drill in found]
    for drill in found:
        one, item = drill.one_cell(), items[drill.name]
        [blank] = one.blanks
        assert item.findtext("presentation/material/mattext") == f"<p>{drill.text}</p><p>{one.hint}</p>"
        for way in blank.right:
            assert answered(item, way) == (100, [drill.way])
        for ways, _ in blank.wrong:
            for way in ways:
                score, [shown, mistakes] = answered(item, way)
                assert (score, shown) == (0, drill.way)
                assert all(f"<li>{told[0]}: {why}</li>" in mistakes for told, why in blank.wrong)
        labels = [field.findtext("fieldlabel") for field in item.iter("qtimetadatafield")]
        entries = [field.findtext("fieldentry") for field in item.iter("qtimetadatafield")]
        fields = dict(zip(labels, entries, strict=True))
        assert fields["question_type"] == (
            "numerical_question" if blank.tolerance else "short_answer_question"
        )


def test_canvas_picks_one_variant_of_each_drill(bank, canvas):
    _, found = bank
    groups = Counter((drill.group, drill.title) for drill in found)
    sizes = {}
    for name, root in canvas.items():
        if name.endswith("assessment_meta.xml") or name == "imsmanifest.xml":
            continue
        assessment = root.find("assessment")
        parts = assessment.findall("section/section")
        for part in parts:
            assert part.findtext(".//selection_number") == "1"
            sizes[assessment.get("title"), part.get("title")] = len(part.findall("item"))
        settings = canvas[name.replace(name.rpartition("/")[2], "assessment_meta.xml")]
        assert settings.findtext("points_possible") == str(len(parts))
        assert settings.findtext("title") == assessment.get("title")
    assert sizes == groups


# ---- What went wrong for others


def test_every_answer_has_its_own_tolerance_and_no_two_meet(bank):
    """frontend-app-authoring#2138: the tolerance was the first answer's alone; oli-torus#1203: 50 was taken for 5."""
    for drill, blank in blanks(bank[1]):
        if not blank.tolerance:
            continue
        numbers = sorted(Decimal(ways[0]) for ways in [blank.right, *(ways for ways, _ in blank.wrong)])
        assert all(b - a > 2 * blank.tolerance for a, b in zip(numbers, numbers[1:], strict=False)), (
            drill.name
        )
    for element in ElementTree.fromstring(moodle([], bank[1]).encode()).iterfind(
        "question[@type='numerical']"
    ):
        assert len(element.findall("answer")) == len(element.findall("answer/tolerance"))


def test_a_rounded_and_a_cut_answer_are_taken(posed):
    """Numbas#76, moodle-qtype_formulas#30: at the tolerance's edge the same answer was right once and wrong once."""
    for drill in drills("ko"):
        one, digits = posed[drill.name], posed[drill.name]["digits"]
        if digits is None:
            continue
        values = re.findall(r"-?\d[\d.e-]*", str(one["right"]))
        for value, blank in zip(values, drill.blanks, strict=True):
            assert abs(Decimal(value) - Decimal(blank.right[0])) < blank.tolerance / 100, drill.name
            for rounding in (ROUND_HALF_UP, ROUND_DOWN):
                written = Decimal(value).quantize(Decimal(1).scaleb(-digits), rounding)
                assert abs(written - Decimal(blank.right[0])) <= blank.tolerance, (drill.name, value)


def test_numbers_are_plain_decimals(bank):
    """webexercises#18, Submitty#10702, Ximera#57: commas, a minus that is no hyphen, and 1e-6 are not read as numbers."""
    written = re.compile(r"-?\d+(\.\d+)?")
    for drill, blank in blanks(bank[1]):
        if blank.tolerance:
            assert all(
                written.fullmatch(ways[0]) for ways in [blank.right, *(ways for ways, _ in blank.wrong)]
            )
            assert blank.right != ["-0"], drill.name
    read = ElementTree.fromstring(moodle([], bank[1]).encode())
    assert all(written.fullmatch(tolerance.text) for tolerance in read.iter("tolerance"))


def test_canvas_has_an_exact_answer_with_a_margin_not_a_range(bank, canvas):
    """text2qti#7: without the value itself beside its bounds, Canvas asks for something 'between 42 and 42'."""
    for root in canvas.values():
        for condition in root.iter("conditionvar"):
            bounds = condition.findall(".//vargte")
            if bounds:
                assert [part.tag for part in condition.find("or")] == ["varequal", "and"]
                low, exact, high = (
                    Decimal(condition.findtext(f".//{tag}")) for tag in ("vargte", "varequal", "varlte")
                )
                assert exact - low == high - exact > 0


def test_nothing_is_asked_that_canvas_makes_a_zero(bank):
    """text2qti#51: what is smaller than 0.0001 becomes 0 when it is typed."""
    for drill, blank in blanks(bank[1]):
        if blank.tolerance and Decimal(blank.right[0]):
            assert abs(Decimal(blank.right[0])) >= Decimal("0.0001"), drill.name


def test_a_text_to_type_is_plain_and_has_no_wildcard(bank):
    """GIFT-grammar-PEG.js#76: '[html]' before a short answer is part of it; an asterisk would take anything."""
    for drill, blank in blanks(bank[1]):
        for ways in [blank.right, *(ways for ways, _ in blank.wrong)]:
            assert not any(re.search(r"[*<>&\[\]\\]|^\s|\s$", way) for way in ways), drill.name
        taken = [way for ways in [blank.right, *(ways for ways, _ in blank.wrong)] for way in ways]
        assert len({*taken}) == len(taken), drill.name


def test_names_and_identifiers_are_ones_own(bank, canvas):
    """claroline#421: of several questions with one name only one was taken."""
    names = [drill.name for drill in bank[1]]
    assert len({*names}) == len(names)
    identifiers = [
        element.get("ident")
        for root in canvas.values()
        for element in root.iter()
        if element.tag in ("item", "assessment") or element.find("selection_ordering") is not None
    ]
    assert len({*identifiers}) == len(identifiers)


def test_categories_lie_where_questions_are_imported(bank):
    """moodle-qformat_wordtable#24: in Moodle 5 each context of a category became a question bank of its own."""
    for drill in bank[1]:
        assert category_of(drill).startswith("top/") and "$" not in category_of(drill)


def test_marks_in_what_is_said_end_no_answer():
    """GIFT-grammar-PEG.js#53, flashcards-obsidian#120: ':', '=' and the braces of formulas were read as the format's own."""
    said = r"p &lt; q: {x} = \(\frac{1}{2}\) ~ 5#1, 100%"
    blank = Blank(["0.5"], [(["1"], said)], Decimal("0.01"))
    drill = Drill("a b 1", "g", "t", "{1} = ?", "h", "", [[blank, blank]], "w {~}", "en")
    [cloze] = ElementTree.fromstring(moodle([], [drill])).findall("question[@type='cloze']")
    assert cells(cloze.findtext("questiontext/text")) == [expected(blank)] * 2
    _, block = gift([], [drill]).split("\n\n")
    assert re.findall(r"(?<!\\)(?:::|[~={}:]|#+)", block) == [
        "::",
        "::",
        "{",
        "#",
        "=",
        ":",
        "=",
        ":",
        "#",
        "####",
        "}",
    ]


def test_matrices_keep_their_cells(posed):
    """markdown2moodle#1: of the two backslashes that end a row of a formula one was lost."""
    found = drills("ko")
    for drill in found:
        rows = [row for matrix in MATRIX.findall(drill.text) for row in matrix.split(r" \\ ")]
        one = posed[drill.name]["ask"]
        assert len(rows) == one.count("<mtr>"), drill.name
        assert sum(len(row.split(" &amp; ")) for row in rows) == one.count("<mn>"), drill.name
        assert "<math" not in drill.text + drill.way
    assert gift([], found).count(r" \\\\ ") > 100
