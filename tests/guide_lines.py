"""The lines by which the guides connect a class to a platform."""

import re
import shlex

from grader.exercise import ROOT


def lines(name, platform):
    """The words of each line of a guide's block for a platform."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    pattern = rf'^```console\n(grader connect "?https://{platform}\..*?)^```'
    [block] = re.findall(pattern, text, re.MULTILINE | re.DOTALL)
    return [shlex.split(line, comments=True) for line in block.splitlines()]
