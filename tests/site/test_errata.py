"""What was corrected: each entry leads to where it stands now, says before and after, newest first, in both languages."""

import re
from datetime import date

import pytest
from browsing import ROOT

PAGE = "chapters/errata.html"
SECTION = re.compile(r'<section [^>]*>\s*<h(?P<level>[23])>(?P<title>.*?)<a class="headerlink')
SAID = {"": ("있던 말: ", "지금: "), "en/": ("It said: ", "Now: ")}
ENTRY = re.compile(
    r'<li><p[^>]*><a class="reference internal" href="(?P<href>[^"]+)">.*?</a></p>\s*'
    r"<ul>\s*<li><p[^>]*>(?P<before>.*?)</p></li>\s*<li><p[^>]*>(?P<now>.*?)</p></li>\s*</ul>\s*</li>",
    re.DOTALL,
)


def article(book, edition: str) -> str:
    return (
        (book / edition / PAGE)
        .read_text(encoding="utf-8")
        .partition("<article")[2]
        .partition("</article>")[0]
    )


def entries(book, edition: str) -> list[re.Match]:
    return list(ENTRY.finditer(article(book, edition)))


@pytest.mark.parametrize("edition", SAID)
def test_each_entry_leads_to_its_place_and_says_before_and_after(book, english_book, edition):
    found = entries(book, edition)
    written = re.findall(r"^- ", (ROOT / "chapters" / "errata.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(found) == len(written) > 10
    before, now = SAID[edition]
    for entry in found:
        page, _, anchor = entry["href"].partition("#")
        target = (book / edition / "chapters" / page).read_text(encoding="utf-8")
        assert f'id="{anchor}"' in target, entry["href"]
        assert entry["before"].startswith(before) and entry["now"].startswith(now), entry["href"]


def test_both_languages_correct_the_same(book, english_book):
    korean, english = ([entry["href"] for entry in entries(book, edition)] for edition in SAID)
    assert korean == english


def test_versions_and_days_are_in_order_and_as_published(book):
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    published = dict(re.findall(r"^## ([\d.]+) \(([\d-]+)\)$", changes, re.MULTILINE))
    version, days = None, []
    for section in SECTION.finditer(article(book, "")):
        if section["level"] == "2":
            version = re.match(r"[\d.]+\d", section["title"])[0]
            assert published[version] in article(book, "")
        else:
            days.append(date.fromisoformat(section["title"]))
            assert days[-1] >= date.fromisoformat(published[version])
    assert days and days == sorted(set(days), reverse=True)


def test_the_foot_leads_to_it_and_the_search_knows_its_head_alone(book, english_book):
    for edition in SAID:
        page = (book / edition / "chapters" / "masking.html").read_text(encoding="utf-8")
        assert 'href="errata.html"' in page.partition('class="course-footer"')[2]
        index = (book / edition / "search_index.js").read_text(encoding="utf-8")
        [sections] = re.findall(r'"chapters/errata[^{]*?"sections":(\[\[.*?\]\])', index)
        assert sections.count('["') == 1  # what was said wrongly once is found nowhere
