"""Measures once and keeps the result in a JSON file beside the code that measured it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from course_data.digest import code
from course_data.stories import grow

HERE = Path(__file__).parent


def stamp(*modules: str) -> str:
    """SHA-256 of the code that grows a model and of these modules beside it."""
    codes = (code((HERE / f"{name}.py").read_text(encoding="utf-8")) for name in modules)
    return hashlib.sha256(grow.digest().encode() + b"".join(codes)).hexdigest()[:16]


def keep(path: Path, table: dict) -> None:
    writing = path.with_suffix(".writing")
    writing.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    writing.replace(path)


def mean(values: list[float | None], digits: int = 3) -> float | None:
    """The mean of those that there are; None if there is none."""
    there = [value for value in values if value is not None]
    return round(sum(there) / len(there), digits) if there else None
