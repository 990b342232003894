"""Canvas' REST interface: lists in pages, lists among parameters, uploads in three steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

from grader.classroom.platforms.web import Web
from grader.errors import GraderError

MOST_PAGES = 10_000


class CanvasWeb(Web):
    """Speaks with one Canvas."""

    def get(self, path: str, **params: Any) -> Any:
        """JSON of an address below the base.

        Raises:
            GraderError: the platform does not answer, or not with that.
        """
        return self.json(self.ask("GET", self._base + path, params=_lists(params)))

    def pages(self, path: str, **params: Any) -> Iterator[dict]:
        """The records of a list, through all its pages: a page names the next in its header, or is the last."""
        url, params = self._base + path, {"per_page": 100, **params}
        for _ in range(MOST_PAGES):
            answer = self.ask("GET", url, params=_lists(params))
            found = self.json(answer)
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
        return self.json(self.ask(method, self._base + path, data=_lists(data), again=again))

    def upload(self, path: str, name: str, content: bytes) -> str:
        """Upload a file in the three steps that Canvas asks for; its number there."""
        about = {"name": name, "size": len(content), "content_type": "text/html"}
        told = self.change("POST", path, about, again=True)
        given = {
            key: "" if value is None else value for key, value in (told.get("upload_params") or {}).items()
        }
        answer = self.ask(
            "POST", told["upload_url"], data=given, files={"file": (name, content, "text/html")}
        )
        if where := answer.headers.get("Location"):
            answer = self.ask("GET", urljoin(answer.url, where))
        return str(self.json(answer)["id"])


def _lists(params: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Lists as Rails reads them: include[]=a&include[]=b."""
    found = []
    for key, value in params.items():
        found += [(f"{key}[]", one) for one in value] if isinstance(value, list | tuple) else [(key, value)]
    return found
