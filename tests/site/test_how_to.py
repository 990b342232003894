"""The check that the how-to page shows is what a student would see."""

import torch
from browsing import ROOT

from grader.exercise import find_public
from grader.student.check import check_names, result_lines


def test_the_shown_result_is_a_real_one():
    def masked_softmax(scores, mask):
        return torch.softmax(scores, dim=-1) * mask

    exercise = find_public("masking", ROOT)
    names = {"masked_softmax": masked_softmax}
    [result] = check_names(exercise, names, "masked_softmax")
    shown = "\n".join(result_lines(result, exercise.book_url))
    assert f"```text\n{shown}\n```" in (ROOT / "chapters" / "how_to.md").read_text(encoding="utf-8")
