"""nbgrader's settings as nbgrader finds them: a class' own, then the user's, the environment's, the machine's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import GraderError

if TYPE_CHECKING:
    from traitlets.config import Config

NAME = "nbgrader_config.py"


def settings_in(folder: Path) -> Config:
    """Settings in the nbgrader_config.py of `folder`.

    Raises:
        GraderError: it cannot be read.
    """
    from traitlets.config.loader import PyFileConfigLoader

    try:
        return PyFileConfigLoader(NAME, path=str(folder)).load_config()
    except Exception as error:
        raise GraderError(f"{folder / NAME}: {type(error).__name__}: {error}") from error


def exchange(of_class: Config) -> Path:
    """The folder of nbgrader's exchange. A hub says it once for all, so a class need not.

    Raises:
        GraderError: settings outside the class cannot be read.
    """
    from jupyter_core.paths import jupyter_config_path
    from nbgrader.exchange.default import Exchange

    said = of_class.Exchange.get("root")
    for folder in map(Path, jupyter_config_path()):  # the first that says it counts
        if said is None and (folder / NAME).is_file():
            said = settings_in(folder).Exchange.get("root")
    return Path(said or Exchange.root.default_value)
