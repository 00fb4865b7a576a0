"""State: what a write has to know about the database, asked in one statement and looked up here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from octavo.database.connection import Connection
from octavo.plan.facts import ComponentsFact, EntryFact, Fact, FactRow, LinksFact, TargetsFact, UniqueFact
from octavo.plan.write import Held
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.sql.facts import compile_facts


@dataclass(slots=True)
class State:
    """Facts and their answers."""

    answers: dict[Fact, list[FactRow]] = field(default_factory=dict)

    def entry(self, fact: EntryFact) -> FactRow | None:
        """The entry, if it is there: `owner` is 1 when it is published, `type` its locale."""
        rows = self.answers[fact]
        return rows[0] if rows else None

    def existing(self, definition: Definition) -> set[int]:
        """The entries of a type that were asked for and are there."""
        return {
            row.id
            for fact, rows in self.answers.items()
            if isinstance(fact, TargetsFact) and fact.definition is definition
            for row in rows
        }

    def is_taken(self, fact: UniqueFact) -> bool:
        """Whether the value belongs to another row."""
        return bool(self.answers.get(fact))

    def links(self) -> dict[tuple[Definition, int, str], Held]:
        """All links asked for, in order."""
        return {
            (fact.owner, fact.source, fact.relation): [(row.id, row.order) for row in sorted(rows, key=_place)]
            for fact, rows in self.answers.items()
            if isinstance(fact, LinksFact)
        }

    def components(self) -> Iterable[tuple[ComponentsFact, FactRow]]:
        """All components asked for, in order."""
        for fact, rows in self.answers.items():
            if isinstance(fact, ComponentsFact):
                for row in sorted(rows, key=_place):
                    yield fact, row


def _place(row: FactRow) -> tuple[float, int]:
    return (row.order if row.order is not None else float("inf"), row.id)


async def ask(connection: Connection, registry: Registry, dialect: str, facts: Sequence[Fact]) -> State:
    """Ask the database; without facts, nothing is asked."""
    state = State({fact: [] for fact in facts})
    if not facts:
        return state
    for statement in compile_facts(facts, registry, dialect):
        for number, *rest in await connection.fetch_all(statement.text, statement.values):
            state.answers[facts[number]].append(FactRow(*rest))
    return state
