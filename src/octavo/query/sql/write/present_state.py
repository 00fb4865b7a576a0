"""Compile facts to one SELECT: a UNION branch for each, all with the same columns, so that a write needs one query.

Columns: the number of the fact, id, owner id, type, field, order.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from octavo.query.plan.present_state import (
    ComponentsFact,
    EntryFact,
    Fact,
    LinksFact,
    Rewritten,
    TargetsFact,
    UniqueFact,
)
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import column_name, component_table, link_table, table_name
from octavo.query.sql.served_rows import served_rows
from octavo.query.sql.statement import Statement
from octavo.schema.attributes import LOCALIZATIONS, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.field_places import ComponentPath, component_paths
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind
from octavo.schema.shared_values import shares_unique

_OTHER_VALUES = 1_000  # reserved for values of facts other than ids
_INTEGER, _TEXT = ValueKind.INTEGER, ValueKind.STRING


class _Branches:
    """The branches so far, and their values."""

    def __init__(self, registry: Registry, dialect: Dialect) -> None:
        self.registry = registry
        self.dialect = dialect
        self._quote, nulls = dialect.quote, dialect.nulls
        self._no_integer, self._no_text, self._no_number = nulls[_INTEGER], nulls[_TEXT], nulls[ValueKind.FLOAT]
        self._nothing = f"{self._no_integer}, {self._no_text}, {self._no_text}, {self._no_number}"
        self._most_branches = dialect.most_branches
        self._most_values = dialect.most_values - _OTHER_VALUES
        self.texts: list[str] = []
        self.values: list[Any] = []

    def _served(self, definition: Definition) -> str:
        return served_rows(definition, self.registry, self.dialect, "s")

    def have_room_for(self, fact: Fact) -> bool:
        """Return whether the statement has room for this fact."""
        size = len(fact.ids) if isinstance(fact, TargetsFact | ComponentsFact) else 0
        return len(self.texts) < self._most_branches and len(self.values) + size < self._most_values

    def statement(self) -> Statement:
        """Return the statement of all branches."""
        return Statement(" UNION ALL ".join(self.texts), tuple(self.values))

    def value(self, kind: ValueKind, value: Any) -> str:
        """Return a placeholder for one more value."""
        self.values.append(self.dialect.bind(kind, value))
        return self.dialect.placeholder(len(self.values), kind)

    def ids(self, ids: Iterable[int]) -> str:
        return ", ".join(self.value(_INTEGER, one) for one in ids)

    def add(self, number: int, fact: Fact) -> None:
        match fact:
            case EntryFact():
                self._entry(number, fact)
            case TargetsFact():
                table = self._served(fact.definition)
                self.texts.append(
                    f"SELECT {number}, id, {self._nothing} FROM {table} WHERE id IN ({self.ids(fact.ids)})"
                )
            case UniqueFact():
                self._unique(number, fact)
            case LinksFact():
                self._links(number, fact)
            case ComponentsFact():
                self._components(number, fact)

    def _entry(self, number: int, fact: EntryFact) -> None:
        published = "published_at IS NOT NULL" if fact.content_type.draft_and_publish else "1 = 1"
        later = ""
        if fact.content_type.draft_and_publish and fact.moment is not None:
            later = f" WHEN published_at > {self.value(ValueKind.DATETIME, fact.moment)} THEN 2"
        locale = "locale" if fact.content_type.localized else self._no_text
        self.texts.append(
            f"SELECT {number}, id, CASE{later} WHEN {published} THEN 1 ELSE 0 END, {locale},"
            f" {self._no_text}, {self._no_number} FROM {self._served(fact.content_type)}"
            f" WHERE id = {self.value(_INTEGER, fact.id)}"
        )

    def _unique(self, number: int, fact: UniqueFact) -> None:
        self.texts.append(f"SELECT {number}, 1, {self._nothing} WHERE {self.is_taken(fact)}")

    def is_taken(self, fact: UniqueFact) -> str:
        """Return the condition that a value is already used."""
        attribute = scalar_of(fact.definition, fact.attribute)
        column = self._quote(column_name(attribute))
        condition = f"{column} = {self.value(SCALAR_TYPES[attribute.type].kind, fact.value)}"
        if fact.own_id is not None:
            condition += f" AND id <> {self.value(_INTEGER, fact.own_id)}"
            if isinstance(fact.definition, ContentType) and shares_unique(fact.definition, attribute):
                condition += f" AND id NOT IN ({self._localizations(fact.definition, fact.own_id)})"
        if fact.rewritten is not None:
            condition += self._not_rewritten(fact.definition, fact.rewritten)
        return f"EXISTS (SELECT 1 FROM {self._quote(table_name(fact.definition))} WHERE {condition})"

    def _not_rewritten(self, component: Definition, rewritten: Rewritten) -> str:
        """Return the condition that excludes the entry's components that the update replaces."""
        paths = component_paths(self.registry, rewritten.content_type, component.uid, rewritten.fields)
        held = " UNION ALL ".join(self._component_ids(path, rewritten.entry_id) for path in paths)
        if not held:
            return ""
        kept = f" OR id IN ({self.ids(rewritten.kept)})" if rewritten.kept else ""
        return f" AND (id NOT IN ({held}){kept})"

    def _component_ids(self, path: ComponentPath, entry_id: int) -> str:
        """Return the SELECT of the ids of the components that an entry holds at the end of a path."""
        tables, conditions = [], []
        for number, (owner, field, uid) in enumerate(path):
            table, alias = component_table(owner), f"h{number}"
            source = f"h{number - 1}.component_id" if number else self.value(_INTEGER, entry_id)
            tables.append(f"{self._quote(table.name)} {alias}")
            conditions += [
                f"{alias}.{table.entity_column} = {source}",
                f"{alias}.{table.field_column} = {self.value(_TEXT, field)}",
                f"{alias}.{table.type_column} = {self.value(_TEXT, uid)}",
            ]
        return f"SELECT h{len(path) - 1}.component_id FROM {', '.join(tables)} WHERE {' AND '.join(conditions)}"

    def _localizations(self, content_type: ContentType, entry_id: int) -> str:
        """Return the SELECT of the ids of an entry's localizations."""
        table = link_table(self.registry, content_type, content_type.relation(LOCALIZATIONS))
        return (
            f"SELECT {self._quote(table.target_column)} FROM {self._quote(table.name)}"
            f" WHERE {self._quote(table.source_column)} = {self.value(_INTEGER, entry_id)}"
        )

    def are_missing(self, fact: TargetsFact) -> str:
        """Return the expression for how many of some entries do not exist."""
        table = self._served(fact.definition)
        return f"{len(fact.ids)} - (SELECT count(*) FROM {table} WHERE id IN ({self.ids(fact.ids)}))"

    def _links(self, number: int, fact: LinksFact) -> None:
        table = link_table(self.registry, fact.owner, fact.owner.relation(fact.relation))
        order = self._quote(table.order_column) if table.order_column else self._no_number
        self.texts.append(
            f"SELECT {number}, {self._quote(table.target_column)},"
            f" {self._no_integer}, {self._no_text}, {self._no_text}, {order} FROM {self._quote(table.name)}"
            f" WHERE {self._quote(table.source_column)} = {self.value(_INTEGER, fact.source)}"
        )

    def _components(self, number: int, fact: ComponentsFact) -> None:
        table = component_table(fact.owner)
        condition = f"{table.entity_column} IN ({self.ids(fact.ids)})"
        if fact.fields is not None:
            condition += f" AND {table.field_column} IN ({', '.join(self.value(_TEXT, name) for name in fact.fields)})"
        self.texts.append(
            f"SELECT {number}, {table.component_column}, {table.entity_column}, {table.type_column},"
            f" {table.field_column}, {self._quote(table.order_column)} FROM {self._quote(table.name)} WHERE {condition}"
        )


def scalar_of(definition: Definition, name: str) -> Scalar:
    """Return the scalar attribute with that name."""
    attribute = definition.attributes[name]
    assert isinstance(attribute, Scalar), f"{definition.uid}.{name} is a scalar attribute"
    return attribute


def compile_facts(facts: Sequence[Fact], registry: Registry, dialect: Dialect) -> list[Statement]:
    """Return the statements for facts: one, unless there are very many. Facts are numbered in the given order."""
    statements = []
    branches = _Branches(registry, dialect)
    for number, fact in _pieces(facts, dialect.most_values // 2):
        if branches.texts and not branches.have_room_for(fact):
            statements.append(branches.statement())
            branches = _Branches(registry, dialect)
        branches.add(number, fact)
    return [*statements, branches.statement()] if branches.texts else statements


def compile_obstacles(
    targets: Iterable[TargetsFact], unique: Iterable[UniqueFact], registry: Registry, dialect: Dialect
) -> Statement:
    """Return the statement for one number, named `id`: how many entries are missing plus how many values are taken."""
    branches = _Branches(registry, dialect)
    counted = [branches.are_missing(fact) for fact in targets]
    counted += [f"CASE WHEN {branches.is_taken(fact)} THEN 1 ELSE 0 END" for fact in unique]
    return Statement(f"SELECT {' + '.join(counted)} AS id", tuple(branches.values))


def _pieces(facts: Sequence[Fact], most_ids: int) -> Iterator[tuple[int, Fact]]:
    """Yield the facts with their numbers; those about very many rows are split into several."""
    for number, fact in enumerate(facts):
        if isinstance(fact, TargetsFact | ComponentsFact) and len(fact.ids) > most_ids:
            for at in range(0, len(fact.ids), most_ids):
                yield number, replace(fact, ids=fact.ids[at : at + most_ids])
        else:
            yield number, fact
