"""Facts to one SELECT: a branch for each, all with the same columns, so that a write asks the database once.

Columns: the number of the fact, id, owner id, type, field, order.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from octavo.plan.facts import ComponentsFact, EntryFact, Fact, LinksFact, TargetsFact, UniqueFact
from octavo.schema.attributes import Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.schema.values import SCALAR_TYPES, ValueKind
from octavo.sql.change_dialect import CHANGE_DIALECTS, MOST_VALUES, ChangeDialect, Statement
from octavo.sql.dialect import quote
from octavo.sql.storage import column_name, component_table, link_table, table_name

_NO_INTEGER, _NO_TEXT, _NO_NUMBER = (
    "CAST(NULL AS INTEGER)",
    "CAST(NULL AS VARCHAR(255))",
    "CAST(NULL AS DOUBLE PRECISION)",
)
MOST_BRANCHES = 400  # SQLite joins no more than 500 selects
_OTHER_VALUES = 1_000  # room for what a fact asks for besides ids
_MOST_IDS = MOST_VALUES // 2
_INTEGER, _TEXT = ValueKind.INTEGER, ValueKind.STRING


class _Branches:
    """The branches so far, and the values in them."""

    def __init__(self, registry: Registry, dialect: ChangeDialect) -> None:
        self.registry = registry
        self.dialect = dialect
        self.texts: list[str] = []
        self.values: list[Any] = []

    def have_room_for(self, fact: Fact) -> bool:
        """Whether a statement may carry this fact, too."""
        size = len(fact.ids) if isinstance(fact, TargetsFact | ComponentsFact) else 0
        return len(self.texts) < MOST_BRANCHES and len(self.values) + size < MOST_VALUES - _OTHER_VALUES

    def statement(self) -> Statement:
        """All of it."""
        return Statement(" UNION ALL ".join(self.texts), tuple(self.values))

    def value(self, kind: ValueKind, value: Any) -> str:
        """A placeholder for one more value."""
        self.values.append(self.dialect.bind(kind, value))
        return self.dialect.placeholder(len(self.values), kind)

    def ids(self, ids: Iterable[int]) -> str:
        return ", ".join(self.value(_INTEGER, one) for one in ids)

    def add(self, number: int, fact: Fact) -> None:
        match fact:
            case EntryFact():
                self._entry(number, fact)
            case TargetsFact():
                table = quote(table_name(fact.definition))
                rest = ", ".join((_NO_INTEGER, _NO_TEXT, _NO_TEXT, _NO_NUMBER))
                self.texts.append(f"SELECT {number}, id, {rest} FROM {table} WHERE id IN ({self.ids(fact.ids)})")
            case UniqueFact():
                self._unique(number, fact)
            case LinksFact():
                self._links(number, fact)
            case ComponentsFact():
                self._components(number, fact)

    def _entry(self, number: int, fact: EntryFact) -> None:
        published = "published_at IS NOT NULL" if fact.content_type.draft_and_publish else "1 = 1"
        locale = "locale" if fact.content_type.localized else _NO_TEXT
        self.texts.append(
            f"SELECT {number}, id, CASE WHEN {published} THEN 1 ELSE 0 END, {locale}, {_NO_TEXT}, {_NO_NUMBER}"
            f" FROM {quote(table_name(fact.content_type))} WHERE id = {self.value(_INTEGER, fact.id)}"
        )

    def _unique(self, number: int, fact: UniqueFact) -> None:
        attribute = scalar_of(fact.definition, fact.attribute)
        column = quote(column_name(attribute))
        condition = f"{column} = {self.value(SCALAR_TYPES[attribute.type].kind, fact.value)}"
        if fact.own_id is not None:
            condition += f" AND id <> {self.value(_INTEGER, fact.own_id)}"
        rest = ", ".join((_NO_INTEGER, _NO_TEXT, _NO_TEXT, _NO_NUMBER))
        self.texts.append(
            f"SELECT {number}, 1, {rest} WHERE EXISTS"
            f" (SELECT 1 FROM {quote(table_name(fact.definition))} WHERE {condition})"
        )

    def _links(self, number: int, fact: LinksFact) -> None:
        table = link_table(self.registry, fact.owner, fact.owner.relation(fact.relation))
        order = quote(table.order_column) if table.order_column else _NO_NUMBER
        self.texts.append(
            f"SELECT {number}, {quote(table.target_column)}, {_NO_INTEGER}, {_NO_TEXT}, {_NO_TEXT}, {order}"
            f" FROM {quote(table.name)} WHERE {quote(table.source_column)} = {self.value(_INTEGER, fact.source)}"
        )

    def _components(self, number: int, fact: ComponentsFact) -> None:
        table = component_table(fact.owner)
        condition = f"{table.entity_column} IN ({self.ids(fact.ids)})"
        if fact.fields is not None:
            condition += f" AND {table.field_column} IN ({', '.join(self.value(_TEXT, name) for name in fact.fields)})"
        self.texts.append(
            f"SELECT {number}, {table.component_column}, {table.entity_column}, {table.type_column},"
            f" {table.field_column}, {quote(table.order_column)} FROM {quote(table.name)} WHERE {condition}"
        )


def scalar_of(definition: Definition, name: str) -> Scalar:
    """The scalar attribute of that name."""
    attribute = definition.attributes[name]
    assert isinstance(attribute, Scalar), f"{definition.uid}.{name} is a scalar attribute"
    return attribute


def compile_facts(facts: Sequence[Fact], registry: Registry, dialect_name: str) -> list[Statement]:
    """The statements that answer facts: one, unless there are very many. Facts are numbered in the order given."""
    statements = []
    branches = _Branches(registry, CHANGE_DIALECTS[dialect_name])
    for number, fact in _pieces(facts):
        if branches.texts and not branches.have_room_for(fact):
            statements.append(branches.statement())
            branches = _Branches(registry, CHANGE_DIALECTS[dialect_name])
        branches.add(number, fact)
    return [*statements, branches.statement()] if branches.texts else statements


def _pieces(facts: Sequence[Fact]) -> Iterator[tuple[int, Fact]]:
    """The facts with their numbers; those about more rows than a statement may name in several parts."""
    for number, fact in enumerate(facts):
        if isinstance(fact, TargetsFact | ComponentsFact) and len(fact.ids) > _MOST_IDS:
            for at in range(0, len(fact.ids), _MOST_IDS):
                yield number, replace(fact, ids=fact.ids[at : at + _MOST_IDS])
        else:
            yield number, fact
