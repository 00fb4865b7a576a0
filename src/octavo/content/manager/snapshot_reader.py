"""SnapshotReader: read the contents of entries in the unit of work that changes or copies them."""

from collections.abc import Iterable
from typing import Any, Final

import orjson

from octavo.access.authorization.ability import Ability
from octavo.content.entry_snapshot import held
from octavo.content.entry_unit import EntryUnit
from octavo.content.reader import EntryReader, PreparedRead
from octavo.query.answer import Object, Plain
from octavo.query.ast import ALL_LOCALES, And, At, Compare, Filter, Query
from octavo.query.operators import OPERATORS
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Drafts, ReadRequest
from octavo.schema.attributes import LOCALE, PUBLISHED_AT
from octavo.schema.content_types import ContentType

_ID: Final = Object((("id", Plain(None)),))


class SnapshotReader:
    """Reads the contents of entries of one registry."""

    def __init__(self, reader: EntryReader) -> None:
        self._reader = reader
        self._registry = reader.registry
        self._prepared: dict[str, PreparedRead] = {}

    async def read_entry(self, unit: EntryUnit, content_type: ContentType, entry_id: int) -> dict[str, Any] | None:
        """Return an entry's contents and publication date; None if it does not exist."""
        prepared = self._prepared.get(content_type.uid)
        if prepared is None:
            prepared = self._prepared[content_type.uid] = self._prepare(
                ReadRequest(
                    content_type=content_type, by=By.ID, projection=self._whole(content_type), drafts=Drafts.ANY
                )
            )
        return await self._read_one(unit, prepared, entry_id)

    async def read_entries(self, unit: EntryUnit, content_type: ContentType, ids: list[int]) -> list[dict[str, Any]]:
        """Return the contents of several entries, sorted by id; missing ones are left out."""
        return await self._read_many(unit, content_type, ids, self._whole(content_type))

    async def existing_ids(
        self, unit: EntryUnit, content_type: ContentType, ids: list[int], scope: Filter | None = None
    ) -> list[int]:
        """Return the ids of existing entries, within a scope if one is given."""
        return [one["id"] for one in await self._read_many(unit, content_type, ids, _ID, scope)]

    async def read_copy(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, ability: Ability
    ) -> dict[str, Any] | None:
        """Return what an ability can copy of an entry, and its locale; None if it does not exist."""
        answer = held(self._registry, content_type, copied_by=ability if ability.limits_fields else None)
        if content_type.localized:
            answer = Object((*answer.members, (LOCALE, Plain(LOCALE))))
        request = ReadRequest(content_type=content_type, by=By.ID, projection=answer, drafts=Drafts.ANY)
        return await self._read_one(unit, self._prepare(request), entry_id)

    def _whole(self, content_type: ContentType) -> Object:
        answer = held(self._registry, content_type)
        return Object((*answer.members, (PUBLISHED_AT, Plain(PUBLISHED_AT))))

    def _prepare(self, request: ReadRequest) -> PreparedRead:
        return self._reader.prepare(plan_read(request, self._registry))

    async def _read_one(self, unit: EntryUnit, prepared: PreparedRead, entry_id: int) -> dict[str, Any] | None:
        entry = await self._reader.read_one(prepared.bind(id=entry_id), unit.connection)
        return None if entry is None else orjson.loads(entry)

    async def _read_many(
        self, unit: EntryUnit, content_type: ContentType, ids: list[int], answer: Object, scope: Filter | None = None
    ) -> list[dict[str, Any]]:
        if not ids:
            return []
        chosen = chosen_by_ids(ids)
        query = Query(
            filters=chosen if scope is None else And(items=(chosen, scope)),
            locales=(ALL_LOCALES,) if content_type.localized else None,
        )
        request = ReadRequest(content_type=content_type, query=query, by=By.LIST, projection=answer, drafts=Drafts.ANY)
        with unit.ambient():
            entries, _ = await self._reader.read_list(self._prepare(request))
        values: list[dict[str, Any]] = orjson.loads(entries)
        return values


def chosen_by_ids(ids: Iterable[int]) -> Filter:
    """Return a filter for entries with these ids."""
    return At(attribute="id", filter=Compare(operator=OPERATORS["$in"], values=tuple(sorted(set(ids)))))
