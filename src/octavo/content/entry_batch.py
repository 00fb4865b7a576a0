"""EntryBatch: write entries of one type together, with few statements.

The state of all entries is queried at once and their changes are planned together; a single entry is a batch of one.
Raises ValidationError with the problems of all entries, and ApplicationError.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from octavo.content.automatic_values import NO_DATES, stamp_changed, stamp_new
from octavo.content.input.body_check import BodyCheck, plain_fact
from octavo.content.input.input_tree import InputNode
from octavo.content.input.password_hashing import hash_passwords, plain_passwords
from octavo.content.input.prefetch import Prefetched, components_facts, prefetch
from octavo.content.input.row_builder import RowBuilder, store_at
from octavo.content.input.unique_values import lock_unique_values, unique_problem
from octavo.content.input_path import TOP
from octavo.content.owned_components import components_held, dropped_components, with_nested
from octavo.content.schedules import Plan, Planned, is_published_later, kind_of_update, presence_of, stored_moment
from octavo.content.validation.scalar_rules import Mode
from octavo.content.write_context import WriteContext
from octavo.content.write_locks import changes_related_rows, lock_entries, lock_family, taken_entries
from octavo.core.clock import this_moment
from octavo.core.errors import ApplicationError, OctavoError, Problem, ValidationError, problems_of
from octavo.core.forms.printing import type_message
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeKind, Presence
from octavo.database.connection import (
    IdTaken,
    IntegrityViolation,
    StatementRefused,
    Transaction,
    TransactionConflict,
    UniqueViolation,
    UnsuitableValue,
)
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.plan.changes import Change, RowRef
from octavo.query.plan.present_state import EntryFact, Fact, FactRow, TargetsFact, UniqueFact
from octavo.query.plan.write import OwnedRow, RowNode, plan_delete, plan_write
from octavo.query.sql.statement import Statement
from octavo.query.sql.write.chains import Chains, Step, chainable
from octavo.query.sql.write.change import ChangeCompiler
from octavo.schema.attributes import LOCALE, PUBLISHED_AT
from octavo.schema.content_types import ACCOUNTS, ContentType, Definition

ResultT = TypeVar("ResultT")
UPDATING: Final = Mode(creating=False, draft=False)
_WORK: Final = 8
"""The estimated rows per entry, to decide whether to validate in a thread."""


async def apply_changes(unit: UnitOfWork, compiler: ChangeCompiler, changes: Iterable[Change]) -> None:
    """Run changes in order. Inserted rows get their ids.

    Raises TransactionConflict if the database cannot run joined statements that it can run one by one.
    """
    changes = list(changes)
    if compiler.chains is None or unit.is_large or len(changes) < 2:
        for change in changes:
            making = partial(compiler.steps, change)
            for step in await unit.compute(making) if unit.is_large else making():
                await _run(unit, step.statement, step.refs)
        return
    for group in chainable(compiler.registry, changes):
        steps = [step for change in group.changes for step in compiler.steps(change)]
        joined = compiler.chains.join(steps)
        if joined is not None and joined.is_new:
            if await unit.connection.fetch_row(compiler.chains.guards(group.tables), ()) is None:
                compiler.chains.keep(steps, joined.statement)
            else:
                compiler.chains.refuse(steps)
                joined = None
        if joined is None:
            for step in steps:
                await _run(unit, step.resolved(), step.refs)
        else:
            await _run_joined(unit, compiler.chains, joined.statement, steps)


async def _run_joined(unit: UnitOfWork, chains: Chains, statement: Statement, steps: Sequence[Step]) -> None:
    refs = [ref for step in steps for ref in step.refs]
    try:
        _note(refs, await unit.connection.fetch_row(statement.text, statement.values) or ())
    except StatementRefused as error:  # the project changed the table so that it cannot be used in a WITH clause
        chains.refuse(steps)
        raise TransactionConflict(str(error)) from error


async def _run(unit: UnitOfWork, statement: Statement, refs: tuple[RowRef, ...]) -> None:
    if refs:
        rows = await unit.connection.fetch_all(statement.text, statement.values)
        _note(refs, sorted(row[0] for row in rows))
    else:
        await unit.connection.execute(statement.text, statement.values)


def _note(refs: Sequence[RowRef], ids: Iterable[int]) -> None:
    for ref, new_id in zip(refs, ids, strict=True):
        ref.id = int(new_id)


@dataclass(frozen=True, slots=True)
class NewBody:
    """The data of a new entry, with its validation mode and automatic values.

    `number`: its position among several entries, which problems then name. `translates`: as for `EntryUnit.create`.
    """

    data: Mapping[str, Any]
    mode: Mode
    automatic: Mapping[str, Any]
    number: int | None = None
    translates: int | None = None


@dataclass(slots=True)
class _Body:
    """A body: its validation mode and the facts to query. `new` for a new entry, `key` the id of an existing one."""

    mode: Mode
    check: BodyCheck
    facts: list[Fact]
    new: NewBody | None = None
    key: int = 0


class EntryBatch(UnitOfWork):
    """A unit of work that writes batches of entries. `EntryUnit` has its public methods."""

    def __init__(self, context: WriteContext, connection: Transaction, size: int = 0) -> None:
        super().__init__(connection, context.feed, size)
        self._context = context
        self._registry = context.registry
        self._dialect = context.database.dialect
        self._planned: list[Planned] = []
        self._gone: dict[str, list[int]] = {}
        self.as_of: int | None = None
        """The time used for publication states, in milliseconds since 1970; None for now."""
        self.checks_published = context.rules.strict
        """Whether drafts must be complete to be published. False if the caller has checked that."""

    async def apply(self, changes: Iterable[Change]) -> None:
        """Run changes that do not come from an entry's data."""
        await apply_changes(self, self._context.compiler, changes)

    async def finish(self) -> None:
        """Schedule events for changed entries and call the observer, then finish as any unit."""
        if self.is_committed:
            return
        if (self._planned or self._gone) and self._context.schedules is not None:
            await self._context.schedules.follow(self, self._planned, self._gone)
        if self._context.observer is not None and (changes := self.changes):
            await self._context.observer.before_commit(self, changes)
        await super().finish()

    async def read_image(self, uid: str, entry_id: int) -> bytes | None:
        """Return an entry as a reader sees it."""
        return await self._context.images.read(uid, entry_id, self.connection)

    async def _insert(
        self,
        content_type: ContentType,
        entries: Sequence[NewBody],
        actor_id: int | None,
        problems: Sequence[Problem] = (),
    ) -> list[RowNode]:
        """Create entries and return their rows. Raises ValidationError with these problems and further ones."""
        bodies = await self._compute(partial(self._new_bodies, content_type, entries), len(entries))
        await lock_entries(self.connection, {one for new in entries for one in taken_entries(content_type, new.data)})
        prefetched = await self._ask(bodies)
        await self._finish(bodies, prefetched, problems)
        rows = await self._compute(partial(self._new_rows, bodies, prefetched, actor_id), len(entries))
        await self._write(rows, [body.check.body for body in bodies], prefetched, ())
        for row in rows:
            self.record_new(content_type, row)
        return rows

    async def _change(
        self,
        content_type: ContentType,
        ids: Sequence[int],
        data: Mapping[str, Any],
        *,
        actor_id: int | None = None,
        dates: Mapping[str, Any] = NO_DATES,
        later: bool = False,
    ) -> int:
        """Update these entries with the same data; return how many exist."""
        bodies = await self._compute(partial(self._changing_bodies, content_type, ids, data), len(ids))
        entries = {one: self.entry_fact(content_type, one) for one in ids}
        if changes_related_rows(content_type, data):
            held = {(content_type.uid, one) for one in ids}
            await lock_entries(self.connection, held | taken_entries(content_type, data))
        prefetched = await self._ask(bodies, entries.values())
        bodies = [body for body in bodies if prefetched.entry(entries[body.key]) is not None]
        if not bodies:
            return 0
        for body in bodies:  # validated after the query, which says whether the entry is a draft
            entry = prefetched.entry(entries[body.key])
            body.mode = replace(UPDATING, draft=content_type.draft_and_publish and not (entry and entry.owner))
        await self._finish(bodies, prefetched)
        stamps = partial(stamp_changed, data=data, actor_id=actor_id, dialect=self._dialect, dates=dates, later=later)
        rows, dropped = await self._compute(partial(self._changed_rows, bodies, prefetched, stamps), len(bodies))
        before = await self._images_before(content_type, [body.key for body in bodies])
        await self._write(rows, [body.check.body for body in bodies], prefetched, await self._with_nested(dropped))
        for body, row in zip(bodies, rows, strict=True):
            self.record_changed(content_type, body.key, prefetched.entry(entries[body.key]), row, before.get(body.key))
        if self.checks_published:
            changed = {body.key for body in bodies}
            await self._context.completeness.require_of_published(self, content_type, data, changed)
        return len(rows)

    async def _remove(self, content_type: ContentType, ids: Sequence[int]) -> int:
        """Delete these entries, which are locked, with their components and links; return how many existed."""
        entries = {one: self.entry_fact(content_type, one) for one in ids}
        prefetched = await self._prefetch([*entries.values(), *components_facts(content_type, ids)] if ids else [])
        existing = {one: entry for one in ids if (entry := prefetched.entry(entries[one])) is not None}
        if not existing:
            return 0
        for one in existing:
            await self._before_delete(content_type, one)
        before = await self._images_before(content_type, existing)
        owned = await self._with_nested(components_held(self._registry, prefetched))
        planning = partial(plan_delete, content_type, tuple(existing), self._registry, owned)
        await self.apply(await self._compute(planning, 1))
        for one, entry in existing.items():
            self.record_gone(content_type, one, entry, before.get(one))
        return len(existing)

    async def _before_delete(self, content_type: ContentType, entry_id: int) -> None:
        """Notify those who watch deletions."""
        if self._context.observer is not None:
            await self._context.observer.before_delete(self, content_type.uid, entry_id)
        if content_type.uid in ACCOUNTS and self._context.accounts is not None:
            await self._context.accounts.before_delete(self.connection, content_type.uid, entry_id)

    async def locale_of_new(self, content_type: ContentType, given: Any) -> str | None:
        """Return the locale for a new entry; None for types that are not localized.

        `given` is the requested locale, or None for the default locale. Raises ApplicationError and ValidationError.
        """
        return await self._locale(content_type, given) if content_type.localized else None

    async def lock_entry(self, content_type: ContentType, entry_id: int) -> None:
        """Lock an entry's content until the end of the transaction."""
        await lock_entries(self.connection, [(content_type.uid, entry_id)])

    async def lock_entries(self, content_type: ContentType, ids: Iterable[int]) -> None:
        """Lock the contents of these entries until the end of the transaction."""
        await lock_entries(self.connection, [(content_type.uid, one) for one in ids])

    async def lock_family(self, content_type: ContentType, entry_id: int, data: Any = None) -> None:
        """Lock an entry's localizations, and entries that its data takes targets or components from."""
        await lock_family(self.connection, self._registry, self._dialect, content_type, entry_id, data)

    async def _locale(self, content_type: ContentType, given: Any) -> str:
        known = await self._context.locales.known(self.connection)
        if given is None:
            return known.default
        if isinstance(given, list | dict):
            raise ValidationError.from_problems([TOP.child(LOCALE).problem(type_message("locale", "string", given))])
        if not isinstance(given, str) or given not in known.codes:
            raise ApplicationError("This locale doesn't exist")
        return given

    async def _compute(self, work: Callable[[], ResultT], entries: int) -> ResultT:
        """Run work on the bodies of so many entries."""
        return work() if entries == 1 and not self.is_large else await self.compute(work, entries * _WORK)

    def _new_bodies(self, content_type: ContentType, entries: Iterable[NewBody]) -> list[_Body]:
        return [
            _Body(new.mode, *self._read(content_type, new.data, new.mode, None, new.translates), new) for new in entries
        ]

    def _changing_bodies(self, content_type: ContentType, ids: Iterable[int], data: Mapping[str, Any]) -> list[_Body]:
        return [_Body(UPDATING, *self._read(content_type, data, UPDATING, one), key=one) for one in ids]

    def _read(
        self,
        content_type: ContentType,
        data: Mapping[str, Any],
        mode: Mode,
        own: int | None,
        translates: int | None = None,
    ) -> tuple[BodyCheck, list[Fact]]:
        """Return the parsed body and the facts to query for it."""
        check = BodyCheck(self._registry, self._dialect, content_type, data, mode, own, self._context.rules, translates)
        return check, check.facts()

    async def _ask(self, bodies: Sequence[_Body], entries: Iterable[EntryFact] = ()) -> Prefetched:
        """Lock the unique values of all bodies and query the facts."""
        await lock_unique_values(
            self.connection, self._dialect, {fact: None for body in bodies for fact in body.check.unique}
        )
        return await self._prefetch([*entries, *(bodies[0].facts if len(bodies) == 1 else _joined_facts(bodies))])

    async def _finish(self, bodies: Sequence[_Body], found: Prefetched, problems: Sequence[Problem] = ()) -> None:
        """Finish the validation of the bodies and hash their passwords. Raises ValidationError."""
        plain = await self._compute(partial(_finished, bodies, found, problems), len(bodies))
        if plain:
            await hash_passwords(plain)

    def _new_rows(self, bodies: Iterable[_Body], found: Prefetched, actor_id: int | None) -> list[RowNode]:
        builder = self._builder(found)
        rows, problems = list[RowNode](), list[Problem]()
        for body in bodies:
            assert body.new is not None, "it is the body of a new entry"
            try:
                row = builder.row(body.check.body, None)
                stamp_new(row, body.new.automatic, actor_id, self._dialect)
                rows.append(row)
            except OctavoError as error:
                if body.new.number is None:
                    raise
                problems += numbered_problems(body.new.number, problems_of(error))
        refuse(problems)
        return rows

    def _changed_rows(
        self, bodies: Iterable[_Body], found: Prefetched, stamp: Callable[[RowNode], None]
    ) -> tuple[list[RowNode], list[OwnedRow]]:
        """Return the rows of updated entries, and the components that they no longer contain."""
        builder = self._builder(found)
        rows = [builder.row(body.check.body, body.key) for body in bodies]
        dropped = dropped_components(rows, builder)
        for row in rows:
            stamp(row)
        return rows, dropped

    async def _prefetch(self, facts: list[Fact]) -> Prefetched:
        return await prefetch(self, self._registry, self._dialect, facts)

    async def _with_nested(self, rows: Iterable[OwnedRow]) -> list[OwnedRow]:
        return await with_nested(self, self._registry, self._dialect, rows)

    def _builder(self, found: Prefetched) -> RowBuilder:
        return RowBuilder(
            registry=self._registry,
            dialect=self._dialect,
            links=found.links(),
            held=found.components_by_place(),
            place_relations=self._context.rules.place_relations,
        )

    async def _images_before(self, content_type: ContentType, ids: Iterable[int]) -> dict[int, bytes | None]:
        feed = self._context.feed
        if not feed.wants_any_images or not feed.wants_images(content_type.uid):
            return {}
        return {one: await self.read_image(content_type.uid, one) for one in ids}

    async def emit(self, content_type: ContentType, entry_id: int, action: str, data: Mapping[str, Any]) -> None:
        """Send an event about an entry that did not change. Webhooks are called; hooks run after the commit."""
        if self._context.observer is not None:
            await self._context.observer.schedule_failed(self, content_type.uid, entry_id, data)

    def entry_fact(self, content_type: ContentType, entry_id: int) -> EntryFact:
        """Return the fact that queries an entry, including whether it is hidden until its publication date."""
        moment = (self.as_of or this_moment()) if self._context.rules.hides_future else None
        return EntryFact(content_type=content_type, id=entry_id, moment=moment)

    async def lock_presence(self, content_type: ContentType, entry_id: int) -> Presence:
        """Return an entry's presence and lock it until the end of the transaction."""
        await self.lock_entry(content_type, entry_id)
        return await self.presence(content_type, entry_id)

    async def presence(self, content_type: ContentType, entry_id: int) -> Presence:
        """Return an entry's presence."""
        fact = self.entry_fact(content_type, entry_id)
        return presence_of((await self._prefetch([fact])).entry(fact))

    def publication(self, content_type: ContentType, given: Any) -> tuple[Presence, int | None]:
        """Return an entry's presence with this `publishedAt`, and the time it will appear if that is later."""
        try:
            moment = store_at(content_type, PUBLISHED_AT, given, self._dialect)
        except ValidationError as error:
            if self._context.rules.place_relations:
                raise ValidationError.from_problems([Problem((PUBLISHED_AT,), error.message)]) from None
            raise
        return self._stored_publication(content_type, moment)

    def _stored_publication(self, content_type: ContentType, moment: Any) -> tuple[Presence, int | None]:
        """Return the presence and appearance time for a stored `publishedAt`."""
        if moment is None:
            return Presence.DRAFT, None
        if not self._context.rules.hides_future:
            return Presence.LIVE, None
        now = store_at(content_type, PUBLISHED_AT, this_moment(), self._dialect)
        return (Presence.LIVE, None) if moment <= now else (Presence.DRAFT, stored_moment(moment))

    def record_new(self, content_type: ContentType, row: RowNode) -> None:
        """Record a created entry."""
        became = self._appearance(content_type, int(row.ref), row, None)
        self.record(content_type.uid, int(row.ref), ChangeKind.CREATE, locale=row.values.get(LOCALE), became=became)

    def record_changed(
        self, content_type: ContentType, entry_id: int, entry: FactRow | None, row: RowNode, before: bytes | None
    ) -> None:
        """Record an updated entry; `entry` is its previous state."""
        was = presence_of(entry)
        became = self._appearance(content_type, entry_id, row, entry) if PUBLISHED_AT in row.values else was
        kind, locale = kind_of_update(was, became), entry.type if entry else None
        self.record(content_type.uid, entry_id, kind, before, locale=locale, was=was, became=became)

    def record_gone(self, content_type: ContentType, entry_id: int, entry: FactRow, before: bytes | None) -> None:
        """Record a deleted entry; `entry` is its previous state."""
        if content_type.draft_and_publish:
            self._gone.setdefault(content_type.uid, []).append(entry_id)
        was = presence_of(entry)
        self.record(content_type.uid, entry_id, ChangeKind.DELETE, before, locale=entry.type, was=was)

    def _appearance(self, content_type: ContentType, entry_id: int, row: RowNode, entry: FactRow | None) -> Presence:
        """Return an entry's presence after the write; schedule or cancel its appearance."""
        if not content_type.draft_and_publish:
            return Presence.LIVE
        presence, appears_at = self._stored_publication(content_type, row.values[PUBLISHED_AT])
        if appears_at is not None or is_published_later(entry):
            self._planned.append(Planned(content_type.uid, entry_id, Plan.APPEAR, appears_at))
        return presence

    async def _write(
        self, rows: Sequence[RowNode], bodies: Sequence[InputNode], found: Prefetched, dropped: Iterable[OwnedRow]
    ) -> None:
        try:
            planning = partial(plan_write, rows, self._registry, found.links(), dropped)
            await self.apply(await self.compute(planning) if self.is_large else planning())
        except IdTaken:
            raise
        except UniqueViolation as violation:
            raise ValidationError.from_problems([unique_problem(bodies, violation)]) from None
        except IntegrityViolation:  # a target was deleted meanwhile
            raise ValidationError.from_problems([TOP.problem("Invalid relations")]) from None
        except UnsuitableValue as error:
            raise ValidationError(f"Invalid value: {error}") from None


def _joined_facts(bodies: Iterable[_Body]) -> list[Fact]:
    """Return the facts of several bodies, each once, and one for the targets of each type."""
    facts: dict[Fact, None] = {}
    targets: dict[Definition, dict[int, None]] = {}
    for fact in (fact for body in bodies for fact in body.facts):
        if isinstance(fact, TargetsFact):
            targets.setdefault(fact.definition, {}).update(dict.fromkeys(fact.ids))
        else:
            facts[fact] = None
    return [*facts, *(TargetsFact(definition=definition, ids=tuple(ids)) for definition, ids in targets.items())]


def _finished(bodies: Sequence[_Body], found: Prefetched, problems: Sequence[Problem]) -> list[tuple[InputNode, str]]:
    """Return the passwords to hash. Raises ValidationError; unique values must also differ between the bodies."""
    wrong = list(problems)
    seen: set[UniqueFact] = set()
    for body in bodies:
        own = body.check.problems(body.mode, found, seen)
        number = body.new.number if body.new is not None else None
        wrong += own if number is None else numbered_problems(number, own)
        if len(bodies) > 1:
            seen.update(plain_fact(fact) for fact in body.check.unique)
    refuse(wrong if len(bodies) == 1 else list(dict.fromkeys(wrong)))
    return [password for body in bodies for password in plain_passwords(body.check.body)]


def numbered_problems(number: int, problems: Iterable[Problem]) -> list[Problem]:
    """Return problems with the position of their entry at the start of their paths."""
    return [replace(problem, path=(str(number), *problem.path)) for problem in problems]


def refuse(problems: Sequence[Problem]) -> None:
    """Raise ValidationError if there are problems."""
    if problems:
        raise ValidationError.from_problems(problems)
