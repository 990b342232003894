"""The English edition: its pages as the Korean ones are tested, the way between the two, and no Korean where none is meant."""

import re
from types import SimpleNamespace

import pytest
from browsing import ROOT, go, lay_out_whole
from figure_glosses import FIGURE, glossed, glosses_of, words_of
from found import entry
from korean_passages import listed, shown
from other_language import alternates, way
from passages import mark_korean
from sampled import one_in
from test_figures import SCRIPTS, alive, page_of
from test_site import SCREENS, WIDTHS, broken_rules, pages

from grader.translation.faults import terms

KOREAN = re.compile("[가-힣]+")
EXCEPTIONS = ROOT / "locale" / "en" / "korean.txt"
EVERY = 20  # of the pages, `make test` looks at one in so many, on one screen


@pytest.fixture(scope="session")
def english_url(english_book, book_url):
    return f"{book_url}/en"


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "shift", [0, *(pytest.param(n, marks=pytest.mark.exhaustive) for n in range(1, EVERY))]
)
def test_english_pages_are_quiet_fit_the_screen_and_are_accessible(english_book, english_url, visit, shift):
    page = visit(f"{english_url}/search.html")
    found = {}
    for number, name in enumerate(pages(english_book)[shift::EVERY]):
        width, theme = SCREENS[(number + shift) % len(SCREENS)]
        page.problems.clear()
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        go(page, f"{english_url}/{name}")
        lay_out_whole(page)
        problems = list(page.problems) + broken_rules(page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            if overflow > 0:
                problems.append(f"{overflow} px wider than a screen of {width}")
        if problems:
            found[name] = problems
    assert found == {}


def test_the_language_is_english(english_url, visit):
    page = visit(f"{english_url}/chapters/how_to.html")
    assert page.locator("html").get_attribute("lang") == "en"
    named = "document.querySelectorAll('body [title], body [aria-label], body [data-tooltip], body input')"
    words = page.evaluate(
        f"[...{named}].flatMap(e => [e.title, e.ariaLabel, e.dataset.tooltip, e.placeholder]).filter(Boolean)"
    )
    assert len(words) > 20
    assert [word for word in words if KOREAN.search(word)] == []


def test_korean_stands_in_english_pages_only_where_it_is_meant(english_book):
    """What the list lacks and what it need not hold; `python tests/site/korean_passages.py` writes it."""
    found, meant = shown(english_book), listed(EXCEPTIONS)
    differ = {page: set(found.get(page, ())) ^ set(meant.get(page, ())) for page in {*found, *meant}}
    assert {page: said for page, said in differ.items() if said} == {}


def test_links_inside_the_english_book_lead_somewhere(english_book):
    ids = {
        path.resolve(): set(re.findall(r'\sid="([^"]+)"', path.read_text(encoding="utf-8")))
        for path in (english_book / name for name in pages(english_book))
    }
    broken = []
    for path in ids:
        article = path.read_text(encoding="utf-8").partition("<article")[2].partition("</article>")[0]
        for href in re.findall(r'href="([^"]+)"', article):
            target, _, fragment = href.partition("#")
            if re.match(r"[a-z]+:", href) or (target and not target.endswith(".html")):
                continue
            other = (path.parent / target).resolve() if target else path
            if other not in ids or (fragment and fragment not in ids[other]):
                broken.append(f"{path.name}: {href}")
    assert broken == []


# ---- The way between the editions


def test_pages_have_the_same_blocks_in_both_languages(book, english_book):
    block = re.compile(r'<(\w+)[^>]* id="(p\d+)"')
    assert pages(english_book) == [name for name in pages(book) if name != "404.html"]
    different = [
        name
        for name in pages(english_book)
        if block.findall((book / name).read_text(encoding="utf-8"))
        != block.findall((english_book / name).read_text(encoding="utf-8"))
    ]
    assert different == []


@pytest.mark.parametrize("place", ["server", "disk"])
def test_the_other_language_is_a_link_to_the_same_paragraph(book, english_book, book_url, visit, place):
    start = book_url if place == "server" else book.as_uri()
    page = visit(f"{start}/chapters/masking.html", 390)
    link = page.locator(".language-switch")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/en/chapters/masking.html")
    # a paragraph in sight, well below the first screen
    read = page.evaluate(
        "[...document.querySelectorAll('article p[id^=p]')].filter(p => p.offsetParent)[20].id"
    )
    page.evaluate("id => document.getElementById(id).scrollIntoView({ behavior: 'instant' })", read)
    box = link.bounding_box()
    page.mouse.click(
        box["x"] + 5, box["y"] + box["height"] / 2
    )  # locator.click() would scroll the page first
    page.wait_for_url(f"**/chapters/masking.html#{read}")
    assert "/en/" not in page.url
    assert page.locator("html").get_attribute("lang") == "ko"
    top = page.evaluate("document.getElementById(location.hash.slice(1)).getBoundingClientRect().top")
    assert -50 < top < 300
    assert page.problems == []


def test_a_page_names_its_other_edition_where_the_book_has_an_address():
    app = SimpleNamespace(
        config=SimpleNamespace(html_baseurl="https://example.org/book/en/", language="en"),
        builder=SimpleNamespace(name="html"),
    )
    found = alternates(app, "chapters/x.html")
    assert found["ko"] == "https://example.org/book/chapters/x.html"
    assert found["en"] == found["x-default"] == "https://example.org/book/en/chapters/x.html"
    assert way("chapters/x.html", "ko", "en") == "../en/chapters/x.html"
    assert way("chapters/x.html", "en", "ko") == "../../chapters/x.html"
    assert way("search.html", "en", "ko") == "../search.html"
    assert entry(found).count("<loc>") == 2 and entry(found).count("hreflang=") == 6


def test_a_lost_reader_is_helped_in_both_languages(book, english_book):
    lost = (book / "404.html").read_text(encoding="utf-8")
    ways = re.findall(r'(?:href|action)="/([^"]*)"', lost)  # from any depth
    first, search = "chapters/index.html", "search.html"
    assert {first, search, f"en/{first}", f"en/{search}"} <= set(ways)
    assert [way for way in ways if not (book / way).is_file()] == []
    assert lost.count('name="q"') == 2 and '<section lang="en">' in lost
    assert not (english_book / "404.html").exists()
    assert 'href="en/chapters/index.html"' in (book / "index.html").read_text(encoding="utf-8")


# ---- Words


def test_korean_is_marked_as_korean():
    marked = mark_korean(
        '<p title="가">As in 나는 집에 <code>간다</code>.</p><svg><text x="1">나는</text></svg>'
    )
    assert (
        '<p title="가">As in <span lang="ko">나는 집에</span> <code><span lang="ko">간다</span></code>.'
        in marked
    )
    assert '<text x="1" lang="ko">나는</text>' in marked


def test_korean_in_a_figure_is_explained_below_it(english_book):
    unexplained = set()
    for name in pages(english_book):
        html = (english_book / name).read_text(encoding="utf-8")
        glosses = glosses_of(name.rpartition("/")[2].removesuffix(".html"))
        for figure in FIGURE.findall(html):
            drawn = figure.partition('<p class="figure-gloss">')[0]
            unexplained |= {f"{name}: {word}" for word in words_of(drawn) if word not in glosses}
    assert unexplained == set()
    figure = "<figure><svg><text>나는</text><text>집에</text></svg><figcaption>그림</figcaption>{}</figure>"
    line = '<p class="figure-gloss">나는 ‘I’, 집에 ‘home’</p>'
    assert glossed(figure.format(""), glosses_of("masking")) == figure.format(line)


def test_one_english_word_for_each_term():
    english = list(terms().values())
    assert [word for word in english if KOREAN.search(word)] == []
    assert sorted({word for word in english if english.count(word) > 1}) == []


def data_of(script: str, page: str) -> set[str]:
    """Korean that a figure computes with: in its script but the words in Korean, and in what cells left for it."""
    left = re.findall(r'<script type="application/json" data-figure="[^"]*">(.*?)</script>', page, re.DOTALL)
    return set("".join(KOREAN.findall(without_korean_words(script) + "".join(left))))


def without_korean_words(script: str) -> str:
    """A script without the values of `ko:`."""
    kept, at = "", 0
    for found in re.finditer(r"\bko: ?(?=[\[{\"'`])", script):
        if found.start() < at:
            continue
        kept += script[at : found.start()]
        at, depth = found.end(), 0
        if script[at] not in "[{":
            at = script.index(script[at], at + 1) + 1
            continue
        while True:
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(script[at], 0)
            at += 1
            if not depth:
                break
    return kept + script[at:]


@pytest.mark.parametrize("script", one_in(8, SCRIPTS, lambda script: script.stem))
def test_a_figure_speaks_english(english_book, english_url, visit, script):
    name = script.stem.replace("_", "-")
    page = visit(f"{english_url}/{page_of(name)}", 390)
    element = alive(page, name)
    said = "e => [...e.querySelectorAll('.lf-stage, .lf-status')].map(part => part.textContent).join(' ')"
    named = "e => [...e.querySelectorAll('.lf-stage [aria-label]')].map(part => part.ariaLabel).join(' ')"
    words = KOREAN.findall(element.evaluate(said) + element.evaluate(named))
    data = data_of(
        script.read_text(encoding="utf-8"), (english_book / page_of(name)).read_text(encoding="utf-8")
    )
    assert [word for word in words if not data.issuperset(word)] == []
    assert element.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    assert page.problems == []
