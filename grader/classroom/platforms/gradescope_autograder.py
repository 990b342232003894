"""An autograder for Gradescope: the zip that its programming assignments take.

There the zip lies in /autograder/source. `setup.sh` runs once, when the image is built; `run_autograder` runs for each
submission, and leaves results/results.json (see `grader.classroom.platforms.gradescope_run`).
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

from grader.authoring.release import students_package
from grader.classroom.folder import Classroom
from grader.classroom.settings import CONFIG
from grader.exercise import ROOT
from grader.results import write_whole

SETUP = """\
#!/usr/bin/env bash
# Runs once, when Gradescope builds the image: Ubuntu, as root, with this zip in /autograder/source.
set -euo pipefail
base=${AUTOGRADER:-/autograder}
if ! python3 -c 'import ensurepip' 2>/dev/null; then
  apt-get update
  apt-get install -y --no-install-recommends python3 python3-venv
fi
python3 -m venv "$base/venv"
pip() { "$base/venv/bin/pip" install --quiet --no-cache-dir --constraint "$base/source/constraints.txt" "$@"; }
pip torch --no-deps --index-url https://download.pytorch.org/whl/cpu  # without CUDA; what it needs comes with the next
pip "$base"/source/*.whl
"$base/venv/bin/grader" doctor ||
  echo "Students' code cannot be confined here. Export anew from a class with c.GradeInSandbox.unconfined = True."
"""
RUN = """\
#!/usr/bin/env bash
# Runs for each submission, which lies in /autograder/submission.
base=${AUTOGRADER:-/autograder}
export OMP_NUM_THREADS=1
exec "$base/venv/bin/python" -I -m grader.classroom.platforms.gradescope_run "$base"
"""


def autograder(classroom: Classroom, stem: str) -> bytes:
    """The zip: the package, and a class folder that holds the exercise as this class was handed it out.

    Raises:
        GraderError: the class does not have the exercise.
    """
    classroom.template(stem)
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch)
        inside = source / "class"
        for room in ("release", "course"):
            shutil.copytree(classroom.root / room / stem, inside / room / stem)
        config = CONFIG.format(course=classroom.root.name, wall_seconds=classroom.wall_seconds)
        config += f"c.GradeInSandbox.unconfined = {classroom.unconfined}\n"
        write_whole(inside / "nbgrader_config.py", config.encode())
        write_whole(inside / ".secret", classroom.secret)
        shutil.copy(ROOT / "constraints.txt", source)
        students_package(source)
        for name, text in (("setup.sh", SETUP), ("run_autograder", RUN)):
            write_whole(source / name, text.encode())
            (source / name).chmod(0o755)
        return _packed(source)


def _packed(folder: Path) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for directory, _, files in os.walk(folder):
            for name in sorted(files):
                path = Path(directory, name)
                archive.write(path, path.relative_to(folder))
    return out.getvalue()
