"""Figures about the chapters for the landing page, measured on the pages when the book is built.

    :::{chapter-cards}
    - seq2seq: 읽은 것을 벡터 하나에 다 담을 수 있을까요?
    :::

is a card for each chapter: number, title, the question, minutes, and its exercise's level and minutes; and
``{reading-time}`attention masking` `` is the sum of chapters' minutes, ``{reading-time}`all` `` that of all numbered ones.
"""

import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective, SphinxRole

WORDS = {
    "ko": {
        "read": "읽기 {}분",
        "sum": "약 {}분",
        "hours": "약 {}시간",
        "exercise": "연습",
        "facts": "난이도 {}/3, {}분",
        "letters": 400,  # a minute, at an unhurried pace
    },
    "en": {
        "read": "{} min read",
        "sum": "about {} min",
        "hours": "about {} h",
        "exercise": "Exercise",
        "facts": "level {}/3, {} min",
        "letters": 900,
    },
}
CARD = re.compile(r"^- (?P<stem>\w+): (?P<question>.+)$")
LEVEL_AND_MINUTES = re.compile(r"(\d)/3\D+(\d+)")
LINES_A_MINUTE = 20  # of code that is followed line by line
NO_PROSE = (nodes.literal_block, nodes.math, nodes.math_block, nodes.raw, nodes.comment)


def reading_minutes(doctree: nodes.document, letters_a_minute: int) -> int:
    """Minutes to read a page, to five; what is folded or hidden is not counted."""
    folded = {
        id(part)
        for fold in doctree.findall(lambda node: node.__class__.__name__ == "folded_node")
        for sibling in fold.parent[fold.parent.index(fold) :]
        for part in sibling.findall()
    }
    letters = sum(
        len(re.sub(r"\s", "", text))
        for text in doctree.findall(nodes.Text)
        if id(text) not in folded and not any(isinstance(above, NO_PROSE) for above in ancestors(text))
    )
    lines = sum(
        block.astext().count("\n") + 1
        for block in doctree.findall(nodes.literal_block)
        if id(block) not in folded and not any(hidden(above) for above in ancestors(block))
    )
    return max(5, 5 * round((letters / letters_a_minute + lines / LINES_A_MINUTE) / 5))


def ancestors(node):
    while node.parent is not None:
        node = node.parent
        yield node


def hidden(node) -> bool:
    classes = node.get("classes", [])
    return "cell_output" in classes or any(name.startswith(("tag_hide", "tag_remove")) for name in classes)


def measure(app, doctree):
    """Keep a chapter's minutes and quizzes, an exercise's level and minutes, with the page's metadata."""
    facts = app.env.metadata[app.env.docname]
    if app.env.docname.startswith("exercises/"):
        told = map(LEVEL_AND_MINUTES.search, (part.astext() for part in doctree.findall(nodes.paragraph)))
        if first := next(filter(None, told), None):
            facts["level"], facts["minutes"] = first.groups()
    else:
        facts["minutes"] = reading_minutes(doctree, WORDS.get(app.config.language, WORDS["en"])["letters"])
        facts["quizzes"] = sum(node.__class__.__name__ == "quiz_node" for node in doctree.findall())


def minutes_of(env, stem: str) -> int:
    return env.metadata[f"chapters/{stem}"]["minutes"]


class chapter_cards(nodes.General, nodes.Element):
    pass


class chapter_card(nodes.General, nodes.TextElement):
    """The question; attribute ``stem``."""


class reading_time(nodes.Inline, nodes.TextElement):
    """Attribute ``stems``."""


class ChapterCards(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        cards = chapter_cards()
        for line in filter(str.strip, self.content):
            card = CARD.match(line)
            if not card or f"chapters/{card['stem']}" not in self.env.found_docs:
                raise self.error(f"chapter-cards: {line!r} is no '- STEM: QUESTION' of a chapter")
            question, messages = self.state.inline_text(card["question"], self.lineno)
            cards += chapter_card(card["question"], "", *question, stem=card["stem"])
        return [cards]


class ReadingTime(SphinxRole):
    def run(self):
        stems = self.text.split()
        for stem in stems if stems != ["all"] else []:
            if f"chapters/{stem}" not in self.env.found_docs:
                return [], [self.inliner.reporter.error(f"reading-time: there is no chapter {stem!r}")]
        return [reading_time("", stems=stems)], []


def words(translator) -> dict[str, str]:
    return WORDS.get(translator.builder.config.language, WORDS["en"])


def visit_cards(self, node):
    self.body.append('<ol class="chapter-cards" role="list">\n')


def depart_cards(self, node):
    self.body.append("</ol>\n")


def visit_card(self, node):
    env, stem = self.builder.env, node["stem"]
    page = f"chapters/{stem}"
    number = "".join(map(str, env.toc_secnumbers.get(page, {}).get("", ())))
    link = self.builder.get_relative_uri(self.builder.current_docname, page)
    quizzes = env.metadata[page]["quizzes"]
    self.body.append(
        f'<li class="chapter-card" data-page="{page}" data-quizzes="{quizzes}">'
        f'<p class="chapter-title"><a href="{link}"><span class="chapter-number">{number}</span> '
        f"{self.encode(env.titles[page].astext())}</a></p>"
        '<p class="chapter-question">'
    )


def depart_card(self, node):
    env, said = self.builder.env, words(self)
    facts = f"<span>{said['read'].format(minutes_of(env, node['stem']))}</span>"
    exercise = f"exercises/{node['stem']}/{node['stem']}"
    told = env.metadata.get(exercise, {})
    if "level" in told:
        link = self.builder.get_relative_uri(self.builder.current_docname, exercise)
        level = said["facts"].format(told["level"], told["minutes"])
        facts += f'<span><a href="{link}">{said["exercise"]}</a> {level}</span>'
    self.body.append(f'</p><p class="chapter-facts">{facts}</p></li>\n')


def visit_reading_time(self, node):
    env, said = self.builder.env, words(self)
    numbered = [
        page.partition("/")[2]
        for page in env.toc_secnumbers
        if page.startswith("chapters/") and env.toc_secnumbers[page]
    ]
    minutes = sum(minutes_of(env, stem) for stem in (numbered if node["stems"] == ["all"] else node["stems"]))
    halves = round(minutes / 30) / 2
    self.body.append(said["sum"].format(minutes) if minutes < 90 else said["hours"].format(f"{halves:g}"))
    raise nodes.SkipNode


def setup(app):
    app.add_directive("chapter-cards", ChapterCards)
    app.add_role("reading-time", ReadingTime())
    app.add_node(chapter_cards, html=(visit_cards, depart_cards))
    app.add_node(chapter_card, html=(visit_card, depart_card))
    app.add_node(reading_time, html=(visit_reading_time, None))
    app.connect("doctree-read", measure)
    app.connect(
        "env-updated", lambda app, env: [app.config.root_doc]
    )  # it tells what any page may have changed
    return {"parallel_read_safe": True, "parallel_write_safe": True}
