"""The chapters' questions as a zip for Canvas and whoever reads QTI 1.2: a practice quiz for each chapter.

Canvas documents no format of its own; elements and their order are those of its exports, as text2qti writes them too. It
shows a quiz' title only where `assessment_meta.xml` bears the identifier of its assessment.
"""

from __future__ import annotations

import io
from itertools import groupby
from xml.etree import ElementTree
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from grader.authoring.quizzes import Question

ITEMS = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
SETTINGS = "http://canvas.instructure.com/xsd/cccv1p0"
LEARNING = "associatedcontent/imscc_xmlv1p1/learning-application-resource"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same questions give the same bytes
RESPONSE = "response1"


def qti(bank: list[Question]) -> bytes:
    """The zip: a manifest and, for each chapter, its questions and the settings of its quiz."""
    manifest = ElementTree.Element("manifest", xmlns=PACKAGE, identifier="quizzes")
    about = _within(manifest, "metadata")
    _within(about, "schema", "IMS Content")
    _within(about, "schemaversion", "1.1.3")
    _within(manifest, "organizations")
    resources = _within(manifest, "resources")
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as file:
        for chapter, found in groupby(bank, lambda question: question.chapter):
            questions = list(found)
            quiz = f"quiz_{questions[0].name.rpartition(' ')[0]}"
            asked, settings = f"{quiz}/{quiz}.xml", f"{quiz}/assessment_meta.xml"
            resource = _within(resources, "resource", identifier=quiz, type="imsqti_xmlv1p2")
            _within(resource, "file", href=asked)
            _within(resource, "dependency", identifierref=f"{quiz}_settings")
            resource = _within(
                resources, "resource", identifier=f"{quiz}_settings", type=LEARNING, href=settings
            )
            _within(resource, "file", href=settings)
            file.writestr(ZipInfo(asked, LONG_AGO), _xml(_assessment(quiz, chapter, questions)))
            file.writestr(ZipInfo(settings, LONG_AGO), _xml(_settings(quiz, chapter, len(questions))))
        file.writestr(ZipInfo("imsmanifest.xml", LONG_AGO), _xml(manifest))
    return packed.getvalue()


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


def _assessment(quiz: str, title: str, questions: list[Question]) -> ElementTree.Element:
    root = ElementTree.Element("questestinterop", xmlns=ITEMS)
    section = _within(_within(root, "assessment", ident=quiz, title=title), "section", ident="root_section")
    for number, question in enumerate(questions, 1):
        section.append(_item(f"{quiz}_{number}", question))
    return root


def _item(ident: str, question: Question) -> ElementTree.Element:
    item = ElementTree.Element("item", ident=ident, title=question.name)
    idents = [f"{ident}_{number}" for number in range(1, len(question.choices) + 1)]
    fields = {
        "question_type": f"multiple_{'answers' if question.several else 'choice'}_question",
        "points_possible": "1",
        "original_answer_ids": ",".join(idents),
        "assessment_question_identifierref": f"{ident}_question",
    }
    about = _within(_within(item, "itemmetadata"), "qtimetadata")
    for name, value in fields.items():
        field = _within(about, "qtimetadatafield")
        _within(field, "fieldlabel", name)
        _within(field, "fieldentry", value)

    presentation = _within(item, "presentation")
    _material(presentation, question.text)
    response = _within(
        presentation,
        "response_lid",
        ident=RESPONSE,
        rcardinality="Multiple" if question.several else "Single",
    )
    labels = _within(response, "render_choice")
    for choice, (_, text, _) in zip(idents, question.choices, strict=True):
        _material(_within(labels, "response_label", ident=choice), text)

    _processing(item, idents, question)
    for choice, (_, _, explanation) in zip(idents, question.choices, strict=True):
        _material(_within(_within(item, "itemfeedback", ident=f"{choice}_fb"), "flow_mat"), explanation)
    return item


def _processing(item: ElementTree.Element, idents: list[str], question: Question) -> None:
    """Say something of each choice that was made, and give all points for the right ones and no other."""
    processing = _within(item, "resprocessing")
    _within(
        _within(processing, "outcomes"),
        "decvar",
        maxvalue="100",
        minvalue="0",
        varname="SCORE",
        vartype="Decimal",
    )
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


def _material(parent: ElementTree.Element, html: str) -> None:
    _within(_within(parent, "material"), "mattext", f"<p>{html}</p>", texttype="text/html")


def _within(
    parent: ElementTree.Element, tag: str, text: str | None = None, **attributes: str
) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, tag, attributes)
    element.text = text
    return element


def _xml(root: ElementTree.Element) -> bytes:
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
