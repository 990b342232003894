"""Files as platforms and people really write them: nobody's work is lost or given to another, and nothing is silent."""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from closed import closed_to_us
from hypothesis import given, settings
from hypothesis import strategies as st
from test_roster import STEM, grade, made, notebook  # noqa: F401

from grader import shown
from grader.classroom.collect import collect
from grader.classroom.folder import Classroom
from grader.classroom.lateness import settle_all
from grader.classroom.merge import fill
from grader.classroom.scores import counted, export_csv
from grader.classroom.settings import set_late_days
from grader.errors import GraderError
from grader.exercise import ROOT
from grader.gradebook.csvfile import CsvFile
from grader.gradebook.people import Claim, People, Person
from grader.gradebook.register import Register
from grader.gradebook.roster import read_roster
from grader.gradebook.times import local, moment, zone_of
from grader.results import write_whole

ROSTER = (
    "학번,이름,이메일,github_username\n20270001,김민수,minsu1@u.test,minsu1\n20270002,이서연,seo@u.test,seo-yeon\n"
    "20270003,박지훈,park@u.test,park\n20270004,John Doe,doe@u.test,j-doe\n"
    "20270006,Juan Carlos García López,g@u.test,jcgl\n"
)


@pytest.fixture
def classroom(made, tmp_path):  # noqa: F811
    copy = Classroom(Path(shutil.copytree(made, tmp_path / "봄")))
    enter(copy, ROSTER)
    return copy


def enter(classroom, text):
    path = classroom.root.parent / "roster.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    read = read_roster(path)
    with Register(classroom.database) as register:
        register.enrol(read.people)
    return read


def zipped(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def inner(files):
    return zipped(io.BytesIO(), files).getvalue()


def taken(classroom, files, kind="moodle"):
    path = zipped(classroom.root.parent / "in.zip", files)
    return collect(classroom, STEM, path, kind)


def answered(classroom, mark):
    """A notebook with something in a cell of an answer."""
    cells = json.loads(notebook(classroom, mark))
    solution = next(c for c in cells["cells"] if c["metadata"].get("nbgrader", {}).get("solution"))
    solution["source"] = f"answer = {mark!r}"
    return json.dumps(cells).encode()


class TestWho:
    def test_two_of_one_name_are_both_nobodys_until_a_worksheet_says_who(self, classroom, tmp_path):
        files = {
            f"김민수_{n}_assignsubmission_file/masking.ipynb": notebook(classroom, str(n)) for n in (101, 109)
        }
        outcome = taken(classroom, files)
        assert outcome.new == [] and sorted(outcome.unmatched) == sorted(files)
        enter(classroom, "Identifier,Full name,ID number\nParticipant 101,김민수,20270001\n")
        outcome = taken(classroom, files)
        assert outcome.new == ["20270001"] and outcome.unmatched == [
            "김민수_109_assignsubmission_file/masking.ipynb"
        ]
        assert classroom.submitted(STEM, "20270001").read_bytes() == notebook(classroom, "101")

    def test_nor_does_a_later_download_give_the_strangers_work_to_her(self, classroom):
        for number in (101, 109):
            name = f"김민수_{number}_assignsubmission_file/masking.ipynb"
            outcome = taken(classroom, {name: notebook(classroom, str(number))})
        assert outcome.unmatched == [name]
        assert classroom.submitted(STEM, "20270001").read_bytes() == notebook(classroom, "101")

    def test_a_platforms_number_is_no_id(self, classroom):
        enter(classroom, "학번,이름\n101,최영\n")
        taken(classroom, {"김민수_101_assignsubmission_file/masking.ipynb": notebook(classroom)})
        assert classroom.students(STEM) == ["20270001"]

    @pytest.mark.parametrize(
        ("name", "whose"),
        [
            ("garcialopezjuancarlos_30006_90006_masking.ipynb", "20270006"),
            ("doejohn_LATE_30004_90004_masking-1.ipynb", "20270004"),
            ("서연이_30002_90002_LATE_masking.ipynb", "20270002"),
            ("masking_LATE_12345_6789_masking.ipynb", None),
        ],
    )
    def test_canvas_names(self, classroom, name, whose):
        outcome = taken(classroom, {name: notebook(classroom)}, "canvas")
        assert outcome.new == ([whose] if whose else []) and len(outcome.unmatched) == (not whose)

    @pytest.mark.parametrize(
        ("name", "whose"),
        [
            ("김민수_101_assignsubmission_file_masking.ipynb", "20270001"),
            ("3조_12_assignsubmission_file/masking.ipynb", "20270002"),
            ("3조-John Doe_12_assignsubmission_file_/masking.ipynb", "20270004"),
            ("Participant_12345_assignsubmission_file_/masking.ipynb", None),
            ("Default group_assignsubmission_file/masking.ipynb", None),
            ("all.zip/김민수_101_assignsubmission_file/이서연_102_assignsubmission_file/a.ipynb", "20270001"),
        ],
    )
    def test_moodles_shapes(self, classroom, name, whose):
        classroom.groups_path(STEM).parent.mkdir(exist_ok=True)
        classroom.groups_path(STEM).write_text('{"20270002": "3조", "20270003": "3조"}')
        outer, _, rest = name.rpartition(".zip/")
        files = {f"{outer}.zip": inner({rest: notebook(classroom)})} if outer else {name: notebook(classroom)}
        outcome = taken(classroom, files)
        assert outcome.new == ([whose] if whose else []) and len(outcome.unmatched) == (not whose)

    @pytest.mark.parametrize(
        ("paths", "whose"),
        [
            (["masking-minsu1/masking.ipynb", "masking-seo-yeon/masking.ipynb"], ["20270001", "20270002"]),
            (["week3-masking-j-doe/masking.ipynb"], ["20270004"]),
            (["masking-submissions/masking-minsu1/a.ipynb"], ["20270001"]),
            (
                ["hw3-minsu1/a.ipynb", "hw3-seo-yeon/a.ipynb", "hw3-min-park/a.ipynb"],
                ["20270001", "20270002"],
            ),
            (["masking-stranger/masking-park/a.ipynb"], []),
            (["masking-minsu1-main/a.ipynb"], ["20270001"]),
            (["masking-min-park/a.ipynb"], []),
        ],
    )
    def test_repositories(self, classroom, tmp_path, paths, whose):
        for number, path in enumerate(paths):
            (tmp_path / "r" / path).parent.mkdir(parents=True)
            (tmp_path / "r" / path).write_bytes(notebook(classroom, str(number)))
        assert collect(classroom, STEM, tmp_path / "r", "github").new == whose

    def test_both_of_a_pair(self, classroom):
        about = "submission_7:\n  :submitters:\n  - :sid: 20270001\n  - :email: SEO@u.test\n  - :sid: 007\n"
        files = {"x/submission_metadata.yml": about, "x/submission_7/masking.ipynb": notebook(classroom)}
        outcome = taken(classroom, files, "gradescope")
        assert outcome.new == ["20270001", "20270002"] and "submission_7" in outcome.unmatched[0]

    @pytest.mark.parametrize(
        ("path", "whose"),
        [
            ("A반/20270001/week 3/masking.ipynb", "20270001"),
            ("masking_20270002.ipynb", "20270002"),
            ("김민수/a/masking.ipynb", "20270001"),
            ("20269999_김민수/masking.ipynb", None),
            ("20270001_20270002/masking.ipynb", None),
        ],
    )
    def test_any_folder(self, classroom, path, whose):
        assert taken(classroom, {path: notebook(classroom)}, "folder").new == ([whose] if whose else [])

    @pytest.mark.parametrize(
        ("files", "when"),
        [
            ({"inbound/20270001+masking+2027-03-20 10:00:00.5 KST+q8/masking.ipynb": None}, 1),
            ({"20270001+ps3+2027-03-20 10:00:00 UTC/x.ipynb": None}, 10),
            ({"c/submitted/20270001/ps3/a/x.ipynb": None, "c/submitted/20270001/ps3/a/timestamp.txt": "2027-03-20 03:00:00 UTC"}, 3),
            ({"20270001/masking/masking.ipynb": None}, None),
            ({"archive/20270001/masking.ipynb": None}, None),
        ],
    )  # fmt: skip
    def test_nbgraders_folders(self, classroom, files, when):
        outcome = taken(classroom, {n: text or notebook(classroom) for n, text in files.items()}, "nbgrader")
        if "archive/20270001/masking.ipynb" in files:  # USER/ASSIGNMENT is what nbgrader writes
            assert outcome.new == [] and len(outcome.unmatched) == 1
            return
        assert outcome.new == ["20270001"] and bool(outcome.untimed) == (when is None)
        handed_in = classroom.handed_in(STEM, "20270001")
        assert (
            handed_in is None
            if when is None
            else handed_in.replace(microsecond=0) == datetime(2027, 3, 20, when)
        )

    def test_a_rosters_column_of_groups(self, classroom, tmp_path):
        from grader.classroom.groups import enter_groups

        text = "학번,이름,이메일,조\n20270001,김민수,,1조\n20270002,이서연,,1조\n20270003,박지훈,,\n"
        (tmp_path / "r.csv").write_text(text)
        assert enter_groups(classroom, STEM, tmp_path / "r.csv") == {"20270001": "1조", "20270002": "1조"}

    def test_a_report_counts_for_two_of_one_name(self, classroom):
        """Whoever has handed in no notebook is there, too: her name does not lead to the other's work."""
        files = {
            "김민수_101_assignsubmission_file/report.pdf": b"%PDF",
            "김민수_109_assignsubmission_file/masking.ipynb": notebook(classroom),
        }
        outcome = taken(classroom, files)
        assert outcome.new == [] and len(outcome.unmatched) == 1

    def test_work_that_no_roster_names_is_said(self, classroom):
        from grader.classroom.scores import outsiders

        assert outsiders(classroom, ["minsu1", "20270001"]) == ["minsu1"]

    @settings(max_examples=200, deadline=None)
    @given(st.data())
    def test_nobodys_work_goes_to_another(self, data):
        """Whatever is claimed: a person who is found has no other id, and no two claims share one by a name."""
        names = st.sampled_from(["김민수", "민수 김", "이서연", "Doe, John", "john doe", "José", ""])
        ids = st.sampled_from(["", "7", "007", "20270001", "２０２７０００１", "20269999", "101"])
        people = {
            i: Person(i, name, also=(("moodle", n),) if n else ())
            for i, name, n in data.draw(
                st.lists(st.tuples(ids.filter(str.isascii).filter(bool), names, ids), max_size=5)
            )
        }
        claims = data.draw(
            st.lists(
                st.builds(
                    lambda i, n, name, p: Claim((i,) if i else (), (("moodle", n),) if n else (), (), (name,), p),
                    ids, ids, names, st.sampled_from("ab"),
                )
            )
        )  # fmt: skip
        found = People(people).find(claims) if people else {}
        by_name = [c for c, s in found.items() if s and People(people).certain(c) is None]
        for claim, student in found.items():
            for said in claim.ids if student else ():
                assert People(people).by_id(said) in (student, None)
        assert len({found[claim] for claim in by_name}) == len(by_name)
        assert not {found[claim] for claim in by_name} & {s for c, s in found.items() if c not in by_name}


class TestWhat:
    def test_a_notebook_is_known_by_its_cells(self, classroom):
        same = notebook(classroom)
        files = {
            "김민수_101_assignsubmission_file/masking.ipynb.json": same,
            "이서연_102_assignsubmission_file/masking.ipynb.txt": b"\xef\xbb\xbf" + same,
            "박지훈_103_assignsubmission_file/masking.zip": inner(
                {"x.zip": inner({"a/Masking (1).IPYNB": same})}
            ),
            "John Doe_104_assignsubmission_file/masking.py": b"x = 1",
            "John Doe_104_assignsubmission_onlinetext_/onlinetext.html": b"<p>",
            "John Doe_104_assignsubmission_file/.ipynb_checkpoints/masking-checkpoint.ipynb": same,
        }
        outcome = taken(classroom, files)
        assert outcome.new == ["20270001", "20270002", "20270003"]
        assert sorted(outcome.others) == [name for name in sorted(files) if name.endswith((".py", ".html"))]

    def test_a_large_file_is_kept_as_it_is(self, classroom):
        cells = json.loads(notebook(classroom))
        image = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * (40 << 20)}}
        cells["cells"][-1]["outputs"] = [image]
        content = json.dumps(cells).encode()
        taken(classroom, {"김민수_1_assignsubmission_file/masking.ipynb": content})
        assert classroom.submitted(STEM, "20270001").read_bytes() == content

    def test_an_answer_beats_what_was_handed_out_and_a_copy_the_first(self, classroom):
        released = (classroom.released(STEM) / f"{STEM}.ipynb").read_bytes()
        files = {"z/masking.ipynb": released, "a/masking.ipynb": answered(classroom, "1")}
        outcome = taken(classroom, {f"김민수_1_assignsubmission_file/{n}": c for n, c in files.items()})
        assert outcome.several == ["20270001: 김민수_1_assignsubmission_file/a/masking.ipynb"]
        names = {"masking.ipynb": "1", "masking (1).ipynb": "2", "other.ipynb": "3"}
        taken(
            classroom,
            {f"이서연_2_assignsubmission_file/{n}": answered(classroom, c) for n, c in names.items()},
        )
        assert classroom.submitted(STEM, "20270002").read_bytes() == answered(classroom, "2")

    def test_what_is_replaced_is_kept_and_does_not_come_back(self, classroom):
        name = "김민수_1_assignsubmission_file/masking.ipynb"
        first, second = notebook(classroom, "1"), notebook(classroom, "2")
        assert taken(classroom, {name: first}).new and taken(classroom, {name: second}).newer
        assert taken(classroom, {name: first}).older == ["20270001"]
        assert classroom.submitted(STEM, "20270001").read_bytes() == second


class TestWhen:
    def test_a_download_says_nothing_but_late(self, classroom):
        config = classroom.root / "nbgrader_config.py"
        config.write_text(config.read_text() + "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
        with Register(classroom.database) as register:
            register.set_due(STEM, moment("2000-01-01 00:00 UTC"))
        names = ["김민수_1_2_masking.ipynb", "이서연_LATE_3_4_masking.ipynb"]
        outcome = taken(classroom, {name: notebook(classroom, name) for name in names}, "canvas")
        assert (
            outcome.untimed == ["20270001"] and outcome.late == ["20270002"] and "no times" in outcome.times
        )
        for student in ("20270001", "20270002"):
            content = classroom.submitted(STEM, student).read_bytes()
            grade(classroom, student, 10)
            classroom.submitted(STEM, student).write_bytes(content)
        now = Classroom(classroom.root)
        assert counted(now, STEM)["20270001"][0] == 10 and counted(now, STEM)["20270002"][0] == 0
        set_late_days(classroom, 1)
        assert counted(Classroom(classroom.root), STEM)["20270002"][0] == 10

    def test_a_repositorys_commit(self, classroom, tmp_path):
        clone, ran = tmp_path / "r" / "masking-minsu1", tmp_path / "ran"
        clone.mkdir(parents=True)
        (clone / "masking.ipynb").write_bytes(notebook(classroom))
        when = "2027-03-20T10:00:00+09:00"
        env = {**os.environ, "GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z"}
        who = ["-c", "user.name=x", "-c", "user.email=x@x"]
        for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "x"]):
            subprocess.run(["git", *command], cwd=clone, env=env, check=True)
        with open(clone / ".git" / "config", "a") as config:  # a student's own, which must not run
            config.write(
                f"[core]\n\tfsmonitor = touch {ran}\n\tpager = touch {ran}\n[log]\n\tshowSignature = true\n"
            )
        assert collect(classroom, STEM, tmp_path / "r", "github").new == ["20270001"]
        assert classroom.handed_in(STEM, "20270001") == datetime(2027, 3, 20, 1) and not ran.exists()

    @pytest.mark.parametrize(
        ("zone", "stored"),
        [
            ("KST", "02:59"), ("+09:00", "02:59"), ("Asia/Seoul", "02:59"), ("GMT+9", "02:59"), ("Z", "11:59"),
            ("PM", "23:59"), ("EST", "several"), ("CST", "several"), ("Asia/Nowhere", "No time zone"),
        ],
    )  # fmt: skip
    def test_a_zone_is_understood_or_refused(self, zone, stored):
        try:
            said = local(moment(f"2027-03-31 11:59 {zone}", zone_of("UTC")), zone_of("UTC"))
        except GraderError as error:
            said = str(error)
        assert stored in said

    @pytest.mark.parametrize(
        "text",
        [
            "2027-04-01 00:00", "2027-03-31 24:00", "2027-03-31 24:00 KST", "2027년 3월 31일 24시", "2027. 4. 1. 오전 0:00",
            "2027.04.01 00:00", "April 1, 2027 00:00", "31 March 2027 24:00",
        ],
    )  # fmt: skip
    def test_a_date_as_koreans_and_others_write_it(self, text):
        assert (
            local(moment(text, zone_of("Asia/Seoul")), zone_of("Asia/Seoul")) == "2027-04-01 00:00 Asia/Seoul"
        )

    def test_the_hours_of_an_afternoon(self):
        for text in (
            "2027년 3월 31일 오후 11시 59분",
            "2027. 3. 31. (수) 오후 11:59",
            "2027년 3월 31일 수요일 23:59",
            "2027-03-31",
        ):
            assert local(moment(text, zone_of("UTC")), zone_of("UTC")).startswith("2027-03-31 23:59")

    @pytest.mark.parametrize(
        "text", ["03/04/2027", "3.4.2027", "27-03-31", "4/3", "10", "23:59", "Friday", "2027-03"]
    )
    def test_a_date_that_may_be_several_is_refused(self, text):  # dateparse#28, teammates#3873
        with pytest.raises(GraderError, match="is no date, or several"):
            moment(text)

    @pytest.mark.parametrize("late_days", [0, 1])
    def test_a_day_over_a_change_of_clocks(self, classroom, late_days):
        config = classroom.root / "nbgrader_config.py"
        extra = "c.LateSubmissionPlugin.penalty_method = 'zero'\nc.Dates.timezone = 'America/New_York'"
        config.write_text(f"{config.read_text()}\n{extra}\n")
        grade(classroom, "20270001", 10, "2026-11-01 23:30:00 America/New_York")
        set_late_days(classroom, late_days)
        now = Classroom(classroom.root)
        with Register(now.database) as register:
            register.set_due(STEM, moment("2026-10-31 23:59", now.zone))
        assert counted(now, STEM)["20270001"][0] == 10 * late_days
        settle_all(now)
        assert counted(now, STEM)["20270001"][0] == 10 * late_days


class TestRosters:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("학번\nCS/2027/045\n", "/ cannot stand"),
            ("학번\n2.02701E+07\n", "Excel"),
            ("학번\n..\n", "begins with a dot"),
            ("학번\na\\b\n", "cannot stand"),
            ("학번\n-5\n", "formula"),
            ("id\nminsu+1@u.test\n", r"\+ cannot stand"),
            ("학번\nKim1\nkim1\n", "capitals alone"),
            ("학번,github_username\n1,a\n2,A\n", "same github"),
            ("학번,이름\n1,김민수\n1,이서연\n", "stands there twice"),
            ("이름\n김\n", "no column of ids"),
        ],
    )
    def test_what_would_be_lost_is_refused(self, tmp_path, text, said):
        (tmp_path / "r.csv").write_text(text)
        with pytest.raises(GraderError, match=said):
            read_roster(tmp_path / "r.csv")

    @pytest.mark.parametrize(
        "text",
        [
            "학번,이름\n20270002.0,이\n",
            "학번;이름\n ２０２７０００２\u200b;이\n",
            '학번,이름\n"20,270,002",이\n',
            "2027학년도 1학기 출석부,,\n,,\n순번,학번,성명\n1,20270002,이\n",
            "출석부(분반 1)\n학번(ID);이름\n20270002;이\n",
            '"학번\n(Student No.)"\t"이름\n(Name)"\n20270002\t이\n',
            "sep=|\n학번|이름\n20270002|이\n",
            "sep=;\nID number;First name\n20270002\xa0;이\n",
            "SID\tName\n20270002\t이\n20270002\t이\n",
            "이름,성,학번,이메일 주소\n서연,이,20270002,\n",
            "Student,ID,SIS User ID,SIS Login ID,Section\n,,,,\n  Points Possible,,,,\n이서연,9,20270002,x,A and B\n",
        ],
    )
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
    def test_what_can_be_mended_is(self, tmp_path, text, encoding):
        (tmp_path / "r.csv").write_bytes(text.encode(encoding))
        assert [person.id for person in read_roster(tmp_path / "r.csv").people] == ["20270002"]

    @pytest.mark.parametrize(
        "content", [b"PK\x03\x04\x14\0", b"\xd0\xcf\x11\xe0\xa1", b"\xef\xbb\xbf\r\n <html><table>"]
    )
    def test_a_workbook_is_told_from_a_csv(self, tmp_path, content):
        (tmp_path / "r.csv").write_bytes(content + b"\xff" * 300)
        with pytest.raises(GraderError, match="is a workbook and no CSV. Open it, and save it as CSV"):
            read_roster(tmp_path / "r.csv")

    def test_ids_unlike_the_others_are_said(self, classroom):
        """Zeros that Excel has left out (PrairieLearn#11888); a line of sums is nobody's."""
        ids = [f"00{number}" for number in range(40, 70)]
        assert enter(classroom, "학번\n" + "\n".join(ids)).said == []
        said = enter(classroom, "\n".join(["학번", *ids, "71", "합계"])).said
        assert said[0] == "line 33: sums, and nobody (합계); left out"
        assert "who have 4 digits: 71. Zeros" in said[1]
        mixed = ["a1", "b2", "20270001", "20270002", "20270003"]  # of which nobody can say which are right
        assert enter(classroom, "\n".join(["학번", *mixed])).said == []

    def test_a_second_roster_takes_nothing_away(self, classroom):
        enter(classroom, "identifier,github_username,name\n20270001,minsu-new,\n007,x,\n")
        with Register(classroom.database) as register:
            person = register.people()["20270001"]
            assert (
                person.name == "김민수"
                and person.email == "minsu1@u.test"
                and person.of("github") == {"minsu-new"}
            )
            assert "007" in register.people()

    def test_empty_fields_stay_empty_and_formulas_are_none(self, classroom):
        enter(classroom, "학번,이름\n1,=1+1\n")
        row = next(line for line in export_csv(classroom).splitlines() if line.startswith("1,"))
        assert row == "1,'=1+1,,,missing"


class TestBack:
    CANVAS = "Student;ID;SIS User ID;SIS Login ID;Section;masking (1)\r\n;;;;;Manual Posting\r\n    Points Possible;;;;;10,0\r\n"

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
    def test_a_file_comes_back_as_it_was(self, classroom, tmp_path, encoding):
        grade(classroom, "20270001", 8.5)
        grade(classroom, "20270003", 10)
        text = (
            self.CANVAS
            + '김민수;1;20270001;a;"A";\r\n김민수;2;20269999;b;B;""\r\n박지훈;3;20270003;c;C;EX\r\n'
        )
        (tmp_path / "c.csv").write_bytes(text.encode(encoding))
        filled = fill(classroom, tmp_path / "c.csv", [STEM])
        assert filled.content == text.replace('"A";\r', '"A";8,5\r').encode(encoding)
        assert filled.unmatched == ["김민수"] and filled.kept == ["20270003 EX"]

    def test_other_maxima_are_refused_or_scaled(self, classroom, tmp_path):
        grade(classroom, "20270001", 8.5)
        path = tmp_path / "w.csv"
        path.write_text(
            "Identifier,Full name,ID number,Grade,Maximum Grade\nParticipant 1,김민수,20270001,,100.00\n"
        )
        with pytest.raises(GraderError, match="10 points, and 100"):
            fill(classroom, path, [STEM])
        filled = fill(classroom, path, [STEM], scale=True)
        assert b",20270001,85,100.00" in filled.content and "10 are entered out of 100" in filled.scaled[0]

    def test_last_and_first_name(self, classroom, tmp_path):
        grade(classroom, "20270001", 10)
        (tmp_path / "c.csv").write_text(
            "LastName,FirstName,ID,SIS User ID,Section,masking (1)\n김,민수,1,,A,\n"
        )
        assert fill(classroom, tmp_path / "c.csv", [STEM]).content.endswith("김,민수,1,,A,10\n".encode())

    @settings(deadline=None)
    @given(
        st.lists(st.lists(st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=6), min_size=1), min_size=1),
        st.sampled_from(",;\t"),
        st.sampled_from(["\n", "\r\n"]),
    )  # fmt: skip
    def test_any_csv_is_given_back_to_the_byte(self, tmp_path_factory, rows, delimiter, end):
        import csv

        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator=end).writerows([["학번", "b", "c"], *rows])
        path = tmp_path_factory.mktemp("csv") / "x.csv"
        path.write_bytes(out.getvalue().encode())
        file = CsvFile(path)
        assert file.content() == path.read_bytes()
        read = csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=delimiter)
        assert file.rows == [
            row or [""] for row in read
        ]  # Python 3.11.2 does not quote a lone \r: an empty line


HOSTILE = "\x1b[2J\x1b]0;t\x07\u202ekim\u200b\x9b31m\u2066=1+1"


class TestStrangersText:
    @given(st.text(max_size=200))
    def test_nothing_shown_acts(self, text):
        for said in (shown.plain(text), shown.one_line(text), shown.escape(text), shown.cell(text)):
            assert not shown._ACTS.search(said)
        assert json.loads(shown.in_json(json.dumps(text, ensure_ascii=False))) == text

    def test_in_every_command(self, classroom, tmp_path, monkeypatch, capsys):
        from grader.cli import main

        grade(classroom, "20270001", 8.5, mistake="forgot_the_diagonal")
        path = classroom.result_path(STEM, "20270001")
        result = json.loads(path.read_bytes())
        result["notes"] = [HOSTILE]
        result["questions"][-1]["mistake_reason"] = HOSTILE
        path.write_text(json.dumps(result))
        (tmp_path / "roster.csv").write_text(
            f"학번,이름,이메일\n20270001,{HOSTILE},{HOSTILE}\n20270009,{HOSTILE},\n"
        )
        (tmp_path / "groups.csv").write_text(f"조,학번\n{HOSTILE},20270001\n")
        (tmp_path / "requests.csv").write_text(
            f"학번,question,reason\n20270001,padding_mask,{HOSTILE}\n{HOSTILE},x,y\n"
        )
        (tmp_path / "canvas.csv").write_text(
            f"Student,ID,SIS User ID,Section,masking (1)\n{HOSTILE},1,8,A,{HOSTILE}\n"
        )
        zipped(
            tmp_path / "in.zip", {f"{HOSTILE}_1_assignsubmission_file/{HOSTILE}.ipynb": notebook(classroom)}
        )
        runs = [
            "roster roster.csv", f"groups {STEM} groups.csv", f"collect {STEM} in.zip --from moodle",
            f"collect {STEM} in.zip --from folder", f"scores {STEM}", f"scores {STEM} --json", "requests requests.csv",
            f"answer 1 --say {HOSTILE}", "requests --all", "requests --all --json", "history", f"todo {STEM}",
            f"dates {STEM}", f"feedback {STEM}", "report", "export -o out.csv",
            "export --into canvas.csv -o filled.csv",
        ]  # fmt: skip
        monkeypatch.chdir(tmp_path)
        printed = ""
        for line in runs:
            monkeypatch.setattr("sys.argv", ["grader", *line.split(), "--class", str(classroom.root)])
            with pytest.raises(SystemExit):
                main()
            said = "".join(capsys.readouterr())
            assert "unexpected" not in said, line
            printed += said
        assert "\\x1b[2J" in printed and not shown._ACTS.search(printed)
        pages = [
            *classroom.root.glob("*.html"),
            *classroom.root.glob("feedback/**/*.html"),
            tmp_path / "out.csv",
        ]
        assert len(pages) >= 3
        for page in pages:
            assert not shown._ACTS.search(page.read_text(encoding="utf-8-sig")), page

    def test_in_what_students_run_and_classes_grade(self, classroom, tmp_path, monkeypatch, capsys):
        """A notebook whose cells, errors, ids and names are hostile: graded, checked at home, compared, given back."""
        from one_judge import OneJudge

        from grader.cli import main

        cells = json.loads(notebook(classroom))
        for cell in cells["cells"]:
            marked = cell["metadata"].get("nbgrader", {})
            if marked.get("solution"):
                cell["source"] = f"def {marked['grade_id']}(*_, **__):\n    raise ValueError({HOSTILE!r} * 3)"
        last = {
            "metadata": {"nbgrader": {"grade": True, "grade_id": HOSTILE}},
            "cell_type": "code",
            "outputs": [],
        }
        cells["cells"].append({**last, "source": f"print({HOSTILE!r})\nraise KeyError({HOSTILE!r} * 999)"})
        hostile = json.dumps(cells).encode()
        broken = hostile.replace(b'"nbformat": 4', f'"nbformat": {json.dumps(HOSTILE)}'.encode(), 1)
        for student, content, name in (
            ("20270001", hostile, STEM),
            ("20270002", broken, STEM),
            ("20270003", hostile, HOSTILE),
        ):
            write_whole(classroom.submitted(STEM, student).with_name(f"{name}.ipynb"), content)
        home = tmp_path / "home" / STEM
        shutil.copytree(ROOT / "exercises" / STEM, home)
        (home / f"{STEM}.ipynb").write_bytes(hostile)
        files = {f"{HOSTILE}-{n}/{HOSTILE}/{HOSTILE}.ipynb": notebook(classroom, str(n)) for n in range(2)}
        about = (
            f"{HOSTILE}-0:\n  :submitters:\n  - :sid: x\n".replace("\x1b", "")
            .replace("\x07", "")
            .replace("\x9b", "")
        )
        zipped(tmp_path / "in.zip", {**files, "submission_metadata.yml": about})
        here = f"--class {classroom.root}"
        lines = [
            f"autograde {STEM} {here}",
            f"scores {STEM} {here}",
            f"scores {STEM} --json {here}",
            f"feedback {STEM} {here}",
        ]
        lines += [
            f"similarity {STEM} {here}",
            f"report {STEM} {here}",
            f"history {here}",
            f"todo {STEM} {here}",
        ]
        lines += [
            f"collect {STEM} in.zip --from {kind} {here}"
            for kind in ("canvas", "gradescope", "github", "nbgrader", "folder")
        ]
        lines += [
            f"check {home}/{STEM}.ipynb",
            f"check {home}/{STEM}.ipynb --json",
            f"check {HOSTILE}",
            f"scores {HOSTILE} {here}",
        ]
        lines += [
            f"new-class {tmp_path}/{HOSTILE} --exercise {HOSTILE}",
            f"release {HOSTILE} -o x",
            f"dates {STEM} --due {HOSTILE} {here}",
        ]
        lines += [
            f"dates {STEM} --extend {HOSTILE}=1 {here}",
            f"roster {HOSTILE} {here}",
            f"requests {HOSTILE} {here}",
        ]
        monkeypatch.chdir(tmp_path)
        judge = OneJudge(classroom, STEM)
        monkeypatch.setattr("grader.classroom.batch.Judges", judge)
        for line in lines:
            monkeypatch.setattr("sys.argv", ["grader", *line.split(" ")])
            with pytest.raises(SystemExit):
                main()
            said = "".join(capsys.readouterr())
            assert "unexpected" not in said, line
            assert not shown._ACTS.search(said), line
            assert max(map(len, said.split("\n"))) < 3 * shown.LONGEST, line
        judge.close()
        assert (
            classroom.result(STEM, "20270001").verdict == "graded"
            and classroom.result(STEM, "20270002").reason
        )
        for page in [*classroom.root.glob("*.html"), *classroom.root.glob("feedback/**/*.html")]:
            assert not shown._ACTS.search(page.read_text(encoding="utf-8-sig")), page


class TestAClassFolder:
    def test_is_its_owners_alone(self, made):  # noqa: F811
        assert made.stat().st_mode & 0o777 == 0o700

    def test_a_secret_that_cannot_be_read_says_whose_it_is(self, classroom, monkeypatch):
        def refused(path):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr(Path, "read_bytes", refused)
        with pytest.raises(GraderError, match=r"\.secret cannot be used: it belongs to \w+, mode 0600"):
            Classroom(classroom.root).secret  # noqa: B018

    def test_the_module_is_the_command(self):
        done = subprocess.run([sys.executable, "-m", "grader", "--help"], capture_output=True, text=True)
        assert done.returncode == 0 and "collect" in done.stdout


class TestReports:
    """What users of other tools have reported, tried here."""

    def test_a_student_twice_in_a_file_of_grades(self, classroom, tmp_path):  # pawtograder#979
        grade(classroom, "20270001", 10)
        text = "Student,ID,SIS User ID,Section,masking (1)\n김민수,1,20270001,A,3\n김민수,1,20270001,B,4\n"
        (tmp_path / "c.csv").write_text(text)
        filled = fill(classroom, tmp_path / "c.csv", [STEM])
        assert filled.content.decode() == text and filled.unmatched == ["김민수", "김민수"]

    def test_a_blank_row_below_the_headings(self, classroom):  # csxl.unc.edu#624
        read = enter(
            classroom, "Student,ID,SIS User ID,Section\n,,,\n    Points Possible,,,\n최영,1,20270010,A\n"
        )
        assert [person.id for person in read.people] == ["20270010"] and not read.without

    def test_several_assignments_of_one_name(self, classroom, tmp_path):  # JoyOfCoding#389
        (tmp_path / "c.csv").write_text("Student,ID,Section,masking (1),masking (2)\n")
        with pytest.raises(
            GraderError, match=r"several columns for masking: masking \(1\) and masking \(2\)"
        ):
            fill(classroom, tmp_path / "c.csv", [STEM])

    def test_logins_that_are_others_there(self, classroom, tmp_path):  # PrairieLearn#14703
        grade(classroom, "20270002", 10)
        enter(classroom, "학번,username\n20270002,seoyeon\n")
        (tmp_path / "c.csv").write_text("Student,ID,SIS Login ID,Section,masking (1)\nLee S.,1,SeoYeon,A,\n")
        assert b"SeoYeon,A,10" in fill(classroom, tmp_path / "c.csv", [STEM]).content

    def test_a_folder_that_may_not_be_entered_is_said(self, classroom, tmp_path, monkeypatch):
        """nbgrader#728, nbgrader#775: a student's own folder in the exchange, closed to the teacher."""
        for student in ("20270001", "20270002"):
            (tmp_path / "in" / student).mkdir(parents=True)
            (tmp_path / "in" / student / "masking.ipynb").write_bytes(notebook(classroom))
        closed_to_us(monkeypatch, tmp_path / "in" / "20270002")
        outcome = collect(classroom, STEM, tmp_path / "in", "folder")
        assert outcome.new == ["20270001"]
        assert outcome.unreadable == ["20270002: cannot be read (PermissionError)"]
        closed_to_us(monkeypatch, tmp_path / "in")
        with pytest.raises(GraderError, match="in cannot be read"):
            collect(classroom, STEM, tmp_path / "in", "folder")

    def test_a_zip_that_is_called_by_an_id_and_an_archive_that_nobody_opens(self, classroom, tmp_path):
        write_whole(tmp_path / "in" / "20270001.zip", inner({"과제/masking.ipynb": notebook(classroom)}))
        for name in ("20270002.zip", "20270003.alz", "20270004.7z"):
            write_whole(tmp_path / "in" / name, b"PK\x03\x04 broken")
        outcome = collect(classroom, STEM, tmp_path / "in", "folder")
        assert outcome.new == ["20270001"] and len(outcome.unreadable) == 3 and not outcome.others
        assert "20270003.alz: an archive that is not opened here, or broken" in outcome.unreadable[1]

    def test_times_lie_beside_the_notebooks(self, classroom):  # nbgrader#526
        files = {"20270001/masking/masking.ipynb": notebook(classroom)}
        files["20270001/masking/timestamp.txt"] = "2027-03-20 10:00:00 KST"
        assert taken(classroom, files, "folder").untimed == []
        assert classroom.handed_in(STEM, "20270001") == datetime(2027, 3, 20, 1)
