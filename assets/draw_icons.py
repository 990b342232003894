"""Draw the icons of an installed book from its mark: python assets/draw_icons.py

Chromium draws assets/favicon.svg to assets/static/keeping/. A maskable icon may be cut to any shape, so its ground fills
the square and the mark stays within the middle four fifths.
"""

import re
from pathlib import Path

import chromium
from playwright.sync_api import sync_playwright

ASSETS = Path(__file__).resolve().parent
MARK = (ASSETS / "favicon.svg").read_text(encoding="utf-8")
GROUND = re.search(r'rx="\d+" fill="(#\w+)"', MARK)[1]
# Name: side, share of it that the mark takes, ground
ICONS = {
    "icon-192": (192, 1, "transparent"),
    "icon-512": (512, 1, "transparent"),
    "maskable-512": (512, 0.8, GROUND),
}


def draw() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.installed(), args=["--no-sandbox"])
        for name, (side, share, ground) in ICONS.items():
            page = browser.new_page(viewport={"width": side, "height": side})
            page.set_content(
                f'<body style="margin: 0; height: 100vh; display: grid; place-items: center; background: {ground}">'
                f'<div style="width: {share:.0%}; line-height: 0">{MARK}</div>'
            )
            page.screenshot(path=ASSETS / "static" / "keeping" / f"{name}.png", omit_background=True)
        browser.close()


if __name__ == "__main__":
    draw()
