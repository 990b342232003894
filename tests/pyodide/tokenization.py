"""The exercise `tokenization`, as a student has it: its notebook is run and checked; then answers, right and wrong."""

import json
from pathlib import Path

import grader.student.no_torch  # noqa: F401
from grader.exercise import PublicExercise
from grader.judging.mistakes import load_bank
from grader.student.check import check_names
from grader.student.execute import read_code, run_here

COURSE = Path("/course")
exercise = PublicExercise(COURSE / "exercises" / "tokenization")


def results(found):
    return {
        one.question: {
            "earned": one.earned,
            "possible": one.possible,
            "mistake": one.mistake,
            "unanswered": one.unanswered,
        }
        for one in found
    }


cells = read_code(exercise.notebook)
names, moments, errors = run_here(cells, Path("/tmp"))
untouched = results(check_names(exercise, names, None, cells, moments))

solution = (COURSE / "solutions" / "tokenization.py").read_text(encoding="utf-8").split("\n# %%")
answers = [part.partition("\n")[2] for part in solution if "[markdown]" not in part.partition("\n")[0]]
names, moments, failed = run_here(answers, Path("/tmp"))
right = results(check_names(exercise, names, None, answers, moments))

wrong = []
for answer, mistake in load_bank(
    COURSE / "grader" / "misconceptions" / "tokenization.py", "tokenization"
).items():
    [one] = check_names(exercise, {**names, mistake.question: answer}, mistake.question)
    wrong.append([mistake.question, mistake.name, one.mistake])

told = {"untouched": untouched, "errors": [vars(e) for e in errors + failed], "right": right, "wrong": wrong}
print(json.dumps(told))
