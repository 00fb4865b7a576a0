"""The location of an error in a project's code, and its description in one line."""

import traceback
from pathlib import Path
from types import FrameType
from typing import Final

from octavo.project.functions import CodeStopped, relative

PACKAGE_PREFIX: Final = "octavo_project_"
"""Prefix of the packages for a project's code."""
PLUGIN_PACKAGES: Final[set[str]] = set()
"""The installed packages that run as plugins."""


def is_own_module(name: str) -> bool:
    """Return whether a module of this name is part of a project or of a plugin."""
    return name.startswith(PACKAGE_PREFIX) or name.partition(".")[0] in PLUGIN_PACKAGES


def failure_place(error: BaseException, project: Path, otherwise: str) -> str:
    """Return the last line of project or plugin code in an error's traceback: `src/index.py:4 register`."""
    frames = traceback.walk_tb(error.__traceback__)
    own = [(frame.f_code, line) for frame, line in frames if _is_own(frame, project)]
    if not own:
        return otherwise
    code, line = own[-1]
    return f"{relative(Path(code.co_filename), project)}:{line} {code.co_name}"


def _is_own(frame: FrameType, project: Path) -> bool:
    return is_own_module(str(frame.f_globals.get("__name__"))) or Path(frame.f_code.co_filename).is_relative_to(project)


def describe(error: BaseException) -> str:
    """Describe an error of a project's code in one line."""
    text = str(error).strip()
    if isinstance(error, CodeStopped):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
