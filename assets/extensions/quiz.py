"""The ``quiz`` directive: a self-check question whose every choice is explained.

    :::{quiz} 질문 문장
    - [ ] 틀린 선택지
      > 왜 틀렸는지
    - [x] 맞는 선택지
      > 왜 맞는지
    :::

Lines before the first choice belong to the question. More than one ``[x]`` asks for several answers. Without
JavaScript all explanations are visible; quiz.js hides them until the reader has answered, and in print gathers them at
the end.
"""

import hashlib
import re
from html import escape

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from grader.authoring.quizzes import parse_choices

WORDS = {
    "ko": {
        "asked": "모두 고르",
        "several": "맞는 것을 모두 고르십시오.",
        "right": "맞는 선택지",
        "wrong": "틀린 선택지",
    },
    "en": {
        "asked": "Select all",
        "several": "Select all the correct statements.",
        "right": "Right choice",
        "wrong": "Wrong choice",
    },
}
FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
FORMULA = re.compile(r"\$(.+?)\$")


def words_of(language: str) -> dict[str, str]:
    return WORDS.get(language, WORDS["en"])


def spoken_formula(text: str) -> str:
    """A label for a choice without a letter outside its formulas; empty for every other choice."""
    if any(character.isalnum() for character in FORMULA.sub("", text)):
        return ""
    return FRACTION.sub(r"\1/\2", FORMULA.sub(r"\1", text)).replace("\\", " ").strip()


class quiz_node(nodes.General, nodes.Element):
    """One question. Attributes: ``number`` (unique in its page), ``several`` (more than one right choice), ``key`` (the
    same as long as question and choices are, by which a reader's answer is remembered)."""


class quiz_question(nodes.General, nodes.Element):
    pass


class quiz_choice(nodes.General, nodes.Element):
    """A choice. Attributes: ``correct``, ``spoken`` (a name for the input where the label is nothing but a formula)."""


class quiz_label(nodes.General, nodes.TextElement):
    pass


class quiz_explanation(nodes.General, nodes.Element):
    pass


class Quiz(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        try:
            stem, choices = parse_choices(list(self.content))
        except ValueError as error:
            raise self.error(f"quiz: {error}") from None
        asked = "\n".join([self.arguments[0], *stem, *(line for choice in choices for line in choice.text)])
        quiz = quiz_node(
            number=self.env.new_serialno("quiz"),
            several=sum(c.correct for c in choices) > 1,
            key=hashlib.sha256(asked.encode()).hexdigest()[:8],
        )
        question = quiz_question()
        question += self.blocks([self.arguments[0], *stem])
        words = words_of(self.config.language)
        if quiz["several"] and words["asked"] not in " ".join([self.arguments[0], *stem]):
            question += nodes.paragraph("", words["several"], classes=["quiz-several"])
        quiz += question
        for choice in choices:
            text = " ".join(choice.text)
            item = quiz_choice(correct=choice.correct, spoken=spoken_formula(text))
            label = quiz_label()
            label += self.inline(text)
            explanation = quiz_explanation()
            explanation += self.blocks(choice.explanation)
            item += [label, explanation]
            quiz += item
        return [quiz]

    def blocks(self, lines: list[str]) -> list[nodes.Node]:
        body = nodes.Element()
        self.state.nested_parse(StringList(lines, self.get_source_info()[0]), self.content_offset, body)
        return body.children

    def inline(self, text: str) -> list[nodes.Node]:
        children, messages = self.state.inline_text(text, self.lineno)
        return children + messages


def visit_quiz(self, node):
    name = f"quiz-{node['number']}"
    role = "group" if node["several"] else "radiogroup"
    self.body.append(
        f'<div class="quiz" id="{name}" data-key="{node["key"]}" role="{role}" aria-labelledby="{name}-question">\n'
    )


def depart_quiz(self, node):
    self.body.append("</ul>\n</div>\n")


def visit_question(self, node):
    self.body.append(f'<div class="quiz-question" id="quiz-{node.parent["number"]}-question">\n')


def depart_question(self, node):
    self.body.append('</div>\n<ul class="quiz-choices">\n')


def visit_choice(self, node):
    quiz = node.parent
    kind = "checkbox" if quiz["several"] else "radio"
    right = "true" if node["correct"] else "false"
    label = f' aria-label="{escape(node["spoken"])}"' if node["spoken"] else ""
    self.body.append(
        f'<li class="quiz-choice" data-correct="{right}">\n<label>'
        f'<input type="{kind}" name="quiz-{quiz["number"]}" autocomplete="off"{label} />'
    )


def depart_choice(self, node):
    self.body.append("</li>\n")


def visit_label(self, node):
    self.body.append('<span class="quiz-text">')


def depart_label(self, node):
    self.body.append("</span></label>\n")


def visit_explanation(self, node):
    words = words_of(self.builder.config.language)
    verdict = words["right" if node.parent["correct"] else "wrong"]
    self.body.append(f'<div class="quiz-explanation"><p class="quiz-verdict">{verdict}</p>\n')


def depart_explanation(self, node):
    self.body.append("</div>\n")


def setup(app):
    app.add_directive("quiz", Quiz)
    app.add_node(quiz_node, html=(visit_quiz, depart_quiz))
    app.add_node(quiz_question, html=(visit_question, depart_question))
    app.add_node(quiz_choice, html=(visit_choice, depart_choice))
    app.add_node(quiz_label, html=(visit_label, depart_label))
    app.add_node(quiz_explanation, html=(visit_explanation, depart_explanation))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
