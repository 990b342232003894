"""The course's answers: on nobody's page while anybody may hand in, on everybody's afterwards; at home when they are solved.

What other tools' users have met stands with the tests: answers published at the very deadline while extensions are still
being asked for (apluslms/a-plus#1126), a due date moved after the answers were read (openedx-platform#24627), an
answer read in one attempt and pasted into the next (PrairieLearn#3779), answers that stay hidden although the date has
passed (JuiceMind#550), solved problems whose solution nobody may see (PrairieLearn#3661), feedback that has the student's
code and not the instructor's (nbgrader#1355).
"""

import html
import json
import re
import shutil
from datetime import datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import jupytext
import pytest
from nbgrader.preprocessors import ClearSolutions
from one_judge import OneJudge
from test_cli import grader, solve  # noqa: F401
from test_release import secrets
from test_roster import grade

from grader.classroom.answers_due import answers_to_show, last_moment
from grader.classroom.batch import grade_class
from grader.classroom.feedback import write_feedback
from grader.classroom.folder import Classroom
from grader.classroom.sample import Sample
from grader.classroom.settings import set_late_days
from grader.errors import GraderError
from grader.exercise import ROOT, PublicExercise, all_exercises, find_exercise
from grader.gradebook import ours
from grader.gradebook.people import Person
from grader.gradebook.register import Register
from grader.gradebook.times import duration
from grader.judging.answers import answers_in
from grader.results import write_whole

STEM, QUESTIONS = "masking", 5
DUE = datetime(2027, 3, 31, 14, 59)
DAY, MOMENT = timedelta(days=1), timedelta(seconds=1)
PEOPLE = ("kim", "lee", "choi")  # choi hands in nothing


@pytest.fixture(scope="module")
def made(masking_class, tmp_path_factory):
    root = Path(shutil.copytree(masking_class, tmp_path_factory.mktemp("answers") / "봄"))
    classroom = Classroom(root)
    with Register(classroom.database) as register:
        register.enrol([Person(name) for name in PEOPLE])
    grade(classroom, "kim", 8.5, mistake="forgot_the_diagonal")
    grade(classroom, "lee", 0, verdict="ungradable")
    return root


@pytest.fixture
def classroom(made, tmp_path):
    return Classroom(Path(shutil.copytree(made, tmp_path / "봄")))


def due(classroom, when=DUE, **days):
    with Register(classroom.database) as register:
        register.set_due(STEM, when)
        for student, more in days.items():
            register.extend(STEM, student, duration(str(more)))


def shown(classroom, now, asked=None):
    return len(answers_to_show(classroom, STEM, now, asked))


def pages(classroom, now, asked=None):
    write_feedback(classroom, STEM, answers=answers_to_show(classroom, STEM, now, asked))
    return {name: classroom.feedback(STEM, name).read_text(encoding="utf-8") for name in PEOPLE[:2]}


class Folded(HTMLParser):
    """The code of a page's folded answers, as a browser's text."""

    def __init__(self, page):
        super().__init__()
        self.codes, self._within, self.open = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br", "img"):
            self._within.append(tag)
        if tag == "details":
            self.open += [name for name, _ in attributes if name == "open"]
        if tag == "pre" and "details" in self._within:
            self.codes.append("")

    def handle_endtag(self, tag):
        while self._within and self._within.pop() != tag:
            pass

    def handle_data(self, data):
        if {"details", "pre"} <= set(self._within):
            self.codes[-1] += data


def test_answers_are_what_nbgrader_takes_out_of_the_students_notebook():
    clear = ClearSolutions(code_stub={"python": "STUB"})
    for exercise in all_exercises():
        cells = [
            c
            for c in jupytext.read(exercise.source, fmt="py:percent").cells
            if "question" in c.metadata.get("tags", [])
        ]
        answers = answers_in(exercise.source.read_text(encoding="utf-8"))
        assert list(answers) == [cell.metadata.title for cell in cells]
        for cell, answer in zip(cells, answers.values(), strict=True):
            given = [line for n, line in enumerate(answer.code.splitlines(), 1) if n not in answer.lines]
            assert "SOLUTION" not in answer.code
            clear._replace_solution_region(cell, "python")
            assert given == [line for line in cell.source.splitlines() if line.strip() != "STUB"]


class TestWhen:
    def test_nobody_sees_an_answer_while_anybody_may_hand_in(self, classroom):
        due(classroom)
        assert last_moment(classroom, STEM) == DUE
        assert [shown(classroom, DUE + t) for t in (-DAY, timedelta(), MOMENT)] == [0, 0, QUESTIONS]

    def test_the_longest_extension_counts_also_of_who_has_handed_in_nothing(self, classroom):
        due(classroom, kim=1, choi=3)
        assert [shown(classroom, DUE + t) for t in (2 * DAY, 3 * DAY, 3 * DAY + MOMENT)] == [0, 0, QUESTIONS]

    def test_late_days_count_after_it(self, classroom):
        due(classroom, choi=3)
        set_late_days(classroom, 2)
        classroom = Classroom(classroom.root)
        assert [shown(classroom, DUE + t) for t in (4 * DAY, 5 * DAY, 5 * DAY + MOMENT)] == [0, 0, QUESTIONS]

    def test_a_class_without_a_date_shows_them_when_asked(self, classroom):
        assert last_moment(classroom, STEM) is None
        assert shown(classroom, DUE + 1000 * DAY) == 0 == shown(classroom, DUE, asked=False)
        assert shown(classroom, DUE, asked=True) == QUESTIONS

    def test_asking_changes_no_date(self, classroom):
        due(classroom, choi=3)
        with pytest.raises(GraderError, match="2027-04-0.*not before"):
            answers_to_show(classroom, STEM, DUE + DAY, asked=True)
        assert shown(classroom, DUE + 4 * DAY, asked=True) == QUESTIONS
        assert shown(classroom, DUE + 4 * DAY, asked=False) == 0

    def test_a_date_that_is_moved_closes_the_pages_again(self, classroom):
        due(classroom)
        assert "<details" in pages(classroom, DUE + DAY)["kim"]
        due(classroom, choi=7)
        assert "<details" not in pages(classroom, DUE + DAY)["kim"]


class TestPages:
    def test_pages_change_when_the_date_has_passed_and_only_then(self, classroom):
        due(classroom)
        before = pages(classroom, DUE - DAY)
        assert pages(classroom, DUE) == before
        for page in before.values():
            text = html.unescape(re.sub("<[^>]*>", "", page))
            assert not [line for line in secrets(find_exercise(STEM)) if line in text]
        after = pages(classroom, DUE + DAY)
        assert all(after[name] != before[name] for name in after)
        answers = answers_to_show(classroom, STEM, DUE + 2 * DAY)
        assert write_feedback(classroom, STEM, answers=answers) == (0, {})

    def test_each_question_has_ones_own_answer_what_was_wrong_and_the_courses(self, classroom):
        due(classroom)
        expected = {q: a.code for q, a in answers_in(find_exercise(STEM).source.read_text()).items()}
        for page in pages(classroom, DUE + DAY).values():
            found = Folded(page)
            assert [code.rstrip("\n") for code in found.codes] == [*expected.values()] and not found.open
            assert "https://book.test/chapters/masking.html#look-ahead" in page
            for question in expected:
                own = page.index("raise NotImplementedError()", page.index(f'id="{question}"'))
                assert own < page.index("<details", page.index(f'id="{question}"'))
        assert page.count('class="hll"') == sum(
            len(answer.lines) for answer in answers_in(find_exercise(STEM).source.read_text()).values()
        )

    def test_they_are_those_that_the_class_was_handed_out_with(self, classroom):
        pinned = classroom.root / "course" / STEM / "solution.py"
        theirs = pinned.read_text(encoding="utf-8").replace(".tril()", ".tril() & (1 < 2)  # <b>&amp;")
        pinned.write_text(theirs, encoding="utf-8")
        page = pages(classroom, DUE, asked=True)["kim"]
        assert (
            "    return torch.ones(length, length, dtype=torch.bool, device=device).tril() & (1 < 2)  # <b>&amp;"
            in (Folded(page).codes[1])
        )
        assert "<b>&amp;" not in page

    def test_an_english_page_says_all_but_the_code_in_english(self, classroom):
        for name in ("kim", "lee"):
            path = classroom.result_path(STEM, name)
            path.write_text(path.read_text(encoding="utf-8").replace('"language": "ko"', '"language": "en"'))
        page = pages(classroom, DUE, asked=True)["lee"]
        folded = "".join(re.findall("<details.*?</details>", page, re.DOTALL))
        assert folded.count("<summary>The course's answer</summary>") == QUESTIONS
        assert not re.search("[가-힣]", folded) and "/en/chapters/masking.html#combining" in folded


class TestAttacks:
    READS = """
import glob, inspect, os, sys
def grab():
    found = []
    for root in ("..", "../..", "../../..", CLASS, ROOT, "/"):
        for path in [*glob.glob(f"{root}/**/solution*.py", recursive=True), *glob.glob(f"{root}/solutions/*.py"),
                     f"{CLASS}/course/masking/solution.py", f"{ROOT}/solutions/masking.py"]:
            try: found.append(open(path).read())
            except Exception: pass
    for name in ("solutions.masking", "grader.judging.answers"):
        try: found.append(inspect.getsource(__import__(name, fromlist=["x"])))
        except Exception: pass
    return "\\n".join(found)
print(grab())
raise ValueError(grab())
"""

    def test_a_notebook_reads_no_answer_and_puts_none_on_its_page(self, classroom, monkeypatch):
        """Nor does one that writes what a page's answers look like, or nbgrader's markers, get any shown."""
        sample = Sample(classroom, find_exercise(STEM))
        code = self.READS.replace("CLASS", repr(str(classroom.root))).replace("ROOT", repr(str(ROOT)))
        fakes = (
            '### BEGIN SOLUTION\n"</pre></section><details open class=\\"answer\\"><pre>"\n### END SOLUTION\n'
        )
        notebook = sample.solved(
            **{q: fakes + code for q in answers_in(find_exercise(STEM).source.read_text())}
        )
        notebook["cells"] += [
            {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": "padding_mask", "solution": True, "due": "2000-01-01"}},
             "source": code, "outputs": [], "execution_count": None}
        ]  # fmt: skip
        notebook["metadata"]["duedate"] = "2000-01-01 00:00:00 UTC"
        path = classroom.submitted(STEM, "kim")
        write_whole(path, json.dumps(notebook).encode())
        write_whole(path.with_name("timestamp.txt"), b"2099-01-01 00:00:00 UTC")
        judge = OneJudge(classroom, STEM)
        monkeypatch.setattr("grader.classroom.batch.Judges", judge)
        grade_class(classroom, STEM, students=["kim"])
        judge.close()
        due(classroom)
        page = pages(classroom, DUE)["kim"]
        text = html.unescape(re.sub("<[^>]*>", "", page))
        told = [line for line in secrets(find_exercise(STEM)) if line in text]
        assert told == ["BEGIN SOLUTION"]  # the student's own
        assert not Folded(page).codes and "<details" not in page
        after = pages(classroom, DUE + MOMENT)["kim"]
        assert len(Folded(after).codes) == QUESTIONS and not Folded(after).open

    def test_what_is_handed_out_holds_none_whatever_the_date(self, classroom):
        due(classroom)
        pages(classroom, DUE + DAY)
        given = "".join(p.read_text("utf-8") for p in (classroom.root / "release").rglob("*") if p.is_file())
        assert not [line for line in secrets(find_exercise(STEM)) if line in given]


class TestCommands:
    def test_feedback_says_since_when_and_dates_who_may_have_read_them(self, classroom, grader, monkeypatch):  # noqa: F811
        there = ("--class", classroom.root)
        monkeypatch.setattr(ours, "now", lambda: DUE - DAY)
        done = grader("feedback", STEM, *there)
        assert done.status == 0 and "when you say --answers" in done.out
        due(classroom)
        done = grader("feedback", STEM, *there)
        assert "They show the course's answers after 2027-03-3" in done.out
        refused = grader("feedback", STEM, "--answers", *there)
        assert refused.status == 2 and "may be handed in until" in refused.err
        assert "answers" not in grader("dates", STEM, *there).err
        monkeypatch.setattr(ours, "now", lambda: DUE + DAY)
        assert "answers" not in grader("feedback", STEM, "--no-answers", *there).out
        assert "They show the course's answers." in grader("feedback", STEM, *there).out
        classroom.set_handed_in(STEM, "kim", DUE + 2 * DAY)
        monkeypatch.setattr(ours, "now", lambda: DUE + 3 * DAY)
        assert ": kim" in grader("feedback", STEM, *there).err
        assert "may have read them" in grader("dates", STEM, "--extend", "choi=9", *there).err
        told = [line for line in grader("history", *there).out.splitlines() if "course's answers" in line]
        assert len(told) == 1 and "everybody" in told[0] and "grader feedback" in told[0]

    @pytest.fixture
    def home(self, tmp_path):
        """The repository, as far as who studies alone needs it."""
        for room in ("exercises", "solutions"):
            (tmp_path / "course" / room).mkdir(parents=True)
        shutil.copytree(ROOT / "exercises" / STEM, tmp_path / "course" / "exercises" / STEM)
        shutil.copy(ROOT / "solutions" / f"{STEM}.py", tmp_path / "course" / "solutions")
        return tmp_path / "course" / "exercises" / STEM

    def test_at_home_what_is_solved_is_shown_and_the_rest_when_one_insists(self, home, grader):  # noqa: F811
        wrong = "def combine_masks(padding, look_ahead):\n    return padding[:, :, None] & look_ahead"
        solve(home, but={"combine_masks": wrong})
        done = grader("answer-key", STEM, cwd=home)
        assert done.status == 1 and done.out.count("def ") == QUESTIONS - 1
        assert "return padding[:, None, :] & look_ahead" not in done.out and "--anyway" in done.out
        assert "answer-key" not in grader("check", STEM, cwd=home).out
        done = grader("answer-key", STEM, "--question", "combine_masks", "--anyway", cwd=home)
        assert done.status == 0 and done.out.count("def ") == 1
        assert "return padding[:, None, :] & look_ahead" in done.out
        assert "점수를 다 얻기 전에 본" in done.out and "읽을 곳: 마스킹" in done.out
        assert "문제가 없습니다" in grader("answer-key", STEM, "--question", "nothing", cwd=home).err

    def test_who_has_solved_all_is_told_of_it_and_sees_all(self, home, grader):  # noqa: F811
        solve(home)
        assert f"grader answer-key {STEM}" in grader("check", STEM, cwd=home).out
        done = grader("answer-key", STEM, cwd=home)
        assert done.status == 0 and "얻기 전에" not in done.out
        for answer in answers_in((ROOT / "solutions" / f"{STEM}.py").read_text()).values():
            assert answer.code in done.out

    def test_an_english_notebook_is_answered_in_english(self, home, grader):  # noqa: F811
        done = grader("answer-key", f"{STEM}.en.ipynb", "--anyway", cwd=home)
        assert "seen before you had full points" in done.out and not re.search("[가-힣]", done.out)

    @pytest.mark.parametrize("room", ["course/handout", "downloads/exercises"])
    def test_a_bundle_has_none_and_says_so_in_a_line(self, home, grader, tmp_path, room):  # noqa: F811
        """Also one that lies in the repository, and one that is called like its folder."""
        bundle = Path(shutil.copytree(home, tmp_path / room / STEM))
        solve(bundle)
        done = grader("answer-key", "--anyway", f"{STEM}.ipynb", cwd=bundle)
        assert done.status == 2 and done.out == "" and len(done.err.strip().splitlines()) == 1
        assert "모범 답안이 없습니다" in done.err
        assert "answer-key" not in grader("check", f"{STEM}.ipynb", cwd=bundle).out
        assert PublicExercise(bundle).solution is None
