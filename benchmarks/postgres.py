"""A PostgreSQL server of one's own, for a benchmark or a test: on a socket in a folder that goes with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)  # where Debian has them
WHERE = os.pathsep.join([os.environ["PATH"], *map(str, BINARIES)])


def installed() -> bool:
    return None not in _tools()


def _tools() -> list[str | None]:
    return [shutil.which(name, path=WHERE) for name in ("initdb", "pg_ctl")]


@contextmanager
def postgres(*options: str) -> Iterator[str]:
    """The address of a server that runs for as long. It will not run as root: then as the user postgres.

    Args:
        options: settings, such as "fsync=off".
    """
    init, control = _tools()
    as_user = {"user": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        if as_user:
            shutil.chown(folder, "postgres")

        def call(*command: str) -> None:
            subprocess.run(command, check=True, capture_output=True, cwd=folder, timeout=120, **as_user)

        call(init, "-D", f"{folder}/data", "-U", "teacher", "--auth=trust", "--no-sync")
        said = " ".join(f"-c {option}" for option in ("listen_addresses=", *options))
        call(
            control, "-D", f"{folder}/data", "-o", f"-k {folder} {said}", "-l", f"{folder}/log", "-w", "start"
        )
        try:
            yield f"postgresql+psycopg2://teacher@/postgres?host={folder}"
        finally:
            call(control, "-D", f"{folder}/data", "-m", "immediate", "-w", "stop")
