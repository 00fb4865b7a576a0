"""Reads that wait anyway are made together: who asks the same is answered by the same read.

Of equal reads two are under way at a time. Who comes meanwhile waits for the next one, which begins after all of them
have asked: each sees what had been committed by then, as if it had read alone. Where nobody waits nothing is different.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from contextvars import Context
from typing import ClassVar, Final, Generic, TypeVar

from octavo.database.connection import Values

AnswerT = TypeVar("AnswerT")
WhatT = TypeVar("WhatT", bound=Hashable)

AT_ONCE: Final = 2
"""Equal reads under way, so that one is on its way while another one is answered."""


class _Crowd(Generic[AnswerT]):
    """Equal reads, while there are any: how many are under way, who waits for the next one, and for whom those run that
    were begun for others."""

    __slots__ = ("running", "under_way", "waiting")

    def __init__(self) -> None:
        self.under_way = 0
        self.waiting: list[asyncio.Future[AnswerT]] = []
        self.running: dict[asyncio.Task[None], list[asyncio.Future[AnswerT]]] = {}


class JointReads(Generic[WhatT, AnswerT]):
    """Makes reads with `make`, which is given what to read, and its values. It is not told who asks: what depends on
    that has to be part of what is read."""

    joined: ClassVar[int] = 0
    """How many reads of this process were answered by one that was begun for all who waited."""

    def __init__(self, make: Callable[[WhatT, Values], Awaitable[AnswerT]]) -> None:
        self._make = make
        self._crowds: dict[Hashable, _Crowd[AnswerT]] = {}

    async def read(self, what: WhatT, values: Values) -> AnswerT:
        """Read something with these values. Raises what the read does."""
        key = (what, *values, *map(type, values))  # Python takes 1, 1.0 and True for equal
        crowd = self._crowds.get(key)
        if crowd is None:
            crowd = self._crowds[key] = _Crowd()
        elif crowd.under_way >= AT_ONCE:
            return await self._wait(crowd)
        crowd.under_way += 1
        try:
            return await self._make(what, values)
        finally:
            self._go_on(key, crowd, what, values)

    async def _wait(self, crowd: _Crowd[AnswerT]) -> AnswerT:
        """Be answered by a read that begins later."""
        future: asyncio.Future[AnswerT] = asyncio.get_running_loop().create_future()
        crowd.waiting.append(future)
        JointReads.joined += 1
        try:
            return await future
        except asyncio.CancelledError:
            for task, answered in crowd.running.items():
                if all(one.done() for one in answered):
                    task.cancel()  # nobody is left who wants to know
            raise

    def _go_on(self, key: Hashable, crowd: _Crowd[AnswerT], what: WhatT, values: Values) -> None:
        """One is over: begin the next one, for all who wait, on behalf of nobody in particular."""
        crowd.under_way -= 1
        answered = [one for one in crowd.waiting if not one.done()]
        if answered:
            crowd.waiting = []
            crowd.under_way += 1
            read = self._read_for(answered, key, crowd, what, values)
            task = asyncio.get_running_loop().create_task(read, context=Context())
            crowd.running[task] = answered
            task.add_done_callback(crowd.running.pop)
        elif not crowd.under_way:
            del self._crowds[key]

    async def _read_for(
        self,
        answered: "list[asyncio.Future[AnswerT]]",
        key: Hashable,
        crowd: _Crowd[AnswerT],
        what: WhatT,
        values: Values,
    ) -> None:
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
                one.cancel()  # if this was ended from outside
            self._go_on(key, crowd, what, values)
