"""How many drafts entries lead to: those who publish are told, for readers will not see these."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import orjson

from octavo.authorization.actor import Actor
from octavo.content_manager.entries import ManagedEntries
from octavo.content_manager.held_entries import chosen_by_ids
from octavo.i18n.locales import Locales
from octavo.query.answer import Answer, Count, Kinds, Nested, Object
from octavo.query.ast import EVERYTHING, At, Compare, Filter, Query
from octavo.query.operators import OPERATORS
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Relation
from octavo.schema.automatic import PUBLISHED_AT
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry

_IS_DRAFT: Final[Filter] = At(attribute=PUBLISHED_AT, filter=Compare(operator=OPERATORS["$null"], values=(True,)))


class DraftRelations:
    """Counts drafts, in components and zones too."""

    def __init__(self, managed: ManagedEntries, locales: Locales) -> None:
        self._managed = managed
        self._locales = locales
        self._reads = managed.reads

    async def of_one(self, content_type: ContentType, entry_id: int, actor: Actor) -> int:
        """Those of an entry that the actor may read. Raises NotFoundError, ForbiddenError."""
        known = ReadRequest(content_type=content_type, by=By.ID, projection=Form.ID, drafts=Drafts.SHOWN)
        if await self._reads.find_any(self._reads.prepare(known, actor.ability).bind(id=entry_id)) is None:
            await self._managed.refuse(content_type, entry_id)
        told = _told(self._managed.registry, content_type)
        request = ReadRequest(content_type=content_type, by=By.ID, projection=told, drafts=Drafts.ANY)
        found = await self._reads.find_any(self._reads.prepare(request, None).bind(id=entry_id))
        return 0 if found is None else _sum(orjson.loads(found))

    async def of_many(self, content_type: ContentType, ids: Iterable[int], locale: str | None) -> int:
        """Those of several entries in a locale (None: the default one), whoever may read them (observed): a number says
        nothing of them."""
        told = _told(self._managed.registry, content_type)
        locales = (locale or await self._locales.default(),) if content_type.localized else None
        query = Query(filters=chosen_by_ids(ids), locales=locales)
        request = ReadRequest(content_type=content_type, query=query, projection=told, drafts=Drafts.ANY)
        entries, _ = await self._reads.find(self._reads.prepare(request, None))
        return _sum(orjson.loads(entries))


def _told(registry: Registry, definition: Definition, around: tuple[str, ...] = ()) -> Object:
    return Object(tuple(_members(registry, definition, around)))


def _members(registry: Registry, definition: Definition, around: tuple[str, ...]) -> Iterator[tuple[str, Answer]]:
    for name in definition.writable_names:
        answer = _answer(registry, definition.attributes[name], around)
        if answer is not None:
            yield name, answer


def _answer(registry: Registry, attribute: AnyAttribute, around: tuple[str, ...]) -> Answer | None:
    def inside(uid: str) -> Object | None:
        component = registry.components.get(uid)
        return None if component is None or uid in around else _told(registry, component, (*around, uid))

    match attribute:
        case Relation(target=str() as uid):
            target = registry.content_types.get(uid)
            has_drafts = target is not None and target.draft_and_publish
            return Count(attribute.name, linked=True, condition=_IS_DRAFT) if has_drafts else None
        case ComponentField(component=uid):
            found = inside(uid)
            return Nested(attribute.name, EVERYTHING, found, linked=True) if found and found.members else None
        case DynamicZone(components=uids):
            branches = tuple((uid, found) for uid in uids if (found := inside(uid)) is not None and found.members)
            return Kinds(attribute.name, EVERYTHING, branches, linked=True) if branches else None
        case _:
            return None


def _sum(found: Any) -> int:
    if isinstance(found, int):
        return found
    inner = found.values() if isinstance(found, dict) else found or ()
    return sum(map(_sum, inner))
