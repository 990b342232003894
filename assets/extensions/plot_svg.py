"""Plots that belong to the page: matplotlib's SVG goes into the page itself, in its colours, font and language.

`plots.style` draws text as text, ink in a colour of its own and everything else without a ground. Here the ink becomes
the page's text colour (dark pages included), ids become the plot's own, and labels, English in the code, are replaced
from `locale/LANGUAGE/plots.po`. Panels side by side are shown one below the other where the screen is narrow.
"""

import re
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from lighter_svg import HREF, SVG, lighten
from matplotlib.ft2font import FT2Font
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform

from grader.translation.catalogue import Catalogue
from grader.words import Words

HANGUL_FONT = Path(__file__).resolve().parents[1] / "fonts" / "NotoSansKR-plots.otf"  # plots.HANGUL_FONT
# plots.INK; and what matplotlib draws error bars with
COLOURS = {"#010203": "currentColor", "stroke: #000000": "stroke: currentColor"}
# Okabe and Ito's colours (plots.COLORS), of which a dark page shows lighter ones (plots.css)
COLOURS |= {
    colour: f"var(--plot-{name}, {colour})"
    for name, colour in {
        "blue": "#0072b2",
        "vermilion": "#d55e00",
        "green": "#009e73",
        "purple": "#cc79a7",
        "orange": "#e69f00",
        "sky": "#56b4e9",
        "grey": "#808080",
    }.items()
}
NUMBER = re.compile(r"-?\d+\.\d{3,}")
FONT = re.compile(r"font: (?P<weight>\d{3} )?(?P<size>[\d.]+px) [^;]*|font-family: [^;]*; ?")
COLOUR = re.compile("|".join(COLOURS))
SIZE = re.compile(r"font-size: ([\d.]+)px")
PHONE = 342  # px that a plot has on a phone of 390; a wide one has 512 and scrolls (plots.css)
LARGEST = 1.5  # pixels a unit, as on a desk (plots.css): of three panels each would have letters twice as large as the text
SMALLEST = 10.1  # px on that phone
LEGEND = 1.18  # by which plots.css makes a legend larger there, at most
MARK = 4.0  # how long an axis' ticks are
CHARACTER = 0.6  # of the font's size: how wide a character is taken to be


def labels_in(language: str) -> Words:
    return Words(Catalogue(language, "plots").texts, language)


def page_markup(svg: str, name: str, alt: str, labels: Words) -> str:
    """The markup of one plot for a page; `name` keeps its ids apart from other plots'."""
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            empty = child.tag == f"{SVG}path" and not child.get("d")  # a contour that is nowhere
            if empty or child.tag.rpartition("}")[2] in {"metadata", "style"}:
                parent.remove(child)
    seen = set()
    for element in root.iter():
        _adapt(element, name)
        if element.get("id") in seen:  # one picture, drawn twice
            del element.attrib["id"]
        seen.add(element.get("id", ""))
        if element.tag == f"{SVG}text" and element.text and not len(element):
            element.text = labels(element.text.strip())
    width, height = (float(size) for size in root.attrib["viewBox"].split()[2:])
    cuts = panel_cuts(root, width)
    grown = _anchor_legends(root, cuts or [0.0, width], height)
    _keep_legible(root, SMALLEST / scale_on_a_phone(width, cuts), grown)
    scales = shared_scales(root, cuts)
    lighten(root)
    markup = _serialised(root, name, width, height, alt)
    kind = "course-plot" + (" course-plot-split" if cuts else " course-plot-wide" if width > 380 else "")
    # What each panel shows of the drawing, from where to where: the scale that it shares with another one first
    parts = [[*scale, panel] for scale, panel in zip(scales, pairwise(cuts), strict=True)]
    widths = [sum(right - left for left, right in shown) for shown in parts]
    widest = max(widths, default=0)  # one scale for all of them
    panels = "".join(
        _panel(name, shown, height, of / widest) for shown, of in zip(parts, widths, strict=True)
    )
    panels = (
        panels
        and f'<div class="course-plot-panels" style="max-width: {LARGEST * widest:.0f}px">{panels}</div>'
    )
    return f'<div class="{kind}" style="--plot-width: {width:.0f}">{markup}{panels}</div>'


def _panel(name: str, shown: list[tuple[float, float]], height: float, share: float) -> str:
    """Parts of a drawing side by side; plots.js fills each."""
    parts, at = "", 0.0
    for left, right in shown:
        size = f'width="{right - left:.0f}" height="{height:.0f}"'
        parts += f'<svg x="{at:.0f}" {size} viewBox="{left:.0f} 0 {right - left:.0f} {height:.0f}" data-of="{name}"></svg>'
        at += round(right) - round(left)
    return f'<svg viewBox="0 0 {at:.0f} {height:.0f}" aria-hidden="true" style="width: {share:.1%}">{parts}</svg>'


def shared_scales(root: ElementTree.Element, cuts: list[float]) -> list[list[tuple[float, float]]]:
    """Of each panel, where the numbers of its vertical axis stand if they stand at another's that has the same."""
    axes = (
        [group for group in root.iter(f"{SVG}g") if re.search(r"-axes_\d+$", group.get("id", ""))]
        if cuts
        else []
    )
    found, numbered = [], {}
    for group, (start, _) in zip(
        sorted(axes, key=lambda group: _extent(group)[0]), pairwise(cuts), strict=True
    ):
        ticks = [tick for tick in group.iter(f"{SVG}g") if re.search(r"-ytick_\d+$", tick.get("id", ""))]
        marks = [mark for tick in ticks for mark in tick.iter(f"{SVG}use")]
        places = tuple(mark.get("y") for mark in marks)
        words = any(True for tick in ticks for _ in tick.iter(f"{SVG}text"))
        found.append([numbered[places]] if not words and places in numbered else [])
        if words and places:
            numbered[places] = (start, min(float(mark.get("x")) for mark in marks) - MARK)
    return found


def _anchor_legends(root: ElementTree.Element, cuts: list[float], height: float) -> dict:
    """Legends, which are set small, grow on a phone (plots.css): away from the edges of their panel, as far as it has room.

    Returns by how much each grows.
    """
    grown = {}
    for group in root.iter(f"{SVG}g"):
        if not re.search(r"-legend_\d+$", group.get("id", "")):
            continue
        texts = [text for text in group.iter(f"{SVG}text") if text.get("x")]
        if texts:
            x = sum(float(text.get("x")) for text in texts) / len(texts)
            y = sum(float(text.get("y")) for text in texts) / len(texts)
            start, end = next(panel for panel in pairwise(cuts) if x <= panel[1] or panel[1] == cuts[-1])
            left, right = _legend_extent(group, texts)
            across, down = "left" if x < (start + end) / 2 else "right", "top" if y < height / 2 else "bottom"
            room = (end - left if across == "left" else right - start) / (right - left)
            grown[group] = round(min(LEGEND, max(1.0, room)), 3)
            group.set("class", "plot-legend")
            group.set("style", f"transform-origin: {across} {down}; --grown: {grown[group]:g}")
    return grown


def _legend_extent(group: ElementTree.Element, texts: list[ElementTree.Element]) -> tuple[float, float]:
    """Its left and right end; a Korean letter is as wide as it is high."""
    ends = [
        float(text.get("x"))
        + float(SIZE.search(text.get("style"))[1])
        * sum(0.95 if "가" <= letter <= "힣" else CHARACTER for letter in text.text or "")
        for text in texts
    ]
    starts = [
        float(x) for path in group.iter(f"{SVG}path") for x in re.findall(r"M (-?[\d.]+)", path.get("d"))
    ]
    return min([*starts, *(float(text.get("x")) for text in texts)]), max(ends)


def _adapt(element: ElementTree.Element, name: str) -> None:
    for key, value in element.attrib.items():
        if key == "id":
            value = f"{name}-{value}"
        elif key in {HREF, "href"} and value.startswith("#"):
            value = f"#{name}-{value[1:]}"
        elif not value.startswith("data:"):
            value = value.replace("url(#", f"url(#{name}-")
            value = COLOUR.sub(lambda m: COLOURS[m[0]], value)
            value = FONT.sub(_without_family, value)
            value = NUMBER.sub(_shorter, value)
        element.attrib[key] = value


def _without_family(font: re.Match) -> str:
    return font["size"] and f"font-weight: {font['weight'] or 400}; font-size: {font['size']}" or ""


def _shorter(number: re.Match) -> str:
    value = float(number[0])
    return f"{value:.{2 if abs(value) >= 1 else 4}f}".rstrip("0").rstrip(".")


def scale_on_a_phone(width: float, cuts: list[float]) -> float:
    """Pixels a unit."""
    if cuts:
        return min(PHONE / max(b - a for a, b in pairwise(cuts)), LARGEST)
    return (512 if width > 380 else PHONE) / width


def _keep_legible(root: ElementTree.Element, smallest: float, legends: dict) -> None:
    """Make small words, and the exponents of a logarithmic axis, as large as `smallest`; labels stay at their ticks."""
    around = {child: parent for parent in root.iter() for child in parent}
    for text in root.iter(f"{SVG}text"):
        label, names, legend = around[text], "", 1.0
        for group in _ancestors(text, around):
            names += group.get("id", "")
            legend = legends.get(group, legend)
        grown = _enlarge(text, smallest / legend)
        place = re.match(r"translate\((-?[\d.]+)", label.get("transform", ""))
        if grown and place and "tick_" in names:
            left = float(place[1]) - grown * (1 if "ytick_" in names else 0.5)
            label.set("transform", label.get("transform").replace(place[1], f"{left:.2f}", 1))


def _ancestors(element, around: dict) -> Iterator[ElementTree.Element]:
    while element in around:
        element = around[element]
        yield element


def _enlarge(text: ElementTree.Element, smallest: float) -> float:
    """Set what is smaller in `smallest`; by how much a formula, whose characters have their places, is wider now."""
    grown = 0.0
    for part in text.iter():
        places = [float(x) for x in part.get("x", "").split()]
        size = SIZE.search(part.get("style", ""))
        ratio = max(1.0, smallest / float(size[1])) if size else 1.0
        if ratio > 1:
            part.set("style", part.get("style").replace(size[0], f"font-size: {smallest:.2f}px"))
        if part is not text and places:
            part.set("x", " ".join(f"{grown + places[0] + ratio * (x - places[0]):.2f}" for x in places))
            grown += (ratio - 1) * CHARACTER * float(size[1]) * len(part.text or "") if size else 0.0
    return grown


def _serialised(root: ElementTree.Element, name: str, width: float, height: float, alt: str) -> str:
    ElementTree.register_namespace("", SVG[1:-1])
    ElementTree.register_namespace("xlink", HREF[1:].partition("}")[0])
    inner = "".join(ElementTree.tostring(child, encoding="unicode") for child in root)
    inner = re.sub(r' xmlns(:\w+)?="[^"]*"', "", inner).replace("xlink:href", "href")
    inner = re.sub(r">\s+<", "><", inner)
    name_of_image = f'role="img" aria-label="{escape(alt)}"' if alt else 'aria-hidden="true"'
    return f'<svg viewBox="0 0 {width:.0f} {height:.0f}" {name_of_image}><g id="{name}">{inner}</g></svg>'


def panel_cuts(root: ElementTree.Element, width: float) -> list[float]:
    """Positions at which to cut panels that stand in one row: n + 1 for n panels, none where nothing can be cut."""
    axes = [group for group in root.iter(f"{SVG}g") if re.search(r"-axes_\d+$", group.get("id", ""))]
    outside = [group for group in root.iter(f"{SVG}g") if re.search(r"-legend_\d+$", group.get("id", ""))]
    inside = {legend for group in axes for legend in group.iter()}
    extents = sorted(_extent(group) for group in axes)
    if len(extents) < 2 or any(legend not in inside for legend in outside):
        return []
    cuts = [0.0]
    for (_, right), (left, _) in pairwise(extents):
        if left < right - 12:  # one below the other, or a colour bar's narrow neighbour
            return []
        cuts.append((left + right) / 2)
    cuts.append(width)
    return cuts if min(b - a for a, b in pairwise(cuts)) > width / 4 else []


def _extent(group: ElementTree.Element) -> tuple[float, float]:
    """The left and right end of a panel, its tick labels included."""
    edges = []
    for element in group.iter():
        if (
            element.tag == f"{SVG}path"
            and "clip-path" not in element.attrib
            and element.get("d", "").startswith("M")
        ):
            edges += [float(x) for x in re.findall(r"[ML] (-?[\d.]+) -?[\d.]+", element.attrib["d"])]
        elif element.tag == f"{SVG}text" and element.text and not len(element):
            edges += _text_edges(element)
    return (min(edges), max(edges)) if edges else (0.0, float("inf"))  # without frame and text: not to be cut


def _text_edges(element: ElementTree.Element) -> list[float]:
    style, turned = element.get("style", ""), "rotate(-90" in element.get("transform", "")
    size = float(re.search(r"font-size: ([\d.]+)px", style)[1])
    long = size if turned else CHARACTER * size * len(element.text)
    x = float(
        element.get("x") or re.search(r"translate\((-?[\d.]+)", element.get("transform", "translate(0"))[1]
    )
    before = {"middle": 0.5, "end": 1.0}.get((re.search(r"text-anchor: (\w+)", style) or [None, ""])[1], 0.0)
    return [x - (1.0 if turned else before) * long, x + (0.0 if turned else 1 - before) * long]


class PlotsIntoThePage(SphinxPostTransform):
    default_priority = 5  # before images are collected to be copied
    formats = ("html",)

    def run(self, **kwargs) -> None:
        labels = labels_in(self.config.language)
        for number, image in enumerate(list(self.document.findall(nodes.image))):
            path = Path(self.env.srcdir) / image["uri"].lstrip("/")
            if path.suffix != ".svg" or "jupyter_execute" not in image["uri"]:
                continue
            markup = page_markup(
                path.read_text(encoding="utf-8"), f"plot-{number}", image.get("alt", ""), labels
            )
            image.replace_self(nodes.raw("", markup, format="html"))


def setup(app):
    try:
        FT2Font(str(HANGUL_FONT))
    except (OSError, RuntimeError):
        raise ExtensionError(
            f"the plots' font cannot be read; restore it: git checkout assets/fonts/{HANGUL_FONT.name}"
        ) from None
    app.add_post_transform(PlotsIntoThePage)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
