"""The book in Firefox: a console without errors, a figure by keyboard, a live model, the search. Skipped where there is none."""

import re

import firefox
import pytest
from browsing import HTML, ROOT

PAGES = [
    "chapters/index.html",
    "chapters/masking.html",
    "exercises/masking/masking.html",
    "en/chapters/attention.html",
]
REST = [
    f"{edition}chapters/{path.stem}.html"
    for edition in ("", "en/")
    for path in sorted((ROOT / "chapters").glob("*.md"))
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    try:
        with firefox.opened(tmp_path_factory.mktemp("profile")) as browser:
            yield browser
    except RuntimeError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    "name",
    [*PAGES, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in REST if name not in PAGES)],
)
def test_a_page_says_no_error(browser, english_book, book_url, name):
    assert (ROOT / HTML / name).is_file()
    browser.go(f"{book_url}/{name}")
    browser.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")
    browser.wait_for("return document.readyState === 'complete'")
    assert browser.problems(book_url) == []
    assert browser.evaluate("return document.documentElement.scrollWidth <= innerWidth")


def test_what_goes_wrong_is_seen(browser, book_url):
    """Else the test above could not fail."""
    browser.go(f"{book_url}/chapters/how_to.html")
    browser.evaluate("setTimeout(() => notThere())")
    browser.wait_for("return performance.now() > 500")
    assert any("notThere" in problem for problem in browser.problems(book_url))


def test_a_figure_answers_to_the_keyboard(browser, book_url):
    browser.go(f"{book_url}/chapters/attention.html")
    figure = "document.querySelector('course-attention-scale')"
    browser.evaluate(f"{figure}.scrollIntoView()")
    browser.wait_for(f"return {figure}.querySelector('.lf-stage input')")
    said = f"return {figure}.querySelector('.lf-status').innerText"
    before = browser.evaluate(said)
    browser.evaluate(f"{figure}.querySelector('.lf-stage input').focus()")
    browser.press(*["ArrowRight"] * 8)
    assert browser.wait_for(f"{said} !== arguments[0] && {said.removeprefix('return ')}", before)


def test_a_live_model_answers(browser, sample_url):
    browser.go(f"{sample_url}/chapters/live.html")
    model = "document.querySelector('live-model[data-name=sentiment]')"
    browser.evaluate(f"{model}.querySelector('.live-start').click()")
    browser.wait_for(f"return {model}.querySelector('.live-panel')")
    shares = browser.wait_for(f"return {model}.querySelector('.live-panel').innerText.match(/\\d+\\.\\d%/g)")
    still = ROOT / "assets" / "model_examples" / "ko" / "sentiment.html"
    assert shares[-1:] == re.findall(r"\d+\.\d%", still.read_text(encoding="utf-8"))  # as in Chromium


def test_the_search_finds(browser, sample_url):
    browser.go(f"{sample_url}/search.html")
    browser.wait_for("return document.activeElement.name === 'q'")
    browser.press("가중합")
    browser.wait_for("return document.querySelector('main .search-pages h2')")
    assert browser.evaluate("return document.querySelector('main .search-definition').innerText")
    browser.press("ArrowDown", "Enter")
    browser.wait_for("return !location.pathname.endsWith('search.html')")
    assert browser.problems(sample_url) == []
