"""The IPython shell in which a notebook's cells run, and the capped record of what they show."""

from __future__ import annotations

import ast
import atexit
import base64
import builtins
import io
import re
import sys
import time
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.utils.text import LSString, SList
from traitlets.config import Config

from .magics import Magics, run_until_complete
from .missing import ImportsOfMissing, Missing

MAX_OUTPUTS = 1_000  # a cell
MAX_ERROR = 16_000  # characters of a traceback
SHOWN = (
    "text/plain",
    "image/png",
    "image/jpeg",
)  # nothing that a browser would run in the instructor's session


# What may be no plain Python, but IPython's, or pasted with its prompts.
_COMMANDS = re.compile(
    r"\A\s|[\r\f]|^[ \t]*(?:[%!?,;/]|>>>|\.\.\.|In \[)|=[\s\\]*[%!]|\?[ \t]*$", re.MULTILINE
)
# A line that can be nothing but Python, unless the name that it begins with is a command's.
_PYTHON = re.compile(r"(?:from|import)\s|(\w+)[\w.]*\s*[(=]")

# Put back below each cell, as the streams are: what runs the next one needs them.
_BUILTINS = {name: found for name, found in vars(builtins).items() if not name.startswith("_")}


class Capture:
    """The outputs of the running cell, in nbformat 4, within what is left of the run's budget."""

    def __init__(self, budget: int):
        self.left = budget
        self.outputs: list[dict] = []
        self._text: list[str] = []
        self._truncated = False

    def begin(self) -> None:
        self.outputs, self._text, self._truncated = [], [], False

    def end(self) -> list[dict]:
        self._flush()
        return self.outputs

    def text(self, name: str, text: str) -> None:
        text = self._take(text)
        if not text:
            return
        last = self.outputs[-1] if self.outputs else {}
        if last.get("output_type") != "stream" or last["name"] != name:
            if not self._add({"output_type": "stream", "name": name, "text": ""}):
                return
        self._text.append(text)
        if len(self._text) > 4_096:
            self._text = ["".join(self._text)]

    def bundle(self, kind: str, data: dict, **more: Any) -> None:
        kept = {}
        for mime in SHOWN:
            content = data.get(mime)
            if isinstance(content, bytes):
                content = base64.b64encode(content).decode()
            if isinstance(content, str) and len(content) <= self.left:
                self.left -= len(content)
                kept[mime] = content
        if kept:
            self._add({"output_type": kind, "data": kept, "metadata": {}, **more})

    def error(self, name: str, value: str, trace: list[str]) -> None:
        lines = "\n".join(trace)
        if len(lines) > MAX_ERROR:
            lines = lines[: MAX_ERROR // 2] + "\n...\n" + lines[-MAX_ERROR // 2 :]
        # Always kept: it says why a cell failed, however much was printed before.
        self._flush()
        self.outputs.append(
            {
                "output_type": "error",
                "ename": name[:200],
                "evalue": value[:2_000],
                "traceback": lines.split("\n"),
            }
        )

    def _take(self, text: str) -> str:
        taken = text[: max(self.left, 0)]
        self.left -= len(taken)
        if len(taken) < len(text) and not self._truncated:
            self._truncated = True
            taken += "\n[output truncated]\n"
        return taken

    def _add(self, output: dict) -> bool:
        self._flush()
        if len(self.outputs) >= MAX_OUTPUTS:
            return False
        self.outputs.append(output)
        return True

    def _flush(self) -> None:
        if self._text:
            self.outputs[-1]["text"] += "".join(self._text)
            self._text = []


class Stream(io.TextIOBase):
    encoding = "utf-8"

    def __init__(self, name: str, capture: Capture):
        self._name, self._capture = name, capture

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._capture.text(self._name, text)
        return len(text)

    def isatty(self) -> bool:
        return False


class _Publisher(DisplayPublisher):
    def publish(self, data, metadata=None, **_):
        self.shell.capture.bundle("display_data", data)


class _Hook(DisplayHook):
    def __call__(self, result=None):
        self.check_for_underscore()
        if result is None or self.quiet():
            return
        data, _ = self.compute_format_data(result)
        self.update_user_ns(result)
        self.shell.capture.bundle("execute_result", data, execution_count=self.prompt_count)
        self.fill_exec_result(result)


class Nothing(SList):
    """The lines of a command that did not run: each is empty."""

    def __getitem__(self, key: Any) -> Any:
        return type(self)() if isinstance(key, slice) else ""


class Shell(Magics):
    """A shell that reads no configuration, keeps no history on disk and asks nothing."""

    capture: Capture

    def init_history(self) -> None:
        super().init_history()
        self.history_manager.enabled = False

    def init_virtualenv(self) -> None:
        """The server has set the path."""

    def transform_cell(self, raw_cell: str) -> str:
        """IPython's own takes each cell apart into tokens, for commands that hardly any has."""
        if self._may_be_command(raw_cell) or _COMMANDS.search(raw_cell) or self.input_transformers_post:
            return super().transform_cell(raw_cell)
        return raw_cell if raw_cell.endswith("\n") else raw_cell + "\n"

    def _may_be_command(self, raw_cell: str) -> bool:
        """True for a line that may be a command without any sign."""
        if "\n" in raw_cell.strip():
            return False
        begins = _PYTHON.match(raw_cell)
        return not begins or self.find_line_magic(begins[1]) is not None

    def transform_ast(self, node: ast.Module) -> ast.Module:
        """IPython's own goes through each node once more, whether something is put into the tree or not."""
        imports = any(isinstance(line, ast.Import | ast.ImportFrom) for line in node.body)
        return super().transform_ast(node) if imports or self.ast_transformers[1:] else node

    def should_run_async(self, raw_cell: str, **options: Any) -> bool:
        """IPython's own parses each cell once more."""
        return ("await" in raw_cell or "async" in raw_cell) and super().should_run_async(raw_cell, **options)

    def missing(self, package: str) -> Missing:
        """The stand-in for a package that is not installed (see `missing`)."""
        sys.stderr.write(f"{package}: this package is not installed here\n")
        return Missing(package)

    def system(self, cmd: str) -> None:
        """`!pip install ...` often stands above the imports: it must not take the rest of its cell along."""
        sys.stderr.write(f"!{cmd.strip()}: shell commands do not run here\n")

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> SList | LSString:
        self.system(cmd)
        return Nothing() if split else LSString()

    def _showtraceback(self, etype, evalue, stb) -> None:
        try:
            value = str(evalue)
        except Exception:
            value = ""
        self.capture.error(getattr(etype, "__name__", "Error"), value, _own("\n".join(stb).split("\n")))


def _own(lines: list[str]) -> list[str]:
    """A traceback without the lines of installed libraries: they help nobody, and name this machine's folders."""
    kept, foreign = [], False
    for line in lines:
        if line and not line.startswith("    "):
            foreign = line.startswith(("  File /", '  File "/'))
        if not foreign:
            kept.append(line)
    return kept


def make_shell(ipython_dir: str) -> Shell:
    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    config.HistoryAccessor.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Plain"  # the others read and tokenise every file of the stack
    Shell.displayhook_class = _Hook
    Shell.display_pub_class = _Publisher
    shell = Shell.instance(config=config, ipython_dir=ipython_dir)
    atexit.unregister(shell.atexit_operations)  # it would keep a notebook's names until the process ends
    shell.ast_transformers.append(ImportsOfMissing())
    shell.loop_runner = run_until_complete
    shell.builtin_trap.auto_builtins["input"] = lambda prompt="": ""  # nobody is there to answer
    return shell


def warm(shell: Shell) -> None:
    """Run what every notebook's first cell and first error would otherwise load in each worker anew."""
    shell.capture = Capture(1 << 16)
    run_cell(shell, "1")
    run_cell(shell, "raise NotImplementedError")
    run_cell(shell, "")
    shell.reset(new_session=True)


def run_cell(shell: Shell, code: str) -> tuple[list[dict], str | None, float]:
    """Run one cell.

    Returns:
        Its outputs, the name of the error's class or None, and the seconds it took.
    """
    shell.capture.begin()
    began = time.perf_counter()
    streams = sys.stdout, sys.stderr
    result = shell.run_cell(code, store_history=True)
    vars(builtins).update(_BUILTINS)
    sys.stdout, sys.stderr = streams
    _show_figures(shell.capture)
    error = result.error_before_exec or result.error_in_exec
    return (
        shell.capture.end(),
        type(error).__name__ if error is not None else None,
        time.perf_counter() - began,
    )


def _show_figures(capture: Capture) -> None:
    """Show and close what the cell has drawn, as the inline backend does."""
    plt = sys.modules.get("matplotlib.pyplot")
    if plt is None:
        return
    for number in plt.get_fignums():
        content = io.BytesIO()
        try:
            plt.figure(number).savefig(content, format="png", bbox_inches="tight")
        except Exception as error:
            capture.text("stderr", f"{type(error).__name__}: the figure could not be drawn\n")
        else:
            capture.bundle("display_data", {"text/plain": "<Figure>", "image/png": content.getvalue()})
    plt.close("all")
