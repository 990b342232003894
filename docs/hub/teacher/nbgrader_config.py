"""The class that this teacher's formgrader shows. Goes to ~/.jupyter/nbgrader_config.py"""

from pathlib import Path

load_subconfig("nbgrader_config.py", str(Path.home() / "spring"))  # noqa: F821
