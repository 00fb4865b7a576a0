"""Functions of a project: sync or async, called with as many arguments as they accept, with their location."""

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
    """Code raised SystemExit, KeyboardInterrupt or CancelledError, which would end the process or the request. It is
    handled like any other error. The message contains the original error, and the traceback is preserved."""

    @classmethod
    def of(cls, error: BaseException) -> "CodeStopped":
        """Return the error for what was raised."""
        return cls(f"{type(error).__name__}: {error}".strip(": ")).with_traceback(error.__traceback__)


@dataclass(frozen=True, slots=True)
class Function:
    """A function and its location (`src/policies/is-owner.py: policy`). `takes` is how many arguments it accepts."""

    call: Callable[..., Any]
    place: str
    takes: int

    async def __call__(self, *arguments: Any) -> Any:
        """Call the function, await its result if needed, and return it. A sync function runs in the event loop, so it
        should be fast.

        Raises CodeStopped instead of exceptions that would end the process.
        """
        try:
            result = self.call(*arguments[: self.takes])
            return await result if inspect.isawaitable(result) else result
        except (SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and is_cancelled():
                raise
            raise CodeStopped.of(error) from error


def function_at(value: Any, place: str, names: str) -> Function:
    """Return a Function that may accept the arguments `names` (`"context, config"`). Raises InvalidCode."""
    if not callable(value):
        raise InvalidCode([CodeProblem(place, f"expected a function of ({names}), not {type(value).__name__}")])
    if is_generator(value):
        raise InvalidCode([CodeProblem(place, GENERATOR)])
    offered = len(names.split(", ")) if names else 0
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):  # some built-in functions have no signature
        return Function(value, place, offered)
    positional = [item for item in parameters if item.kind in _POSITIONAL]
    needed = sum(item.default is item.empty for item in positional)
    by_name = any(item.kind is item.KEYWORD_ONLY and item.default is item.empty for item in parameters)
    if needed > offered or by_name:
        raise InvalidCode([CodeProblem(place, f"must accept the arguments ({names})")])
    return Function(value, place, taken(value, offered))


GENERATOR = "is a generator, which never runs. Use `return` or `await` instead of `yield`"


def is_generator(value: Any) -> bool:
    """Return whether calling this only creates a generator."""
    called = value
    while isinstance(called, functools.partial):
        called = called.func
    for one in (called, getattr(called, "__call__", None)):  # noqa: B004 - the method of a callable object
        if inspect.isgeneratorfunction(one) or inspect.isasyncgenfunction(one):
            return True
    return False


def taken(call: Callable[..., Any], offered: int) -> int:
    """Return how many of the offered arguments a function accepts."""
    kinds = [item.kind for item in inspect.signature(call).parameters.values()]
    takes_any = inspect.Parameter.VAR_POSITIONAL in kinds
    return offered if takes_any else min(sum(kind in _POSITIONAL for kind in kinds), offered)


def place_of(value: Any, folder: Path) -> str:
    """Return a function's file, line and name; for other callables their name."""
    name = getattr(value, "__qualname__", type(value).__qualname__)
    code = getattr(inspect.unwrap(value), "__code__", None) if callable(value) else None
    if code is None:
        return name
    return f"{relative(Path(code.co_filename), folder)}:{code.co_firstlineno} {name}"


def relative(path: Path, folder: Path) -> str:
    """Return a path relative to the project's folder."""
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix()
