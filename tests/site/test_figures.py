"""Figures that answer, on their pages: each is alive, quiet, light, usable by keyboard, and a still where no script runs."""

import re

import pytest
import torch
from browsing import ROOT, come_to, two_frames
from sampled import one_in

SCRIPTS = sorted(
    path for path in (ROOT / "assets" / "static" / "figures").glob("*.js") if path.name != "base.js"
)
LIMIT = 15_000  # bytes of a figure's own
OPEN_FOLDS = "e => { for (let fold = e; (fold = fold.parentElement.closest('details')); ) fold.open = true }"


def page_of(name: str) -> str:
    """The chapter that shows a figure."""
    directive = re.compile(rf"^:::+\{{live-figure\}} {name}$", re.MULTILINE)
    [stem] = [
        page.stem for page in (ROOT / "chapters").glob("*.md") if directive.search(page.read_text("utf-8"))
    ]
    return f"chapters/{stem}.html"


def alive(page, name: str):
    """A figure of a page, come near and built."""
    element = page.locator(f"course-{name}")
    element.evaluate(OPEN_FOLDS)
    come_to(element)
    element.locator(".lf-stage").wait_for()
    return element


@pytest.fixture
def figure(visit, book_url):
    """figure(name) opens its page and gives the element, once it lives; nothing may have gone wrong at the end."""
    opened = []

    def open_figure(name: str, **options):
        page = visit(f"{book_url}/{page_of(name)}", **options)
        opened.append(page)
        return alive(page, name)

    yield open_figure
    assert [problem for page in opened for problem in page.problems] == []


# Words of a living figure that its edge cuts
CUT = """e => [...e.querySelectorAll(".lf-stage svg text")].filter((text) => {
  const [edge, word] = [text.ownerSVGElement, text].map((one) => one.getBoundingClientRect());
  return word.width && text.checkVisibility({ visibilityProperty: true }) && (word.left < edge.left - 2.5 || word.right > edge.right + 2.5);
}).map((text) => text.textContent)"""


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_figure_is_light_and_has_a_still(script):
    assert script.stat().st_size <= LIMIT
    still = ROOT / "chapters" / "figures" / "stills" / f"{script.stem}.svg"
    names = re.findall(r' id="([^"]+)"', still.read_text(encoding="utf-8"))
    assert [name for name in names if f'"{name}"' in script.read_text(encoding="utf-8")] == [], (
        "a clip path of the still's that is not displayed clips nothing in the living figure"
    )


@pytest.mark.parametrize("script", one_in(16, SCRIPTS, lambda script: script.stem))
def test_a_figure_answers_to_the_keyboard_and_stays_a_still_on_paper(figure, script):
    element = figure(script.stem.replace("_", "-"), width=390)
    page = element.page
    status = element.locator(".lf-status")
    said = {status.inner_text()}
    assert said != {""}
    assert not element.locator(".lf-still").is_visible()
    for control in element.locator("input, button:not([disabled]), [tabindex='0']").all():
        control.focus()
        for key in ("ArrowRight", "ArrowUp", "Space", "ArrowLeft", "Home"):  # a slider may stand at its end
            page.keyboard.press(key)
            said.add(status.inner_text())
    assert len(said) > 2, "its sentence never changes"
    assert element.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    assert element.evaluate(CUT) == []
    rows = "e => [...e.querySelectorAll('.lf-steps')].map(s => [...s.querySelectorAll('button')].map(b => b.offsetTop))"
    assert all(len(set(tops)) == 1 for tops in element.evaluate(rows)), "its step buttons wrap"
    page.emulate_media(media="print")
    assert element.locator(".lf-still svg").is_visible()
    assert not element.locator(".lf-stage").is_visible()


DRAGGED = [script for script in SCRIPTS if "this.draggable(" in script.read_text(encoding="utf-8")]


@pytest.mark.parametrize("script", one_in(8, DRAGGED, lambda script: script.stem))
def test_a_finger_drags_it_and_the_page_stays(figure, script):
    """By the touch events of a phone: a browser that takes the drag for a scroll cancels it."""
    element = figure(script.stem.replace("_", "-"), width=390, has_touch=True, is_mobile=True)
    page = element.page
    finger = page.context.new_cdp_session(page)
    page.evaluate("addEventListener('pointercancel', () => (window.cancelled = true), true)")
    handle = element.locator(".lf-drag").first
    moved = []
    for across, down in ((-60, 0), (0, 60), (40, 0), (0, -60), (-30, 30)):
        handle.evaluate(
            "e => scrollBy({ top: e.getBoundingClientRect().top - innerHeight / 2, behavior: 'instant' })"
        )
        scrolled, box = page.evaluate("scrollY"), handle.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for step in range(11):
            point = {"x": x + across * step / 10, "y": y + down * step / 10}
            kind = "touchMove" if step else "touchStart"
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        two_frames(page)
        assert page.evaluate("[scrollY, window.cancelled ?? false]") == [scrolled, False], (across, down)
        moved.append(handle.bounding_box() != box)
    assert sum(moved) >= 2, "a knob goes up and down only; nothing leaves its bounds"


def test_a_figure_is_a_still_without_its_script(visit, book_url):
    page = visit(f"{book_url}/{page_of('masking-switches')}", java_script_enabled=False)
    assert page.locator("course-masking-switches .lf-still svg").is_visible()


def test_masks_in_the_figure_weigh_as_in_torch(figure):
    element = figure("masking-switches")
    scores = torch.tensor(
        [[1.2, 0.4, 0.9, 0.3], [0.2, 1.1, 1.6, 0.5], [0.7, 0.3, 1.0, 1.4], [0.5, 0.8, 0.1, 0.6]]
    )
    mask = torch.ones(4, 4, dtype=torch.bool).tril()
    mask[:, 3] = False

    def shown():
        weights = element.evaluate("e => e.attend().weights.flat().map(String)")
        return torch.tensor([float(weight) for weight in weights]).view(4, 4)

    torch.testing.assert_close(shown(), scores.masked_fill(~mask, -torch.inf).softmax(-1))
    assert "미래로 새는 무게는 가장 크게 0.00" in element.locator(".lf-status").inner_text()
    element.get_by_label("0", exact=True).check(force=True)
    torch.testing.assert_close(shown(), scores.masked_fill(~mask, 0.0).softmax(-1))
    assert "미래로 새는 무게는 가장 크게 0.00" not in element.locator(".lf-status").inner_text()
