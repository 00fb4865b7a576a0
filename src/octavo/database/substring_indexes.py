"""Keeps indexes for parts of texts: makes their triggers, fills them step by step, indexes what was written since.

Whatever ends in the middle of this leaves an index that is right or not known, and what is not known is not searched.
Several processes may be at it: each step is a transaction that begins where the last one has ended.
"""

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import Final

from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database
from octavo.database.synchronize import found_tables
from octavo.query.sql.ddl.substring_indexes import parts_indexes
from octavo.query.sql.dialects.substring_indexes import PREFIX, KeptParts, PartsIndex
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

_STEP_SECONDS: Final = 0.05
"""How long others who write are to wait for a step."""
_FIRST_STEP, _LARGEST_STEP = 100, 20_000
"""Entries of a step."""
_MANY: Final = 50
"""So many changed entries are worth indexing."""
_FOLDED_AT_ONCE: Final = 1_000
_LEAST_WORN: Final = 10_000
"""Changed entries from when on it is asked whether an index is to be made anew."""
_MOST_MERGES: Final = 50_000
"""Steps towards one piece, which others may make many again meanwhile."""


@dataclass(frozen=True, slots=True)
class _State:
    """How it stands with an index: `sound` are its triggers, `known` it is for the tables as they are now."""

    index: PartsIndex
    sound: bool
    whole: bool
    known: bool


class PartsKeeper:
    """Keeps the indexes that one registry declares on one database, which has the tables for them."""

    def __init__(self, database: Database, registry: Registry) -> None:
        self._database = database
        self._parts = database.dialect.parts
        self._indexes = parts_indexes(registry, database.dialect)

    @property
    def has_work(self) -> bool:
        """Whether any index is declared."""
        return bool(self._indexes)

    async def keep(self) -> tuple[PartsIndex, ...]:
        """Make what is missing, fill what is not whole, index what was changed; those that were made or filled."""
        made: list[PartsIndex] = []
        if self._parts is None or not self._indexes:
            return ()
        for state in await self._states(self._parts):
            if not state.known:
                await self._put_right(state.index, self._parts)
            if not state.whole or not state.sound:
                await self._fill(state.index, self._parts)
                made.append(state.index)
            if await self._fold(state.index, self._parts):
                await self._begin_again(state.index, self._parts)
        return tuple(made)

    async def remove_others(self) -> None:
        """Remove the indexes that are not declared any more."""
        parts, wanted = self._parts, {index.name for index in self._indexes}
        if parts is None or PREFIX not in await found_tables(self._database, self._database.dialect):
            return
        names = {row[0] for row in await self._database.fetch_all(parts.states)} - wanted
        if not names:
            return
        async with self._database.transaction(exclusive=True) as transaction:
            triggers = (await _triggers(transaction, parts)).keys()
            others = [name for name in triggers if name.rpartition("_")[0] in names]
            await transaction.execute_script(parts.remove(sorted(names), others))
        logger.info("Dropped %s, which no content type declares", ", ".join(sorted(names)))

    async def _states(self, parts: KeptParts) -> list[_State]:
        rows = {name: (bool(whole), bool(known)) for name, whole, known in await self._database.fetch_all(parts.states)}
        if all(rows.get(index.name) == (True, True) for index in self._indexes):
            return [_State(index, True, True, True) for index in self._indexes]
        triggers = await _triggers(self._database, parts)
        return [
            _State(index, _is_sound(index, triggers, parts), *rows.get(index.name, (False, False)))
            for index in self._indexes
        ]

    async def _put_right(self, index: PartsIndex, parts: KeptParts) -> None:
        """Trust an index whose triggers are what they were when it was begun; begin any other one."""
        async with self._database.transaction(exclusive=True) as transaction:
            begun = {row[0] for row in await transaction.fetch_all(parts.states)}
            if index.name not in begun or not _is_sound(index, await _triggers(transaction, parts), parts):
                await transaction.execute_script(parts.install(index))
            await transaction.execute(parts.confirm(index))

    async def _fill(self, index: PartsIndex, parts: KeptParts) -> None:
        begin, step = time.monotonic(), _FIRST_STEP
        while True:
            step_begin = time.monotonic()
            async with self._database.transaction() as transaction:
                last = await transaction.fetch_value(parts.last_of_step(index), [step])
                if last is not None:
                    await transaction.execute(parts.fill(index), [last])
                await transaction.execute(parts.filled(index), [last])
            if last is None:
                await self._merge(index, parts)
                logger.info("Created the trigram index of %s.%s in %.1f s", index.table, index.column, _since(begin))
                return
            took = _since(step_begin)
            step = max(1, min(_LARGEST_STEP, step * 2, int(step * _STEP_SECONDS / took)))
            await asyncio.sleep(took)

    async def _merge(self, index: PartsIndex, parts: KeptParts) -> None:
        """Make one piece of those that the steps have left: a search is five times as quick then."""
        for _ in range(_MOST_MERGES):
            if await self._database.fetch_value(parts.pieces(index)) <= 1:
                return
            begin = time.monotonic()
            await self._database.execute(parts.merge(index))
            await asyncio.sleep(_since(begin))

    async def _fold(self, index: PartsIndex, parts: KeptParts) -> bool:
        """Index what was changed; whether there was any need."""
        is_needed = False
        while await self._database.fetch_value(parts.waiting(index)) >= _MANY:
            await self._database.execute_script(parts.fold(index, _FOLDED_AT_ONCE))
            is_needed = True
        return is_needed

    async def _begin_again(self, index: PartsIndex, parts: KeptParts) -> None:
        """Make an index anew that holds more of what was than of what is."""
        if await self._database.fetch_value(parts.is_worn(index, _LEAST_WORN), long=True):
            async with self._database.transaction(exclusive=True) as transaction:
                await transaction.execute_script(parts.install(index))
                await transaction.execute(parts.confirm(index))
            await self._fill(index, parts)


async def _triggers(connection: Connection, parts: KeptParts) -> dict[str, str]:
    return {row[0]: row[1] for row in await connection.fetch_all(parts.triggers)}


def _is_sound(index: PartsIndex, triggers: Mapping[str, str], parts: KeptParts) -> bool:
    return all(triggers.get(name) == text for name, text in parts.wanted(index).items())


def _since(begin: float) -> float:
    return time.monotonic() - begin
