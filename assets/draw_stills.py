"""Draw the stills of live figures: what each shows before anybody touches it, for paper and where no script runs.

    python assets/draw_stills.py masking-switches [NAME…]

Opens each figure in Chromium and writes its first drawing to chapters/figures/stills/. A figure that draws from a
cell's numbers finds them in the built book, where `figure_data` has put them.
"""

import re
import sys
from pathlib import Path

import chromium
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "assets" / "static"
BUILT = ROOT / "build" / "book" / "_build" / "html" / "chapters"


def bare_page(name: str) -> str:
    """A page with nothing but the figure, its scripts, the book's colours and its numbers."""
    script = STATIC / "figures" / f"{name.replace('-', '_')}.js"
    if not script.is_file():
        sys.exit(f"draw_stills: there is no {script.relative_to(ROOT)}")
    data = re.compile(rf'<script type="application/json" data-figure="{name}">.*?</script>', re.DOTALL)
    found = [match[0] for page in sorted(BUILT.glob("*.html")) for match in data.finditer(page.read_text())]
    styles = "".join((STATIC / css).read_text() for css in ["course.css", "figures/figures.css"])
    scripts = "".join(
        f"<script>{path.read_text()}</script>" for path in [STATIC / "figures" / "base.js", script]
    )
    return (
        f'<!doctype html><html lang="ko" data-theme="light"><meta charset="utf-8"><style>{styles}</style>'
        f'<body>{"".join(found[:1])}<figure class="live-figure"><course-{name}></course-{name}></figure>{scripts}'
    )


def draw(names: list[str]) -> None:
    stills = ROOT / "chapters" / "figures" / "stills"
    stills.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.installed(), args=["--no-sandbox"])
        for name in names:
            page = browser.new_page(viewport={"width": 480, "height": 900}, reduced_motion="reduce")
            page.on("pageerror", lambda error: sys.exit(f"draw_stills: {error}"))
            page.set_content(bare_page(name))
            markup = page.locator(".lf-stage svg").first.evaluate(
                "svg => new XMLSerializer().serializeToString(svg)"
            )
            markup = re.sub(r' (role|aria-label|tabindex|class)="[^"]*"', "", markup)  # a still is one image
            # The living figure stands beside it: a clip path of the same name, but not displayed, would clip nothing.
            markup = re.sub(r'( id="|url\(#)', r"\1still-", markup)
            (stills / f"{name.replace('-', '_')}.svg").write_text(markup + "\n", encoding="utf-8")
        browser.close()


if __name__ == "__main__":
    draw(sys.argv[1:] or sys.exit(__doc__))
