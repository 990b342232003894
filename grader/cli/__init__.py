"""The command line. Each command imports what it needs: torch and nbgrader take seconds to load."""

from __future__ import annotations

import io
import sys

from rich.text import Text

# Help lists commands in the order in which they are imported.
from grader.cli import students, authors, instructors  # noqa: F401  # isort: skip
from grader.cli.program import app, err
from grader.errors import NO_DISK, GraderError, in_words

# What the extra `instructor` brings, and what its packages bring.
INSTRUCTORS_LIBRARIES = (
    "babel beartype jupytext matplotlib nbconvert nbgrader platformdirs pygments requests sqlalchemy".split()
)
POSIX_LIBRARIES = "fcntl pwd resource".split()


def main() -> None:
    """Run the command line; an error is one line, unless --debug asks for more."""
    debug = "--debug" in sys.argv[1:]
    for stream in (sys.stdout, sys.stderr):
        _speak_korean(stream)
    try:
        app()
    except GraderError as error:
        if debug:
            raise
        _fail(str(error), error.status)
    except ModuleNotFoundError as error:
        if debug or not error.name or error.name.partition(".")[0] in ("grader", "solutions"):
            raise
        if error.name in POSIX_LIBRARIES:
            _fail("This command needs Linux: on Windows use WSL 2 or a container (docs/machines.md).", 2)
        ours = error.name.partition(".")[0] in INSTRUCTORS_LIBRARIES
        how = ": pip install '.[instructor]' in the course's checkout" if ours else " into this environment"
        _fail(f"'{error.name}' is not installed. Install it{how}.", 2)
    except Exception as error:
        if debug:
            raise
        if isinstance(error, OSError) and (error.filename or error.errno in NO_DISK):
            _fail(in_words(error), 2)
        _fail(f"unexpected {type(error).__name__}: {error}\nRun 'grader --debug ...' again to see where.", 70)


def _speak_korean(stream: object) -> None:
    """Let a stream carry all that is said: a pipe on Windows has an old code page, which may lack Korean."""
    if not isinstance(stream, io.TextIOWrapper):
        return
    try:
        "가".encode(stream.encoding)
    except UnicodeEncodeError:
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    else:
        stream.reconfigure(errors="backslashreplace")


def _fail(message: str, status: int) -> None:
    err.print(Text(f"grader: {message}", style="red"))
    sys.exit(status)
