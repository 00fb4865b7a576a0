"""PreparedCreates: create entries whose bodies have a frequent shape that the regular path has found valid.

The rows for a shape are planned and compiled once, with slots for the values. After that only the values are checked.
Bodies that are not simple or not valid take the regular path.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from octavo.content.input.unique_values import unique_lock
from octavo.content.prepared.body_values import MOST_VALUES, BodyReaders
from octavo.content.prepared.plain_values import NotPlain
from octavo.content.prepared.runs import ResultRow, Runs, prepare_runs
from octavo.content.reader import CompiledRead
from octavo.content.validation.scalar_rules import Mode
from octavo.database.connection import StatementRefused, Transaction
from octavo.database.unit_of_work import UnexpectedState
from octavo.query.plan.changes import Slot
from octavo.query.plan.present_state import TargetsFact, UniqueFact
from octavo.query.plan.write import RowNode, plan_write
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import table_name
from octavo.query.sql.write.change import ChangeCompiler
from octavo.query.sql.write.present_state import compile_obstacles
from octavo.schema.attributes import CREATED_AT, CREATORS, LOCALE, PUBLISHED_AT, UPDATED_AT, Media, Relation, Scalar
from octavo.schema.content_types import FILE, ContentType, Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import ValueKind
from octavo.schema.shared_values import is_unique

_STAMPS: Final[Mapping[str, int]] = {
    CREATED_AT: 0,
    UPDATED_AT: 0,
    PUBLISHED_AT: 1,
    LOCALE: 2,
    **dict.fromkeys(CREATORS, 3),
}
"""The values before those of the body: the time, publication date, locale and creator."""
_FIRST: Final = 4

_OFTEN: Final = 3
"""The number of occurrences before a shape is prepared."""
_MOST_SHAPES: Final = 64

PreparedT = TypeVar("PreparedT")


class KnownShapes(Generic[PreparedT]):
    """An LRU cache. It also remembers shapes that cannot be prepared. With `prepares=False`, none are prepared."""

    def __init__(self, *, prepares: bool = True) -> None:
        self._often = _OFTEN if prepares else 0
        self._known: dict[Hashable, Any] = {}

    def find(self, shape: Hashable) -> PreparedT | None:
        """Return what is prepared for a shape, or None."""
        known = self._known.get(shape)
        if known is None or known.__class__ is int:
            return None
        self._known[shape] = self._known.pop(shape)
        return cast(PreparedT, known)

    def is_frequent(self, shape: Hashable) -> bool:
        """Count a shape; return whether to prepare it now."""
        count = self._known.pop(shape, 0)
        if count.__class__ is not int:
            self._known[shape] = count
            return False
        self.keep(shape, min(count + 1, _OFTEN))
        return bool(count + 1 == self._often)

    def keep(self, shape: Hashable, prepared: PreparedT | int | None) -> None:
        """Store what is prepared for a shape; None if it cannot be prepared."""
        self._known[shape] = prepared
        while len(self._known) > _MOST_SHAPES:
            del self._known[next(iter(self._known))]


class Stamps(NamedTuple):
    """The automatic values of a new entry; times in milliseconds since 1970."""

    moment: int
    published: int | None
    locale: str | None
    actor_id: int | None


class PreparedCreate(NamedTuple):
    """How to create entries of one shape. `locks` are prefixes of lock names and the positions of unique values.

    `commits`: whether one statement checks, writes and returns the response, without locks before it.
    """

    runs: Runs
    id_at: int
    locks: tuple[tuple[str, int], ...]
    commits: bool
    dialect: Dialect

    async def run(self, connection: Transaction, values: list[Any]) -> tuple[int, bytes | None]:
        """Create an entry; return its id, and the response if a statement returns it. Raises UnexpectedState."""
        if self.locks:
            await connection.lock_all(sorted({unique_lock(self.dialect, name, values[at]) for name, at in self.locks}))
        await self.runs.run(connection, values)
        answer = self.runs.answer
        return int(values[self.id_at]), None if answer is None else values[answer]


class PlainCreate(NamedTuple):
    """A simple body: its shape, its values, and the prepared create."""

    shape: Hashable
    values: list[Any]
    prepared: PreparedCreate | None


class PreparedCreates:
    """Caches the shapes of new entries of all types."""

    def __init__(
        self, registry: Registry, compiler: ChangeCompiler, *, strict: bool = False, prepares: bool = True
    ) -> None:
        self._registry = registry
        self._compiler = compiler
        self._dialect: Dialect = compiler.dialect
        self._readers = {
            draft: BodyReaders(registry, self._dialect, Mode(creating=True, draft=draft, strict=strict))
            for draft in (False, True)
        }
        self._known: KnownShapes[PreparedCreate] = KnownShapes(prepares=prepares)

    def find_create(
        self, content_type: ContentType, data: Any, stamps: Stamps, answer: CompiledRead | None, *, draft: bool
    ) -> PlainCreate | None:
        """Return a body if it is simple. `answer` is the read for the response, for statements that can return it."""
        if data.__class__ is not dict:
            return None
        values: list[Any] = [None, None, stamps.locale, stamps.actor_id]
        try:
            shown = None if answer is None or self._compiler.chains is None else answer.text
            shape = (content_type, draft, shown, self._readers[draft].read(content_type, data, values))
        except NotPlain:
            return None
        if len(values) > MOST_VALUES:
            return None
        values[0] = self._dialect.bind(ValueKind.DATETIME, stamps.moment)
        values[1] = None if stamps.published is None else values[0]
        return PlainCreate(shape, values, self._known.find(shape))

    async def run(self, connection: Transaction, plain: PlainCreate) -> tuple[int, bytes | None]:
        """Create an entry from a simple body with a prepared shape. See `PreparedCreate.run`."""
        try:
            return await cast(PreparedCreate, plain.prepared).run(connection, plain.values)
        except UnexpectedState as error:
            if isinstance(error.__cause__, StatementRefused):
                self._known.keep(plain.shape, None)
            raise

    async def learn(
        self,
        connection: Transaction,
        plain: PlainCreate,
        data: Mapping[str, Any],
        row: RowNode,
        answer: CompiledRead | None,
    ) -> None:
        """Record that a body was valid, and prepare its shape from the row if it is frequent."""
        if self._known.is_frequent(plain.shape):
            draft = bool(cast(tuple[Any, ...], plain.shape)[1])
            self._known.keep(plain.shape, await self._prepare(connection, row, data, draft, len(plain.values), answer))

    async def _prepare(
        self,
        connection: Transaction,
        row: RowNode,
        data: Mapping[str, Any],
        draft: bool,
        given: int,
        answer: CompiledRead | None,
    ) -> PreparedCreate | None:
        """Prepare a shape; None if values determine more than themselves."""
        slotting = _Slotting(self._registry, self._readers[draft])
        slotted = slotting.row(row, data, _STAMPS)
        if slotting.depends or slotting.next_at != given:
            return None
        unique = [UniqueFact(definition=of, attribute=name, value=slot) for of, name, slot in slotting.unique]
        check = None
        if slotting.targets or unique:
            check = compile_obstacles(slotting.targets, unique, self._registry, self._dialect)
        changes = plan_write([slotted], self._registry, {})
        answering = None
        if answer is not None:
            answering = ResultRow(slotted.ref, table_name(row.definition), answer.written)
        runs = await prepare_runs(connection, self._compiler, check, changes, given, answering)
        locks = tuple((f"{of.uid}.{name}", slot.at) for of, name, slot in slotting.unique)
        return PreparedCreate(runs, cast(Slot, slotted.ref.id).at, locks, runs.is_one and not locks, self._dialect)


class _Slotting:
    """Replaces the values in a body's rows by slots, in the order in which they are read."""

    def __init__(self, registry: Registry, readers: BodyReaders) -> None:
        self._registry = registry
        self._readers = readers
        self.next_at = _FIRST
        self.targets: list[TargetsFact] = []
        self.unique: list[tuple[Definition, str, Slot]] = []
        self.depends = False
        """Whether values determine more than parameters: if several rows link the same target or must be unique among
        each other, or if targets of one type are given both as numbers and as texts."""
        self._linking: set[tuple[Definition, str]] = set()
        self._forms: dict[Definition, type] = {}

    def row(self, row: RowNode, data: Mapping[str, Any], stamps: Mapping[str, int]) -> RowNode:
        """Return a copy of a row with slots instead of values."""
        definition = row.definition
        slotted = RowNode(definition=definition, values=dict(row.values))
        for name in self._readers.order(definition, data):
            attribute = definition.attributes[name]
            if isinstance(attribute, Scalar):
                slotted.values[name] = self._scalar(definition, attribute, data[name])
            elif isinstance(attribute, Relation):
                slotted.links[name] = self._links(row, attribute, data[name])
            elif isinstance(attribute, Media):
                files = self._registry.content_types[FILE]
                slotted.files[name] = self._targets(files, len(row.files[name]), data[name])
            else:
                slotted.components[name] = [
                    self.row(child, given, {})
                    for child, given in zip(row.components[name], _objects(data[name]), strict=True)
                ]
        for name in stamps.keys() & slotted.values.keys():
            slotted.values[name] = Slot(stamps[name])
        slotted.components = {name: slotted.components[name] for name in row.components}
        slotted.files = {name: slotted.files[name] for name in row.files}
        return slotted

    def _scalar(self, definition: Definition, attribute: Scalar, value: Any) -> Slot:
        slot = self._slot()
        if is_unique(attribute) and value is not None:
            self.depends |= any(of is definition and name == attribute.name for of, name, _ in self.unique)
            self.unique.append((definition, attribute.name, slot))
        return slot

    def _links(self, row: RowNode, relation: Relation, given: Any) -> Sequence[int]:
        place = (row.definition, relation.name)
        self.depends |= place in self._linking
        self._linking.add(place)
        target = self._registry.content_types[str(relation.target)]
        return self._targets(target, len(row.links[relation.name]), given)

    def _targets(self, definition: Definition, count: int, given: Any) -> Sequence[int]:
        ids = cast(Sequence[int], [self._slot() for _ in range(count)])
        for one in given if isinstance(given, list) else (given,) if count else ():
            self.depends |= self._forms.setdefault(definition, one.__class__) is not one.__class__
        if ids:
            self.targets.append(TargetsFact(definition=definition, ids=tuple(ids)))
        return ids

    def _slot(self) -> Slot:
        self.next_at += 1
        return Slot(self.next_at - 1)


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in an attribute's value."""
    yield from value if isinstance(value, list) else () if value is None else (value,)
