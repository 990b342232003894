"""An exercise's page as its reader solves it: a book that offers it, and what is pressed and read there."""

import shutil

import pytest
from browsing import HTML, ROOT, build_book

SOLVE = ROOT / "assets" / "static" / "solve"
DISTRIBUTION = ROOT / "build" / "pyodide" / "distribution"
PAGE = "exercises/tokenization/tokenization.html"
TOC = """format: jb-book
root: chapters/index
parts:
  - caption: I
    chapters:
"""
ANSWERS = {
    cell[0].split()[0]: cell[1]
    for part in (ROOT / "solutions" / "tokenization.py").read_text(encoding="utf-8").split("\n# %% ")
    if (cell := part.partition("\n")[::2]) and 'tags=["question"]' in cell[0]
}
needs_pyodide = pytest.mark.skipif(
    not DISTRIBUTION.is_dir(), reason="tests/pyodide/get.sh has not been run: no Pyodide in build/pyodide"
)


NAMES = {
    "ko": {"start": "여기서 풀기", "check": "확인", "all": "전체 확인", "stop": "멈추기", "reset": "처음 코드로", "ready": "준비되었습니다", "answer": "{}의 답", "download": "노트북으로 내려받기"},
    "en": {"start": "Solve here", "check": "Check", "all": "Check all", "stop": "Stop", "reset": "Start over", "ready": "Ready", "answer": "Answer to {}", "download": "Download the notebook"},
}  # fmt: skip
A_CHECK = 120_000  # ms; on a busy machine Python alone takes half a minute to start


def lay_out(root, language="ko", torch="", stems=("tokenization",)):
    """The built pages of a sample book (`lay_out_sample`) with exercises that get Python from /pyodide/."""
    for name in ("grader", "data", "pyproject.toml"):
        (root / name).symlink_to(ROOT / name)
    ending = "" if language == "ko" else f".{language}"
    toc = TOC
    for stem in stems:
        (root / "exercises" / stem).mkdir()
        notebook = ROOT / "exercises" / stem / f"{stem}{ending}.ipynb"
        shutil.copy(notebook, root / "exercises" / stem / f"{stem}.ipynb")
        (root / "chapters" / f"{stem}.md").write_text(f"# {stem}\n", encoding="utf-8")
        toc += (
            f"      - file: chapters/{stem}\n        sections:\n          - file: exercises/{stem}/{stem}\n"
        )
    (root / "chapters" / "index.md").write_text("# 견본\n", encoding="utf-8")
    (root / "_toc.yml").write_text(toc, encoding="utf-8")
    config = root / "_config.yml"
    text = config.read_text(encoding="utf-8")
    for before, after in {
        'pyodide: {address: "", torch: ""}': f'pyodide: {{address: "/pyodide/", torch: "{torch}"}}',
        "language: ko": f"language: {language}",
    }.items():
        assert before in text
        text = text.replace(before, after)
    config.write_text(text, encoding="utf-8")
    build_book(root)
    return root / HTML


class Solver:
    """The page as its reader uses it."""

    def __init__(self, page, language="ko"):
        self.page, self.names = page, NAMES[language]
        self.top = page.locator("course-solve")

    def open(self):
        self.top.get_by_role("button", name=self.names["start"]).click()
        self.top.locator("[role=status]").get_by_text(self.names["ready"]).wait_for(timeout=A_CHECK)
        return self

    def area(self, question):
        return self.page.get_by_role("textbox", name=self.names["answer"].format(question), exact=True)

    def block(self, question):
        """An answer's, or that of the last cell."""
        if question is None:
            return self.page.locator("#solve-closing + .solve-block")
        return self.area(question).locator("xpath=..")

    def press(self, question, name):
        self.block(question).get_by_role("button", name=self.names[name], exact=True).click()

    def result(self, question):
        """What a check says, once it has."""
        block = self.block(question)
        block.locator(".solve-said").evaluate("said => said.replaceChildren()")
        self.press(question, "all" if question is None else "check")
        block.locator(".solve-said > [role=status]").first.wait_for(timeout=A_CHECK)
        return block.locator(".solve-said")
