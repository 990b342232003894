"""What keeps a page quick on a slow phone, held without a clock: what is far from the screen is neither built nor measured.

benchmarks/page_speed.py has the seconds.
"""

from browsing import go
from test_figures import alive, page_of
from test_site import pages

FIGURE = "training-paths"
UNFOLD = "document.querySelectorAll('article details').forEach((fold) => (fold.open = true))"
# Every question for a place or a size whose answer needs the layout of a section that is far from the screen (course.css)
RECORD = """
  window.measuredFar = [];
  const note = (e) => e.isConnected && !e.checkVisibility({ contentVisibilityAuto: true }) && e.checkVisibility() && measuredFar.push(e.outerHTML.slice(0, 80));
  const measure = Element.prototype.getBoundingClientRect;
  Element.prototype.getBoundingClientRect = function () {
    note(this);
    return measure.call(this);
  };
  for (const [kind, names] of [[Element, ["scrollWidth", "scrollHeight", "clientWidth"]], [HTMLElement, ["offsetTop", "offsetHeight", "offsetParent"]]]) {
    for (const name of names) {
      const { get, ...rest } = Object.getOwnPropertyDescriptor(kind.prototype, name);
      Object.defineProperty(kind.prototype, name, { ...rest, get() { note(this); return get.call(this); } });
    }
  }
"""


def test_what_is_far_is_neither_built_nor_measured(browser, book_url):
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.add_init_script(RECORD)
    page.goto(f"{book_url}/{page_of(FIGURE)}")
    for y in (0, 400, 1200):
        page.evaluate("y => scrollTo({ top: y, behavior: 'instant' })", y)
        page.wait_for_timeout(200)
    figure = page.locator(f"course-{FIGURE}")
    assert figure.locator(".lf-stage").count() == 0
    assert page.evaluate("measuredFar") == []
    alive(page, FIGURE)
    context.close()


def test_a_drawing_refers_to_no_shape_before_it_is_near(book):
    """Browsers copy what `<use>` refers to before they show anything of a page: a thousand markers took 0.2 s on a phone."""
    assert [name for name in pages(book) if "<use" in (book / name).read_text(encoding="utf-8")] == []


def test_panels_are_filled_when_they_come_near(browser, book_url):
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(f"{book_url}/chapters/training.html")
    page.evaluate(UNFOLD)
    panels = page.locator(".course-plot-panels > svg")
    assert panels.count() > 2
    assert page.locator(".course-plot-panels use").count() == 0
    last = panels.last
    last.scroll_into_view_if_needed()
    last.locator("use").first.wait_for(state="attached")
    drawn, room = last.evaluate(
        "e => [e.querySelector('use').getBBox().width > 100, e.getBoundingClientRect().height]"
    )
    assert drawn and room > 100
    context.close()


def test_without_scripts_plots_and_code_are_whole(browser, book_url):
    context = browser.new_context(viewport={"width": 390, "height": 800}, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{book_url}/chapters/training.html")
    page.evaluate(UNFOLD)
    plot = page.locator(".course-plot-split > svg").first
    plot.scroll_into_view_if_needed()
    assert plot.bounding_box()["width"] > 300 and not page.locator(".course-plot-panels").first.is_visible()
    code = page.locator(".code-tall").first
    assert code.evaluate("e => e.scrollHeight <= e.offsetHeight + 1")
    assert not page.locator(".code-more").first.is_visible()
    context.close()


def test_the_lists_of_contents_cost_a_phone_nothing_before_they_are_asked_for(browser, book_url):
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    go(page, f"{book_url}/chapters/gpt.html")
    lists = page.locator(".bd-links a, .page-toc a")
    assert lists.count() > 30
    assert not lists.evaluate_all("all => all.some(link => link.checkVisibility())")
    in_sight = "e => { const { y } = e.getBoundingClientRect(); return 0 < y && y < innerHeight }"
    for toggle, line in (("primary", ".bd-links .active > a"), ("secondary", ".page-toc a")):
        page.locator(f".bd-header-article .{toggle}-toggle").click()
        shown = page.locator(f"dialog[open] {line}").first
        page.wait_for_function(in_sight, arg=shown.element_handle())
        page.keyboard.press("Escape")
        page.wait_for_function("!document.querySelector('dialog[open]')")
        assert not lists.evaluate_all("all => all.some(link => link.checkVisibility())")
    context.close()
