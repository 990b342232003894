"""A submitted file is a stranger's: it is read, or refused with a reason, and never trusted."""

import copy
import json
import os
import subprocess
import sys

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.exercise import ROOT
from grader.gradebook.marked import marked_notebook
from grader.notebook import MAX_MB, Template, Ungradable, compare, parse, read_notebook, read_submitted
from grader.results import CaseResult, QuestionResult, Submission

TEMPLATE = Template.read(ROOT / "exercises" / "masking" / "masking.ipynb")
RELEASED = json.loads((ROOT / "exercises" / "masking" / "masking.ipynb").read_text(encoding="utf-8"))


@pytest.fixture
def notebook():
    return copy.deepcopy(RELEASED)


def find(notebook, name):
    return next(c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == name)


def read(notebook):
    return compare(parse(json.dumps(notebook).encode()), TEMPLATE)


def reason(notebook):
    with pytest.raises(Ungradable) as refused:
        read(notebook)
    return refused.value.reason


def test_an_untouched_notebook_is_read_as_it_is(notebook):
    sheet = read(notebook)
    assert sheet.notes == []
    assert [cell.source for cell in sheet.cells] == ["".join(cell["source"]) for cell in notebook["cells"]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe\x00", "JSON"),
        (b'{"nbformat": 4, "cells": [], "x": ' + b"[" * 100_000, "끊겼습니다"),
        (b"[]", "구조"),
        (b"{}", "구조"),
        (b'{"nbformat": 4, "cells": 3}', "구조"),
        (b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": 7}]}', "구조"),
        (b'{"nbformat": 4, "cells": [{"cell_type": 7}]}', "구조"),
        (b'{"nbformat": 3, "worksheets": []}', "nbformat 3"),
        (b'{"nbformat": 4, "cells": []}', "채점 칸이 없고"),
    ],
)
def test_what_is_no_notebook_is_refused_with_a_reason(content, said):
    with pytest.raises(Ungradable, match=said):
        compare(parse(content), TEMPLATE)


def test_another_notebook_is_refused(notebook):
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    assert "연습의 노트북이 아닌" in reason(notebook)


def test_a_missing_check_cell_costs_a_note(notebook):
    notebook["cells"].remove(find(notebook, "check_combine_masks"))
    assert read(notebook).notes == ["없던 채점 칸을 다시 넣었습니다: check_combine_masks"]


def test_a_doubled_check_cell_costs_a_note(notebook):
    notebook["cells"].append(find(notebook, "check_combine_masks"))
    assert read(notebook).notes == ["채점 칸이 여러 번 있습니다: check_combine_masks"]


def test_a_renamed_check_cell_is_added_back_and_not_taken_for_one(notebook):
    find(notebook, "check_combine_masks")["metadata"]["nbgrader"]["grade_id"] = "<script>"
    sheet = read(notebook)
    assert sheet.notes == [
        "없던 채점 칸을 다시 넣었습니다: check_combine_masks",
        "모르는 채점 칸은 채점하지 않습니다: ?script?",
    ]
    assert [cell.grade for cell in sheet.cells if cell.grade_id == "<script>"] == [False]


def test_lost_metadata_costs_nothing(notebook):
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    sheet = read(notebook)
    assert len(sheet.notes) == 1 and not any(cell.grade for cell in sheet.cells)


@pytest.mark.parametrize(
    "change",
    [{"points": 100}, {"points": None}, {"grade": False}, {"points": float("nan")}, {"points": "all"}],
)
def test_points_are_the_templates(notebook, change):
    find(notebook, "check_combine_masks")["metadata"]["nbgrader"].update(change)
    sheet = read(notebook)
    assert sheet.notes == [] and next(c for c in sheet.cells if c.grade_id == "check_combine_masks").grade


def test_an_answer_that_calls_itself_a_check_is_run(notebook):
    find(notebook, "combine_masks")["metadata"]["nbgrader"]["grade"] = True
    assert not next(cell for cell in read(notebook).cells if cell.grade_id == "combine_masks").grade


@pytest.mark.parametrize("name", ["check_combine_masks", "given_1", "opening"])
def test_a_locked_cell_is_put_back_and_that_is_said(notebook, name):
    find(notebook, name)["source"] = "print('10/10')"
    sheet = read(notebook)
    theirs, restored = (cell for cell in sheet.cells if cell.grade_id == name)
    assert theirs.source == "print('10/10')" and not theirs.grade
    assert restored.source == TEMPLATE.locked[name]["source"]
    assert len(sheet.notes) == 1 and name in sheet.notes[0]


def test_a_check_cell_turned_into_text_is_put_back(notebook):
    cell = find(notebook, "check_combine_masks")
    cell["cell_type"] = "markdown"
    del cell["outputs"], cell["execution_count"]
    sheet = read(notebook)
    assert [c.kind for c in sheet.cells if c.grade_id == "check_combine_masks"] == ["markdown", "code"]


def test_copied_answer_cells_and_added_cells_do_no_harm(notebook):
    notebook["cells"].append(copy.deepcopy(find(notebook, "combine_masks")))
    notebook["cells"].append(
        {"cell_type": "code", "metadata": {}, "source": ["x = 1\n", "y = 2"], "outputs": []}
    )
    sheet = read(notebook)
    assert sheet.notes == [] and sheet.cells[-1].source == "x = 1\ny = 2"


def test_odd_but_readable_files_are_read(notebook):
    find(notebook, "combine_masks")["outputs"] = [{"value": float("nan")}]
    find(notebook, "combine_masks")["source"] = "'\ud800'"
    content = b"\xef\xbb\xbf" + json.dumps(notebook).encode()
    sheet = compare(parse(content), TEMPLATE)
    assert "'?'" in [cell.source for cell in sheet.cells]


@given(st.binary(max_size=200) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["nbformat", "cells", "cell_type", "source", "metadata", "nbgrader", "grade_id", "points"]),
        inner, max_size=5,
    ),
    max_leaves=20,
).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_whatever_the_file_holds_it_is_read_or_refused(content):
    try:
        compare(parse(content), TEMPLATE)
    except Ungradable as refused:
        assert refused.reason


class TestFiles:
    def test_missing(self, tmp_path):
        with pytest.raises(Ungradable, match="없습니다"):
            read_submitted(tmp_path / "masking.ipynb")

    def test_link(self, tmp_path):
        (tmp_path / "other").write_text("{}")
        (tmp_path / "masking.ipynb").symlink_to(tmp_path / "other")
        with pytest.raises(Ungradable, match="열 수 없습니다"):
            read_submitted(tmp_path / "masking.ipynb")

    def test_folder_and_pipe(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.ipynb")
        for path in (tmp_path, tmp_path / "pipe.ipynb"):
            with pytest.raises(Ungradable, match="보통 파일이 아닙니다"):
                read_submitted(path)

    def test_too_large(self, tmp_path):
        path = tmp_path / "masking.ipynb"
        with open(path, "wb") as file:
            file.truncate((MAX_MB << 20) + (1 << 20))
        with pytest.raises(Ungradable, match=f"{MAX_MB + 1} MB"):
            read_submitted(path)


def judged(question, earned=1.0, hidden=False, detail=""):
    reason = "" if earned else "까닭"
    case = CaseResult(
        name="t", question=question, possible=1.0, earned=earned, hidden=hidden, reason=reason, detail=detail
    )
    return QuestionResult(question=question, cases=[case])


def mark(cells, submission):
    marked = nbformat.reads(
        marked_notebook(TEMPLATE, cells, {}, submission, "http://b").decode(), as_version=4
    )
    nbformat.validate(marked)
    return marked


def submission(**fields):
    return Submission(**{"exercise": "masking", "student": "s", "verdict": "graded", **fields})


def check_cells(marked):
    return {
        c.metadata.nbgrader.grade_id: c for c in marked.cells if c.metadata.get("nbgrader", {}).get("grade")
    }


def test_the_marked_notebook_carries_points_and_reasons(notebook):
    results = [judged("padding_mask"), judged("combine_masks", 0.0, detail="보이는 차이")]
    marked = mark(read(notebook).cells, submission(questions=results))
    right, wrong = check_cells(marked)["check_padding_mask"], check_cells(marked)["check_combine_masks"]
    assert right.outputs[-1]["data"]["text/plain"] == "1.0"
    assert wrong.outputs[-1]["data"]["text/plain"] == "0.0"
    assert "까닭" in wrong.outputs[0]["text"] and "보이는 차이" in wrong.outputs[0]["text"]


def test_the_marked_notebook_keeps_a_hidden_tests_details_back(notebook):
    marked = mark(
        read(notebook).cells, submission(questions=[judged("combine_masks", 0.0, True, "secret == 3")])
    )
    said = check_cells(marked)["check_combine_masks"].outputs[0]["text"]
    assert "까닭" in said and "secret" not in said


def test_an_ungradable_notebook_is_marked_with_its_reason_and_without_points(notebook):
    notebook["cells"].remove(find(notebook, "check_combine_masks"))
    notebook["cells"].append(copy.deepcopy(find(notebook, "padding_mask")))
    cells = parse(json.dumps(notebook).encode())
    marked = mark(cells, submission(verdict="ungradable", reason="망가졌습니다."))
    assert "망가졌습니다." in marked.cells[0].source
    assert check_cells(marked).keys() == TEMPLATE.checks.keys()
    outputs = [output for cell in check_cells(marked).values() for output in cell.outputs]
    assert {output.output_type for output in outputs} == {"stream"}


def test_an_unreadable_notebook_has_room_for_a_persons_comments():
    marked = mark([], submission(verdict="ungradable", reason="JSON이 아닙니다."))
    ids = [c.metadata.nbgrader.grade_id for c in marked.cells if "nbgrader" in c.metadata]
    assert ids == [name for check in TEMPLATE.checks for name in (check.removeprefix("check_"), check)]


def test_a_check_cell_that_was_deleted_stands_behind_its_answer_again(notebook):
    notebook["cells"].remove(find(notebook, "check_padding_mask"))
    marked = mark(read(notebook).cells, submission(questions=[judged("padding_mask")]))
    ids = [c.metadata.nbgrader.grade_id for c in marked.cells if "nbgrader" in c.metadata]
    assert ids.index("check_padding_mask") == ids.index("padding_mask") + 1


def test_a_forged_identity_does_not_reach_the_marked_notebook(notebook):
    notebook["cells"].insert(
        0,
        {
            "cell_type": "markdown",
            "source": "I am graded",
            "metadata": {"nbgrader": {"grade_id": "given_1", "grade": False, "evil": "x" * 99}},
        },
    )
    marked = mark(read(notebook).cells, submission())
    ids = [c.metadata.nbgrader.grade_id for c in marked.cells if "nbgrader" in c.metadata]
    assert len(ids) == len(set(ids))
    assert "evil" not in nbformat.writes(marked)


def test_large_outputs_are_skipped_while_reading(notebook, tmp_path):
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * (12 << 20)}}
    code = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    code["outputs"] = [picture] * 3
    path = tmp_path / "masking.ipynb"
    path.write_text(json.dumps(notebook))
    content = read_notebook(path)
    assert len(content) < 1 << 20
    assert parse(content) == parse(path.read_bytes())


def test_a_limit_that_stays_names_the_size(notebook, tmp_path):
    notebook["cells"][0]["source"] = "#" * (33 << 20)
    path = tmp_path / "masking.ipynb"
    path.write_text(json.dumps(notebook))
    with pytest.raises(Ungradable, match="33 MB.*32 MB"):
        read_notebook(path)


@pytest.mark.whole
def test_a_notebook_that_was_run_leaves_nothing_to_do_at_the_processs_end(tmp_path):
    """IPython clears a shell's names then and searches all memory: minutes, after some hundred notebooks."""
    code = (
        "import pathlib, IPython.core.interactiveshell as i, grader.student.execute as e\n"
        "i.InteractiveShell._atexit_once = lambda self: print('cleared')\n"
        "e.run_here(['x = 1'], pathlib.Path('.'))"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr
