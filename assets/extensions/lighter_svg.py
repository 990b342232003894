"""Leaves out of matplotlib's SVG what nobody sees, and draws its markers instead of referring to them.

For each `<use>` a browser keeps a tree of its own, whether or not the plot is anywhere near the screen, and goes through
all of them before it shows anything: a thousand markers held up a page's opening for as long as its text.
"""

import re
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
REFERENCE = re.compile(r"#([\w-]+)")
LINE = r"\s*(?:([ML]) (-?[\d.]+) (-?[\d.]+)|z)"
STEP, STRAIGHT = re.compile(LINE), re.compile(rf"(?:{LINE})+\s*")
CIRCLE = re.compile(r"M 0 ([\d.]+)\s+(?:C(?: -?[\d.]+){6}\s+){8}z\s*")  # eight curves, from its lowest point
UPRIGHT = re.compile(r"rotate\(-?0 [^)]*\)")


def lighten(root: ElementTree.Element) -> None:
    """Draw the markers of a plot; drop names that nothing refers to, groups that say nothing, less than a tenth of a unit."""
    marks = draw_markers(root)
    referred = {
        name
        for element in root.iter()
        for value in element.attrib.values()
        for name in REFERENCE.findall(value)
    }
    for element in list(root.iter()):
        if element.get("id") not in referred:
            element.attrib.pop("id", None)
        if UPRIGHT.fullmatch(element.get("transform", "")):
            del element.attrib["transform"]
        if element.tag == f"{SVG}path":
            element.set("d", step_by_step(element.get("d")))
        for child in list(element):
            unused = element.tag == f"{SVG}defs" and child.get("id") not in referred
            if unused or (child.tag == f"{SVG}path" and child.get("style") == "fill: none"):
                element.remove(child)
    unwrap(root)
    join(root, marks)


def draw_markers(root: ElementTree.Element) -> set[ElementTree.Element]:
    """Make each marker that refers to a shape a path of its own; those paths."""
    shapes = {path.get("id"): path for path in root.iter(f"{SVG}path") if "id" in path.attrib}
    drawn = set()
    for use in list(root.iter(f"{SVG}use")):
        shape = shapes.get(use.get(HREF, "")[1:])
        if shape is None:
            continue
        x, y = (float(use.get(key, 0)) for key in ("x", "y"))
        look = looks(use.get("style", "")) | looks(shape.get("style", ""))
        use.tag = f"{SVG}path"
        use.attrib = {"d": placed(shape.get("d"), x, y)}
        if look:
            use.attrib["style"] = "; ".join(f"{key}: {value}" for key, value in look.items())
        drawn.add(use)
    return drawn


def looks(style: str) -> dict[str, str]:
    return dict(part.strip().split(": ", 1) for part in style.split(";") if part.strip())


def placed(shape: str, x: float, y: float) -> str:
    """The path of a marker's shape around (x, y)."""
    circle = CIRCLE.fullmatch(shape)
    if circle:
        radius = float(circle[1])
        arc = f"a{radius:g} {radius:g} 0 1 0"
        return f"M{x - radius:.1f} {y:.1f}{arc} {2 * radius:g} 0{arc} -{2 * radius:g} 0z"
    return STEP.sub(
        lambda step: f"{step[1]} {float(step[2]) + x:.2f} {float(step[3]) + y:.2f} " if step[1] else "z ",
        shape,
    )


def unwrap(element: ElementTree.Element) -> None:
    """Put what stands in a group without attributes, or in empty definitions, in its place."""
    children = []
    for child in element:
        unwrap(child)
        bare = child.tag in {f"{SVG}g", f"{SVG}defs"} and not child.attrib
        empty = child.tag in {f"{SVG}g", f"{SVG}defs"} and not len(child)
        children += [] if empty else list(child) if bare and child.tag == f"{SVG}g" else [child]
    element[:] = children


def join(element: ElementTree.Element, marks: set[ElementTree.Element]) -> None:
    """Make one path of markers that look the same and have nothing but words between them.

    Where one lies over another its edge or its transparency would be seen: those stay apart.
    """
    first: dict[str, ElementTree.Element] = {}
    for child in list(element):
        join(child, marks)
        look = child.get("style", "")
        if child not in marks:
            if child.tag != f"{SVG}text":
                first.clear()
        elif "opacity" in look + element.get("style", "") or edged(look):
            first.clear()
        elif look in first:
            first[look].set("d", first[look].get("d") + child.get("d"))
            element.remove(child)
        else:
            first[look] = child


def edged(look: str) -> bool:
    """True for an area with an edge in another colour."""
    look = looks(look)
    return look.get("fill", "none") != "none" and look.get("stroke", look["fill"]) != look["fill"]


def step_by_step(path: str) -> str:
    """A path of straight lines as steps from point to point, in tenths: half as long, and nobody sees less than a tenth."""
    if not STRAIGHT.fullmatch(path):
        return path
    said, at, start, last = "", (0, 0), (0, 0), ""
    for step in STEP.finditer(path):
        letter = step[1]
        if not letter:
            said, at, last = said + "z", start, "z"
            continue
        point = round(10 * float(step[2])), round(10 * float(step[3]))
        if letter == "M":
            said, start, last = f"{said}M{tenths(point[0])} {tenths(point[1])}", point, "M"
        elif point != at or last == "M":
            x, y = (tenths(there - here) for there, here in zip(point, at, strict=True))
            said, last = f"{said}{' ' if last == 'l' else 'l'}{x} {y}", "l"
        at = point
    return said.replace(" -", "-")


def tenths(number: int) -> str:
    return re.sub(r"^(-?)0\.", r"\1.", f"{number / 10:g}")
