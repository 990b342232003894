"""Sections far from the screen are not laid out yet (course.css): nothing may notice."""

import io
from unittest.mock import Mock

import pytest
from browsing import come_to
from docutils import nodes
from docutils.parsers.rst import DirectiveError
from folded import Folded
from pypdf import PdfReader
from sphinx import addnodes

PAGE = "chapters/masking.html"
LAID_OUT = "e => e.checkVisibility({ contentVisibilityAuto: true })"
SECTIONS = ".bd-article > section > section"
# Paragraphs in sight, not in a fold, from all over the page
PARAGRAPHS = """[...document.querySelectorAll(".bd-article > section > section p[id^=p]")]
    .filter((p) => !p.closest("details, .quiz, td")).map((p) => p.id)"""


@pytest.fixture
def chapter(visit, book_url):
    """The chapter on a phone, at a paragraph far down to which a reader came from elsewhere."""
    page = visit(f"{book_url}/{PAGE}", 390)
    paragraphs = page.evaluate(PARAGRAPHS)
    page.far = paragraphs[len(paragraphs) * 3 // 5]
    page.goto("about:blank")
    page.goto(f"{book_url}/{PAGE}#{page.far}")
    settled(page)
    return page


def settled(page) -> None:
    """Wait until the page has stood still for half a second."""
    page.evaluate(
        """async () => {
          const place = () => `${scrollY} ${document.documentElement.scrollHeight}`;
          for (let before = "", still = 0; still < 5; before = place()) {
            await new Promise((resolve) => setTimeout(resolve, 100));
            still = place() === before ? still + 1 : 0;
          }
        }"""
    )


def top(page, name: str) -> float:
    return page.evaluate("id => document.getElementById(id).getBoundingClientRect().top", name)


def lands(page, name: str) -> bool:
    """Whether `name` comes to stand under the header, or in sight where the page ends (as was guessed) before that."""
    settled(page)
    beyond = page.evaluate("document.documentElement.scrollHeight - innerHeight - scrollY")
    return 0 <= top(page, name) < (200 if beyond > 150 else 600)


def test_what_is_far_below_waits(visit, book_url):
    page = visit(f"{book_url}/{PAGE}", 390)
    settled(page)
    last = page.locator(SECTIONS).last
    heading, code = last.locator("> :is(h2, h3)"), page.locator(f"{SECTIONS} pre").last
    assert not heading.evaluate(LAID_OUT)
    assert code.get_attribute("tabindex") is None, "a script has measured code that nobody sees"
    heading.scroll_into_view_if_needed()
    page.wait_for_function(LAID_OUT, arg=heading.element_handle())


@pytest.mark.parametrize("width", [390, 1280])
def test_links_land_on_their_paragraph(visit, book_url, width):
    page = visit(f"{book_url}/{PAGE}", width)
    paragraphs = page.evaluate(PARAGRAPHS)
    places = [paragraphs[round(part * (len(paragraphs) - 1))] for part in (0.9, 0.3, 0.6)]
    for place in places:  # on a page that is there, and from elsewhere
        page.evaluate("id => (location.hash = id)", place)
        assert lands(page, place)
    for place in places:
        page.goto("about:blank")
        page.goto(f"{book_url}/{PAGE}#{place}")
        assert lands(page, place)


# progress.js waits for the end of scrolling
REMEMBERED = "id => JSON.parse(localStorage.getItem('attentively') ?? '{}').last?.anchor === id"


def test_a_reader_is_where_they_are(chapter):
    """Sections that are skipped only guess where their paragraphs are."""
    heading = chapter.evaluate("id => document.getElementById(id).closest('section').id", chapter.far)
    chapter.mouse.wheel(0, 1)
    chapter.wait_for_function(REMEMBERED, arg=heading)
    link = chapter.locator(".language-switch")
    link.evaluate("link => { link.onclick = () => false; link.click(); }")
    read = link.get_attribute("href").partition("#")[2]
    assert read and -300 < top(chapter, read) < 200


def test_who_reloads_or_comes_back_is_where_they_were(chapter):
    for _ in range(12):  # sections on the way get their real heights
        chapter.mouse.wheel(0, -300)
        chapter.wait_for_timeout(50)
    settled(chapter)
    chapter.wait_for_timeout(1500)  # Chromium notes a second later where the page stands
    before = top(chapter, chapter.far)
    assert abs(before) > 1000, "the reader has gone on"
    for way in (chapter.reload, lambda: chapter.goto("about:blank") is None and chapter.go_back()):
        way()
        settled(chapter)
        assert top(chapter, chapter.far) == pytest.approx(before, abs=20)


# Measuring a heading that is skipped or folded lays its section out, so remember which were measured.
MEASURED = """() => {
  window.measured = [];
  const { getBoundingClientRect } = Element.prototype;
  Element.prototype.getBoundingClientRect = function () {
    const shown = this.checkVisibility({ contentVisibilityAuto: true });
    if (!shown && this.matches(".bd-article :is(h2, h3)")) measured.push(this.textContent);
    return getBoundingClientRect.call(this);
  };
}"""


def test_a_place_is_no_heading_that_is_folded_and_no_far_one_is_laid_out(visit, book_url):
    page = visit(f"{book_url}/{PAGE}", 390)
    fold = page.locator("article details:not([open]):has(> section)").first
    hidden = fold.evaluate("fold => [...fold.querySelectorAll('section[id]')].map((section) => section.id)")
    above = fold.evaluate("fold => fold.closest('section').id")
    assert hidden
    come_to(fold.locator("summary"))
    page.evaluate(MEASURED)
    fold.evaluate(
        "fold => scrollBy({ top: fold.getBoundingClientRect().bottom - innerHeight / 2 + 5, behavior: 'instant' })"
    )
    page.wait_for_function(REMEMBERED, arg=above)
    assert page.evaluate("measured") == []


def test_print_is_whole(chapter):
    skipped = f"document.querySelectorAll('{SECTIONS} > :is(h2, h3)')"
    skipped = f"[...{skipped}].filter(e => !e.closest('details') && !({LAID_OUT})(e)).length"
    assert chapter.evaluate(skipped) > 0
    chapter.emulate_media(media="print")
    chapter.wait_for_function(f"{skipped} === 0", timeout=5000)  # the next frame lays them out


def folds_on_paper(page, folds: str) -> list:
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    return page.locator(folds).all()


def test_long_code_is_on_paper(visit, book_url):
    page = visit(f"{book_url}/chapters/self_attention.html", 390)
    folds = folds_on_paper(page, ".long-code details.hide")
    assert folds
    for fold in folds:
        assert fold.locator("pre").is_visible() and not fold.locator("summary").is_visible()
        fades = "fold => getComputedStyle(fold.querySelector('summary ~ *')).animationName"
        assert fold.evaluate(fades) == "none", "paper does not wait for it"
        assert fold.evaluate("fold => getComputedStyle(fold).boxShadow") == "none"


def test_what_an_exercise_imports_and_checks_leaves_no_box_on_paper(visit, book_url):
    folds = folds_on_paper(visit(f"{book_url}/exercises/masking/masking.html", 390), "article details.hide")
    assert folds and not any(fold.is_visible() for fold in folds)


def test_a_folds_line_stands_on_paper_with_what_it_unfolds(visit, sample_url):
    page = visit(f"{sample_url}/chapters/sample.html")
    fold = page.locator("details.course-folded").first
    fold.evaluate("""fold => {
      fold.querySelector("summary").textContent = "SUMMARY";
      fold.querySelector(":scope > :not(summary)").prepend("FIRST");
      const paper = document.createElement("article");
      paper.className = "bd-article";
      paper.append(Object.assign(document.createElement("div"), { id: "above" }), fold);
      document.body.replaceChildren(paper);
    }""")
    apart = []
    for height in range(780, 980, 10):
        page.evaluate("height => (document.getElementById('above').style.height = `${height}px`)", height)
        sheets = [sheet.extract_text() for sheet in PdfReader(io.BytesIO(page.pdf())).pages]
        on = [next(k for k, sheet in enumerate(sheets) if word in sheet) for word in ("SUMMARY", "FIRST")]
        apart += [(height, on)] * (on[0] != on[1])
    assert apart == []


def test_heads_stand_side_by_side_on_paper(visit, sample_url):
    page = visit(f"{sample_url}/chapters/sample.html", 680)
    shown = page.locator(".attention-map.am-live:has(.am-scroll ~ .am-scroll)")
    come_to(page.locator(".attention-map:has(.am-scroll ~ .am-scroll)"))
    shown.wait_for()  # its script hides all heads but one
    page.emulate_media(media="print")
    maps = shown.locator(".am-scroll")
    tops = [box["y"] for box in (one.bounding_box() for one in maps.all())]
    assert len(tops) == 4 and len(set(tops)) == 2


def test_what_unfolds_a_section_holds_no_link():
    """A link in a button is neither for a keyboard nor for who hears the page."""
    state = Mock(inline_text=lambda *_: ([nodes.Text("여기: "), addnodes.pending_xref()], []))
    with pytest.raises(DirectiveError):
        Folded("folded", ["여기: {ref}`there`"], {}, [], 1, 0, "", state, Mock()).run()
