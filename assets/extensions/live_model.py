"""The ``live-model`` directive: a model of the book that runs in the reader's browser, once the reader asks for it.

    :::{live-model} bert
    :caption: 작은 BERT로 빈칸 채우기

    무엇인지, 무엇을 못하는지 한두 문장.
    :::

The page brings only live/live.js; the button brings the widget, the engine and the weights, which are made from
`course_data` and assets/models when the page is written (live_weights.py), into the output alone. Before that, in print and without
JavaScript an example stands there that the widget itself has written: assets/model_examples/LANGUAGE/NAME.html, made by
`benchmarks/live_models.py --stills`.
"""

from math import ceil
from pathlib import Path

import live_weights
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

ASSETS = Path(__file__).resolve().parent.parent
LIVE = ASSETS / "static" / "live"
STILLS = ASSETS / "model_examples"

# What a widget needs: scripts of assets/static/live besides the engine, and models of live_weights
WIDGETS = {
    "bert": (["wordpiece.js", "coarse.js", "attention_table.js", "bert.js"], ["tiny_bert"]),
    "sentiment": (["wordpiece.js", "sentiment.js"], ["tiny_bert", "sentiment_many", "sentiment_few"]),
    "gpt": (["wordpiece.js", "coarse.js", "sampling.js", "gpt.js"], ["tiny_gpt"]),
    "translator": (["numbers.js", "attention_table.js", "translator.js"], ["number_translator"]),
}
INTERACTIVE = ("html", "dirhtml")  # builders whose pages run scripts; an EPUB keeps the example alone
WORDS = {
    "ko": "모델을 불러오기 전의 예입니다.",
    "en": "An example, from before the model is loaded.",
}
ENGINE = ["transformer.js", "weights.js"]


def still_of(name: str, language: str) -> Path:
    return STILLS / (language if language in WORDS else "en") / f"{name}.html"


def size_of(name: str) -> int:
    """Bytes that a widget's button loads."""
    scripts, models = WIDGETS[name]
    code = sum((LIVE / script).stat().st_size for script in [*ENGINE, *scripts])
    return code + sum(len(live_weights.script(model).encode()) for model in models)


class live_node(nodes.General, nodes.Element):
    """Attribute: ``name``. Children: the caption, then what is said of the model."""


class live_caption(nodes.General, nodes.TextElement):
    pass


class LiveModel(SphinxDirective):
    required_arguments = 1
    option_spec = {"caption": directives.unchanged_required}
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in WIDGETS or "caption" not in self.options:
            raise self.error(f"live-model: needs one of {', '.join(WIDGETS)}, and a :caption:")
        children, messages = self.state.inline_text(self.options["caption"], self.lineno)
        caption = live_caption(self.options["caption"], "", *children)
        caption.source, caption.line = self.get_source_info()  # so that it can be translated
        made = live_node("", caption, name=name)
        self.state.nested_parse(self.content, self.content_offset, made)
        scripts, models = WIDGETS[name]
        for file in [still_of(name, self.config.language), *map(live_weights.SOURCES.get, models)]:
            self.env.note_dependency(str(file))
        return [made, *messages]


def visit_live(self, node):
    self.body.append('<figure class="live-model-figure">\n')


def depart_live(self, node):
    name = node["name"]
    language = self.builder.config.language
    still = still_of(name, language).read_text(encoding="utf-8")
    if self.builder.name in INTERACTIVE:
        scripts, models = WIDGETS[name]
        files = [*ENGINE, *scripts, *(f"weights/{model}.js" for model in models)]
        megabytes = ceil(size_of(name) / 1e5) / 10
        still = (
            f'<live-model data-name="{name}" data-megabytes="{megabytes}" data-files="{" ".join(files)}">'
            f'<div class="live-still"><p class="live-hint">{WORDS.get(language, WORDS["en"])}</p>{still}</div></live-model>'
        )
    self.body.append(f"{still}\n</figure>\n")


def visit_caption(self, node):
    self.body.append("<figcaption>")


def depart_caption(self, node):
    self.body.append("</figcaption>\n")


def bring_what_the_page_needs(app, pagename, templatename, context, doctree):
    names = {node["name"] for node in doctree.findall(live_node)} if doctree else set()
    if not names or app.builder.name not in INTERACTIVE:
        return
    app.add_js_file("live/live.js", loading_method="defer")
    folder = Path(app.outdir, "_static", "live", "weights")
    folder.mkdir(parents=True, exist_ok=True)
    for model in {model for name in names for model in WIDGETS[name][1]}:
        beside = folder / f"{model}.part"
        beside.write_text(live_weights.script(model), encoding="utf-8")
        beside.replace(folder / f"{model}.js")


def setup(app):
    app.add_directive("live-model", LiveModel)
    app.add_node(live_node, html=(visit_live, depart_live))
    app.add_node(live_caption, html=(visit_caption, depart_caption))
    app.connect("html-page-context", bring_what_the_page_needs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
