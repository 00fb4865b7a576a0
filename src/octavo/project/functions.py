"""Functions of a project: sync or async, called with as many arguments as they take, known by where they stand."""

import asyncio
import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from octavo.core.threads import is_cancelled
from octavo.core.values import dataclass
from octavo.project.problems import CodeProblem, InvalidCode

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class CodeStopped(Exception):
    """Code raised SystemExit, KeyboardInterrupt or CancelledError, which would end the process or the request: an
    error like any other. Its text names what was raised, and its traceback leads there."""

    @classmethod
    def of(cls, error: BaseException) -> "CodeStopped":
        """Return the error that stands for what was raised."""
        return cls(f"{type(error).__name__}: {error}".strip(": ")).with_traceback(error.__traceback__)


@dataclass(frozen=True, slots=True)
class Function:
    """A function and its place (`src/policies/is-owner.py: policy`). `takes` is how many arguments it wants."""

    call: Callable[..., Any]
    place: str
    takes: int

    async def __call__(self, *arguments: Any) -> Any:
        """Return what it returns, awaited where need be. A sync function runs in the event loop, so it should be quick.

        Raises CodeStopped for what would end the process.
        """
        try:
            result = self.call(*arguments[: self.takes])
            return await result if inspect.isawaitable(result) else result
        except (SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and is_cancelled():
                raise
            raise CodeStopped.of(error) from error


def function_at(value: Any, place: str, names: str) -> Function:
    """A value as a Function that is offered the arguments `names` (`"context, config"`). Raises InvalidCode."""
    if not callable(value):
        raise InvalidCode([CodeProblem(place, f"expected a function of ({names}), not {type(value).__name__}")])
    if is_generator(value):
        raise InvalidCode([CodeProblem(place, GENERATOR)])
    offered = len(names.split(", ")) if names else 0
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):  # some built-in functions do not tell
        return Function(value, place, offered)
    positional = [item for item in parameters if item.kind in _POSITIONAL]
    needed = sum(item.default is item.empty for item in positional)
    by_name = any(item.kind is item.KEYWORD_ONLY and item.default is item.empty for item in parameters)
    if needed > offered or by_name:
        raise InvalidCode([CodeProblem(place, f"takes other arguments than it is called with: ({names})")])
    return Function(value, place, taken(value, offered))


GENERATOR = "is a generator, which would never run: use `return` or `await` instead of `yield`"


def is_generator(value: Any) -> bool:
    """Return whether to call this only makes a generator."""
    called = value
    while isinstance(called, functools.partial):
        called = called.func
    for one in (called, getattr(called, "__call__", None)):  # noqa: B004 - a method of objects that can be called
        if inspect.isgeneratorfunction(one) or inspect.isasyncgenfunction(one):
            return True
    return False


def taken(call: Callable[..., Any], offered: int) -> int:
    """How many of the arguments that it is offered a function takes."""
    kinds = [item.kind for item in inspect.signature(call).parameters.values()]
    takes_any = inspect.Parameter.VAR_POSITIONAL in kinds
    return offered if takes_any else min(sum(kind in _POSITIONAL for kind in kinds), offered)


def place_of(value: Any, folder: Path) -> str:
    """Where a function stands: its file, line and name; for other callables their name."""
    name = getattr(value, "__qualname__", type(value).__qualname__)
    code = getattr(inspect.unwrap(value), "__code__", None) if callable(value) else None
    if code is None:
        return name
    return f"{relative(Path(code.co_filename), folder)}:{code.co_firstlineno} {name}"


def relative(path: Path, folder: Path) -> str:
    """A path as seen from the project's folder."""
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix()
