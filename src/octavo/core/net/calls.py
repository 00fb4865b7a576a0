"""Calls to other machines, seen by whoever follows a request from one machine to the next; as a rule by nobody."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol


class Call(Protocol):
    """A call that is under way."""

    @property
    def headers(self) -> Mapping[str, str]:
        """What is sent with it, so that the other machine knows what it belongs to."""

    def answered(self, status: int) -> None:
        """Note the answer."""


Follow = Callable[[str, Mapping[str, str | int]], AbstractContextManager[Call]]
"""Told what a call is and what is known of it: never a path, a query, or anything that may be secret."""


class _Unseen:
    headers: Mapping[str, str] = {}

    def answered(self, status: int) -> None:
        """Nobody wants to know."""


class Calls:
    """Who follows the calls of this process: what sends them is made in many places."""

    follow: Follow | None = None


CALLS: Final = Calls()
_UNSEEN: Final = nullcontext(_Unseen())


def following(name: str, attributes: Mapping[str, str | int]) -> AbstractContextManager[Call]:
    """A call as long as the block lasts, told to whoever follows it."""
    return _UNSEEN if CALLS.follow is None else CALLS.follow(name, attributes)
