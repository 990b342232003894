"""A reader tells of a mistake where it stands: the form opens with page, paragraph and version filled in."""

from importlib.metadata import version
from types import SimpleNamespace
from urllib.parse import parse_qs, unquote, urlsplit

import yaml
from browsing import ROOT, served
from conftest import ADDRESS, REPOSITORY
from readers_voice import tell

FORM = ROOT / ".github" / "ISSUE_TEMPLATE" / "page.yml"


def filled_in(address: str) -> dict[str, str]:
    return {name: value for name, [value] in parse_qs(urlsplit(address).query).items()}


def test_the_form_is_filled_in_beside_each_heading_and_in_the_foot(sample_published, visit):
    with served(sample_published) as url:
        page = visit(f"{url}/chapters/sample.html", 390)
        links = page.locator(".bd-article a.course-tell")
        headings = page.locator(".bd-article :is(h2, h3, h4)")
        assert links.count() == headings.count() > 0
        address = links.first.evaluate("link => link.href")
        foot = page.locator(".course-footer")
        assert f" {version('attentively')} " in foot.inner_text()
        assert filled_in(
            foot.get_by_role("link", name="이 페이지에 대해 알리기").evaluate("link => link.href")
        )["page"] == (f"{ADDRESS}chapters/sample.html")
        anchor = headings.first.evaluate("heading => heading.closest('section').id")
        assert not page.problems
    assert address.startswith(f"{REPOSITORY}/issues/new?")
    said = filled_in(address)
    assert unquote(said["page"]) == f"{ADDRESS}chapters/sample.html#{anchor}"
    assert said["version"] == f"{version('attentively')}, ko"
    fields = {field["id"] for field in yaml.safe_load(FORM.read_text(encoding="utf-8"))["body"]}
    assert said["template"] == FORM.name and set(said) - {"template"} <= fields


def test_without_a_repository_it_is_an_e_mail_and_without_an_address_nothing(sample_book):
    config = SimpleNamespace(
        html_baseurl="",
        html_theme_options={},
        html_title="책 & 강의",
        release="1.2.3",
        language="ko",
        contact="",
    )
    assert tell(config, "chapters/masking.html") == ""
    config.contact = "book@example.org"
    address = urlsplit(tell(config, "chapters/masking.html"))
    assert (address.scheme, address.path) == ("mailto", "book@example.org")
    assert "+" not in address.query  # mail programs show it as it is
    assert unquote(address.query) == "subject=책 & 강의 (1.2.3, ko): chapters/masking.html"
    page = (sample_book / "chapters" / "sample.html").read_text(encoding="utf-8")
    assert "voice.js" not in page and "data-tell" not in page
