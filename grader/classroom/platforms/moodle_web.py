"""Moodle's web services: one address for all functions, one for files down, one for files up.

The token goes in each request's body and never into an address, which servers and libraries write into logs. What went wrong
mostly comes as HTTP 200, with the name of an exception; its sentence may name people and is not repeated.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NoReturn
from urllib.parse import urlsplit

from grader.classroom.platforms.web import Refused, Web
from grader.errors import GraderError

_NO_TOKEN = ("invalidtoken", "invalidtokenexpired", "servicenotavailable")
_NOT_IN_IT = ("requireloginerror", "notingroup", "coursehidden")
_ABSENT = ("invalidrecord", "invalidcourseid", "invalidrecordunknown", "filenotfound", "usernotincourse")
_LATER = ("sitemaintenance", "upgraderunning", "dbconnectionfailed", "ex_sessionlock")
_FILES = "/pluginfile.php/"


class MoodleWeb(Web):
    """Speaks with one Moodle.

    Args:
        address: of the site, without a slash at its end.
    """

    def __init__(self, name: str, address: str, token: str):
        super().__init__(name, f"{address}/")
        self._token = token

    def call(self, function: str, again: bool = True, **params: Any) -> Any:
        """The answer of a web service function.

        Args:
            again: see `Web.ask`; all that reads, and what says how it is to be and not what to add.

        Raises:
            Refused: Moodle says no.
            GraderError: it does not answer; or not to this token, or not with data.
        """
        data = {"wstoken": self._token, "wsfunction": function, "moodlewsrestformat": "json"}
        data |= dict(_flat("", params))
        answer = self.json(
            self.ask("POST", f"{self._base}webservice/rest/server.php", again=again, data=data)
        )
        if isinstance(answer, dict) and "exception" in answer:
            self._refuse(answer, function)
        return answer

    def upload(self, files: dict[str, bytes]) -> int:
        """Upload files into a new draft area; its number.

        Raises:
            Refused: Moodle does not take one of them.
        """
        url = f"{self._base}webservice/upload.php"
        about = {"token": self._token, "filearea": "draft", "itemid": "0"}
        parts = {f"file_{n}": (name, content) for n, (name, content) in enumerate(files.items(), 1)}
        # What is sent twice ends in two drafts, of which one is used.
        answer = self.json(self.ask("POST", url, data=about, files=parts))
        if isinstance(answer, dict):
            self._refuse(answer, "the upload of files")
        found = [record for record in answer if isinstance(record, dict)]
        if wrong := next((str(record["errortype"]) for record in found if record.get("errortype")), ""):
            raise Refused(f"{self._name} has refused a file ({wrong}).", wrong)
        if len(found) != len(files) or not found[0].get("itemid"):
            raise GraderError(f"{self._name} does not say where it has put a file.")
        return int(found[0]["itemid"])

    def _file(self, url: str, size: int | None) -> bytes:
        """A file's content, asked for at our address: behind a proxy a site may call itself otherwise."""
        _, found, path = urlsplit(url)._replace(scheme="", netloc="").geturl().partition(_FILES)
        if not found:
            raise OSError("not one of the course's files")
        ours = f"{self._base}webservice{_FILES}{path}"
        answer = self.ask("POST", ours, data={"token": self._token})
        if where := answer.headers.get("Location"):
            # Elsewhere, without the token: a store of files that needs none.
            answer = self.ask("GET", where, allow_redirects=True)
        if (
            size != len(answer.content)
            and isinstance(said := _data(answer.content), dict)
            and "errorcode" in said
        ):
            self._refuse(said, "the download of files")
        return answer.content

    def _refuse(self, said: dict, what: str) -> NoReturn:
        code, name = str(said.get("errorcode") or said.get("exception") or "?"), self._name
        if code in _NO_TOKEN:
            raise self.expired()
        if code in _LATER:
            raise GraderError(f"{name} is out of order ({code}). Run the same command again later.")
        if code == "accessexception":
            raise GraderError(
                f"{name} does not let this token use {what}: its service must have that, and its owner the right to use it."
            )
        if code in _NOT_IN_IT:
            raise GraderError(
                f"{name} does not let the owner of this token into the course. It takes a teacher of it."
            )
        if code in _ABSENT:
            raise Refused(f"{name} has no such course, assignment, student or file for this token.", code)
        if code in ("nopermissions", "nopermission", "required_capability_exception"):
            raise Refused(
                f"{name} does not let the owner of this token use {what}. It takes a teacher of the course.",
                code,
            )
        raise Refused(f"{name} has refused {what} ({code}).", code)


def _data(content: bytes) -> Any:
    """The data that is said in JSON, if any is."""
    try:
        return json.loads(content)
    except ValueError:
        return None


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Parameters as PHP reads them: options[0][name]=limitfrom."""
    if isinstance(value, dict | list | tuple):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in pairs:
            yield from _flat(f"{name}[{key}]" if name else str(key), one)
    else:
        yield name, str(int(value) if isinstance(value, bool) else value)
