"""The whole book as one PDF: python assets/editions/pdf.py HTML_FOLDER

Chromium prints each page as a reader would (print.css); pypdf joins them with an outline, and links between pages
become links inside the book.
"""

import re
import sys
import tempfile
from base64 import b64encode
from pathlib import Path
from urllib.parse import unquote, urlsplit

from links import NAME
from playwright.sync_api import Error, sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, NameObject

sys.path.append(str(Path(__file__).resolve().parents[1]))
import chromium  # noqa: E402

NEXT = re.compile(r'<link rel="next"[^>]*href="([^"]+)"')
FIRST = re.compile(r'url=([^"]+)"')
TITLE = re.compile(r"<title>([^<]+)</title>")
# Pages count on from one to the next; a picture that waits to be scrolled to would be missing.
# On a machine without Korean fonts the pages' text is set in the plots' font.
FONT = Path(__file__).resolve().parents[1] / "fonts" / "NotoSansKR-plots.otf"
FACE = """@font-face { font-family: "Noto Sans KR"; src: local("Noto Sans KR"), local("Noto Sans CJK KR"),
  url("data:font/otf;base64,%s"); }"""
PREPARE = """async (before) => {
  document.documentElement.style.counterReset = `page ${before}`;
  const pictures = [...document.images];
  pictures.forEach((picture) => (picture.loading = "eager"));
  await Promise.all(pictures.map((picture) => picture.decode().catch(() => {})));
  await document.fonts.ready;
  return document.querySelector("article h1").firstChild.parentElement.innerText.replace(/#$/, "").trim();
}"""


def reading_order(html: Path) -> list[Path]:
    """The book's pages, from the first along their links to the next."""
    page = html / FIRST.search((html / "index.html").read_text(encoding="utf-8"))[1]
    pages = [page]
    while found := NEXT.search(page.read_text(encoding="utf-8")):
        page = (page.parent / found[1]).resolve()
        pages.append(page)
    return pages


def print_pages(browser, pages: list[Path], folder: Path) -> list[tuple[str, PdfReader]]:
    """Each page's title and PDF."""
    printed, count = [], 0
    face = FACE % b64encode(FONT.read_bytes()).decode()
    tab = browser.new_page(color_scheme="light")
    for number, page in enumerate(pages):
        tab.goto(page.as_uri())
        tab.add_style_tag(content=face)
        title = tab.evaluate(PREPARE, count)
        path = folder / f"{number:03}.pdf"
        tab.pdf(path=path, prefer_css_page_size=True, print_background=True, tagged=True)
        printed.append((title, PdfReader(path)))
        count += len(printed[-1][1].pages)
    return printed


def lead_inside(annotation, starts: dict[Path, int], writer) -> bool:
    """Turn a link to another page of the book into one to its place here; False for a file that the PDF does not hold."""
    action = annotation.get("/A", {})
    address = urlsplit(str(action.get("/URI", "")))
    if address.scheme != "file":
        return True
    target = Path(unquote(address.path))
    if target not in starts:
        return False
    del annotation[NameObject("/A")]
    place = [writer.pages[starts[target]].indirect_reference, NameObject("/Fit")]
    annotation[NameObject("/Dest")] = ArrayObject(place)
    return True


def write_pdf(browser, html: Path, target: Path) -> Path:
    html = html.resolve()
    pages = reading_order(html)
    writer = PdfWriter()
    starts = {}
    chapter = None
    with tempfile.TemporaryDirectory() as folder:
        for page, (title, printed) in zip(pages, print_pages(browser, pages, Path(folder)), strict=True):
            starts[page] = len(writer.pages)
            writer.append(printed, import_outline=False)
            exercise = "exercises" in page.relative_to(html).parts
            parent = chapter if exercise else None
            entry = writer.add_outline_item(title=title, page_number=starts[page], parent=parent)
            chapter = chapter if exercise else entry
    for page in writer.pages:
        if "/Annots" in page:
            kept = [link for link in page["/Annots"] if lead_inside(link.get_object(), starts, writer)]
            page[NameObject("/Annots")] = ArrayObject(kept)
    writer.add_metadata({"/Title": TITLE.search((html / "index.html").read_text(encoding="utf-8"))[1]})
    writer.compress_identical_objects()
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_suffix(".part")
    writer.write(beside)
    return beside.replace(target)


def main(site: Path) -> None:
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=chromium.installed())
        except Error:
            sys.exit("The PDF needs Chromium: install it, or run '.venv/bin/playwright install chromium'.")
        print(write_pdf(browser, site, site / "downloads" / f"{NAME}.pdf"))
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
