"""Live models used as a reader uses them, on a page of the sample book opened from disk."""

import re

import live_engine
import pytest
from browsing import ROOT, watch
from live_model import WIDGETS
from test_site import broken_rules

PAGE = "chapters/live.html"


def widget(page, name: str):
    """A widget, with its model: asked for once."""
    found = page.locator(f"live-model[data-name={name}]")
    if found.locator(".live-panel").count() == 0:
        live_engine.example(found)
    return found


@pytest.fixture(scope="module")
def page(browser, sample_book):
    """The page from disk; what happens on it stays for the next test."""
    context = browser.new_context(viewport={"width": 390, "height": 900}, has_touch=True)
    context.set_default_timeout(120_000)
    page = context.new_page()
    url = (sample_book / PAGE).as_uri()
    watch(page, url)
    page.goto(url)
    yield page
    assert page.problems == []
    context.close()


def test_nothing_is_loaded_before_it_is_asked_for(visit, sample_url):
    page = visit(f"{sample_url}/{PAGE}")
    scripts = page.evaluate("[...document.scripts].map((script) => script.src)")
    assert [re.sub(r".*/live/|\?.*", "", src) for src in scripts if "/live/" in src] == ["live.js"]
    assert page.locator(".live-start").count() == len(WIDGETS)
    assert page.problems == []


def test_other_pages_load_nothing_of_it(sample_book):
    assert "live/live" not in (sample_book / "chapters" / "sample.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_stills_are_what_the_widgets_show(visit, sample_url, language):
    """From a server, too: all that a button brings is the book's own."""
    page = visit(f"{sample_url}/{PAGE}")

    def in_language(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('lang="ko"', f'lang="{language}"', 1))

    page.route(f"**/{PAGE}", in_language)
    page.reload()
    for name in WIDGETS:
        still = (ROOT / "assets" / "model_examples" / language / f"{name}.html").read_text(encoding="utf-8")
        assert live_engine.example(page.locator(f"live-model[data-name={name}]")) + "\n" == still
    assert page.problems == []


def test_a_failed_load_is_told_and_can_be_tried_again(visit, sample_url):
    page = visit(f"{sample_url}/{PAGE}")
    page.route("**/weights/number_translator.js", lambda route: route.abort())
    translator = page.locator("live-model[data-name=translator]")
    translator.locator(".live-start").click()
    translator.get_by_text("불러오지 못했습니다").wait_for()
    page.unroute("**/weights/number_translator.js")
    live_engine.example(translator)


def test_a_token_is_blanked_by_touch_and_by_keyboard(page):
    bert = widget(page, "bert")
    token = bert.get_by_role("button", name="연기가", exact=True)
    token.tap()
    assert token.get_attribute("aria-pressed") == "true"
    assert bert.locator(".live-blank").all_inner_texts() == ["빈칸 1 (‘연기가’ 자리)", "빈칸 2"]
    token.press("Enter")
    assert token.get_attribute("aria-pressed") == "false"
    assert bert.locator(".live-bars > li").count() == 5


def test_a_typed_sentence_is_read_and_its_heads_are_shown(page):
    bert = widget(page, "bert")
    bert.get_by_label("문장", exact=True).fill("영화가 [MASK]")
    bert.get_by_role("button", name="영화가").wait_for()
    bert.locator("summary").press("Enter")
    bert.locator(".attention-map.am-live").wait_for()
    assert bert.get_by_role("radio").count() == 12
    assert bert.locator("table:visible tbody tr").count() == 4
    bert.get_by_label("문장", exact=True).fill("가 " * 60)
    bert.get_by_text("앞의 38토큰만 읽습니다.").wait_for()


def test_the_sentiment_of_two_teachings(page):
    sentiment = widget(page, "sentiment")
    sentiment.get_by_label("영화평", exact=True).fill("정말 재미있다")
    verdict = sentiment.locator(".live-verdict")
    page.wait_for_function("() => document.querySelectorAll('.live-parts > li').length === 2")
    many = verdict.inner_text()
    assert float(re.search(r"[\d.]+", many)[0]) > 90
    sentiment.get_by_label("이 책의 320문장").check()
    page.wait_for_function("([node, old]) => node.innerText !== old", arg=[verdict.element_handle(), many])
    pulls = [text.split()[-1] for text in sentiment.locator(".live-parts > li").all_inner_texts()]
    assert all(re.fullmatch(r"[+−]\d+\.\d", pull) for pull in pulls)


def test_the_sentiment_of_nothing_is_not_judged(page):
    sentiment = widget(page, "sentiment")
    text = sentiment.get_by_label("영화평", exact=True)
    text.fill("  ")
    sentiment.get_by_text("아직 읽을 글이 없습니다.").wait_for()
    assert sentiment.locator(".live-parts > li").count() == 0
    text.fill("정말 재미있다")
    sentiment.locator(".live-parts > li").first.wait_for()
    assert "긍정일 확률" in sentiment.locator(".live-verdict").inner_text()


def test_enter_sends_what_was_typed(page):
    gpt = widget(page, "gpt")
    written = gpt.locator(".live-written")
    before = written.inner_text()
    prompt = gpt.get_by_label("첫머리", exact=True)
    prompt.fill("감독이")
    prompt.press("Enter")
    page.wait_for_function(
        "([node, old]) => node.innerText !== old && node.innerText.startsWith('감독')",
        arg=[written.element_handle(), before],
    )


def test_the_cache_changes_the_speed_and_not_the_text(page):
    gpt = widget(page, "gpt")
    with_cache = gpt.locator(".live-written").inner_text()
    gpt.get_by_label("키·값 캐시").uncheck()
    gpt.get_by_role("button", name="이어 쓰기").click()
    page.wait_for_function(
        "() => document.querySelector('[data-name=gpt] .live-button').innerText === '이어 쓰기'"
    )
    assert gpt.locator(".live-written").inner_text() == with_cache
    on, off = (row.inner_text().split()[1:] for row in gpt.locator("tbody tr").all())
    assert on[0] == off[0] and int(off[1]) > 2 * int(on[1])


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("21", "이십일"),
        ("873,569", "팔십칠만삼천오백육십구"),
        ("１２", "십이"),
        ("가", "숫자로 적으십시오"),
        ("3210000", "배운 범위"),
    ],
)
def test_numbers_are_translated(page, typed, said):
    translator = widget(page, "translator")
    translator.get_by_role("textbox").fill(typed)
    translator.locator(".live-result", has_text=said).wait_for()


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.exhaustive)])
def test_a_page_with_models_is_accessible(page, theme):
    for name in WIDGETS:
        widget(page, name)
    closed = page.locator("live-model details:not([open]) > summary")
    while closed.count():
        closed.first.click()
    page.emulate_media(color_scheme=theme)
    assert broken_rules(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_javascript_and_in_print_an_example_stands_there(visit, sample_url):
    page = visit(f"{sample_url}/{PAGE}", java_script_enabled=False)
    assert page.locator(".live-still").count() == len(WIDGETS)
    assert "팔십칠만삼천오백육십구" in page.locator("live-model[data-name=translator]").inner_text()
    assert page.get_by_role("button", name="모델 불러오기").count() == 0
