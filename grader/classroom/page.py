"""A student's page: points and reasons first, then what was handed in. It asks the network for nothing."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from types import MappingProxyType

from grader.classroom.answer_block import CODE, folded
from grader.gradebook.entries import QuestionGrade, StudentGrades
from grader.judging.answers import Answer
from grader.judging.names import defined
from grader.reading import in_code, link, link_to_read, to_try
from grader.results import AFTERWARDS, NOW, QuestionResult, Submission
from grader.shown import escape
from grader.words import IN_KOREAN, Words

STYLE = """
:root{color-scheme:light dark;--line:#ccd3da;--soft:#f4f6f8;--good:#2e7d32;--bad:#a35200;--text:#1d2329;--link:#0a58ca}
@media(prefers-color-scheme:dark){:root{--line:#3a424b;--soft:#20262d;--good:#7bc67f;--bad:#f0a850;--text:#e6e9ec;
--link:#7db3ff}body{background:#14181c}}
body{font:16px/1.7 system-ui,"Apple SD Gothic Neo","Malgun Gothic","Noto Sans KR",sans-serif;color:var(--text);
max-width:52rem;margin:2rem auto;padding:0 1rem;word-break:keep-all;overflow-wrap:anywhere}
a{color:var(--link)}h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}
.sum{font-size:1.3rem;font-weight:700;margin:.3rem 0}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid var(--line);padding:.3rem .5rem;text-align:left}
td:last-child,th:last-child{text-align:right;white-space:nowrap}
.card{border-left:4px solid var(--good);padding:.1rem 1rem;margin:.5rem 0}.card.lost{border-color:var(--bad)}
pre{background:var(--soft);padding:.7rem;overflow-x:auto;font:13px/1.5 ui-monospace,Consolas,monospace;
white-space:pre-wrap;word-break:normal}code{font-family:ui-monospace,Consolas,monospace}img{max-width:100%}
.card h2{margin:.6rem 0}.note{color:var(--bad)}li{margin:.2rem 0}
"""


def page(
    submission: Submission,
    grades: StudentGrades,
    notebook: bytes,
    title: str,
    book_url: str,
    words: Words = IN_KOREAN,
    answers: Mapping[str, Answer] = MappingProxyType({}),
) -> str:
    """The page's HTML.

    Args:
        notebook: the marked one.
        answers: the course's, by question, where it is time to show them.
    """
    cells = [{**cell, "source": _text(cell["source"])} for cell in json.loads(notebook)["cells"]]
    results = {result.question: result for result in submission.questions}
    rows, cards, shown = [], [], set()
    for question, grade in grades.questions.items():
        points = words("아직 없음") if grade.points is None else f"{grade.points + grade.extra:g}"
        link = f'<a href="#{escape(question)}"><code>{escape(question)}</code></a>'
        rows.append(f"<tr><td>{link}</td><td>{words(f'{points} / {grade.possible:g}점')}</td></tr>")
        own = _answers(cells, question)
        shown |= set(own)
        cards.append(_question(question, grade, results.get(question), book_url, words))
        cards += [_cell(cells[position], words) for position in own]
        cards += [folded(answers[question], book_url, words)] if question in answers else []
    others = [
        cell
        for position, cell in enumerate(cells)
        if cell["cell_type"] == "code"
        and position not in shown
        and not _ours(cell)
        and cell["source"].strip()
    ]
    style = STYLE + (CODE if answers else "")
    body = [
        f"<h1>{escape(title)}</h1><div>{escape(grades.name or submission.student)}</div>",
        f'<div class="sum">{words(_sum(grades))}</div>',
        *_remarks(submission, grades, words),
        f"<table><tr><th>{words('문제')}</th><th>{words('점수')}</th></tr>{''.join(rows)}</table>",
        *cards,
        *([f"<h2>{words('그 밖에 쓴 칸')}</h2>"] if others else []),
        *(_cell(cell, words) for cell in others),
    ]
    return (
        f'<!doctype html><html lang="{words.language}"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style><body><main>{''.join(body)}</main></body></html>\n"
    )


def _sum(grades: StudentGrades) -> str:
    if grades.score is None:
        return "아직 점수가 정해지지 않았습니다"
    return f"{grades.score:g} / {grades.possible:g}점"


def _remarks(submission: Submission, grades: StudentGrades, words: Words) -> list[str]:
    said = []
    by_hand = any(grade.by_hand for grade in grades.questions.values())
    if submission.verdict == "ungradable" and grades.score is None:
        said.append(
            f"자동으로 채점하지 못했습니다. {submission.reason} 0점이라는 뜻이 아닙니다. 담당자가 살펴봅니다."
        )
    elif by_hand:
        said.append("담당자가 점수를 매긴 문제가 있습니다.")
    if grades.penalty:
        said.append(f"늦게 제출해 {grades.penalty:g}점을 뺐습니다.")
    return [f'<p class="note">{in_code(words(line))}</p>' for line in [*said, *submission.notes]]


def _question(
    question: str, grade: QuestionGrade, result: QuestionResult | None, book_url: str, words: Words
) -> str:
    lost = grade.points is None or grade.points < grade.possible
    points = "아직 점수가 없습니다" if grade.points is None else f"{grade.points:g} / {grade.possible:g}점"
    parts = [f'<h2 id="{escape(question)}"><code>{escape(question)}</code> · {words(points)}</h2>']
    said = ["담당자가 매긴 점수입니다."] if grade.by_hand else []
    said += [f"더한 점수 {grade.extra:g}점"] if grade.extra else []
    said += [f"담당자의 말: {grade.comment}"] if grade.comment else []
    parts += [f"<p>{escape(words(line))}</p>" for line in said]
    for asked, looked, answer in grade.asked:
        state = f"답: {answer}" if answer else "다시 살펴보았습니다." if looked else "살펴보고 있습니다."
        lines = (words(f"다시 봐 달라고 한 말: {asked}"), words(state))
        parts.append(f"<p>{'<br>'.join(map(escape, lines))}</p>")
    if result is not None and (by_step := result.by_step(words)):
        parts.append(f"<p>{by_step}</p>")
    if result is not None and result.reason:
        parts.append(f"<p><b>{in_code(result.said(words))}</b></p>")
        if not result.unanswered:
            lines = [_case(case, result.reason, words) for case in result.failures]
            parts.append(f"<ul>{''.join(lines)}</ul>" if lines else "")
        if result.read:
            tries = to_try(result.read, words).items()
            links = [link_to_read(result.read, book_url, words)]
            links += [link(line, at, book_url, words) for at, line in tries]
            parts.append(f"<p>{'<br>'.join(links)}</p>")
    return f'<section class="card{" lost" if lost else ""}">{"".join(parts)}</section>'


def _case(case, said: str, words: Words) -> str:
    """A lost point. Of a hidden test only what it was about: its details would show how it is written."""
    lost = words(f"{case.possible - case.earned:g}점 ({AFTERWARDS if case.hidden else NOW})")
    reason = "" if case.reason in said else f": {in_code(words(case.reason))}"
    detail = "" if case.hidden or not case.detail else f"<pre>{escape(words(case.detail))}</pre>"
    return f"<li>{lost}{reason}{detail}</li>"


def _grade_id(cell: dict) -> str:
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def _ours(cell: dict) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get("locked"))


def _answers(cells: list[dict], question: str) -> list[int]:
    """Positions of the cell with a question's answer, or where the metadata is lost of the last that defines it."""
    if named := [n for n, cell in enumerate(cells) if _grade_id(cell) == question]:
        return named
    defining = [
        n
        for n, cell in enumerate(cells)
        if cell["cell_type"] == "code" and question in defined(cell["source"])
    ]
    return defining[-1:]


def _cell(cell: dict, words: Words) -> str:
    shown = (_output(output, words) for output in cell.get("outputs", []))
    return f"<pre>{escape(cell['source'])}</pre>" + "".join(shown)


def _output(output: dict, words: Words) -> str:
    data = output.get("data", {})
    for kind in ("image/png", "image/jpeg"):
        image = _text(data.get(kind, ""))
        if image and _is_base64(image):
            return f'<img alt="{words("칸이 그린 그림")}" src="data:{kind};base64,{image.strip()}">'
    text = _text(output.get("text") or data.get("text/plain") or "\n".join(output.get("traceback", [])))
    return f"<pre>{escape(text)}</pre>" if text else ""


def _text(lines: str | list[str]) -> str:
    """nbformat takes a list of lines for a text."""
    return lines if isinstance(lines, str) else "".join(lines)


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode("".join(text.split()), validate=True)
        return '"' not in text
    except (binascii.Error, ValueError):
        return False
