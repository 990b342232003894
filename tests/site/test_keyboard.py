"""Who comes with the keyboard is never lost: what a button opens gives the focus back to it."""

import pytest

PAGE = "chapters/sample.html"
HAS_FOCUS = "button => document.activeElement === button"


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("primary-toggle", 390),
        ("secondary-toggle", 390),
        ("search-button", 390),
        ("search-button-field", 1280),
    ],
)
def test_escape_leads_back_to_the_button(visit, sample_url, width, name):
    page = visit(f"{sample_url}/{PAGE}", width)
    button = page.locator(f".{name}:visible").first
    button.focus()
    page.keyboard.press("Enter")
    page.locator("dialog[open]").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    page.wait_for_function(HAS_FOCUS, arg=button.element_handle(), timeout=5000)


def test_brightness_is_changed_more_than_once(visit, sample_url):
    page = visit(f"{sample_url}/{PAGE}", 390)
    page.locator(".theme-switch-button:visible").first.focus()
    modes = set()
    for _ in range(3):
        page.keyboard.press("Enter")
        modes.add(page.locator("html").get_attribute("data-mode"))
    assert modes == {"light", "dark", "auto"}
