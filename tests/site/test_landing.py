"""The landing page: doors, cards, where to start; and what the reader's own browser remembers."""

import re

import pytest
import yaml
from browsing import ROOT, go
from docutils import nodes
from docutils.core import publish_doctree
from landing import reading_minutes

INDEX = (ROOT / "chapters" / "index.md").read_text(encoding="utf-8")
CONTENTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
CHAPTERS = [
    chapter["file"].partition("/")[2]
    for part in CONTENTS["parts"]
    if part.get("numbered")
    for chapter in part["chapters"]
]


def test_every_chapter_has_a_card_in_the_order_of_the_book():
    assert re.findall(r"^- (\w+): ", INDEX, re.MULTILINE) == CHAPTERS


def test_what_one_reads_first_comes_first():
    """The buttons lead to the tour and to chapter 1; what one looks up stands at the back."""
    first = [page["file"] for part in CONTENTS["parts"][:2] for page in part["chapters"]]
    assert first[:4] == [
        "chapters/ten_minutes",
        "chapters/warm_up",
        "chapters/growing",
        f"chapters/{CHAPTERS[0]}",
    ]
    assert INDEX.index("<ten_minutes>`") < INDEX.index(f"{{doc}}`1장부터 읽기 <{CHAPTERS[0]}>`")
    assert [page["file"] for page in CONTENTS["parts"][-1]["chapters"]][1:] == [
        "chapters/review",
        "chapters/sheet",
        "chapters/notation",
        "chapters/glossary",
        "chapters/javascript",
        "chapters/errata",
    ]


def test_the_drawing_has_a_door_to_every_chapter_about_a_part():
    drawing = (ROOT / "chapters" / "figures" / "index_transformer.svg").read_text(encoding="utf-8")
    doors = set(re.findall(r'href="(\w+)\.html', drawing))
    not_a_part = {"bert_pretraining", "sentiment", "gpt_finetuning"}
    assert doors == set(CHAPTERS[: CHAPTERS.index("gpt_finetuning") + 1]) - not_a_part


@pytest.mark.parametrize("size", [(390, 844), (1280, 900)])
def test_the_first_screen_says_where_to_start(book_url, visit, size):
    page = visit(f"{book_url}/chapters/index.html", size[0])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for name in ("십 분에 전체를", "1장부터 읽기"):
        box = page.locator(".landing-start").get_by_role("link", name=name).bounding_box()
        assert box["y"] + box["height"] < size[1]
    assert page.locator("course-named-mistake").bounding_box()["y"] < size[1]


@pytest.mark.parametrize("edition", ["", "en/"])
def test_how_long_a_way_takes_stands_on_one_line(english_book, book_url, visit, edition):
    page = visit(f"{book_url}/{edition}chapters/index.html", 390)
    lines = """() => [...document.querySelectorAll(".landing-routes li > p")].map((way) => {
      const range = document.createRange();
      range.selectNodeContents(way.lastChild);
      return new Set([...range.getClientRects()].map((line) => line.top)).size;
    })"""
    assert set(page.evaluate(lines)) == {1}


def test_minutes_follow_the_length_of_a_page():
    prose = "\n\n".join(["가나다라마 바사아자차"] * 400)  # 4,000 letters
    assert reading_minutes(publish_doctree(prose), 400) == 10
    code = "::\n\n" + "  a = 1\n" * 200
    page = publish_doctree(prose + "\n\n" + code)
    assert reading_minutes(page, 400) == 20
    block = next(page.findall(nodes.literal_block))
    block.replace_self(nodes.container("", block.deepcopy(), classes=["tag_hide-input"]))
    assert reading_minutes(page, 400) == 10


def test_a_card_tells_question_minutes_and_exercise(visit, sample_url):
    page = visit(f"{sample_url}/chapters/index.html")
    card = page.locator(".chapter-card")
    words = " ".join(card.inner_text().split())
    assert words == "1 견본 장 무엇을 볼까요? 읽기 5분 연습 난이도 1/3, 10분"
    assert page.get_by_text("약 10분").count() == 1
    card.get_by_role("link", name="연습").click()
    page.wait_for_url("**/exercises/sample/sample.html")


def test_a_card_is_on_one_sheet_of_paper(visit, sample_url):
    page = visit(f"{sample_url}/chapters/index.html")
    breaks = "card => getComputedStyle(card).breakInside"
    assert page.locator(".chapter-card").first.evaluate(breaks) == "auto"
    page.emulate_media(media="print")
    assert page.locator(".chapter-card").first.evaluate(breaks) == "avoid"


@pytest.fixture(params=["server", "disk"])
def address(request, sample_url, sample_book):
    return sample_url if request.param == "server" else sample_book.as_uri()


def test_a_browser_remembers_what_was_read_and_answered_until_told_to_forget(visit, address):
    page = visit(f"{address}/chapters/index.html")
    assert page.locator(".go-on, .course-progress, .read-tick").count() == 0

    page.clock.install()
    go(page, f"{address}/chapters/sample.html")
    read = page.get_by_role("button", name="이 장을 읽었습니다")
    assert read.get_attribute("aria-pressed") == "false"
    page.get_by_role("heading", name="앞만 보기").scroll_into_view_if_needed()
    quiz = page.locator(".quiz").first
    quiz.get_by_role("radio").nth(1).check()
    quiz.get_by_role("button", name="답 확인하기").click()
    page.clock.run_for(1000)
    page.reload()
    quiz.get_by_role("radio", checked=True).wait_for(state="attached")  # one, no more
    assert quiz.locator(".quiz-mine").inner_text() == "내가 고른 답"
    assert quiz.get_by_role("status").inner_text().startswith("맞았습니다")

    go(page, f"{address}/chapters/index.html")
    assert "확인 문제 2개 가운데 1개" in page.locator(".course-progress").inner_text()
    assert "확인 문제 1/2" in page.locator(".chapter-card").inner_text()
    assert page.locator(".read-tick").count() == 0
    page.get_by_role("link", name="이어서 읽기").click()
    page.wait_for_url("**/chapters/sample.html*")

    page.clock.run_for(70_000)
    read.scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('.read-button').ariaPressed === 'true'")
    assert page.locator(".bd-sidebar-primary .read-tick").count() == 1
    go(page, f"{address}/chapters/index.html")
    page.locator(".chapter-card .read-tick").wait_for(state="attached")
    assert "연습: 견본" in page.get_by_role("link", name="이어서 읽기").inner_text()

    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="기록 지우기").click()
    assert page.locator(".go-on, .read-tick").count() == 0
    assert page.evaluate("localStorage.getItem('attentively')") is None
    assert page.problems == []


def test_who_leaps_to_the_end_has_not_read_it(visit, sample_url):
    page = visit(f"{sample_url}/chapters/sample.html")
    read = page.get_by_role("button", name="이 장을 읽었습니다")
    read.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    assert read.get_attribute("aria-pressed") == "false"
    for pressed in ("true", "false"):
        read.click()
        assert read.get_attribute("aria-pressed") == pressed


def test_a_browser_that_keeps_nothing_shows_the_book_all_the_same(visit, sample_url):
    page = visit(f"{sample_url}/chapters/sample.html")
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused'); } });"
    )
    go(page, f"{sample_url}/chapters/sample.html")
    quiz = page.locator(".quiz").first
    quiz.get_by_role("radio").nth(1).check()
    quiz.get_by_role("button", name="답 확인하기").click()
    assert quiz.get_by_role("status").inner_text().startswith("맞았습니다")
    of_the_theme = ("refused", "theme mode")  # it asks for its own setting
    assert [problem for problem in page.problems if not any(word in problem for word in of_the_theme)] == []
