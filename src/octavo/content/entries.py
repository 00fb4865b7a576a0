"""EntryWriter: creates, updates and deletes whole entries, each in one transaction.

Refuses with ValidationError (all problems at once) and ApplicationError.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, TypeVar

from octavo.content.body import BodyNode, BodyProblem, read_body, wanted_targets
from octavo.content.composing import Composer, store_at
from octavo.content.instants import this_moment
from octavo.content.locales import Locales
from octavo.content.passwords import HashedPassword, hash_password
from octavo.content.printing import type_message
from octavo.content.rules_scalars import Mode, is_unique
from octavo.content.state import State, ask
from octavo.content.storing import store
from octavo.content.trail import TOP, Trail
from octavo.content.validation import UNIQUE_MESSAGE, Validator
from octavo.database.connection import (
    Database,
    IdTaken,
    IntegrityViolation,
    Transaction,
    TransactionConflict,
    UniqueViolation,
    UnsuitableValue,
)
from octavo.database.sequences import continue_ids
from octavo.errors import ApplicationError, Problem, ServiceUnavailable, ValidationError
from octavo.plan.changes import Change, InsertRows
from octavo.plan.facts import ComponentsFact, EntryFact, Fact, LinksFact, TargetsFact, UniqueFact
from octavo.plan.write import OwnedRow, RowNode, plan_delete, plan_write
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry
from octavo.sql.change import ChangeCompiler
from octavo.sql.facts import scalar_of
from octavo.sql.storage import column_name, table_name

ATTEMPTS = 3
_MOST_ID = 2**31 - 1
ResultT = TypeVar("ResultT")


class EntryWriter:
    """Writes entries of every content-type."""

    def __init__(self, database: Database, registry: Registry, locales: Locales | None = None) -> None:
        self.database = database
        self.registry = registry
        self.locales = locales or Locales(database)
        self.compiler = ChangeCompiler(registry, database.dialect)

    @asynccontextmanager
    async def transaction(self, *, grouped: bool = False) -> AsyncIterator["EntryUnit"]:
        """Several writes, and reads between them, as one. A conflict with another transaction is not repeated.

        `grouped`: as for `Database.transaction`.
        """
        async with self.database.transaction(grouped=grouped) as connection:
            yield EntryUnit(self, connection)

    async def run(self, work: Callable[["EntryUnit"], Awaitable[ResultT]]) -> ResultT:
        """Run `work` in a transaction; once more from the beginning if another transaction stood in the way.

        So too if the ids that the database gives were behind those that are there: then they go on from those.
        """
        continued = False
        for attempt in range(1, ATTEMPTS + 1):
            try:
                async with self.transaction(grouped=attempt < ATTEMPTS) as unit:
                    return await work(unit)
            except TransactionConflict:
                if attempt == ATTEMPTS:
                    raise ServiceUnavailable from None
                await asyncio.sleep(0.01 * attempt)
            except IdTaken:
                if continued or attempt == ATTEMPTS:
                    raise
                continued = True
                await continue_ids(self.database, self.registry)
        raise AssertionError("the last attempt returns or raises")

    async def create(self, content_type: ContentType, data: Mapping[str, Any], **options: Any) -> int:
        """A new entry; its id. Options as for `EntryUnit.create`."""
        return await self.run(lambda unit: unit.create(content_type, data, **options))

    async def update(
        self, content_type: ContentType, entry_id: int, data: Mapping[str, Any], *, actor_id: int | None = None
    ) -> bool:
        """Change an entry; False when there is no such entry."""
        return await self.run(lambda unit: unit.update(content_type, entry_id, data, actor_id=actor_id))

    async def delete(self, content_type: ContentType, entry_id: int) -> bool:
        """Remove an entry; False when there is no such entry."""
        return await self.run(lambda unit: unit.delete(content_type, entry_id))


_UPDATING = Mode(creating=False, draft=False)
NO_DATES: Final[Mapping[str, Any]] = MappingProxyType({})


class EntryUnit:
    """Writes inside one transaction. `connection` may be used to read in between."""

    def __init__(self, writer: EntryWriter, connection: Transaction) -> None:
        self.connection = connection
        self._writer = writer
        self._registry = writer.registry
        self._dialect = writer.database.dialect

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
    ) -> int:
        """A new entry; its id.

        `locale` is that of a localized type, if the data names none; `actor_id` an administrator, the creator;
        `draft_default` leaves the entry a draft where the data does not tell; `strict` asks drafts for everything too;
        `dates` are a `createdAt` and `updatedAt` other than now.
        """
        _check_object(data)
        code = await self._locale(content_type, data.get("locale", locale)) if content_type.localized else None
        moment = this_moment()
        published = data.get("publishedAt", None if draft_default else moment)
        draft = content_type.draft_and_publish and published is None and not strict
        node, state = await self._check(content_type, data, Mode(creating=True, draft=draft))
        row = self._composer(state).row(node, None)
        times = {"createdAt": moment, "updatedAt": moment, **dates}
        self._stamp(row, {**times, "publishedAt": published, "locale": code})
        for name in ("createdBy", "updatedBy"):
            row.values[name] = actor_id
        await self._write(row, node, state, ())
        return int(row.ref)

    async def update(
        self,
        content_type: ContentType,
        entry_id: int,
        data: Mapping[str, Any],
        *,
        actor_id: int | None = None,
        dates: Mapping[str, Any] = NO_DATES,
    ) -> bool:
        """Change what the data names; False when there is no such entry. `actor_id`, `dates`: as for `create`."""
        if content_type.localized and isinstance(data, list):
            data = {}  # a list says nothing of a localized entry (observed)
        _check_object(data)
        if not 0 <= entry_id <= _MOST_ID:
            return False
        fact = EntryFact(content_type=content_type, id=entry_id)
        checked = await self._check_update(content_type, fact, data)
        if checked is None:
            return False
        node, state = checked
        composer = self._composer(state)
        row = composer.row(node, entry_id)
        automatic: dict[str, Any] = {"updatedAt": this_moment(), **dates}
        if "publishedAt" in data:
            automatic["publishedAt"] = data["publishedAt"]
        self._stamp(row, automatic)
        if actor_id is not None:
            row.values["updatedBy"] = actor_id
        await self._write(row, node, state, await self._owned(_dropped(row, composer)))
        return True

    async def delete(self, content_type: ContentType, entry_id: int) -> bool:
        """Remove an entry with its components and links; False when there is no such entry."""
        if not 0 <= entry_id <= _MOST_ID:
            return False
        fact = EntryFact(content_type=content_type, id=entry_id)
        facts: list[Fact] = [fact, *_components_facts(content_type, (entry_id,))]
        state = await ask(self.connection, self._registry, self._dialect, facts)
        if state.entry(fact) is None:
            return False
        direct = [(self._registry.components[str(row.type)], row.id) for _, row in state.components()]
        await self._execute(plan_delete(content_type, entry_id, self._registry, await self._owned(direct)))
        return True

    async def apply(self, changes: Iterable[Change]) -> None:
        """Changes that no entry's data speaks of."""
        await self._execute(changes)

    async def _locale(self, content_type: ContentType, given: Any) -> str:
        known = await self._writer.locales.known(self.connection)
        if given is None:
            return known.default
        if isinstance(given, list | dict):
            raise ValidationError.from_problems([Trail(("locale",)).problem(type_message("locale", "string", given))])
        if not isinstance(given, str) or given not in known.codes:
            raise ApplicationError("This locale doesn't exist")
        return given

    async def _check(self, content_type: ContentType, data: Mapping[str, Any], mode: Mode) -> tuple[BodyNode, State]:
        """The body read, and the state asked for. Raises ValidationError with every problem."""
        check = _Check(self._registry, self._dialect, content_type, data, mode, None)
        facts = check.facts()
        await self._lock(check.unique)
        state = await ask(self.connection, self._registry, self._dialect, facts)
        check.refuse(mode, state)
        await _hash_passwords(check.body)
        return check.body, state

    async def _check_update(
        self, content_type: ContentType, fact: EntryFact, data: Mapping[str, Any]
    ) -> tuple[BodyNode, State] | None:
        """As `_check`. Whether it is a draft is known with the rest of the state, so the problems come last."""
        check = _Check(self._registry, self._dialect, content_type, data, _UPDATING, fact.id)
        facts = check.facts()
        await self._lock(check.unique)
        state = await ask(self.connection, self._registry, self._dialect, [fact, *facts])
        found = state.entry(fact)
        if found is None:
            return None
        draft = content_type.draft_and_publish and not found.owner
        check.refuse(replace(_UPDATING, draft=draft), state)
        await _hash_passwords(check.body)
        return check.body, state

    async def _lock(self, unique: Mapping[UniqueFact, object]) -> None:
        """Hold the values until the end of the transaction: who comes second sees that they are taken."""
        for name in sorted({_lock_name(fact) for fact in unique}):
            await self.connection.lock(name)

    def _composer(self, state: State) -> Composer:
        held: dict[tuple[Definition, int, str], list[tuple[str, int]]] = {}
        for fact, row in state.components():
            held.setdefault((fact.owner, int(row.owner or 0), str(row.field)), []).append((str(row.type), row.id))
        return Composer(registry=self._registry, dialect=self._dialect, links=state.links(), held=held)

    def _stamp(self, row: RowNode, automatic: Mapping[str, Any]) -> None:
        for name, value in automatic.items():
            if name in row.definition.attributes:
                row.values[name] = store_at(row.definition, name, value, self._dialect)

    async def _owned(self, rows: Iterable[OwnedRow]) -> list[OwnedRow]:
        """Components, and all components inside them: a statement for each level that can have more."""
        found = list(rows)
        level = found
        while level:
            owners: dict[Definition, list[int]] = {}
            for definition, row_id in level:
                owners.setdefault(definition, []).append(row_id)
            facts = [fact for definition, ids in owners.items() for fact in _components_facts(definition, ids)]
            state = await ask(self.connection, self._registry, self._dialect, facts)
            level = [(self._registry.components[str(row.type)], row.id) for _, row in state.components()]
            found += level
        return found

    async def _write(self, row: RowNode, node: BodyNode, state: State, dropped: Iterable[OwnedRow]) -> None:
        try:
            await self._execute(plan_write(row, self._registry, state.links(), dropped))
        except IdTaken:
            raise
        except UniqueViolation as violation:
            raise ValidationError.from_problems([_unique_problem(node, violation)]) from None
        except IntegrityViolation:  # a target has been deleted since it was looked for
            raise ValidationError.from_problems([TOP.problem("Invalid relations")]) from None
        except UnsuitableValue as error:
            raise ValidationError(f"Invalid value: {error}") from None

    async def _execute(self, changes: Iterable[Change]) -> None:
        compiler = self._writer.compiler
        for change in changes:
            if isinstance(change, InsertRows):
                for statement, refs in compiler.insert(change):
                    ids = await self.connection.fetch_all(statement.text, statement.values)
                    for ref, new_id in zip(refs, sorted(int(found[0]) for found in ids), strict=True):
                        ref.id = new_id
            else:
                for statement in compiler.compile(change):
                    await self.connection.execute(statement.text, statement.values)


class _Check:
    """What has to be asked about one body, and what is wrong with it when the answers are there.

    `own` is the id of an entry that is there. `mode` is as strict as the one that will turn out to be right.
    """

    def __init__(
        self,
        registry: Registry,
        dialect: str,
        content_type: ContentType,
        data: Mapping[str, Any],
        mode: Mode,
        own: int | None,
    ) -> None:
        self._registry = registry
        self._dialect = dialect
        self._content_type = content_type
        self._data = data
        self._mode = mode
        self._own = own
        self._relation_problem: Problem | None = None
        outcome = Validator(registry, mode).entry(content_type, data)
        self._problems = outcome.problems
        self.body = BodyNode(definition=content_type, trail=TOP)
        try:
            self.body = read_body(registry, content_type, outcome.value)
        except BodyProblem as error:
            self._relation_problem = error.problem
            self.body = read_body(registry, content_type, _without_links(content_type, outcome.value))
        self._wanted = wanted_targets(registry, self.body)
        self.unique: dict[UniqueFact, list[Trail]] = {}
        for node in self.body.walk():
            self._note_unique(node)

    def _note_unique(self, node: BodyNode) -> None:
        for name, value in node.scalars.items():
            attribute = scalar_of(node.definition, name)
            if value is None or not is_unique(attribute):
                continue
            trail = node.trail.child(name)
            try:
                stored = store(attribute, value, trail, self._dialect)
            except (ValidationError, TypeError):
                continue  # refused for another reason
            if isinstance(stored, str | int | float) and "\0" not in str(stored):
                own = self._own if node is self.body else None
                fact = UniqueFact(definition=node.definition, attribute=name, value=stored, own_id=own)
                self.unique.setdefault(fact, []).append(trail)

    def facts(self) -> list[Fact]:
        """What has to be asked."""
        facts: list[Fact] = list(self.unique)
        for uid, targets in self._wanted.items():
            ids = tuple({int(one): None for one in targets if isinstance(one, int) and 0 < one <= _MOST_ID})
            if ids:
                facts.append(TargetsFact(definition=self._registry.content_types[uid], ids=ids))
        if self._own is not None:
            facts += _state_facts(self.body, self._own)
        return facts

    def refuse(self, mode: Mode, state: State) -> None:
        """Raise ValidationError if there is anything wrong."""
        taken = frozenset(
            trail.path
            for fact, trails in self.unique.items()
            for trail in (trails if state.is_taken(fact) else trails[1:])
        )
        problems = list(self._found(mode, taken))
        relation_problem = self._relation_problem or self._missing(state)
        if relation_problem is not None:
            problems.append(relation_problem)
        if problems:
            raise ValidationError.from_problems(problems)

    def _found(self, mode: Mode, taken: frozenset[tuple[str, ...]]) -> Sequence[Problem]:
        """The problems inside the body: another look is needed only where it could find something else."""
        if not taken and (mode == self._mode or not self._problems):
            return self._problems
        return Validator(self._registry, mode, taken).entry(self._content_type, self._data).problems

    def _missing(self, state: State) -> Problem | None:
        for uid, targets in self._wanted.items():
            if self._dialect == "postgresql" and any(isinstance(one, str) for one in targets):
                return TOP.problem("Invalid relations")
            existing = state.existing(self._registry.content_types[uid])
            missing = len(targets) - len(existing.intersection(targets))
            if missing:
                message = f"{missing} relation(s) of type {uid} associated with this entity do not exist"
                return TOP.problem(message)
        return None


def _check_object(data: Any) -> None:
    if not isinstance(data, Mapping):
        raise ValidationError.from_problems([TOP.problem(type_message("this", "object", None, data))])


def _lock_name(fact: UniqueFact) -> str:
    return f"{fact.definition.uid}.{fact.attribute}={fact.value}"


def _without_links(definition: Definition, value: Mapping[str, Any]) -> dict[str, Any]:
    """The scalars of a body whose relations cannot be read."""
    return {name: item for name, item in value.items() if isinstance(definition.attributes.get(name), Scalar)}


def _components_facts(definition: Definition, ids: Iterable[int]) -> list[Fact]:
    if not any(isinstance(item, ComponentField | DynamicZone) for item in definition.attributes.values()):
        return []
    return [ComponentsFact(owner=definition, ids=tuple(ids))]


def _state_facts(root: BodyNode, own: int) -> list[Fact]:
    """What the rows that exist hold now, of the attributes that change."""
    facts: list[Fact] = []
    for node in root.walk():
        row_id = own if node is root else node.given_id
        if isinstance(row_id, str) and row_id.isascii() and row_id.isdigit():
            row_id = int(row_id)
        if not isinstance(row_id, int) or isinstance(row_id, bool) or not 0 <= row_id <= _MOST_ID:
            continue
        if node.children:
            facts.append(ComponentsFact(owner=node.definition, ids=(row_id,), fields=tuple(node.children)))
        facts += [
            LinksFact(owner=node.definition, relation=name, source=row_id)
            for name in node.changes
            if _is_linked(node.definition.attributes[name])
        ]
    return list(dict.fromkeys(facts))


def _is_linked(attribute: AnyAttribute) -> bool:
    return isinstance(attribute, Relation) and not attribute.is_morph


def _dropped(root: RowNode, composer: Composer) -> list[OwnedRow]:
    """The components that rows held until now, in attributes that change, and hold no more."""
    kept = {(row.definition.uid, row.id) for row in root.walk()}
    changed = {(row.definition, row.id, name) for row in root.walk() for name in row.components}
    return [
        (composer.registry.components[uid], component)
        for place, held in composer.held.items()
        if place in changed
        for uid, component in held
        if (uid, component) not in kept and uid in composer.registry.components
    ]


def _unique_problem(node: BodyNode, violation: UniqueViolation) -> Problem:
    """The problem of a value that an index of the database has refused."""
    for inside in node.walk():
        for name, value in inside.scalars.items():
            column, table = column_name(scalar_of(inside.definition, name)), table_name(inside.definition)
            named = violation.index in (f"{table}_{column}_unique", f"{table}.{column}")
            if value is not None and named:
                return inside.trail.child(name).problem(UNIQUE_MESSAGE)
    return TOP.problem(UNIQUE_MESSAGE)


async def _hash_passwords(root: BodyNode) -> None:
    for node in root.walk():
        for name, value in node.scalars.items():
            is_plain = isinstance(value, str) and not isinstance(value, HashedPassword)
            if is_plain and scalar_of(node.definition, name).type == "password":
                node.scalars[name] = await hash_password(value)
