"""The pages that one opens first: the line whose mistake is named, the machine's stations, the years, the routes, the sheet."""

import io
import re

import pytest
import torch
import yaml
from browsing import ROOT
from own_examples import translated
from pypdf import PdfReader
from test_figures import figure  # noqa: F401, a fixture

from grader.judging.mistakes import load_bank
from grader.translation.catalogue import Catalogue

CHAPTERS = ROOT / "chapters"
CONTENTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
NUMBERED = [
    chapter["file"].partition("/")[2]
    for part in CONTENTS["parts"]
    if part.get("numbered")
    for chapter in part["chapters"]
]

# ---- The line whose mistake is named

SCORES = torch.tensor([[0, 0.7, 0], [0.7, 0, 1.6], [0, 1.1, 1.4]])
MASK = torch.ones(3, 3, dtype=torch.bool).tril()
BANK = {
    mistake.name: mistake.hint
    for mistake in load_bank(ROOT / "grader" / "misconceptions" / "masking.py", "masking").values()
}
SHOWN = (
    "e => e.cells.map(({ cells, sum }) => [...cells.map(({ label }) => label.textContent), sum.textContent])"
)


def type_line(element, code: str) -> str:
    """What the figure says of a line."""
    element.get_by_role("textbox").fill(code)
    return element.locator(".lf-status").inner_text()


@pytest.fixture
def line(figure):  # noqa: F811
    return figure("named-mistake", reduced_motion="reduce")


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("torch.softmax(scores, dim=-1) * mask", "zero_after_softmax"),
        ("return scores.softmax(-1).masked_fill(~mask, 0)", "zero_after_softmax"),
        ("torch.softmax(torch.where(mask, scores, 0), dim=-1)", "zero_before_softmax"),
        ("(scores * mask).softmax(dim=1)", "zero_before_softmax"),
        ("scores.masked_fill(mask == 0, float('-inf')).softmax(0)", "softmax_over_queries"),
        ("scores.masked_fill(mask, -math.inf).softmax(dim=-1)", "hides_the_visible"),
        ("torch.softmax(scores + ~mask * -torch.inf, dim=-1)", "multiplies_by_infinity"),
    ],
)
def test_a_wrong_line_is_named_in_the_graders_words(line, code, name):
    assert type_line(line, code) == f"확인 필요. {BANK[name]}"
    english = Catalogue("en", "hints/masking")(BANK[name])
    assert english in (ROOT / "assets/static/figures/named_mistake.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "code",
    [
        "scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)",
        "torch.where(mask, scores, -torch.inf).softmax(-1)",
        "torch.exp(scores) * mask / (torch.exp(scores) * mask).sum(dim=-1, keepdim=True)",
        "scores.softmax(-1)",
        "2 * scores - scores / 2 + (mask - 1e-3 * scores.T).exp()",
        "(scores.masked_fill(mask.logical_not(), -1e9) == -1e9).float() != mask.float()",
    ],
)
def test_a_line_is_worth_what_torch_says(line, code):
    names = {"torch": torch, "scores": SCORES, "mask": MASK, "math": torch}
    expected = eval(code.replace("(mask - ", "(mask.float() - "), names).float()  # torch subtracts no bool
    type_line(line, code)
    shown = [[float(cell.replace("−", "-")) for cell in row] for row in line.evaluate(SHOWN)]
    torch.testing.assert_close(torch.tensor(shown)[:, :3], expected, atol=0.0051, rtol=0)


def test_a_right_line_is_right_and_another_is_shown_where_it_differs(line):
    assert type_line(line, "scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)").startswith("맞았습니다.")
    assert "‘밤에’ 행의 ‘밤에’ 자리: 1.00 대신 0.00" in type_line(line, "scores")


@pytest.mark.parametrize(
    "code",
    [
        "",
        "scores.",
        "softmax(scores)",
        "scores.softmax()",
        "scores @ mask",
        "~scores",
        "x",
        "torch.constructor(1)",
    ],
)
def test_what_it_cannot_compute_it_says(line, code):
    assert type_line(line, code).startswith("이 한 줄은 셈할 수 없습니다.")
    assert line.evaluate(SHOWN)[0] == ["", "", "", ""]


def test_it_types_by_itself_until_somebody_takes_over(figure):  # noqa: F811
    line = figure("named-mistake", width=390, has_touch=True)
    field = line.get_by_role("textbox")
    first = field.input_value()

    line.page.wait_for_function(
        "([field, first]) => field.value !== first", arg=[field.element_handle(), first]
    )
    assert line.locator(".lf-status").get_attribute("aria-live") == "off"
    line.get_by_role("button", name="다른 축").tap()
    said = line.locator(".lf-status").inner_text()
    assert BANK["softmax_over_queries"] in said
    line.page.wait_for_timeout(1500)
    assert line.locator(".lf-status").inner_text() == said
    assert not line.get_by_role("button", name="멈춤").is_visible()


# ---- The machine


def test_stations_open_by_finger_and_keyboard(figure):  # noqa: F811
    machine = figure("whole-machine", width=390, has_touch=True)
    status = machine.locator(".lf-status")
    doors = machine.locator(".wm-door")
    for k in (7, 0, 9):
        doors.nth(k).tap()
        assert status.inner_text().startswith(f"{k + 1} ")
        assert doors.nth(k).get_attribute("aria-pressed") == "true"
    doors.nth(3).focus()
    machine.page.keyboard.press("Enter")
    assert status.inner_text().startswith("4 ")
    assert machine.locator("input[type=range]").input_value() == "3"
    for k, link in enumerate(
        machine.evaluate(
            "e => [...e.querySelectorAll('.wm-door')].map((_, k) => (e.go(k), e.querySelector('.wm-more a').href))"
        )
    ):
        page, _, anchor = link.partition("/chapters/")[2].partition("#")
        source = (CHAPTERS / page.replace(".html", ".md")).read_text(encoding="utf-8")
        assert not anchor or f"({anchor})=" in source, k


def test_its_numbers_are_those_of_torchs_layers(figure):  # noqa: F811
    """The reference translator, torch's encoder and decoder layers, reads and writes the same with the same weights."""
    import json

    from safetensors.torch import load_file

    from solutions.transformer import Transformer

    data = figure("whole-machine").evaluate("e => e.data")
    folder = ROOT / "assets" / "models" / "number_translator"
    about = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    state = {name: tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}
    layers = len({name.split(".")[2] for name in state if name.startswith("encoder.layers")})
    inside, d = state["encoder.layers.0.linear1.weight"].shape
    sizes = {
        "num_heads": about["heads"],
        "d_ff": inside,
        "num_layers": layers,
        "max_length": len(state["position.weight"]),
    }
    model = Transformer(len(about["source"]), len(about["target"]), d, **sizes).eval()
    model.load_state_dict(state)
    source, target = (torch.tensor([data[key]["values"]])[..., 0] for key in ("ids", "written"))
    assert [about["source"][i] for i in source[0]] == data["ids"]["rows"]
    with torch.no_grad():
        probabilities = model(source, target, torch.ones_like(source, dtype=torch.bool))[0].softmax(-1)
    following = [
        about["target"].index(token if len(token) == 1 else f"[{token}]") for token in data["next"]["columns"]
    ]
    torch.testing.assert_close(
        torch.tensor(data["next"]["values"], dtype=torch.float),
        probabilities[:, following],
        atol=6e-4,
        rtol=0,
    )
    for key in ("look", "past", "cross"):
        torch.testing.assert_close(
            torch.tensor(data[key]["values"]).sum(-1), torch.ones(len(data[key]["rows"])), atol=2e-3, rtol=0
        )


# ---- The years


def test_the_years_answer_to_finger_and_keys_and_lie_open_on_paper(visit, book_url):
    page = visit(f"{book_url}/chapters/ten_minutes.html", 390, has_touch=True)
    line = page.locator("course-timeline")
    items, dots = line.locator("li"), line.locator(".tl-dot")
    seen = "items => items.flatMap((item, k) => (item.checkVisibility() ? [k] : []))"
    assert items.evaluate_all(seen) == [0]
    dots.nth(3).scroll_into_view_if_needed()
    names = line.evaluate("e => e.dots.map((dot) => dot.title)")
    assert names == sorted(names, key=lambda name: name[:4]) and len(names) == items.count()
    dot = line.get_by_role("button", name=names[5], exact=True)
    dot.tap()
    assert items.evaluate_all(seen) == [5]
    dot.focus()
    page.keyboard.press("ArrowRight")
    assert items.evaluate_all(seen) == [6]
    page.keyboard.press("End")
    assert items.evaluate_all(seen) == [len(names) - 1]
    assert page.url.endswith("ten_minutes.html"), "the arrow keys turned the page"
    page.emulate_media(media="print")
    assert len(items.evaluate_all(seen)) == len(names)
    assert page.problems == []


def test_every_year_cites_and_every_citation_is_of_that_year_or_the_next():
    text = (CHAPTERS / "ten_minutes.md").read_text(encoding="utf-8")
    items = re.findall(r"^- \*\*(\d{4}) .+", text, re.MULTILINE)
    cited = [
        (int(line[4:8]), re.findall(r"\{cite:p\}`([^`]+)`", line))
        for line in text.splitlines()
        if re.match(r"- \*\*\d{4}", line)
    ]
    assert len(items) == len(cited) and all(keys for _, keys in cited)
    library = dict(
        re.findall(
            r"^@\w+\{(\w+),\n(?:.*\n)*?  year = \{(\d{4})\}",
            (ROOT / "references.bib").read_text("utf-8"),
            re.MULTILINE,
        )
    )
    late = [
        (year, key, library[key])
        for year, keys in cited
        for key in keys[0].split(",")
        if not 0 <= int(library[key]) - year <= 1
    ]
    assert late == []


# ---- The routes


def routes() -> list[list[str]]:
    text = (CHAPTERS / "ten_minutes.md").read_text(encoding="utf-8").partition("(routes)=")[2]
    return [re.findall(r"\{doc\}`(\w+)`", line) for line in text.splitlines() if line.startswith("- **")]


def test_there_are_five_routes_and_their_minutes_are_of_their_chapters():
    text = (CHAPTERS / "ten_minutes.md").read_text(encoding="utf-8")
    assert len(routes()) == 5
    landing = (CHAPTERS / "index.md").read_text(encoding="utf-8")
    for route in routes():
        minutes = f"{{reading-time}}`{' '.join(route)}`"
        assert minutes in text and minutes in landing


@pytest.mark.parametrize("route", routes(), ids=lambda route: route[-1])
def test_a_route_passes_what_the_openings_of_its_chapters_speak_of(route):
    """Where an opening says "the chapter before", the reader has come from there; who knows the Transformer skips more."""
    chapters = [stem for stem in route if stem in NUMBERED]
    assert chapters == sorted(chapters, key=NUMBERED.index) or chapters[0] == "gpt"
    for stem in chapters:
        opening = (
            (CHAPTERS / f"{stem}.md").read_text(encoding="utf-8").partition("\n# ")[2].partition("\n## ")[0]
        )
        before = NUMBERED[max(NUMBERED.index(stem) - 1, 0)]
        if "앞 장" in opening:
            assert before in chapters, f"{stem} speaks of {before}"


# ---- The landing page and the sheet


def test_the_first_screen_of_a_desk_shows_the_routes_and_what_to_touch(visit, book_url):
    page = visit(f"{book_url}/chapters/index.html", 1280)
    for part in (page.locator(".landing-routes li").last, page.locator(".nm-status")):
        box = part.bounding_box()
        assert box["y"] + box["height"] < 900


def test_the_facts_are_facts():
    text = (CHAPTERS / "index.md").read_text(encoding="utf-8")
    exercises = [path for path in (ROOT / "exercises").iterdir() if path.is_dir()]
    assert f"{len(NUMBERED)}장과 연습 {len(exercises)}개" in text


@pytest.mark.parametrize("language", ["", "en/"])
def test_the_sheet_is_two_pages_and_every_chapter_leads_to_it(visit, book_url, language):
    page = visit(f"{book_url}/{language}chapters/sheet.html")
    printed = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    assert len(printed.pages) == 2
    assert "class Transformer" in printed.pages[1].extract_text()
    page.goto(f"{book_url}/{language}chapters/masking.html")
    page.locator(".course-sheet a").click()
    page.wait_for_url(f"**/{language}chapters/sheet.html")


# ---- Examples in the reader's language


def test_code_outputs_and_maps_speak_the_readers_language_and_prose_is_left():
    page = '<p>사과</p><pre><span>"사과"</span>, "나는"</pre><figure class="attention-map"><th>사과</th></figure><code>사과</code>'
    expected = '<p>사과</p><pre><span>"apple"</span>, "나는"</pre><figure class="attention-map"><th>apple</th></figure><code>사과</code>'
    assert translated(page, Catalogue("en", "examples").texts) == expected


def test_an_english_reader_meets_an_english_sentence_first(visit, english_book, book_url):
    page = visit(f"{book_url}/en/chapters/index.html")
    article = page.locator("article").evaluate("e => e.textContent")
    assert "The cat spilt the milk" in article
    assert re.findall("[가-힣]+", article) == ["나는", "집에", "간다"], (
        "the sentence of the drawing, beside its English"
    )
