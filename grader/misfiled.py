"""The kinds of files that are handed in for a notebook and are none: an export, an empty file, what a tool left of it."""

from __future__ import annotations

import re

OTHERWISE = "파일이 JSON이 아닙니다. 노트북을 저장해 다시 제출해야 합니다."
_EMPTY = "파일이 비어 있습니다. 노트북을 저장하고, 크기가 0이 아닌지 확인한 다음 다시 제출해야 합니다."
_CUT = "파일이 중간에서 끊겼습니다. 노트북을 저장해 다시 제출해야 합니다."
_BEGINNINGS = {  # of the file, a pattern; the first that fits
    rb"\s*(<!doctype html|<html|<\?xml)": "노트북이 아니라 웹 페이지(HTML)입니다. 노트북(.ipynb)을 내려받아 제출해야 합니다.",
    rb"%PDF-": "노트북이 아니라 PDF입니다. 노트북(.ipynb)을 제출해야 합니다.",
    rb"PK\x03\x04|\x1f\x8b|7z\xbc\xaf|Rar!": "노트북이 아니라 압축 파일이나 문서입니다. 압축을 풀어 노트북(.ipynb)을 제출해야 합니다.",
    rb"\xd0\xcf\x11\xe0|\{\\rtf": "노트북이 아니라 문서 파일입니다. 노트북(.ipynb)을 제출해야 합니다.",
    rb"\x89PNG|\xff\xd8\xff": "노트북이 아니라 그림 파일입니다. 노트북(.ipynb)을 제출해야 합니다.",
    rb"version https://git-lfs": "노트북의 내용이 없고 Git LFS의 표지만 있습니다. `git lfs pull`로 받은 노트북을 제출해야 합니다.",
}
_CONFLICT = re.compile(rb"^<{7} .*?^>{7} ", re.MULTILINE | re.DOTALL)
_UNMERGED = (
    "Git이 합치지 못한 곳(<<<<<<<)이 파일에 남아 있습니다. 한쪽을 골라 지운 다음 다시 제출해야 합니다."
)
_PYTHON = re.compile(rb"^(import|from|def|class) \w|^# (In\[|%%)", re.MULTILINE)
_SCRIPT = "노트북이 아니라 파이썬 코드입니다. 코드를 노트북(.ipynb)에 옮겨 제출해야 합니다."


def what_is_wrong(content: bytes) -> str:
    """Why a file that is no JSON is no notebook, and what to do (Korean, one line)."""
    if not content.strip(b"\0 \t\r\n"):  # a synchronised folder may fill what it has not fetched with zeros
        return _EMPTY
    for beginning, reason in _BEGINNINGS.items():
        if re.match(beginning, content, re.IGNORECASE):
            return reason
    if _CONFLICT.search(content):
        return _UNMERGED
    if content.lstrip().startswith(b"{"):
        return OTHERWISE if content.rstrip().endswith(b"}") else _CUT
    return _SCRIPT if _PYTHON.search(content) else OTHERWISE
