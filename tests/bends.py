"""Notebooks as programs write them and as people bend them, for Hypothesis: none of it may cost a point."""

from __future__ import annotations

import ast
import codecs
import copy
import json
import unicodedata
from dataclasses import dataclass, field

from hypothesis import strategies as st

from grader.classroom.sample import Sample, grade_id

# Lines that do in Jupyter, Colab, VS Code or Kaggle what does not matter here, for anywhere in a code cell.
LINES = [
    "%matplotlib inline", "%cd ..", "!pip install -q einops", "%pip install seaborn", "gpu = !nvidia-smi", "?torch",
    "torch.softmax?", "%load_ext autoreload", "%unheard_of 3", "%%time", "%%capture", "%%unheard_of", "%time 1 + 1",
    "import seaborn as sns", "from google.colab import drive; drive.mount('/content/drive')", "await __import__('asyncio').sleep(0)",
    "input('?')", "print('가' * 99)", "open('data.csv')", "__import__('torch').ones(2, device='cuda')", "%who", "%env A=1",
    "if True:\n    %timeit 1", "if True:\n    !ls", "for _ in range(2):\n    x_ = !pwd", "# 주석", "%%javascript", "None;",
    "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()", "with __import__('torch').no_grad(): pass", "'''글'''",
]  # fmt: skip
# What stays behind of a cell and must not reach the judging of any answer.
LEFT = [
    "torch.set_default_dtype(torch.float64)", "torch.set_default_device('cuda')", "torch.set_default_device('meta')",
    "torch.set_grad_enabled(False)", "torch.inference_mode().__enter__()", "torch.autograd.set_detect_anomaly(True)",
    "torch.use_deterministic_algorithms(True)", "torch.manual_seed(7)", "torch.set_num_threads(2)", "torch.set_flush_denormal(True)",
    "import random, numpy; random.seed(3); numpy.random.seed(3)", "import os; os.chdir('/')", "%cd /", "import sys; sys.path.clear()",
    "import warnings; warnings.simplefilter('error')", "import numpy as np; np.seterr(all='raise')", "torch.set_printoptions(precision=1)",
    "import sys; sys.setrecursionlimit(300)", "import sys; sys.stderr = None", "import gc; gc.disable()", "sys_exit = 1; exit()",
    "import sys; sys.exit(3)", "raise KeyboardInterrupt", "import threading; threading.Thread(target=print).start()",
    "import logging; logging.disable()", "torch.set_float32_matmul_precision('medium')", "torch.autocast('cpu').__enter__()",
    "torch.autograd.graph.save_on_cpu().__enter__()", "torch.set_default_tensor_type(torch.DoubleTensor)", "import sys; sys.settrace(None)",
    "torch.nn.modules.module.register_module_forward_hook(lambda *a: 0)", "torch.overrides.BaseTorchFunctionMode().__enter__()",
]  # fmt: skip
# Names used again, names gone, what the judge calls patched: below the last check.
LAST = [
    "%reset -f", "globals().clear()", "get_ipython().reset()", "{} = {}", "del {}", "{} = None", "def {}(*a, **k):\n    raise ValueError",
    "class {}:\n    pass", "torch.equal = torch.allclose = torch.isclose = lambda *a, **k: False", "torch.Tensor.softmax = lambda *a, **k: 3",
    "torch.Tensor.clone = torch.Tensor.detach = torch.clone = None", "torch.nn.Module.__call__ = lambda *a, **k: 3",
    "torch.nn.functional.softmax = torch.softmax = lambda x, *a, **k: x", "torch.float32 = torch.float64", "torch.inf = 3; torch.nan = 0",
    "import math; math.inf = math.pi = 3; math.sqrt = lambda x: x", "import builtins; builtins.sum = builtins.len = lambda *a: 0",
    "import sys; sys.modules['torch'] = sys", "sum = len = print = max = 3", "torch.Tensor.__add__ = lambda *a: 3", "torch = 3",
    "torch.tensor = torch.randn", "torch.no_grad = torch.enable_grad = None", "torch.autograd.grad = lambda *a, **k: ()", "nn = F = Tensor = 3",
    "torch.Tensor.shape = (1,)", "torch.Tensor.grad_fn = None", "torch.Tensor.__eq__ = lambda *a: 3", "torch.bool = torch.int8",
    "torch.nn.Module.train = torch.nn.Module.eval = lambda *a, **k: None", "torch.nn.init.zeros_ = None; torch.nn.Linear = dict",
]  # fmt: skip
# What one cell makes and another needs.
NEEDED = [
    ("import math as m{n}", "m{n}.pi"),
    ("def h{n}():\n    return {n}", "assert h{n}() == {n}"),
    ("h{n} = [{n}]", "h{n}[0] + 1"),
    ("from torch.nn import functional as f{n}", "f{n}.relu"),
]


@dataclass
class Bent:
    """A notebook, and what has been done to it.

    Attributes:
        answers: the wrong answers among its answers, by question: names in the exercise's bank.
        sources: what its author wrote: none of it may be lost.
    """

    content: bytes
    answers: dict[str, str]
    said: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    def _repr_pretty_(self, printer, cycle) -> None:
        printer.text(f"{self.answers} {self.said}")


@st.composite
def bent_notebooks(draw, sample: Sample, bank: dict[str, list[str]]) -> Bent:
    """
    Args:
        bank: names of wrong answers by question; the keys are all questions in order.
    """
    wrong = draw(st.lists(st.sampled_from(list(bank)), max_size=2, unique=True))
    answers = {question: draw(st.sampled_from(bank[question])) for question in wrong if bank[question]}
    notebook = sample.solved(**{q: sample.mistaken(q, name) for q, name in answers.items()})
    bender, said = _Bender(draw, notebook["cells"], list(bank), sample), []
    for _ in range(draw(st.integers(0, 5))):
        said.append(bender.one())
    if draw(st.booleans()):
        said.append(bender.last())
    sources = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    said.append(draw(st.sampled_from(list(WRITERS))))
    WRITERS[said[-1]](draw, notebook)
    said.append(draw(st.sampled_from(list(FILES))))
    return Bent(FILES[said[-1]](notebook), answers, said, sources)


class _Bender:
    """Bends the cells of one notebook; each method says what it did."""

    def __init__(self, draw, cells: list[dict], questions: list[str], sample: Sample):
        self._draw, self._cells, self._questions, self._sample = draw, cells, questions, sample
        self._moved: set[str] = set()
        self._number = 0
        for cell in cells:
            cell["source"] = "".join(cell["source"])

    def one(self) -> str:
        kinds = [
            self.line,
            self.left,
            self.needed,
            self.merge,
            self.split,
            self.move,
            self.copy,
            self.in_check,
            self.unchecked,
        ]
        kinds += [self.module, self.text, self.own_cell, self.nameless]  # fmt: skip
        return self._draw(st.sampled_from(kinds))()

    def last(self) -> str:
        text = self._draw(st.sampled_from(LAST)).replace("{}", self._draw(st.sampled_from(self._questions)))
        self._cells.append(code(text))
        return f"last: {text}"

    def line(self) -> str:
        """A line on top of a code cell, or in one of its own."""
        text, at = self._draw(st.sampled_from(LINES)), self._code()
        cell = self._cells[at]
        if self._draw(st.booleans()) or text.startswith("%%") and cell["source"].startswith("%%"):
            self._cells.insert(at, code(text))
        elif text.startswith("%%javascript") or cell["source"].startswith("%%"):
            self._cells.insert(at + 1, code(text))
        else:
            cell["source"] = f"{text}\n{cell['source']}"
        return f"line {at}: {text}"

    def left(self) -> str:
        text, at = self._draw(st.sampled_from(LEFT)), self._code()
        self._cells.insert(at + 1, code(f"import torch\n{text}" if "torch" in text else text))
        return f"left {at}: {text}"

    def needed(self) -> str:
        """What an answer needs, in a cell above: locked, a check, or another answer."""
        at = self._answer()
        above = [n for n in range(at) if self._python(n)]
        if not above:
            return "-"
        where, (makes, needs) = self._draw(st.sampled_from(above)), self._draw(st.sampled_from(NEEDED))
        self._number += 1
        makes, needs = (text.replace("{n}", str(self._number)) for text in (makes, needs))
        below = self._draw(st.booleans())
        own = self._cells[where]["source"]
        self._cells[where]["source"] = f"{own}\n{makes}" if below else f"{makes}\n{own}"
        self._cells[at]["source"] = f"{needs}\n{self._cells[at]['source']}"
        return f"needed: {where} makes what {at} needs: {makes}"

    def merge(self) -> str:
        """Two code cells become one, which is known as the first or as the second."""
        at = self._code()
        second = next(
            (n for n in range(at + 1, len(self._cells)) if self._cells[n]["cell_type"] == "code"), None
        )
        if second is None or not (self._python(at) and self._python(second)):
            return "-"
        kept = copy.deepcopy(self._cells[self._draw(st.sampled_from([at, second]))])
        kept["source"] = f"{self._cells[at]['source']}\n\n{self._cells[second]['source']}"
        self._cells[at] = kept
        del self._cells[second]
        return f"merge {at} {second}"

    def split(self) -> str:
        at = self._code()
        try:
            body = ast.parse(self._cells[at]["source"]).body
        except SyntaxError:
            return "-"
        if len(body) < 2:
            return "-"
        node = body[self._draw(st.integers(1, len(body) - 1))]
        first = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", []))]) - 1
        lines = self._cells[at]["source"].splitlines(keepends=True)
        rest = code("".join(lines[first:]))
        if self._draw(st.booleans()):
            rest["metadata"] = copy.deepcopy(self._cells[at]["metadata"])
        self._cells[at]["source"] = "".join(lines[:first]).rstrip("\n")
        self._cells.insert(at + 1, rest)
        return f"split {at} at {first}"

    def move(self) -> str:
        """An answer goes below its check, with what was handed out or, where no cell needs it, nothing in its place."""
        at = self._answer()
        cell = self._cells[at]
        name = grade_id(cell)
        if name not in self._questions or not self._alone(at):
            return "-"
        self._moved.add(name)
        to = self._draw(st.integers(at + 1, len(self._cells)))
        self._cells.insert(to, code(cell["source"]))
        between = [c for c in self._cells[at + 1 : to] if not grade_id(c).startswith("check_")]
        if any(name in c["source"] for c in between) or self._draw(st.booleans()):
            cell["source"] = self._stub(name)
        else:
            del self._cells[at]
        return f"move {name} to {to}"

    def copy(self) -> str:
        """A cell twice."""
        at = self._code()
        self._cells.insert(at + 1, copy.deepcopy(self._cells[at]))
        return f"copy {at}"

    def in_check(self) -> str:
        """The answer stands in its check cell, above the check."""
        at = self._answer()
        name = grade_id(self._cells[at])
        code = [c for c in self._cells[at:] if c["cell_type"] == "code"]
        check = next((c for c in code if grade_id(c) == f"check_{name}"), None)
        if check is None or not self._alone(at) or check["source"].startswith("%%"):
            return "-"
        self._moved.add(name)
        check["source"] = f"{self._cells[at]['source']}\n{check['source']}"
        self._cells[at]["source"] = self._stub(name)
        return f"in check: {name}"

    def unchecked(self) -> str:
        """A check cell is gone, or text."""
        found = [n for n, cell in enumerate(self._cells) if grade_id(cell).startswith("check_")]
        found = [n for n in found if self._cells[n]["source"].startswith("check(")]
        if not found:
            return "-"
        at = self._draw(st.sampled_from(found))
        if self._cells[at]["source"].count("\n") == 0 and self._draw(st.booleans()):
            del self._cells[at]
        elif self._cells[at]["source"].count("\n") == 0:
            self._cells[at]["cell_type"] = self._draw(st.sampled_from(["markdown", "raw"]))
        return f"unchecked {at}"

    def module(self) -> str:
        """Answers in a file that the notebook writes and imports."""
        given = next((n for n, cell in enumerate(self._cells) if grade_id(cell) == "given_1"), None)
        found = {
            grade_id(cell): n
            for n, cell in enumerate(self._cells)
            if grade_id(cell) in self._questions and self._alone(n)
        }
        # An answer in a file sees the file's names alone: those that it builds on are there as well.
        first = self._questions[: self._draw(st.integers(1, len(self._questions)))]
        if given is None or not all(found.get(question, -1) > given for question in first):
            return "-"
        chosen = [found[question] for question in first]
        self._number += 1
        name, text = f"answers{self._number}", self._sample_given()
        for at in sorted(chosen):
            question = grade_id(self._cells[at])
            text += "\n\n" + self._cells[at]["source"]
            self._cells[at]["source"] = self._draw(
                st.sampled_from(
                    [
                        f"from {name} import *",
                        f"from {name} import {question}",
                        f"import {name}\n{question} = {name}.{question}",
                    ]
                )
            )
        self._cells.insert(given + 1, code(f"%%writefile {name}.py\n{text}"))
        return f"module {chosen}"

    def text(self) -> str:
        """Cells of text, or empty, or an answer once more as text."""
        at = self._draw(st.integers(0, len(self._cells)))
        kind = self._draw(st.sampled_from(["markdown", "raw", "code"]))
        answer = self._cells[self._answer()]
        cell = {"cell_type": kind, "metadata": {}, "source": "" if kind == "code" else answer["source"]}
        self._cells.insert(at, cell | ({"outputs": [], "execution_count": None} if kind == "code" else {}))
        return f"text {kind} {at}"

    def own_cell(self) -> str:
        """A student's trial below an answer."""
        at = self._answer()
        name = self._draw(st.sampled_from(self._questions))
        trial = self._draw(
            st.sampled_from(
                ["{}", "{}?", "print({})", "1 / 0", "{}(1, 2, 3, 4)", "assert False", "!cat {}", "{}."]
            )
        )
        self._cells.insert(at + 1, code(trial.replace("{}", name)))
        return f"trial {at}: {trial}"

    def nameless(self) -> str:
        """A program has dropped what nbgrader knows a cell by."""
        at = self._code()
        self._cells[at]["metadata"] = {}
        return f"nameless {at}"

    def _code(self) -> int:
        return self._draw(st.sampled_from([n for n, c in enumerate(self._cells) if c["cell_type"] == "code"]))

    def _answer(self) -> int:
        found = [n for n, cell in enumerate(self._cells) if grade_id(cell) in self._questions]
        return self._draw(st.sampled_from(found or [self._code()]))

    def _python(self, at: int) -> bool:
        cell = self._cells[at]
        return cell["cell_type"] == "code" and not cell["source"].startswith("%%")

    def _alone(self, at: int) -> bool:
        """Whether an answer's cell holds nothing but the answer, as it was written."""
        name = grade_id(self._cells[at])
        if name in self._moved or sum(grade_id(cell) == name for cell in self._cells) > 1:
            return False
        return self._python(at) and f"check_{name}" in map(grade_id, self._cells) and self._whole(at, name)

    def _whole(self, at: int, name: str) -> bool:
        try:
            body = ast.parse(self._cells[at]["source"]).body
        except SyntaxError:
            return False
        made = {getattr(node, "name", None) for node in body}
        made |= {
            t.id
            for node in body
            if isinstance(node, ast.Assign)
            for t in node.targets
            if isinstance(t, ast.Name)
        }
        plain = all(isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign) for node in body)
        return name in made and plain

    def _stub(self, name: str) -> str:
        return next("".join(c["source"]) for c in self._sample.released["cells"] if grade_id(c) == name)

    def _sample_given(self) -> str:
        return next("".join(c["source"]) for c in self._sample.released["cells"] if grade_id(c) == "given_1")


def code(source: str) -> dict:
    return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}


OUTPUTS = st.lists(
    st.sampled_from(
        [
            {"output_type": "stream", "name": "stdout", "text": ["가\n", "\ud800"]},
            {"output_type": "stream", "name": "stdin", "text": 3},
            {"output_type": "error", "ename": "E", "evalue": "\x1b[31m", "traceback": ["\x1b[0m"]},
            {"output_type": "display_data", "data": {"application/vnd.x+json": {"a": [float("nan"), 1e999, 10**40]}}, "metadata": None},
            {"output_type": "execute_result", "data": {"text/html": "<script>", "cells": [{"source": "1"}]}, "execution_count": None},
            {},
            None,
        ]
    ),
    max_size=2,
)  # fmt: skip


def _run(draw, cell: dict, count: int | None) -> None:
    if cell["cell_type"] == "code":
        cell |= {"outputs": draw(OUTPUTS), "execution_count": count}


def _jupyter(draw, notebook: dict) -> None:
    notebook["metadata"]["language_info"] = {
        "name": "python",
        "version": "3.12.1",
        "pygments_lexer": "ipython3",
    }
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = draw(st.sampled_from([f"id-{number}", "same", ""]))
        cell["metadata"] |= draw(
            st.sampled_from([{}, {"tags": ["a"]}, {"collapsed": True, "scrolled": "auto"}, {"jupyter": None}])
        )
        cell["source"] = cell["source"].splitlines(keepends=True)
        _run(draw, cell, number)


def _colab(draw, notebook: dict) -> None:
    notebook["metadata"] |= {
        "colab": {"provenance": [], "gpuType": "T4"},
        "accelerator": "GPU",
        "widgets": {"x": {"state": {}}},
    }
    notebook["nbformat_minor"] = 0
    for number, cell in enumerate(notebook["cells"]):
        cell.pop("id", None)
        cell["metadata"] |= {
            "id": f"c{number}",
            "outputId": "x",
            "colab": {"base_uri": "https://localhost:8080/"},
        }
        cell["source"] = cell["source"].splitlines(keepends=True)
        _run(draw, cell, None)


def _vscode(draw, notebook: dict) -> None:
    notebook["metadata"]["kernelspec"] = {"display_name": ".venv", "language": "python", "name": "python3"}
    notebook["nbformat_minor"] = 2
    for cell in notebook["cells"]:
        cell.pop("id", None)
        cell["metadata"] |= draw(st.sampled_from([{}, {"vscode": {"languageId": "python"}}]))
        _run(draw, cell, 1)


def _kaggle(draw, notebook: dict) -> None:
    notebook["metadata"] |= {
        "kaggle": {"accelerator": "none", "dataSources": []},
        "papermill": {"exception": None},
    }
    notebook["nbformat_minor"] = 4
    for number, cell in enumerate(notebook["cells"]):
        cell.pop("id", None)
        cell["metadata"] |= {
            "_uuid": f"u{number}",
            "_cell_guid": "g",
            "trusted": True,
            "execution": {"iopub.status.idle": "t"},
        }
        _run(draw, cell, None)


def _converted(draw, notebook: dict) -> None:
    """A program that knows nothing of nbgrader, nor of anything but cells."""
    notebook["metadata"] = draw(st.sampled_from([{}, None]))
    notebook["nbformat_minor"] = 0
    notebook["cells"] = [
        {
            "cell_type": cell["cell_type"],
            "source": cell["source"],
            "metadata": draw(st.sampled_from([{}, None, {"nbgrader": None}])),
        }
        for cell in notebook["cells"]
    ]


WRITERS = {
    "Jupyter": _jupyter,
    "Colab": _colab,
    "VS Code": _vscode,
    "Kaggle": _kaggle,
    "a converter": _converted,
}


def _text(notebook: dict, **how) -> str:
    return json.dumps(notebook, **{"ensure_ascii": False, "indent": 1, **how})


FILES = {
    "UTF-8": lambda notebook: _text(notebook).encode("utf-8", "surrogatepass"),
    "ASCII": lambda notebook: _text(notebook, ensure_ascii=True, indent=None).encode(),
    "BOM": lambda notebook: codecs.BOM_UTF8 + _text(notebook, ensure_ascii=True).encode(),
    "CRLF": lambda notebook: _text(notebook, ensure_ascii=True).replace("\n", "\r\n").encode(),
    "CRLF in cells": lambda notebook: _text(_with_crlf(notebook), ensure_ascii=True).encode(),
    "UTF-16": lambda notebook: _text(notebook).encode("utf-16", "surrogatepass"),
    "UTF-16 BE": lambda notebook: codecs.BOM_UTF16_BE + _text(notebook).encode("utf-16-be", "surrogatepass"),
    "NFD": lambda notebook: unicodedata.normalize("NFD", _text(notebook)).encode("utf-8", "surrogatepass"),
    "CP949": lambda notebook: _text(notebook).encode("cp949", "ignore"),
}


def _with_crlf(notebook: dict) -> dict:
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")
    return notebook
