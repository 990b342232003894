"""How tall a section will be, before it is laid out: course.css lets sections wait that are far from the screen, and a
guess that is far off makes the scroll bar jump.

What stands in a section is counted (lines of text by their width, lines of code, rows, pictures, blocks), and each kind
has a height, fitted to the book's own sections on a phone of 390 px and a desk of 1280 px. Pictures are as tall as they
say. What is folded counts nothing.
"""

import re
from html.parser import HTMLParser

VOID = {"img", "br", "wbr", "input", "hr", "source", "meta", "link", "col"}
BLOCKS = {"p", "li", "dt", "dd", "h2", "h3", "h4", "figcaption", "summary"}
WIDE = re.compile(r"[\u1100-\u11ff\u3000-\ud7ff\uff00-\uffef]")
KINDS = ["block", "line", "code", "listing", "row", "picture", "formula", "quiz", "widget"]
# Pixels of one of each kind, and characters (of Latin's width) to a line of text
PHONE = ({}, 42)
DESK = ({}, 88)


class Sections(HTMLParser):
    """Counts of each kind in each section of the page, in their order, for a line of so many characters."""

    def __init__(self, line: int, phone: bool) -> None:
        super().__init__()
        self.line, self.phone = line, phone
        self.open: list[tuple[str, bool]] = []  # elements, and whether what they hold is unseen
        self.level = 0
        self.counts: list[dict[str, float]] = []
        self.text: list[str] | None = None  # of the block that is open
        self.code = ""

    def count(self, kind: str, number: float = 1) -> None:
        if self.counts and self.level >= 2 and not any(unseen for _, unseen in self.open):
            counts = self.counts[-1]
            counts[kind] = counts.get(kind, 0) + number

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        classes = values.get("class", "").split()
        if tag == "section":
            self.level += 1
            if self.level == 2:
                self.counts.append({})
        if tag == "svg" and not self.inside("svg"):
            self.picture(values)
        elif tag == "tr" and not self.inside("math"):
            self.count("row")
        elif tag == "math" and values.get("display") == "block":
            self.count("formula")
        elif tag == "pre":
            self.count("listing")
            self.code = ""
        elif tag in {"live-model", "course-drill"} or "lf-live" in classes:
            self.count("widget")
        elif "quiz" in classes:
            self.count("quiz")
        if tag in BLOCKS and not self.inside("table"):
            self.count("block")
            self.text = []
        if tag not in VOID:
            folded = tag == "details" and "open" not in values
            hidden = "hidden" in values or "visually-hidden" in classes or tag in {"script", "template", "style"}
            self.open.append((tag, hidden or folded))
        if tag == "summary" and len(self.open) > 1:  # it is seen though its fold is closed
            name, unseen = self.open[-2]
            self.open[-2] = (name, False)
            self.count("block")
            self.open[-2] = (name, unseen)

    def handle_endtag(self, tag):
        if tag == "pre":
            lines = self.code.rstrip("\n").split("\n")
            if self.phone and len(lines) > 15:
                self.count("code", 9)
            else:
                width = 44 if self.phone else 88
                self.count("code", sum(1 + max(0, len(line) - 1) // width for line in lines))
        if tag in BLOCKS and self.text is not None:
            text = " ".join("".join(self.text).split())
            self.count("line", -(-(len(text) + len(WIDE.findall(text)) * 0.9) // self.line))
            self.text = None
        if tag == "section":
            self.level -= 1
        while self.open:
            if self.open.pop()[0] == tag:
                break

    def handle_data(self, data):
        if self.inside("pre"):
            self.code += data
        elif self.text is not None and not self.inside("svg"):
            self.text.append(data)

    def inside(self, tag: str) -> bool:
        return any(name == tag for name, _ in self.open)

    def picture(self, values: dict[str, str]) -> None:
        box = values.get("viewbox", "").split()
        if len(box) == 4:
            width = 358 if self.phone else min(700, 1.5 * float(box[2]))
            self.count("picture", float(box[3]) / float(box[2]) * width)


def counted(body: str, line: int, phone: bool) -> list[dict[str, float]]:
    parser = Sections(line, phone)
    parser.feed(body)
    return parser.counts
