"""Where a project's code failed, and how that is told in one line."""

import traceback
from pathlib import Path
from types import FrameType
from typing import Final

from octavo.project.functions import CodeStopped, relative

PACKAGE_PREFIX: Final = "octavo_project_"
"""How the packages begin as whose modules a project's code is run, and that of its plugins."""


def failure_place(error: BaseException, project: Path, otherwise: str) -> str:
    """The last line of a project's or a plugin's code that an error went through: `src/index.py:4 register`."""
    frames = traceback.walk_tb(error.__traceback__)
    own = [(frame.f_code, line) for frame, line in frames if _is_own(frame, project)]
    if not own:
        return otherwise
    code, line = own[-1]
    return f"{relative(Path(code.co_filename), project)}:{line} {code.co_name}"


def _is_own(frame: FrameType, project: Path) -> bool:
    of_package = str(frame.f_globals.get("__name__")).startswith(PACKAGE_PREFIX)
    return of_package or Path(frame.f_code.co_filename).is_relative_to(project)


def describe(error: BaseException) -> str:
    """An error of a project's code in one line."""
    text = str(error).strip()
    if isinstance(error, CodeStopped):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
