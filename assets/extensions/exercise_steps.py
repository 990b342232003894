"""Says below the title of every exercise how to get it, open it and check it, from nothing, in three steps."""

import re
from importlib.metadata import version
from pathlib import Path

from docutils import nodes
from exercise_bundle import BUNDLE, has_bundle

EXERCISE = re.compile(r"^exercises/(?P<stem>\w+)/(?P=stem)$")
BEFORE_COLLECTORS = 400  # Sphinx collects the files to copy at 500
TORCH = "torch --index-url https://download.pytorch.org/whl/cpu"  # Linux alone gets CUDA from PyPI
# A system, its Python, and where the programs of an environment lie: nothing has to be activated
SYSTEMS = [
    ("Windows", "py", ".venv\\Scripts\\"),
    ("macOS", "python3", ".venv/bin/"),
    ("Linux", "python3", ".venv/bin/"),
]
WORDS = {
    "ko": {
        "bundle": "연습 꾸러미 내려받기",
        "get": " 모든 연습과 채점기가 들어 있습니다. 압축을 풀고, 그 폴더에서 터미널을 엽니다.",
        "install": "설치하고 노트북을 엽니다. Python 3.11 이상이 필요합니다. 설치는 한 번만 합니다.",
        "solve": "빈칸을 채우고 그 아래의 check 칸을 실행합니다. 전체를 한꺼번에 채점하려면 노트북을 저장하고, 같은 폴더에서 둘째 터미널을 열어 실행합니다.",
        "points": "check는 보이는 시험의 점수만 셉니다. 배점의 나머지는 제출한 뒤에 숨은 시험이 매깁니다.",
        "colab": "Colab에서 열기",
        "first": ": 맨 위에 칸을 하나 더하고 이 세 줄을 먼저 실행합니다.",
    },
    "en": {
        "bundle": "Download all exercises",
        "get": " The checker comes with them. Unpack the bundle, and open a terminal in its folder.",
        "install": "Install, and open the notebook. Python 3.11 or later is needed. Installing is done once.",
        "solve": "Fill in the cells and run the check below each. To check the whole notebook, save it, open a second terminal in the same folder, and run",
        "points": "A check counts the points of the tests that you see. The hidden tests give the rest once you hand in.",
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
    ways = steps(stem, words) if has_bundle(app) else []
    ways += on_colab(app, stem, words)
    if ways:
        box = nodes.container("", *ways, classes=["exercise-download"])
        title.parent.insert(title.parent.index(title) + 1, box)


def steps(stem: str, words: dict[str, str]) -> list[nodes.Node]:
    """From the page to a first check: get it, install and open, check; each line can be typed as it stands."""
    wheel = f"attentively-{version('attentively')}-py3-none-any.whl"

    def install(system: str, python: str, programs: str) -> str:
        torch = [f"{programs}pip install {TORCH}"] if system == "Linux" else []
        lines = [f"{python} -m venv .venv", *torch, f"{programs}pip install ./{wheel} jupyterlab"]
        return "\n".join([*lines, f"{programs}jupyter lab {stem}/{stem}.ipynb"])

    bundle = nodes.reference(
        "", words["bundle"], refuri=f"../../{BUNDLE}", internal=True, classes=["download"]
    )
    windows, unix = (f"{programs}grader check {stem}" for _, _, programs in SYSTEMS[:2])
    items = [
        [nodes.paragraph("", "", bundle, nodes.Text(words["get"]))],
        [
            nodes.paragraph("", words["install"]),
            *chosen({one[0]: install(*one) for one in SYSTEMS}, "install"),
        ],
        [
            nodes.paragraph("", words["solve"]),
            *chosen({"Windows": windows, "macOS, Linux": unix}, "check"),
        ],
    ]
    steps = nodes.enumerated_list("", *(nodes.list_item("", *item) for item in items), enumtype="arabic")
    return [steps, nodes.paragraph("", words["points"])]


def offer_the_bundle(app, pagename, templatename, context, doctree):
    """Above the page, the bundle in place of its notebook, which alone has nothing to check itself by."""
    for group in context.get("header_buttons", []) if EXERCISE.match(pagename) else []:
        for button in group.get("buttons", []):
            if button.get("label") == "download-source-button":
                words = WORDS.get(app.config.language, WORDS["en"])
                button.update(url=context["pathto"](BUNDLE, 1), text=".zip", tooltip=words["bundle"])


def chosen(lines: dict[str, str], group: str) -> list[nodes.Node]:
    """Commands behind the name of each system; one of a group is open at a time."""
    found: list[nodes.Node] = []
    for system, block in lines.items():
        start = f'<details name="{group}" class="exercise-system"><summary>{system}</summary>'
        found += [
            nodes.raw("", start, format="html"),
            commands(block),
            nodes.raw("", "</details>", format="html"),
        ]
    return found


def on_colab(app, stem: str, words: dict[str, str]) -> list[nodes.Node]:
    """The line that opens the notebook on Colab; nothing, while `_config.yml` names no repository on GitHub."""
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
    app.connect("html-page-context", offer_the_bundle, priority=900)  # after the theme has made its buttons
    return {"parallel_read_safe": True, "parallel_write_safe": True}
