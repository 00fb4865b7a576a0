"""Tracing hooks for outgoing calls. By default no tracer is installed."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol


class Call(Protocol):
    """An outgoing call in progress."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the headers to send, which propagate the trace context."""

    def answered(self, status: int) -> None:
        """Record the response's status."""


Follow = Callable[[str, Mapping[str, str | int]], AbstractContextManager[Call]]
"""Starts tracing a call, with its name and attributes: never a path, a query, or anything else that may be secret."""


class _Unseen:
    headers: Mapping[str, str] = {}

    def answered(self, status: int) -> None:
        """Do nothing: no tracer is installed."""


class Calls:
    """The tracer of this process's outgoing calls, if one is installed."""

    follow: Follow | None = None


CALLS: Final = Calls()
_UNSEEN: Final = nullcontext(_Unseen())


def following(name: str, attributes: Mapping[str, str | int]) -> AbstractContextManager[Call]:
    """Trace a call for the duration of the block, if a tracer is installed."""
    return _UNSEEN if CALLS.follow is None else CALLS.follow(name, attributes)
