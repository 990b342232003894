"""Where a browser keeps nothing, has no room, or keeps what is not ours, a page does all that asks for nothing kept."""

import json

import pytest
from browsing import come_to, go

PAGE = "chapters/sample.html"
SPOILED = [
    {"review": None},
    {"review": {"chapters/masking drill weights": None}},
    {"read": None, "drills": 3},
    {"quizzes": {"chapters/sample": {"0a1b2c3d": None}, "chapters/masking": 7}},
    {"last": {}},
]


def works(frame) -> None:
    """Contents, search and brightness answer on a phone."""
    for button, opened in [
        (".primary-toggle", "#pst-primary-sidebar-modal[open] nav"),
        (".search-button", "#pst-search-dialog[open] input"),
    ]:
        frame.locator(f"{button}:visible").first.click()
        frame.locator(opened).first.wait_for(timeout=5000)
        frame.locator(opened).first.press("Escape")
    before = frame.locator("html").get_attribute("data-mode")
    frame.locator(".theme-switch-button:visible").first.click()
    assert frame.locator("html").get_attribute("data-mode") != before


def test_a_browser_that_keeps_nothing_has_its_menus(visit, sample_url):
    """In a frame of an origin of its own, as in a course's page, to mention the storage is an error."""
    page = visit(f"{sample_url}/{PAGE}", 390)
    page.evaluate("""() => {
      document.body.innerHTML = '<iframe sandbox="allow-scripts" style="width: 100%; height: 800px"></iframe>';
      document.querySelector("iframe").src = location.href;
    }""")
    frame = page.frame_locator("iframe")
    refused = "() => { try { return !localStorage; } catch { return true; } }"
    assert frame.locator("html").evaluate(refused)
    works(frame)


def test_a_browser_without_room_has_its_menus(visit, sample_url):
    page = visit(f"{sample_url}/{PAGE}", 390)
    page.evaluate("""() => {
      localStorage.clear();
      for (let size = 2 ** 22, k = 0; size >= 1; k += 1) {
        try { localStorage.setItem(`full${k}`, "x".repeat(size)); } catch { size = Math.floor(size / 2); }
      }
    }""")
    go(page, f"{sample_url}/{PAGE}")
    works(page)
    assert page.problems == []


@pytest.mark.parametrize("record", [*map(json.dumps, SPOILED), "{oops", "[1]"])
def test_a_spoiled_record_spoils_no_page(visit, sample_url, record):
    page = visit(f"{sample_url}/{PAGE}")
    for name in (PAGE, "chapters/index.html"):
        page.evaluate("record => localStorage.setItem('attentively', record)", record)
        go(page, f"{sample_url}/{name}")
        assert page.problems == []
        assert page.evaluate("courseProgress.waiting()") == []
    go(page, f"{sample_url}/{PAGE}")
    button = page.locator(".read-button")
    come_to(button)  # the last sections get their heights a frame later, and a button that moves is missed
    button.click()
    kept = json.loads(page.evaluate("localStorage.getItem('attentively')"))
    assert kept["read"] == {"chapters/sample": True}
