"""The ``here`` directive: the small Transformer at the head of a chapter, its part of it marked, the others linked.

    ```{here}
    ```

The drawing is chapters/figures/transformer_here.svg. What carries ``data-part`` in it belongs to a chapter of PLACES.
"""

from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

DRAWING = "figures/transformer_here.svg"
SVG = "{http://www.w3.org/2000/svg}"
WORDS = {
    "ko": "지금 여기: 트랜스포머에서 이 장의 자리",
    "en": "You are here: this chapter's place in the Transformer",
}
# Where a part of the drawing is explained: a chapter, and the place in it
PLACES = {
    "embedding": "tokenization#one-hot",
    "position": "positional_encoding",
    "attention": "multi_head_attention",
    "masked": "masking#look-ahead",
    "cross": "decoder#cross-attention",
    "add-norm": "add_norm",
    "feed-forward": "add_norm#feed-forward",
    "encoder": "encoder",
    "decoder": "decoder",
    "output": "transformer#assembly",
}


def parts_of(stem: str) -> set[str]:
    """The parts that a chapter is about; the last one is about all of them."""
    whole = stem == "transformer"
    return {part for part, place in PLACES.items() if whole or place.split("#")[0] == stem}


def marked(svg: str, stem: str, address) -> str:
    """The drawing with the chapter's parts marked and links to the other chapters, at ``address(place)``.

    Raises ValueError where the chapter has no part, or the drawing a part that no chapter explains.
    """
    ElementTree.register_namespace("", SVG[1:-1])
    root = ElementTree.fromstring(svg)
    here = parts_of(stem)
    if not here:
        raise ValueError(f"no part of the Transformer is explained in {stem}")
    for element in root.iter():
        part = element.attrib.pop("data-part", None)
        if part is None:
            continue
        if part not in PLACES:
            raise ValueError(f"the drawing's part {part!r} belongs to no chapter")
        element.set("class", "part here" if part in here else "part")
        if element.tag == f"{SVG}a" and PLACES[part].split("#")[0] == stem:
            element.tag = f"{SVG}g"  # a page needs no link to itself
        elif element.tag == f"{SVG}a":
            element.set("href", address(PLACES[part]))
    return ElementTree.tostring(root, encoding="unicode")


class Here(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        _, path = self.env.relfn2path(DRAWING)
        self.env.note_dependency(path)
        stem = Path(self.env.docname).name
        label = WORDS.get(self.config.language, WORDS["en"])

        def address(place: str) -> str:
            stem, _, anchor = place.partition("#")
            page = self.env.app.builder.get_relative_uri(self.env.docname, f"chapters/{stem}")
            return f"{page}#{anchor}" if anchor else page

        try:
            drawing = marked(Path(path).read_text("utf-8"), stem, address)
        except (OSError, ValueError) as error:
            raise self.error(f"here: {error}") from None
        title, _, rest = label.partition(":")
        markup = f'<nav class="course-here" aria-label="{label}"><p aria-hidden="true"><b>{title}</b>{rest and ":" + rest}</p>{drawing}</nav>'
        return [nodes.raw("", markup, format="html")]


def setup(app):
    app.add_directive("here", Here)
    app.add_css_file("here.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
