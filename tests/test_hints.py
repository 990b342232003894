"""Hints at home: what is wrong at once, how to mend it and other numbers when they are asked for, one at a time."""

import json
import re
import shutil
from html.parser import HTMLParser
from importlib.util import module_from_spec, spec_from_file_location

import pytest
import torch
from rich.console import Console
from test_cli import grader, solve  # noqa: F401

from grader.authoring import release as releasing
from grader.authoring.drills import drills
from grader.classroom.page import page
from grader.exercise import HINTS, ROOT, PublicExercise, all_exercises, find_exercise
from grader.gradebook.entries import QuestionGrade, StudentGrades
from grader.reading import DRILLS
from grader.results import STEPS, CaseResult, QuestionResult, Submission
from grader.student.check import Report, check_names, further_hints
from grader.student.selfcheck import Shown
from grader.words import IN_KOREAN

STEM, BOOK = "masking", "https://book.test"
WRONG, IDEA = "소프트맥스를 한 다음에 0으로 지웠습니다.", "소프트맥스 전에 -inf로 바꾸십시오."
DRILL = f"{BOOK}/chapters/masking.html#drill-lost"
AFTER_THE_SOFTMAX = (
    "def masked_softmax(scores, mask):\n    return torch.softmax(scores, -1).masked_fill(~mask, 0.0)"
)


@pytest.fixture(scope="module")
def named():
    """A check's result that names a mistake whose paragraph has drills."""
    names = {"torch": torch}
    exec(AFTER_THE_SOFTMAX, names)
    [result] = check_names(PublicExercise(ROOT / "exercises" / STEM), names, "masked_softmax")
    assert result.mistake
    return result


@pytest.fixture
def climbing():
    """A check's result that has passed the first step and fails above."""
    earned, reasons = (0.5, 0.0, 0.0), ("", "까닭 하나", "까닭 둘")
    cases = [
        CaseResult(name=step, question="q", possible=0.5, earned=points, step=step, reason=reason)
        for step, points, reason in zip(STEPS, earned, reasons, strict=True)
    ]
    return QuestionResult(question="q", cases=cases)


class Folds(HTMLParser):
    """What a reader sees of a page who has opened no fold, one, or two within each other."""

    def __init__(self, html):
        super().__init__()
        self._deep, self._offers, self.seen = 0, False, {}
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self._deep += tag == "details"
        self._offers |= tag == "summary"
        where = self._deep - self._offers
        self.seen[where] = self.seen.get(where, "") + " ".join(f" {value} " for _, value in attributes)

    def handle_endtag(self, tag):
        self._deep -= tag == "details"
        self._offers &= tag != "summary"

    def handle_data(self, data):
        where = self._deep - self._offers
        self.seen[where] = self.seen.get(where, "") + data


def test_a_cell_says_what_is_wrong_and_where_to_read_and_folds_the_rest_one_in_the_other(named):
    seen = Folds(Report([named], BOOK)._repr_html_()).seen
    assert WRONG in seen[0] and f"{BOOK}/chapters/masking.html#minus-infinity" in seen[0]
    assert "다음 힌트: 어떻게 고칠까요?" in seen[0] and IDEA in seen[1] and DRILL in seen[2]
    assert IDEA not in seen[0] and "drill-" not in seen[0] + seen[1] and len(seen) == HINTS


@pytest.mark.parametrize("hints", [1, 2, 3])
def test_a_class_tells_as_many_as_it_says(named, hints, tmp_path):
    exercise = PublicExercise(shutil.copytree(ROOT / "exercises" / STEM, tmp_path / STEM))
    assert exercise.hints == HINTS
    (tmp_path / STEM / "hints.txt").write_text(f"{hints}\n")
    seen = Folds(Report([named], BOOK, hints=exercise.hints)._repr_html_()).seen
    assert len(seen) == hints and WRONG in seen[0]

    def printed(asked):
        console = Console(width=1000)
        with console.capture() as captured:
            console.print(Shown(exercise, [named], [], hints=asked))
        return captured.get()

    told = [(IDEA in text, "풀어 보기" in text) for text in map(printed, (1, 2, 3))]
    assert told == [(min(hints, n) >= 2, min(hints, n) >= 3) for n in (1, 2, 3)]
    assert ["--hint" in text for text in map(printed, (1, 2, 3))] == [n < hints for n in (1, 2, 3)]


def test_a_bundle_holds_the_number_only_where_it_is_another(tmp_path, monkeypatch):
    monkeypatch.setattr(releasing, "students_package", lambda to: to / "attentively.whl")
    releasing.release([find_exercise(STEM)], tmp_path / "all")
    releasing.release([find_exercise(STEM)], tmp_path / "one", hints=1)
    assert not (tmp_path / "all" / STEM / "hints.txt").exists()
    assert PublicExercise(tmp_path / "one" / STEM).hints == 1


def test_the_terminal_tells_one_more_each_time(grader, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv("COURSE_BOOK_URL", BOOK)
    folder = shutil.copytree(ROOT / "exercises" / STEM, tmp_path / STEM)
    solve(folder, but={"masked_softmax": AFTER_THE_SOFTMAX})
    told = [grader("check", "--hint", str(n), f"{STEM}.ipynb", cwd=folder).out for n in (1, 2, 3)]
    assert all(WRONG in text for text in told)
    assert [IDEA in text for text in told] == [False, True, True]
    assert [DRILL in text for text in told] == [False, False, True]
    assert [re.findall(r"--hint (\d)", text) for text in told] == [["2"], ["3"], []]
    assert grader("check", "--hint", "4", f"{STEM}.ipynb", cwd=folder).status == 2
    everything = json.loads(grader("check", "--json", f"{STEM}.ipynb", cwd=folder).out)
    assert any(IDEA in question["reason"] for question in everything["questions"])


def test_who_has_solved_all_and_who_has_begun_nothing_is_offered_no_hint(named):
    exercise = PublicExercise(ROOT / "exercises" / STEM)
    for names in (
        find_exercise(STEM).names,
        {"masked_softmax": lambda *_: (_ for _ in ()).throw(NotImplementedError())},
    ):
        [result] = check_names(exercise, names, "masked_softmax")
        assert further_hints(result) == [] and "<details" not in Report([result], BOOK)._repr_html_()


def test_feedback_holds_all_of_them_unfolded(named):
    submission = Submission(exercise=STEM, student="kim", verdict="graded", questions=[named])
    grades = StudentGrades(questions={"masked_softmax": QuestionGrade(0.5, 3.0)})
    shown = page(submission, grades, b'{"cells": []}', "T", BOOK, IN_KOREAN)
    assert WRONG in shown and IDEA in shown and DRILL in shown and "<details" not in shown


BY_STEP, THEN = (
    "준비 0.5/0.5 · 핵심 0/0.5 · 튼튼하게 0/0.5",
    "핵심부터 고치십시오. 그러면 다음 단계를 봅니다: 튼튼하게.",
)


@pytest.mark.parametrize("show", ["cell", "text", "terminal"])
def test_a_check_explains_the_lowest_step_that_fails_and_says_what_waits(climbing, show):
    def shown(words=IN_KOREAN):
        exercise = PublicExercise(ROOT / "exercises" / STEM)
        report, terminal = Report([climbing], BOOK, words), Shown(exercise, [climbing], [], words)
        if show == "terminal":
            return "\n".join(map(str, terminal.__rich_console__(None, None)))
        return report._repr_html_() if show == "cell" else repr(report)

    assert [said in shown() for said in (BY_STEP, "까닭 하나", "까닭 둘", THEN)] == [True, True, False, True]
    english = shown(PublicExercise(ROOT / "exercises" / STEM).words("en"))
    assert "Warm-up 0.5/0.5 · Core 0/0.5 · Robust 0/0.5" in english and "next steps: Robust." in english
    climbing.mistake, climbing.mistake_reason = "known", "이것을 착각했습니다."
    named = shown()
    assert named.index("이것을 착각했습니다.") < named.index("까닭 하나") and "까닭 둘" not in named
    climbing.cases[1].earned = 0.5
    assert "까닭 둘" in shown() and "다음 단계" not in shown()


def test_a_question_of_one_step_says_nothing_of_steps(climbing):
    climbing.cases = climbing.cases[1:2]
    assert "핵심" not in repr(Report([climbing], BOOK)) + Report([climbing], BOOK)._repr_html_()


def test_a_class_tells_all_steps_and_all_reasons(climbing):
    submission = Submission(exercise=STEM, student="kim", verdict="graded", questions=[climbing])
    grades = StudentGrades(questions={"q": QuestionGrade(0.5, 1.5)})
    shown = page(submission, grades, b'{"cells": []}', "T", BOOK, IN_KOREAN)
    assert all(said in shown for said in (BY_STEP, "까닭 하나", "까닭 둘")) and THEN not in shown


def test_a_hint_in_two_is_the_same_hint_in_either_language(named):
    """Nothing is lost between the two, no `code` is cut, and both languages cut at the same place."""
    for exercise in all_exercises():
        public = PublicExercise(exercise.folder)
        for mistake in public.mistakes:
            named.mistake_reason = mistake.hint
            parts = []
            for words in (IN_KOREAN, public.words("en")):
                wrong, idea = named.in_two(words)
                assert f"{wrong} {idea}".strip() == words(mistake.hint)
                assert wrong.count("`") % 2 == 0 and not re.search(r"(e\.g|i\.e|vs)\.$", wrong), wrong
                parts.append(bool(idea))
            assert parts[0] == parts[1], mistake.hint


def test_each_drill_that_a_hint_leads_to_is_on_its_page():
    """Names and titles as the drills' own code gives them, by the engine that sets them in the pages."""
    spec = spec_from_file_location("drills_extension", ROOT / "assets" / "extensions" / "drills.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    known = json.loads(DRILLS.read_text(encoding="utf-8"))
    assert known == drills()
    reads = "(chapter) => courseDrills[chapter].map(({ name, mistakes }) => [name, Object.values(mistakes).map(({ read }) => read)])"
    for language, by_paragraph in known.items():
        listed = {(read, at, title) for read, ones in by_paragraph.items() for at, title in ones.items()}
        expected = set()
        for path in module.FOLDER.glob("*.js"):
            if path.stem in ("kit", "drills", "panel"):
                continue
            titles = {drill["name"]: drill["title"] for drill in module.examples(path.stem, language)}
            for name, paragraphs in module.run(path.stem, reads, path.stem):
                expected |= {(read, f"{path.stem}#drill-{name}", titles[name]) for read in paragraphs}
            assert f":::{{drills}} {path.stem}\n" in (ROOT / "chapters" / f"{path.stem}.md").read_text(
                "utf-8"
            )
        assert listed == expected
