"""Prefetch: query all database state that a write needs in one statement."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from functools import partial
from typing import Protocol, TypeVar

from octavo.content.input.input_tree import InputNode
from octavo.core.values import dataclass
from octavo.database.connection import Row, Transaction
from octavo.database.unit_of_work import MOST_ROWS_HERE
from octavo.query.plan.present_state import ComponentsFact, EntryFact, Fact, FactRow, LinksFact, TargetsFact, UniqueFact
from octavo.query.plan.write import Held
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.write.present_state import compile_facts
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Relation
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import LARGEST_ID

WorkT = TypeVar("WorkT")


@dataclass(slots=True)
class Prefetched:
    """Facts and their query results."""

    registry: Registry
    answers: dict[Fact, list[FactRow]] = field(default_factory=dict)
    _existing: dict[Definition, set[int]] | None = None

    def entry(self, fact: EntryFact) -> FactRow | None:
        """Return the entry, if it exists: `owner` is whether it is published, `type` its locale."""
        rows = self.answers[fact]
        return rows[0] if rows else None

    def existing(self, definition: Definition) -> set[int]:
        """Return the ids of existing entries of a content type, among those queried."""
        if self._existing is None:
            self._existing = {}
            for fact, rows in self.answers.items():
                if isinstance(fact, TargetsFact):
                    self._existing.setdefault(fact.definition, set()).update(row.id for row in rows)
        return self._existing.get(definition, set())

    def is_taken(self, fact: UniqueFact) -> bool:
        """Return whether the value belongs to another row."""
        return bool(self.answers.get(fact))

    def links(self) -> dict[tuple[Definition, int, str], Held]:
        """Return all queried links, in order."""
        return {
            (fact.owner, fact.source, fact.relation): [(row.id, row.order) for row in sorted(rows, key=_place)]
            for fact, rows in self.answers.items()
            if isinstance(fact, LinksFact)
        }

    def components(self) -> Iterable[tuple[ComponentsFact, FactRow, str]]:
        """Yield all queried components, in order, with their UIDs, because a row's type can be a former name."""
        for fact, rows in self.answers.items():
            if isinstance(fact, ComponentsFact):
                for row in sorted(rows, key=_place):
                    yield fact, row, self.registry.component_held(fact.owner, str(row.field), str(row.type))

    def components_by_place(self) -> dict[tuple[Definition, int, str], list[tuple[str, int]]]:
        """Return UID and id of all queried components in order, by owner and attribute."""
        held: dict[tuple[Definition, int, str], list[tuple[str, int]]] = {}
        for fact, row, uid in self.components():
            held.setdefault((fact.owner, int(row.owner or 0), str(row.field)), []).append((uid, row.id))
        return held


def _place(row: FactRow) -> tuple[float, int]:
    return (row.order if row.order is not None else float("inf"), row.id)


class QueryContext(Protocol):
    """An object that runs queries in a transaction and computes outside of the event loop."""

    connection: Transaction

    async def compute(self, work: Callable[[], WorkT], count: int = 0) -> WorkT:
        """Run work on `count` rows."""


async def prefetch(asking: QueryContext, registry: Registry, dialect: Dialect, facts: Sequence[Fact]) -> Prefetched:
    """Query the facts; runs no statement without facts."""
    prefetched = Prefetched(registry, {fact: [] for fact in facts})
    if not facts:
        return prefetched
    named = sum(len(fact.ids) for fact in facts if isinstance(fact, TargetsFact | ComponentsFact))
    compiling = partial(compile_facts, facts, registry, dialect)
    for statement in await asking.compute(compiling, named):
        rows = await asking.connection.fetch_all(statement.text, statement.values)
        if len(rows) > MOST_ROWS_HERE:
            await asking.compute(partial(_sort_out, rows, facts, prefetched), len(rows))
        else:
            _sort_out(rows, facts, prefetched)
    return prefetched


def _sort_out(rows: Sequence[Row], facts: Sequence[Fact], found: Prefetched) -> None:
    for number, *rest in rows:
        found.answers[facts[number]].append(FactRow(*rest))


def state_facts(root: InputNode, own: int) -> list[Fact]:
    """Return the facts for the current state of the attributes that change."""
    facts: list[Fact] = []
    for node in root.walk():
        row_id = own if node is root else node.given_id
        if isinstance(row_id, str) and row_id.isascii() and row_id.isdigit():
            row_id = int(row_id)
        if not isinstance(row_id, int) or isinstance(row_id, bool) or not 0 <= row_id <= LARGEST_ID:
            continue
        if node.children:
            facts.append(ComponentsFact(owner=node.definition, ids=(row_id,), fields=tuple(node.children)))
        facts += [
            LinksFact(owner=node.definition, relation=name, source=row_id)
            for name in node.changes
            if _is_linked(node.definition.attributes[name])
        ]
    return list(dict.fromkeys(facts))


def components_facts(definition: Definition, ids: Iterable[int]) -> list[Fact]:
    """Return the facts for the components in rows; none if the definition has no components."""
    if not any(isinstance(item, ComponentField | DynamicZone) for item in definition.attributes.values()):
        return []
    return [ComponentsFact(owner=definition, ids=tuple(ids))]


def _is_linked(attribute: AnyAttribute) -> bool:
    return isinstance(attribute, Relation) and not attribute.is_morph
