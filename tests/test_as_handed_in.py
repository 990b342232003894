"""Notebooks as people hand them in: an answer is what it was when its check ran, IPython is the language, home and class agree.

Each case is a right notebook with something around it that other graders were reported to trip over.
"""

import codecs
import copy
import json
from pathlib import Path

import pytest
from sampled import one_in

from grader.classroom.folder import Classroom
from grader.classroom.job import Job, job_of
from grader.classroom.judge_process import JudgeSettings, make_grader
from grader.classroom.sample import Sample, grade_id
from grader.exercise import PublicExercise, find_exercise
from grader.judging.failures import DEBUGGED
from grader.sandbox import Limits
from grader.student.selfcheck import run

EXERCISES = Path(__file__).resolve().parents[1] / "exercises"
FULL = 10.0
STEM = "masking"


def source_of(cells: list[dict], name: str) -> dict:
    return next(cell for cell in cells if grade_id(cell) == name)


def put(name: str, *, above: str = "", below: str = ""):
    """Write lines above or below what a cell holds."""

    def change(cells):
        cell = source_of(cells, name)
        cell["source"] = above + "".join(cell["source"]) + below

    return change


def append(*sources: str):
    def change(cells):
        cells += [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": s}
            for s in sources
        ]

    return change


def prepend(*sources: str):
    def change(cells):
        more: list = []
        append(*sources)(more)
        cells[:0] = more

    return change


HARMLESS = {
    # a name used again, or all names gone, below the check
    "a variable of the same name": append("padding_mask = padding_mask([3, 1], 3)"),
    "reset": append("%reset -f"),
    "deleted": append("del padding_mask, masked_softmax"),
    "an old answer below": append("def look_ahead_mask(length, device=None):\n    raise NotImplementedError"),
    "a builtin shadowed below": append("sum = 3\nlen = None\nprint = 0"),
    # what a notebook leaves behind
    "float64": append("torch.set_default_dtype(torch.float64)"),
    "float64 on top": put("given_1", below="\ntorch.set_default_dtype(torch.float64)"),
    "a GPU as default": put("given_1", below="\ntorch.set_default_device('cuda')"),
    "meta as default": append("torch.set_default_device('meta')"),
    "no gradients": append("torch.set_grad_enabled(False)"),
    "inference mode": append("torch.inference_mode().__enter__()"),
    "anomalies": append("torch.autograd.set_detect_anomaly(True)"),
    "deterministic": append("torch.use_deterministic_algorithms(True)"),
    "warnings are errors": append("import warnings; warnings.simplefilter('error')"),
    "numpy raises": append("import numpy as np; np.seterr(all='raise')"),
    "a patched function": append("torch.equal = torch.allclose = lambda *a, **k: False"),
    "a patched method": append("torch.Tensor.softmax = torch.Tensor.clone = None or (lambda *a, **k: 3)"),
    "a patched class": append("torch.nn.Module.__call__ = lambda *a, **k: 3"),
    "another torch": append("import sys; sys.modules['torch'] = sys"),
    "stdout is closed": append("import sys; sys.stdout = open('log.txt', 'w'); sys.stdout.close()"),
    "few calls deep": append("import sys; sys.setrecursionlimit(400)"),
    # IPython's lines
    "matplotlib inline": put("masked_softmax", above="%matplotlib inline\n"),
    "cd": put("masked_softmax", above="%cd somewhere\n"),
    "pip": put("masked_softmax", above="!pip install seaborn\n%pip install seaborn\n"),
    "a list from the shell": put("masked_softmax", above="gpu = !nvidia-smi\ngpu[0]\n"),
    "help": put("masked_softmax", above="torch.softmax?\n"),
    "autoreload": put("masked_softmax", above="%load_ext autoreload\n%autoreload 2\n"),
    "an unknown line magic": put("masked_softmax", above="%unheard_of now\n"),
    "an unknown cell magic": put("masked_softmax", above="%%unheard_of\n"),
    "time": put("masked_softmax", above="%%time\n"),
    "capture": put("masked_softmax", above="%%capture shown\n"),
    "timeit in a condition": put("masked_softmax", above="if True:\n    %timeit torch.ones(2)\n"),
    "await": put("masked_softmax", above="import asyncio\nawait asyncio.sleep(0.001)\n"),
    "input": put("masked_softmax", above="name = input('?')\n"),
    "a missing package": put(
        "masked_softmax", above="import seaborn as sns\nfrom einops import rearrange\nsns.set_theme()\n"
    ),
    "Colab's drive": put(
        "masked_softmax", above="from google.colab import drive\ndrive.mount('/content/drive')\n"
    ),
    "a style that is not there": put(
        "masked_softmax", above="import matplotlib.pyplot as plt\nplt.style.use('seaborn')\n"
    ),
    "a GPU that is not there": put("masked_softmax", above="torch.ones(2, device='cuda')\n"),
    "a file that is not there": put("masked_softmax", above="open('data.csv')\n"),
    # what students write where they like
    "an import in a locked cell": put("given_1", below="\nimport math as mathematics"),
    "a helper in a check cell": put("check_padding_mask", above="import math\n", below="\nhelper = 1"),
    "compiled": put("masked_softmax", below="\nmasked_softmax = torch.compile(masked_softmax)"),
    "scripted": put("masked_softmax", below="\nmasked_softmax = torch.jit.script(masked_softmax)"),
    "a cell of shell": prepend("%%bash\nls"),
}


@pytest.fixture(scope="module")
def classroom(masking_class):
    return Classroom.open(masking_class)


@pytest.fixture(scope="module")
def right(classroom):
    solved = Sample(classroom, find_exercise(STEM)).solved()
    return lambda: copy.deepcopy(solved)


@pytest.fixture(scope="module")
def grader(classroom):
    made = make_grader(JudgeSettings(classroom.root, STEM, unconfined=False))
    yield made
    made.close()


@pytest.fixture(scope="module")
def graded(grader):
    """graded(notebook or bytes): what a class makes of it, and the marked notebook."""

    def grade(notebook):
        content = notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode()
        return grader.grade(Job(student="s", content=content, digest="d"))

    return grade


@pytest.fixture(scope="module")
def in_class(graded):
    return lambda notebook: graded(notebook).submission


@pytest.fixture
def at_home(tmp_path):
    """at_home(notebook or bytes): the questions that lose points there, public tests only."""
    exercise = PublicExercise(EXERCISES / STEM)

    def check(notebook):
        path = tmp_path / "masking.ipynb"
        path.write_bytes(notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode())
        results, _ = run(path, exercise)
        return [result.question for result in results if result.earned < result.possible]

    return check


@pytest.mark.parametrize("what", one_in(2, HARMLESS))
def test_it_costs_nothing_in_a_class(in_class, right, what):
    notebook = right()
    HARMLESS[what](notebook["cells"])
    submission = in_class(notebook)
    assert submission.earned == FULL, [question.reason for question in submission.questions]


@pytest.mark.parametrize("what", one_in(5, HARMLESS))
def test_home_says_what_the_class_says(at_home, right, what):
    notebook = right()
    HARMLESS[what](notebook["cells"])
    assert at_home(notebook) == []


def test_answers_in_a_file_that_the_notebook_writes(in_class, at_home, right):
    notebook = right()
    code = "".join(source_of(notebook["cells"], "given_1")["source"]) + "\n\n"
    for name in find_exercise(STEM).suite.questions:
        cell = source_of(notebook["cells"], name)
        code, cell["source"] = code + cell["source"] + "\n\n", "from answers import *"
    prepend(f"%%writefile answers.py\n{code}")(notebook["cells"])
    assert in_class(notebook).earned == FULL
    assert at_home(notebook) == []


def test_an_own_module_that_was_not_handed_in_is_named(in_class, right):
    notebook = right()
    source_of(notebook["cells"], "padding_mask")["source"] = "from helper import *\nmask = 1"
    submission = in_class(notebook)
    assert submission.earned < FULL
    assert "채점하는 곳에 없는 패키지나 파일: helper" in submission.notes


def test_a_function_written_again_below_its_check_is_noted(in_class, right):
    notebook = right()
    append("def look_ahead_mask(length, device=None):\n    return 3")(notebook["cells"])
    submission = in_class(notebook)
    assert submission.earned == FULL
    assert [note for note in submission.notes if "look_ahead_mask" in note and "다시 썼습니다" in note]


def test_a_line_that_fails_anywhere_takes_its_cell_along(in_class, at_home, right):
    notebook = right()
    put("masked_softmax", above="1 / 0\n")(notebook["cells"])
    assert in_class(notebook).earned == FULL - 3
    assert at_home(notebook) == ["masked_softmax"]


def test_an_answer_below_its_check_counts(in_class, right):
    notebook = right()
    answer = source_of(notebook["cells"], "padding_mask")
    append(answer["source"])(notebook["cells"])
    answer["source"] = "def padding_mask(lengths, length):\n    raise NotImplementedError"
    assert in_class(notebook).earned == FULL


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_in_a_text_cell_is_named(in_class, right, kind):
    notebook = right()
    source_of(notebook["cells"], "combine_masks")["cell_type"] = kind
    submission = in_class(notebook)
    assert FULL - 3 < submission.earned < FULL
    assert "답 칸 `combine_masks`: 코드 칸이 아니라 글 칸이라서 실행하지 않습니다." in submission.notes


def test_a_package_that_an_answer_needs_is_named(in_class, right):
    notebook = right()
    put(
        "padding_mask",
        above="from einops import rearrange\n",
        below="\n_right = padding_mask\n"
        "def padding_mask(lengths, length):\n    return rearrange(_right(lengths, length), 'b n -> b n')",
    )(notebook["cells"])
    submission = in_class(notebook)
    [lost] = [question for question in submission.questions if question.earned < question.possible]
    assert lost.question == "padding_mask" and lost.reason == "`einops` 패키지가 이 컴퓨터에 없습니다."
    assert "채점하는 곳에 없는 패키지나 파일: einops" in submission.notes


@pytest.mark.parametrize("line", ["breakpoint()", "import pdb; pdb.set_trace()"])
def test_a_debugger_that_was_left_is_named(in_class, right, line):
    notebook = right()
    put(
        "padding_mask",
        below="\n_right = padding_mask\n"
        f"def padding_mask(lengths, length):\n    {line}\n    return _right(lengths, length)",
    )(notebook["cells"])
    [lost] = [question for question in in_class(notebook).questions if question.earned < question.possible]
    assert lost.question == "padding_mask" and lost.reason == DEBUGGED


@pytest.mark.parametrize(
    ("own", "note"),
    [
        (
            "import os\nos.kill(os.getpid(), 9)  # Colab's way to a new font",
            "2번째 코드 칸을 실행하다가 프로세스가",
        ),
        ("import os\nos._exit(0)", "2번째 코드 칸을 실행하다가 프로세스가"),
        ("for epoch in range(10**12): pass", "2번째 코드 칸이 제한 시간(3초)"),
    ],
)
def test_a_cell_beside_the_answers_that_ends_the_process_or_never_ends(
    grader, in_class, right, monkeypatch, own, note
):
    monkeypatch.setattr(grader, "_limits", Limits.within(3))

    def with_own(source):
        notebook, cells = right(), []
        append(source)(cells)
        notebook["cells"][2:2] = cells
        return notebook

    submission = in_class(with_own(own))
    assert (submission.verdict, submission.earned) == ("graded", FULL)
    [said] = submission.notes
    assert said.startswith(note) and said.endswith("이 칸을 빼고 채점했습니다.")
    # What an answer may lack without it is a person's to decide.
    notebook = with_own(f"visible = lambda a, b: a[:, None] & b\n{own}")
    source_of(notebook["cells"], "combine_masks")["source"] = "combine_masks = visible"
    lacking = in_class(notebook)
    assert lacking.verdict == "ungradable" and lacking.reason.startswith(note)
    assert lacking.questions == []


def test_a_name_that_is_no_function_any_more_is_named(in_class, right):
    notebook = right()
    put("padding_mask", below="\npadding_mask = padding_mask(torch.tensor([1]), 2)")(notebook["cells"])
    [lost] = [question for question in in_class(notebook).questions if question.earned < question.possible]
    assert lost.reason.startswith("함수여야 할 것이 `Tensor`입니다.")


def test_what_try_catches_is_still_caught(in_class, right):
    notebook = right()
    put(
        "given_1",
        below="\ntry:\n    import flash_attn\nexcept ImportError:\n    flash_attn = None\nassert flash_attn is None",
    )(notebook["cells"])
    submission = in_class(notebook)
    assert submission.earned == FULL and not [note for note in submission.notes if "오류" in note]


def test_a_wrong_answer_stays_wrong_whatever_stands_below(in_class, right):
    notebook = right()
    wrong = (
        "def look_ahead_mask(length, device=None):\n    return torch.ones(length, length, dtype=torch.bool)"
    )
    source_of(notebook["cells"], "look_ahead_mask")["source"] = wrong
    append(*[source_of(right()["cells"], "look_ahead_mask")["source"]])(notebook["cells"])
    assert in_class(notebook).earned < FULL


ENCODINGS = {
    "a mark of its order of bytes": lambda text: codecs.BOM_UTF8 + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16, big end first": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "Korean Windows": lambda text: text.encode("cp949", "ignore"),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_home_and_class_read_what_editors_save(in_class, at_home, right, encoding):
    content = ENCODINGS[encoding](json.dumps(right(), ensure_ascii=False, indent=1))
    assert in_class(content).earned == FULL
    assert at_home(content) == []


class TestReports:
    """What people who taught with other graders have reported, tried on ours."""

    def test_an_answer_in_a_cell_of_its_own_and_a_check_cell_twice(self, in_class, right, classroom):
        """moorepants/resonance#109"""
        notebook = right()
        cells = notebook["cells"]
        released = json.loads((classroom.released(STEM) / f"{STEM}.ipynb").read_bytes())["cells"]
        answer, own = source_of(cells, "look_ahead_mask"), []
        append(answer["source"])(own)
        answer["source"] = source_of(released, "look_ahead_mask")["source"]
        at = cells.index(answer)
        cells[at + 1 : at + 1] = own
        cells.insert(at + 3, copy.deepcopy(source_of(cells, "check_look_ahead_mask")))
        assert in_class(notebook).earned == FULL

    def test_check_cells_that_are_gone_are_there_for_formgrader(self, graded, right):
        """jupyter/nbgrader#1682"""
        notebook = right()
        notebook["cells"] = [cell for cell in notebook["cells"] if not grade_id(cell).startswith("check_")]
        made = graded(notebook)
        checks = [grade_id(cell) for cell in json.loads(made.notebook)["cells"] if "check_" in grade_id(cell)]
        assert sorted(checks) == sorted(f"check_{name}" for name in find_exercise(STEM).suite.questions)
        assert made.submission.earned == FULL

    def test_a_check_cell_of_an_older_hand_out(self, in_class, right):
        """TU-Wien-dataLAB/grader-service#341"""
        notebook = right()
        older = copy.deepcopy(source_of(notebook["cells"], "check_padding_mask"))
        older["metadata"]["nbgrader"]["grade_id"] = "check_segment_mask"
        older["source"] = 'check("masking", "segment_mask")'
        notebook["cells"].insert(6, older)
        submission = in_class(notebook)
        assert submission.earned == FULL
        assert [note for note in submission.notes if "check_segment_mask" in note]

    def test_a_file_that_another_system_finds(self, graded, right):
        """ucbds-infra/otter-grader#750: `data` and `Data` are one folder on Windows and macOS."""
        notebook = right()
        append("rows = open('Data/penguins.csv').read()\nrows")(notebook["cells"])
        made = graded(notebook)
        assert made.submission.earned == FULL
        assert [note for note in made.submission.notes if "FileNotFoundError" in note]
        assert b"Data/penguins.csv" in made.notebook

    def test_a_notebook_of_the_students_own_name(self, classroom, right, tmp_path):
        """jupyter/nbgrader#1302: `WMS q3.ipynb`, where q3.ipynb was handed out."""
        (tmp_path / "WMS masking.ipynb").write_text(json.dumps(right()))
        job = job_of(tmp_path / "WMS masking.ipynb", STEM, "wms16", "rules")
        assert not job.refused and "WMS masking.ipynb" in job.notes[0]

    def test_what_stands_in_a_locked_cell_is_shown(self, graded, right):
        """jupyter/nbgrader#500, the other half: who looks at a graded notebook sees what was run."""
        notebook = right()
        put("check_padding_mask", above="helper = 'mine'\n")(notebook["cells"])
        assert b"helper = 'mine'" in graded(notebook).notebook


def test_outputs_do_not_count(in_class, right):
    notebook = right()
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * (60 << 20)}}
    source_of(notebook["cells"], "padding_mask")["outputs"] = [picture]
    assert in_class(notebook).earned == FULL
