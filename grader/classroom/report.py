"""One page on a class: how the points are spread, which mistakes to speak of, who needs somebody."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import mean, median, pstdev

from grader.classroom.folder import Classroom
from grader.classroom.page import STYLE
from grader.classroom.scores import MISSING, UNGRADED, counted, people_of, questions_of, scores
from grader.exercise import PublicExercise
from grader.reading import in_code, link_to_read
from grader.results import QuestionResult, Submission
from grader.shown import escape
from grader.translation.voices import to_instructors, voices
from grader.words import KOREAN, Words

BINS = 10
STUCK = 0.5  # of the points, below which somebody should be spoken to
MORE = """
body{max-width:60rem}.bar{fill:var(--link,#0a58ca)}svg{width:100%;height:auto}svg text{fill:var(--text,#333);
font:13px system-ui,sans-serif}details{margin:.2rem 0}summary{cursor:pointer}td.wide{text-align:left;white-space:normal}
.figures{display:flex;flex-wrap:wrap;gap:.3rem 2rem;font-size:1.1rem}.figures b{font-size:1.4rem}
td,th{white-space:nowrap}td code{overflow-wrap:anywhere}@media(max-width:40rem){td.bars,th.bars{display:none}
td:first-child{white-space:normal}}
@media print{details>*{display:block}}
"""


@dataclass
class Results:
    """One exercise of a class.

    Attributes:
        final: the score that counts and the verdict, by student.
        words: in what language all of it is told.
    """

    stem: str
    questions: list[str]
    submissions: list[Submission]
    final: dict[str, tuple[float | None, str]]
    book_url: str
    words: Words

    @property
    def graded(self) -> list[Submission]:
        return [submission for submission in self.submissions if submission.verdict == "graded"]

    def of(self, question: str) -> list[tuple[str, QuestionResult]]:
        """Everybody's result of a question."""
        return [(s.student, r) for s in self.graded for r in s.questions if r.question == question]

    @property
    def mistakes(self) -> list[tuple[QuestionResult, list[str]]]:
        """Named mistakes, the most frequent first, each with who has made it."""
        who: dict[tuple[str, str], list[str]] = defaultdict(list)
        first: dict[tuple[str, str], QuestionResult] = {}
        for submission in self.graded:
            for result in submission.questions:
                if result.mistake:
                    key = (result.question, result.mistake)
                    who[key].append(submission.student)
                    first.setdefault(key, result)
        return sorted(((first[key], people) for key, people in who.items()), key=lambda pair: -len(pair[1]))


def read_results(classroom: Classroom, stem: str, language: str = KOREAN) -> Results:
    """The results of a class' exercise, for its report.

    Raises:
        GraderError: the class does not have the exercise.
    """
    return Results(
        stem,
        questions_of(classroom, stem),
        scores(classroom, stem),
        counted(classroom, stem),
        PublicExercise(classroom.released(stem)).book_url,
        to_instructors(voices(classroom.exercise(stem))[language]),
    )


def report_page(classroom: Classroom, stems: list[str], language: str = KOREAN) -> str:
    """The page's HTML. It names students: it is for those who teach, in their language."""
    names = {student: f"{student} {person.name}".strip() for student, person in people_of(classroom).items()}
    parts = [_exercise(read_results(classroom, stem, language), names) for stem in stems]
    title = f"{classroom.root.name}: {', '.join(stems)}"
    return (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}{MORE}</style><body>{''.join(parts)}</body></html>\n"
    )


def _exercise(results: Results, names: dict[str, str]) -> str:
    def people(students: list[str]) -> str:
        return ", ".join(escape(names.get(student, student)) for student in sorted(students))

    return "".join(
        [
            f"<h1>{escape(results.stem)}</h1>",
            _figures(results),
            _spread(results),
            _questions(results),
            _mistakes(results, people),
            _unnamed(results, people),
            _stuck(results, people),
            _ungradable(results, names),
        ]
    )


def _figures(results: Results) -> str:
    words, final = results.words, [score for score, _ in results.final.values() if score is not None]
    verdicts = Counter(verdict for _, verdict in results.final.values())
    handed_in = sum(count for verdict, count in verdicts.items() if verdict != MISSING)
    figures = [("제출", f"{handed_in} / {len(results.final)}명")]
    if final:
        spread = [("평균", mean(final)), ("중앙값", median(final)), ("표준편차", pstdev(final))]
        figures += [(name, f"{value:.2f}") for name, value in spread]
    figures += [("채점 불가", f"{verdicts['ungradable']}명")] if verdicts["ungradable"] else []
    figures += [("아직 채점하지 않음", f"{verdicts[UNGRADED]}명")] if verdicts[UNGRADED] else []
    shown = "".join(f"<span>{words(name)} <b>{words(value)}</b></span>" for name, value in figures)
    return f'<p class="figures">{shown}</p>'


def _spread(results: Results) -> str:
    """A histogram of points, as SVG."""
    final = [score for score, _ in results.final.values() if score is not None]
    possible = max((submission.possible for submission in results.graded), default=0)
    if not final or not possible:
        return ""
    counts = Counter(min(BINS - 1, max(0, int(BINS * score / possible))) for score in final)
    highest = max(counts.values())
    width, height, bars = 60, 120, []
    for number in range(BINS):
        tall = height * counts[number] / highest
        left = number * width
        bars.append(
            f'<rect class="bar" x="{left + 4}" y="{20 + height - tall:.1f}" width="{width - 8}" height="{tall:.1f}" rx="2"/>'
            f'<text x="{left + width / 2}" y="{15 + height - tall:.1f}" text-anchor="middle">{counts[number] or ""}</text>'
            f'<text x="{left}" y="{height + 38}" text-anchor="middle">{number * possible / BINS:g}</text>'
        )
    bars.append(f'<text x="{BINS * width}" y="{height + 38}" text-anchor="middle">{possible:g}</text>')
    words, lowest = results.words, [f"{number * possible / BINS:g}" for number in range(BINS)]
    said = ", ".join(words(f"{lowest[n]}점부터 {counts[n]}명") for n in range(BINS) if counts[n])
    return (
        f'<h2>{words("점수의 분포")}</h2><svg viewBox="-20 0 {BINS * width + 40} {height + 50}" role="img" '
        f'aria-label="{said}">{"".join(bars)}</svg>'
    )


def _questions(results: Results) -> str:
    words, rows = results.words, []
    for question in results.questions:
        found = [result for _, result in results.of(question)]
        if not found:
            continue
        share = mean(result.earned / result.possible if result.possible else 1.0 for result in found)
        full = sum(result.earned == result.possible for result in found)
        empty = sum(result.unanswered for result in found)
        rows.append(
            f"<tr><td><code>{escape(question)}</code></td><td class=bars><svg viewBox='0 0 200 14' role='img' "
            f"aria-label='{share:.0%}'><rect class=bar width='{200 * share:.1f}' height='14' rx='2'/></svg></td>"
            f"<td>{share:.0%}</td><td>{words(f'{full}명')}</td><td>{words(f'{empty}명')}</td></tr>"
        )
    head = "".join(f"<th>{words(name)}</th>" for name in ("평균", "만점", "빈 답"))
    head = f"<tr><th>{words('문제')}</th><th class=bars></th>{head}</tr>"
    return f"<h2>{words('문제마다')}</h2><table>{head}{''.join(rows)}</table>" if rows else ""


def _mistakes(results: Results, people) -> str:
    words, rows = results.words, []
    for result, who in results.mistakes:
        link = link_to_read(result.mistake_read, results.book_url, words)
        said = f"<b>{in_code(words(result.mistake_reason))}</b>"
        question = f"<code>{escape(result.question)}</code> · {link}"
        rows.append(_row(said, question, people(who), len(who), words))
    none = f"<p>{words('이름 붙은 실수가 없습니다.')}</p>"
    return f"<h2>{words('자주 한 실수')}</h2>{'<table>' + ''.join(rows) + '</table>' if rows else none}"


def _unnamed(results: Results, people) -> str:
    """Points lost without a known mistake, by the test."""
    who: dict[tuple[str, str], list[str]] = defaultdict(list)
    for submission in results.graded:
        for result in submission.questions:
            if not result.mistake and not result.unanswered and not result.excused:
                for reason in {case.reason for case in result.cases if not case.passed}:
                    who[result.question, reason].append(submission.student)
    often = sorted(who.items(), key=lambda pair: -len(pair[1]))[:BINS]
    words = results.words
    rows = [
        _row(in_code(words(reason)), f"<code>{escape(question)}</code>", people(who), len(who), words)
        for (question, reason), who in often
    ]
    return f"<h2>{words('이름 없는 실수')}</h2><table>{''.join(rows)}</table>" if rows else ""


def _row(said: str, question: str, people: str, count: int, words: Words) -> str:
    """A table row: what was done, in which question, and by whom."""
    return (
        f"<tr><td class=wide>{said}<br>{question}"
        f"<details><summary>{words('누구인가')}</summary>{people}</details></td><td>{words(f'{count}명')}</td></tr>"
    )


def _stuck(results: Results, people) -> str:
    stuck = [s for s in results.graded if s.possible and s.earned < STUCK * s.possible]
    empty = [s.student for s in stuck if all(result.unanswered for result in s.questions)]
    some = [s.student for s in stuck if s.student not in empty]
    missing = [student for student, (_, verdict) in results.final.items() if verdict == MISSING]
    groups = [
        ("점수가 절반에 못 미칩니다", some),
        ("한 문제도 풀지 않았습니다", empty),
        ("제출하지 않았습니다", missing),
    ]
    words = results.words
    lines = [
        f"<li>{words(said)} ({words(f'{len(who)}명')}): {people(who)}</li>" for said, who in groups if who
    ]
    return f"<h2>{words('말을 걸어 볼 학생')}</h2><ul>{''.join(lines)}</ul>" if lines else ""


def _ungradable(results: Results, names: dict[str, str]) -> str:
    found = [
        submission
        for submission in results.submissions
        if submission.verdict == "ungradable" and results.final[submission.student][0] is None
    ]
    words, rows = results.words, []
    for submission in found:
        todo = ["formgrader에서 점수를 매기거나 다시 제출하게 합니다."]
        if submission.timed_out:
            todo.insert(0, "nbgrader_config.py의 wall_seconds를 늘리고 다시 채점합니다.")
        name = escape(names.get(submission.student, submission.student))
        said = " ".join([in_code(words(submission.reason)), *map(words, todo)])
        rows.append(f"<li><b>{name}</b>: {said}</li>")
    return f"<h2>{words('채점하지 못한 노트북')}</h2><ul>{''.join(rows)}</ul>" if rows else ""
