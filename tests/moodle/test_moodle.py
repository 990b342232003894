"""Moodle over its web services, against a stand-in that answers as its source says; with what goes wrong.

What others have met with other tools (named beside the tests) is tried on ours.
"""

import io
import shutil
import zipfile
from datetime import datetime, timezone
from pathlib import Path

import pytest
from moodle_server import DOE, KIM, LEE, MOON, PARK, STEM, TOKEN, Refusal

from grader.classroom.connection import connection_of, connection_to
from grader.classroom.folder import Classroom
from grader.classroom.platforms import moodle_reading
from grader.classroom.scores import people_of
from grader.gradebook.people import Person

COLLECT = ("collect", STEM, "--from", "moodle")


def submitted(classroom, student):
    return classroom.submitted(STEM, student).read_text()


def utc(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).replace(tzinfo=None)


class TestConnect:
    def test_address_and_token_are_the_users_alone(self, moodle, run, classroom, tmp_path):
        said = run("connect", f"{moodle.course}&section=2#x", told=TOKEN + "\n")
        assert "트랜스포머 2027" in said and "--from moodle" in said
        assert TOKEN not in said and str(moodle.port) not in said
        [kept] = (tmp_path / "home").rglob("*.json")
        assert kept.stat().st_mode & 0o777 == 0o600 and kept.parent.stat().st_mode & 0o777 == 0o700
        assert TOKEN not in repr(connection_of(classroom))

    def test_a_stolen_class_folder_opens_nothing(self, connected, classroom, tmp_path):
        stolen = Classroom(Path(shutil.copytree(classroom.root, tmp_path / "stolen")))
        with pytest.raises(Exception, match="connected to no course"):
            connection_of(stolen)

    @pytest.mark.parametrize(
        ("url", "address", "course"),
        [
            ("https://moodle.test/course/view.php?id=7", "https://moodle.test", "7"),
            ("https://u.test/a/moodle/course/view.php?name=x&id=7&section=1", "https://u.test/a/moodle", "7"),
            ("https://canvas.test/courses/7/gradebook", "https://canvas.test", "7"),
        ],
    )
    def test_the_address_says_which_platform_it_is(self, url, address, course):
        found = connection_to(url, TOKEN)
        assert (found.address, found.course) == (address, course)
        assert found.platform == ("canvas" if "canvas" in url else "moodle")

    def test_a_class_elsewhere_is_not_taken_for_one_here(self, connected, run):
        assert "on moodle, not on canvas" in run("roster", "--from", "canvas", code=2)

    @pytest.mark.parametrize(
        ("url", "token", "said"),
        [
            ("https://moodle.test/my/", TOKEN, "no course's address"),
            ("https://moodle.test/course/view.php?name=spring", TOKEN, "no course's address"),
            ("http://moodle.test/course/view.php?id=1", TOKEN, "could read the token"),
            ("https://a@moodle.test/course/view.php?id=1", TOKEN, "no course's address"),
            ("{course}", "two words", "Security keys"),
            ("{course}", "another", "does not take the token"),
            ("{course}3", TOKEN, "no such course"),
        ],
    )
    def test_what_does_not_open_the_course_is_not_kept(self, moodle, run, tmp_path, url, token, said):
        assert said in run("connect", url.format(course=moodle.course), told=token + "\n", code=2)
        assert not list((tmp_path / "home").rglob("*.json"))

    def test_what_the_service_lacks_is_said_at_once(self, moodle, run):
        """C0D3D3V/Moodle-DL#124: a token that opens something is not one that opens this."""
        moodle.service -= {"mod_assign_save_grade", "mod_assign_get_participant"}
        moodle.site["downloadfiles"] = 0
        said = run("connect", moodle.course, told=TOKEN)
        assert "mod_assign_get_participant, mod_assign_save_grade, files may be downloaded" in said


class TestRoster:
    def test_everybody_on_every_page_with_all_that_is_said(self, connected, run, classroom, monkeypatch):
        monkeypatch.setattr(moodle_reading, "AT_ONCE", 2)
        run("roster", "--from", "moodle")
        people = people_of(classroom)
        assert list(people) == ["657700", "657701", "657702", "657703", "657704"]
        also = (("moodle user", str(DOE)), ("section", "수요일"))
        assert people["657701"] == Person("657701", "John", "Doe", f"u{DOE}@moodle.test", also)
        assert people["657700"].name == "김민"

    def test_a_page_whose_people_may_not_be_seen_is_not_the_last(
        self, connected, run, classroom, monkeypatch
    ):
        monkeypatch.setattr(moodle_reading, "AT_ONCE", 2)
        connected.users[LEE]["unseen"] = True
        run("roster", "--from", "moodle")
        assert list(people_of(classroom)) == ["657700", "657701", "657703", "657704"]

    def test_who_teaches_or_is_suspended_is_not_in_it(self, connected, run, classroom):
        """moodle-block_people#8: suspended enrolments were shown; turnitin#277: students' role is not always number 5."""
        connected.enrol(91, "조", "교", "700000", role="teacher")
        connected.enrol(92, "떠", "남", "657709", active=False)
        connected.enrol(93, "청", "강", "657710", role="auditor")
        connected.enrol(94, "무", "명", "657711", role=None)
        run("roster", "--from", "moodle")
        assert people_of(classroom).keys() - {f"65770{n}" for n in range(5)} == {"657710"}

    def test_who_leaves_later_is_said_and_kept(self, enrolled, run, classroom):
        enrolled.users[LEE]["active"] = False
        assert "no longer in the course, kept here (1): 657702" in run("roster", "--from", "moodle")
        assert "657702" in people_of(classroom)

    def test_those_of_a_csv_keep_their_ids(self, connected, run, classroom, tmp_path):
        (tmp_path / "a.csv").write_text("학번,이름\nS-1,김민\nS-2,John Doe\nS-3,이서\n")
        run("roster", tmp_path / "a.csv")
        for user in connected.users.values():
            user["idnumber"] = ""
        said = run("roster", "--from", "moodle", code=1)
        assert "3 people, 0 of them new" in said and "without an id, not entered (2)" in said
        assert people_of(classroom)["S-2"].of("moodle user") == {str(DOE)}

    def test_where_nobody_has_an_id_moodles_numbers_are_ids(self, connected, run, classroom):
        for user in connected.users.values():
            user |= {"idnumber": None, "firstname": None, "lastname": None, "email": None}
        run("roster", "--from", "moodle")
        connected.enrol(49, "새", "로", None)
        assert "6 people, 1 of them new" in run("roster", "--from", "moodle")
        assert list(people_of(classroom)) == ["41", "42", "43", "44", "45", "49"]


class TestPatience:
    def test_it_tries_again_where_that_may_help(self, connected, run, waited, classroom):
        connected.faults = [("enrolled", [(429, "", {"Retry-After": "7"}), (503, "<html>"), "reset"])]
        run("roster", "--from", "moodle")
        assert waited == [7, 2, 4] and len(people_of(classroom)) == 5

    @pytest.mark.parametrize(
        ("fault", "said"),
        [
            (Refusal("invalidtoken"), "Connect with a new one"),  # C0D3D3V/Moodle-DL#64
            (Refusal("accessexception"), "does not let this token use core_enrol_get_enrolled_users"),
            (Refusal("requireloginerror"), "into the course. It takes a teacher"),
            (Refusal("nopermissions"), "It takes a teacher"),
            (Refusal("invalidrecord"), "no such course"),
            (Refusal("sitemaintenance"), "Run the same command again later"),
            (Refusal("dmlreadexception"), "has refused core_enrol_get_enrolled_users (dmlreadexception)"),
            ((500, "<html>"), "out of order (500)"),
            ("reset", "does not answer"),
            ((303, "", {"Location": "https://sso.test/login"}), "a page instead of data"),
            # catalyst/moodle-webservice_restful#11: the site's front page in place of data.
            ((200, "<!DOCTYPE html>"), "a page instead of data"),
        ],
    )
    def test_otherwise_it_says_why_in_one_line(self, connected, run, fault, said):
        connected.faults = [("enrolled", [fault] * 9)]
        line = run("roster", "--from", "moodle", code=2)
        assert said in line and line.count("\n") == 1
        assert TOKEN not in line and str(connected.port) not in line and "김민" not in line

    def test_a_server_that_is_not_there(self, connected, run):
        connected.close()
        assert "does not answer" in run("roster", "--from", "moodle", code=2)


class TestCollect:
    def test_what_was_handed_in_last_with_its_time(self, enrolled, run, classroom, notebook):
        enrolled.hand_in(71, KIM, notebook("old"))
        last = enrolled.hand_in(71, KIM, notebook("new"))["timemodified"]
        enrolled.hand_in(71, DOE, notebook("doe"), name="제 답 (1).ipynb")
        enrolled.hand_in(71, LEE, b"%PDF-1.7", name="answer.pdf")
        said = run(*COLLECT)
        assert "2 new" in said and "이, 서/answer.pdf" in said and "<new>" in submitted(classroom, "657700")
        assert classroom.handed_in(STEM, "657700") == utc(last) and "nobody says when" not in said
        assert "0 new, 0 newer than before, 2 unchanged" in run(*COLLECT)
        enrolled.hand_in(71, KIM, notebook("newest"))
        assert "1 newer" in run(*COLLECT)
        assert len(list(classroom.root.glob("replaced/657700/*.ipynb"))) == 1

    def test_the_token_is_in_no_address_and_goes_to_no_other_host(self, enrolled, run, notebook, monkeypatch):
        enrolled.hand_in(71, KIM, notebook())
        asked = []
        monkeypatch.setattr("requests.Session.request", _noting(asked))
        run(*COLLECT)
        assert len(asked) > 3 and all(url.startswith(enrolled.address) for url in asked)
        assert not any(TOKEN in url for url in asked)
        assert {form.get("token", form.get("wstoken")) for _, _, form in enrolled.asked} == {TOKEN}

    def test_a_store_of_files_elsewhere_gets_no_token(self, enrolled, run, classroom, notebook):
        enrolled.hand_in(71, KIM, notebook("far"))
        [path] = enrolled.files
        there = f"http://localhost:{enrolled.port}{enrolled.path}/elsewhere{path}"
        enrolled.faults = [("^/webservice/pluginfile", [(302, "", {"Location": there})])]
        run(*COLLECT)
        assert "<far>" in submitted(classroom, "657700")
        [form] = [form for path, _, form in enrolled.asked if "elsewhere" in path]
        assert TOKEN not in str(form)

    @pytest.mark.parametrize("fault", ["reset", "short", (200, "<html>404</html>"), (200, '{"cut": ')])
    def test_a_download_that_breaks_off_is_taken_up_again(self, enrolled, run, classroom, notebook, fault):
        """C0D3D3V/Moodle-DL#115: half a file was kept; Romern/syncMyMoodle#74: a page that said why was."""
        enrolled.hand_in(71, KIM, notebook("whole"))
        enrolled.faults = [("pluginfile", [fault])]
        run(*COLLECT)
        assert classroom.submitted(STEM, "657700").read_bytes() == notebook("whole")

    def test_a_token_that_ends_in_between_changes_nothing(self, enrolled, run, classroom, notebook):
        enrolled.hand_in(71, KIM, notebook())
        enrolled.faults = [("pluginfile", [(200, {"error": "x", "errorcode": "invalidtoken"})])]
        assert "does not take the token" in run(*COLLECT, code=2)
        assert not list(classroom.root.glob("submitted/*/*/*.ipynb"))

    def test_a_file_that_is_gone_is_listed_alone(self, enrolled, run, notebook):
        enrolled.hand_in(71, KIM, notebook())
        enrolled.hand_in(71, DOE, notebook())
        del enrolled.files[next(path for path in enrolled.files if path.endswith("/masking.ipynb"))]
        said = run(*COLLECT)
        assert "1 new" in said and "김, 민/masking.ipynb: cannot be read" in said

    def test_drafts_texts_and_zips(self, enrolled, run, classroom, notebook):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("bundle/masking.ipynb", notebook("zipped"))
        enrolled.hand_in(71, KIM, packed.getvalue(), name="answer.zip")
        enrolled.hand_in(71, DOE, notebook(), status="draft")
        enrolled.hand_in(71, LEE, None)
        enrolled.hand_in(71, MOON, None, status="new")
        said = run(*COLLECT)
        assert "1 new" in said and "<zipped>" in submitted(classroom, "657700")
        assert "(2): Doe, John/draft, 이, 서/no file" in said
        assert "nothing handed in yet (4)" in said

    def test_the_attempt_that_was_handed_in_and_not_the_one_that_was_opened_after(
        self, enrolled, run, classroom, notebook
    ):
        """moodlehq/moodleapp#949: of a submission that was reopened the empty attempt was shown."""
        enrolled.hand_in(71, KIM, notebook("first"))
        enrolled.hand_in(71, KIM, None, status="reopened", again=True)
        enrolled.hand_in(71, DOE, notebook("one"))
        enrolled.hand_in(71, DOE, notebook("two"), status="draft", again=True)
        run(*COLLECT)
        assert "<first>" in submitted(classroom, "657700") and "<one>" in submitted(classroom, "657701")
        enrolled.hand_in(71, KIM, notebook("second"))
        assert "1 newer" in run(*COLLECT)

    def test_who_teaches_or_has_left_hands_in_nothing(self, enrolled, run, notebook):
        enrolled.hand_in(71, 90, notebook())
        enrolled.hand_in(71, LEE, notebook())
        enrolled.users[LEE]["active"] = False
        assert "0 new" in run(*COLLECT)

    def test_of_two_of_one_name_each_has_their_own(self, enrolled, run, classroom, notebook):
        enrolled.enrol(50, "김", "민", "657750")
        run("roster", "--from", "moodle")
        enrolled.hand_in(71, KIM, notebook("first"))
        enrolled.hand_in(71, 50, notebook("second"))
        run(*COLLECT)
        assert "<first>" in submitted(classroom, "657700") and "<second>" in submitted(classroom, "657750")

    def test_work_of_nobody_on_the_roster_is_listed(self, enrolled, run, notebook):
        enrolled.enrol(50, "김", "민", "657750")
        enrolled.hand_in(71, 50, notebook())
        assert "of nobody on the roster (1): 김, 민/masking.ipynb" in run(*COLLECT, code=1)

    def test_anonymous_marking_stays_anonymous(self, enrolled, run, classroom, notebook):
        enrolled.hand_in(71, KIM, notebook())
        enrolled.assignments[71]["blindmarking"] = 1
        assert "Reveal the students' identities there first" in run(*COLLECT, code=2)
        assert not list(classroom.root.glob("submitted/*/*/*.ipynb"))
        enrolled.assignments[71]["revealidentities"] = 1
        assert "1 new" in run(*COLLECT)

    def test_who_may_not_see_work_is_told_so(self, enrolled, run):
        warned = {"assignments": [], "warnings": [{"item": "assignment", "itemid": 71, "warningcode": "1"}]}
        enrolled.faults = [("get_submissions", [(200, warned)])]
        assert "takes a teacher" in run(*COLLECT, code=2)

    def test_the_assignment_is_the_one_of_that_name(self, enrolled, run):
        enrolled.assign(73, "MASKING")
        assert "0 new" in run(*COLLECT)
        enrolled.assignments[71]["name"] = "Masking"
        assert "several assignments called masking" in run(*COLLECT, code=2)
        del enrolled.assignments[73], enrolled.assignments[71]
        assert "no assignment called masking" in run(*COLLECT, code=2)


def _noting(asked):
    import requests

    before = requests.Session.request

    def request(self, method, url, **about):
        asked.append(url)
        return before(self, method, url, **about)

    return request


def test_people_are_never_more_than_a_page_away(connected, run, classroom):
    for number in range(240):
        connected.enrol(1000 + number, "학", f"생{number}", f"66{number:04}")
    assert "245 people" in run("roster", "--from", "moodle") and PARK in connected.users
