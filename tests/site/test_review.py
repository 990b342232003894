"""What was missed comes back on its days, from disk, and its record can be carried away."""

import json
from datetime import date, timedelta

import pytest
from test_drills_page import ANSWER, opened, write
from test_drills_page import drill_book as drill_book
from test_site import broken_rules

DAYS = [1, 3, 7, 21]
REVIEW = "chapters/review.html"


def day(days: int) -> str:
    return str(date.today() + timedelta(days))


def kept(page) -> dict:
    return json.loads(page.evaluate("localStorage.getItem('attentively') ?? '{}'"))


def put(page, review: dict) -> None:
    page.evaluate("review => courseProgress.change(state => { state.review = review; })", review)


@pytest.fixture
def missed(visit, drill_book):
    """The page of review, a day after the first quiz and the first drill were missed in their chapters."""
    page = visit((drill_book / "chapters/sample.html").as_uri(), width=390)
    quiz = page.locator(".quiz").first
    quiz.locator("label").first.click()
    quiz.get_by_role("button", name="답 확인하기").click()
    page.wait_for_function("Object.keys(courseProgress.load().review).length === 1")
    page.goto((drill_book / "chapters/masking.html").as_uri())
    panel = opened(page, "masking", "weights")
    write(page, panel, "9 9 9 9")
    page.wait_for_function("Object.keys(courseProgress.load().review).length === 2")
    waits = kept(page)["review"]
    assert [one["due"] for one in waits.values()] == [day(1)] * 2
    page.goto((drill_book / REVIEW).as_uri())
    assert page.locator(".review-items li").count() == 0
    put(page, {what: {"step": 0, "due": day(0)} for what in waits})
    page.reload()
    page.locator(".review-items > li").nth(1).wait_for()
    yield page
    assert page.problems == []


def test_the_newest_chapter_comes_first_and_right_answers_go_on(missed):
    items = missed.locator(".review-items > li")
    assert [item.locator("a").first.inner_text() for item in items.all()] == ["마스킹", "견본 장"]
    assert broken_rules(missed) == []
    assert missed.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    panel = items.first.locator(".drill-panel")
    panel.locator(".drill-field").focus()
    write(missed, panel, panel.evaluate(ANSWER)["right"])
    quiz = items.nth(1).locator(".quiz")
    quiz.locator("[data-correct=true] label").click()
    quiz.get_by_role("button", name="답 확인하기").click()
    waits = kept(missed)["review"]
    assert {(one["step"], one["due"]) for one in waits.values()} == {(1, day(3))}
    assert kept(missed)["quizzes"].keys() == {"chapters/sample"}


def test_steps_lead_out_and_a_miss_leads_back(missed):
    what = "chapters/masking drill weights"
    for step, days in enumerate([*DAYS[1:], None]):
        put(missed, {what: {"step": step, "due": day(0)}})
        missed.evaluate("courseProgress.keepDrill('masking', 'weights', {}, true)")
        left = kept(missed)["review"].get(what)
        assert left == ({"step": step + 1, "due": day(days)} if days else None)
    put(missed, {what: {"step": 2, "due": day(0)}})
    missed.evaluate("courseProgress.keepDrill('masking', 'weights', {}, false)")
    assert kept(missed)["review"] == {what: {"step": 0, "due": day(1)}}


def test_a_clock_that_was_wrong_hides_nothing(missed):
    drill = "chapters/masking drill {}".format
    put(
        missed, {drill("weights"): {"step": 3, "due": day(21)}, drill("output"): {"step": 0, "due": day(400)}}
    )
    assert [waits["name"] for waits in missed.evaluate("courseProgress.waiting()")] == ["output"]
    missed.evaluate("courseProgress.keepDrill('masking', 'output', {}, true)")
    assert kept(missed)["review"][drill("output")] == {"step": 1, "due": day(3)}


def test_ten_minutes_at_most_and_what_the_book_has_no_more_leaves(missed):
    names = ["weights", "mask-row", "output", "lost"]
    review = {
        f"chapters/masking drill {name}": {"step": 0, "due": day(-1)} for name in [*names, "gone", "weights2"]
    }
    put(missed, review)
    missed.reload()
    missed.locator(".review-items > li").nth(3).wait_for()
    assert missed.locator(".review-items > li").count() == 4
    assert "나머지 1개" in missed.locator(".review-lead").inner_text()
    assert "chapters/masking drill gone" not in kept(missed)["review"]


def test_the_record_is_carried_to_another_browser(missed, visit, drill_book, tmp_path):
    with missed.expect_download() as download:
        missed.get_by_role("button", name="기록 내보내기").click()
    record = tmp_path / "record.json"
    download.value.save_as(record)
    other = visit((drill_book / REVIEW).as_uri(), width=390)
    broken = tmp_path / "broken.json"
    broken.write_text('{"review": 3}', encoding="utf-8")
    other.locator("input[type=file]").set_input_files(broken)
    other.get_by_text("이 책의 기록 파일이 아닙니다").wait_for()
    other.evaluate("courseProgress.answer('here', [0], true, 'chapters/sample')")
    for _ in range(2):  # the same file once more, too
        other.evaluate(
            "[...document.querySelectorAll('[role=status]')].forEach(said => (said.textContent = ''))"
        )
        other.locator("input[type=file]").set_input_files(record)
        other.get_by_text("기록을 가져왔습니다").wait_for()
    assert other.locator(".review-items > li").count() == 2
    assert kept(other)["quizzes"]["chapters/sample"].pop("here"), "what is here stays"
    other.evaluate("courseProgress.change(({ quizzes }) => delete quizzes['chapters/sample'].here)")
    carried = json.loads(record.read_text(encoding="utf-8"))
    assert carried["review"] and kept(other) == {name: carried[name] for name in kept(other)}
    assert kept(other).keys() == {"read", "quizzes", "drills", "review"}


def test_the_first_page_says_what_waits(missed, drill_book):
    missed.goto((drill_book / "chapters/index.html").as_uri())
    link = missed.locator(".review-waits")
    assert "2개" in link.inner_text()
    link.click()
    missed.wait_for_url("**/review.html")
    put(missed, {})
    missed.goto((drill_book / "chapters/index.html").as_uri())
    assert missed.locator(".review-waits").count() == 0


def test_a_sheet_shows_no_explanation(missed):
    missed.emulate_media(media="print")
    assert missed.locator(".review-items .quiz-question").is_visible()
    assert missed.locator(".review-items .drill-ask").is_visible()
    assert not any(one.is_visible() for one in missed.locator(".review-items .quiz-explanation").all())
