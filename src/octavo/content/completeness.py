"""Check whether a draft is complete enough to publish: its content is validated like the data of a new entry."""

from collections.abc import Collection, Iterable, Mapping, Set
from typing import Any, Final, cast

import orjson

from octavo.content.reader import EntryReader, PreparedRead
from octavo.content.validation.body_validator import COMPONENT_KEY, Validator
from octavo.content.validation.scalar_rules import Mode
from octavo.core.errors import Problem, ValidationError
from octavo.database.change_feed import Presence
from octavo.database.connection import Connection
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.ast import EVERYTHING, Branch, Populate, Query
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.attributes import PUBLISHED_AT, ComponentField, DynamicZone, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry


class _Everything:
    """Access to everything, including private attributes."""

    limits_fields = False
    knows_private = True
    hides_drafts: Collection[str] = ()

    def reads(self, uid: str, field: str) -> bool:
        return True

    def field_scope(self, uid: str, field: str) -> None:
        return None

    def scope(self, uid: str) -> None:
        return None


_EVERYTHING: Final = _Everything()


class Completeness:
    """Checks drafts. The query for each content type is built on first use."""

    def __init__(self, reader: EntryReader, *, strict: bool = False) -> None:
        self._reader = reader
        self._strict = strict
        self._registry = reader.registry
        self._prepared: dict[str, PreparedRead] = {}

    async def missing(
        self, content_type: ContentType, entry_id: int, connection: Connection | None = None
    ) -> list[Problem]:
        """Return the problems of an entry if it were created as published; none if it does not exist."""
        prepared = self._prepared.get(content_type.uid) or self._prepare(content_type)
        found = await self._reader.read_one(prepared.bind(id=entry_id), connection)
        if found is None:
            return []
        entry = cast(dict[str, Any], orjson.loads(found))
        return missing_in(self._registry, content_type, entry, strict=self._strict)

    async def require(self, content_type: ContentType, ids: Iterable[int], connection: Connection) -> None:
        """Raise ValidationError with the problems of the first incomplete entry."""
        for entry_id in sorted(ids):
            missing = await self.missing(content_type, entry_id, connection)
            if missing:
                raise ValidationError.from_problems(missing)

    async def require_of_published(
        self, unit: UnitOfWork, content_type: ContentType, data: Mapping[str, Any], changed: Set[int]
    ) -> None:
        """Raise ValidationError if a change publishes incomplete drafts."""
        if content_type.draft_and_publish and data.get(PUBLISHED_AT) is not None:
            drafts = {one.id for one in unit.changes if one.uid == content_type.uid and one.was is Presence.DRAFT}
            await self.require(content_type, drafts & changed, unit.connection)

    def _prepare(self, content_type: ContentType) -> PreparedRead:
        query = _owned(self._registry, content_type)
        request = ReadRequest(content_type=content_type, query=query, by=By.ID, projection=Form.FLAT, drafts=Drafts.ANY)
        planned = self._reader.prepare_again(lambda: plan_read(request, self._registry, _EVERYTHING))
        self._prepared[content_type.uid] = planned
        return planned


def missing_in(
    registry: Registry, content_type: ContentType, found: Mapping[str, Any], *, strict: bool = False
) -> list[Problem]:
    """Return the problems of an entry, as read, if it were created as published."""
    data, mode = _data(registry, content_type, found), Mode(creating=True, draft=False, strict=strict)
    return list(Validator(registry, mode).entry(content_type, data).problems)


def _owned(registry: Registry, definition: Definition) -> Query:
    """Return the query for the check: values, nested components and required relations."""
    populate = []
    for name, attribute in definition.attributes.items():
        match attribute:
            case ComponentField(component=uid):
                populate.append(Populate(name=name, query=_owned(registry, registry.components[uid])))
            case DynamicZone(components=listed):
                branches = tuple(
                    Branch(component=uid, query=_owned(registry, registry.components[uid])) for uid in listed
                )
                populate.append(Populate(name=name, query=EVERYTHING, branches=branches))
            case Relation(required=True):
                populate.append(Populate(name=name, query=Query(fields=())))
    return Query(fields=tuple(scalar.name for scalar in definition.scalars), populate=tuple(populate))


def _data(registry: Registry, definition: Definition, shown: Mapping[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, attribute in definition.attributes.items():
        value = shown.get(name)
        match attribute:
            case Scalar(type="password"):
                data[name] = value or "set"  # hashes are not validated; a password was required on creation
            case Scalar():
                data[name] = value  # even null: defaults only apply to new entries
            case Relation(required=True) if value:
                data[name] = value
            case ComponentField(component=uid, repeatable=True):
                data[name] = [_data(registry, registry.components[uid], item) for item in value or ()]
            case ComponentField(component=uid):
                data[name] = value and _data(registry, registry.components[uid], value)
            case DynamicZone():
                data[name] = [
                    {COMPONENT_KEY: item[COMPONENT_KEY]}
                    | _data(registry, registry.components[item[COMPONENT_KEY]], item)
                    for item in value or ()
                ]
    return data
