"""Canvas over its API, against a stand-in that answers as its documentation and source say; with what goes wrong."""

import io
import shutil
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from canvas_server import DOE, KIM, LEE, STEM, TOKEN

from grader.classroom.connection import connection_of
from grader.classroom.folder import Classroom
from grader.classroom.scores import people_of
from grader.gradebook.people import Person


def submitted(classroom, student):
    return classroom.submitted(STEM, student).read_text()


class TestConnect:
    def test_address_and_token_are_the_users_alone(self, canvas, run, classroom, tmp_path):
        said = run("connect", f"{canvas.course}/gradebook?view=1#x", told=TOKEN + "\n")
        assert "트랜스포머 2027" in said and TOKEN not in said and str(canvas.port) not in said
        [kept] = (tmp_path / "home").rglob("*.json")
        assert kept.stat().st_mode & 0o777 == 0o600 and kept.parent.stat().st_mode & 0o777 == 0o700
        assert TOKEN not in repr(connection_of(classroom))
        kept.chmod(0o640)
        assert "others may read it" in run("roster", "--from", "canvas", code=2)

    def test_a_stolen_class_folder_opens_nothing(self, connected, run, classroom, tmp_path):
        stolen = Classroom(Path(shutil.copytree(classroom.root, tmp_path / "stolen")))
        for path in stolen.root.rglob("*"):
            assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path
        with pytest.raises(Exception, match="connected to no course"):
            connection_of(stolen)

    def test_it_can_be_forgotten(self, connected, run, tmp_path):
        run("connect", "--forget")
        assert TOKEN not in "".join(p.read_text() for p in (tmp_path / "home").rglob("*.json"))
        assert "connected to no course" in run("roster", "--from", "canvas", code=2)

    @pytest.mark.parametrize(
        ("url", "token", "said"),
        [
            ("https://canvas.test/", TOKEN, "no course's address"),
            ("http://canvas.test/courses/1", TOKEN, "could read the token"),
            ("https://a@canvas.test/courses/1", TOKEN, "no course's address"),
            ("{course}", "", "no token"),
            ("{course}", "two words", "no token"),
            ("{course}", "another", "does not take the token"),
            ("{address}/courses/99", TOKEN, "no such course"),
        ],
    )
    def test_what_does_not_open_the_course_is_not_kept(self, canvas, run, tmp_path, url, token, said):
        url = url.format(course=canvas.course, address=canvas.address)
        assert said in run("connect", url, told=token + "\n", code=2)
        assert not list((tmp_path / "home").rglob("*.json"))


class TestRoster:
    def test_everybody_on_every_page_with_all_that_is_said(self, enrolled, classroom):
        people = people_of(classroom)
        assert list(people) == ["657700", "657701", "657702", "657703", "657704"]
        assert people["657701"] == Person(
            "657701", "John", "Doe", "", (("canvas", str(DOE)), ("section", "수요일"))
        )
        assert people["657700"].name == "김민" and people["657700"].of("login") == {"kim"}

    def test_who_only_watches_or_has_left_is_not_in_it(self, canvas, connected, run, classroom):
        canvas.enrol(5001, "조교", "700000", kind="TaEnrollment")
        canvas.enrol(5002, "Student, Test", None, kind="StudentViewEnrollment")
        canvas.enrol(5003, "떠남", "657709", state="inactive")
        canvas.enrol(5004, "초대", "657710", state="invited")
        run("roster", "--from", "canvas")
        assert {"657710"} == people_of(classroom).keys() - {f"65770{n}" for n in range(5)}

    def test_who_leaves_later_is_said_and_kept(self, enrolled, run, classroom):
        enrolled.enrol(LEE, "이서", "657702", state="completed")
        assert "no longer in the course, kept here (1): 657702" in run("roster", "--from", "canvas")
        assert "657702" in people_of(classroom)

    def test_those_of_a_csv_keep_their_ids(self, canvas, connected, run, classroom, tmp_path):
        (tmp_path / "a.csv").write_text("학번,이름\nS-1,김민\nS-2,John Doe\nS-3,이서\n")
        run("roster", tmp_path / "a.csv")
        for user in canvas.users.values():
            user["sis_user_id"] = None
        said = run("roster", "--from", "canvas", code=1)
        assert "3 people, 0 of them new" in said and "without an id, not entered (2)" in said
        assert people_of(classroom)["S-2"].of("canvas") == {str(DOE)}

    def test_where_the_token_sees_no_ids_canvas_numbers_are_ids(self, canvas, connected, run, classroom):
        for user in canvas.users.values():
            user["sis_user_id"] = user["login_id"] = None
        run("roster", "--from", "canvas")
        canvas.enrol(4009, "새로", None)
        assert "6 people, 1 of them new" in run("roster", "--from", "canvas")
        assert list(people_of(classroom)) == ["4001", "4002", "4003", "4004", "4005", "4009"]

    def test_names_with_commas_and_a_name_that_is_missing(self, canvas, connected, run, classroom):
        canvas.enrol(DOE, "Doe, Jr., John", "657701")
        canvas.users[LEE] |= {"sortable_name": None, "name": None}
        run("roster", "--from", "canvas")
        assert (
            people_of(classroom)["657701"].name == "Doe, Jr., John"
            and people_of(classroom)["657702"].name == ""
        )

    def test_a_page_that_is_missing_enters_nobody(self, canvas, connected, run, classroom):
        canvas.faults = [("GET", "users.*page=2", [(404, "{}")])]
        run("roster", "--from", "canvas", code=2)
        assert people_of(classroom) == {}


class TestPatience:
    LIMIT = (403, "403 Forbidden (Rate Limit Exceeded)\n")

    def test_it_waits_where_it_is_asked_to(self, canvas, connected, run, waited, classroom):
        canvas.faults = [("GET", "users", [(429, "", {"Retry-After": "7"}), self.LIMIT, (502, ""), "reset"])]
        run("roster", "--from", "canvas")
        assert waited == [7, 2, 4, 8] and len(people_of(classroom)) == 5

    @pytest.mark.parametrize(
        ("fault", "said"),
        [
            (LIMIT, "asks for a pause"),
            ((500, "<html>"), "out of order (500)"),
            ("reset", "does not answer"),
            ((401, '{"errors":[{"message":"Expired access token."}]}'), "does not take the token"),
            (
                (401, '{"status":"unauthorized","errors":[{"message":"user not authorized"}]}'),
                "takes a teacher",
            ),
            ((403, '{"status":"unauthorized"}'), "takes a teacher"),
            ((302, "", {"Location": "https://sso.test/login"}), "sends us elsewhere"),
            ((200, "<html>log in</html>"), "a page instead of data"),
            ((200, '{"errors": "a dict"}'), "no list"),
            ((418, ""), "has refused that (418)"),
        ],
    )
    def test_otherwise_it_says_why_in_one_line(self, canvas, connected, run, fault, said):
        canvas.faults = [("GET", "users", [fault] * 9)]
        line = run("roster", "--from", "canvas", code=2)
        assert said in line and line.count("\n") == 1
        assert TOKEN not in line and str(canvas.port) not in line

    def test_a_server_that_is_not_there(self, canvas, connected, run):
        canvas.close()
        assert "does not answer" in run("roster", "--from", "canvas", code=2)


class TestCollect:
    def test_the_newest_attempt_of_each_with_its_time(self, enrolled, run, classroom, notebook):
        enrolled.hand_in(71, KIM, notebook("old"), when="2027-03-29T00:00:00Z")
        number = enrolled.hand_in(71, KIM, notebook("new"), when="2027-03-31T15:30:00Z", late=True)
        enrolled.hand_in(71, DOE, notebook("doe"), name="제 답 (1).ipynb")
        enrolled.hand_in(71, LEE, b"%PDF-1.7", name="answer.pdf")
        said = run("collect", STEM, "--from", "canvas")
        assert "2 new" in said and "이서/answer.pdf" in said and "<new>" in submitted(classroom, "657700")
        assert classroom.handed_in(STEM, "657700") == datetime(2027, 3, 31, 15, 30)
        assert classroom.origins(STEM)["657700"].attempt == number and "nobody says when" not in said
        assert "0 new, 0 newer than before, 2 unchanged" in run("collect", STEM, "--from", "canvas")
        enrolled.hand_in(71, KIM, notebook("newest"), when="2027-04-01T00:00:00Z")
        assert "1 newer" in run("collect", STEM, "--from", "canvas")
        assert len(list(classroom.root.glob("replaced/657700/*.ipynb"))) == 1

    def test_the_zip_and_the_api_agree_on_what_is_older(self, enrolled, run, classroom, tmp_path, notebook):
        """As Canvas names the files of its zip: with the numbers of user and upload."""
        number = enrolled.hand_in(71, DOE, notebook("new"))

        def packed(upload, mark):
            with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
                archive.writestr(f"doejohn_{DOE}_{upload}_masking.ipynb", notebook(mark))
            return tmp_path / "a.zip"

        run("collect", STEM, packed(number - 1, "old"), "--from", "canvas")
        assert "1 newer" in run("collect", STEM, "--from", "canvas")
        older = run("collect", STEM, packed(number - 2, "older"), "--from", "canvas")
        assert "older than what is there, left out (1): 657701" in older
        assert "<new>" in submitted(classroom, "657701")
        assert "1 newer" in run("collect", STEM, packed(number + 1, "newest"), "--from", "canvas")

    def test_the_token_goes_to_no_other_host(self, enrolled, run, classroom, notebook):
        enrolled.hand_in(71, KIM, notebook())
        run("collect", STEM, "--from", "canvas")
        told = {token for _, path, token in enrolled.asked if path.startswith("/files/")}
        assert told == {""} and all(t for _, path, t in enrolled.asked if path.startswith("/api/"))

    def test_a_download_that_breaks_off_is_taken_up_again(self, enrolled, run, classroom, notebook):
        enrolled.hand_in(71, KIM, notebook("whole"))
        enrolled.faults = [("GET", "^/files/", ["reset", "short"])]
        run("collect", STEM, "--from", "canvas")
        assert classroom.submitted(STEM, "657700").read_bytes() == notebook("whole")

    def test_one_that_always_breaks_off_changes_nothing(self, enrolled, run, classroom, notebook):
        enrolled.hand_in(71, KIM, notebook())
        number = enrolled.hand_in(71, DOE, notebook())
        enrolled.faults = [("GET", f"^/files/{number}", ["reset"] * 9)]
        assert "does not answer" in run("collect", STEM, "--from", "canvas", code=2)
        assert not list(classroom.root.glob("submitted/*/*/*.ipynb"))

    def test_a_file_that_is_gone_is_listed_alone(self, enrolled, run, classroom, notebook):
        enrolled.hand_in(71, KIM, notebook())
        number = enrolled.hand_in(71, DOE, notebook())
        enrolled.faults = [("GET", f"^/files/{number}", [(404, "")])]
        said = run("collect", STEM, "--from", "canvas")
        assert "1 new" in said and "Doe, John/masking.ipynb: cannot be read" in said

    def test_a_zip_with_a_notebook_a_text_and_nulls(self, enrolled, run, classroom, notebook):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("bundle/masking.ipynb", notebook("zipped"))
        enrolled.hand_in(71, KIM, packed.getvalue(), name="answer.zip")
        enrolled.hand_in(71, DOE, b"", attachments=None, submission_type="online_text_entry", body="<p>x")
        enrolled.hand_in(71, LEE, notebook("bare"), group=None, late=None, submission_type=None)
        for file in enrolled.submissions[71][LEE]["attachments"]:
            file |= {"size": None, "display_name": None}
        said = run("collect", STEM, "--from", "canvas")
        assert "2 new" in said and "Doe, John/online_text_entry" in said
        assert "<zipped>" in submitted(classroom, "657700") and "<bare>" in submitted(classroom, "657702")

    def test_each_of_a_group_has_its_work(self, enrolled, run, classroom, tmp_path, notebook):
        (tmp_path / "g.csv").write_text("조,학번\n1조,657700\n1조,657701\n")
        run("groups", STEM, tmp_path / "g.csv")
        for user in (KIM, DOE):
            enrolled.hand_in(71, user, notebook("ours"), group={"id": 3, "name": "1조"})
        run("collect", STEM, "--from", "canvas")
        assert list(classroom.works(STEM).values()) == [["657700", "657701"]]

    def test_anonymous_grading_gives_nobody_anothers_work(self, enrolled, run, classroom, notebook):
        enrolled.hand_in(71, KIM, notebook(), user_id=None)
        enrolled.submissions[71][KIM]["user"] = None
        assert "anonymous grading" in run("collect", STEM, "--from", "canvas", code=2)
        assert not list(classroom.root.glob("submitted/*/*/*.ipynb"))

    def test_work_of_nobody_on_the_roster_is_listed(self, enrolled, run, classroom, notebook):
        enrolled.enrol(4010, "김민", "657710")  # of the same name
        enrolled.hand_in(71, 4010, notebook())
        assert "of nobody on the roster (1): 김민/masking.ipynb" in run(
            "collect", STEM, "--from", "canvas", code=1
        )

    def test_the_assignment_is_the_one_of_that_name(self, enrolled, run):
        enrolled.assignments[71]["name"] = "Masking"
        assert "0 new" in run("collect", STEM, "--from", "canvas")
        enrolled.assign(73, "MASKING")
        assert "several assignments called masking" in run("collect", STEM, "--from", "canvas", code=2)
        del enrolled.assignments[73], enrolled.assignments[71]
        assert "no assignment called masking" in run("collect", STEM, "--from", "canvas", code=2)
