"""Which Korean the English edition shows, page by page, outside code and outputs: examples and quotations.

    python tests/site/korean_passages.py ENGLISH_HTML > locale/en/korean.txt

writes the list anew; read what has changed in it.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

# Code, what it prints, formulas, and drawings, whose words have a catalogue of their own
UNREAD = {"script", "style", "pre", "code", "svg", "math", "template"}
UNREAD_CLASSES = {"cell_output", "so-far-shown", "language-switch", "figure-gloss"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
SAID = ("alt", "title", "aria-label", "placeholder", "content")
RUN = re.compile(r"[가-힣ㄱ-ㆎ]+(?:[\s.,·]+[가-힣ㄱ-ㆎ]+)*")


class Passages(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []  # elements, and whether they are read
        self.found = {}

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        read = (
            self.reads()
            and tag not in UNREAD
            and not UNREAD_CLASSES.intersection((told.get("class") or "").split())
        )
        if self.reads():
            for name in SAID:
                self.add(told.get(name) or "")
        if tag not in VOID:
            self.open.append((tag, read))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, text):
        if self.reads():
            self.add(text)

    def reads(self) -> bool:
        return not self.open or self.open[-1][1]

    def add(self, text: str) -> None:
        self.found.update(dict.fromkeys(" ".join(run.split()) for run in RUN.findall(text)))


def passages(page: Path) -> list[str]:
    parser = Passages()
    parser.feed(page.read_text(encoding="utf-8"))
    return sorted(parser.found)


def shown(book: Path) -> dict[str, list[str]]:
    """Of each page that shows Korean, the passages."""
    pages = [*book.glob("*.html"), *book.glob("chapters/*.html"), *book.glob("exercises/*/*.html")]
    found = {page.relative_to(book).as_posix(): passages(page) for page in sorted(pages)}
    return {page: said for page, said in found.items() if said}


def listed(path: Path) -> dict[str, list[str]]:
    found, page = {}, ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[page].append(line.strip())
        elif line and not line.startswith("#"):
            page = line
            found[page] = []
    return found


if __name__ == "__main__":
    print(
        "# Korean that English pages show: examples and quotations. tests/site/korean_passages.py writes it."
    )
    for page, said in shown(Path(sys.argv[1])).items():
        print(page, *(f"  {passage}" for passage in said), sep="\n")
