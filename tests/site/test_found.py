"""What search engines, messengers, lost readers and printers get."""

import re

from conftest import ADDRESS
from found import LENGTH, shortened
from passages import mark_english


def head(page) -> dict[str, str]:
    """Its meta tags by name."""
    html = page.read_text(encoding="utf-8")
    return dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)"', html))


def test_a_page_is_described_by_its_opening(sample_book):
    tags = head(sample_book / "chapters" / "sample.html")
    assert "질의와 키를 견줍니다" in tags["description"]
    assert "Vaswani" not in tags["description"]
    assert tags["og:title"].startswith("1. 견본 장")
    assert "og:image" not in tags  # without an address there is none to give
    assert not (sample_book / "sitemap.xml").exists()
    html = (sample_book / "chapters" / "sample.html").read_text(encoding="utf-8")
    assert html.count('name="viewport"') == 1


def test_every_page_of_the_book_has_a_description_of_its_own(book):
    written = [page for page in book.glob("chapters/*.html")] + [
        page for page in book.glob("exercises/*/*.html")
    ]
    descriptions = [head(page)["description"] for page in written]
    assert len(set(descriptions)) == len(descriptions) > 0
    assert all(20 < len(text) <= LENGTH + 30 for text in descriptions), descriptions


def test_whole_addresses_come_with_the_address_of_the_book(sample_published):
    tags = head(sample_published / "chapters" / "sample.html")
    assert tags["og:url"] == f"{ADDRESS}chapters/sample.html"
    card = tags["og:image"].removeprefix(ADDRESS)
    assert (sample_published / card).is_file()
    assert f'rel="canonical" href="{ADDRESS}chapters/sample.html"' in (
        sample_published / "chapters" / "sample.html"
    ).read_text(encoding="utf-8")
    site_map = (sample_published / "sitemap.xml").read_text(encoding="utf-8")
    listed = {address.removeprefix(ADDRESS) for address in re.findall("<loc>(.*?)</loc>", site_map)}
    korean = {
        "chapters/index.html",
        "chapters/live.html",
        "chapters/sample.html",
        "exercises/sample/sample.html",
    }
    assert listed == korean | {f"en/{page}" for page in korean}
    assert f"{ADDRESS}sitemap.xml" in (sample_published / "robots.txt").read_text(encoding="utf-8")
    assert 'href="/attentively/chapters/index.html"' in (sample_published / "404.html").read_text(
        encoding="utf-8"
    )


def test_the_root_has_a_title_and_a_language(sample_book):
    html = (sample_book / "index.html").read_text(encoding="utf-8")
    assert html.startswith("<!DOCTYPE html>")
    assert 'lang="ko"' in html and "<title>트랜스포머 집중 강의</title>" in html


def test_descriptions_end_with_a_sentence():
    assert shortened("짧은 글입니다.") == "짧은 글입니다."
    long = "첫 문장은 이만큼 길고 또 길어서 마흔 글자는 넘습니다, 정말로 넘습니다. " + "둘째 " * 60
    assert shortened(long).endswith("넘습니다.")
    assert len(shortened("낱말 " * 100)) <= LENGTH + 2


def test_english_is_marked_as_english():
    marked = mark_english(
        '<p>질의(query)와 <code>f(query)</code>와 값(가)</p><div class="citation">A. <em>B</em>.</div>'
    )
    assert '질의(<span lang="en">query</span>)' in marked
    assert "<code>f(query)</code>" in marked and "값(가)" in marked
    assert '<div class="citation" lang="en">' in marked
    assert 'lang="en"' not in mark_english('<div class="citation">한글 책.</div>')


def test_a_dark_page_is_printed_in_light(sample_url, visit):
    page = visit(f"{sample_url}/chapters/sample.html", theme="dark")
    colour = "getComputedStyle(document.querySelector('.bd-article p')).color.match(/\\d+/g).map(Number)"
    assert min(page.evaluate(colour)) > 150
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert max(page.evaluate(colour)) < 100
    styles = page.evaluate("getComputedStyle(document.querySelector('.bd-article pre')).whiteSpace")
    assert styles in {"pre-wrap", "break-spaces"}
    assert page.locator("article h1").inner_text().startswith("1.")
    assert not any(fold.is_visible() for fold in page.locator("details.hide:not([open])").all())
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert min(page.evaluate(colour)) > 150
