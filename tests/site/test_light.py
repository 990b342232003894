"""How much a page weighs, and what it is made of: one stylesheet, formulas without scripts, nothing that it does not need."""

import gzip
import re
import runpy
from html import unescape
from pathlib import Path

import pytest
from browsing import ROOT
from formulas import aligned, mathml
from one_stylesheet import Names, moved, parse, read, trimmed
from test_site import pages

FONT = runpy.run_path(ROOT / "assets" / "fonts" / "formulas.py")
CHARACTERS, ITALIC = FONT["CHARACTERS"], FONT["ITALIC"]
MOST = 250_000  # bytes, compressed, of all that a page loads by itself
HEADERS = 300  # bytes more that a file comes with
LOADED = re.compile(
    r'<(?:script|img)\b[^>]*?\ssrc="([^"#]+)"|<link\b[^>]*?rel="(?:stylesheet|icon)"[^>]*?href="([^"]+)"'
)
FONTS = ["_static/icons/solid.woff2"]
FORMULA_FONT = "_static/formulas/STIXTwoMath.woff2"


def loaded(site: Path, name: str) -> set[Path]:
    """The files that a page loads, itself too."""
    page = site / name
    html = page.read_text(encoding="utf-8")
    html = re.sub(r'<link rel="stylesheet" href="([^"]+)" />', r'<link rel="stylesheet" href="\1">', html)
    addresses = [one or other for one, other in LOADED.findall(html)]
    addresses += re.findall(r'<link[^>]*href="([^"]+)"[^>]*rel="stylesheet"', html)
    files = {
        (page.parent / address.partition("?")[0]).resolve()
        for address in addresses
        if "data:" not in address and not address.startswith("/")
    }
    fonts = [*FONTS, *([FORMULA_FONT] if "<math" in html else [])]
    return {page, *files, *(site / font for font in fonts)}


def compressed(path: Path) -> int:
    data = path.read_bytes()
    return min(len(data), len(gzip.compress(data, 6)))


def test_a_page_weighs_at_most_250_kb(book):
    """Every page, with all its pictures."""
    sizes: dict[Path, int] = {}
    heavy = {}
    for name in pages(book):
        files = loaded(book, name)
        for path in files - sizes.keys():
            sizes[path] = compressed(path)
        weight = sum(sizes[path] + HEADERS for path in files)
        if weight > MOST and name != "search.html":  # which brings the index of the whole book
            heavy[name] = weight
    assert heavy == {}


def test_a_page_loads_what_is_counted_and_nothing_else(sample_book, sample_url, visit):
    page = visit(f"{sample_url}/chapters/index.html")
    asked = set()
    page.on("request", lambda request: asked.add(request.url.partition("?")[0]))
    name = "chapters/sample.html"
    page.goto(f"{sample_url}/{name}", wait_until="networkidle")
    counted = {
        f"{sample_url}/{path.relative_to(sample_book).as_posix()}" for path in loaded(sample_book, name)
    }
    assert asked <= counted
    assert page.problems == []
    assert page.locator("head script[src]").count() == 0, "a script holds up the page"


def test_formulas_are_set_by_the_browser(sample_url, visit):
    page = visit(f"{sample_url}/chapters/sample.html")
    assert page.evaluate("document.fonts.load('16px STIX2').then((fonts) => fonts.length)") == 1
    above = """(fraction) => fraction.firstElementChild.getBoundingClientRect().bottom
        <= fraction.lastElementChild.getBoundingClientRect().top + 1"""
    fractions = page.locator("math mfrac")
    assert fractions.count() > 0
    assert all(fraction.evaluate(above) for fraction in fractions.all())


def test_a_formula_becomes_mathml_or_a_clear_error():
    assert "<mfrac>" in mathml(r"\frac{a}{b}", False)
    assert "<mtext>점수</mtext>" in mathml(r"\text{점수}", True)
    with pytest.raises(ValueError, match="Expected"):
        mathml(r"\frac{a}{", False)


def test_every_sign_of_a_formula_is_in_the_font(book):
    found = set()
    for path in book.rglob("*.html"):
        for formula in re.findall(r"<math.*?</math>", path.read_text(encoding="utf-8"), re.DOTALL):
            found |= set(unescape(re.sub(r"<[^>]*>", "", formula)))
    assert {sign for sign in found - CHARACTERS - ITALIC if not "가" <= sign <= "힣"} == set()


def test_lines_of_a_formula_are_aligned():
    assert aligned("a = b") == "a = b"
    assert aligned(r"a &= b \\ &= c").startswith(r"\begin{aligned}")
    assert aligned("a\n\nb") == r"\begin{aligned}a\\b\end{aligned}"
    assert aligned(r"\begin{align*} a \end{align*}") == r"\begin{align*} a \end{align*}"


def test_the_stylesheet_keeps_what_pages_could_use():
    names = Names(['<p class="used">', 'e.classList.add("made-" + side)'])
    css = """.used, .unused { a: b } .made-left { c: d } p:not(.unused) { e: f } #gone { g: h }
        @media print { .unused { i: j } } @media screen { .used p { k: l } }"""
    kept = trimmed(parse(css), names)
    assert [letter for letter in "acegik" if f"{letter}:" in kept] == list("acek")
    assert ".unused," not in kept and ",.unused" not in kept
    css = 'a { --one: 1; --two: url("x;y"); --three: 3; b: var(--two, c); d: e }'
    names = Names(["style.setProperty('--three', 4)"])
    kept = trimmed(parse(css), names, names.read | read(css))
    assert kept == 'a{--two: url("x;y");--three: 3;b: var(--two, c);d: e}'


def test_addresses_in_a_stylesheet_follow_it():
    css = moved('a { b: url("solid.woff2") url(data:x) }', "_static/icons/icons.css")
    assert css == 'a { b: url("../icons/solid.woff2") url(data:x) }'
