"""Cell outputs as nbformat 4, rebuilt from what the student's process says they are."""

from __future__ import annotations

import re
from typing import Any

MAX_OUTPUTS = 1_000
_BASE64 = re.compile(r"[A-Za-z0-9+/\n]*={0,2}\n?")


def clean_outputs(raw: list) -> list[dict]:
    """Keep what is an output, and of that only text and pictures: nothing that a browser would run."""
    found = [_clean(output) for output in raw[:MAX_OUTPUTS] if isinstance(output, dict)]
    return [output for output in found if output]


def _clean(output: dict) -> dict[str, Any] | None:
    match output:
        case {"output_type": "stream", "name": "stdout" | "stderr" as name, "text": str(text)}:
            return {"output_type": "stream", "name": name, "text": text}
        case {"output_type": "error", "ename": str(name), "evalue": str(value), "traceback": [*lines]}:
            trace = [line for line in lines if isinstance(line, str)]
            return {"output_type": "error", "ename": name, "evalue": value, "traceback": trace}
        case {"output_type": "display_data", "data": dict(data)}:
            return {"output_type": "display_data", "data": _clean_data(data), "metadata": {}}
        case {"output_type": "execute_result", "data": dict(data), "execution_count": count} if (
            type(count) is int and count >= 0  # False is an int
        ):
            shown = _clean_data(data)
            return {"output_type": "execute_result", "data": shown, "metadata": {}, "execution_count": count}
    return None


def _clean_data(data: dict) -> dict[str, str]:
    kept = {}
    if isinstance(text := data.get("text/plain"), str):
        kept["text/plain"] = text
    for mime in ("image/png", "image/jpeg"):
        if isinstance(picture := data.get(mime), str) and _BASE64.fullmatch(picture):
            kept[mime] = picture
    return kept
