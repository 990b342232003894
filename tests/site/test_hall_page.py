"""The page on a class that 'grader watch' writes, for a hall and for the phones in it."""

import pytest
from test_site import broken_rules

from grader.classroom.folder import Classroom
from grader.classroom.watch_page import REFRESH, watch_page


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), (1280, "light")])
def test_it_fits_the_screen_with_its_bars(visit, masking_class, tmp_path, width, theme):
    page = tmp_path / "watch-masking.html"
    written = watch_page(Classroom.open(masking_class), "masking", "ko")
    often = f'content="{REFRESH}"'
    assert often in written
    # As slowly as a busy machine needs: a page that comes anew under the rules ends them.
    page.write_text(written.replace(often, 'content="600"'), encoding="utf-8")
    shown = visit(page.as_uri(), width, theme)
    assert shown.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    bars = shown.locator(".bar svg")
    assert bars.count() == 5
    assert all(bar.bounding_box()["width"] > width / 4 for bar in bars.all())
    # To show itself anew is what the page is for
    assert [rule for rule in broken_rules(shown) if not rule.startswith("meta-refresh:")] == []
    assert shown.problems == []
