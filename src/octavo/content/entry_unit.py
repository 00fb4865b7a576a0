"""EntryUnit: create, update and delete entries with their components and links in one transaction.

Raises ValidationError (with all problems) and ApplicationError.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from octavo.content.automatic_values import NO_DATES, stamp_changed, stamp_new
from octavo.content.input.body_check import BodyCheck, check_object, settle
from octavo.content.input.input_tree import InputNode
from octavo.content.input.password_hashing import hash_passwords
from octavo.content.input.prefetch import Prefetched, components_facts, prefetch
from octavo.content.input.row_builder import RowBuilder, store_at
from octavo.content.input.unique_values import lock_unique_values, unique_problem
from octavo.content.input_path import TOP
from octavo.content.owned_components import components_held, dropped_components, with_nested
from octavo.content.prepared.creates import PlainCreate, Stamps
from octavo.content.prepared.deletes import PlainDelete
from octavo.content.prepared.updates import PlainUpdate
from octavo.content.reader import CompiledRead, PreparedRead
from octavo.content.schedules import Plan, Planned, is_to_come, kind_of_update, presence_of, stored_moment
from octavo.content.translations import create_translation, named_localizations
from octavo.content.validation.scalar_rules import Mode
from octavo.content.write_context import WriteContext
from octavo.content.write_locks import changes_what_is_held, lock_entries, lock_family, taken_entries
from octavo.core.clock import this_moment
from octavo.core.errors import ApplicationError, Problem, ValidationError
from octavo.core.forms.printing import type_message
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
from octavo.query.plan.present_state import EntryFact, Fact, FactRow
from octavo.query.plan.write import OwnedRow, RowNode, plan_delete, plan_write
from octavo.query.sql.statement import Statement
from octavo.query.sql.write.chains import Chains, Step, chainable
from octavo.query.sql.write.change import ChangeCompiler
from octavo.schema.attributes import CREATED_AT, LOCALE, PUBLISHED_AT, UPDATED_AT
from octavo.schema.content_types import ACCOUNTS, ContentType
from octavo.schema.scalar_types import LARGEST_ID


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
        found = await unit.connection.fetch_all(statement.text, statement.values)
        _note(refs, sorted(row[0] for row in found))
    else:
        await unit.connection.execute(statement.text, statement.values)


def _note(refs: Sequence[RowRef], ids: Iterable[int]) -> None:
    for ref, new_id in zip(refs, ids, strict=True):
        ref.id = int(new_id)


Data = Mapping[str, Any]
UPDATING: Final = Mode(creating=False, draft=False)


class EntryUnit(UnitOfWork):
    """A unit of work that writes entries."""

    def __init__(self, context: WriteContext, connection: Transaction, size: int = 0) -> None:
        super().__init__(connection, context.feed, size)
        self._context = context
        self._registry = context.registry
        self._dialect = context.database.dialect
        self._planned: list[Planned] = []
        self._gone: dict[str, list[int]] = {}
        self.as_of: int | None = None
        """The time used for publication states, in milliseconds since 1970; None for now."""
        self.answering: PreparedRead | None = None
        """The read for the response to the next write, if a statement can return it directly."""
        self._answered: bytes | None = None
        self._deletion: PlainDelete | None = None
        self.checks_published = context.rules.strict
        """Whether drafts must be complete to be published. False if the caller has checked that."""

    def take_answer(self) -> bytes | None:
        """Return and clear the response of the previous write, if its statement returned one."""
        answer, self._answered, self.answering = self._answered, None, None
        return answer

    def _shows(self) -> CompiledRead | None:
        """Return the statement for the response if it reads the written entry only."""
        read = self.answering
        return read.statement if read is not None and read.reads_by_id else None

    async def create(
        self,
        content_type: ContentType,
        data: Mapping[str, Any],
        *,
        actor_id: int | None = None,
        locale: str | None = None,
        draft_default: bool = False,
        strict: bool = False,
        dates: Mapping[str, Any] = NO_DATES,
        translates: int | None = None,
    ) -> int:
        """Create an entry and return its id.

        `locale` is the locale of a localized type if the data has none. `actor_id` is the administrator who creates it.
        With `draft_default` the entry is a draft unless the data says otherwise. With `strict`, drafts are validated
        like published entries. `dates` are a `createdAt` and `updatedAt` other than now. `translates` is the id of an
        entry that this is a localization of. Localizations in the data are linked.
        """
        if translates is None and named_localizations(content_type, data):
            given: Any = {"actor_id": actor_id, "draft_default": draft_default, "strict": strict, "dates": dates}
            create = partial(EntryUnit.create, self, content_type, **given)
            code = await self._locale(content_type, data.get(LOCALE, locale))
            return await create_translation(self, self._context.families, content_type, data, code, create)
        mode, automatic = await self._new(content_type, data, locale, draft_default, strict)
        plain = None
        if not (self.is_cautious or self.is_large or dates or translates):
            stamps = Stamps(automatic[CREATED_AT], automatic[PUBLISHED_AT], automatic[LOCALE], actor_id)
            plain = self._context.creates.find(content_type, data, stamps, self._shows(), draft=mode.draft)
            if plain is not None and plain.prepared is not None:
                await lock_entries(self.connection, taken_entries(content_type, data))
                return await self._create_prepared(content_type, plain, stamps)
        body, found = await self._check(content_type, data, mode, translates)
        building = partial(self._builder(found).row, body, None)
        row = await self.compute(building) if self.is_large else building()
        stamp_new(row, {**automatic, **dates}, actor_id, self._dialect)
        await self._write([row], [body], found, ())
        if plain is not None:
            await self._context.creates.learn(self.connection, plain, data, row, self._shows())
        self.record_new(content_type, row)
        return int(row.ref)

    async def _create_prepared(self, content_type: ContentType, plain: PlainCreate, stamps: Stamps) -> int:
        entry_id, answer = await self._context.creates.run(self.connection, plain)
        is_draft = content_type.draft_and_publish and stamps.published is None
        became = Presence.DRAFT if is_draft else Presence.LIVE
        self.record(content_type.uid, entry_id, ChangeKind.CREATE, locale=stamps.locale, became=became)
        self._answered = answer
        return entry_id

    async def update(
        self,
        content_type: ContentType,
        entry_id: int,
        data: Mapping[str, Any],
        *,
        actor_id: int | None = None,
        dates: Mapping[str, Any] = NO_DATES,
        later: bool = False,
    ) -> bool:
        """Update the attributes in the data; return False if the entry does not exist.

        `updatedAt` always increases, so that changes can be detected. A date in `dates` is stored unchanged, unless
        `later` is set. `actor_id`: see `create`.
        """
        if content_type.localized and isinstance(data, list):
            data = {}  # a list changes nothing in a localized entry (observed)
        check_object(data)
        if not 0 <= entry_id <= LARGEST_ID:
            return False
        if content_type.uid in ACCOUNTS and self._context.accounts is not None:
            data = await self._context.accounts.before_update(self.connection, content_type.uid, entry_id, data)
        plain = None
        if not (self.is_cautious or self.is_large or dates or self._context.reads_before_updates):
            shown = self._shows()
            plain = self._context.updates.find(content_type, entry_id, data, this_moment(), actor_id, shown)
        if plain is not None and plain.prepared is not None:
            return await self._update_prepared(content_type, entry_id, plain)
        fact = self.entry_fact(content_type, entry_id)
        checked = await self._check_update(content_type, fact, data)
        if checked is None:
            return False
        body, found = checked
        building = partial(self._rows, found, body, entry_id)
        row, replaced = await self.compute(building) if self.is_large else building()
        stamp_changed(row, data, actor_id, self._dialect, dates, later=later)
        before = await self._image_before(content_type, entry_id) if self._context.feed.wants_any_images else None
        await self._write([row], [body], found, await self._with_nested(replaced))
        if plain is not None:
            await self._context.updates.learn(self.connection, content_type, plain, data, self._shows())
        self.record_changed(content_type, entry_id, found.entry(fact), row, before)
        if self.checks_published:
            await self._context.completeness.require_of_published(self, content_type, data, {entry_id})
        return True

    async def _update_prepared(self, content_type: ContentType, entry_id: int, plain: PlainUpdate) -> bool:
        updated = await self._context.updates.run(self.connection, plain)
        if updated is None:
            return False
        presence, locale, answer = updated
        self.record(content_type.uid, entry_id, ChangeKind.UPDATE, locale=locale, was=presence, became=presence)
        self._answered = answer
        return True

    async def delete(self, content_type: ContentType, entry_id: int) -> bool:
        """Delete an entry with its components and links; return False if it does not exist."""
        if not 0 <= entry_id <= LARGEST_ID:
            return False
        plain = self._take_deletion(content_type)
        await self.lock_entry(content_type, entry_id)  # prevents concurrent deletes, and updates that add components
        if plain is not None and plain.prepared is not None:
            return await self._delete_prepared(content_type, entry_id, plain)
        fact = self.entry_fact(content_type, entry_id)
        found = await self._prefetch([fact, *components_facts(content_type, (entry_id,))])
        entry = found.entry(fact)
        if entry is None:
            return False
        if self._context.observer is not None:
            await self._context.observer.before_delete(self, content_type.uid, entry_id)
        if content_type.uid in ACCOUNTS and self._context.accounts is not None:
            await self._context.accounts.before_delete(self.connection, content_type.uid, entry_id)
        direct = components_held(self._registry, found)
        before = await self._image_before(content_type, entry_id) if self._context.feed.wants_any_images else None
        owned = await self._with_nested(direct)
        planning = partial(plan_delete, content_type, (entry_id,), self._registry, owned)
        await self.apply(await self.compute(planning) if self.is_large else planning())
        if plain is not None:
            await self._context.deletes.learn(self.connection, content_type, plain)
        self.record_gone(content_type, entry_id, entry, before)
        return True

    def answers_delete(self, content_type: ContentType, read: PreparedRead) -> bool:
        """Return whether the statement of the next delete also returns the response, for `take_answer`."""
        self.answering = read
        self._deletion = plain = self._plain_delete(content_type)
        return plain is not None and plain.prepared is not None and plain.prepared.answers

    def _take_deletion(self, content_type: ContentType) -> PlainDelete | None:
        """Return how to delete an entry, as decided by `answers_delete` if it was called."""
        plain, self._deletion = self._deletion, None
        return self._plain_delete(content_type) if plain is None else plain

    def _plain_delete(self, content_type: ContentType) -> PlainDelete | None:
        if self.is_cautious or self.is_large or self._context.reads_before_updates or content_type.uid in ACCOUNTS:
            return None
        return self._context.deletes.find(content_type, self._shows())

    async def _delete_prepared(self, content_type: ContentType, entry_id: int, plain: PlainDelete) -> bool:
        if self._context.observer is not None:
            await self._context.observer.before_delete(self, content_type.uid, entry_id)
        deleted = await self._context.deletes.run(self.connection, plain, entry_id)
        if deleted is None:
            return False
        if deleted.scheduled:
            self._gone.setdefault(content_type.uid, []).append(entry_id)
        self.record(content_type.uid, entry_id, ChangeKind.DELETE, locale=deleted.locale, was=deleted.was)
        self._answered = deleted.answer
        return True

    async def locale_of_new(self, content_type: ContentType, given: Any) -> str | None:
        """Return the locale for a new entry; None for types that are not localized.

        `given` is the requested locale; None is the default one. Raises ApplicationError and ValidationError.
        """
        return await self._locale(content_type, given) if content_type.localized else None

    async def lock_entry(self, content_type: ContentType, entry_id: int) -> None:
        """Lock an entry's content until the end of the transaction."""
        await lock_entries(self.connection, [(content_type.uid, entry_id)])

    async def lock_family(self, content_type: ContentType, entry_id: int, data: Any = None) -> None:
        """Lock an entry's localizations, and entries that its data takes targets or components from."""
        await lock_family(self.connection, self._registry, self._dialect, content_type, entry_id, data)

    async def apply(self, changes: Iterable[Change]) -> None:
        """Run changes that do not come from an entry's data."""
        await apply_changes(self, self._context.compiler, changes)

    async def finish(self) -> None:
        """Schedule events for changed entries and call the observer, then finish as any unit."""
        if (self._planned or self._gone) and self._context.schedules is not None:
            await self._context.schedules.follow(self, self._planned, self._gone)
        if self._context.observer is not None and (changes := self.changes):
            await self._context.observer.before_commit(self, changes)
        await super().finish()

    async def read_image(self, uid: str, entry_id: int) -> bytes | None:
        """Return an entry as a reader sees it."""
        return await self._context.images.read(uid, entry_id, self.connection)

    async def _image_before(self, content_type: ContentType, entry_id: int) -> bytes | None:
        wanted = self._context.feed.wants_images(content_type.uid)
        return await self.read_image(content_type.uid, entry_id) if wanted else None

    async def _new(
        self, content_type: ContentType, data: Mapping[str, Any], locale: str | None, draft_default: bool, strict: bool
    ) -> tuple[Mode, dict[str, Any]]:
        """Return the validation mode for a new entry, and the values of its automatic attributes."""
        check_object(data)
        code = await self._locale(content_type, data.get(LOCALE, locale)) if content_type.localized else None
        moment = this_moment()
        published = data.get(PUBLISHED_AT, None if draft_default else moment)
        draft = content_type.draft_and_publish and published is None and not strict
        automatic = {CREATED_AT: moment, UPDATED_AT: moment, PUBLISHED_AT: published, LOCALE: code}
        return Mode(creating=True, draft=draft), automatic

    async def _locale(self, content_type: ContentType, given: Any) -> str:
        known = await self._context.locales.known(self.connection)
        if given is None:
            return known.default
        if isinstance(given, list | dict):
            raise ValidationError.from_problems([TOP.child(LOCALE).problem(type_message("locale", "string", given))])
        if not isinstance(given, str) or given not in known.codes:
            raise ApplicationError("This locale doesn't exist")
        return given

    async def _check(
        self, content_type: ContentType, data: Mapping[str, Any], mode: Mode, translates: int | None = None
    ) -> tuple[InputNode, Prefetched]:
        """Return the parsed body and the state it needs. Raises ValidationError with all problems."""
        reading = partial(self._read, content_type, data, mode, None, translates)
        check, facts = await self.compute(reading) if self.is_large else reading()
        await lock_entries(self.connection, taken_entries(content_type, data))
        await lock_unique_values(self.connection, check.unique)
        found = await self._prefetch(facts)
        await self._settle(check, mode, found)
        return check.body, found

    async def _check_update(
        self, content_type: ContentType, fact: EntryFact, data: Mapping[str, Any]
    ) -> tuple[InputNode, Prefetched] | None:
        """Check an update. Validation runs last, because the queried state says whether the entry is a draft."""
        reading = partial(self._read, content_type, data, UPDATING, fact.id)
        check, facts = await self.compute(reading) if self.is_large else reading()
        if changes_what_is_held(content_type, data):
            await lock_entries(self.connection, {(content_type.uid, fact.id), *taken_entries(content_type, data)})
        await lock_unique_values(self.connection, check.unique)
        found = await self._prefetch([fact, *facts])
        entry = found.entry(fact)
        if entry is None:
            return None
        draft = content_type.draft_and_publish and not entry.owner
        await self._settle(check, replace(UPDATING, draft=draft), found)
        return check.body, found

    def _read(
        self, content_type: ContentType, data: Data, mode: Mode, own: int | None, translates: int | None = None
    ) -> tuple[BodyCheck, list[Fact]]:
        """Return the parsed body and the facts to query for it."""
        check = BodyCheck(self._registry, self._dialect, content_type, data, mode, own, self._context.rules, translates)
        return check, check.facts()

    async def _settle(self, check: BodyCheck, mode: Mode, found: Prefetched) -> None:
        """Finish the body's validation and hash its passwords. Raises ValidationError."""
        settling = partial(settle, check, mode, found)
        plain = await self.compute(settling) if self.is_large else settling()
        if plain:
            await hash_passwords(plain)

    async def _prefetch(self, facts: list[Fact]) -> Prefetched:
        return await prefetch(self, self._registry, self._dialect, facts)

    async def _with_nested(self, rows: Iterable[OwnedRow]) -> list[OwnedRow]:
        return await with_nested(self, self._registry, self._dialect, rows)

    def _rows(self, found: Prefetched, body: InputNode, entry_id: int) -> tuple[RowNode, list[OwnedRow]]:
        """Return the rows of an updated entry, and the components that it no longer contains."""
        builder = self._builder(found)
        row = builder.row(body, entry_id)
        return row, dropped_components([row], builder)

    def _builder(self, found: Prefetched) -> RowBuilder:
        return RowBuilder(
            registry=self._registry,
            dialect=self._dialect,
            links=found.links(),
            held=found.components_by_place(),
            place_relations=self._context.rules.place_relations,
        )

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
        if appears_at is not None or is_to_come(entry):
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
