"""Tells how tall a section will be before it is laid out: sections far from the screen wait (course.css), and where their
height is guessed badly the scroll bar jumps.

What is seen of a section is counted: lines of text and of code, listings, rows, formulas, pictures. A line of each kind
has a height, fitted to the book's own sections on a phone of 390 px and on a desk of 1280 px; it is off by a tenth.
"""

import re
from html.parser import HTMLParser

VOID = {"img", "br", "wbr", "input", "hr", "source", "meta", "link", "col"}
TEXT = {"p", "li", "dt", "dd", "h2", "h3", "h4", "figcaption", "summary"}
HANGUL = re.compile(r"[\u1100-\u11ff\u3000-\ud7ff\uff00-\uffef]")  # and other letters as wide
# Pixels on a phone and on a desk
HEIGHTS = {
    "line": (26, 30),
    "code": (16, 23),
    "listing": (158, 104),
    "row": (27, 21),
    "formula": (100, 96),
    "quiz": (33, 41),
    "widget": (610, 405),
    "figure": (455, 410),  # the controls of one that answers, and its sentence
}
LINE = (38, 80)  # letters of Latin's width to a line of text
CODE = (44, 88)  # and of code
PICTURE = (1.3, 0.87)  # of the size that a picture asks for
FOLDED = 15  # lines of code, of more than which a phone shows nine (tall_code.js)
SECTION = re.compile(r"<section\b|</section>")


class Sections(HTMLParser):
    """The heights [on a phone, on a desk] of the sections of a page's only section, in their order."""

    def __init__(self, body: str) -> None:
        super().__init__()
        self.heights: list[list[float]] = []
        self.open: list[tuple[str, bool]] = []  # elements, and whether what they hold is unseen
        self.text: list[str] | None = None  # of the block that is open
        self.code: list[str] = []
        self.feed(body)

    def add(self, phone: float, desk: float) -> None:
        if self.depth("section") >= 2 and not any(unseen for _, unseen in self.open):
            self.heights[-1][0] += phone
            self.heights[-1][1] += desk

    def count(self, kind: str, phone: float = 1, desk: float = 1) -> None:
        self.add(phone * HEIGHTS[kind][0], desk * HEIGHTS[kind][1])

    def depth(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.open)

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        classes = values.get("class", "").split()
        if tag == "section" and self.depth("section") == 1:
            self.heights.append([0, 0])
        if tag == "svg" and not self.depth("svg"):
            self.add(*picture(values.get("viewbox", "")))
        elif tag == "tr" and not self.depth("math"):
            self.count("row")
        elif tag == "math" and values.get("display") == "block":
            self.count("formula")
        elif tag == "pre":
            self.count("listing")
            self.code = []
        elif tag in {"live-model", "course-drill"}:
            self.count("widget")
        elif tag.startswith("course-") and tag != "course-drills":  # live_figure.py
            self.count("figure")
        elif "quiz" in classes:
            self.count("quiz")
        if tag == "summary":  # it is seen of a closed fold
            self.count("line")
        if tag in TEXT and not self.depth("table"):
            self.text = []
        if tag not in VOID:
            folded = tag == "details" and "open" not in values
            unseen = (
                folded or "hidden" in values or "visually-hidden" in classes or tag in {"script", "style"}
            )
            self.open.append((tag, unseen))

    def handle_endtag(self, tag):
        if tag in VOID:  # <br />
            return
        if tag == "pre":
            lines = "".join(self.code).rstrip("\n").split("\n")
            phone, desk = (sum(1 + max(0, len(line) - 1) // width for line in lines) for width in CODE)
            self.count("code", 9 if len(lines) > FOLDED else phone, desk)
        elif tag in TEXT and self.text is not None:
            text = " ".join("".join(self.text).split())
            width = len(text) + 0.9 * len(HANGUL.findall(text))
            self.count("line", *(-(-width // line) for line in LINE))
            self.text = None
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self.depth("pre"):
            self.code.append(data)
        elif self.text is not None and not self.depth("svg"):
            self.text.append(data)


def picture(box: str) -> tuple[float, float]:
    sizes = [float(size) for size in box.split()]
    if len(sizes) != 4 or not sizes[2]:
        return 0, 0
    _, _, width, height = sizes
    return PICTURE[0] * height / width * 358, PICTURE[1] * height / width * min(700, 1.5 * width)


def with_heights(body: str) -> str:
    """The page with the height of each of its sections in their style."""
    heights = iter(Sections(body).heights)
    depth = 0

    def told(match):
        nonlocal depth
        depth += 1 if match[0] != "</section>" else -1
        if match[0] == "</section>" or depth != 2:
            return match[0]
        phone, desk = next(heights)
        return f'{match[0]} style="--phone: {phone:.0f}px; --desk: {desk:.0f}px"'

    return SECTION.sub(told, body)


def tell(app, pagename, templatename, context, doctree):
    if app.builder.name == "html" and doctree is not None and "body" in context:
        context["body"] = with_heights(context["body"])


def setup(app):
    app.connect("html-page-context", tell, priority=985)  # when the page is whole
    return {"parallel_read_safe": True, "parallel_write_safe": True}
