"""A stand-in for Canvas on loopback: the addresses that we ask, answering as its documentation and source say.

What it cannot tell: what a real one adds, hides or does more slowly. Nobody in it exists.
"""

import json
import re
import socket
import struct
import threading
from collections import defaultdict
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

STEM = "masking"
KIM, DOE, LEE, MOON, PARK = 4001, 4002, 4003, 4004, 4005
TOKEN, COURSE = "7~Zq3secretTOKENsecret", "1234"
PAGE = 2  # records of a page, whatever is asked for: a server may give fewer


class Canvas:
    """Its state, to be set by a test; `faults` holds what goes wrong next at addresses that a pattern fits."""

    def __init__(self):
        self.users, self.sections, self.assignments = {}, {}, {}
        self.overrides, self.group_members = defaultdict(list), {}
        self.groups = {}  # names by number, by category
        self.submissions = defaultdict(dict)  # by assignment, then user
        self.files, self.uploads = {}, {}
        self.late_policy, self.deduct = None, {}
        self.faults: list[tuple[str, str, list]] = []
        self.asked: list[tuple[str, str, str]] = []  # method, path, authorization
        self.before = {}  # by pattern: what is called before it is read the first time, the second ...
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.port = self._server.server_address[1]
        self.address = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def course(self):
        return f"{self.address}/courses/{COURSE}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def enrol(self, number, name, sis, *, section=1, login=None, state="active", kind="StudentEnrollment"):
        enrolled = {"type": kind, "course_section_id": section, "enrollment_state": state}
        self.users[number] = {
            "id": number, "name": name, "sortable_name": name, "short_name": name, "sis_user_id": sis,
            "login_id": login, "email": None, "enrollments": [enrolled], "pronouns": None,
        }  # fmt: skip

    def assign(self, number, name, **more):
        self.assignments[number] = {
            "id": number, "name": name, "due_at": None, "points_possible": 10.0, "grading_type": "points",
            "published": True, "post_manually": True, "group_category_id": None,
            "grade_group_students_individually": False, "something_new": {"nobody": ["knows"]}, **more,
        }  # fmt: skip

    def hand_in(
        self, assignment, user, content, *, name="masking.ipynb", when="2027-03-30T10:00:00Z", **more
    ):
        """The next attempt of a user: the file gets the next number, on another host, as Canvas' files do."""
        number = 9000 + len(self.files)
        self.files[number] = content
        before = self.submissions[assignment].get(user, {})
        file = {
            "id": number, "display_name": name, "filename": name, "size": len(content), "content-type": None,
            "url": f"http://localhost:{self.port}/files/{number}/download?verifier=v",
        }  # fmt: skip
        self.submissions[assignment][user] = {
            **self.blank(assignment, user), **before, "workflow_state": "submitted", "submitted_at": when,
            "attempt": (before.get("attempt") or 0) + 1, "attachments": [file],
            "submission_type": "online_upload", "grade_matches_current_submission": "score" not in before, **more,
        }  # fmt: skip
        return number

    def blank(self, assignment, user):
        return {
            "id": 100000 + user, "user_id": user, "assignment_id": assignment, "workflow_state": "unsubmitted",
            "submitted_at": None, "attempt": None, "score": None, "entered_score": None, "excused": None,
            "late": False, "missing": False, "seconds_late": 0, "points_deducted": None, "body": None,
            "late_policy_status": None, "anonymous_id": "aB3xY", "posted_at": None, "submission_type": None,
            "submission_comments": [], "group": {"id": None, "name": None},
        }  # fmt: skip

    def written(self):
        """What has been asked for and is no reading."""
        return [(method, path) for method, path, _ in self.asked if method != "GET"]

    def _submissions(self, assignment):
        active = [u for u, user in self.users.items() if _active(user)]
        found = [self.submissions[assignment].get(user, self.blank(assignment, user)) for user in active]
        return [{**one, "user": self.users.get(one["user_id"])} for one in found]

    def answer(self, method, path, query, form):
        """Status and what is said; None for what is not there."""
        course = f"/api/v1/courses/{COURSE}"
        if path == course:
            return 200, {"id": int(COURSE), "name": "트랜스포머 2027"}
        if path == f"{course}/users":
            states = query.get("enrollment_state[]", ["active", "invited"])
            kept = [u for u in self.users.values() if _active(u, states)]
            return 200, kept
        if path == f"{course}/sections":
            return 200, [{"id": number, "name": name} for number, name in self.sections.items()]
        if path == f"{course}/assignments":
            return 200, list(self.assignments.values())
        if path == f"{course}/late_policy":
            return (200, {"late_policy": self.late_policy}) if self.late_policy else (404, {"errors": []})
        if found := re.fullmatch(r"/api/v1/group_categories/(\d+)/groups", path):
            return 200, [{"id": n, "name": name} for n, name in self.groups[int(found[1])].items()]
        if found := re.fullmatch(r"/api/v1/groups/(\d+)/users", path):
            return 200, [self.users[user] for user in self.group_members[int(found[1])]]
        if found := re.fullmatch(rf"{course}/assignments/(\d+)/overrides", path):
            return 200, self.overrides[int(found[1])]
        if found := re.fullmatch(rf"{course}/assignments/(\d+)/submissions", path):
            return 200, self._submissions(int(found[1]))
        if found := re.fullmatch(rf"{course}/assignments/(\d+)/submissions/(\d+)/comments/files", path):
            return 200, {"upload_url": f"{self.address}/upload", "upload_params": {"key": "k", "x": None}}
        if path == "/upload":
            number = 500 + len(self.uploads)
            self.uploads[number] = form["file"]
            return 201, {"Location": f"{self.address}/api/v1/files/{number}?include[]=x"}
        if found := re.fullmatch(r"/api/v1/files/(\d+)", path):
            return 200, {"id": int(found[1]), "display_name": self.uploads[int(found[1])][0]}
        if found := re.fullmatch(rf"{course}/assignments/(\d+)/submissions/(\d+)", path):
            return self._change(int(found[1]), int(found[2]), form)
        return None

    def _change(self, assignment, user, form):
        if user not in self.users or not _active(self.users[user]):
            return 401, {"status": "unauthorized", "errors": [{"message": "user not authorized"}]}
        group = self.submissions[assignment].get(user, {}).get("group", {}).get("id")
        alone = not group or self.assignments[assignment]["grade_group_students_individually"]
        whose = [user] if alone else self.group_members[group]
        if "submission[posted_grade]" in form:
            for one in whose:
                known = self.submissions[assignment].setdefault(one, self.blank(assignment, one))
                given = float(form["submission[posted_grade]"][0])
                taken = self.deduct.get(one, 0.0)
                known |= {"entered_score": given, "score": given - taken, "workflow_state": "graded"}
                known |= {"points_deducted": taken or None, "grade_matches_current_submission": True}
        known = self.submissions[assignment].setdefault(user, self.blank(assignment, user))
        if said := form.get("comment[text_comment]") or form.get("comment[file_ids][]"):
            files = [int(number) for number in form.get("comment[file_ids][]", [])]
            shown = [{"id": n, "display_name": self.uploads[n][0]} for n in files]
            attempt = int(
                form.get("comment[attempt]", ["1"])[0]
            )  # without: the first, as canvasapi's users saw
            comment = {"id": 1, "comment": said[0], "attempt": attempt, "attachments": shown, "author_id": 1}
            known["submission_comments"] = [*known["submission_comments"], comment]
        return 200, known


def _active(user, states=("active", "invited")):
    return any(
        e["type"] == "StudentEnrollment" and e["enrollment_state"] in states for e in user["enrollments"]
    )


def _handler(canvas):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            self._do("GET")

        def do_PUT(self):
            self._do("PUT")

        def do_POST(self):
            self._do("POST")

        def _do(self, method):
            split = urlsplit(self.path)
            path, query = split.path, parse_qs(split.query)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told = self.headers.get("Authorization") or ""
            canvas.asked.append((method, self.path, told))
            for pattern, calls in canvas.before.items():
                if method == "GET" and re.search(pattern, self.path) and calls:
                    calls.pop(0)()
            fault = self._fault(method)
            if fault in ("reset", "done, then reset") and not path.startswith("/files/"):
                if fault != "reset":
                    canvas.answer(method, path, query, _form(self.headers, body))
                return self._reset()
            if isinstance(fault, tuple):
                return self._say(*fault)
            if found := re.fullmatch(r"/files/(\d+)/download", path):
                content = canvas.files[int(found[1])]
                if fault == "reset":
                    self._head(200, len(content), {})
                    self.wfile.write(content[: len(content) // 2])
                    return self._reset()
                return self._send(200, content[:-7] if fault == "short" else content, {})
            if path.startswith("/api/") and told != f"Bearer {TOKEN}":
                said = {"errors": [{"message": "Invalid access token."}]}
                return self._say(401, said, {"WWW-Authenticate": 'Bearer realm="canvas-lms"'})
            answer = canvas.answer(method, path, query, _form(self.headers, body))
            if answer is None:
                return self._say(404, {"errors": [{"message": "The specified resource does not exist."}]})
            code, said = answer
            if code == 201:
                return self._say(201, {}, said)
            if isinstance(said, list):
                return self._page(said, query)
            self._say(code, said)

        def _page(self, said, query):
            page, path = int(query.get("page", ["1"])[0]), urlsplit(self.path).path
            links = {}
            if len(said) > page * PAGE:
                more = urlencode({**query, "page": page + 1}, doseq=True)
                # Behind a proxy, Canvas may name itself otherwise; there is no rel="last" where counting is dear.
                links = {
                    "Link": f'<http://canvas.internal{path}?{more}>; rel="next",<http://x/>; rel="first"'
                }
            self._say(200, said[(page - 1) * PAGE : page * PAGE], links)

        def _fault(self, method):
            for wanted, pattern, faults in canvas.faults:
                if wanted == method and re.search(pattern, self.path) and faults:
                    return faults.pop(0)
            return None

        def _say(self, code, said, headers=None):
            content = said.encode() if isinstance(said, str) else json.dumps(said).encode()
            self._send(code, content, headers or {})

        def _send(self, code, content, headers):
            self._head(code, len(content), headers)
            self.wfile.write(content)

        def _head(self, code, length, headers):
            self.send_response(code)
            for name, value in {"Content-Length": str(length), **headers}.items():
                self.send_header(name, value)
            self.end_headers()

        def _reset(self):
            self.wfile.flush()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True

    return Handler


def _form(headers, body):
    """Fields by name; of a file its name and content."""
    kind = headers.get("Content-Type") or ""
    if not kind.startswith("multipart/"):
        return parse_qs(body.decode(errors="replace"))
    parts = BytesParser().parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body).get_payload()
    named = {part.get_param("name", header="content-disposition"): part for part in parts}
    return {
        name: (part.get_filename(), part.get_payload(decode=True))
        if part.get_filename()
        else part.get_payload()
        for name, part in named.items()
    }
