"""A platform's server, asked politely: one request at a time, again where that is safe, the token for its host alone.

Errors are one line, without address or token. What `requests` and `urllib3` log at their debug level has no headers.
"""

from __future__ import annotations

from time import sleep
from typing import Any
from urllib.parse import urlsplit

import requests

from grader.errors import GraderError

TRIES = 5
SECONDS = (10, 60)  # to connect; between two bytes
LONGEST_WAIT = 120  # seconds that a server may ask for
_BROKEN = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)


class Refused(GraderError):
    """The platform has said no to this one thing, as it will again; others may go well. `code` is HTTP's, or its own."""

    def __init__(self, message: str, code: int | str):
        super().__init__(message)
        self.code = code


class Web:
    """Speaks with one server.

    Args:
        name: the platform's, for what is said to people.
        base: the address below which its interface lies.
        token: goes in a header, to that host alone; "" where the platform takes it elsewhere.
    """

    def __init__(self, name: str, base: str, token: str = ""):
        self._name, self._base = name, base
        self._session = requests.Session()
        # As `auth`, for a .netrc would take the place of a header.
        self._own, self._none = _Bearer(token), _Bearer("")

    def download(self, url: str, size: int | None = None) -> bytes:
        """A file's content, whole.

        Args:
            size: in bytes, as the platform says; None where it does not.

        Raises:
            GraderError: the platform does not answer, or refuses.
            OSError: it always gives another number of bytes.
        """
        for number in range(TRIES):
            content = self._file(url, size)
            if size in (None, len(content)):
                return content
            sleep(2**number)
        raise OSError(f"not the {size} bytes that are due")

    def _file(self, url: str, size: int | None) -> bytes:
        """The content that one try to download a file gives."""
        return self.ask("GET", url, allow_redirects=True).content

    def ask(
        self, method: str, url: str, again: bool = True, allow_redirects: bool = False, **about: Any
    ) -> requests.Response:
        """The answer to one request, tried again where that is safe.

        Args:
            again: doing it twice is the same as once; otherwise it is sent again only where it was surely not done.

        Raises:
            GraderError: there is none, or it is no.
        """
        auth = self._own if _host(url) == _host(self._base) else self._none
        for number in range(TRIES):
            last, answer = number == TRIES - 1, None
            try:
                answer = self._session.request(
                    method, url, auth=auth, timeout=SECONDS, allow_redirects=allow_redirects, **about
                )
            except _BROKEN:
                if last or not again:
                    raise GraderError(
                        f"{self._name} does not answer. Run the same command again: what is done is not done twice."
                    ) from None
            except requests.RequestException as error:
                raise GraderError(f"{self._name} cannot be asked ({type(error).__name__}).") from None
            if answer is not None and (last or not _later(answer, again)):
                return self._checked(answer)
            sleep(_wait(answer, number))
        raise AssertionError

    def json(self, answer: requests.Response) -> Any:
        """The data of an answer.

        Raises:
            GraderError: it is a page.
        """
        try:
            return answer.json()
        except ValueError:
            raise GraderError(
                f"{self._name} answers with a page instead of data: is the address that of a course?"
            ) from None

    def _checked(self, answer: requests.Response) -> requests.Response:
        code, name = answer.status_code, self._name
        if code < 300 or code < 400 and answer.headers.get("Location") and answer.request.method == "POST":
            return answer
        if _throttled(answer):
            raise GraderError(
                f"{name} asks for a pause: too many requests. Run the same command again in some minutes."
            )
        if code == 401 and ("WWW-Authenticate" in answer.headers or "access token" in answer.text[:2000]):
            raise self.expired()
        if code >= 500:
            raise GraderError(f"{name} is out of order ({code}). Run the same command again later.")
        if code < 400:
            raise GraderError(
                f"{name} sends us elsewhere ({code}). Connect with the address at which you end in the browser."
            )
        if code in (401, 403):
            said = f"{name} does not let the owner of this token do that. It takes a teacher of the course."
        elif code == 404:
            said = f"{name} has no such course, assignment or student for this token. Is the address right?"
        else:
            said = f"{name} has refused that ({code})."
        raise Refused(said, code)

    def expired(self) -> GraderError:
        return GraderError(
            f"{self._name} does not take the token: it has expired, or was withdrawn. Connect with a new one."
        )


class _Bearer(requests.auth.AuthBase):
    def __init__(self, token: str):
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def _host(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def _throttled(answer: requests.Response) -> bool:
    """True for 429; Canvas' own servers have long said it with 403 and a sentence."""
    code = answer.status_code
    return code == 429 or code == 403 and "Rate Limit Exceeded" in answer.text[:2000]


def _later(answer: requests.Response, again: bool) -> bool:
    """True if the same request may go well later: refused for now, or a server out of order that may do it twice."""
    return _throttled(answer) or again and answer.status_code >= 500


def _wait(answer: requests.Response | None, number: int) -> float:
    said = answer.headers.get("Retry-After", "") if answer is not None else ""
    return min(int(said), LONGEST_WAIT) if said.isdecimal() else 2**number
