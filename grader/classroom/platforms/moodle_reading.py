"""A course on Moodle as it stands: who takes part, with whom, what each has handed in last, and what they got."""

from __future__ import annotations

from typing import NamedTuple

from grader.classroom.platforms.course import Member, Task, text
from grader.classroom.platforms.moodle_records import member_of, opened_anew, when_of
from grader.classroom.platforms.moodle_web import MoodleWeb
from grader.errors import GraderError

AT_ONCE = 100  # records of a page
MOST_PAGES = 1_000
# Who teaches; a site calls its students as it likes.
_TEACHING = {"manager", "coursecreator", "editingteacher", "teacher"}
NO_GROUP = "0"


class Team(NamedTuple):
    number: str
    name: str
    submitted: bool


class MoodleReading:
    """Reads a course, and changes nothing there."""

    def __init__(self, web: MoodleWeb, course: str):
        self._web, self._course = web, course

    def students(self) -> dict[str, Member]:
        """Those who take part and are not suspended, by number."""
        found: dict[str, dict] = {}
        for page in range(MOST_PAGES):
            about = {"onlyactive": 1, "limitfrom": page * AT_ONCE, "limitnumber": AT_ONCE, "sortby": "id"}
            options = [{"name": name, "value": value} for name, value in about.items()]
            # Whom the token's owner may not see is left out: a page that is not full is not the last.
            more = self._web.call("core_enrol_get_enrolled_users", courseid=self._course, options=options)
            if not more:
                break
            found |= {text(user, "id"): user for user in more}
        roles = {
            n: {text(role, "shortname") for role in user.get("roles") or []} for n, user in found.items()
        }
        learning = (
            n for n, theirs in roles.items() if "student" in theirs or theirs and not theirs & _TEACHING
        )
        return {number: member_of(found[number]) for number in learning}

    def teams(self, task: Task) -> dict[str, Team]:
        """The group in which each hands in, by the number of the person; nobody's where each works alone."""
        found: dict[str, Team] = {}
        for page in range(MOST_PAGES if task.about.get("teamsubmission") else 0):
            more = self._web.call(
                "mod_assign_list_participants", assignid=task.number, groupid=0, filter="",
                skip=page * AT_ONCE, limit=AT_ONCE, onlyids=True, includeenrolments=False,
            )  # fmt: skip
            for one in more:
                group, name = text(one, "groupid") or NO_GROUP, text(one, "groupname")
                found[text(one, "id")] = Team(group, name, bool(one.get("submitted")))
            if len(more) < AT_ONCE:
                break
        return found

    def submissions(self, task: Task) -> dict[str, dict]:
        """The last submission of each, by the number of the person; a group's is each member's.

        Raises:
            GraderError: the assignment is marked anonymously, and names are not to be known yet.
        """
        if task.about.get("blindmarking") and not task.about.get("revealidentities"):
            raise GraderError(
                "This assignment's submissions are anonymous in Moodle. Reveal the students' identities there first."
            )
        found = self._of(task, "mod_assign_get_submissions", "submissions")
        if not task.about.get("teamsubmission"):
            return {text(one, "userid"): one for one in found}
        groups = {text(one, "groupid"): one for one in found if text(one, "userid") == "0"}
        last = {}
        for number, team in self.teams(task).items():
            if team.number not in groups and team.submitted:
                # Of groups with fewer attempts than others, older versions of that function do not tell.
                groups[team.number] = self.last(task, number, {}).get("submission") or {}
            if team.number in groups:
                last[number] = groups[team.number]
        return last

    def grades(self, task: Task) -> dict[str, dict]:
        return {text(one, "userid"): one for one in self._of(task, "mod_assign_get_grades", "grades")}

    def flags(self, task: Task) -> dict[str, dict]:
        return {text(one, "userid"): one for one in self._of(task, "mod_assign_get_user_flags", "userflags")}

    def _of(self, task: Task, function: str, what: str) -> list[dict]:
        """Records of one assignment, of a function that answers for several.

        Raises:
            GraderError: the token's owner may not read them.
        """
        found = self._web.call(function, assignmentids=[task.number])
        if any(text(one, "warningcode") == "1" for one in found.get("warnings") or []):
            raise GraderError(
                f"Moodle does not let the owner of this token use {function}. It takes a teacher of the course."
            )
        return [record for one in found["assignments"] for record in one[what]]

    def last(self, task: Task, number: str, otherwise: dict) -> dict:
        """The last attempt that somebody has handed in: submission, grade, plugins (of feedback).

        Args:
            otherwise: what is taken where Moodle shows no attempt.
        """
        # Raw: a comment is sent again as it stands, not as a page would show it.
        found = self._web.call(
            "mod_assign_get_submission_status", assignid=task.number, userid=number,
            moodlewssettingraw=True, moodlewssettingfileurl=False,
        )  # fmt: skip
        last, feedback = found.get("lastattempt") or {}, found.get("feedback") or {}
        submission = last.get("teamsubmission") or last.get("submission") or {}
        before = [one for one in found.get("previousattempts") or [] if when_of(one.get("submission") or {})]
        if before and opened_anew(submission):
            one = before[0]
            return {
                "submission": one["submission"],
                "grade": one.get("grade"),
                "plugins": one.get("feedbackplugins"),
            }
        grade = feedback.get("grade") or otherwise.get("grade")
        submission = submission or otherwise.get("submission")
        return {"submission": submission, "grade": grade, "plugins": feedback.get("plugins")}
