"""Links to the editions that there are, in every page's footer: python assets/editions/links.py HTML_FOLDER

The pages change by it, and so do the lists by which readers' browsers keep them.
"""

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "extensions"))

import keeping  # noqa: E402
from other_language import FOLDERS  # noqa: E402

NAME = "attentively"
EDITIONS = {"pdf": "PDF", "epub": "EPUB", "zip": "ZIP"}
ZIP = {"ko": "오프라인용 ZIP", "en": "ZIP for offline"}
LANGUAGE = re.compile(r'<html\b[^>]* lang="(\w+)"')
PLACE = re.compile(r'(?P<start><span data-downloads="(?P<folder>[^"]*)">).*?(?P<end></span>)', re.DOTALL)


def without_links(page: str) -> str:
    return PLACE.sub(r"\g<start>\g<end>", page)


def with_links(page: str, sizes: dict[str, int]) -> str:
    """A page that leads to the editions of these sizes (bytes)."""

    language = LANGUAGE.search(page)
    names = {**EDITIONS, "zip": ZIP.get(language and language[1], EDITIONS["zip"])}

    def links(match):
        made = [
            f' · <a href="{match["folder"]}/{NAME}.{kind}" download>{names[kind]}({size / 1e6:.0f} MB)</a>'
            for kind, size in sizes.items()
        ]
        return match["start"] + "".join(made) + match["end"]

    return PLACE.sub(links, page)


def link(html: Path) -> None:
    """Link the editions from the pages of the site, and from the English ones what there is in English."""
    for path in html.rglob("*.html"):
        site = html / "en" if path.is_relative_to(html / "en") else html
        files = {kind: site / "downloads" / f"{NAME}.{kind}" for kind in EDITIONS}
        sizes = {kind: file.stat().st_size for kind, file in files.items() if file.is_file()}
        page = path.read_text(encoding="utf-8")
        linked = with_links(page, sizes)
        if linked != page:
            path.write_text(linked, encoding="utf-8")


if __name__ == "__main__":
    site = Path(sys.argv[1])
    link(site)
    for language, folder in FOLDERS.items():
        keeping.write(site / folder, language)
