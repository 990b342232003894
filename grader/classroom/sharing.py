"""A class folder in which several teachers of one machine work: their group's, and closed to everybody else."""

from __future__ import annotations

import grp
import os
import stat
from pathlib import Path

from grader.errors import GraderError
from grader.results import write_whole

SETTING = "c.CourseDirectory.groupshared = True"


def share(root: Path, group: str) -> None:
    """Give a class folder to a group: whoever is in it may do what its owner may, nobody else may look inside.

    Raises:
        GraderError: there is no such group, or something of the folder is not yours to give.
    """
    try:
        number = grp.getgrnam(group).gr_gid
    except KeyError:
        raise GraderError(
            f"This machine has no group {group}. An administrator makes one: groupadd {group}"
        ) from None
    config = root / "nbgrader_config.py"
    text = config.read_text(encoding="utf-8")
    if SETTING not in text.splitlines():
        write_whole(config, f"{text}\n# Several teach here, as one group.\n{SETTING}\n".encode())
    try:
        for path in [root, *root.rglob("*")]:
            about = path.lstat()
            theirs = (
                about.st_uid != os.geteuid() and about.st_gid == number
            )  # another's of the group: made as it must be
            if not path.is_symlink() and not theirs:
                os.chown(path, -1, number)
                path.chmod(0o2770 if path == root else _mode(path))
    except PermissionError as error:
        raise GraderError(
            f"{error.filename} cannot be given to {group}. Be in the group yourself (id; log in anew after joining), and "
            "let whoever owns the file do it."
        ) from None


def work_as_shared(root: Path) -> None:
    """Have this process leave what it makes in a shared class to the group as well."""
    if root.stat().st_mode & stat.S_ISGID:
        os.umask(0o002)


def _mode(path: Path) -> int:
    """Of what lies in a folder that only the group enters: nbgrader copies pages of feedback out of it as they are."""
    if path.is_dir():
        return 0o2775  # what is made in it is the group's, too
    return 0o640 if path.name == ".secret" else 0o664
