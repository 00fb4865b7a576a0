"""The earlier address of `octavo.project.api`, for projects that import from it."""

from octavo.project.api import *  # noqa: F403
from octavo.project.api import __all__ as __all__
