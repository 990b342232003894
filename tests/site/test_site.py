"""Every page of the built book in a real browser: phone and desk, light and dark, without a network."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browsing import go, lay_out_whole
from sampled import one_in

from grader.reading import HEADINGS

AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text(encoding="utf-8")  # axe-core 4.14.1, vendored
WIDTHS = (390, 1280)
SCREENS = [(width, theme) for width in WIDTHS for theme in ("light", "dark")]


def pages(book) -> list[str]:
    """Every page of an edition but the root's, which only sends on to the preface."""
    found = (path.relative_to(book) for path in book.rglob("*.html"))
    return sorted(path.as_posix() for path in found if path.parts[0] not in {"_static", "en", "index.html"})


# A page takes a second, the rules some more: `make test` opens one in eight on one screen; all on all by -m exhaustive.
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "screen", one_in(3, [(screen,) for screen in SCREENS], "{0[0]}-{0[1]}".format, rest="whole")
)
@pytest.mark.parametrize("shift", [0, *(pytest.param(n, marks=pytest.mark.exhaustive) for n in range(1, 32))])
def test_pages_are_quiet_fit_the_screen_and_are_accessible(book, book_url, visit, screen, shift):
    page = visit(f"{book_url}/chapters/index.html", *screen)
    found = {}
    first = (SCREENS.index(screen) + shift) % len(SCREENS)
    turn = shift // len(SCREENS)
    for name in pages(book)[first :: len(SCREENS)][turn::8]:
        page.problems.clear()
        go(page, f"{book_url}/{name}")
        lay_out_whole(page)
        problems = list(page.problems) + broken_rules(page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            if overflow > 0:
                problems.append(f"{overflow} px wider than a screen of {width}")
        page.set_viewport_size({"width": screen[0], "height": 900})
        if problems:
            found[name] = problems
    assert found == {}


class Text(HTMLParser):
    """A page's words and addresses, as they stand in it."""

    def __init__(self):
        super().__init__()
        self.parts = []

    def handle_data(self, data):
        self.parts.append(data)

    def handle_starttag(self, tag, attributes):
        self.parts += [
            f"\n{value}\n" for name, value in attributes if name in {"href", "src", "alt", "title"} and value
        ]


# What a library or a machine says and no author: where it is installed, its warnings and tracebacks, somebody's home
NOT_OURS = (
    "site-packages",
    "Warning:",
    "Traceback (most recent call last)",
    "/root/",
    "/home/",
    "/Users/",
    "\\Users\\",
)


@pytest.mark.whole
def test_no_page_shows_the_machine_that_built_it(book, english_book):
    found = {}
    for name in [*pages(book), *(f"en/{page}" for page in pages(english_book))]:
        text = Text()
        text.feed((book / name).read_text(encoding="utf-8"))
        words = "".join(text.parts)
        if said := [words[max(at - 60, 0) : at + 60] for sign in NOT_OURS if (at := words.find(sign)) >= 0]:
            found[name] = said
    assert found == {}


def broken_rules(page) -> list[str]:
    """Every barrier that axe-core finds, of whatever impact."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run({ resultTypes: ['violations'], preload: false })")["violations"]
    return [f"{rule['id']}: {rule['help']}: {rule['nodes'][0]['html'][:200]}" for rule in found]


def test_pages_open_without_a_server(book, visit):
    page = visit((book / "chapters" / "notation.html").as_uri())
    assert page.problems == []
    assert page.locator("math").count() > 10


def test_the_language_is_korean(book_url, visit):
    page = visit(f"{book_url}/chapters/how_to.html")
    assert page.locator("html").get_attribute("lang") == "ko"
    assert page.get_by_role("button", name="검색").count() >= 1
    page.set_viewport_size({"width": 390, "height": 900})
    for name in ["책의 차례", "이 페이지의 차례", "밝기 바꾸기"]:
        assert any(button.is_visible() for button in page.get_by_role("button", name=name).all()), name
    assert page.locator("summary[aria-label='이 페이지 내려받기']").is_visible()


def test_no_control_is_named_in_english(book_url, visit):
    """Tooltips and names for screen readers; a page's own figures may be named in any language."""
    page = visit(f"{book_url}/chapters/how_to.html")
    named = "document.querySelectorAll('body [title], body [aria-label], body [data-tooltip], body input')"
    words = page.evaluate(
        f"[...{named}].flatMap(e => [e.title, e.ariaLabel, e.dataset.tooltip, e.placeholder]).filter(Boolean)"
    )
    assert len(words) > 20
    assert [word for word in words if not re.search("[가-힣]", word)] == []


def test_the_address_of_the_book_is_its_preface(book_url, visit):
    page = visit(f"{book_url}/search.html")
    page.goto(f"{book_url}/")
    page.wait_for_url("**/chapters/index.html")


def test_links_inside_the_book_lead_somewhere(book):
    """Every href to a page of the book names a file, and every fragment an id in it."""
    ids = {}
    for name in pages(book):
        html = (book / name).read_text(encoding="utf-8")
        ids[(book / name).resolve()] = set(re.findall(r'\sid="([^"]+)"', html)), html
    broken = []
    for path, (_, html) in ids.items():
        article = html.partition("<article")[2].partition("</article>")[0]
        for href in re.findall(r'href="([^"]+)"', article):
            target, _, fragment = href.partition("#")
            if re.match(r"[a-z]+:", href) or (target and not target.endswith(".html")):
                continue
            other = (path.parent / target).resolve() if target else path
            if other not in ids or (fragment and fragment not in ids[other][0]):
                broken.append(f"{path.name}: {href}")
    assert broken == []


def test_hints_lead_to_a_paragraph(book):
    """What a student can be told to read is an anchor in a chapter of the book."""
    targets = {
        target for named in json.loads(HEADINGS.read_text(encoding="utf-8")).values() for target in named
    }
    found, missing = {}, []
    for target in sorted(targets):
        stem, _, anchor = target.partition("#")
        if stem not in found:
            found[stem] = (book / "chapters" / f"{stem}.html").read_text(encoding="utf-8")
        if anchor and f'id="{anchor}"' not in found[stem]:
            missing.append(target)
    assert len(targets) > 300
    assert missing == []
