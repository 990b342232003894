"""Quizzes, attention maps and downloads, used as a reader uses them, on a small sample book."""

import pytest
import torch
from browsing import come_to


@pytest.fixture
def chapter(visit, sample_url):
    page = visit(f"{sample_url}/chapters/sample.html", has_touch=True)
    yield page
    assert page.problems == []


def explanations(quiz) -> list[bool]:
    return [item.is_visible() for item in quiz.locator(".quiz-explanation").all()]


def test_a_quiz_works_by_keyboard(chapter):
    quiz = chapter.locator(".quiz").first
    assert explanations(quiz) == [False, False]
    quiz.locator("input").first.focus()
    chapter.keyboard.press("ArrowDown")  # selects the second choice, the right one
    chapter.keyboard.press("Tab")
    chapter.keyboard.press("Enter")
    assert quiz.get_by_role("status").inner_text().startswith("맞았습니다")
    assert explanations(quiz) == [True, True]
    chapter.keyboard.press("Enter")  # the focus has moved to "try again"
    assert explanations(quiz) == [False, False]
    assert quiz.get_by_role("radio", checked=True).count() == 0


def test_a_wrong_answer_is_explained_alone_and_a_second_one_with_all(chapter):
    quiz = chapter.locator(".quiz").first
    check = quiz.get_by_role("button", name="답 확인하기")
    check.click()
    assert quiz.get_by_role("status").inner_text() == "먼저 선택지를 고르십시오."
    quiz.locator("label").first.click()
    check.click()
    assert quiz.get_by_role("status").inner_text().startswith("아직 아닙니다. 고른 답의")
    assert explanations(quiz) == [True, False]
    check.click()
    assert quiz.get_by_role("status").inner_text().startswith("아직 아닙니다. 선택지마다")
    assert explanations(quiz) == [True, True]
    quiz.get_by_role("button", name="다시 풀기").click()
    quiz.locator("label").first.click()
    check.click()
    quiz.locator("label").nth(1).click()
    check.click()
    assert quiz.get_by_role("status").inner_text().startswith("맞았습니다")
    assert explanations(quiz) == [True, True]


@pytest.mark.parametrize(
    ("chosen", "verdict"), [([0, 1], "맞았습니다"), ([0], "고른 것은 맞습니다"), ([0, 1, 2], "아직 아닙니다")]
)
def test_several_answers_must_all_be_found(chapter, chosen, verdict):
    quiz = chapter.locator(".quiz").nth(1)
    for i in chosen:
        quiz.get_by_role("checkbox").nth(i).check()
    quiz.get_by_role("button", name="답 확인하기").click()
    assert quiz.get_by_role("status").inner_text().startswith(verdict)


def test_formulas_in_a_quiz_are_set_and_named(chapter):
    quiz = chapter.locator(".quiz").first
    assert quiz.locator("math").count() == 3
    assert quiz.get_by_role("radio", name="(n_q, n_k)").count() == 1


def test_explanations_are_visible_without_javascript(visit, sample_url):
    plain = visit(f"{sample_url}/chapters/sample.html", java_script_enabled=False)
    for media in ("screen", "print"):
        plain.emulate_media(media=media)
        assert all(item.is_visible() for item in plain.locator(".quiz-explanation").all())
        assert plain.get_by_role("button", name="답 확인하기").count() == 0


def test_answers_are_printed_at_the_end(chapter):
    chapter.emulate_media(media="print")
    chapter.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not any(item.is_visible() for item in chapter.locator(".quiz .quiz-explanation").all())
    answers = chapter.locator(".bd-article > :last-child.quiz-answers > ol > li")
    assert answers.count() == chapter.locator(".quiz").count() == 2
    assert answers.first.locator(".quiz-explanation").all_inner_texts()[1].startswith("맞는 선택지")
    assert answers.nth(1).locator(".quiz-explanation:visible").count() == 3
    assert (
        chapter.evaluate("new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size")
        == chapter.locator("[id]").count()
    )
    chapter.evaluate("dispatchEvent(new Event('afterprint'))")
    assert chapter.locator(".quiz-answers").count() == 0


def weights():
    scores = torch.randn(4, 11, 11, generator=torch.Generator().manual_seed(0))
    return torch.softmax(3 * scores, -1)


def cell(figure, row: int, column: int):
    return figure.locator("table:visible tbody tr").nth(row).locator("td").nth(column)


def test_pointing_at_a_cell_says_who_looks_at_whom(chapter):
    figure = chapter.locator(".attention-map").nth(1)
    cell(figure, 7, 1).hover()
    expected = f"질의 ‘it’ → 키 ‘animal’: {weights()[0, 7, 1]:.4f} (헤드 1)"
    assert figure.locator(".am-status").inner_text() == expected
    strips = figure.locator(".am-strip")
    assert strips.count() == 4
    for head, strip in enumerate(strips.all()):
        most = strip.locator(".am-most").inner_text()
        assert (
            most
            == "The animal didn't cross the street because it was too tired".split()[
                weights()[head, 7].argmax()
            ]
        )


def test_a_head_is_chosen(chapter):
    figure = chapter.locator(".attention-map").nth(1)
    figure.get_by_role("radio", name="헤드 3").check()
    assert figure.locator("table:visible").get_attribute("data-head") == "헤드 3"
    cell(figure, 0, 10).hover()
    assert figure.locator(".am-status").inner_text().endswith(f"{weights()[2, 0, 10]:.4f} (헤드 3)")


def test_arrow_keys_walk_over_the_map(chapter):
    figure = chapter.locator(".attention-map").nth(1)
    figure.locator("td[tabindex='0']:visible").focus()
    words = "The animal didn't cross the street because it was too tired".split()
    walk = [
        ("Home", 10, 0),
        ("ArrowUp", 9, 0),
        ("ArrowRight", 9, 1),
        ("ArrowRight", 9, 2),
        ("ArrowLeft", 9, 1),
        ("ArrowDown", 10, 1),
        ("ArrowDown", 10, 1),  # at the edge
        ("End", 10, 10),
        ("ArrowRight", 10, 10),
    ]
    for key, row, column in walk:
        chapter.keyboard.press(key)
        focused = chapter.evaluate("document.activeElement.getAttribute('aria-label')")
        pair, weight = f"질의 ‘{words[row]}’ → 키 ‘{words[column]}’", weights()[0, row, column]
        assert focused == f"{pair}: {weight:.2f}", key  # as the cell says it
        assert figure.locator(".am-status").inner_text() == f"{pair}: {weight:.4f} (헤드 1)"
    assert figure.locator("td[tabindex='0']:visible").count() == 1


def test_a_finger_moves_over_the_map(visit, sample_url):
    page = visit(f"{sample_url}/chapters/sample.html", width=390, has_touch=True, is_mobile=True)
    figure = page.locator(".attention-map").first
    figure.scroll_into_view_if_needed()
    start, end = (cell(figure, 2, column).bounding_box() for column in (0, 2))
    devtools = page.context.new_cdp_session(page)
    status = figure.locator(".am-status")
    for kind, box, key in [("touchStart", start, "나는"), ("touchMove", end, "간다")]:
        point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        page.wait_for_function(
            "([node, key]) => node.innerText.includes(`키 ‘${key}’`)", arg=[status.element_handle(), key]
        )
    assert status.inner_text() == "질의 ‘간다’ → 키 ‘간다’: 0.3333"


def test_a_masked_cell_is_not_a_zero(chapter):
    figure = chapter.locator(".attention-map").first
    hidden, visible = cell(figure, 0, 2), cell(figure, 2, 2)
    assert hidden.get_attribute("aria-label") == "질의 ‘나는’ → 키 ‘간다’: 가려진 자리"
    pattern = "node => getComputedStyle(node).backgroundImage"
    assert "gradient" in hidden.evaluate(pattern) and visible.evaluate(pattern) == "none"


def test_a_map_is_a_table_without_javascript(visit, sample_url):
    page = visit(f"{sample_url}/chapters/sample.html", java_script_enabled=False)
    assert page.locator(".attention-map").first.locator("tbody tr").nth(2).inner_text().split() == [
        "간다",
        "0.33",
        "0.33",
        "0.33",
    ]
    assert page.locator(".attention-map").nth(1).locator("table:visible").count() == 4


def test_an_exercise_is_not_executed(sample_book):
    html = (sample_book / "exercises" / "sample" / "sample.html").read_text(encoding="utf-8")
    assert "print</span>" in html and 'class="output' not in html


def test_a_drawing_takes_the_colours_of_the_page(visit, sample_url):
    colour = "node => getComputedStyle(node).fill"
    light, dark = (visit(f"{sample_url}/chapters/sample.html", theme=theme) for theme in ("light", "dark"))
    drawing = ".svg-drawing svg[role=img][aria-label^='질의에서'] text"
    assert light.locator(drawing).first.evaluate(colour) != dark.locator(drawing).first.evaluate(colour)


def test_a_folded_section_waits_for_its_reader(chapter):
    fold = chapter.locator("details.course-folded").first  # the other is the list of references
    come_to(fold)
    assert fold.locator("summary").inner_text() == "막혔다면 펼치십시오. 실수는 하나입니다."
    assert not fold.get_by_role("heading", name="축을 잘못 고르기").is_visible()
    assert chapter.get_by_role("heading", name="자주 하는 실수").is_visible()
    assert chapter.get_by_role("heading", name="요약").is_visible()
    fold.locator("summary").focus()
    chapter.keyboard.press("Enter")
    assert cell(fold, 0, 0).is_visible()


def test_a_link_into_a_folded_section_opens_it(chapter, visit, sample_url):
    heading = chapter.get_by_role("heading", name="축을 잘못 고르기")
    for _ in range(2):  # the second time the address does not change
        chapter.locator("article").get_by_role("link", name="축", exact=True).click()
        heading.wait_for(state="visible")
        assert heading.bounding_box()["y"] < 450
        chapter.locator("details.course-folded > summary").first.click()
        heading.wait_for(state="hidden")
    arrived = visit(f"{sample_url}/chapters/sample.html#wrong-axis")
    arrived.get_by_role("heading", name="축을 잘못 고르기").wait_for(state="visible")


def test_a_link_to_a_section_that_is_folded_whole_opens_it(visit, sample_url):
    """A hint leads to the heading; what it says of it waits right below."""
    page = visit(f"{sample_url}/chapters/sample.html")
    inside = page.get_by_role("heading", name="축을 잘못 고르기")
    assert not inside.is_visible()
    own = page.evaluate("document.querySelector('section > details.course-folded').parentElement.id")
    arrived = visit(f"{sample_url}/chapters/sample.html#{own}")
    arrived.get_by_role("heading", name="축을 잘못 고르기").wait_for(state="visible")


def test_a_folded_section_is_printed(chapter):
    fold = chapter.locator("details.course-folded").first  # the other is the list of references
    chapter.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    cell(fold, 0, 0).wait_for(state="visible")  # laid out with the next frame
    chapter.evaluate("window.dispatchEvent(new Event('afterprint'))")
    cell(fold, 0, 0).wait_for(state="hidden")
