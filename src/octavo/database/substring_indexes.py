"""Maintain substring indexes: create their triggers, fill them step by step, and index changed rows.

If this is interrupted at any point, an index is either correct or marked as unknown, and unknown ones are not used.
Several processes may work on it: each step is a transaction that starts where the last one ended.
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
from octavo.query.sql.dialects.substring_indexes import PREFIX, SubstringIndex, SubstringIndexes
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

_STEP_SECONDS: Final = 0.05
"""How long other writers wait for a step."""
_FIRST_STEP, _LARGEST_STEP = 100, 20_000
"""Number of entries of a step."""
_MANY: Final = 50
"""Number of changed entries that are worth indexing."""
_FOLDED_AT_ONCE: Final = 1_000
_LEAST_WORN: Final = 10_000
"""Number of changed entries from which on rebuilding an index is considered."""
_MOST_MERGES: Final = 50_000
"""Maximum number of merge steps, because other processes may create new segments in the meantime."""


@dataclass(frozen=True, slots=True)
class _State:
    """The state of an index: whether its triggers are `sound`, and whether it is `known` for the current tables."""

    index: SubstringIndex
    sound: bool
    whole: bool
    known: bool


class SubstringIndexMaintenance:
    """Maintains the indexes that one registry declares on one database, which has the tables for them."""

    def __init__(self, database: Database, registry: Registry) -> None:
        self._database = database
        self._parts = database.dialect.parts
        self._indexes = parts_indexes(registry, database.dialect)

    @property
    def has_work(self) -> bool:
        """Return whether any index is declared."""
        return bool(self._indexes)

    async def keep(self) -> tuple[SubstringIndex, ...]:
        """Create missing indexes, fill incomplete ones and index changed rows; return the created or filled ones."""
        made: list[SubstringIndex] = []
        if self._parts is None or not self._indexes:
            return ()
        for state in await self._states(self._parts):
            if not state.known:
                await self._repair(state.index, self._parts)
            if not state.whole or not state.sound:
                await self._fill(state.index, self._parts)
                made.append(state.index)
            if await self._fold(state.index, self._parts):
                await self._begin_again(state.index, self._parts)
        return tuple(made)

    async def remove_others(self) -> None:
        """Remove the indexes that are no longer declared."""
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

    async def _states(self, parts: SubstringIndexes) -> list[_State]:
        rows = {name: (bool(whole), bool(known)) for name, whole, known in await self._database.fetch_all(parts.states)}
        if all(rows.get(index.name) == (True, True) for index in self._indexes):
            return [_State(index, True, True, True) for index in self._indexes]
        triggers = await _triggers(self._database, parts)
        return [
            _State(index, _is_valid(index, triggers, parts), *rows.get(index.name, (False, False)))
            for index in self._indexes
        ]

    async def _repair(self, index: SubstringIndex, parts: SubstringIndexes) -> None:
        """Accept an index whose triggers are unchanged since it was started; restart any other one."""
        async with self._database.transaction(exclusive=True) as transaction:
            begun = {row[0] for row in await transaction.fetch_all(parts.states)}
            if index.name not in begun or not _is_valid(index, await _triggers(transaction, parts), parts):
                await transaction.execute_script(parts.install(index))
            await transaction.execute(parts.confirm(index))

    async def _fill(self, index: SubstringIndex, parts: SubstringIndexes) -> None:
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

    async def _merge(self, index: SubstringIndex, parts: SubstringIndexes) -> None:
        """Merge the segments that the steps have left into one, which makes searches five times as fast."""
        for _ in range(_MOST_MERGES):
            if await self._database.fetch_value(parts.pieces(index)) <= 1:
                return
            begin = time.monotonic()
            await self._database.execute(parts.merge(index))
            await asyncio.sleep(_since(begin))

    async def _fold(self, index: SubstringIndex, parts: SubstringIndexes) -> bool:
        """Index changed rows; return whether there were any."""
        is_needed = False
        while await self._database.fetch_value(parts.waiting(index)) >= _MANY:
            await self._database.execute_script(parts.fold(index, _FOLDED_AT_ONCE))
            is_needed = True
        return is_needed

    async def _begin_again(self, index: SubstringIndex, parts: SubstringIndexes) -> None:
        """Rebuild an index that contains more outdated rows than current ones."""
        if await self._database.fetch_value(parts.is_worn(index, _LEAST_WORN), long=True):
            async with self._database.transaction(exclusive=True) as transaction:
                await transaction.execute_script(parts.install(index))
                await transaction.execute(parts.confirm(index))
            await self._fill(index, parts)


async def _triggers(connection: Connection, parts: SubstringIndexes) -> dict[str, str]:
    return {row[0]: row[1] for row in await connection.fetch_all(parts.triggers)}


def _is_valid(index: SubstringIndex, triggers: Mapping[str, str], parts: SubstringIndexes) -> bool:
    return all(triggers.get(name) == text for name, text in parts.wanted(index).items())


def _since(begin: float) -> float:
    return time.monotonic() - begin
