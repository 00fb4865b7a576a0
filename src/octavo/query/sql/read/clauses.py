"""Compile the clauses of a SELECT: joins, conditions and orders of a plan.

Filters through relations are `IN (sub-select)`, which never multiplies rows, so counts and pages are correct.
"""

from dataclasses import replace

from octavo.query.operators import Test
from octavo.query.plan.nodes import (
    ALWAYS,
    All,
    Any,
    Condition,
    Constant,
    Exists,
    Linked,
    Order,
    Selection,
    Step,
    Tested,
    Unused,
)
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.substring_indexes import SubstringIndex
from octavo.query.sql.physical_names import FILES_MORPHS, column_name
from octavo.query.sql.read.joins import Join, join_step
from octavo.query.sql.served_rows import served_rows
from octavo.schema.attributes import Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind


class ClauseCompiler:
    """Compiles the clauses of one statement. It numbers the aliases, so that they are unique."""

    keeps_parts = False
    """Whether the database has the tables of declared substring indexes."""

    def __init__(self, registry: Registry, dialect: Dialect) -> None:
        self.registry = registry
        self.dialect = dialect
        self.quote, self.literal = dialect.quote, dialect.literal
        self._aliases = 0
        self._joined = 0  # conditions that the planner can turn into joins of the current sub-select

    def alias(self) -> str:
        """Return the alias for another table of the statement."""
        self._aliases += 1
        return f"t{self._aliases}"

    def join(self, step: Step, alias: str) -> Join:
        """Return the join for a step, from the entry in the table `alias`."""
        join = join_step(step, alias, self.registry, self.dialect, self.alias)
        if step.scope is None:
            return join
        return replace(join, conditions=(*join.conditions, self.condition(step.scope, join.target)))

    def table(self, selection: Selection) -> str:
        return self.served(selection.target)

    def served(self, definition: Definition) -> str:
        """Return the FROM clause for the visible entries of a definition."""
        return served_rows(definition, self.registry, self.dialect)

    def where(self, condition: Condition, alias: str) -> str:
        return "" if condition == ALWAYS else f" WHERE {self._apart(condition, alias)}"

    def limit_value(self, selection: Selection) -> str | None:
        return self.dialect.parameter(selection.limit) if selection.limit else None

    def start_value(self, selection: Selection) -> str | None:
        return self.dialect.parameter(selection.start) if selection.start else None

    def limit(self, selection: Selection) -> str:
        return self.dialect.limit(self.limit_value(selection), self.start_value(selection))

    def order_by(self, selection: Selection, alias: str, *, link_order: tuple[str, ...] = ()) -> str:
        """Return the ORDER BY clause of `order_terms`."""
        return f" ORDER BY {', '.join(self.order_terms(selection, alias, link_order=link_order))}"

    def order_terms(self, selection: Selection, alias: str, *, link_order: tuple[str, ...] = ()) -> list[str]:
        """Return the terms of an order. Ties, and lists without order, are sorted in link order, then by id."""
        return [*(self.order(order, alias) for order in selection.order), *(link_order or (f"{alias}.id",))]

    def order(self, order: Order, alias: str) -> str:
        return f"{self.order_value(order, alias)}{' DESC' if order.descending else ''}"

    def order_value(self, order: Order, alias: str) -> str:
        """Return the expression that an entry is sorted by."""
        if order.guard is not None:
            return f"CASE WHEN {self.condition(order.guard, alias)} THEN {self._sorted(order, alias)} END"
        if not order.steps:
            return self._sorted(order, alias)
        join, tables, conditions = self._walk(order, alias)
        value = self._sorted(order, join)
        first = f"{value}{' DESC' if order.descending else ''}"
        return f"(SELECT {value} FROM {tables} WHERE {' AND '.join(conditions)} ORDER BY {first} LIMIT 1)"

    def _sorted(self, order: Order, alias: str) -> str:
        column = self.column(order.attribute, alias)
        return (
            column if order.attribute is None else self.dialect.sorted(SCALAR_TYPES[order.attribute.type].kind, column)
        )

    def _walk(self, order: Order, alias: str) -> tuple[str, str, list[str]]:
        tables, conditions, current = "", [], alias
        for step in order.steps:
            join = self.join(step, current)
            on = [f"{join.key} = {join.source}", *join.conditions]
            if not tables:
                tables, conditions = join.tables, on
            else:
                tables += f" LEFT JOIN {join.joinable} ON {' AND '.join(on)}"
            current = join.target
        return current, tables, conditions

    def column(self, attribute: Scalar | None, alias: str) -> str:
        return f"{alias}.id" if attribute is None else f"{alias}.{self.quote(column_name(attribute))}"

    # Conditions

    def condition(self, condition: Condition, alias: str) -> str:
        match condition:
            case Tested():
                return self._tested(condition, alias)
            case Exists() | Linked():
                return self._related(condition, alias)
            case Unused(negated=negated):
                links = f"SELECT 1 FROM {FILES_MORPHS} WHERE {FILES_MORPHS}.file_id = {alias}.id"
                return f"{'' if negated else 'NOT '}EXISTS ({links})"
            case All(items=items):
                return self._all_of(items, alias)
            case Any(items=items):
                return self._any_of(items, alias)
            case Constant(value=value):
                return "1 = 1" if value else "1 = 0"

    def _all_of(self, items: tuple[Condition, ...], alias: str) -> str:
        return f"({' AND '.join(self.condition(item, alias) for item in items)})" if items else "1 = 1"

    def _any_of(self, items: tuple[Condition, ...], alias: str) -> str:
        """Return a condition that planners do not turn into joins of the statement, only the parts of each item."""
        return f"({' OR '.join(self._apart(item, alias) for item in items)})" if items else "1 = 1"

    def _apart(self, condition: Condition, alias: str) -> str:
        joined, self._joined = self._joined, 0
        text = self.condition(condition, alias)
        self._joined = joined
        return text

    def _related(self, condition: Exists | Linked, alias: str) -> str:
        """Return a condition on related entries.

        For a planner that turns them into joins, their number is limited, at any depth, because its time grows at
        least with the cube of it. The others are looked up in a hash table of ids.
        """
        most, joined = self.dialect.most_joined_conditions, self._joined + 1
        is_apart = most is not None and joined > most
        self._joined = 0 if is_apart else joined
        text = self._exists(condition, alias) if isinstance(condition, Exists) else self._linked(condition, alias)
        if not is_apart:
            return text
        self._joined = joined
        return self.dialect.unjoined.format(text)

    def _tested(self, tested: Tested, alias: str) -> str:
        kind = SCALAR_TYPES[tested.attribute.type].kind if tested.attribute else ValueKind.INTEGER
        column = self.column(tested.attribute, alias)
        if tested.test is Test.NULL:
            return f"{column} IS {'NOT ' if tested.negated else ''}NULL"
        if (
            tested.test is Test.CONTAINS
            and tested.attribute is not None
            and tested.attribute.parts_index_of is not None
        ):
            text = self._contains(tested, tested.attribute, tested.attribute.parts_index_of, alias)
        else:
            text = self.dialect.test(tested.test, kind, column, tested.parameters, tested.ignores_case)
        return f"NOT ({text})" if tested.negated else text

    def _contains(self, tested: Tested, attribute: Scalar, table: str, alias: str) -> str:
        """Return the condition that a text contains a part, using the index that its content type declares."""
        part = self.dialect.parameter(tested.parameters[0])

        def contains(name: str) -> str:
            column = self.column(attribute, name)
            if tested.ignores_case:
                return self.dialect.contains_indexed(column, part)
            kind = SCALAR_TYPES[attribute.type].kind
            return self.dialect.test(tested.test, kind, column, tested.parameters, tested.ignores_case)

        if self.dialect.parts is None or not self.keeps_parts or tested.negated:
            return contains(alias)
        return self.dialect.parts.narrowed(SubstringIndex(table, column_name(attribute)), alias, part, contains)

    def _exists(self, exists: Exists, alias: str) -> str:
        join = self.join(exists.step, alias)
        conditions = [*join.conditions]
        if exists.condition != ALWAYS:
            conditions.append(self.condition(exists.condition, join.target))
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        condition = f"{join.source} IN (SELECT {join.key} FROM {join.tables}{where})"
        return f"({condition} OR {self._has_no_target(exists, alias)})" if exists.or_nothing else condition

    def _linked(self, linked: Linked, alias: str) -> str:
        join = self.join(linked.step, alias)
        conditions = [f"{join.key} = {self.dialect.parameter(linked.source)}", *join.conditions]
        targets = f"SELECT {join.target}.id FROM {join.tables} WHERE {' AND '.join(conditions)}"
        return f"{alias}.id {'NOT ' if linked.negated else ''}IN ({targets})"

    def _has_no_target(self, exists: Exists, alias: str) -> str:
        join = self.join(exists.step, alias)
        return f"NOT EXISTS (SELECT 1 FROM {join.tables}{correlated(join)})"


def correlated(join: Join) -> str:
    """Return the WHERE clause that correlates a join with its source entry."""
    return " WHERE " + " AND ".join([f"{join.key} = {join.source}", *join.conditions])
