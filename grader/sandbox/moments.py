"""A notebook's names as they stood when each question was checked: an answer is what it was then."""

from __future__ import annotations

from typing import Any

_ABSENT = object()


class Moments:
    """Copies of a namespace. `names` is the notebook's own, in which its functions look their globals up."""

    def __init__(self, names: dict[str, Any]):
        self._names = names
        self._kept: dict[str | None, dict[str, Any]] = {}
        self._last: dict[str, Any] | None = None

    def keep(self, question: str | None, again: bool = True) -> None:
        """Remember the names for a question (None: for all that are not checked alone).

        Args:
            again: also where they are remembered already; a check cell that is run twice counts as it was last.
        """
        if again or question not in self._kept:
            self._kept[question] = dict(self._names)

    def stand(self, question: str, last: bool = False) -> bool:
        """Put the names back to what they were when the question was checked, or to the notebook's last.

        Returns:
            whether the answer is another at the notebook's end.
        """
        if self._last is None:
            self._last = dict(self._names)
        then = self._kept.get(question, self._kept.get(None, self._last))
        if then.get(question, _ABSENT) is _ABSENT:
            then = self._last
        self._names.clear()
        self._names.update(self._last if last else then)
        return then.get(question, _ABSENT) is not self._last.get(question, _ABSENT)

    def bind(self, name: str, value: Any) -> None:
        """Put something in the place of what the notebook defines, whenever."""
        for names in [self._names, self._last or {}, *self._kept.values()]:
            names[name] = value
