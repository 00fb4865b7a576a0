"""Families of localizations as administrators make them: the entries that are one in several locales.

They share what is not localized. Whoever changes that in one changes it in all of them.
"""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from octavo.content.entry_unit import EntryUnit
from octavo.content.reader import EntryReader, PreparedRead
from octavo.content_manager.held import as_data, held, without_ids
from octavo.errors import ApplicationError
from octavo.i18n.localizations import is_shared, relink
from octavo.plan.read import plan_read
from octavo.query.answer import Nested, Object, Plain
from octavo.query.ast import ALL_LOCALES, EVERYTHING, Query
from octavo.query.request import By, Drafts, ReadRequest
from octavo.schema.attributes import AnyAttribute, Relation
from octavo.schema.automatic import LOCALE, LOCALIZATIONS
from octavo.schema.content_types import ContentType
from octavo.values import dataclass

_MEMBER: Final = Object((("id", Plain(None)), ("locale", Plain(LOCALE))))


@dataclass(frozen=True, slots=True)
class Family:
    """Entries by their locales, and the data that they share."""

    ids: Mapping[str, int]
    shared: Mapping[str, Any]


class Families:
    """Reads, joins and levels families."""

    def __init__(self, reader: EntryReader) -> None:
        self._reader = reader
        self._registry = reader.registry
        self._prepared: dict[tuple[str, By], PreparedRead] = {}

    async def of(self, unit: EntryUnit, content_type: ContentType, entry_id: int) -> Family | None:
        """That of an entry; None where there is no such entry."""
        prepared = self._prepare(content_type, By.ID)
        found = await self._reader.read_one(prepared.bind(id=entry_id), unit.connection)
        return None if found is None else self._read(content_type, orjson.loads(found))

    async def of_single(self, unit: EntryUnit, content_type: ContentType) -> Family:
        """All entries of a single type, which share what the first of them has."""
        with unit.ambient():
            entries, _ = await self._reader.read_list(self._prepare(content_type, By.LIST))
        found = orjson.loads(entries)
        shared = self._read(content_type, found[0]).shared if found else {}
        return Family({one["locale"] or "": one["id"] for one in found}, shared)

    async def join(self, unit: EntryUnit, content_type: ContentType, entry_id: int, family: Family) -> None:
        """Let a new entry be one of a family."""
        await unit.apply(relink(content_type, [entry_id, *family.ids.values()]))

    async def level(self, unit: EntryUnit, content_type: ContentType, entry_id: int, data: Mapping[str, Any]) -> None:
        """Give the others of an entry's family what data has changed of that which they share."""
        if not content_type.localized or not any(is_shared_value(content_type.attributes[name]) for name in data):
            return
        family = await self.of(unit, content_type, entry_id)
        changed = {} if family is None else {name: value for name, value in family.shared.items() if name in data}
        for other in () if family is None else family.ids.values():
            if other != entry_id and changed:
                await unit.update(content_type, other, changed)

    def _read(self, content_type: ContentType, found: Mapping[str, Any]) -> Family:
        members = ({"id": found["id"], "locale": found["locale"]}, *found[LOCALIZATIONS])
        shared = without_ids(self._registry, content_type, as_data(self._registry, content_type, found["shared"]))
        return Family({one["locale"] or "": one["id"] for one in members}, shared)

    def _prepare(self, content_type: ContentType, by: By) -> PreparedRead:
        key = (content_type.uid, by)
        if key not in self._prepared:
            told = Object(
                (
                    *_MEMBER.members,
                    (LOCALIZATIONS, Nested(LOCALIZATIONS, EVERYTHING, _MEMBER, linked=True)),
                    ("shared", held(self._registry, content_type, includes=is_shared_value)),
                )
            )
            query = Query(locales=(ALL_LOCALES,)) if by is By.LIST else EVERYTHING
            request = ReadRequest(content_type=content_type, query=query, by=by, projection=told, drafts=Drafts.ANY)
            self._prepared[key] = self._reader.prepare(plan_read(request, self._registry))
        return self._prepared[key]


def check_free(family: Family | None, locale: str) -> Family:
    """A family that has no entry in a locale yet. Raises ApplicationError for any other."""
    if family is None or locale in family.ids:
        raise ApplicationError("The related entity doesn't exist or the entity already exists in this locale")
    return family


def is_shared_value(attribute: AnyAttribute) -> bool:
    """Whether localizations share it; what they are related to is their own."""
    return is_shared(attribute) and not isinstance(attribute, Relation)
