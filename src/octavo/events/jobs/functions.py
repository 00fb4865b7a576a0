"""The functions that may be jobs: those of the project's own code, known by their module below `src` and their name.

Nothing else is ever imported because a message in the database says so.
"""

import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

from octavo.core.values import dataclass
from octavo.project.modules import without_bytecode

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

_LONGEST: Final = 200
_PROJECT: Final = "src"


class NotAJob(ValueError):
    """A function that cannot be run later: it cannot be found by a name."""


@dataclass(frozen=True, slots=True)
class JobOptions:
    """What `app.job` says of a function: how often it is tried again, and how many seconds it may take; None is as the
    settings say."""

    retries: int | None = None
    timeout: float | None = None


class JobFunctions:
    """The functions of one loading of a project's code and its plugins; `packages` are what stands for their folders.

    Those of a plugin are known by its folder, too: `octavo_reviews/mail:send`.
    """

    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = {_label(package): package for package in packages}
        self._options: dict[str, JobOptions] = {}

    @property
    def are_there(self) -> bool:
        """Whether the project has code at all."""
        return bool(self._packages)

    def say(self, function: Callable[..., Any], options: JobOptions) -> None:
        """Note the options of a function. Raises NotAJob."""
        self._options[self.name_of(function)] = options

    def options_of(self, name: str) -> JobOptions:
        """What was said of a function, by its name."""
        return self._options.get(name, JobOptions())

    def name_of(self, function: Callable[..., Any]) -> str:
        """`api.talk.services.talk:send`. Raises NotAJob for what is no function of a module of the project."""
        module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
        label = next((label for label, package in self._packages.items() if module.startswith(f"{package}.")), None)
        if label is None or not inspect.isroutine(function) or not name.isidentifier():
            raise NotAJob(f"{name or function!r} is no function of a module below src, so it could not be found later")
        found = f"{label}{module.partition('.')[2]}:{name}"
        if getattr(sys.modules.get(module), name, None) is not function or len(found) > _LONGEST:
            raise NotAJob(f"{found} is another function in its module, so it could not be found later")
        return found

    def find(self, name: str) -> Callable[..., Any]:
        """The function of that name. Raises NotAJob."""
        place, _, attribute = name.partition(":")
        folder, slash, module_name = place.rpartition("/")
        package = self._packages.get(folder + slash)
        parts = module_name.split(".")
        if package is None or not attribute.isidentifier() or not all(part.isidentifier() for part in parts):
            raise NotAJob(f"there is no function {name!r} in the project")
        module = self._module(f"{package}.{module_name}", name)
        function = getattr(module, attribute, None)
        if not inspect.isroutine(function) or getattr(function, "__module__", None) != module.__name__:
            raise NotAJob(f"there is no function {name!r} in the project")
        return function

    def _module(self, whole: str, name: str) -> ModuleType:
        found = sys.modules.get(whole)
        if found is not None:
            return found
        try:
            with without_bytecode():
                return importlib.import_module(whole)
        except ModuleNotFoundError as error:
            raise NotAJob(f"there is no function {name!r} in the project: {error}") from None


def takes_app(function: Callable[..., Any]) -> bool:
    """Whether its first argument is called `app`: then it is given the service."""
    try:
        return next(iter(inspect.signature(function).parameters), "") == "app"
    except (TypeError, ValueError):
        return False


def _label(package: str) -> str:
    """How functions of a folder begin: with nothing for the project's `src`, with its name for a plugin's."""
    folder = Path(sys.modules[package].__path__[0])
    return "" if folder.name == _PROJECT else f"{folder.name}/"
