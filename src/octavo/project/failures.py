"""Where a project's code failed, and how that is told in one line."""

import traceback
from pathlib import Path

from octavo.project.functions import relative


def failure_place(error: BaseException, project: Path, otherwise: str) -> str:
    """The last line of the project's own code that an error went through: `src/index.py:4 register`."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(project)]
    if not own:
        return otherwise
    return f"{relative(Path(own[-1].filename), project)}:{own[-1].lineno} {own[-1].name}"


def describe(error: BaseException) -> str:
    """An error of a project's code in one line."""
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
