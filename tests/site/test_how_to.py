"""The checks that the landing page and the how-to page show are what a student would see."""

import re

import pytest
import torch
from browsing import ROOT

from grader.exercise import find_public
from grader.student.check import check_names, result_lines

RESULT = re.compile(r"^:class: check-result\n\n(.*?)\n```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["index", "how_to"])
def test_the_shown_result_is_a_real_one(page):
    """The landing page shows the answer, and the first lines of what comes of it."""

    def masked_softmax(scores, mask):
        return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)

    exercise = find_public("masking", ROOT)
    [result] = check_names(exercise, {"torch": torch, "masked_softmax": masked_softmax}, "masked_softmax")
    lines = result_lines(result, "https://example.org/book")
    shown = RESULT.search((ROOT / "chapters" / f"{page}.md").read_text(encoding="utf-8"))[1].splitlines()
    assert shown == (lines if page == "how_to" else lines[:3])
