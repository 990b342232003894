"""Marks what is English in the Korean book, so that a screen reader pronounces it as English.

That is: entries of the bibliography and citations, the English behind a glossary's term, and the term in parentheses
where a page first uses it: "질의(query)".
"""

import re

# What is not prose is passed over whole; any other tag alone.
APART = re.compile(r"<(?P<name>script|style|svg|math|pre|code|template)\b.*?</(?P=name)>|<[^>]*>", re.DOTALL)
PARENTHESES = re.compile(r"\((?P<words>[A-Za-z][A-Za-z-]{2,}(?:[ ,]+[A-Za-z-]+)*)\)")
ENTRY = re.compile(r'<div class="citation"(?P<rest>[^>]*)>(?P<text>.*?)</div>', re.DOTALL)
TERM = re.compile(r"<dd><p><em>(?P<words>[^<가-힣]*)</em>")
CITATION = '<span class="bibtex-citation"'
KOREAN = re.compile("[가-힣]")


def mark_entry(match: re.Match) -> str:
    language = "" if KOREAN.search(match["text"]) else ' lang="en"'
    return f'<div class="citation"{language}{match["rest"]}>{match["text"]}</div>'


def mark_parentheses(body: str) -> str:
    parts, end = [], 0
    for tag in APART.finditer(body):
        parts.append(PARENTHESES.sub(r'(<span lang="en">\g<words></span>)', body[end : tag.start()]))
        parts.append(tag[0])
        end = tag.end()
    return "".join(parts) + body[end:]


def mark_english(body: str) -> str:
    body = ENTRY.sub(mark_entry, mark_parentheses(body))
    body = TERM.sub(r'<dd><p><em lang="en">\g<words></em>', body)
    return body.replace(CITATION, CITATION + ' lang="en"')


def mark(app, pagename, templatename, context, doctree):
    if app.config.language == "ko" and "body" in context:
        context["body"] = mark_english(context["body"])


def setup(app):
    app.connect("html-page-context", mark, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
