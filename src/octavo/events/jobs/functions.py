"""The functions that can be jobs: those of the project's own code, identified by their module below `src` and name.

A message in the database can never cause any other import.
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
    """The function cannot be a job, because it cannot be found by name."""


@dataclass(frozen=True, slots=True)
class JobOptions:
    """The options of a function from `app.job`: the number of retries, and the timeout in seconds. None: the default of
    the settings."""

    retries: int | None = None
    timeout: float | None = None


class JobFunctions:
    """The functions of a project's code and its plugins, for one load; `packages` maps package names to folders.

    Functions of a plugin are prefixed with its folder: `octavo_reviews/mail:send`.
    """

    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = {_label(package): package for package in packages}
        self._options: dict[str, JobOptions] = {}

    @property
    def are_there(self) -> bool:
        """Return whether the project has code."""
        return bool(self._packages)

    def say(self, function: Callable[..., Any], options: JobOptions) -> None:
        """Set the options of a function. Raises NotAJob."""
        self._options[self.name_of(function)] = options

    def options_of(self, name: str) -> JobOptions:
        """Return the options of a function, by its name."""
        return self._options.get(name, JobOptions())

    def name_of(self, function: Callable[..., Any]) -> str:
        """Return `api.talk.services.talk:send`. Raises NotAJob for anything but a function in a module of the
        project."""
        module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
        label = next((label for label, package in self._packages.items() if module.startswith(f"{package}.")), None)
        if label is None or not inspect.isroutine(function) or not name.isidentifier():
            raise NotAJob(f"{name or function!r} is not a module-level function below src, so a job cannot refer to it")
        found = f"{label}{module.partition('.')[2]}:{name}"
        if getattr(sys.modules.get(module), name, None) is not function or len(found) > _LONGEST:
            raise NotAJob(f"{found} is another function in its module, so a job cannot refer to it")
        return found

    def find(self, name: str) -> Callable[..., Any]:
        """Return the function with that name. Raises NotAJob."""
        place, _, attribute = name.partition(":")
        folder, slash, module_name = place.rpartition("/")
        package = self._packages.get(folder + slash)
        parts = module_name.split(".")
        if package is None or not attribute.isidentifier() or not all(part.isidentifier() for part in parts):
            raise NotAJob(f"the project has no function {name!r}")
        module = self._module(f"{package}.{module_name}", name)
        function = getattr(module, attribute, None)
        if not inspect.isroutine(function) or getattr(function, "__module__", None) != module.__name__:
            raise NotAJob(f"the project has no function {name!r}")
        return function

    def _module(self, whole: str, name: str) -> ModuleType:
        found = sys.modules.get(whole)
        if found is not None:
            return found
        try:
            with without_bytecode():
                return importlib.import_module(whole)
        except ModuleNotFoundError as error:
            raise NotAJob(f"the project has no function {name!r}: {error}") from None


def takes_app(function: Callable[..., Any]) -> bool:
    """Return whether its first parameter is named `app`, which gets the service."""
    try:
        return next(iter(inspect.signature(function).parameters), "") == "app"
    except (TypeError, ValueError):
        return False


def _label(package: str) -> str:
    """Return the prefix of functions in a folder: empty for the project's `src`, the name for a plugin."""
    folder = Path(sys.modules[package].__path__[0])
    return "" if folder.name == _PROJECT else f"{folder.name}/"
