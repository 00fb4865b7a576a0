"""Relations in edit views: the entries that an entry links to, and the candidates to link.

Related entries are shown with their id and main field only, and the main field only if the caller can read it in that
entry. As in v4, the existence of related entries is visible with permission to read the relation. For a relation in a
component, the permissions on the entry that contains it apply.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from octavo.access.authorization.ability import FIND, Ability
from octavo.access.authorization.actor import Actor
from octavo.content.component_owners import ComponentOwners, places_of
from octavo.content.manager.configurations import Configurations
from octavo.content.manager.entries import ManagedEntries
from octavo.content.manager.field_visibility import is_hidden
from octavo.content.manager.listing import read_allowed
from octavo.content.manager.relation_params import read_candidates, read_existing
from octavo.core.errors import BadRequestError, ForbiddenError, NotFoundError
from octavo.core.values import dataclass
from octavo.query.answer import Answer, Count, Guarded, Nested, Object, Plain
from octavo.query.ast import ALL_LOCALES, EVERYTHING, And, At, Compare, Filter, LinkedFrom, Not, Or, Page, Query, Sort
from octavo.query.numbers import read_entry_id
from octavo.query.operators import OPERATORS
from octavo.query.request import By, Drafts, ReadRequest
from octavo.schema.attributes import CREATORS, LOCALIZATIONS, PUBLISHED_AT, Relation, Scalar
from octavo.schema.content_types import ADMIN_ROLE, ADMIN_USER, ROLE, USER, Component, ContentType, Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.managed import is_managed

_CONTAINS: Final = "$containsi"
_PATTERNS: Final = ("$contains", "$containsi", "$startsWith", "$startsWithi", "$endsWith", "$endsWithi", "$eq", "$eqi")
_ADMINISTRATORS: Final = (ADMIN_USER, ADMIN_ROLE)
_NO_MODEL: Final = "The model doesn't exist"
_NO_RELATION: Final = "This relational field doesn't exist"


@dataclass(frozen=True, slots=True)
class _Field:
    """A relation that the caller can read, its target type, and the target's main field, as far as readable."""

    source: Definition
    relation: Relation
    target: ContentType
    main: str
    may_find: bool


@dataclass(frozen=True, slots=True)
class RelationPage:
    """A page of entries as JSON and the total; or, for a relation to one entry, that entry or null."""

    json: bytes
    page: Page | None = None
    total: int = 0


class Relations:
    """Reads the targets and candidates of relations."""

    def __init__(self, entries: ManagedEntries, configurations: Configurations, owners: ComponentOwners) -> None:
        self._owners = owners
        self._entries = entries
        self._reads = entries.reads
        self._registry = entries.registry
        self._configurations = configurations

    async def existing(
        self, uid: str, entry_id: int | None, name: str, given: Mapping[str, Any], actor: Actor
    ) -> RelationPage:
        """Return a relation's targets, the last linked first.

        Raises ValidationError, ForbiddenError, NotFoundError, and BadRequestError if the attribute is not a relation.
        """
        page = read_existing(given)
        field = await self._field(uid, name, actor.ability)
        if entry_id is None:
            raise NotFoundError
        relation = field.relation
        if relation.is_morph:
            await self._read_source(field, entry_id, actor.ability, Object((("found", Plain(None)),)))
            return RelationPage(b"null")
        shown, many = self._shown(field, actor.ability), relation.to_many
        query = replace(EVERYTHING, page=page if many else None)
        members: list[tuple[str, Answer]] = [("found", Nested(name, query, shown, linked=True, backwards=many))]
        if many:
            members.append(("total", Count(name, linked=True)))
        source = await self._read_source(field, entry_id, actor.ability, Object(tuple(members)))
        if not many:
            return RelationPage(source[len(b'{"found":') : -1])
        results, _, total = source[len(b'{"found":') : -1].rpartition(b',"total":')
        return RelationPage(results, page, int(total))

    async def candidates(self, uid: str, name: str, given: Mapping[str, Any], actor: Actor) -> RelationPage:
        """Return entries that a relation could link to. Raises the errors of `existing`."""
        wanted = read_candidates(given)
        field = await self._field(uid, name, actor.ability)
        filters: list[Filter] = [_ids("$notIn", wanted.omit)] if wanted.omit else []
        if wanted.entity not in (None, ""):
            entry_id = read_entry_id(wanted.entity)
            if entry_id is None:
                raise NotFoundError
            await self._read_source(field, entry_id, actor.ability, Object((("found", Plain(None)),)))
            if not field.relation.is_morph:
                fresh = Not(item=LinkedFrom(uid=field.source.uid, attribute=name, entry_id=entry_id))
                filters.append(Or(items=(fresh, _ids("$in", wanted.include))) if wanted.include else fresh)
        if wanted.text is not None:
            operator = OPERATORS[wanted.operator if wanted.operator in _PATTERNS else _CONTAINS]
            filters.append(At(attribute=field.main, filter=Compare(operator=operator, values=(wanted.text,))))
        query = await self._query(field, given, actor.ability)
        if query.filters is not None:
            filters.append(query.filters)
        request = ReadRequest(
            content_type=field.target,
            query=replace(query, filters=And(items=tuple(filters)) if filters else None, page=wanted.page),
            projection=self._shown(field, actor.ability),
            drafts=Drafts.SHOWN,
        )
        prepared = self._reads.prepare(request, actor.ability if field.may_find else None)
        results, total = await self._reads.find(prepared)
        return RelationPage(results, wanted.page, total or 0)

    async def _query(self, field: _Field, given: Mapping[str, Any], ability: Ability) -> Query:
        """Return the query for candidates, limited to filters and sorts that the caller can read."""
        names = ("filters", "sort", "locale") if field.may_find else ("locale",)
        query = read_allowed(given, names, field.target, self._registry, ability)
        if query.locales is None and field.target.localized:
            query = replace(query, locales=(await self._entries.locales.default(),))
        if query.locales and ALL_LOCALES in query.locales:
            query = replace(query, locales=None)
        return query if query.sort else replace(query, sort=(Sort(names=(field.main,)),))

    async def _field(self, uid: str, name: str, ability: Ability) -> _Field:
        source: Definition | None = self._registry.content_types.get(uid) or self._registry.components.get(uid)
        if source is None:
            raise BadRequestError(_NO_MODEL)
        relation = source.attributes.get(name)
        if not isinstance(relation, Relation):
            raise BadRequestError(_NO_RELATION)
        if isinstance(source, ContentType):
            _check_readable(source, name, ability)
        elif ability.limits_fields and not any(
            _reads_at(ability, place, name) for place in places_of(self._registry, source)
        ):
            raise ForbiddenError
        target = self._registry.target(relation)
        if not isinstance(target, ContentType):
            raise BadRequestError(_NO_RELATION)
        may_find = ability.may(FIND, target.uid) and (ability.everything or is_managed(target))
        main = await self._main_field(source, relation, target, ability) if may_find else "id"
        if target.uid == ROLE and not may_find and ability.may(FIND, USER):
            return _Field(source, relation, target, "name", may_find)
        return _Field(source, relation, target, main, may_find)

    async def _main_field(self, source: Definition, relation: Relation, target: ContentType, ability: Ability) -> str:
        metadata = (await self._configurations.of(source))["metadatas"].get(relation.name) or {}
        main = metadata.get("edit", {}).get("mainField")
        attribute = target.attributes.get(str(main))
        if not isinstance(attribute, Scalar) or is_hidden(target, attribute):
            return "id"
        return attribute.name if not ability.limits_fields or ability.reads(target.uid, attribute.name) else "id"

    def _shown(self, field: _Field, ability: Ability) -> Object:
        """Return the response for a related entry: its id, and its main field and publication date if readable."""
        target, members = field.target, list[tuple[str, Answer | Guarded]]([("id", Plain(None))])
        scope = ability.scope(target.uid) if field.may_find else None
        if field.main != "id":
            own = ability.field_scope(target.uid, field.main) if field.may_find and ability.limits_fields else None
            members.append((field.main, _guarded(Plain(field.main), scope, own)))
        if target.draft_and_publish and field.may_find:
            members.append((PUBLISHED_AT, _guarded(Plain(PUBLISHED_AT), scope)))
        return Object(tuple(members))

    async def _read_source(self, field: _Field, entry_id: int, ability: Ability, answer: Object) -> bytes:
        """Read a response for the entry that contains the relation, if the caller can read the relation."""
        source = field.source
        if isinstance(source, Component):
            await self._check_owner(source, entry_id, field.relation.name, ability)
        limited = isinstance(source, ContentType) and ability.limits_fields
        own = ability.field_scope(source.uid, field.relation.name) if limited else None
        if own is not None:
            answer = Object(
                tuple((name, Guarded(own, one)) for name, one in answer.members if not isinstance(one, Guarded))
            )
        request = ReadRequest(content_type=source, by=By.ID, projection=answer, drafts=Drafts.SHOWN)
        is_type = isinstance(source, ContentType)
        prepared = self._reads.prepare(request, ability if is_type else None)
        entry = await self._reads.find_any(prepared.bind(id=entry_id))
        if entry is None:
            if isinstance(source, ContentType):
                await self._entries.refuse(source, entry_id)
            raise NotFoundError
        if entry == b"{}":
            raise ForbiddenError
        return entry

    async def _check_owner(self, component: Component, component_id: int, name: str, ability: Ability) -> None:
        """Raise ForbiddenError if the caller cannot read a relation in the entry that contains its component."""
        if not ability.limits_fields or ability.everything:
            return
        for owner in await self._owners.of(component, component_id):
            if _reads_at(ability, owner.place, name):
                scopes = (ability.scope(owner.place.uid), ability.field_scope(owner.place.uid, owner.place.field(name)))
                known = tuple(one for one in scopes if one is not None)
                filters = And(items=(_ids("$in", (owner.entry_id,)), *known))
                request = ReadRequest(
                    content_type=owner.content_type,
                    query=Query(filters=filters, page=Page(limit=1, with_count=False)),
                    projection=Object((("id", Plain(None)),)),
                    drafts=Drafts.ANY,
                )
                if (await self._reads.find(self._reads.prepare(request, None)))[0] != b"[]":
                    return
        raise ForbiddenError


def _reads_at(ability: Ability, place: FieldPlace, name: str) -> bool:
    """Return whether a relation in a component can be read in at least some entries."""
    return ability.may(FIND, place.uid) and ability.reads(place.uid, place.field(name))


def _check_readable(source: ContentType, name: str, ability: Ability) -> None:
    """Raise ForbiddenError if the caller cannot read a relation."""
    if source.uid in _ADMINISTRATORS and ability.everything:
        return
    if not is_managed(source) or not ability.may(FIND, source.uid) or name in (*CREATORS, LOCALIZATIONS):
        raise ForbiddenError
    if ability.limits_fields and not ability.reads(source.uid, name):
        raise ForbiddenError


def _guarded(answer: Answer, *conditions: Filter | None) -> Answer | Guarded:
    known = tuple(one for one in conditions if one is not None)
    if not known:
        return answer
    return Guarded(known[0] if len(known) == 1 else And(items=known), answer)


def _ids(operator: str, ids: tuple[int, ...]) -> Filter:
    return At(attribute="id", filter=Compare(operator=OPERATORS[operator], values=ids))
