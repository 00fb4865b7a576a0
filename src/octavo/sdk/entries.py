"""Read and write content from project code. Permissions are not checked; validation rules apply."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypedDict, TypeVar, Unpack, cast

from octavo.access.authorization.actor import SYSTEM
from octavo.content.controllers.content import ContentController
from octavo.content.controllers.scheduling import NAMES, ContentSchedules, read_time
from octavo.content.controllers.write_policy import Write
from octavo.content.entry_unit import EntryUnit
from octavo.content.input.column_values import plain
from octavo.content.reader import PreparedRead
from octavo.core.clock import this_moment
from octavo.core.errors import NotFoundError, Problem, ValidationError
from octavo.events.origin import coming_from
from octavo.project import Entry
from octavo.query.request import By, Drafts
from octavo.schema.attributes import LOCALE, LOCALIZATIONS, PUBLISHED_AT, TIMESTAMPS, AnyAttribute, Media, Relation
from octavo.schema.content_types import ContentType
from octavo.schema.problems import did_you_mean
from octavo.sdk.entry_reads import Choice, Data, EntryReads, Populate

_AT_ONCE: Final = 1_000
"""Number of entries in one step of a bulk update or deletion."""
ResultT = TypeVar("ResultT")
Target = int | Mapping[str, Any]
Targets = Target | Iterable[Target]

_NAMES: Final = {"publish_at": "publishAt", "unpublish_at": "unpublishAt"}


class Times(TypedDict, total=False):
    """When an entry is published and unpublished: a datetime or an ISO 8601 text; None for no time."""

    publish_at: datetime | str | None
    unpublish_at: datetime | str | None


async def set_times(schedules: ContentSchedules, content_type: ContentType, entry_id: int, times: Times) -> Times:
    """Set the given times, and return all times as datetimes. Raises NotFoundError, ValidationError."""
    asked = {
        NAMES[_NAMES[name]]: None if time is None else read_time(name, time)
        for name, time in cast(dict[str, Any], times).items()
    }
    planned = await schedules.set(content_type, entry_id, asked, SYSTEM)
    shown = {
        name: None if (time := planned[key]) is None else datetime.fromisoformat(time) for name, key in _NAMES.items()
    }
    return cast(Times, shown)


class Entries(EntryReads):
    """The entries of one content type.

    `filters`, `sort`, `fields` and `populate` are the parameters of the REST API, as Python values. Reads include
    drafts unless `publication_state` is `"live"`, and use the default locale unless you set `locale`. Permissions are
    not checked. Methods raise ValidationError, with the path, for invalid data or parameters. Each write is a
    transaction, or part of the surrounding one.
    """

    def __init__(self, controller: ContentController, content_type: ContentType) -> None:
        super().__init__(controller, content_type)
        self._writes = controller.writes
        self._writer = controller.writer

    async def create(self, data: Data, *, locale: str | None = None, populate: Populate | None = None) -> Entry:
        """Create an entry and return it. It is a draft unless the data has `publishedAt`.

        `locale` is the default locale if not set. `localizations` in the data are the ids of entries in other locales:
        both sides are linked. Raises ValidationError.
        """
        answer = await self._answer(populate)
        write = self._write(data, creating=True)
        return self._entry(await self._writes.create(self._type, write, answer, SYSTEM, draft=True, locale=locale))

    async def localize(
        self, entry_id: int, locale: str, data: Data | None = None, *, populate: Populate | None = None
    ) -> Entry:
        """Create a localization of an entry and return it. It is a draft unless the data has `publishedAt`.

        It begins with the values that locales share. Raises NotFoundError, ApplicationError if the locale does not
        exist or is already used, and ValidationError.
        """
        if not self._type.localized:
            raise ValidationError(f"{self._type.uid} has no locales: set pluginOptions.i18n.localized to true")
        answer = await self._answer(populate)
        write = self._write({**(data or {}), LOCALE: locale})
        return self._entry(await self._writes.localize(self._type, entry_id, write, answer, SYSTEM))

    async def create_many(self, items: Iterable[Data], *, locale: str | None = None) -> list[int]:
        """Create entries with few statements and return their ids, in order. Either all are created, or none.

        Raises ValidationError with the problems of all entries. Each path begins with the index in the list, from 0.
        """
        written = [self._plain(item, place, creating=True) for place, item in enumerate(items)]
        with coming_from("code"):
            return await self._writer.create_many(self._type, written, locale=locale, draft_default=True, strict=True)

    async def update(self, entry_id: int, data: Data, *, populate: Populate | None = None) -> Entry:
        """Change the given attributes of an entry and return it. Raises NotFoundError and ValidationError."""
        answer = await self._answer(populate)
        return self._entry(await self._writes.update(self._type, entry_id, self._write(data), answer, SYSTEM))

    async def update_many(self, data: Data, **chosen: Unpack[Choice]) -> int:
        """Change the given attributes of all matching entries and return their number.

        `filters` is required. `filters={}` matches all entries. Raises ValidationError.
        """
        changed = await self._writer.passwords.prepare(self._type, self._plain(data))

        async def change(unit: EntryUnit, ids: list[int]) -> int:
            count = await unit.update_many(self._type, ids, changed)
            await self._writes.share_many(unit, self._type, ids, changed)
            return count

        return await self._chosen(chosen, change)

    async def delete(self, entry_id: int) -> Entry:
        """Delete an entry and return its last state. Raises NotFoundError."""
        return self._entry(await self._writes.delete(self._type, entry_id, await self._answer(None), SYSTEM))

    async def delete_many(self, **chosen: Unpack[Choice]) -> int:
        """Delete all matching entries and return their number.

        `filters` is required. `filters={}` matches all entries. Raises ValidationError.
        """
        return await self._chosen(chosen, lambda unit, ids: unit.delete_many(self._type, ids))

    async def publish(self, entry_id: int, *, populate: Populate | None = None) -> Entry:
        """Publish a draft and return it. A published entry stays unchanged.

        Raises NotFoundError, and ValidationError if a required value is missing.
        """
        return await self._set_publication(entry_id, True, populate)

    async def unpublish(self, entry_id: int, *, populate: Populate | None = None) -> Entry:
        """Turn a published entry into a draft and return it. A draft stays unchanged. Raises NotFoundError."""
        return await self._set_publication(entry_id, False, populate)

    async def schedule(self, entry_id: int, **times: Unpack[Times]) -> Times:
        """Set the times to publish (`publish_at`) and unpublish (`unpublish_at`) an entry, and return all times.

        A time is a `datetime` or an ISO 8601 text. None cancels a time. Omitted times stay. Raises NotFoundError and
        ValidationError.
        """
        assert self._controller.schedules is not None, "a site has them"
        return await set_times(self._controller.schedules, self._type, entry_id, times)

    async def attach(self, entry_id: int, attribute: str, targets: Targets) -> None:
        """Add entries or files to the end of a relation or media attribute.

        `targets` are entries, files or ids. If the attribute holds a single value, the last target replaces it. Raises
        NotFoundError, and ValidationError for other attributes.
        """
        known, ids = self._linking_attribute(attribute), _ids(targets)
        if not known.to_many:
            if ids:
                await self._change(entry_id, {attribute: ids[-1]})
        elif _is_linked(known):
            await self._change(entry_id, {attribute: {"connect": ids}})
        else:
            await self._run(lambda _: self._rearrange(entry_id, attribute, lambda held: [*_without(held, ids), *ids]))

    async def detach(self, entry_id: int, attribute: str, targets: Targets | None = None) -> None:
        """Remove entries or files from a relation or media attribute. Without `targets`, remove all.

        Raises NotFoundError, and ValidationError for other attributes.
        """
        known = self._linking_attribute(attribute)
        if targets is None:
            await self._change(entry_id, {attribute: [] if known.to_many else None})
            return
        ids = _ids(targets)
        if known.to_many and _is_linked(known):
            await self._change(entry_id, {attribute: {"disconnect": ids}})
        else:
            await self._run(lambda _: self._rearrange(entry_id, attribute, lambda held: _without(held, ids)))

    async def _rearrange(self, entry_id: int, attribute: str, change: Callable[[list[Any]], list[Any]]) -> None:
        """Replace the targets of an attribute that can only be written as a whole."""
        held = await self._linked_targets(entry_id, attribute)
        wanted = change(held)
        if wanted != held:
            single = wanted[-1] if wanted else None
            await self._change(entry_id, {attribute: wanted if self._linking_attribute(attribute).to_many else single})

    async def _linked_targets(self, entry_id: int, attribute: str) -> list[Any]:
        """Return the targets of an entry's attribute, in the form of a request body."""
        entry = await self.find_one(entry_id, fields=["id"], populate={attribute: {"fields": ["id"]}})
        if entry is None:
            raise NotFoundError
        linked = entry.get(attribute)
        return [_written(one) for one in (linked if isinstance(linked, list) else [linked] if linked else [])]

    async def _change(self, entry_id: int, data: Data) -> None:
        with coming_from("code"):
            is_there = await self._writer.update(self._type, entry_id, data)
        if not is_there:
            raise NotFoundError

    async def _set_publication(self, entry_id: int, published: bool, populate: Populate | None) -> Entry:
        if not self._type.draft_and_publish:
            raise ValidationError(f"{self._type.uid} has no drafts")
        answer = await self._answer(populate)

        async def work(unit: EntryUnit) -> Entry:
            entry = await self.find_one(entry_id)
            if entry is None:
                raise NotFoundError
            if (entry[PUBLISHED_AT] is not None) != published:
                if published:
                    await self._controller.completeness.require(self._type, [entry_id], unit.connection)
                await self._change(entry_id, {PUBLISHED_AT: this_moment() if published else None})
            shown = await self._reads.find_one(answer.bind(id=entry_id))
            return self._entry(shown)

        return await self._run(work)

    async def _chosen(self, chosen: Choice, work: Callable[[EntryUnit, list[int]], Awaitable[int]]) -> int:
        if chosen.get("filters") is None:
            raise ValidationError("filters is required; filters={} selects all entries")

        async def on_all(unit: EntryUnit) -> int:
            ids = await self._ids(chosen)
            return sum([await work(unit, ids[at : at + _AT_ONCE]) for at in range(0, len(ids), _AT_ONCE)])

        return await self._run(on_all)

    async def _run(self, work: Callable[[EntryUnit], Awaitable[ResultT]]) -> ResultT:
        """Run work in one transaction, including the reads and writes through this object."""

        async def inside(unit: EntryUnit) -> ResultT:
            with unit.ambient():
                return await work(unit)

        with coming_from("code"):
            return await self._writer.run(inside, grouped=False)

    async def _answer(self, populate: Populate | None) -> PreparedRead:
        return self._prepare(await self._query(populate=populate), By.ID, Drafts.ANY)

    def _write(self, data: Data, *, creating: bool = False) -> Write:
        written = self._plain(data, creating=creating)
        dates = {name: written[name] for name in TIMESTAMPS if written.get(name) is not None}
        return Write(written, dates=dates)

    def _plain(self, data: Data, place: int | None = None, *, creating: bool = False) -> dict[str, Any]:
        """Return data in the form of a request body. Raises ValidationError for names that cannot be written."""
        if not isinstance(data, Mapping):
            raise TypeError(f"the data of an entry must be a dictionary, not {type(data).__name__}")
        writable = {*self._type.writable_names, *TIMESTAMPS, PUBLISHED_AT, LOCALE, "id"}
        writable |= {LOCALIZATIONS} if creating and self._type.localized else set()
        unknown = [name for name in data if name not in writable]
        if unknown:
            start = () if place is None else (str(place),)
            raise ValidationError.from_problems(
                Problem((*start, str(name)), f"{self._type.uid} has no writable attribute {name!r}; {hint}")
                for name in unknown
                for hint in [did_you_mean(str(name), self._type.writable_names, "see its definition")]
            )
        return {str(name): plain(value) for name, value in data.items()}

    def _linking_attribute(self, name: str) -> Relation | Media:
        """Return the relation or media attribute with that name. Raises ValidationError for others."""
        attribute: AnyAttribute | None = self._type.attributes.get(name)
        if not isinstance(attribute, Relation | Media) or not attribute.writable:
            leading = [one.name for one in self._type.attributes.values() if isinstance(one, Relation | Media)]
            hint = did_you_mean(name, leading, f"the relations and files are {', '.join(sorted(leading)) or 'none'}")
            raise ValidationError(f"{self._type.uid} has no relation or media attribute {name!r}; {hint}")
        return attribute


def _is_linked(attribute: Relation | Media) -> bool:
    """Return whether its targets can be connected and disconnected one by one."""
    return isinstance(attribute, Relation) and attribute.kind in ("oneToOne", "oneToMany", "manyToOne", "manyToMany")


def _ids(targets: Targets) -> list[Any]:
    """Return entries, or their ids, in the form of a request body."""
    given: Sequence[Any] = [targets] if isinstance(targets, int | Mapping) else list(targets)
    return [_written(one) for one in given]


def _written(target: Any) -> Any:
    """Return a target in the form of a request body, with its type if the relation is polymorphic."""
    if not isinstance(target, Mapping):
        return target
    return {"id": target["id"], "__type": target["__type"]} if "__type" in target else target["id"]


def _without(held: Iterable[Any], gone: Sequence[Any]) -> list[Any]:
    return [one for one in held if one not in gone]
