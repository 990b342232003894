"""Says below the title of every exercise how to get it, open it and check it, from nothing, in three lines."""

import re
from importlib.metadata import version
from pathlib import Path

from docutils import nodes
from exercise_bundle import BUNDLE, has_bundle
from sphinx import addnodes

EXERCISE = re.compile(r"^exercises/(?P<stem>\w+)/(?P=stem)$")
BEFORE_COLLECTORS = 400  # Sphinx collects the files to copy at 500
WORDS = {
    "ko": {
        "notebook": "노트북 내려받기",
        "check": " · 채점: ",
        "bundle": "연습 꾸러미 내려받기",
        "then": "에는 모든 연습과 채점기가 들어 있습니다. 압축을 풀고, 그 폴더에서 차례로 실행합니다.",
        "colab": "Colab에서 열기",
        "first": ": 맨 위에 칸을 하나 더하고 이 세 줄을 먼저 실행합니다.",
    },
    "en": {
        "notebook": "Download the notebook",
        "check": " · Check: ",
        "bundle": "Download all exercises",
        "then": " holds every exercise and the checker. Unpack it, and in its folder run",
        "colab": "Open in Colab",
        "first": ": add a cell at the top and run these three lines first.",
    },
}


def add_links(app, doctree):
    match = EXERCISE.match(app.env.docname)
    title = next(doctree.findall(nodes.title), None)
    if not match or title is None:
        return
    stem, words = match["stem"], WORDS.get(app.config.language, WORDS["en"])
    link = addnodes.download_reference(
        "",
        "",
        nodes.Text(words["notebook"]),
        reftarget=f"/exercises/{stem}/{stem}.ipynb",
        refdoc=app.env.docname,
    )
    check = nodes.literal("", f"grader check {stem}")
    ways = [nodes.paragraph("", "", link, nodes.Text(words["check"]), check)]
    if has_bundle(app):
        bundle = nodes.reference(
            "", words["bundle"], refuri=f"../../{BUNDLE}", internal=True, classes=["download"]
        )
        wheel = f"attentively-{version('attentively')}-py3-none-any.whl"
        ways += [
            nodes.paragraph("", "", bundle, nodes.Text(words["then"])),
            commands(
                f"pip install ./{wheel} jupyterlab\njupyter lab {stem}/{stem}.ipynb\ngrader check {stem}"
            ),
        ]
    ways += on_colab(app, stem, words)
    box = nodes.container("", *ways, classes=["exercise-download"])
    title.parent.insert(title.parent.index(title) + 1, box)


def on_colab(app, stem: str, words: dict[str, str]) -> list[nodes.Node]:
    """Nothing, while `_config.yml` names no repository on GitHub."""
    options = app.config.html_theme_options
    repository = options.get("repository_url", "").rstrip("/")
    owner_and_name = repository.partition("github.com/")[2]
    if not owner_and_name:
        return []
    branch, name = options.get("repository_branch") or "main", Path(owner_and_name).name
    language = app.config.language
    notebook = f"{stem}.ipynb" if language == "ko" else f"{stem}.{language}.ipynb"
    address = (
        f"https://colab.research.google.com/github/{owner_and_name}/blob/{branch}/exercises/{stem}/{notebook}"
    )
    link = nodes.reference("", words["colab"], refuri=address, internal=False)
    lines = f"!git clone --depth 1 {repository}\n!pip install --quiet ./{name}\n%cd {name}/exercises/{stem}"
    return [nodes.paragraph("", "", link, nodes.Text(words["first"])), commands(lines)]


def commands(lines: str) -> nodes.literal_block:
    return nodes.literal_block(lines, lines, language="sh")


def setup(app):
    app.connect("doctree-read", add_links, priority=BEFORE_COLLECTORS)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
