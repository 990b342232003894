"""What keeps a page quick on a slow phone, held without a clock: what is far from the screen is neither built nor measured.

benchmarks/page_speed.py has the seconds.
"""

from test_figures import alive, page_of

FIGURE = "training-paths"
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
