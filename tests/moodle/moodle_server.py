"""A stand-in for Moodle on loopback: the functions that we call, answering as the source of mod_assign says.

It takes away what mod_assign takes away: whoever saves a grade without a comment loses the comment. What it cannot tell: what
a real one adds, hides or does more slowly. Nobody in it exists.
"""

import json
import re
import socket
import struct
import threading
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

STEM = "masking"
KIM, DOE, LEE, MOON, PARK = 41, 42, 43, 44, 45
TOKEN, COURSE = "5ec4e7a0b1d2c3f4a5968778695a4b3c", "12"
CONTEXT = 777
NOW = 1_806_400_000  # 2027-03-30T08:53:20Z; each change is a minute later
EVERYTHING = (
    "core_course_get_courses_by_field", "core_enrol_get_enrolled_users", "core_webservice_get_site_info",
    "mod_assign_get_assignments", "mod_assign_get_grades", "mod_assign_get_participant",
    "mod_assign_get_submission_status", "mod_assign_get_submissions", "mod_assign_get_user_flags",
    "mod_assign_list_participants", "mod_assign_save_grade",
)  # fmt: skip


class Refusal(Exception):
    """An exception of Moodle's, which comes as HTTP 200."""

    def __init__(self, errorcode, exception="moodle_exception"):
        self.said = {"exception": exception, "errorcode": errorcode, "message": "김민 (41) ..."}


class Moodle:
    """Its state, to be set by a test; `faults` holds what goes wrong next where a function or a path fits a pattern."""

    def __init__(self, path="/moodle"):
        self.users, self.assignments = {}, {}
        self.submissions = {}  # by (assignment, user, group): attempts, each a dict
        self.grades = {}  # by (assignment, user, attempt)
        self.flags, self.overrides = {}, {}  # by (assignment, user)
        self.teams = {}  # by user: number and name of a group
        self.files, self.drafts = {}, {}  # content by path; {name: content} by number
        self.locked = set()  # users whose item in the gradebook is locked
        self.service = set(EVERYTHING)
        self.site = {"downloadfiles": 1, "uploadfiles": 1}
        self.faults: list[tuple[str, list]] = []
        self.asked: list[tuple[str, str, dict]] = []  # path, function, form
        self.before = {}  # by function: what is called before it is answered the first time, the second ...
        self.mails = []
        self.now = NOW
        self.path = path
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.port = self._server.server_address[1]
        self.address = f"http://127.0.0.1:{self.port}{path}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def course(self):
        return f"{self.address}/course/view.php?id={COURSE}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def tick(self):
        self.now += 60
        return self.now

    def enrol(self, number, last, first, idnumber, *, role="student", active=True, groups=()):
        self.users[number] = {
            "id": number, "fullname": f"{first} {last}", "lastname": last, "firstname": first, "active": active,
            "idnumber": idnumber, "email": f"u{number}@moodle.test", "department": "", "profileimageurl": "x",
            "roles": [{"roleid": 5, "name": "", "shortname": role, "sortorder": 0}] if role else [],
            "groups": [{"id": 900 + n, "name": name, "description": "", "descriptionformat": 1}
                       for n, name in enumerate(groups)],
        }  # fmt: skip

    def assign(self, number, name, **more):
        self.assignments[number] = {
            "id": number, "cmid": number + 100, "course": int(COURSE), "name": name, "nosubmissions": 0,
            "duedate": 0, "cutoffdate": 0, "allowsubmissionsfromdate": 0, "grade": 10, "gradepenalty": 0,
            "teamsubmission": 0, "blindmarking": 0, "revealidentities": 0, "markingworkflow": 0,
            "attemptreopenmethod": "none", "maxattempts": 1, "submissiondrafts": 0,
            "configs": [
                {"plugin": "file", "subtype": "assignsubmission", "name": "enabled", "value": "1"},
                {"plugin": "comments", "subtype": "assignfeedback", "name": "enabled", "value": "1"},
                {"plugin": "file", "subtype": "assignfeedback", "name": "enabled", "value": "1"},
            ],
            "something_new": {"nobody": ["knows"]}, **more,
        }  # fmt: skip

    def hand_in(
        self, assignment, user, content, *, name="masking.ipynb", status="submitted", when=None, again=False
    ):
        """A user's submission, or their group's: edited, or with `again` a further attempt."""
        when = when or self.tick()
        group = self.teams.get(user, (0, ""))[0]
        team = self.assignments[assignment]["teamsubmission"]
        key = (assignment, 0, group) if team else (assignment, user, 0)
        attempts = self.submissions.setdefault(key, [])
        if not attempts or again and attempts[-1]["status"] == "submitted":
            attempts.append(self._blank(*key, len(attempts)))
        attempts[-1] |= {"status": status, "timemodified": when, "files": []}
        if team:  # who clicks has a record of their own, without files
            own = self.submissions.setdefault((assignment, user, 0), [])
            own[:] = [self._blank(assignment, user, 0, 0) | {"status": status, "timemodified": when}]
        if content is not None:
            self.add(attempts[-1], name, content, when)
        return attempts[-1]

    def add(self, attempt, name, content, when=None):
        area = f"{CONTEXT}/assignsubmission_file/submission_files/{attempt['id']}"
        attempt["files"].append(self._store(area, name, content, when or self.now))

    def _blank(self, assignment, user, group, attempt):
        number = 5000 + 100 * sum(len(a) for a in self.submissions.values()) + attempt
        return {
            "id": number, "userid": user, "groupid": group, "attemptnumber": attempt, "status": "new",
            "timecreated": self.now, "timemodified": self.now, "timestarted": None, "files": [],
        }  # fmt: skip

    def _store(self, area, name, content, when):
        self.files[f"/webservice/pluginfile.php/{area}/{name}"] = content
        return {
            "filename": name, "filepath": "/", "filesize": len(content), "timemodified": when,
            # A site behind a proxy may call itself otherwise.
            "fileurl": f"http://moodle.internal/webservice/pluginfile.php/{area}/{name}",
            "mimetype": "application/octet-stream", "isexternalfile": False,
        }  # fmt: skip

    def comment(self, assignment, user, said, attempt=0):
        self._grade_of(assignment, user, attempt)["comment"] = said

    def feedback_file(self, assignment, user, name, content, attempt=0):
        grade = self._grade_of(assignment, user, attempt)
        area = f"{CONTEXT}/assignfeedback_file/feedback_files/{grade['id']}"
        grade["files"].append(self._store(area, name, content, self.now))

    def _grade_of(self, assignment, user, attempt):
        blank = {"id": 8000 + len(self.grades), "userid": user, "attemptnumber": attempt, "grade": -1.0}
        blank |= {"comment": "", "files": [], "timecreated": self.now, "timemodified": self.now, "grader": 2}
        return self.grades.setdefault((assignment, user, attempt), blank)

    def written(self):
        """Calls that change something."""
        return [f or p for p, f, _ in self.asked if f == "mod_assign_save_grade" or p.endswith("upload.php")]

    def entered(self, assignment=71):
        """The points that stand there, of the last attempt that has some."""
        found = sorted(self.grades.items())
        return {user: g["grade"] for (a, user, _), g in found if a == assignment and g["grade"] >= 0}

    def pages(self, user, assignment=71):
        found = [g for (a, u, _), g in sorted(self.grades.items()) if (a, u) == (assignment, user)]
        return [(g["attemptnumber"], file["filename"]) for g in found for file in g["files"]]

    # What the functions answer.

    def call(self, function, form):
        if function not in self.service:
            raise Refusal("accessexception", "webservice_access_exception")
        return getattr(self, function)(form)

    def core_webservice_get_site_info(self, form):
        return {
            "sitename": "모의",
            "functions": [{"name": n, "version": "1"} for n in self.service],
            **self.site,
        }

    def core_course_get_courses_by_field(self, form):
        found = [{"id": int(COURSE), "fullname": "트랜스포머 2027"}] if form["value"] == COURSE else []
        return {"courses": found, "warnings": []}

    def core_enrol_get_enrolled_users(self, form):
        if form["courseid"] != COURSE:
            raise Refusal("invalidrecord", "dml_missing_record_exception")
        options = {form[f"options[{n}][name]"]: form[f"options[{n}][value]"] for n in range(4)}
        found = [
            user for _, user in sorted(self.users.items()) if user["active"] or "onlyactive" not in options
        ]
        start, count = int(options["limitfrom"]), int(options["limitnumber"])
        # Whom the owner may not see is left out after the page was cut.
        shown = [user for user in found[start : start + count] if not user.get("unseen")]
        return [
            {k: v for k, v in user.items() if k not in ("active", "unseen") and v is not None}
            for user in shown
        ]

    def mod_assign_get_assignments(self, form):
        if form["courseids[0]"] != COURSE:
            return {"courses": [], "warnings": [{"item": "course", "warningcode": "2"}]}
        course = {"id": int(COURSE), "assignments": list(self.assignments.values())}
        return {"courses": [course], "warnings": []}

    def _one(self, form, what, found, name):
        number = int(form["assignmentids[0]"])
        if found or what == "submissions":
            return {"assignments": [{"assignmentid": number, what: found}], "warnings": []}
        return {"assignments": [], "warnings": [{"item": "assignment", "itemid": number, "warningcode": "3"}]}

    def mod_assign_get_submissions(self, form):
        number = int(form["assignmentids[0]"])
        found = [self._shown(a[-1]) for (one, _, _), a in sorted(self.submissions.items()) if one == number]
        return self._one(form, "submissions", found, "submissions")

    def mod_assign_get_grades(self, form):
        number, found = int(form["assignmentids[0]"]), []
        for (assignment, user, attempt), grade in sorted(self.grades.items()):
            own = self.submissions.get((number, user, 0), [])
            # The query joins a user's own last submission: none, no grade.
            if assignment == number and own and own[-1]["attemptnumber"] == attempt:
                found.append(_shown_grade(grade))
        return self._one(form, "grades", found, "grades")

    def mod_assign_get_user_flags(self, form):
        number = int(form["assignmentids[0]"])
        found = [
            {"id": 1, "userid": user, "locked": 0, "mailed": 0, "extensionduedate": 0, "workflowstate": "",
             "allocatedmarker": 0} | flags
            for (assignment, user), flags in self.flags.items() if assignment == number
        ]  # fmt: skip
        return self._one(form, "userflags", found, "flags")

    def mod_assign_get_participant(self, form):
        number, user = int(form["assignid"]), int(form["userid"])
        if not self.users[user]["active"]:
            raise Refusal("usernotincourse")
        own = self.overrides.get((number, user), self.assignments[number]["duedate"])
        return {"id": user, "fullname": "x", "submitted": False, "requiregrading": False, "duedate": own}

    def mod_assign_list_participants(self, form):
        number, found = int(form["assignid"]), []
        for user in sorted(self.users):
            if self.users[user]["active"] and self.users[user]["roles"]:
                one = {"id": user, "fullname": "x", "submitted": False, "requiregrading": False}
                group, name = self.teams.get(user, (0, ""))
                if self.assignments[number]["teamsubmission"]:
                    one["submitted"] = (number, 0, group) in self.submissions
                    one |= {"groupid": group, "groupname": name} if group else {}
                found.append(one)
        skip, limit = int(form["skip"]), int(form["limit"])
        return found[skip : skip + limit]

    def mod_assign_get_submission_status(self, form):
        number, user = int(form["assignid"]), int(form["userid"])
        task, team = self.assignments[number], self.assignments[number]["teamsubmission"]
        key = (number, 0, self.teams.get(user, (0, ""))[0]) if team else (number, user, 0)
        attempts = self.submissions.get(key, [])
        said = {"lastattempt": {"graded": False, "locked": False}, "warnings": []}
        if attempts:
            said["lastattempt"]["teamsubmission" if team else "submission"] = self._shown(attempts[-1])
        last = attempts[-1]["attemptnumber"] if attempts else 0
        grade = self.grades.get((number, user, last))
        released = not task["markingworkflow"] or self._state(number, user) == "released"
        if grade and released and (grade["grade"] >= 0 or grade["comment"] or grade["files"]):
            raw = form.get("moodlewssettingraw") == "1"
            said["feedback"] = {
                "grade": _shown_grade(grade),
                "plugins": _plugins(grade, raw),
                "gradeddate": 1,
            }
        if len(attempts) > 1:
            said["previousattempts"] = [self._before(number, user, one) for one in attempts[-2::-1]]
        return said

    def _before(self, number, user, attempt):
        said = {"attemptnumber": attempt["attemptnumber"], "submission": self._shown(attempt)}
        if grade := self.grades.get((number, user, attempt["attemptnumber"])):
            said |= {"grade": _shown_grade(grade), "feedbackplugins": _plugins(grade, True)}
        return said

    def _state(self, number, user):
        return self.flags.get((number, user), {}).get("workflowstate", "")

    def _shown(self, attempt):
        areas = [{"area": "submission_files", "files": attempt["files"]}]
        plugins = [
            {"type": "file", "name": "파일 제출", "fileareas": areas},
            {"type": "comments", "name": "x"},
        ]
        return {k: v for k, v in attempt.items() if k != "files"} | {"plugins": plugins}

    def mod_assign_save_grade(self, form):
        number, user = int(form["assignmentid"]), int(form["userid"])
        task, team = self.assignments[number], self.assignments[number]["teamsubmission"]
        if user not in self.users:
            raise Refusal("invalidrecord", "dml_missing_record_exception")
        for key in form:
            kind = {"assignfeedbackcomments_editor": "comments", "files_filemanager": "file"}
            if found := re.match(r"plugindata\[(\w+)\]", key):
                assert found[1] in kind, key
        key = (number, 0, self.teams.get(user, (0, ""))[0]) if team else (number, user, 0)
        attempts = self.submissions.setdefault(key, [self._blank(*key, 0)])
        attempt = int(form["attemptnumber"])
        attempt = attempts[-1]["attemptnumber"] if attempt < 0 else attempt
        grade = self._grade_of(number, user, attempt)
        if user not in self.locked:
            grade["grade"] = float(form["grade"])
            self.flags.setdefault((number, user), {})["workflowstate"] = form["workflowstate"]
        enabled = {c["plugin"] for c in task["configs"] if c["subtype"] == "assignfeedback"}
        if "comments" in enabled:  # what is left out is taken away
            grade["comment"] = form.get("plugindata[assignfeedbackcomments_editor][text]", "")
        if "file" in enabled and "plugindata[files_filemanager]" in form:
            grade["files"] = []
            for name, content in self.drafts[int(form["plugindata[files_filemanager]"])].items():
                self.feedback_file(number, user, name, content, attempt)
        grade["timemodified"] = self.tick()
        self.mails.append(user)
        self._reopen(task, attempts, attempt, grade)
        return None

    def _reopen(self, task, attempts, attempt, grade):
        last = attempts[-1]["attemptnumber"] == attempt and attempts[-1]["status"] == "submitted"
        passed = task["attemptreopenmethod"] == "untilpass" and grade["grade"] >= 5
        if (
            last
            and task["attemptreopenmethod"] in ("automatic", "untilpass")
            and not passed
            and grade["grade"] >= 0
        ):
            key = next(k for k, found in self.submissions.items() if found is attempts)
            attempts.append(self._blank(*key, attempt + 1) | {"status": "reopened"})


def _shown_grade(grade):
    shown = {k: v for k, v in grade.items() if k not in ("comment", "files")}
    return shown | {"grade": f"{grade['grade']:.5f}"}


def _plugins(grade, raw):
    said = grade["comment"] if raw else f'<div class="text_to_html">{grade["comment"]}</div>'
    field = {"name": "comments", "description": "x", "text": said, "format": 1}
    areas = [{"area": "feedback_files", "files": grade["files"]}]
    return [
        {"type": "comments", "name": "x", "fileareas": [], "editorfields": [field]},
        {"type": "file", "name": "x", "fileareas": areas},
    ]


def _handler(moodle):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            self._do("GET")

        def do_POST(self):
            self._do("POST")

        def _do(self, method):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            split = urlsplit(self.path)
            path = unquote(split.path).removeprefix(moodle.path)
            form = _form(self.headers, body)
            function = form.get("wsfunction", "")
            moodle.asked.append((self.path, function, form))
            if calls := moodle.before.get(function):
                calls.pop(0)()
            fault = self._fault(function or path)
            if fault in ("reset", "done, then reset"):
                if fault != "reset":
                    moodle.call(function, form)
                return self._reset()
            if isinstance(fault, Refusal):
                return self._say(200, fault.said)
            if isinstance(fault, tuple):
                return self._say(*fault)
            if path.startswith("/elsewhere/"):
                return self._send(200, moodle.files[path.removeprefix("/elsewhere")], {})
            if method != "POST" or form.get("token", form.get("wstoken")) != TOKEN:
                said = {"errorcode": "invalidtoken", "message": "Invalid token - token not found"}
                key = "error" if "pluginfile" in path or "upload" in path else "exception"
                return self._say(200, said | {key: "moodle_exception"})
            if path == "/webservice/rest/server.php":
                assert form["moodlewsrestformat"] == "json"
                try:
                    return self._say(200, moodle.call(function, form))
                except Refusal as refusal:
                    return self._say(200, refusal.said)
            if path == "/webservice/upload.php":
                number = 3000 + len(moodle.drafts)
                files = {v[0]: v[1] for v in form.values() if isinstance(v, tuple)}
                moodle.drafts[number] = files
                return self._say(
                    200, [{"itemid": number, "filename": name, "filearea": "draft"} for name in files]
                )
            if path in moodle.files:
                content = moodle.files[path]
                return self._send(200, content[:-7] if fault == "short" else content, {})
            self._say(404, {"error": "x", "errorcode": "filenotfound"})

        def _fault(self, what):
            for pattern, faults in moodle.faults:
                if re.search(pattern, what) and faults:
                    return faults.pop(0)
            return None

        def _say(self, code, said, headers=None):
            content = said.encode() if isinstance(said, str) else json.dumps(said).encode()
            self._send(code, content, headers or {})

        def _send(self, code, content, headers):
            self.send_response(code)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def _reset(self):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True

    return Handler


def _form(headers, body):
    """Fields by name; of a file its name and content."""
    kind = headers.get("Content-Type") or ""
    if not kind.startswith("multipart/"):
        return {key: values[0] for key, values in parse_qs(body.decode(), keep_blank_values=True).items()}
    parts = BytesParser().parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body).get_payload()
    named = {part.get_param("name", header="content-disposition"): part for part in parts}
    return {
        name: (part.get_filename(), part.get_payload(decode=True))
        if part.get_filename()
        else part.get_payload()
        for name, part in named.items()
    }
