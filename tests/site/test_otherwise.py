"""Pages as they are met by who reads them otherwise: without a script, in large letters, in a system's own colours."""

import chromium
import pytest
from browsing import come_to, go, lay_out_whole
from docutils import nodes
from test_figures import figure  # noqa: F401, a fixture
from word_tables import LONG, is_of_long_names

LARGE = ["chapters/masking.html", "chapters/model_cards.html", "exercises/masking/masking.html"]


def test_without_a_script_a_page_has_the_light_colours(visit, book_url):
    bare, light = (visit(f"{book_url}/chapters/index.html", java_script_enabled=on) for on in (False, True))
    look = """() => [".landing-start a", ".landing-facts", "article a", "pre", "details > summary"].map((place) => {
      const { color, backgroundColor, borderColor } = getComputedStyle(document.querySelector(place));
      return [place, color, backgroundColor, borderColor];
    })"""
    assert bare.evaluate(look) == light.evaluate(look)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_links_and_focus_are_of_one_blue(visit, book_url, theme):
    page = visit(f"{book_url}/chapters/model_cards.html", theme=theme)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    colours = page.evaluate(
        """() => [...["article p > a", "article table.table td a"].map((place) => document.querySelector(place))
          .map((link) => getComputedStyle(link).color), getComputedStyle(document.activeElement).outlineColor]"""
    )
    assert len(set(colours)) == 1, colours


def test_a_caption_is_as_heavy_as_the_text(visit, book_url):
    page = visit(f"{book_url}/chapters/index.html")
    weight = "place => getComputedStyle(document.querySelector(place)).fontWeight"
    assert page.evaluate(weight, "figcaption .caption-text") == page.evaluate(weight, "article p") == "400"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_systems_own_colours_leave_shades_and_what_is_chosen(visit, book_url, theme):
    page = visit(f"{book_url}/chapters/masking.html", theme=theme, forced_colors="active")
    for place in ("course-masking-switches", ".attention-map:has(.am-scroll ~ .am-scroll)"):
        element = page.locator(place).first
        come_to(element)
        element.locator("input[type=radio]").first.wait_for(state="attached")
        grounds = element.evaluate(
            """e => [true, false].map((on) => [...e.querySelectorAll("input[type=radio] + span")]
              .find((span) => span.previousElementSibling.checked === on)).map((span) => getComputedStyle(span).backgroundColor)"""
        )
        assert grounds[0] != grounds[1], place
    cells = page.locator(".attention-map td.am-cell:not(.am-hidden)")
    assert len({cell.evaluate("e => getComputedStyle(e).backgroundColor") for cell in cells.all()[:9]}) > 2


@pytest.fixture(scope="module")
def large(browser):
    """A phone in whose browser letters are set half as large again."""
    args = ["--no-sandbox", "--blink-settings=defaultFontSize=24"]
    reader = browser.browser_type.launch(executable_path=chromium.installed(), args=args)
    yield reader.new_page(viewport={"width": 390, "height": 844})
    reader.close()


@pytest.mark.parametrize("name", LARGE)
def test_large_letters_fit_a_phone(large, book_url, name):
    go(large, f"{book_url}/{name}")
    assert large.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") == 24
    lay_out_whole(large)
    assert large.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [320, 390])
def test_what_a_long_name_means_has_the_whole_phone(visit, book_url, width):
    page = visit(f"{book_url}/chapters/model_cards.html", width)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    lay_out_whole(page)
    tables = page.locator("table.word-table")
    assert tables.count() >= 2
    shares = tables.evaluate_all(
        """all => all.flatMap((table) => [...table.querySelectorAll("tbody tr")].flatMap((row) =>
          [...row.cells].map((cell) => cell.getBoundingClientRect().width / (innerWidth - 32))))"""
    )
    assert min(shares) > 0.9
    desk = visit(f"{book_url}/chapters/model_cards.html", 1280)
    tops = "table => new Set([...table.querySelectorAll('tbody tr')[0].cells].map((cell) => cell.offsetTop)).size"
    assert desk.locator("table.word-table").first.evaluate(tops) == 1


def table(*rows: list[nodes.Node]) -> nodes.table:
    return nodes.table(
        "",
        nodes.tgroup(
            "", nodes.tbody("", *(nodes.row("", *(nodes.entry("", one) for one in row)) for row in rows))
        ),
    )


@pytest.mark.parametrize(
    ("letters", "columns", "long"), [(LONG, 2, True), (LONG - 1, 2, False), (LONG, 3, False)]
)
def test_a_table_of_long_names_has_two_columns(letters, columns, long):
    name, rest = nodes.literal("", "n" * letters), [nodes.paragraph("", "what it is")] * (columns - 1)
    assert is_of_long_names(table([nodes.paragraph("", "", name), *rest])) == long
    assert not is_of_long_names(table([nodes.paragraph("", "a name"), nodes.literal("", "n" * LONG)]))


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_way_to_the_sheet_ends_where_the_text_does(visit, book_url, width):
    page = visit(f"{book_url}/chapters/how_to.html", width)
    right = "place => document.querySelector(place).getBoundingClientRect().right"
    assert (
        abs(page.evaluate(right, ".course-sheet a") - page.evaluate(right, "article > section > section > p"))
        < 1
    )


def test_it_is_said_once_that_code_scrolls(visit, book_url):
    page = visit(f"{book_url}/chapters/how_to.html", 390)
    page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")
    code = page.locator("article .highlight", has_text="@book")
    for beside in (".scroll-hint", ".copybtn"):
        code.locator(beside).wait_for(state="attached")
    # Where it comes second the button stands between the two.
    code.evaluate("e => e.querySelector('pre').after(e.querySelector('.copybtn'))")
    for width, hints in ((380, 1), (1280, 0), (390, 1)):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_function("width => innerWidth === width", arg=width)
        page.evaluate("() => new Promise(done => setTimeout(done, 100))")
        assert code.locator(".scroll-hint").count() == hints, width


def test_what_a_card_makes_is_seen_where_a_model_is_chosen(figure):  # noqa: F811
    element = figure("model-card", width=390, has_touch=True, is_mobile=True)
    height = element.evaluate(
        """e => e.querySelector(".lf-stage > svg").getBoundingClientRect().bottom
           - e.querySelector(".lf-choice").getBoundingClientRect().top"""
    )
    assert height < 844 - 60, "a phone's screen, less the page's head"
