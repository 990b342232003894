"""Drills on a page of their own, worked as a reader works them: by keyboard, on a phone, in both languages, from disk."""

import json
from itertools import product

import pytest
from browsing import HTML, ROOT, build_book
from conftest import lay_out_again
from once import once
from test_site import broken_rules

CHAPTERS = sorted(
    path.stem
    for path in (ROOT / "assets" / "static" / "drills").glob("*.js")
    if path.stem not in {"drills", "kit", "panel"}
)
PAGE = "chapters/drills.{}.html"
TOC = """format: jb-book
root: chapters/index
parts:
  - caption: I
    numbered: 1
    chapters:
      - file: chapters/sample
      - file: chapters/masking
  - caption: II
    chapters:
      - file: chapters/drills
      - file: chapters/review
"""
ANSWER = """panel => {
  const { posed } = panel.panel;
  const { kind } = posed.drill;
  const written = (value) => drillKit.all(value).map(v => typeof v === "number" ? String(v) : v).join(kind === "shape" ? ", " : " ");
  return { kind, right: written(posed.right), mistakes: posed.mistakes.map(m => [m.name, written(m.value)]) };
}"""


@pytest.fixture(scope="session")
def drill_book(tmp_path_factory, sample_book):
    """A book whose second page, in both languages, holds the drills of all chapters."""

    def make(root):
        lay_out_again(root, sample_book)
        (root / "_toc.yml").write_text(TOC, encoding="utf-8")
        drills = [f"## {chapter}\n\n:::{{drills}} {chapter}\n:::\n" for chapter in CHAPTERS]
        pages = {
            "drills": "\n".join(["# Drills\n", *drills]),
            "masking": "# 마스킹\n\n## 손으로 풀기\n\n:::{drills} masking\n:::\n",
            "review": "# 다시 보기\n\n:::{review}\n:::\n",
        }
        for name, text in pages.items():
            (root / "chapters" / f"{name}.md").write_text(text, encoding="utf-8")
        build_book(root)
        html = (root / HTML / "chapters" / "drills.html").read_text(encoding="utf-8")
        for language in ("ko", "en"):
            here = root / HTML / PAGE.format(language)
            here.write_text(html.replace('lang="ko"', f'lang="{language}"'), encoding="utf-8")

    return once(tmp_path_factory, "drills", make) / HTML


@pytest.fixture
def drills(visit, drill_book):
    """drills(language, **options): the page, from disk, as that edition has it."""
    opened = []

    def open_page(language="ko", **options):
        page = visit((drill_book / PAGE.format(language)).as_uri(), **options)
        opened.append(page)
        return page

    yield open_page
    assert [problem for page in opened for problem in page.problems] == []


def opened(page, chapter, name):
    item = page.locator(f"course-drills[data-chapter={chapter}] [data-drill={name}]")
    item.locator(".drill-open").focus()
    page.keyboard.press("Enter")
    item.locator(".drill-panel").wait_for()
    return item.locator(".drill-panel")


def write(page, panel, answer: str) -> str:
    """Type an answer into the field that has the focus and send it; what is said of it."""
    field = panel.locator(".drill-field")
    field.fill("")
    page.keyboard.type(answer)
    if field.evaluate("e => e.localName") == "textarea":
        page.keyboard.press("Control+Enter")
    else:
        page.keyboard.press("Enter")
    return panel.get_by_role("status").inner_text()


def test_nothing_of_a_drill_is_loaded_before_one_is_opened(drills):
    page = drills()
    assert page.evaluate("typeof drillKit + typeof coursePanel") == "undefinedundefined"
    assert page.locator(".drill-still").first.is_hidden()
    opened(page, "masking", "weights")
    assert page.evaluate("Object.keys(courseDrills)") == ["masking"]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("language", "theme", "some"),
    [
        ("ko", "light", slice(0, None, 12)),
        pytest.param("en", "dark", slice(6, None, 12), marks=pytest.mark.whole),
        *(
            pytest.param(*one, slice(None), marks=pytest.mark.exhaustive)
            for one in product(("ko", "en"), ("light", "dark"))
        ),
    ],
)
def test_each_drill_is_worked_by_keyboard_on_a_phone(drills, language, theme, some):
    """One in twelve in each language; by -m exhaustive all in both and in both themes."""
    page = drills(language, width=390, theme=theme)
    for item in page.locator("[data-drill]").all()[some]:
        name = item.get_attribute("data-drill")
        chapter = item.evaluate("e => e.closest('course-drills').dataset.chapter")
        panel = opened(page, chapter, name)
        assert panel.locator(".drill-field").evaluate("e => e === document.activeElement")
        answers = panel.evaluate(ANSWER)
        said = set()
        for mistake, value in answers["mistakes"]:
            told = write(page, panel, value)
            assert panel.get_attribute("data-state") == "named", (chapter, name, mistake, value, told)
            assert panel.locator(".drill-said a").get_attribute("href")
            said.add(told)
        assert len(said) == len(answers["mistakes"]), (chapter, name)
        assert panel.locator(".drill-way li").count() == 0
        write(page, panel, answers["right"])
        assert panel.get_attribute("data-state") == "right", (chapter, name, answers)
        assert panel.locator(".drill-way li").count() >= 2
        page.keyboard.press("Enter")  # the focus has moved to "other numbers"
        assert panel.get_attribute("data-state") is None
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert broken_rules(page) == []


@pytest.mark.parametrize("stored", [True, False])
def test_three_in_a_row_make_it_harder_and_a_miss_comes_back(drills, stored):
    page = drills(width=390)
    if not stored:
        page.add_init_script(
            "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })"
        )
        page.reload()
    panel = opened(page, "masking", "weights")
    write(page, panel, "9 9 9 9")
    assert panel.get_attribute("data-state") == "wrong"
    panel.get_by_role("button", name="다른 수로").click()
    for _ in range(3):
        write(page, panel, panel.evaluate(ANSWER)["right"])
        page.keyboard.press("Enter")
    page.wait_for_function("e => e.panel.posed.level === 1", arg=panel.element_handle())
    assert "2단계 가운데 2단계" in panel.locator(".drill-level").inner_text()
    if stored:
        kept = json.loads(page.evaluate("localStorage.getItem('attentively')"))
        assert kept["review"]["chapters/masking drill weights"]["step"] == 0
        page.reload()
        panel = opened(page, "masking", "weights")
        assert panel.evaluate("e => e.panel.posed.level") == 1


def test_an_answer_that_cannot_be_read_costs_nothing(drills):
    page = drills(width=390)
    panel = opened(page, "masking", "weights")
    assert "읽지 못했습니다" in write(page, panel, "1 2")
    assert page.evaluate("Object.keys(courseProgress.load().review)") == []
    assert write(page, panel, panel.evaluate(ANSWER)["right"]).startswith("맞았습니다")
    assert page.evaluate("Object.keys(courseProgress.load().review)") == []


def test_whoever_looks_at_the_way_has_missed_it(drills):
    page = drills(width=390)
    panel = opened(page, "masking", "weights")
    panel.get_by_role("button", name="풀이 보기").click()
    assert panel.locator(".drill-way li").count() >= 2
    assert page.evaluate("Object.keys(courseProgress.load().review)") == ["chapters/masking drill weights"]


def test_examples_stand_without_a_script_and_on_paper_their_answers_at_the_end(visit, drills, drill_book):
    page = drills()
    opened(page, "masking", "weights")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    weights = page.locator("course-drills[data-chapter=masking] [data-drill=weights]")
    stills = weights.locator(".drill-still > p")
    assert [still.is_visible() for still in stills.all()] == [True, False]
    assert not page.locator(".drill-panel").is_visible()
    answers = page.locator(".bd-article > .quiz-answers > ol > li")
    assert answers.count() == page.locator("[data-drill]").count()
    told = weights.locator(".drill-title").text_content() + stills.nth(1).text_content()
    assert told in answers.all_text_contents()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert answers.count() == 0
    plain = visit((drill_book / PAGE.format("ko")).as_uri(), java_script_enabled=False)
    assert all(still.is_visible() for still in plain.locator(".drill-still > p").all())
