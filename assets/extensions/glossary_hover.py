"""Writes what explained.js shows of a term: `_static/glossary_terms.js`, the glossary's first paragraphs."""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

TAUGHT_IN = re.compile(r"\s*→.*$", re.DOTALL)


def definitions(doctree: nodes.document):
    """(anchor, term, English, definition) of each entry."""
    for glossary in doctree.findall(addnodes.glossary):
        for item in glossary.findall(nodes.definition_list_item):
            term = next(item.findall(nodes.term))
            first = next(item.findall(nodes.paragraph))
            english, text = "", first.astext()
            if isinstance(first[0], nodes.emphasis):
                english = first[0].astext()
                text = text[len(english) :].lstrip(". ")
            yield term["ids"][0], term.astext(), english, TAUGHT_IN.sub("", text).replace("^2", "²")


def write(app, exception):
    if exception or app.builder.format != "html":
        return
    terms = {}
    for name in sorted({place[0] for key, place in app.env.get_domain("std")._terms.items()}):
        for anchor, *told in definitions(app.env.get_doctree(name)):
            terms[f"{app.builder.get_target_uri(name)}#{anchor}"] = told
    script = f"window.glossaryTerms = {json.dumps(terms, ensure_ascii=False, indent=0)};\n"
    (Path(app.outdir) / "_static" / "glossary_terms.js").write_text(script, encoding="utf-8")


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
