"""The chapters' questions as a zip for Canvas and whoever reads QTI 1.2: practice quizzes for each chapter.

Canvas documents no format of its own; elements and their order are those of its exports, as text2qti writes them too. It
shows a quiz' title only where `assessment_meta.xml` bears the identifier of its assessment. Whatever a typed answer is
compared with is right to it: of a drill's mistakes it tells when the answer is wrong, all at once.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from decimal import Decimal
from itertools import groupby
from xml.etree import ElementTree
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from grader.authoring.drill_bank import WORDS, Blank, Drill
from grader.authoring.quizzes import Question

ITEMS = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
SETTINGS = "http://canvas.instructure.com/xsd/cccv1p0"
LEARNING = "associatedcontent/imscc_xmlv1p1/learning-application-resource"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same questions give the same bytes
RESPONSE = "response1"


def qti(quizzes: list[Question], drills: list[Drill]) -> bytes:
    """The zip: a manifest and, for each chapter, its questions and its drills, with the settings of both quizzes."""
    manifest = ElementTree.Element("manifest", xmlns=PACKAGE, identifier="quizzes")
    about = _within(manifest, "metadata")
    _within(about, "schema", "IMS Content")
    _within(about, "schemaversion", "1.1.3")
    _within(manifest, "organizations")
    resources = _within(manifest, "resources")
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as file:
        for quiz, title, parts in [*_of_questions(quizzes), *_of_drills(drills)]:
            asked, settings = f"{quiz}/{quiz}.xml", f"{quiz}/assessment_meta.xml"
            resource = _within(resources, "resource", identifier=quiz, type="imsqti_xmlv1p2")
            _within(resource, "file", href=asked)
            _within(resource, "dependency", identifierref=f"{quiz}_settings")
            resource = _within(
                resources, "resource", identifier=f"{quiz}_settings", type=LEARNING, href=settings
            )
            _within(resource, "file", href=settings)
            file.writestr(ZipInfo(asked, LONG_AGO), _xml(_assessment(quiz, title, parts)))
            file.writestr(ZipInfo(settings, LONG_AGO), _xml(_settings(quiz, title, len(parts))))
        file.writestr(ZipInfo("imsmanifest.xml", LONG_AGO), _xml(manifest))
    return packed.getvalue()


# Identifier, title, what stands in it: each part is worth a point.
Quiz = tuple[str, str, list[ElementTree.Element]]


def _of_questions(quizzes: list[Question]) -> Iterator[Quiz]:
    for chapter, found in groupby(quizzes, lambda question: question.chapter):
        questions = list(found)
        quiz = f"quiz_{questions[0].name.rpartition(' ')[0]}"
        yield quiz, chapter, [_item(f"{quiz}_{number}", asked) for number, asked in enumerate(questions, 1)]


def _of_drills(drills: list[Drill]) -> Iterator[Quiz]:
    """Each drill is a group of its variants, of which Canvas picks one for each attempt."""
    for title, found in groupby(drills, lambda drill: drill.group):
        groups = [(name, list(variants)) for name, variants in groupby(found, lambda drill: drill.title)]
        quiz = f"drills_{groups[0][1][0].name.split()[0]}"
        parts = []
        for number, (name, variants) in enumerate(groups, 1):
            section = ElementTree.Element("section", ident=f"{quiz}_{number}", title=name)
            selection = _within(_within(section, "selection_ordering"), "selection")
            _within(selection, "selection_number", "1")
            _within(_within(selection, "selection_extension"), "points_per_item", "1")
            section.extend(_drill(f"{quiz}_{number}_{i}", drill) for i, drill in enumerate(variants, 1))
            parts.append(section)
        yield quiz, title, parts


def _settings(quiz: str, title: str, points: int) -> ElementTree.Element:
    root = ElementTree.Element("quiz", xmlns=SETTINGS, identifier=quiz)
    settings = {
        "title": title,
        "shuffle_answers": "true",
        "scoring_policy": "keep_highest",
        "quiz_type": "practice_quiz",
        "points_possible": str(points),
        "allowed_attempts": "-1",  # as many as one wants
    }
    for name, value in settings.items():
        _within(root, name, value)
    return root


def _assessment(quiz: str, title: str, parts: list[ElementTree.Element]) -> ElementTree.Element:
    root = ElementTree.Element("questestinterop", xmlns=ITEMS)
    section = _within(_within(root, "assessment", ident=quiz, title=title), "section", ident="root_section")
    section.extend(parts)
    return root


def _begin(ident: str, name: str, sort: str, answers: list[str]) -> ElementTree.Element:
    """An item with what Canvas must know of it."""
    item = ElementTree.Element("item", ident=ident, title=name)
    fields = {
        "question_type": f"{sort}_question",
        "points_possible": "1",
        "original_answer_ids": ",".join(answers),
        "assessment_question_identifierref": f"{ident}_question",
    }
    about = _within(_within(item, "itemmetadata"), "qtimetadata")
    for name, value in fields.items():
        field = _within(about, "qtimetadatafield")
        _within(field, "fieldlabel", name)
        _within(field, "fieldentry", value)
    return item


def _item(ident: str, question: Question) -> ElementTree.Element:
    idents = [f"{ident}_{number}" for number in range(1, len(question.choices) + 1)]
    sort = f"multiple_{'answers' if question.several else 'choice'}"
    item = _begin(ident, question.name, sort, idents)

    presentation = _within(item, "presentation")
    _material(presentation, f"<p>{question.text}</p>")
    response = _within(
        presentation,
        "response_lid",
        ident=RESPONSE,
        rcardinality="Multiple" if question.several else "Single",
    )
    labels = _within(response, "render_choice")
    for choice, (_, text, _) in zip(idents, question.choices, strict=True):
        _material(_within(labels, "response_label", ident=choice), f"<p>{text}</p>")

    _processing(item, idents, question)
    for choice, (_, _, explanation) in zip(idents, question.choices, strict=True):
        _feedback(item, f"{choice}_fb", f"<p>{explanation}</p>")
    return item


def _drill(ident: str, drill: Drill) -> ElementTree.Element:
    """A number or a text to type; what is said of a wrong answer is the table of known mistakes."""
    drill = drill.one_cell()
    [blank] = drill.blanks
    ways = blank.right
    item = _begin(
        ident,
        drill.name,
        "numerical" if blank.tolerance else "short_answer",
        [f"{ident}_{number}" for number in range(1, len(ways) + 1)],
    )
    presentation = _within(item, "presentation")
    _material(presentation, f"<p>{drill.text}</p><p>{drill.hint}</p>")
    response = _within(presentation, "response_str", ident=RESPONSE, rcardinality="Single")
    kind = {"fibtype": "Decimal"} if blank.tolerance else {}
    _within(_within(response, "render_fib", **kind), "response_label", ident="answer1")

    processing = _scored(item)
    _said(processing, "general_fb")
    condition = _within(processing, "respcondition", **{"continue": "No"})
    _accepted(_within(condition, "conditionvar"), blank)
    _within(condition, "setvar", "100", action="Set", varname="SCORE")
    _said(processing, "general_incorrect_fb")
    known = "".join(f"<li>{ways[0]}: {said}</li>" for ways, said in blank.wrong)
    _feedback(item, "general_fb", drill.way)
    _feedback(item, "general_incorrect_fb", f"<p>{WORDS[drill.language]['mistakes']}</p><ul>{known}</ul>")
    return item


def _accepted(made: ElementTree.Element, blank: Blank) -> None:
    """Texts, any of which is right; or a number with what is about it, in the form that Canvas knows (text2qti#7)."""
    if not blank.tolerance:
        for way in blank.right:
            _within(made, "varequal", way, respident=RESPONSE)
        return
    [value] = blank.right
    made = _within(made, "or")
    _within(made, "varequal", value, respident=RESPONSE)
    about = _within(made, "and")
    _within(about, "vargte", f"{Decimal(value) - blank.tolerance:f}", respident=RESPONSE)
    _within(about, "varlte", f"{Decimal(value) + blank.tolerance:f}", respident=RESPONSE)


def _said(processing: ElementTree.Element, feedback: str) -> None:
    """Feedback that is shown whatever was answered; what stands after a right answer's condition is not reached by it."""
    condition = _within(processing, "respcondition", **{"continue": "Yes"})
    _within(_within(condition, "conditionvar"), "other")
    _within(condition, "displayfeedback", feedbacktype="Response", linkrefid=feedback)


def _processing(item: ElementTree.Element, idents: list[str], question: Question) -> None:
    """Say something of each choice that was made, and give all points for the right ones and no other."""
    processing = _scored(item)
    for choice in idents:
        condition = _within(processing, "respcondition", **{"continue": "Yes"})
        _within(_within(condition, "conditionvar"), "varequal", choice, respident=RESPONSE)
        _within(condition, "displayfeedback", feedbacktype="Response", linkrefid=f"{choice}_fb")
    condition = _within(processing, "respcondition", **{"continue": "No"})
    made = _within(condition, "conditionvar")
    made = _within(made, "and") if question.several else made
    for choice, (correct, *_) in zip(idents, question.choices, strict=True):
        if correct:
            _within(made, "varequal", choice, respident=RESPONSE)
        elif question.several:
            _within(_within(made, "not"), "varequal", choice, respident=RESPONSE)
    _within(condition, "setvar", "100", action="Set", varname="SCORE")


def _scored(item: ElementTree.Element) -> ElementTree.Element:
    processing = _within(item, "resprocessing")
    score = {"maxvalue": "100", "minvalue": "0", "varname": "SCORE", "vartype": "Decimal"}
    _within(_within(processing, "outcomes"), "decvar", **score)
    return processing


def _feedback(item: ElementTree.Element, ident: str, html: str) -> None:
    _material(_within(_within(item, "itemfeedback", ident=ident), "flow_mat"), html)


def _material(parent: ElementTree.Element, html: str) -> None:
    _within(_within(parent, "material"), "mattext", html, texttype="text/html")


def _within(
    parent: ElementTree.Element, tag: str, text: str | None = None, **attributes: str
) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, tag, attributes)
    element.text = text
    return element


def _xml(root: ElementTree.Element) -> bytes:
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
