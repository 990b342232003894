"""People, dates, and what comes from and goes to a learning platform."""

import csv
import io
import json
import re
import shutil
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest

from grader.classroom.collect import collect
from grader.classroom.feedback import write_feedback
from grader.classroom.folder import Classroom
from grader.classroom.merge import fill
from grader.classroom.newclass import make_class
from grader.classroom.report import report_page
from grader.classroom.scores import export_csv
from grader.classroom.settings import set_late_days
from grader.errors import GraderError
from grader.exercise import find_exercise
from grader.gradebook.people import Person
from grader.gradebook.register import Register
from grader.gradebook.roster import read_roster
from grader.gradebook.tables import Gradebook
from grader.gradebook.times import duration, local, moment
from grader.notebook import MAX_MB, Template
from grader.results import CaseResult, QuestionResult, Submission, write, write_whole

STEM = "masking"
ROSTER = (
    "학번,이름,이메일\n657700,유채원,yu@snu.test\n657701,김 민수,kim@snu.test\n657702,John Doe,doe@snu.test\n"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("roster") / "봄"
    make_class(root, [find_exercise(STEM)], "https://book.test")
    return root


@pytest.fixture
def classroom(made, tmp_path):
    copy = Classroom(Path(shutil.copytree(made, tmp_path / "봄")))
    (tmp_path / "roster.csv").write_bytes(ROSTER.encode("cp949"))
    with Register(copy.database) as register:
        assert register.enrol(read_roster(tmp_path / "roster.csv").people) == 3
    return copy


def notebook(classroom, mark=""):
    released = json.loads((classroom.released(STEM) / f"{STEM}.ipynb").read_bytes())
    released["cells"].append({"cell_type": "code", "metadata": {}, "source": f"# {mark}", "outputs": []})
    return json.dumps(released).encode()


def grade(classroom, student, earned, when=None, mistake="", verdict="graded"):
    """Enter a made-up result, as a run would."""
    template = Template.read(classroom.released(STEM) / f"{STEM}.ipynb")
    questions = []
    for name, cell in template.checks.items():
        possible = float(cell["metadata"]["nbgrader"]["points"])
        points, earned = min(earned, possible), max(0.0, earned - possible)
        case = CaseResult(name="t", question=name[6:], possible=possible, earned=points, reason="까닭 <b>")
        questions.append(QuestionResult(question=name[6:], cases=[case]))
    if mistake:
        questions[-1].mistake, questions[-1].mistake_reason = mistake, "대각선이 `빠졌습니다`"
        questions[-1].mistake_read = "masking#diagonal"
    submission = Submission(
        exercise=STEM, student=student, verdict=verdict, questions=questions, digest="x-y"
    )
    if verdict == "ungradable":
        submission.questions = []
        submission.reason = "파일이 JSON이 아닙니다. 노트북을 저장해 다시 제출해야 합니다."
    write_whole(classroom.submitted(STEM, student), notebook(classroom))
    write_whole(classroom.marked(STEM, student), notebook(classroom))
    if when:
        classroom.timestamp(STEM, student).write_text(when)
    with Gradebook(classroom.database, STEM, classroom.config) as gradebook:
        gradebook.record([submission], {student: classroom.handed_in(STEM, student)})
    write(submission, classroom.result_path(STEM, student))


class TestPeople:
    @pytest.mark.parametrize(
        ("text", "person"),
        [
            ("학번,이름,이메일\n1,유채원,a@b\n", Person("1", "채원", "유", "a@b")),
            ("Student ID\tFirst name\tLast name\n1\tJohn\tDoe\n", Person("1", "John", "Doe")),
            (
                "Student,ID,SIS Login ID,Section\nDoe John,1,jd,A\n",
                Person("1", "Doe John", also=(("login", "jd"), ("section", "A"), ("canvas", "1"))),
            ),
            ("id\n1\n\n", Person("1")),
        ],
    )
    def test_any_csv(self, tmp_path, text, person):
        (tmp_path / "r.csv").write_text(text, encoding="utf-8-sig")
        assert read_roster(tmp_path / "r.csv").people == [person]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("이름\n유\n", "no column of ids"),
            ("id,name\n1,A\n1,B\n", "1 stands there twice, for A and for B"),
            ("", "empty"),
            ("학번,이름\n", "names nobody"),
            ("2027 봄\n학번,이름\n,\n", "names nobody"),
            ("학번,이름\n합계,0\n", "names nobody"),
        ],
    )
    def test_what_is_no_roster_is_refused(self, tmp_path, text, said):
        (tmp_path / "r.csv").write_text(text)
        with pytest.raises(GraderError, match=said):
            read_roster(tmp_path / "r.csv")

    def test_a_line_of_sums_is_nobody(self, tmp_path):
        people = "20270001,김하나,3\n20270002,이평균,4\nmin,Min Ho,5\n계,계영,1\n"
        sums = "소계,,13\n,평균,3.25\n총 4명\n이하 여백\nTotal,4,13\n"
        (tmp_path / "r.csv").write_text(f"학번,이름,점수\n{people}{sums}")
        read = read_roster(tmp_path / "r.csv")
        assert [person.id for person in read.people] == [
            "20270001",
            "20270002",
            "min",
            "계",
        ] and not read.without
        assert read.said[:2] == ["line 6: sums, and nobody (소계 13); left out"] + [
            "line 7: sums, and nobody (평균 3.25); left out"
        ]
        assert len(read.said) == 5

    def test_names_go_into_the_export(self, classroom):
        assert Person("1", "채원", "유").name == "유채원" and Person("1", "John", "Doe").name == "Doe John"
        rows = list(csv.DictReader(export_csv(classroom).splitlines()))
        assert [row["name"] for row in rows] == ["유채원", "김 민수", "John Doe"]
        assert {row[f"{STEM}_verdict"] for row in rows} == {"missing"}


class TestDates:
    def test_late_days_cover_what_they_can_and_no_more(self, classroom):
        config = classroom.root / "nbgrader_config.py"
        config.write_text(config.read_text() + "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
        grade(classroom, "657700", 10, "2030-01-03 09:00:00 UTC")
        grade(classroom, "657701", 10, "2030-01-01 01:00:00 UTC")
        with Register(classroom.database) as register:
            register.set_due(STEM, moment("2030-01-01 00:00 UTC"))

        def kept():
            rows = csv.DictReader(export_csv(Classroom(classroom.root)).splitlines())
            return {row["student"]: row[STEM] for row in rows}

        assert kept() == {"657700": "0", "657701": "0", "657702": ""}
        set_late_days(classroom, 2)
        assert kept() == {"657700": "0", "657701": "10", "657702": ""}
        set_late_days(classroom, 3)
        assert kept()["657700"] == "10"
        set_late_days(classroom, 0)
        with Register(classroom.database) as register:
            register.extend(STEM, "657700", duration("2.5"))
            register.extend(STEM, "657702", duration("1"))
            assert register.extensions(STEM) == {"657700": timedelta(2.5), "657702": timedelta(1)}
        assert kept() == {"657700": "10", "657701": "0", "657702": ""}

    def test_odd_dates_and_people_are_refused(self, classroom):
        assert " 2030-01-31 23:59 " in f" {local(moment('2030-01-31'))} "
        with pytest.raises(GraderError, match="no date"):
            moment("morgen")
        with pytest.raises(GraderError, match="no number"):
            duration("two")
        with Register(classroom.database) as register, pytest.raises(GraderError, match="nobody called"):
            register.extend(STEM, "nobody", duration("1"))


def packed(path, files, zone=(2030, 1, 2, 3, 4, 6)):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            when = zone
            if isinstance(content, tuple):
                content, when = content
            info = zipfile.ZipInfo(name, when)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return path


class TestCollect:
    def test_moodle(self, classroom, tmp_path):
        first, second = notebook(classroom, "first"), notebook(classroom, "second")
        path = packed(
            tmp_path / "m.zip",
            {
                "유채원_999_assignsubmission_file/my answer.ipynb": first,
                "유채원_999_assignsubmission_file/my answer(2).ipynb": (second, (2030, 1, 3, 0, 0, 0)),
                "Nobody_111_assignsubmission_file/masking.ipynb": first,
                "John Doe_657702_assignsubmission_file/masking.ipynb": b"{",
                "John Doe_657702_assignsubmission_file/else.ipynb": b'{"nbformat": 4, "cells": []}',
                "../../../evil_657701_assignsubmission_file/masking.ipynb": first,
                "김 민수_657701_assignsubmission_file/bomb.ipynb": b"0" * ((MAX_MB << 20) + 1),
            },
        )
        outcome = collect(classroom, STEM, path, "moodle")
        assert outcome.new == ["657700", "657702"] and outcome.several == [
            "657700: 유채원_999_assignsubmission_file/my answer(2).ipynb"
        ]
        assert len(outcome.unmatched) == 1 and len(outcome.others) == 3 and outcome.missing == ["657701"]
        assert classroom.submitted(STEM, "657700").read_bytes() == second
        assert classroom.submitted(STEM, "657702").read_bytes() == b"{"
        assert classroom.handed_in(STEM, "657700") is None and outcome.untimed == ["657700", "657702"]
        assert not (tmp_path / "evil").exists() and not list(tmp_path.parent.glob("evil*"))

    def test_what_cannot_be_read_is_handed_in_under_canvas_names_too(self, classroom, tmp_path):
        files = {"johndoe_40023_9000023_masking-2.ipynb": b"{", "kim_1_2_self_masking.ipynb": b"{"}
        outcome = collect(classroom, STEM, packed(tmp_path / "c.zip", files), "canvas")
        assert outcome.new == ["657702"] and len(outcome.others) == 1
        assert classroom.submitted(STEM, "657702").read_bytes() == b"{"

    def test_an_older_attempt_replaces_nothing_and_a_newer_loses_nothing(self, classroom, tmp_path):
        contents = [notebook(classroom, str(number)) for number in range(3)]
        words = []
        for content, day in zip(contents, (5, 4, 6), strict=True):
            about = (
                f"submission_7:\n  :submitters:\n  - :sid: 657700\n  :created_at: 2030-01-0{day} 00:00:00 Z\n"
            )
            files = {"x/submission_metadata.yml": about.encode(), "x/submission_7/masking.ipynb": content}
            path = packed(tmp_path / "g.zip", files)
            outcome = collect(classroom, STEM, path, "gradescope")
            words.append([word for word in ("new", "newer", "older", "unchanged") if getattr(outcome, word)])
        assert words == [["new"], ["older"], ["newer"]]
        assert collect(classroom, STEM, path, "gradescope").unchanged == ["657700"]
        assert classroom.submitted(STEM, "657700").read_bytes() == contents[2]
        [kept] = (classroom.root / "replaced" / "657700").iterdir()
        assert kept.read_bytes() == contents[0]

    def test_canvas_github_gradescope_and_a_folder(self, classroom, tmp_path, monkeypatch):
        same = notebook(classroom)
        canvas = packed(tmp_path / "c.zip", {"johndoe_LATE_40023_9000023_masking-1.ipynb": same})
        assert collect(classroom, STEM, canvas, "canvas").new == ["657702"]
        for path in ("masking-657700/masking.ipynb", "masking-kim/sub/x.ipynb"):
            write_whole(tmp_path / "repos" / path, same)
        (tmp_path / "repos" / "masking-doe").symlink_to("/etc")
        assert collect(classroom, STEM, tmp_path / "repos", "github").new == ["657700", "657701"]
        about = "submission_7:\n  :submitters:\n  - :name: 유채원\n    :sid: '657700'\n  :created_at: 2031-01-01 00:00:00 Z\n"
        files = {
            "x/submission_metadata.yml": about.encode(),
            "x/submission_7/a.ipynb": notebook(classroom, "g"),
        }
        found = collect(classroom, STEM, packed(tmp_path / "g.zip", files), "gradescope")
        assert found.newer == ["657700"] and str(classroom.handed_in(STEM, "657700")) == "2031-01-01 00:00:00"
        with monkeypatch.context() as patch, pytest.raises(GraderError, match="than 0 MB"):
            patch.setattr("grader.classroom.archive.MAX_MB", 0)
            collect(classroom, STEM, tmp_path / "g.zip", "gradescope")
        write_whole(tmp_path / "all" / "657701" / STEM / "masking.ipynb", same)
        assert collect(classroom, STEM, tmp_path / "all", "folder").unchanged == ["657701"]

    def test_a_korean_windows_zip_and_what_is_none(self, classroom, tmp_path):
        name = "유채원_1_assignsubmission_file/마스크.ipynb"
        path = packed(tmp_path / "w.zip", {"x" * len(name.encode("cp949")): notebook(classroom)})
        raw = path.read_bytes().replace(b"x" * len(name.encode("cp949")), name.encode("cp949"))
        path.write_bytes(raw)
        assert collect(classroom, STEM, path, "moodle").new == ["657700"]
        (tmp_path / "no.zip").write_text("no")
        with pytest.raises(GraderError, match="neither a folder nor a zip"):
            collect(classroom, STEM, tmp_path / "no.zip", "moodle")


class TestInto:
    def test_canvas(self, classroom, tmp_path):
        grade(classroom, "657700", 7.5)
        grade(classroom, "657702", 10)
        text = (
            "Student,ID,SIS User ID,SIS Login ID,Section,masking (12345),Final\n"
            "    Points Possible,,,,,10,\n"
            "유채원,40001,657700,yu,A,,\n"
            '"Doe, John",40002,,doe,A,1,\n'
            "김 민수,40003,657701,kim,A,,\n"
            "Student Test,1,,x,A,,\n"
        )
        (tmp_path / "canvas.csv").write_text(text, encoding="utf-8-sig")
        filled = fill(classroom, tmp_path / "canvas.csv", [STEM])
        rows = list(csv.reader(io.StringIO(filled.content.decode("utf-8-sig"))))
        assert rows[0] == text.splitlines()[0].split(",") and rows[1][5] == "10"
        assert [row[5] for row in rows[2:]] == ["7.5", "10", "", ""]
        assert filled.rows == 2 and filled.unmatched == ["Student Test"]
        (tmp_path / "canvas.csv").write_text("Student,ID,other (1)\n")
        with pytest.raises(GraderError, match="no column for masking"):
            fill(classroom, tmp_path / "canvas.csv", [STEM])

    def test_moodle(self, classroom, tmp_path):
        grade(classroom, "657700", 7.5)
        text = "Identifier,Full name,Grade,Maximum grade\nParticipant 657700,유채원,,10\nParticipant 9,John Doe,,10\n"
        (tmp_path / "moodle.csv").write_text(text)
        filled = fill(classroom, tmp_path / "moodle.csv", [STEM])
        assert filled.content.decode().splitlines()[1] == "Participant 657700,유채원,7.5,10"
        assert filled.content.decode().splitlines()[2] == "Participant 9,John Doe,,10"
        (tmp_path / "moodle.csv").write_text("a,b\n")
        with pytest.raises(GraderError, match="neither"):
            fill(classroom, tmp_path / "moodle.csv", [STEM])


class TestPages:
    def test_feedback_is_written_once_and_says_what_counts(self, classroom):
        grade(classroom, "657700", 8.5, mistake="forgot_the_diagonal")
        grade(classroom, "657701", 0, verdict="ungradable")
        (classroom.submitted(STEM, "657700").parent / "submission_secret.txt").write_text("s")
        assert write_feedback(classroom, STEM) == (2, {})
        assert write_feedback(classroom, STEM) == (0, {})
        page = classroom.feedback(STEM, "657700").read_text(encoding="utf-8")
        assert "유채원" in page and "8.5 / 10점" in page and "<code>빠졌습니다</code>" in page
        assert (
            '<a href="https://book.test/chapters/masking.html#diagonal" target="_blank">읽을 곳: 마스킹'
            in page
        )
        assert (
            "까닭 &lt;b&gt;" in page
            and "<script" not in page
            and "http" not in page.replace("https://book.test", "")
        )
        assert {path.name for path in classroom.feedback(STEM, "657700").parent.iterdir()} == {
            "masking.html",
            "submission_secret.txt",
        }
        ungradable = classroom.feedback(STEM, "657701").read_text(encoding="utf-8")
        assert "아직 점수가 정해지지 않았습니다" in ungradable and "0점이라는 뜻이 아닙니다" in ungradable
        from nbgrader.api import Gradebook as Theirs

        with Theirs(classroom.database) as gradebook:
            for cell in gradebook.find_notebook(STEM, STEM).grade_cells:
                found = gradebook.find_grade(cell.name, STEM, STEM, "657701")
                found.manual_score, found.needs_manual_grade = cell.max_score, False
            gradebook.find_comment("padding_mask", STEM, STEM, "657701").manual_comment = "잘 <했>습니다"
            gradebook.db.commit()
        assert write_feedback(classroom, STEM) == (1, {})
        by_hand = classroom.feedback(STEM, "657701").read_text(encoding="utf-8")
        assert "10 / 10점" in by_hand and "자동으로 채점하지 못했습니다" not in by_hand
        assert "잘 &lt;했&gt;습니다" in by_hand

    def test_the_report_counts_mistakes_and_names_who_needs_somebody(self, classroom):
        grade(classroom, "657700", 8.5, mistake="forgot_the_diagonal")
        grade(classroom, "657701", 0, verdict="ungradable")
        page = report_page(classroom, [STEM])
        assert "대각선이 <code>빠졌습니다</code>" in page and "1명" in page
        assert "https://book.test/chapters/masking.html#diagonal" in page
        assert "제출하지 않았습니다 (1명): 657702 John Doe" in page
        assert "657701 김 민수" in page and "파일이 JSON이 아닙니다" in page
        assert "평균 <b>8.50</b>" in page and "<script" not in page

    def test_the_report_in_english(self, classroom):
        grade(classroom, "657700", 8.5, mistake="forgot_the_diagonal")
        grade(classroom, "657701", 0, verdict="ungradable")
        page = report_page(classroom, [STEM], "en")
        assert '<html lang="en">' in page and "Mean <b>8.50</b>" in page and "Handed in <b>2 of 3</b>" in page
        assert "Nothing handed in (1): 657702 John Doe" in page
        assert "657701 김 민수</b>: The file is not JSON." in page and "in formgrader" in page
        made_up = ("봄", "유채원", "김", "민수", "대각선이", "빠졌습니다", "까닭")
        assert not [word for word in re.findall("[가-힣]+", page) if word not in made_up]


def test_the_command_line(classroom, tmp_path, monkeypatch, capsys):
    from grader.cli import main

    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["grader", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out + printed.err

    def run(*arguments):
        return call(*arguments, "--class", classroom.root)

    monkeypatch.setenv("TZ", "Asia/Seoul")
    assert run("roster", tmp_path / "roster.csv")[0] == 0
    status, said = run("dates", STEM, "--due", "2030-01-31", "--extend", "657700=1.5", "--late-days", "3")
    assert status == 0 and "2030-01-31 23:59" in said and "1.5 more days" in said and "by 3 days" in said
    for option, what in (("--extend", "DAYS"), ("--handed-in", "WHEN")):
        status, said = run("dates", STEM, option, "657700")
        assert status == 2 and f"Whose? '657700' is not ID={what}." in said
    assert "유채원" in run("scores", STEM)[1]
    assert run("report", STEM)[0] == 0 and (classroom.root / "report.html").exists()
    assert run("report", STEM, "--language", "en")[0] == 0
    assert "Nothing handed in" in (classroom.root / "report.html").read_text(encoding="utf-8")
    source = tmp_path / "in" / "657700"
    write_whole(source / "x.ipynb", notebook(classroom))
    assert run("collect", STEM, source.parent, "--from", "folder")[0] == 0
    assert run("export", "-o", tmp_path / "scores.csv")[0] == 0
    update = ("new-class", classroom.root, "--update", "--book-url", "https://other.test/")
    status, said = call(*update)
    assert status == 2 and "links lead to https://other.test;" in said and "Add --yes" in said
    assert call(*update, "--yes")[0] == 0
    assert (classroom.released(STEM) / "book_url.txt").read_text() == "https://other.test\n"
    assert "nothing was changed" in call("new-class", classroom.root, "--update")[1]
