"""A sample class whose right scores are known: it shows the grader, and tests it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from grader.classroom.batch import grade_class
from grader.classroom.folder import Classroom
from grader.classroom.newclass import make_class
from grader.classroom.sample import Sample, grade_id
from grader.errors import GraderError
from grader.exercise import find_exercise
from grader.results import Submission, write_whole

EXERCISE = "masking"
WALL_SECONDS = 5  # two of the twelve never end
MARKER = ".demo"

FULL = {
    "padding_mask": 2.0,
    "look_ahead_mask": 1.5,
    "combine_masks": 2.0,
    "masked_softmax": 3.0,
    "causal_attention_is_causal": 1.5,
}
# Points for each question that is not right, or the part of the reason that tells why there are none.
EXPECTED: dict[str, dict[str, float] | str] = {
    "01 all right": {},
    "02 one mistake": {"look_ahead_mask": 0.0},
    "03 two mistakes": {"padding_mask": 0.5, "masked_softmax": 0.75},
    "04 세 군데 틀림": {"look_ahead_mask": 0.0, "combine_masks": 0.0, "causal_attention_is_causal": 0.75},
    "05 untouched": dict.fromkeys(FULL, 0.0),
    "06 cells that fail": {"padding_mask": 0.0, "combine_masks": 0.0},
    "07 prints 100 MB": {},
    "08 never returns": "제한 시간",
    "09 kills its process": "프로세스가 끝났습니다",
    "10 cut off": "중간에서 끊겼습니다",
    "11 check cell missing": {},
    "12 check cell edited": {},
}


def make(folder: Path) -> Classroom:
    """Make the class, anew where an earlier one lies.

    Raises:
        GraderError: something else lies there.
    """
    if (folder / MARKER).exists():
        shutil.rmtree(folder)
    exercise = find_exercise(EXERCISE)
    make_class(folder, [exercise], book_url=None, wall_seconds=WALL_SECONDS)
    write_whole(folder / MARKER, b"")
    classroom = Classroom.open(folder)
    for student, notebook in submissions(Sample(classroom, exercise)).items():
        content = (
            notebook if isinstance(notebook, str) else json.dumps(notebook, ensure_ascii=False, indent=1)
        )
        write_whole(classroom.submitted(EXERCISE, student), content.encode())
    return classroom


def submissions(sample: Sample) -> dict[str, dict | str]:
    """Work by student: a notebook, or the text of a file that is none."""
    wrong = sample.mistaken
    edited = sample.solved()
    missing = sample.solved()
    for cell in edited["cells"]:
        if grade_id(cell) == "check_padding_mask":
            cell["source"] = "print('2/2')\n2.0"
    missing["cells"] = [cell for cell in missing["cells"] if grade_id(cell) != "check_masked_softmax"]
    made = [
        sample.solved(),
        sample.solved(look_ahead_mask=wrong("look_ahead_mask", "forgot_the_diagonal")),
        sample.solved(
            padding_mask=wrong("padding_mask", "flipped_polarity"),
            masked_softmax=wrong("masked_softmax", "softmax_over_queries"),
        ),
        sample.solved(
            look_ahead_mask=wrong("look_ahead_mask", "transposed"),
            combine_masks=wrong("combine_masks", "either_mask"),
            causal_attention_is_causal=wrong("causal_attention_is_causal", "changes_only_the_last"),
        ),
        sample.released,
        sample.solved(
            padding_mask="1 / 0\n" + sample.answer("padding_mask"),
            combine_masks="def combine_masks(padding, look_ahead)\n    return padding",
        ),
        sample.solved(
            masked_softmax=sample.answer("masked_softmax") + "\nfor _ in range(2000): print('x' * 50_000)"
        ),
        sample.solved(look_ahead_mask="while True: pass"),
        sample.solved(combine_masks="import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"),
        json.dumps(sample.solved())[:-100],
        missing,
        edited,
    ]
    return dict(zip(EXPECTED, made, strict=True))


def grade(classroom: Classroom) -> list[Submission]:
    outcome = grade_class(classroom, EXERCISE, jobs=2)
    if outcome.failures:
        raise GraderError("; ".join(f"{student}: {reason}" for student, reason in outcome.failures.items()))
    return [outcome.submissions[student] for student in sorted(outcome.submissions)]


def differences(submissions: list[Submission]) -> list[str]:
    """Deviations from the expected results, one line each."""
    found = {submission.student: submission for submission in submissions}
    lines = [f"{student}: no result" for student in EXPECTED if student not in found]
    for student, submission in found.items():
        expected = EXPECTED[student]
        if isinstance(expected, str):
            if submission.verdict != "ungradable" or expected not in submission.reason:
                lines.append(
                    f"{student}: must be ungradable ({expected}), but: {submission.reason or 'graded'}"
                )
            continue
        earned = {result.question: result.earned for result in submission.questions}
        if submission.verdict != "graded" or earned != {**FULL, **expected}:
            lines.append(f"{student}: must be { ({**FULL, **expected}) }, but: {submission.reason or earned}")
    return lines
