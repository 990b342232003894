"""A platform's server, asked politely: one request at a time, again where that is safe, the token for its host alone.

Errors are one line, without address or token. What `requests` and `urllib3` log at their debug level has no headers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import sleep
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

import requests

from grader.errors import GraderError

TRIES = 5
SECONDS = (10, 60)  # to connect; between two bytes
LONGEST_WAIT = 120  # seconds that a server may ask for
MOST_PAGES = 10_000
_BROKEN = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)


class Refused(GraderError):
    """The platform has said no to this one thing, as it will again; others may go well. `code` is HTTP's."""

    def __init__(self, message: str, code: int):
        super().__init__(message)
        self.code = code


class Web:
    """Speaks with one server.

    Args:
        name: the platform's, for what is said to people.
        base: the address below which its interface lies.
    """

    def __init__(self, name: str, base: str, token: str):
        self._name, self._base = name, base
        self._session = requests.Session()
        # As `auth`, for a .netrc would take the place of a header.
        self._own, self._none = _Bearer(token), _Bearer("")

    def get(self, path: str, **params: Any) -> Any:
        """JSON of an address below the base.

        Raises:
            GraderError: the platform does not answer, or not with that.
        """
        return self._json(self._ask("GET", self._base + path, params=_lists(params)))

    def pages(self, path: str, **params: Any) -> Iterator[dict]:
        """The records of a list, through all its pages: a page names the next in its header, or is the last."""
        url, params = self._base + path, {"per_page": 100, **params}
        for _ in range(MOST_PAGES):
            answer = self._ask("GET", url, params=_lists(params))
            found = self._json(answer)
            if not isinstance(found, list):
                raise GraderError(f"{self._name} answers with no list where one is due.")
            yield from (record for record in found if isinstance(record, dict))
            following = answer.links.get("next", {}).get("url")
            if not following:
                return
            # It holds all parameters itself; behind a proxy it may name another host, or http://.
            there, ours = urlsplit(following), urlsplit(self._base)
            url, params = urlunsplit((ours.scheme, ours.netloc, there.path, there.query, "")), {}
        raise GraderError(f"{self._name} names pages without end.")

    def change(self, method: str, path: str, data: Mapping[str, Any], again: bool = False) -> Any:
        """Change something there.

        Args:
            again: doing it twice is the same as once; otherwise it is sent again only where it was surely not done.
        """
        return self._json(self._ask(method, self._base + path, data=_lists(data), again=again))

    def download(self, url: str, size: int | None = None) -> bytes:
        """A file's content, whole.

        Args:
            size: in bytes, as the platform says; None where it does not.

        Raises:
            GraderError: the platform does not answer, or refuses.
            OSError: it always gives another number of bytes.
        """
        for number in range(TRIES):
            content = self._ask("GET", url, allow_redirects=True).content
            if size in (None, len(content)):
                return content
            sleep(2**number)
        raise OSError(f"not the {size} bytes that are due")

    def upload(self, path: str, name: str, content: bytes) -> str:
        """Upload a file in the three steps that Canvas asks for; its number there."""
        about = {"name": name, "size": len(content), "content_type": "text/html"}
        told = self.change("POST", path, about, again=True)
        given = {
            key: "" if value is None else value for key, value in (told.get("upload_params") or {}).items()
        }
        answer = self._ask(
            "POST", told["upload_url"], data=given, files={"file": (name, content, "text/html")}
        )
        if where := answer.headers.get("Location"):
            answer = self._ask("GET", urljoin(answer.url, where))
        return str(self._json(answer)["id"])

    def _ask(
        self, method: str, url: str, again: bool = True, allow_redirects: bool = False, **about: Any
    ) -> requests.Response:
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

    def _checked(self, answer: requests.Response) -> requests.Response:
        code, name = answer.status_code, self._name
        if code < 300 or code < 400 and answer.headers.get("Location") and answer.request.method == "POST":
            return answer
        if _throttled(answer):
            raise GraderError(
                f"{name} asks for a pause: too many requests. Run the same command again in some minutes."
            )
        if code == 401 and ("WWW-Authenticate" in answer.headers or "access token" in answer.text[:2000]):
            raise GraderError(
                f"{name} does not take the token: it has expired, or was withdrawn. Connect with a new one."
            )
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

    def _json(self, answer: requests.Response) -> Any:
        try:
            return answer.json()
        except ValueError:
            raise GraderError(
                f"{self._name} answers with a page instead of data: is the address that of a course?"
            ) from None


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


def _lists(params: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Lists as Rails reads them: include[]=a&include[]=b."""
    found = []
    for key, value in params.items():
        found += [(f"{key}[]", one) for one in value] if isinstance(value, list | tuple) else [(key, value)]
    return found


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
