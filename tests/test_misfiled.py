"""What is handed in for a notebook and is none says what it is; what a tool has done to one is undone.

The kinds are those that people report of other tools: jupyter/help#67 and #171, jupyter/notebook#4889 (marks of a merge),
ageron/handson-ml#611 (a web page), vivek3141/dl-visualization#2 (0 bytes), jsboige/CoursIA#5028 (lines without their ends).
"""

import io
import json
import zipfile

import pytest

from grader.exercise import ROOT
from grader.notebook import Ungradable, parse

NOTEBOOK = (ROOT / "exercises" / "masking" / "masking.ipynb").read_bytes()


def zipped():
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("masking.ipynb", NOTEBOOK)
        return file.getvalue()


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "비어 있습니다"),
        (b"\r\n \n", "비어 있습니다"),
        (bytes(4096), "비어 있습니다"),
        (b"\n\n\n<!DOCTYPE html>\n<html lang=en>", "웹 페이지"),
        ("\ufeff<html><body>로그인이 필요합니다</body>".encode(), "웹 페이지"),
        ("<HTML><body>로그인이 필요합니다</body>".encode("cp949"), "웹 페이지"),
        ("<!doctype html>".encode("utf-16"), "웹 페이지"),
        (b"%PDF-1.7\n%\xe2\xe3", "PDF입니다"),
        (zipped(), "압축 파일"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "문서 파일"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "그림 파일"),
        (LFS, "git lfs pull"),
        (NOTEBOOK.replace(b"\n", b"\n<<<<<<< HEAD\n", 1) + b">>>>>>> branch 'main'\n", "합치지 못한"),
        (NOTEBOOK[: len(NOTEBOOK) // 2], "중간에서 끊겼습니다"),
        (b"#!/usr/bin/env python\n# coding: utf-8\n\n# In[1]:\n\nprint('hi')\n", "파이썬 코드"),
        ("def causal_mask(n):\n    return torch.ones(n, n)  # 마스크\n".encode("cp949"), "파이썬 코드"),
        (NOTEBOOK + b"\nsaved}", "JSON이 아닙니다"),
        ("숙제입니다. 감사합니다.\n".encode(), "JSON이 아닙니다"),
    ],
)
def test_what_is_no_notebook_says_what_it_is(content, said):
    with pytest.raises(Ungradable) as refused:
        parse(content)
    assert said in refused.value.reason and "\n" not in refused.value.reason


def test_lines_whose_ends_a_tool_has_dropped_stay_lines():
    notebook = json.loads(NOTEBOOK)
    right = [cell.source for cell in parse(NOTEBOOK)]
    for cell in notebook["cells"]:
        cell["source"] = [line.rstrip("\n") for line in cell["source"]]
    assert [cell.source for cell in parse(json.dumps(notebook).encode())] == right


def test_pieces_of_a_line_stay_one_line():
    cell = {"cell_type": "code", "source": ["a = 1\n", "b = ", "2"], "metadata": {}}
    content = json.dumps({"nbformat": 4, "cells": [cell]}).encode()
    assert [cell.source for cell in parse(content)] == ["a = 1\nb = 2"]


@pytest.mark.parametrize("kind", ["sql", "heading", "python"])
def test_a_tools_own_kind_of_cell_is_passed_over(kind):
    notebook = json.loads(NOTEBOOK)
    notebook["cells"].insert(1, {"cell_type": kind, "source": "select 1", "metadata": {}})
    cells = parse(json.dumps(notebook).encode())
    assert (cells[1].kind, cells[1].source) == ("raw", "select 1")
    assert cells[:1] + cells[2:] == parse(NOTEBOOK)
