"""A notebook's names as they stood when each question was checked: an answer is what it was then."""

from __future__ import annotations

import builtins
import sys
from typing import Any

_ABSENT = object()


class Moments:
    """Copies of a namespace. `names` is the notebook's own, in which its functions look their globals up."""

    def __init__(self, names: dict[str, Any]):
        self._names = names
        self._before = set(sys.modules)
        self._kept: dict[str | None, dict[str, Any]] = {}
        self._last: dict[str, Any] | None = None

    def keep(self, question: str | None, again: bool = True) -> None:
        """Remember the names for a question (None: for all that are not checked alone).

        Args:
            again: also where they are remembered already; a check cell that is run twice counts as it was last.
        """
        if again or question not in self._kept:
            self._kept.pop(question, None)  # the latest stands last
            self._kept[question] = dict(self._names)

    def stand(self, question: str, last: bool = False) -> bool:
        """Put the names back to what they were when the question was checked, or to the last that hold an answer.

        What an answer uses may be written further down, and is taken from there.

        Returns:
            whether anything is another at the notebook's end.
        """
        if self._last is None:
            self._last = dict(self._names)
        then = self._kept.get(question, self._kept.get(None, self._last))
        latest = [self._last, *reversed(self._kept.values())]
        latest = next((names for names in latest if question in names), self._last)
        if question not in then:
            then = latest
        self._names.clear()
        if last:
            self._names.update(latest)
        else:
            later = (name for name in self._last if not hasattr(builtins, name))
            self._names.update({name: self._last[name] for name in later} | then)
        return any(
            then.get(name, _ABSENT) is not found for name, found in latest.items() if not name.startswith("_")
        )

    def bind(self, name: str, value: Any) -> None:
        """Put something in the place of what the notebook defines, whenever, and in a file of its own as well."""
        moments = [self._names, self._last or {}, *self._kept.values()]
        own = [vars(module) for key, module in list(sys.modules.items()) if key not in self._before]
        found = [names[name] for names in moments if name in names]
        for names in [*moments, *(names for names in own if any(names.get(name) is one for one in found))]:
            names[name] = value
