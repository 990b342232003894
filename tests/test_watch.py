"""`grader watch`: each piece of work graded once, whole, soon; nothing told too early; begun again after anything."""

import errno
import json
import os
import re
import shutil
import socket
import struct
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from closed import closed_to_us
from one_judge import OneJudge

from grader.classroom import watch as watch_module
from grader.classroom.arrivals import PATIENCE, QUIET, FromFolder, Still, Submitted
from grader.classroom.batch import alone
from grader.classroom.early import Shown
from grader.classroom.folder import Classroom
from grader.classroom.judge_process import JudgeSettings
from grader.classroom.judges import WarmJudges
from grader.classroom.sample import Sample
from grader.classroom.watch import Rules, Watch
from grader.classroom.watch_page import serve
from grader.cli.instructors import watching
from grader.errors import GraderError
from grader.exercise import find_exercise
from grader.gradebook.ours import now
from grader.gradebook.people import Person
from grader.gradebook.register import Register

STEM = "masking"


@pytest.fixture
def classroom(masking_class, tmp_path):
    return Classroom(Path(shutil.copytree(masking_class, tmp_path / "봄")))


@pytest.fixture(scope="module")
def sample(masking_class):
    return Sample(Classroom(masking_class), find_exercise(STEM))


@pytest.fixture(scope="module")
def right(sample):
    return json.dumps(sample.solved()).encode()


@pytest.fixture(scope="module")
def wrong(sample):
    answer = sample.mistaken("look_ahead_mask", "forgot_the_diagonal")
    return json.dumps(sample.solved(look_ahead_mask=answer)).encode()


@pytest.fixture(scope="module")
def judge(masking_class):
    made = OneJudge(Classroom(masking_class), STEM)
    yield made
    made.close()


@pytest.fixture
def lent(judge):
    """A judge as `WarmJudges` lends them, warm from test to test; it counts what it grades."""

    class Lent:
        graded = []

        @contextmanager
        def lent(self, settings):
            with judge as one:
                yield one

        def close(self):
            pass

    before = judge.submit
    judge.submit = lambda job: (Lent.graded.append(job.student), before(job))
    yield Lent()
    judge.submit = before


@pytest.fixture
def watched(classroom, lent, tmp_path):
    """watched(**rules): everything in the folder is taken; the lines that were said. It is begun anew each time."""
    (tmp_path / "in").mkdir()

    def run(source=None, **rules):
        said = []
        source = source or FromFolder(tmp_path / "in", "folder")
        Watch(classroom.root, STEM, source, Rules(**rules), lent, said.append).run(once=True)
        return said

    run.graded = lent.graded
    return run


@pytest.fixture
def hand_in(tmp_path):
    def put(student, content, name=f"{STEM}.ipynb"):
        path = tmp_path / "in" / student / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    return put


def version(content, number):
    """Another file that says the same."""
    return content.replace(b"return ", b"return " + b" " * number)


def earned(classroom, student):
    return classroom.result(STEM, student).earned


def page(classroom, student):
    return classroom.feedback(STEM, student).read_text(encoding="utf-8")


class TestStill:
    """Files half copied: watchdog#586, watchr#35, fswatch#171; onedrive#2507, seafile-client#1259; NFS: dsc#167."""

    @pytest.fixture
    def clock(self):
        class Clock:
            now = 100.0

            def __call__(self):
                return self.now

        return Clock()

    @pytest.fixture
    def still(self, tmp_path, clock):
        return Still(tmp_path, clock)

    def after(self, still, clock, seconds):
        clock.now += seconds
        still.look()
        return {path.name for path in still.paths}

    def test_a_whole_file_counts_once_it_has_not_changed_for_a_moment(self, still, clock, tmp_path, right):
        (tmp_path / "a.ipynb").write_bytes(right)
        assert self.after(still, clock, 0) == set()
        assert self.after(still, clock, QUIET) == {"a.ipynb"}
        assert not still.look()  # nothing new

    def test_a_growing_file_waits_until_it_is_whole(self, still, clock, tmp_path, right):
        for size in (0, 10, len(right) // 2, right.rindex(b"}", 0, -1) + 1):
            (tmp_path / "a.ipynb").write_bytes(right[:size])
            for _ in range(3):
                assert self.after(still, clock, QUIET) == set()
        (tmp_path / "a.ipynb").write_bytes(right)
        assert self.after(still, clock, 0) == set()
        assert self.after(still, clock, QUIET) == {"a.ipynb"}

    def test_one_that_never_becomes_whole_counts_at_last(self, still, clock, tmp_path):
        (tmp_path / "a.ipynb").write_bytes(b'{"cells": [')
        self.after(still, clock, 0)
        assert self.after(still, clock, PATIENCE - 0.1) == set()
        assert self.after(still, clock, 0.2) == {"a.ipynb"}

    def test_a_zip_waits_for_its_end(self, still, clock, tmp_path, right):
        whole = Path(shutil.make_archive(str(tmp_path.parent / "z"), "zip", tmp_path)).read_bytes()
        (tmp_path / "a.zip").write_bytes(whole[:-30])
        self.after(still, clock, 0)
        assert self.after(still, clock, QUIET) == set()
        (tmp_path / "a.zip").write_bytes(whole)
        self.after(still, clock, 0)
        assert self.after(still, clock, QUIET) == {"a.zip"}

    def test_what_browsers_and_systems_leave_never_counts(self, still, clock, tmp_path, right):
        names = ["a.ipynb.part", "a.ipynb.crdownload", "._a.ipynb", ".DS_Store", ".a.ipynb.Xh3f", "~$a.ipynb"]
        for name in [*names, "Thumbs.db", "a.ipynb~", "a.ipynb.TMP"]:
            (tmp_path / name).write_bytes(right)
        for folder in (".ipynb_checkpoints", "__MACOSX"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "a.ipynb").write_bytes(right)
        self.after(still, clock, 0)
        assert self.after(still, clock, PATIENCE) == set()

    def test_a_date_of_another_clock_decides_nothing(self, still, clock, tmp_path, right):
        for name, when in (("old", 0), ("new", 4e9)):
            (tmp_path / f"{name}.ipynb").write_bytes(right)
            os.utime(tmp_path / f"{name}.ipynb", (when, when))
        self.after(still, clock, 0)
        assert self.after(still, clock, QUIET) == {"old.ipynb", "new.ipynb"}

    def test_another_file_of_the_same_size_and_date_is_new(self, still, clock, tmp_path, right):
        path = tmp_path / "a.ipynb"
        path.write_bytes(right)
        self.after(still, clock, 0)
        self.after(still, clock, QUIET)
        before = path.stat()
        (tmp_path / ".beside").write_bytes(right[:-2] + b"4}")
        os.utime(tmp_path / ".beside", ns=(before.st_mtime_ns, before.st_mtime_ns))
        os.replace(tmp_path / ".beside", path)
        assert self.after(still, clock, 0) == set()
        assert self.after(still, clock, QUIET) == {"a.ipynb"}

    def test_a_folder_that_may_not_be_entered_holds_nobody_up(
        self, still, clock, tmp_path, right, monkeypatch
    ):
        for name in ("closed", "open"):
            (tmp_path / name).mkdir()
            (tmp_path / name / f"{name}.ipynb").write_bytes(right)
        closed_to_us(monkeypatch, tmp_path / "closed")
        self.after(still, clock, 0)
        assert self.after(still, clock, QUIET) == {"open.ipynb"}
        assert self.after(still, clock, PATIENCE) == {"open.ipynb", "closed"}  # to be said

    def test_a_file_that_goes_away_takes_no_other_along(self, still, clock, tmp_path, right, monkeypatch):
        for name in "abc":
            (tmp_path / f"{name}.ipynb").write_bytes(right)
        list_all, gone = os.scandir, FileNotFoundError(2, "No such file or directory")

        @contextmanager
        def listed(folder):
            with list_all(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
                first = Mock(stat=Mock(side_effect=gone), is_dir=lambda **_: False)
                first.name = "0.ipynb"
                yield [first, *entries]

        monkeypatch.setattr(os, "scandir", listed)
        self.after(still, clock, 0)
        assert self.after(still, clock, QUIET) == {"a.ipynb", "b.ipynb", "c.ipynb"}

    def test_a_folder_that_is_away_for_a_while(self, tmp_path, clock, right):
        still = Still(tmp_path / "mount", clock)
        assert not still.look()
        (tmp_path / "mount").mkdir()
        (tmp_path / "mount" / "a.ipynb").write_bytes(right)
        self.after(still, clock, 0)
        assert self.after(still, clock, QUIET) == {"a.ipynb"}


class TestComesIn:
    def test_a_folder(self, watched, hand_in, classroom, right, wrong):
        hand_in("kim", right)
        hand_in("lee", wrong)
        assert watched() == ["2 graded, 2 handed in."] or "2 handed in" in str(watched())
        assert (earned(classroom, "kim"), earned(classroom, "lee")) == (10, 8.5)
        assert "대각선" in page(classroom, "lee")

    def test_nbgraders_exchange(self, watched, classroom, tmp_path, right, wrong):
        inbound = tmp_path / "exchange" / "봄" / "inbound"
        for when, content in (("2027-03-01 10:00:00.0 UTC", wrong), ("2027-03-02 10:00:00.0 UTC", right)):
            folder = inbound / f"kim+{STEM}+{when}+Xyz"
            folder.mkdir(parents=True)
            (folder / f"{STEM}.ipynb").write_bytes(content)
            (folder / "timestamp.txt").write_text(when)
            (folder / "submission_secret.txt").write_text(f"of {when[:10]}")
        config = classroom.root / "nbgrader_config.py"
        config.write_text(f"{config.read_text()}\nc.Exchange.root = {str(tmp_path / 'exchange')!r}\n")
        assert classroom.inbound == inbound
        watched(FromFolder(classroom.inbound, "nbgrader"))
        assert earned(classroom, "kim") == 10 and watched.graded == ["kim"]
        assert classroom.handed_in(STEM, "kim") == datetime(2027, 3, 2, 10)
        beside = classroom.feedback(STEM, "kim").with_name("submission_secret.txt")
        assert beside.read_text() == "of 2027-03-02"  # release_feedback names the page by it

    def test_the_exchange_is_where_nbgrader_finds_it(self, classroom, tmp_path, monkeypatch):
        """The class' own word, else the user's, else the environment's: on a hub only the last says it."""
        places = [tmp_path / name for name in ("user", "environment")]
        monkeypatch.setattr("jupyter_core.paths.jupyter_config_path", lambda: list(map(str, places)))
        usual = classroom.inbound
        for place in reversed(places):
            place.mkdir()
            config = f"c = get_config()\nc.Exchange.root = {f'/srv/{place.name}'!r}\n"
            (place / "nbgrader_config.py").write_text(config)
            assert classroom.inbound == Path("/srv", place.name, *usual.parts[-2:])
        (places[0] / "nbgrader_config.py").write_text("c = get_config()\n")  # says nothing of it
        assert classroom.inbound == Path("/srv/environment", *usual.parts[-2:])
        (places[0] / "nbgrader_config.py").write_text("c = get_config(")
        with pytest.raises(GraderError, match="user/nbgrader_config.py: SyntaxError"):
            classroom.inbound  # noqa: B018
        (places[0] / "nbgrader_config.py").write_text("c = get_config()\n")
        with pytest.raises(GraderError, match="nbgrader release_assignment masking' makes it"):
            watching._source(Classroom(classroom.root), STEM, None, watching.Origin.nbgrader)

    def test_the_class_own_folder(self, watched, classroom, right, wrong):
        path = classroom.submitted(STEM, "kim")
        path.parent.mkdir(parents=True)
        path.write_bytes(wrong)
        watched(Submitted(classroom), tries=1)
        path.write_bytes(right)  # one too many
        watched(Submitted(classroom), tries=1)
        assert earned(classroom, "kim") == 8.5 and "채점하지 않고" in page(classroom, "kim")
        watched(Submitted(classroom), tries=2)
        assert earned(classroom, "kim") == 10

    def test_without_a_roster_the_second_is_somebody_too(self, watched, hand_in, classroom, right):
        hand_in("s1", right)
        watched()
        hand_in("s2", right)
        assert not any("nobody" in line for line in watched())
        assert earned(classroom, "s2") == 10

    def test_work_of_nobody_is_said_without_a_name(self, watched, hand_in, classroom, right):
        with Register(classroom.database) as register:
            register.enrol([Person("657700")])
        hand_in("657799", right)
        said = " ".join(watched())
        assert "1 of nobody on the roster" in said and "657799" not in said

    def test_what_needs_a_look_is_said_in_one_line(self, watched, hand_in, right, wrong, monkeypatch):
        monkeypatch.setattr("grader.classroom.arrivals.PATIENCE", 0.0)
        hand_in("kim", right)
        hand_in("kim", wrong, "masking_final.ipynb")
        closed_to_us(monkeypatch, hand_in("lee", right).parent)
        [said] = [line for line in watched() if "grader collect" in line]
        assert "1 that cannot be read, 1 with several notebooks, of which one counts" in said
        assert "kim" not in said and "lee" not in said

    def test_pages_of_a_large_class_wait_for_each_other(self, classroom, lent, tmp_path, monkeypatch):
        (tmp_path / "in").mkdir()
        watch = Watch(classroom.root, STEM, FromFolder(tmp_path / "in", "folder"), Rules(), lent)
        monkeypatch.setattr(watch_module, "watch_page", lambda *_: time.sleep(0.2) or "")
        watch._publish()
        monkeypatch.setattr(watch, "_publish", Mock())
        watch._came = False
        watch._more()
        assert not watch._publish.called
        time.sleep(0.3)
        watch._more()
        assert watch._publish.called

    def test_the_same_once_more_changes_nothing(self, watched, classroom, tmp_path, right):
        """Handed in anew after the date, unchanged, it is not late: nbgrader#1171."""
        for hour in (10, 12):
            folder = tmp_path / "in" / f"kim+{STEM}+2027-03-01 {hour}:00:00.0 UTC"
            folder.mkdir()
            (folder / f"{STEM}.ipynb").write_bytes(right)
            watched(FromFolder(tmp_path / "in", "nbgrader"))
        assert classroom.handed_in(STEM, "kim") == datetime(2027, 3, 1, 10)
        assert watched.graded == ["kim"]

    def test_grading_does_not_move_the_time(self, watched, classroom, tmp_path, right):
        """Seen in a course platform, where scoring rewrote it (course-management-platform#1)."""
        folder = tmp_path / "in" / f"kim+{STEM}+2027-03-01 14:30:00.0 UTC"
        folder.mkdir()
        (folder / f"{STEM}.ipynb").write_bytes(right)
        (folder / "timestamp.txt").write_text("2027-03-01 23:30:00 Asia/Seoul")
        for _ in range(2):
            watched(FromFolder(tmp_path / "in", "nbgrader"))
        assert classroom.handed_in(STEM, "kim") == datetime(2027, 3, 1, 14, 30)

    def test_a_notebook_that_cannot_be_read_is_told_too(self, watched, hand_in, classroom, monkeypatch):
        monkeypatch.setattr("grader.classroom.arrivals.PATIENCE", 0.0)
        hand_in("kim", b'{"cells": [')
        watched()
        assert classroom.result(STEM, "kim").verdict == "ungradable"
        assert "중간에서 끊겼습니다" in page(classroom, "kim")


class TestTries:
    def test_no_more_than_so_many_are_graded_and_the_page_says_so(
        self, watched, hand_in, classroom, right, wrong
    ):
        hand_in("kim", wrong)
        watched(tries=2)
        assert "시도 1 / 2." in page(classroom, "kim") and "더 낸" not in page(classroom, "kim")
        hand_in("kim", version(wrong, 1))
        watched(tries=2)
        assert "시도 2 / 2." in page(classroom, "kim") and "더 낸 노트북은 채점하지" in page(classroom, "kim")
        path = hand_in("kim", right)
        watched(tries=2)
        assert earned(classroom, "kim") == 8.5 and watched.graded == ["kim", "kim"]
        assert "시도 2 / 2." in page(classroom, "kim") and "그 뒤에 낸" in page(classroom, "kim")
        assert path.read_bytes() == right

    def test_more_tries_take_what_waits(self, watched, hand_in, classroom, right, wrong):
        """In mc202#135 the number was raised, and nothing happened."""
        hand_in("kim", wrong)
        watched(tries=1)
        hand_in("kim", right)
        watched(tries=1)
        watched(tries=2)
        assert earned(classroom, "kim") == 10 and "시도 2 / 2." in page(classroom, "kim")

    def test_they_are_each_ones_own(self, watched, hand_in, classroom, right, wrong):
        """In Autolab#121 one student's took from all."""
        hand_in("kim", wrong)
        watched(tries=1)
        hand_in("lee", right)
        watched(tries=1)
        assert earned(classroom, "lee") == 10 and "시도 1 / 1." in page(classroom, "lee")

    def test_what_could_not_be_graded_costs_none(self, watched, hand_in, classroom, right):
        """As Gradescope counts (autograder_samples#140); a first try that goes wrong: bottlenose#110."""
        hand_in("kim", b"{}")
        watched(tries=1)
        assert classroom.result(STEM, "kim").verdict == "ungradable"
        assert "시도 0 / 1." in page(classroom, "kim") and "횟수에 넣지" in page(classroom, "kim")
        hand_in("kim", right)
        watched(tries=1)
        assert earned(classroom, "kim") == 10

    def test_an_earlier_one_again_costs_none(self, watched, classroom, tmp_path, right, wrong):
        for hour, content in enumerate((wrong, right, wrong), 10):
            folder = tmp_path / "in" / f"kim+{STEM}+2027-03-01 {hour}:00:00.0 UTC"
            folder.mkdir()
            (folder / f"{STEM}.ipynb").write_bytes(content)
            watched(FromFolder(tmp_path / "in", "nbgrader"), tries=2)
        assert earned(classroom, "kim") == 8.5 and "시도 2 / 2." in page(classroom, "kim")

    def test_grading_everything_anew_costs_none(self, watched, hand_in, classroom, right, monkeypatch):
        hand_in("kim", right)
        watched(tries=1)
        monkeypatch.setattr("grader.classroom.batch.rules_digest", lambda classroom, stem: "other rules")
        watched(tries=1)
        assert watched.graded == ["kim", "kim"] and "시도 1 / 1." in page(classroom, "kim")


class TestBeforeTheDate:
    @pytest.fixture
    def due(self, classroom):
        def set_due(days):
            with Register(classroom.database) as register:
                register.set_due(STEM, now() + timedelta(days=days))

        return set_due

    def told(self, classroom):
        text = page(classroom, "kim")
        return {"sum": "8.5 / 10점" in text, "reason": "대각선" in text, "read": "https://book.test" in text}

    def test_points_without_reasons(self, watched, hand_in, classroom, wrong, due):
        due(1)
        hand_in("kim", wrong)
        watched(shown=Shown.points)
        assert self.told(classroom) == {"sum": True, "reason": False, "read": False}
        assert "지금은 점수만" in page(classroom, "kim")
        due(-1)
        watched(shown=Shown.points)
        assert self.told(classroom) == {"sum": True, "reason": True, "read": True}
        assert "지금은" not in page(classroom, "kim")

    def test_the_visible_tests_alone(self, watched, hand_in, classroom, sample, due):
        due(1)
        found = find_exercise(STEM).suite
        only_hidden = json.dumps(
            sample.solved(padding_mask=sample.mistaken("padding_mask", "flipped_polarity"))
        )
        hand_in("kim", only_hidden.encode())
        watched(shown=Shown.public)
        result = classroom.result(STEM, "kim")
        visible = sum(case.points for case in found.cases if not case.hidden)
        text = page(classroom, "kim")
        shown = sum(c.earned for q in result.questions for c in q.cases if not c.hidden)
        assert f"{shown:g} / {visible:g}점" in text and f"/ {result.possible:g}점" not in text
        assert "제출한 뒤의 시험" not in text
        due(-1)
        watched(shown=Shown.public)
        assert "제출한 뒤의 시험" in page(classroom, "kim")

    def test_what_only_hidden_tests_have_shown_is_not_told(self):
        from grader.classroom.early import before_due
        from grader.gradebook.entries import QuestionGrade, StudentGrades
        from grader.results import CaseResult, QuestionResult, Submission

        cases = [
            CaseResult(name="a", question="q", possible=1, earned=1),
            CaseResult(
                name="b", question="q", possible=2, earned=0, hidden=True, reason="비밀", read="x", detail="y"
            ),
        ]
        result = QuestionResult(
            question="q", cases=cases, mistake="m", mistake_reason="비밀", mistake_read="x", blamed=["p"]
        )
        whole = Submission(exercise="e", student="s", verdict="graded", questions=[result])
        grades = StudentGrades(penalty=1, questions={"q": QuestionGrade(1, 3), "essay": QuestionGrade(2, 4)})
        told, marks = before_due(whole, grades, Shown.public)
        assert "비밀" not in repr(told) and told.questions[0].said(lambda text: text) == ""
        assert marks.questions["q"] == QuestionGrade(1, 1) and marks.questions["essay"] == QuestionGrade(2, 4)
        assert result.mistake == "m"  # what is kept stays as it was

    def test_the_longest_extension_counts(self, watched, hand_in, classroom, wrong, due):
        due(-1)
        with Register(classroom.database) as register:
            register.enrol([Person("kim"), Person("late")])
            register.extend(STEM, "late", timedelta(days=3))
        hand_in("kim", wrong)
        watched(shown=Shown.points)
        assert not self.told(classroom)["reason"]

    def test_the_courses_answers_are_for_the_instructor_to_show_first(
        self, watched, hand_in, classroom, wrong, due
    ):
        due(-1)
        hand_in("kim", wrong)
        watched()
        assert "<details" not in page(classroom, "kim")
        with Register(classroom.database) as register:
            register.note_answers_shown(STEM)
        watched()
        assert "<details" in page(classroom, "kim")
        due(1)
        watched()
        assert "<details" not in page(classroom, "kim")


class TestBegunAgain:
    def test_killed_before_the_page_was_written(self, watched, hand_in, classroom, right, monkeypatch):
        class Killed(BaseException):
            pass

        def killed(*args, **kwargs):
            raise Killed

        hand_in("kim", right)
        with monkeypatch.context() as patch:
            patch.setattr(watch_module, "write_feedback", killed)
            with pytest.raises(Killed):
                watched(tries=1)
        assert earned(classroom, "kim") == 10 and not classroom.feedback(STEM, "kim").exists()
        watched(tries=1)
        assert watched.graded == ["kim"] and "시도 1 / 1." in page(classroom, "kim")

    def test_a_try_is_counted_of_one_killed_before_it_could(
        self, watched, hand_in, classroom, right, wrong, monkeypatch
    ):
        hand_in("kim", wrong)
        with monkeypatch.context() as patch:
            patch.setattr("grader.classroom.tries.write_whole", lambda *args: exec("raise KeyboardInterrupt"))
            with pytest.raises(GraderError, match="Interrupted"):
                watched(tries=1)
        hand_in("kim", right)
        watched(tries=1)
        assert earned(classroom, "kim") == 8.5

    def test_what_a_killed_one_left_half_written_goes(self, watched, classroom, hand_in, right):
        hand_in("kim", right)
        watched()
        gone = 2**22 + 1  # no process has this number
        left = [
            classroom.submitted(STEM, "kim").with_name(f".{STEM}.ipynb.{gone}"),
            classroom.feedback(STEM, "kim").with_name(f".{STEM}.html.{gone}"),
            classroom.root / "tries" / f".{STEM}.json.{gone}",
            classroom.root / f".watch-{STEM}.html.{gone}",
        ]
        for path in left:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"half")
        watched()
        assert [path for path in left if path.exists()] == []

    def test_two_do_not_watch_one_exercise(self, watched, classroom):
        with alone(classroom, STEM, "watch"), pytest.raises(GraderError, match="grader watch masking"):
            watched()

    def test_who_is_refused_was_not_told_of_watching(self, classroom, capsys):
        with alone(classroom, STEM, "watch"), pytest.raises(GraderError, match="grader watch masking"):
            watching.watch(STEM, classroom.root, jobs=1, once=True)
        assert "Watching" not in capsys.readouterr().out

    def test_another_command_is_waited_for(self, classroom, lent, hand_in, tmp_path, right, monkeypatch):
        monkeypatch.setattr(watch_module, "PAUSE_SECONDS", 0.1)
        (tmp_path / "in").mkdir()
        hand_in("kim", right)
        said = []
        watching = Watch(
            classroom.root, STEM, FromFolder(tmp_path / "in", "folder"), Rules(), lent, said.append
        )
        with alone(classroom, STEM):
            for _ in range(2):
                watching._guarded(False)
        assert len(said) == 1 and "Another 'grader autograde masking'" in said[0]
        deadline = time.monotonic() + 60
        while not classroom.feedback(STEM, "kim").exists() and time.monotonic() < deadline:
            watching._guarded(False)
        assert earned(classroom, "kim") == 10

    def test_whatever_goes_wrong_the_next_round_is_tried(
        self, classroom, lent, hand_in, tmp_path, right, monkeypatch
    ):
        """As a notebook of release/ that nbgrader is just writing."""
        monkeypatch.setattr(watch_module, "PAUSE_SECONDS", 0.0)
        (tmp_path / "in").mkdir()
        said, source = [], FromFolder(tmp_path / "in", "folder")
        watch = Watch(classroom.root, STEM, source, Rules(), lent, said.append)
        monkeypatch.setattr(source, "look", Mock(side_effect=ValueError("half")))
        watch._guarded(False)
        with pytest.raises(ValueError, match="half"):
            watch._guarded(True)
        assert said == ["Unexpected ValueError: half Trying again."]

    def test_a_terminal_that_is_gone_ends_nothing(self, monkeypatch):
        """Begun in the background, and the terminal closed: tqdm#1033."""
        gone = Mock(side_effect=OSError(errno.EIO, "Input/output error"))
        monkeypatch.setattr(watching.err, "print", gone)
        watching._say("1 graded, 1 handed in.")
        assert gone.called


class TestThePage:
    @pytest.fixture
    def of_three(self, watched, hand_in, classroom, right, wrong):
        with Register(classroom.database) as register:
            register.enrol([Person(s, "", name) for s, name in (("657700", "김하나"), ("657701", "이둘"))])
            register.enrol([Person("657702", "", "박셋"), Person("657703", "", "최넷")])
        hand_in("657700", right)
        hand_in("657701", wrong)
        hand_in("657702", version(wrong, 1))

        def show(**rules):
            watched(**rules)
            return (classroom.root / f"watch-{STEM}.html").read_text(encoding="utf-8")

        return show

    def test_how_many_how_far_and_what_the_hall_is_stuck_at(self, of_three):
        text = of_three()
        assert "<b>3 / 4명</b>" in text and 'http-equiv="refresh"' in text
        assert "<h1>연습: 마스킹" in text and "채점 불가" not in text
        assert "만점 1명, 일부 0명, 0점 2명, 빈 답 0명" in text
        assert "대각선" in text and "2명" in text and "https://book.test/chapters/masking.html#" in text
        assert "http" not in text.replace("https://book.test/", "").replace("http-equiv", "")

    def test_what_could_not_be_graded_is_counted(self, of_three, hand_in, monkeypatch):
        monkeypatch.setattr("grader.classroom.arrivals.PATIENCE", 0.0)
        hand_in("657703", b'{"cells": [')
        assert "채점 <b>3명</b></span><span>채점 불가 <b>1명</b>" in of_three()

    def test_nobody_is_named_unless_asked(self, of_three):
        text = of_three()
        assert not any(word in text for word in ("6577", "하나", "이둘", "박셋"))
        text = of_three(names=True, tries=3)
        assert all(word in text for word in ("657700", "하나", "시도 1", "8.5 / 10점"))

    def test_in_english(self, of_three):
        text = of_three(language="en")
        assert '<html lang="en">' in text and "3 of 4" in text and "https://book.test/en/chapters" in text
        assert not any("가" <= letter <= "힣" for letter in text)

    def test_served_to_this_machine_alone_and_nothing_else(self, of_three, classroom):
        of_three()
        address = serve(classroom.root / f"watch-{STEM}.html", 0)
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address) as answer:
            assert "3 / 4명" in answer.read().decode()
        for path, host in (("gradebook.db", None), ("../.secret", None), ("", "evil.test")):
            asked = urllib.request.Request(address + path, headers={"Host": host} if host else {})
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(asked)
        with pytest.raises(GraderError, match="cannot be used"):
            serve(classroom.root / "x", int(address.rpartition(":")[2][:-1]))

    def test_a_browser_that_goes_away_is_nothing_to_talk_about(self, of_three, classroom, capfd):
        of_three()
        address = serve(classroom.root / f"watch-{STEM}.html", 0)
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2][:-1]))) as browser:
            browser.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )  # as if unplugged
            browser.sendall(b"GET / HT")
        urllib.request.urlopen(address).close()
        time.sleep(0.2)
        assert capfd.readouterr() == ("", "")


def test_judges_stay_until_a_run_breaks_off(classroom):
    settings = JudgeSettings(classroom.root, STEM, unconfined=False)
    with WarmJudges(1, early=True) as warm:
        with warm.lent(settings) as first:
            [begun] = first._judges
        with warm.lent(settings) as second:
            assert second is first and second._judges == [begun]
        with pytest.raises(RuntimeError), warm.lent(settings):
            raise RuntimeError  # jobs may be left with them
        with warm.lent(settings) as third:
            assert third is not first


@pytest.mark.timeout(600)
def test_a_notebook_that_never_ends_holds_nobody_up(classroom, tmp_path, sample, right):
    """As one faulty submission did in A+ (a-plus#1402). Its author's next one waits for it, and is the one that stays."""
    config = classroom.root / "nbgrader_config.py"
    config.write_text(re.sub(r"wall_seconds = .*", "wall_seconds = 8", config.read_text()))
    loop = json.dumps(sample.solved(look_ahead_mask="while True: pass")).encode()
    said, source = [], FromFolder(tmp_path / "in", "folder")

    def put(student, content):
        (tmp_path / "in" / student).mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / student / f"{STEM}.ipynb").write_bytes(content)

    look, looks = source.look, iter(range(10**6))

    def looked():
        if next(looks) == 8:  # the loop is at work
            put("kim", right)
            put("lee", right)
        return look()

    source.look = looked
    put("kim", loop)
    Watch(classroom.root, STEM, source, Rules(), WarmJudges(2), said.append).run(once=True)
    assert [earned(classroom, student) for student in ("kim", "lee")] == [10, 10]
    pages = [classroom.feedback(STEM, student).stat().st_mtime for student in ("lee", "kim")]
    assert pages[1] - pages[0] > 3  # without a second of grading: the loop alone takes longer than all else
