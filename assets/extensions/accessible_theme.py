"""Mends what the theme and docutils leave unnamed or misnamed for screen readers."""

import re

BACK_REFERENCES = re.compile(
    r'<span class="backrefs">.*?</span>\n?', re.DOTALL
)  # "(1,2,3)", which nothing explains
EMPTY_HEADER = re.compile(r'<th class="head"><p></p></th>')
FORMULA_HEADER = re.compile(
    r'(?<=<th class="head"><p>)<math\b(?P<rest>(?:(?!</math>).)*</math>)(?=</p></th>)', re.DOTALL
)
TAG = re.compile(r"<[^>]*>")
WORDS = {"ko": "아래 쪽들 펼치거나 접기", "en": "Unfold or fold the pages below"}


def named_formula(match: re.Match) -> str:
    """A formula that is all of a column's head has a name: not every reader takes MathML for text."""
    letters = TAG.sub(" ", match[0]).replace("\u2061", " ")
    return f'<math aria-label="{" ".join(letters.split())}"{match["rest"]}'


def name_parts(app, pagename, templatename, context, doctree):
    if "body" in context:
        # an obsolete role, which hides that the entry is an item of a list
        body = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')
        # a folded cell is named by the words on it
        body = body.replace(' aria-label="Toggle hidden content"', "")
        body = BACK_REFERENCES.sub("", body)
        body = FORMULA_HEADER.sub(named_formula, body)
        context["body"] = EMPTY_HEADER.sub('<td class="head"></td>', body)  # heads nothing

    toctree = context.get("generate_toctree_html")
    if toctree:
        toggle = f'<summary aria-label="{WORDS.get(app.config.language, WORDS["en"])}"'
        context["generate_toctree_html"] = lambda **options: str(toctree(**options)).replace(
            "<summary", toggle
        )


def setup(app):
    app.connect("html-page-context", name_parts, priority=900)  # after the theme has put its functions there
    return {"parallel_read_safe": True, "parallel_write_safe": True}
