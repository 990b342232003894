"""Each chapter as a notebook to download: its MyST turned into plain Markdown and cells, without outputs.

Its first cell finds the book's repository, whose modules (`plots`, `solutions`, `course_data`) the others import; where
`_config.yml` names the repository's address, it fetches it, as on Colab. The theme shows the download for a page with
`ipynb_source`.
"""

import base64
import re
from html import escape
from pathlib import Path

import jupytext
import nbformat
from inline_svg import inline_markup
from nbformat.v4 import new_code_cell, new_markdown_cell
from pybtex.database import parse_file
from quiz import parse_choices
from sphinx.util import docname_join

WORDS = {
    "ko": {
        "about": "책 『{book}』의 한 장입니다. 아래 칸은 이 장이 쓰는 모듈을 책의 저장소에서 찾습니다.",
        "missing": "책의 저장소를 찾지 못했습니다. 저장소에서 pip install '.[book]' jupyterlab 을 실행한 다음, "
        "이 노트북을 그 안의 chapters 폴더에 두고 여십시오.",
        "quiz": "확인 문제.",
        "answer": "답과 설명",
        "right": "맞습니다.",
        "wrong": "아닙니다.",
    },
    "en": {
        "about": "A chapter of {book}. The cell below finds the modules that it uses in the book's repository.",
        "missing": "The book's repository was not found. Run pip install '.[book]' jupyterlab in it, put this "
        "notebook into its folder chapters, and open it there.",
        "quiz": "Self-check.",
        "answer": "Answer and explanations",
        "right": "Yes.",
        "wrong": "No.",
    },
}
PREPARE = """\
import os
import subprocess
import sys
from pathlib import Path

repository = {repository!r}
places = [Path.cwd(), *Path.cwd().parents, Path("attentively").resolve()]
if repository and not any((place / "chapters" / "plots.py").exists() for place in places):
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", repository, "attentively"], check=True)
    needed = ["./attentively", "matplotlib", "num2words", "scikit-learn"]
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *needed], check=True)
book = next((place for place in places if (place / "chapters" / "plots.py").exists()), None)
if book is None:
    raise FileNotFoundError({missing!r})
sys.path[:0] = [str(book), str(book / "chapters")]
os.chdir(book / "chapters")
"""
ANCHOR = re.compile(r"^\([\w-]+\)=\n", re.MULTILINE)
ROLE = re.compile(r"\{(?P<role>[\w:-]+)\}`(?P<text>[^`]*?)(?:\s*<(?P<target>[^<>`]+)>)?`")
DIRECTIVE = re.compile(
    r"^(?P<fence>:{3,}|`{3,})\{(?P<name>[\w-]+)\}[ ]?(?P<argument>[^\n]*)\n(?P<body>.*?)^(?P=fence)[ ]*$",
    re.MULTILINE | re.DOTALL,
)
OPTION = re.compile(r"^:([\w-]+): (.*)$")


class Plain:
    """A page's MyST as Markdown that any notebook shows."""

    def __init__(self, app, page: str):
        self.env, self.page, self.folder = app.env, page, Path(app.srcdir, page).parent
        self.words = WORDS.get(app.config.language, WORDS["en"])
        self.references = parse_file(Path(app.srcdir, app.config.bibtex_bibfiles[0])).entries
        self.cited: dict[str, None] = {}

    def markdown(self, text: str) -> str:
        text = DIRECTIVE.sub(self.directive, ANCHOR.sub("", text))
        return ROLE.sub(self.role, text).strip()

    def role(self, match: re.Match) -> str:
        role, text, target = match["role"], match["text"], match["target"] or match["text"]
        if role.startswith("cite"):
            return self.citation(target, in_text=role.endswith(":t"))
        if match["target"] or role == "term":
            return text
        if role == "doc":
            return f"'{self.env.titles[docname_join(self.page, target)].astext()}'"
        if role in ("ref", "numref"):
            labels = self.env.get_domain("std").labels
            return f"'{labels[target.lower()][2]}'" if target.lower() in labels else ""
        return f"`{text}`"

    def citation(self, keys: str, in_text: bool) -> str:
        self.cited.update(dict.fromkeys(key.strip() for key in keys.split(",")))
        said = [
            (self.authors(key), self.references[key].fields.get("year", ""))
            for key in map(str.strip, keys.split(","))
        ]
        return (
            ", ".join(f"{who} ({year})" for who, year in said)
            if in_text
            else ("(" + "; ".join(f"{who}, {year}" for who, year in said) + ")")
        )

    def authors(self, key: str) -> str:
        people = (
            self.references[key].persons.get("author") or self.references[key].persons.get("editor") or []
        )
        names = [" ".join(person.prelast_names + person.last_names).strip("{}") for person in people]
        return f"{names[0]} et al." if len(names) > 2 else " and ".join(names) or key

    def directive(self, match: re.Match) -> str:
        lines = match["body"].splitlines()
        options = {}
        while lines and (option := OPTION.match(lines[0])):
            options[option[1]] = option[2]
            lines.pop(0)
        make = getattr(self, "show_" + match["name"].replace("-", "_"), None)
        return (
            make(match["argument"], options, lines)
            if make
            else self.show_admonition(match["argument"], options, lines)
        )

    def show_admonition(self, title: str, options: dict, lines: list[str]) -> str:
        return "\n".join(f"> {line}" for line in ([f"**{title}**", ""] if title else []) + lines)

    def show_folded(self, *_) -> str:
        return ""

    def show_svg(self, path: str, options: dict, lines: list[str]) -> str:
        svg = inline_markup((self.folder / path).read_text(encoding="utf-8"), options["alt"])
        svg = svg.replace("<svg", '<svg style="background: #fff; color: #000"', 1)
        image = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
        alt = options["alt"].replace("[", "(").replace("]", ")")
        return "\n\n".join(
            [f"![{alt}]({image})", *(f"*{line}*" for line in [" ".join(lines).strip()] if line)]
        )

    def show_quiz(self, question: str, options: dict, lines: list[str]) -> str:
        more, choices = parse_choices(lines)
        asked = "\n".join([f"**{self.words['quiz']}** {question}", *more, ""])
        listed = "\n".join(f"{number}. {' '.join(choice.text)}" for number, choice in enumerate(choices, 1))
        explained = "\n".join(
            f"{number}. **{self.words['right' if choice.correct else 'wrong']}** {' '.join(choice.explanation)}"
            for number, choice in enumerate(choices, 1)
        )
        summary = f"<details><summary>{escape(self.words['answer'])}</summary>"
        return f"{asked}\n{listed}\n\n{summary}\n\n{explained}\n\n</details>"

    def show_bibliography(self, *_) -> str:
        entries = [(self.authors(key), self.references[key].fields) for key in self.cited]
        return "\n".join(
            f"- {who} ({fields.get('year', '')}). {fields.get('title', '').translate({123: None, 125: None})}. "
            f"{fields.get('url') or ''}".rstrip()
            for who, fields in sorted(entries, key=lambda entry: entry[0].lower())
        )


def notebook_of(app, page: str) -> nbformat.NotebookNode:
    """The notebook of a page, its first two cells added."""
    source = Path(app.env.doc2path(page)).read_text(encoding="utf-8")
    notebook = jupytext.reads(source, fmt="md:myst")
    plain = Plain(app, page)
    repository = app.config.html_theme_options.get("repository_url", "")
    cells = [
        new_markdown_cell(plain.words["about"].format(book=app.config.html_title)),
        new_code_cell(PREPARE.format(repository=repository, missing=plain.words["missing"])),
    ]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            hidden = {"hide-input", "remove-cell", "remove-input"} & set(cell.metadata.get("tags", []))
            metadata = {"jupyter": {"source_hidden": True}} if hidden else {}
            cells.append(new_code_cell(cell.source, metadata=metadata))
        elif text := plain.markdown(cell.source):
            cells.append(new_markdown_cell(text))
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"  # the same from build to build
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(
        cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}}
    )


def offer(app, pagename, templatename, context, doctree):
    """Write the notebook where the theme's download looks for it."""
    if (
        doctree is None
        or not pagename.startswith("chapters/")
        or not context.get("sourcename", "").endswith(".md")
    ):
        return
    if "kernelspec:" not in Path(app.env.doc2path(pagename)).read_text(encoding="utf-8").partition("\n# ")[0]:
        return
    path = Path(app.outdir, "_sources", f"{pagename}.ipynb")
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook_of(app, pagename), path)
    context["ipynb_source"] = f"{pagename}.ipynb"


def setup(app):
    app.connect("html-page-context", offer, priority=400)  # before the theme makes its buttons
    return {"parallel_read_safe": True, "parallel_write_safe": True}
