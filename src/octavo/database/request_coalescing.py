"""Request coalescing: identical reads that wait at the same time share one read.

Of identical reads, two run at a time. Later ones wait for the next read, which starts after all of them were
requested: each sees what had been committed by then, as with a separate read. Without waiting reads nothing changes.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from contextvars import Context
from typing import ClassVar, Final, Generic, TypeVar

from octavo.database.connection import Values

AnswerT = TypeVar("AnswerT")
WhatT = TypeVar("WhatT", bound=Hashable)

_Waiting = list[asyncio.Future[AnswerT]]

AT_ONCE: Final = 2
"""Number of identical reads that run at once, so that one can start while another is completing."""


class RequestCoalescer(Generic[WhatT, AnswerT]):
    """Reads with `make`, which is called with what to read, and its values. It does not know the caller: anything
    specific to the caller must be part of these."""

    joined: ClassVar[int] = 0
    """Number of reads of this process that were served by a shared read."""

    def __init__(self, make: Callable[[WhatT, Values], Awaitable[AnswerT]], *, shares: bool = True) -> None:
        self._make = make
        self._shares = shares
        self._under_way: dict[Hashable, int] = {}
        self._waiting: dict[Hashable, _Waiting[AnswerT]] = {}
        self._begun: dict[asyncio.Task[None], _Waiting[AnswerT]] = {}

    def is_under_way(self, what: WhatT, values: Values) -> bool:
        """Return whether an identical read is running."""
        return (what, *values, *map(type, values)) in self._under_way

    async def read(self, what: WhatT, values: Values) -> AnswerT:
        """Read with these values. Raises the errors of the read."""
        key = (what, *values, *map(type, values))  # in Python, 1, 1.0 and True are equal
        under_way = self._under_way.get(key, 0)
        if under_way >= AT_ONCE and self._shares:
            return await self._wait(key)
        self._under_way[key] = under_way + 1
        try:
            return await self._make(what, values)
        finally:
            if self._under_way[key] > 1 or key in self._waiting:
                self._start_next(key, what, values)
            else:
                del self._under_way[key]

    async def _wait(self, key: Hashable) -> AnswerT:
        """Wait for the result of a read that starts later."""
        future: asyncio.Future[AnswerT] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, []).append(future)
        RequestCoalescer.joined += 1
        try:
            return await future
        except asyncio.CancelledError:
            for task, answered in self._begun.items():
                if all(one.done() for one in answered):
                    task.cancel()  # no caller waits any more
            raise

    def _start_next(self, key: Hashable, what: WhatT, values: Values) -> None:
        """After a read has finished, start the next one for all waiting callers, in a new context."""
        answered = [one for one in self._waiting.pop(key, ()) if not one.done()]
        if answered:
            read = self._read_for(answered, key, what, values)
            task = asyncio.get_running_loop().create_task(read, context=Context())
            self._begun[task] = answered
            task.add_done_callback(self._begun.pop)
        elif self._under_way[key] > 1:
            self._under_way[key] -= 1
        else:
            del self._under_way[key]

    async def _read_for(self, answered: _Waiting[AnswerT], key: Hashable, what: WhatT, values: Values) -> None:
        try:
            answer = await self._make(what, values)
        except Exception as error:
            for one in answered:
                if not one.done():
                    one.set_exception(error)
        else:
            for one in answered:
                if not one.done():
                    one.set_result(answer)
        finally:
            for one in answered:
                one.cancel()  # if the task itself was cancelled
            self._start_next(key, what, values)
