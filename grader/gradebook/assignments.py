"""Enters exercises in nbgrader's gradebook: their cells and points, also where there are submissions already.

nbgrader's own `SaveCells` refuses to add or remove a cell then, and commits cell by cell. Here it is one transaction.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from grader.errors import GraderError
from grader.gradebook import ours
from grader.gradebook.converters import nbgrader_environment
from grader.gradebook.database import connect

KINDS = {"grade_cells": "GradeCell", "solution_cells": "SolutionCell", "task_cells": "TaskCell"}


@contextmanager
def entering(url: str, course: str, notebooks: dict[str, Path], folder: Path) -> Iterator[None]:
    """Enter exercises as they are released; committed when the block has ended well.

    Args:
        notebooks: the released notebook, by exercise.
        folder: where nbgrader may work.

    Raises:
        GraderError: the gradebook cannot be written.
    """
    from nbgrader.api import Gradebook

    engine = connect(url)
    try:
        with nbgrader_environment(folder), Gradebook(url, course):
            pass  # makes the tables, where there are none
        with engine.begin() as connection:
            ours.make(connection)
            tables = sa.MetaData()
            tables.reflect(connection)
            for stem, path in notebooks.items():
                _Entry(connection, tables.tables, course).write(stem, json.loads(path.read_bytes()))
            yield
    except sa.exc.SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise GraderError(f"The gradebook cannot be used: {reason}. Nothing was changed.") from error
    finally:
        engine.dispose()


def known(url: str) -> set[str]:
    """The exercises that a gradebook knows; none where there is no gradebook yet.

    Raises:
        GraderError: the database does not answer.
    """
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
        return set()
    engine = connect(url)
    try:
        if not sa.inspect(engine).has_table("assignment"):
            return set()
        with engine.connect() as connection:
            names = connection.execute(sa.select(sa.table("assignment", sa.column("name")))).scalars()
            return set(names)
    except sa.exc.SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise GraderError(f"The gradebook cannot be used: {reason}. Nothing was changed.") from error
    finally:
        engine.dispose()


class _Entry:
    def __init__(self, connection: sa.Connection, tables: dict[str, sa.Table], course: str):
        self._connection, self._tables, self._course = connection, tables, course

    def write(self, stem: str, notebook: dict) -> None:
        assignment = self._row("assignment", {"name": stem}, new={"course_id": self._course})
        kernel = json.dumps(notebook["metadata"].get("kernelspec", {}))
        self._notebook = self._row("notebook", {"name": stem, "assignment_id": assignment}, kernelspec=kernel)
        wanted: dict[str, dict[str, dict]] = {kind: {} for kind in [*KINDS, "source_cell"]}
        for cell in notebook["cells"]:
            about = cell["metadata"].get("nbgrader", {})
            if not about:
                continue
            name, kind = about["grade_id"], cell["cell_type"]
            worth = {"max_score": float(about.get("points", 0.0)), "cell_type": kind}
            if about.get("grade"):
                wanted["grade_cells"][name] = worth
            if about.get("solution"):
                wanted["solution_cells"][name] = {}
            if about.get("task"):
                wanted["task_cells"][name] = worth
            text = {"source": "".join(cell["source"]), "checksum": about.get("checksum")}
            wanted["source_cell"][name] = {
                "cell_type": kind,
                "locked": bool(about.get("locked")),
                **text,
            }
        for table, kind in KINDS.items():
            self._cells(table, kind, wanted[table])
        sources = self._tables["source_cell"]
        for name, values in wanted["source_cell"].items():
            self._row("source_cell", {"name": name, "notebook_id": self._notebook}, **values)
        gone = sources.c.name.not_in(list(wanted["source_cell"]))
        self._connection.execute(sa.delete(sources).where(sources.c.notebook_id == self._notebook, gone))

    def _cells(self, table: str, kind: str, wanted: dict[str, dict]) -> None:
        base, kept = self._tables["base_cell"], self._tables[table]
        where = [base.c.notebook_id == self._notebook, base.c.type == kind]
        there = {
            row.name: row.id
            for row in self._connection.execute(sa.select(base.c.name, base.c.id).where(*where))
        }
        for name, values in wanted.items():
            if name not in there:
                new = {"id": uuid.uuid4().hex, "name": name, "notebook_id": self._notebook, "type": kind}
                self._connection.execute(sa.insert(base).values(new))
                self._connection.execute(sa.insert(kept).values({"id": new["id"], **values}))
            elif values:
                self._connection.execute(sa.update(kept).where(kept.c.id == there[name]).values(values))
        gone = [identity for name, identity in there.items() if name not in wanted]
        for of_cells in (self._tables["grade"], self._tables["comment"]):
            self._connection.execute(sa.delete(of_cells).where(of_cells.c.cell_id.in_(gone)))
        self._connection.execute(sa.delete(kept).where(kept.c.id.in_(gone)))
        self._connection.execute(sa.delete(base).where(base.c.id.in_(gone)))

    def _row(self, name: str, key: dict, new: dict | None = None, **values: object) -> str:
        table = self._tables[name]
        where = [table.c[column] == value for column, value in key.items()]
        found = self._connection.execute(sa.select(table.c.id).where(*where)).scalar_one_or_none()
        if found is None:
            found = uuid.uuid4().hex
            self._connection.execute(sa.insert(table).values({"id": found, **key, **(new or {}), **values}))
        elif values:
            self._connection.execute(sa.update(table).where(table.c.id == found).values(values))
        return found
