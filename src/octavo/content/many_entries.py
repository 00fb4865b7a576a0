"""ManyEntriesUnit: create, update or delete many entries of one type together, with few statements.

The state of all entries is queried at once and their changes are planned together. If a link of one entry affects the
other side of a relation, entries are written one by one. Raises ValidationError with the problems of all entries; each
path starts with the entry's position in the list, from 0.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from octavo.content.automatic_values import stamp_changed, stamp_new
from octavo.content.entry_unit import UPDATING, EntryUnit
from octavo.content.input.body_check import BodyCheck, check_object, plain_fact
from octavo.content.input.password_hashing import hash_passwords, plain_passwords
from octavo.content.input.prefetch import Prefetched, components_facts
from octavo.content.input.unique_values import lock_unique_values
from octavo.content.owned_components import components_held, dropped_components
from octavo.content.validation.scalar_rules import Mode
from octavo.content.write_locks import changes_what_is_held, lock_entries, taken_entries
from octavo.core.errors import OctavoError, Problem, ValidationError, problems_of
from octavo.core.values import dataclass
from octavo.query.plan.present_state import EntryFact, Fact, TargetsFact, UniqueFact
from octavo.query.plan.write import OwnedRow, RowNode, needs_turns, plan_delete
from octavo.schema.attributes import LOCALIZATIONS, PUBLISHED_AT
from octavo.schema.content_types import ACCOUNTS, ContentType, Definition
from octavo.schema.scalar_types import LARGEST_ID

ResultT = TypeVar("ResultT")

MOST_CREATED: Final = 5_000
"""The maximum number of entries per call, because unique values are locked until the end of the transaction."""
_WORK: Final = 8
"""The estimated rows per entry, to decide whether to validate in a thread."""


@dataclass(slots=True)
class _Body:
    """The body of one entry among many: its validation mode and the facts to query.

    `automatic` are the automatic values of a new entry; `key` is the id of an existing one.
    """

    mode: Mode
    check: BodyCheck
    facts: list[Fact]
    automatic: dict[str, Any]
    number: int = 0
    key: int = 0


class ManyEntriesUnit(EntryUnit):
    """A unit of work that writes many entries at once."""

    async def create_many(
        self,
        content_type: ContentType,
        items: Sequence[Any],
        *,
        actor_id: int | None = None,
        locale: str | None = None,
        draft_default: bool = False,
        strict: bool = False,
    ) -> list[int]:
        """Create entries and return their ids, in order.

        Options: see `create`; `strict` only applies to items without `publishedAt`.
        """
        _check_count(len(items))
        if self.writes_one_by_one(content_type, {name for item in items if isinstance(item, Mapping) for name in item}):
            return [
                await _numbered(
                    number,
                    self.create(
                        content_type,
                        item,
                        actor_id=actor_id,
                        locale=locale,
                        draft_default=draft_default,
                        strict=strict and PUBLISHED_AT not in item,
                    ),
                )
                for number, item in enumerate(items)
            ]
        given = []
        problems: list[Problem] = []
        for number, item in enumerate(items):
            try:
                check_object(item)
                asks_all = strict and PUBLISHED_AT not in item
                given.append((number, item, *await self._new(content_type, item, locale, draft_default, asks_all)))
            except OctavoError as error:
                problems += _at(number, problems_of(error))
        bodies = await self._compute(partial(self._new_bodies, content_type, given), len(items))
        await lock_entries(self.connection, {one for item in items for one in taken_entries(content_type, item)})
        found = await self._ask(bodies)
        problems += _problems(bodies, found)
        _refuse(problems)
        await self._hash(bodies)
        rows = await self._compute(partial(self._new_rows, bodies, found, actor_id), len(items))
        await self._write(rows, [body.check.body for body in bodies], found, ())
        for row in rows:
            self.record_new(content_type, row)
        return [int(row.ref) for row in rows]

    async def update_many(
        self, content_type: ContentType, ids: Iterable[int], data: Mapping[str, Any], *, actor_id: int | None = None
    ) -> int:
        """Update these entries with the same data; return how many exist."""
        wanted = _wanted(ids)
        check_object(data)
        if content_type.uid in ACCOUNTS or self.writes_one_by_one(content_type, data):
            return sum([await self.update(content_type, one, data, actor_id=actor_id) for one in wanted])
        bodies = await self._compute(partial(self._changing_bodies, content_type, wanted, data), len(wanted))
        entries = {one: self.entry_fact(content_type, one) for one in wanted}
        if changes_what_is_held(content_type, data):
            held = {(content_type.uid, one) for one in wanted}
            await lock_entries(self.connection, held | taken_entries(content_type, data))
        found = await self._ask(bodies, entries.values())
        bodies = [body for body in bodies if found.entry(entries[body.key]) is not None]
        for body in bodies:
            entry = found.entry(entries[body.key])
            body.mode = replace(UPDATING, draft=content_type.draft_and_publish and not (entry and entry.owner))
        _refuse(list(dict.fromkeys(_problems(bodies, found, numbered=False))))
        await self._hash(bodies)
        changing = partial(self._changed_rows, bodies, found, data, actor_id)
        rows, dropped = await self._compute(changing, len(bodies))
        before = await self._images_before(content_type, [body.key for body in bodies])
        await self._write(rows, [body.check.body for body in bodies], found, await self._with_nested(dropped))
        for body, row in zip(bodies, rows, strict=True):
            entry = found.entry(entries[body.key])
            self.record_changed(content_type, body.key, entry, row, before.get(body.key))
        if self.checks_published:
            changed = {body.key for body in bodies}
            await self._context.completeness.require_of_published(self, content_type, data, changed)
        return len(rows)

    async def delete_many(self, content_type: ContentType, ids: Iterable[int]) -> int:
        """Delete these entries with their components and links; return how many existed."""
        wanted = _wanted(ids)
        if content_type.uid in ACCOUNTS or self.writes_one_by_one(content_type, ()):
            return sum([await self.delete(content_type, one) for one in wanted])
        entries = {one: self.entry_fact(content_type, one) for one in wanted}
        await lock_entries(self.connection, {(content_type.uid, one) for one in wanted})
        found = await self._prefetch([*entries.values(), *components_facts(content_type, wanted)] if wanted else [])
        existing = [one for one in wanted if found.entry(entries[one]) is not None]
        if self._context.observer is not None:
            for one in existing:
                await self._context.observer.before_delete(self, content_type.uid, one)
        direct = components_held(self._registry, found)
        before = await self._images_before(content_type, existing)
        owned = await self._with_nested(direct)
        await self.apply(await self._compute(partial(plan_delete, content_type, existing, self._registry, owned), 1))
        for one in existing:
            entry = found.entry(entries[one])
            assert entry is not None, "it is among the existing ones"
            self.record_gone(content_type, one, entry, before.get(one))
        return len(existing)

    async def lock_entries(self, content_type: ContentType, ids: Iterable[int]) -> None:
        """Lock the contents of these entries until the end of the transaction."""
        await lock_entries(self.connection, [(content_type.uid, one) for one in ids])

    def writes_one_by_one(self, content_type: ContentType, names: Iterable[str]) -> bool:
        """Return whether entries that change these attributes are written one by one."""
        return LOCALIZATIONS in names or needs_turns(content_type, names)

    async def _compute(self, work: Callable[[], ResultT], entries: int) -> ResultT:
        return await self.compute(work, entries * _WORK)

    def _new_bodies(
        self, content_type: ContentType, given: Iterable[tuple[int, Mapping[str, Any], Mode, dict[str, Any]]]
    ) -> list[_Body]:
        return [
            _Body(mode, *self._read(content_type, data, mode, None), automatic, number)
            for number, data, mode, automatic in given
        ]

    def _changing_bodies(self, content_type: ContentType, ids: Iterable[int], data: Mapping[str, Any]) -> list[_Body]:
        return [_Body(UPDATING, *self._read(content_type, data, UPDATING, one), {}, key=one) for one in ids]

    async def _ask(self, bodies: Sequence[_Body], entries: Iterable[EntryFact] = ()) -> Prefetched:
        """Lock the unique values of all bodies and query the facts."""
        await lock_unique_values(self.connection, {fact: None for body in bodies for fact in body.check.unique})
        facts: dict[Fact, None] = dict.fromkeys(entries)
        targets: dict[Definition, dict[int, None]] = {}
        for fact in (fact for body in bodies for fact in body.facts):
            if isinstance(fact, TargetsFact):
                targets.setdefault(fact.definition, {}).update(dict.fromkeys(fact.ids))
            else:
                facts[fact] = None
        asked = [TargetsFact(definition=definition, ids=tuple(ids)) for definition, ids in targets.items()]
        return await self._prefetch([*facts, *asked])

    async def _hash(self, bodies: Iterable[_Body]) -> None:
        for body in bodies:
            await hash_passwords(plain_passwords(body.check.body))

    def _new_rows(self, bodies: Iterable[_Body], found: Prefetched, actor_id: int | None) -> list[RowNode]:
        builder = self._builder(found)
        rows, problems = list[RowNode](), list[Problem]()
        for body in bodies:
            try:
                row = builder.row(body.check.body, None)
                stamp_new(row, body.automatic, actor_id, self._dialect)
                rows.append(row)
            except OctavoError as error:
                problems += _at(body.number, problems_of(error))
        _refuse(problems)
        return rows

    def _changed_rows(
        self, bodies: Iterable[_Body], found: Prefetched, data: Mapping[str, Any], actor_id: int | None
    ) -> tuple[list[RowNode], list[OwnedRow]]:
        """Return the rows of updated entries, and the components that they no longer contain."""
        builder = self._builder(found)
        rows = [builder.row(body.check.body, body.key) for body in bodies]
        for row in rows:
            stamp_changed(row, data, actor_id, self._dialect)
        return rows, dropped_components(rows, builder)

    async def _images_before(self, content_type: ContentType, ids: Iterable[int]) -> dict[int, bytes | None]:
        if not self._context.feed.wants_any_images:
            return {}
        return {one: await self._image_before(content_type, one) for one in ids}


def _problems(bodies: Iterable[_Body], found: Prefetched, *, numbered: bool = True) -> list[Problem]:
    """Return the problems of all bodies; unique values must also differ between them."""
    problems: list[Problem] = []
    seen: set[UniqueFact] = set()
    for body in bodies:
        wrong = body.check.problems(body.mode, found, seen)
        problems += _at(body.number, wrong) if numbered else wrong
        seen.update(plain_fact(fact) for fact in body.check.unique)
    return problems


async def _numbered(number: int, work: Awaitable[ResultT]) -> ResultT:
    try:
        return await work
    except OctavoError as error:
        raise ValidationError.from_problems(_at(number, problems_of(error))) from error


def _at(number: int, problems: Iterable[Problem]) -> list[Problem]:
    return [replace(problem, path=(str(number), *problem.path)) for problem in problems]


def _refuse(problems: Sequence[Problem]) -> None:
    if problems:
        raise ValidationError.from_problems(problems)


def _wanted(ids: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(one for one in ids if 0 <= one <= LARGEST_ID))


def _check_count(count: int) -> None:
    if count > MOST_CREATED:
        raise ValidationError(f"At most {MOST_CREATED} entries can be created at once, got {count}")
