"""Marks what a page says in the other language, so that a screen reader pronounces it in that.

In the Korean book that is English: entries of the bibliography and citations, the English behind a glossary's term, and
the term in parentheses where a page first uses it: "질의(query)". In the English book it is every run of Korean: examples
in the text, in tables, outputs and drawings, and strings in code. The English book's references are English as its text.
"""

import re

# What is not prose is passed over whole; any other tag alone.
APART = re.compile(r"<(?P<name>script|style|svg|math|pre|code|template)\b.*?</(?P=name)>|<[^>]*>", re.DOTALL)
PARENTHESES = re.compile(r"\((?P<words>[A-Za-z][A-Za-z-]{2,}(?:[ ,]+[A-Za-z-]+)*)\)")
ENTRY = re.compile(r'<div class="citation"(?P<rest>[^>]*)>(?P<text>.*?)</div>', re.DOTALL)
TERM = re.compile(r"<dd><p><em>(?P<words>[^<가-힣]*)</em>")
CITATION = '<span class="bibtex-citation"'
KOREAN = re.compile("[가-힣]")

# A drawing's text, an answer in a script, a choice's name: no element may stand in them.
WHOLE = re.compile(
    r"<(?P<name>script|style|math|template|title|option|textarea)\b.*?</(?P=name)>|<(?:text|tspan)\b[^>]*>[^<]*|<[^>]*>",
    re.DOTALL,
)
DRAWN = re.compile(r"(?P<tag><(?:text|tspan)\b[^>]*)(?P<text>>[^<]*[가-힣ㄱ-ㆎ])")
RUN = re.compile(r"[가-힣ㄱ-ㆎ]+(?:[ \xa0.,·]+[가-힣ㄱ-ㆎ]+)*")


def mark_entry(match: re.Match) -> str:
    language = "" if KOREAN.search(match["text"]) else ' lang="en"'
    return f'<div class="citation"{language}{match["rest"]}>{match["text"]}</div>'


def between(body: str, apart: re.Pattern, mark, tag=lambda tag: tag) -> str:
    """The body with `mark(text)` in the place of the texts between what stands apart."""
    parts, end = [], 0
    for found in apart.finditer(body):
        parts += [mark(body[end : found.start()]), tag(found[0])]
        end = found.end()
    return "".join(parts) + mark(body[end:])


def mark_english(body: str) -> str:
    body = between(body, APART, lambda text: PARENTHESES.sub(r'(<span lang="en">\g<words></span>)', text))
    body = ENTRY.sub(mark_entry, body)
    body = TERM.sub(r'<dd><p><em lang="en">\g<words></em>', body)
    return body.replace(CITATION, CITATION + ' lang="en"')


def mark_korean(body: str) -> str:
    return between(
        body,
        WHOLE,
        lambda text: RUN.sub(r'<span lang="ko">\g<0></span>', text),
        lambda tag: DRAWN.sub(r'\g<tag> lang="ko"\g<text>', tag),
    )


def mark(app, pagename, templatename, context, doctree):
    marks = {"ko": mark_english, "en": mark_korean}
    if app.config.language in marks and "body" in context:
        context["body"] = marks[app.config.language](context["body"])


def setup(app):
    app.connect("html-page-context", mark, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
