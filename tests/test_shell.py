"""Cells that are plain Python are passed on as they are; whatever may be a command is read as IPython reads it."""

import ast

import pytest
from IPython.core.interactiveshell import InteractiveShell

from grader.authoring.build import instructor_notebook
from grader.exercise import all_exercises
from grader.sandbox.shell import Shell, make_shell

COMMANDS = r"""
%time x
% time
a = %time 3
a=!ls
a, b = %time 3
a[0] = !ls
a.b = !ls
a: int = !ls
a += !ls
a = b = !ls
!ls
x?
x??
x ?
?x
x.y?
x[0]?
f(x)?
a = b?
/f x
,f x
;f x
>>> x = 3
In [3]: x
ls
ls -l
cd ..
pip install torch
time(3)
ls(1)
config(3)
env = 3
""".strip().splitlines()
SEVERAL = [
    "for i in x:\n    %time f(i)",
    "if a:\n  /f x",
    "def f():\n    !ls\n",
    "def f():\n    x = !ls\n    return x",
    "x = \\\n %time 3",
    "x = \\\n !ls",
    "y = (1\n % 2)",
    "x = 3 \\\n  % 2",
    "x = f(a =\n !b)",
    "x = '''\n%time\n'''",
    "x = '''\nwhat?\n'''",
    "x = 1\nx?",
    "x = 1\nx? ",
    "%%time\nx",
    "  x = 3\n  y = 4",
    "\nls\n",
    ">>> x = 3\n... y",
    "x\x0c = 3",
    "x = 3\r\ny = 4\r\n",
]
PYTHON = [
    "import torch",
    "from grader import check",
    "check('attention', 'mean')",
    "model.eval()",
    "x = 3 % 2",
    "x = '%d' % 3",
    "print('a', end='?')",
    "if x % 2 != 0:\n    print(f'{x!r} = {x}?')",
    "x = 3  # what? 100 %, and more!",
    "x = a and not b\ny = x @ x",
]


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    yield make_shell(str(tmp_path_factory.mktemp("ipython")))
    Shell.clear_instance()


def read(transform, cell):
    """What runs, but for blank lines at its end; or how it is refused."""
    try:
        return transform(cell).rstrip("\n")
    except SyntaxError as error:
        return repr(error)


@pytest.mark.parametrize("shadowed", [False, True])
@pytest.mark.parametrize("cell", COMMANDS + SEVERAL + PYTHON)
def test_a_cell_is_read_as_ipython_reads_it(shell, cell, shadowed):
    shell.user_ns = {name: 1 for name in ("ls", "time", "config") if shadowed}
    assert read(shell.transform_cell, cell) == read(super(type(shell), shell).transform_cell, cell)


def test_a_notebooks_own_change_of_the_tree_is_made(shell, monkeypatch):
    class Twice(ast.NodeTransformer):
        def visit_Constant(self, node):
            return ast.Constant(2 * node.value)

    monkeypatch.setattr(shell, "ast_transformers", [*shell.ast_transformers, Twice()])
    assert ast.unparse(shell.transform_ast(ast.parse("x = 3"))) == "x = 6"


def test_plain_python_is_not_taken_apart(shell, monkeypatch):
    monkeypatch.setattr(InteractiveShell, "transform_cell", None)
    solved = [cell for exercise in all_exercises() for cell in instructor_notebook(exercise).cells]
    for cell in [*PYTHON, *(cell.source for cell in solved if cell.cell_type == "code")]:
        assert shell.transform_cell(cell).rstrip("\n") == cell.rstrip("\n")
