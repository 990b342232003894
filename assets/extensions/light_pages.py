"""What a page need not load, it does not; what can wait, waits.

A widget's script comes only with the pages that hold one (``ON_DEMAND``); all scripts stand at the end of the page, and
search's on the page of results alone (templates/layout.html). Pictures have their size, so that text does not jump when
they come, and come when they are scrolled to. Nobody gets the theme's second copy of all icons.
"""

import re
from pathlib import Path

from imagesize import get as image_size
from PIL import Image

# A script that only pages holding this mark (a regular expression) need.
ON_DEMAND = {
    "attention_map.js": 'class="attention-map|<live-model',
    "quiz.js": 'class="quiz"',
    "design-tabs.js": "sd-tab-",
    "togglebutton.js": r'class="[^"]*\b(toggle|dropdown)\b',
}
IMAGE = re.compile(
    r'<img\b(?![^>]*\bloading=)(?P<rest>[^>]*?\bsrc="[^"]*_images/(?P<name>[^"/]+)"[^>]*?)\s*/?>'
)
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')


def needed(script, body: str) -> bool:
    mark = ON_DEMAND.get(Path(script.filename or "").name)
    return mark is None or re.search(mark, body) is not None


def sized(body: str, files: dict[str, Path]) -> str:
    def size(match):
        rest = match["rest"]
        if match["name"] in files and "width=" not in rest and not match["name"].endswith(".svg"):
            width, height = image_size(str(files[match["name"]]))
            rest += f' width="{width}" height="{height}"'
        return f'<img{rest} loading="lazy" decoding="async" />'

    return IMAGE.sub(size, body)


def lighten(app, pagename, templatename, context, doctree):
    if app.builder.name != "html":
        return
    context["metatags"] = VIEWPORT.sub("", context.get("metatags", ""))  # the layout has one
    body = context.get("body", "")
    context["script_files"] = [script for script in context["script_files"] if needed(script, body)]
    if "body" in context:
        files = {name: Path(app.srcdir, source) for source, name in app.builder.images.items()}
        context["body"] = sized(context["body"], files)


def drop_unused(app, error):
    static = Path(app.outdir) / "_static"
    for path in [*static.glob("scripts/fontawesome*"), *static.rglob("*.map")]:
        path.unlink(missing_ok=True)  # a map is found twice


def shrink_plots(app, error):
    """Plots have few colours: as palettes of 128 they look the same and weigh a third."""
    for path in (Path(app.outdir) / "_images").glob("*.png"):
        with Image.open(path) as plot:
            if plot.mode not in {"RGB", "RGBA"}:
                continue
            small = plot.convert("RGB") if opaque(plot) else plot
            method = Image.Quantize.FASTOCTREE if small.mode == "RGBA" else Image.Quantize.MEDIANCUT
            small = small.quantize(128, method=method, dither=Image.Dither.NONE)
        small.save(path, optimize=True)


def opaque(picture) -> bool:
    return picture.mode == "RGB" or picture.getextrema()[3] == (255, 255)


def setup(app):
    app.connect("html-page-context", lighten, priority=980)
    app.connect("build-finished", shrink_plots)
    app.connect("build-finished", drop_unused, priority=400)  # before one_stylesheet reads the scripts
    return {"parallel_read_safe": True, "parallel_write_safe": True}
