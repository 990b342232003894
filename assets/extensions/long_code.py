"""Code that a reader need not read at once waits behind one line.

Folded are a chapter's cells of more than LONG lines, behind their length and what they define, and an exercise's cells
that import and check. Of other code of more than TALL lines a phone shows the first ones, and a button (tall_code.js).
"""

import ast

from docutils import nodes

LONG = 40
TALL = 15
WORDS = {
    "ko": {
        "lines": "코드 {}줄",
        "imports": "불러오는 칸",
        "check": "채점하는 칸",
        "hide": "코드 숨기기",
        "more": "코드 {}줄 모두 보기",
    },
    "en": {
        "lines": "{} lines of code",
        "imports": "Imports",
        "check": "Check",
        "hide": "Hide code",
        "more": "Show all {} lines",
    },
}


def line_for(code: str, words: dict[str, str], exercise: bool) -> str | None:
    """The line that stands for a folded cell; None for a cell that stands open."""
    try:
        statements = ast.parse(code).body
    except SyntaxError:  # a magic command
        return None
    calls = [s.value.func.id for s in statements if is_call(s)]
    if exercise and calls == ["check"] and len(statements) == 1:
        return words["check"]
    if exercise and statements and all(isinstance(s, ast.Import | ast.ImportFrom) for s in statements):
        modules = [alias.name for s in statements if isinstance(s, ast.Import) for alias in s.names]
        modules += [s.module for s in statements if isinstance(s, ast.ImportFrom)]
        return f"{words['imports']}: {', '.join(dict.fromkeys(name.partition('.')[0] for name in modules))}"
    lines = code.count("\n") + 1
    if lines <= LONG:
        return None
    defined = [s.name for s in statements if isinstance(s, ast.FunctionDef | ast.ClassDef)]
    return ": ".join(filter(None, [words["lines"].format(lines), ", ".join(defined)]))


def is_call(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Name)
    )


def fold(app, doctree):
    """Set what MyST-NB's own ``hide-input`` tag sets."""
    words = WORDS.get(app.config.language, WORDS["en"])
    exercise = app.env.docname.startswith("exercises/")
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") != "cell_code" or cell.get("hide_mode"):
            continue
        source = next(cell.findall(nodes.literal_block), None)
        if source is None or cell.children[0].get("nb_element") != "cell_code_source":
            continue
        line = line_for(source.astext(), words, exercise)
        if line:
            cell["hide_mode"], cell["prompt_show"], cell["prompt_hide"] = "input", line, words["hide"]
            if not exercise:
                cell["classes"].append("long-code")  # which folded.js opens for print
    shorten(doctree, words["more"])


def shorten(doctree, more: str):
    """Put a button below what is tall and neither folded nor put out by a cell."""
    for code in list(doctree.findall(nodes.literal_block)):
        around = {name for parent in ancestors(code) for name in parent.get("classes", ())}
        lines = code.astext().rstrip().count("\n") + 1
        if lines > TALL and around.isdisjoint({"long-code", "cell_output"}):
            code["classes"].append("code-tall")
            button = f'<button type="button" class="code-more">{more.format(lines)}</button>'
            code.parent.insert(code.parent.index(code) + 1, nodes.raw("", button, format="html"))


def ancestors(node):
    while node := node.parent:
        yield node


def setup(app):
    app.connect("doctree-read", fold)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 3}
