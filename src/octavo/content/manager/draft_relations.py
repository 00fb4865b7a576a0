"""Count the drafts that entries link to, to warn before publishing: readers will not see those.

Only links in entries and fields that the administrator can read are counted.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

import orjson

from octavo.access.authorization.ability import Ability, reads
from octavo.access.authorization.actor import Actor
from octavo.content.locales import Locales
from octavo.content.manager.entries import ManagedEntries
from octavo.content.manager.snapshot_reader import chosen_by_ids
from octavo.core.values import dataclass
from octavo.query.answer import Answer, Count, Guarded, Kinds, Nested, Object
from octavo.query.ast import EVERYTHING, And, At, Compare, Filter, Query
from octavo.query.operators import OPERATORS
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.attributes import PUBLISHED_AT, AnyAttribute, ComponentField, DynamicZone, Relation
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry

_IS_DRAFT: Final[Filter] = At(attribute=PUBLISHED_AT, filter=Compare(operator=OPERATORS["$null"], values=(True,)))


class DraftRelations:
    """Counts drafts, including those linked in components and dynamic zones."""

    def __init__(self, managed: ManagedEntries, locales: Locales) -> None:
        self._managed = managed
        self._locales = locales
        self._reads = managed.reads

    async def of_one(self, content_type: ContentType, entry_id: int, actor: Actor) -> int:
        """Return the number of drafts that an entry links to. Raises NotFoundError and ForbiddenError."""
        known = ReadRequest(content_type=content_type, by=By.ID, projection=Form.ID, drafts=Drafts.SHOWN)
        if await self._reads.find_any(self._reads.prepare(known, actor.ability).bind(id=entry_id)) is None:
            await self._managed.refuse(content_type, entry_id)
        answer = self._answer_of(content_type, actor)
        request = ReadRequest(content_type=content_type, by=By.ID, projection=answer, drafts=Drafts.ANY)
        entry = await self._reads.find_any(self._reads.prepare(request, None).bind(id=entry_id))
        return 0 if entry is None else _sum(orjson.loads(entry))

    async def of_many(self, content_type: ContentType, ids: Iterable[int], locale: str | None, actor: Actor) -> int:
        """Return the number for several entries in a locale (None: the default). Unreadable entries are left out."""
        answer = self._answer_of(content_type, actor)
        locales = (locale or await self._locales.default(),) if content_type.localized else None
        scope = actor.ability.scope(content_type.uid)
        chosen = chosen_by_ids(ids)
        query = Query(filters=chosen if scope is None else And(items=(chosen, scope)), locales=locales)
        request = ReadRequest(content_type=content_type, query=query, projection=answer, drafts=Drafts.ANY)
        entries, _ = await self._reads.find(self._reads.prepare(request, None))
        return _sum(orjson.loads(entries))

    def _answer_of(self, content_type: ContentType, actor: Actor) -> Object:
        place = FieldPlace(content_type.uid)
        return _Drafts(self._managed.registry, actor.ability, place).of(content_type)


@dataclass(frozen=True, slots=True)
class _Drafts:
    """Walks a definition. `around` are the enclosing components: one inside of itself is skipped."""

    registry: Registry
    ability: Ability
    place: FieldPlace
    around: tuple[str, ...] = ()

    def of(self, definition: Definition) -> Object:
        return Object(tuple(self._members(definition)))

    def _members(self, definition: Definition) -> Iterator[tuple[str, Answer | Guarded]]:
        for name in definition.writable_names:
            field = self.place.field(name)
            answer = self._answer(definition.attributes[name]) if reads(self.ability, self.place.uid, field) else None
            if answer is not None:
                condition = self.ability.field_scope(self.place.uid, field)
                yield name, answer if condition is None else Guarded(condition, answer)

    def _answer(self, attribute: AnyAttribute) -> Answer | None:
        match attribute:
            case Relation(target=str() as uid):
                target = self.registry.content_types.get(uid)
                has_drafts = target is not None and target.draft_and_publish
                return Count(attribute.name, linked=True, condition=_IS_DRAFT) if has_drafts else None
            case ComponentField(component=uid):
                inner = self._inside(attribute, uid)
                return Nested(attribute.name, EVERYTHING, inner, linked=True) if inner else None
            case DynamicZone(components=uids):
                branches = tuple((uid, inner) for uid in uids if (inner := self._inside(attribute, uid)))
                return Kinds(attribute.name, EVERYTHING, branches, linked=True) if branches else None
            case _:
                return None

    def _inside(self, attribute: AnyAttribute, uid: str) -> Object | None:
        component = self.registry.components.get(uid)
        if component is None or uid in self.around:
            return None
        place = self.place.below(attribute, component)
        inner = replace(self, place=place, around=(*self.around, uid)).of(component)
        return inner if inner.members else None


def _sum(found: Any) -> int:
    if isinstance(found, int):
        return found
    inner = found.values() if isinstance(found, dict) else found or ()
    return sum(map(_sum, inner))
