"""Families of localizations: the entries that are one entry in several locales, and the values that they share.

Saving a localization copies its shared scalar values to the others. Components, files, relations and empty values are
only copied if the write contains them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Protocol

import orjson

from octavo.content.automatic_values import NO_DATES
from octavo.content.entry_snapshot import as_data, held, without_unique
from octavo.content.reader import EntryReader, PreparedRead
from octavo.core.errors import ApplicationError
from octavo.core.values import dataclass
from octavo.database.connection import Transaction
from octavo.query.answer import Nested, Object, Plain
from octavo.query.ast import ALL_LOCALES, EVERYTHING, Query
from octavo.query.plan.changes import AddLinks, Change, RemoveLinks
from octavo.query.plan.read import plan_read
from octavo.query.plan.write import takes_targets
from octavo.query.request import By, Drafts, ReadRequest
from octavo.schema.attributes import LOCALE, LOCALIZATIONS, UPDATED_AT, AnyAttribute, Relation, Scalar
from octavo.schema.content_types import ContentType
from octavo.schema.scalar_types import SCALAR_TYPES
from octavo.schema.shared_values import is_shared, is_shared_value, is_unique

_NO_SCALAR: Final = object()
_NO_IDS: Final[frozenset[int]] = frozenset()
_STEP: Final = timedelta(milliseconds=1)
_MEMBERS: Final = (("id", Plain(None)), ("locale", Plain(LOCALE)))


class Unit(Protocol):
    """The unit of work that changes a family."""

    connection: Transaction

    def ambient(self) -> AbstractContextManager[Any]:
        """Run reads inside the block in the unit's transaction."""

    async def apply(self, changes: Iterable[Change]) -> None:
        """Run changes."""

    async def update(
        self,
        content_type: ContentType,
        entry_id: int,
        data: Mapping[str, Any],
        *,
        dates: Mapping[str, Any] = ...,
        later: bool = False,
    ) -> bool:
        """Update an entry."""

    async def lock_family(self, content_type: ContentType, entry_id: int, data: Any = None) -> None:
        """Lock an entry and its localizations."""


@dataclass(frozen=True, slots=True)
class Family:
    """The localizations of an entry by locale, and the initial data for a new one.

    `scalars` are the shared scalar values of each, by id; `shared` is the data shared by all; `links` is the data of
    relations that a new localization gets. `updated_at` is that of the entry from which the family was read.
    """

    ids: Mapping[str, int]
    scalars: Mapping[int, Mapping[str, Any]]
    shared: Mapping[str, Any]
    links: Mapping[str, Any]
    updated_at: str | None = None

    def completed(self, content_type: ContentType, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data of a new localization, completed with the family's values.

        Shared unique values always come from the family.
        """
        attributes = content_type.attributes
        fixed = {
            name: value
            for name, value in self.shared.items()
            if value is not None and isinstance(attribute := attributes[name], Scalar) and is_unique(attribute)
        }
        return {**self.links, **self.shared, **data, **fixed}

    def others(self, entry_id: int) -> list[int]:
        """Return the ids of the other localizations, in order."""
        return sorted(one for one in self.scalars if one != entry_id)


@dataclass(frozen=True, slots=True)
class NewEntry:
    """The data of an entry to create, and the family that it joins.

    `translates` is the id of an entry that it is a localization of. `shared` names values that its localizations get
    from it besides shared scalars; `touch` as in `Families.copy_shared`.
    """

    data: Mapping[str, Any]
    locale: Any = None
    family: Family | None = None
    translates: int | None = None
    shared: Collection[str] = ()
    touch: bool = False


@dataclass(frozen=True, slots=True)
class FamilyAges:
    """When the localizations of an entry were updated, by id, and the id of the one in the default locale."""

    updated: Mapping[int, str | None]
    source: int | None

    def outdated_after(self, entry_id: int, *, is_translated: bool) -> frozenset[int]:
        """Return the localizations that are outdated after a write of one: their texts are older than the source's.

        `is_translated`: whether the write contains values that are not shared, so the written one is current.
        """
        source = None if self.source is None else self.updated.get(self.source)
        if source is None:
            return frozenset()
        if is_translated and entry_id == self.source:
            return frozenset(self.updated) - {entry_id}
        outdated = frozenset(one for one, updated_at in self.updated.items() if (updated_at or "") < source)
        return outdated - {entry_id} if is_translated else outdated


class Families:
    """Reads families, adds localizations and copies shared values.

    `copies_links`: whether new localizations get the relations of the family.
    """

    def __init__(self, reader: EntryReader, *, copies_links: bool = False) -> None:
        self._reader = reader
        self._registry = reader.registry
        self._copies_links = copies_links
        self._prepared: dict[tuple[str, By], PreparedRead] = {}
        self._prepared_ages: dict[str, PreparedRead] = {}

    async def read_family(self, unit: Unit, content_type: ContentType, entry_id: int) -> Family | None:
        """Return the family of an entry; None if the entry does not exist."""
        prepared = self._prepare(content_type, By.ID)
        entry = await self._reader.read_one(prepared.bind(id=entry_id), unit.connection)
        return None if entry is None else self._read(content_type, [orjson.loads(entry)])

    async def lock_and_read(self, unit: Unit, content_type: ContentType, ids: Collection[int]) -> Family | None:
        """Return the family that all these entries belong to, with the values of the first; None if one is missing.

        Locks the family: until the transaction ends, no other transaction adds a localization.
        """
        family = await self._of_all(unit, content_type, ids)
        if family is None:
            return None
        await unit.connection.lock(f"octavo: localizations of {content_type.uid} {min(family.scalars)}")
        return await self._of_all(unit, content_type, ids)

    async def _of_all(self, unit: Unit, content_type: ContentType, ids: Iterable[int]) -> Family | None:
        families = [await self.read_family(unit, content_type, one) for one in ids]
        known_families = [family for family in families if family is not None]
        if len(known_families) < len(families):
            return None
        members = {locale: one for family in reversed(known_families) for locale, one in family.ids.items()}
        scalars = {one: values for family in known_families for one, values in family.scalars.items()}
        return Family(members, scalars, known_families[0].shared, known_families[0].links)

    async def read_single_type(self, unit: Unit, content_type: ContentType) -> Family:
        """Return the entries of a single type as a family; shared values come from the first one."""
        with unit.ambient():
            entries, _ = await self._reader.read_list(self._prepare(content_type, By.LIST))
        members = orjson.loads(entries)
        return self._read(content_type, members) if members else Family({}, {}, {}, {})

    async def add_entry(self, unit: Unit, content_type: ContentType, entry_id: int, family: Family) -> None:
        """Add a new entry to a family."""
        await unit.apply(relink(content_type, [entry_id, *family.scalars]))

    async def lock_family(self, unit: Unit, content_type: ContentType, entry_id: int, data: Any = None) -> None:
        """Lock a family if changes of one entry can affect the others. `data` is the data of the pending write."""
        if content_type.localized and any(map(is_shared_value, _writable(content_type))):
            await unit.lock_family(content_type, entry_id, data)

    async def copy_shared(
        self,
        unit: Unit,
        content_type: ContentType,
        entry_id: int,
        named: Collection[str] = (),
        *,
        touch: bool = False,
        ages: FamilyAges | None = None,
    ) -> None:
        """Copy shared scalars of an entry to its localizations, and the components, files and empty values in `named`.

        The other localizations may have values where this one has none, so those are not copied by default. Unchanged
        entries are not written, unless `touch` marks them as updated. Written ones get the `updatedAt` of the entry, so
        that none of them seems to be newer. With the `ages` from before the write, outdated ones stay earlier than the
        source: shared values are no translation.
        """
        if not content_type.localized or not any(map(is_shared_value, _writable(content_type))):
            return
        family = await self.read_family(unit, content_type, entry_id)
        if family is None:
            return
        given = {
            name: value
            for name, value in family.shared.items()
            if name in named or (value is not None and isinstance(content_type.attributes[name], Scalar))
        }
        outdated = (
            _NO_IDS
            if ages is None
            else ages.outdated_after(entry_id, is_translated=_is_translated(content_type, named))
        )
        for other in family.others(entry_id):
            held_there = family.scalars[other]
            changed = {name: given[name] for name in given if touch or held_there.get(name, _NO_SCALAR) != given[name]}
            if changed:
                step = (entry_id in outdated) - (other in outdated)
                dates = NO_DATES if family.updated_at is None else {UPDATED_AT: _shifted(family.updated_at, step)}
                await unit.update(content_type, other, changed, dates=dates, later=True)

    async def read_ages(self, unit: Unit, content_type: ContentType, entry_id: int, default: str) -> FamilyAges | None:
        """Return when the localizations of an entry were updated; None if the entry or the dates do not exist."""
        if UPDATED_AT not in content_type.attributes:
            return None
        prepared = self._prepared_ages.get(content_type.uid)
        if prepared is None:
            member = Object((*_MEMBERS, (UPDATED_AT, Plain(UPDATED_AT))))
            projection = Object(
                (*member.members, (LOCALIZATIONS, Nested(LOCALIZATIONS, EVERYTHING, member, linked=True)))
            )
            request = ReadRequest(content_type=content_type, by=By.ID, projection=projection, drafts=Drafts.ANY)
            prepared = self._reader.prepare(plan_read(request, self._registry))
            self._prepared_ages[content_type.uid] = prepared
        stored = await self._reader.read_one(prepared.bind(id=entry_id), unit.connection)
        if stored is None:
            return None
        entry = orjson.loads(stored)
        members = [entry, *entry[LOCALIZATIONS]]
        source = next((one["id"] for one in members if one[LOCALE] == default), None)
        return FamilyAges({one["id"]: one[UPDATED_AT] for one in members}, source)

    def _read(self, content_type: ContentType, rows: Sequence[Mapping[str, Any]]) -> Family:
        """Build the family of entries as read: all their localizations, with the values of the first entry."""
        first = rows[0]
        members = [*rows, *(one for row in rows for one in row[LOCALIZATIONS])]
        data = partial(as_data, self._registry, content_type)
        return Family(
            ids={one["locale"] or "": one["id"] for one in reversed(members)},
            scalars={one["id"]: one["scalars"] for one in members},
            shared=without_unique(self._registry, content_type, data(first["shared"])),
            links=data(first["links"]),
            updated_at=first.get(UPDATED_AT),
        )

    def _prepare(self, content_type: ContentType, by: By) -> PreparedRead:
        key = (content_type.uid, by)
        if key not in self._prepared:
            projection = self._projection(content_type)
            query = Query(locales=(ALL_LOCALES,)) if by is By.LIST else EVERYTHING
            request = ReadRequest(
                content_type=content_type, query=query, by=by, projection=projection, drafts=Drafts.ANY
            )
            self._prepared[key] = self._reader.prepare(plan_read(request, self._registry))
        return self._prepared[key]

    def _projection(self, content_type: ContentType) -> Object:
        scalars = Object(tuple((one.name, Plain(one.name)) for one in _writable(content_type) if _is_level(one)))
        member = Object((*_MEMBERS, ("scalars", scalars)))
        links = held(self._registry, content_type, includes=self._is_copied)
        updated = ((UPDATED_AT, Plain(UPDATED_AT)),) if UPDATED_AT in content_type.attributes else ()
        return Object(
            (
                *member.members,
                *updated,
                (LOCALIZATIONS, Nested(LOCALIZATIONS, EVERYTHING, member, linked=True)),
                ("shared", held(self._registry, content_type, includes=is_shared_value)),
                ("links", links),
            )
        )

    def _is_copied(self, attribute: AnyAttribute) -> bool:
        """Return whether a new localization gets a relation: not if that would unlink the target from the original."""
        is_link = isinstance(attribute, Relation) and is_shared(attribute) and not takes_targets(attribute)
        return self._copies_links and is_link


def check_free(family: Family | None, locale: str) -> Family:
    """Return the family if it has no entry in a locale. Raises ApplicationError otherwise."""
    if family is None or locale in family.ids:
        raise ApplicationError("The related entity doesn't exist or the entity already exists in this locale")
    return family


def join_localizations(content_type: ContentType, ids: Sequence[int]) -> list[Change]:
    """Return the changes that link entries without links as a family."""
    links = tuple(
        (source, target, float(order))
        for source in ids
        for order, target in enumerate((other for other in ids if other != source), 1)
    )
    return [AddLinks(owner=content_type, relation=content_type.relation(LOCALIZATIONS), links=links)] if links else []


def relink(content_type: ContentType, ids: Sequence[int]) -> list[Change]:
    """Return the changes that link entries as a family, replacing existing links."""
    relation = content_type.relation(LOCALIZATIONS)
    removed: list[Change] = [
        RemoveLinks(owner=content_type, relation=relation, source=source, targets=tuple(ids)) for source in ids
    ]
    return removed + join_localizations(content_type, ids)


def without_empty(content_type: ContentType, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data without empty shared values, which a new localization gets from its family."""
    return {name: value for name, value in data.items() if not _is_empty(content_type.attributes.get(name), value)}


def _is_empty(attribute: AnyAttribute | None, value: Any) -> bool:
    """Return whether an attribute is shared and its value is empty."""
    if attribute is None or not is_shared_value(attribute):
        return False
    return value is None or (value == [] and not isinstance(attribute, Scalar))


def names_shared(content_type: ContentType, names: Iterable[str]) -> bool:
    """Return whether any of these names is a shared attribute."""
    return any(_is_shared_name(content_type, name) for name in names)


def scalar_names(content_type: ContentType, names: Iterable[str]) -> list[str]:
    """Return the names of scalar attributes among these."""
    return [name for name in names if isinstance(content_type.attributes.get(name), Scalar)]


def _is_translated(content_type: ContentType, names: Iterable[str]) -> bool:
    """Return whether any of these names is an attribute that localizations do not share."""
    return any(name in content_type.writable_names and not _is_shared_name(content_type, name) for name in names)


def _shifted(moment: str, steps: int) -> str:
    """Return a timestamp, as in responses, later by so many milliseconds."""
    if not steps:
        return moment
    shifted = datetime.fromisoformat(moment) + steps * _STEP
    return shifted.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _is_shared_name(content_type: ContentType, name: str) -> bool:
    attribute = content_type.attributes.get(name)
    return attribute is not None and is_shared_value(attribute)


def _writable(content_type: ContentType) -> Iterable[AnyAttribute]:
    return (content_type.attributes[name] for name in content_type.writable_names)


def _is_level(attribute: AnyAttribute) -> bool:
    return isinstance(attribute, Scalar) and is_shared(attribute) and not SCALAR_TYPES[attribute.type].secret
