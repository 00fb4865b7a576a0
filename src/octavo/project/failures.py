"""Where a project's code failed, and how that is told in one line."""

import traceback
from pathlib import Path
from types import FrameType
from typing import Final

from octavo.project.functions import CodeStopped, relative

PACKAGE_PREFIX: Final = "octavo_project_"
"""How the packages begin as whose modules a project's code is run."""
PLUGIN_PACKAGES: Final[set[str]] = set()
"""The installed packages whose code has been run as that of plugins."""


def is_own_module(name: str) -> bool:
    """Return whether a module of this name is part of a project or of a plugin."""
    return name.startswith(PACKAGE_PREFIX) or name.partition(".")[0] in PLUGIN_PACKAGES


def failure_place(error: BaseException, project: Path, otherwise: str) -> str:
    """The last line of a project's or a plugin's code that an error went through: `src/index.py:4 register`."""
    frames = traceback.walk_tb(error.__traceback__)
    own = [(frame.f_code, line) for frame, line in frames if _is_own(frame, project)]
    if not own:
        return otherwise
    code, line = own[-1]
    return f"{relative(Path(code.co_filename), project)}:{line} {code.co_name}"


def _is_own(frame: FrameType, project: Path) -> bool:
    return is_own_module(str(frame.f_globals.get("__name__"))) or Path(frame.f_code.co_filename).is_relative_to(project)


def describe(error: BaseException) -> str:
    """An error of a project's code in one line."""
    text = str(error).strip()
    if isinstance(error, CodeStopped):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
