"""ReadPlan to SELECT: one statement whose first column is the answer's JSON text, its second (lists) the total.

Each populated child is a correlated sub-select of its parent: the tree of the plan is the tree of the statement.
Filters through relations are `IN (sub-select)`, so counts and pages are right by construction.
"""

import json
from collections.abc import Iterator
from dataclasses import replace

from octavo.plan.nesting import nesting
from octavo.plan.nodes import (
    ALWAYS,
    All,
    Any,
    Condition,
    Constant,
    CountShape,
    LiteralShape,
    ManyShape,
    ObjectShape,
    OneShape,
    Order,
    Reached,
    ReadPlan,
    ScalarShape,
    ScalarStyle,
    Selection,
    Shape,
    Step,
    Tested,
    VariantShape,
)
from octavo.plan.scopes import published
from octavo.query.ast import PublicationState
from octavo.query.operators import Test
from octavo.schema.attributes import DynamicZone, Scalar
from octavo.schema.registry import Registry
from octavo.schema.values import SCALAR_TYPES, ValueKind
from octavo.sql.dialect import Dialect, literal, quote
from octavo.sql.steps import Join, join_step
from octavo.sql.storage import column_name, component_table, morph_table, table_name


def compile_read(plan: ReadPlan, registry: Registry, dialect: Dialect, largest: int) -> str:
    """The text of the statement that answers a plan; its parameters are the plan's, by index.

    No answer is larger than `largest` bytes: the statement fails, or the driver ends it.
    """
    return SelectCompiler(registry, dialect, largest).read(plan)


Members = tuple[tuple[str, Shape], ...]


class _JsonText(str):
    """A constant piece of the answer's JSON, among SQL expressions."""

    __slots__ = ()


class SelectCompiler:
    """Compiles one statement. Aliases are numbered through it, so no two tables share one."""

    def __init__(self, registry: Registry, dialect: Dialect, largest: int) -> None:
        self.registry = registry
        self.dialect = dialect
        self._largest = largest
        self._most: int | None = None  # bytes of all lists together, where they are counted
        self._aliases = 0

    def alias(self) -> str:
        self._aliases += 1
        return f"t{self._aliases}"

    # Whole statements

    def read(self, plan: ReadPlan) -> str:
        """One row, or for an entry that is not there none."""
        found = nesting(plan)
        if found.is_large:
            self._most = (found.lists + 1) * self._largest  # a byte is counted once for each list around it
        return self.read_list(plan) if plan.many else self.read_one(plan)

    def read_one(self, plan: ReadPlan) -> str:
        """One row with the entry's JSON, or none."""
        alias = self.alias()
        order = self.order_by(plan.selection, alias)
        where = self.where(plan.selection.condition, alias)
        found = f"FROM {self.table(plan.selection)} {alias}{where}{order} LIMIT 1"
        return self.dialect.answer(self.json(plan.shape, alias), "", found, self._largest)

    def read_list(self, plan: ReadPlan) -> str:
        """One row: the JSON array of the page, and the total if it is wanted."""
        row = self.alias()
        rows = self._page(plan)
        joined = f"coalesce({self.dialect.join_rows(f'{row}.json')}, '')"
        array = self.dialect.concat(["'['", joined, "']'"])
        total = f", ({self.count(plan.selection)})" if plan.with_count else ""
        return self.dialect.answer(array, total, f"FROM ({rows}) {row}", self._largest)

    def count(self, selection: Selection) -> str:
        """How many entries there are, on all pages."""
        condition, live = selection.condition, published(selection.target, PublicationState.LIVE)
        if self.dialect.counts_tables_at_once and condition == live and isinstance(live, Tested):
            drafts = replace(selection, condition=replace(live, negated=False))
            return f"SELECT (SELECT count(*) FROM {self.table(selection)}) - ({self._count_each(drafts)})"
        return self._count_each(selection)

    def _count_each(self, selection: Selection) -> str:
        alias = self.alias()
        return f"SELECT count(*) FROM {self.table(selection)} {alias}{self.where(selection.condition, alias)}"

    def _page(self, plan: ReadPlan) -> str:
        """The page's rows. Past the first page the ids are paged first: skipped entries cost no JSON."""
        selection, alias = plan.selection, self.alias()
        order, limit = self.order_by(selection, alias), self.limit(selection)
        if selection.start is None:
            entry, where = self.json(plan.shape, alias), self.where(selection.condition, alias)
            return f"SELECT {entry} AS json FROM {self.table(selection)} {alias}{where}{order}{limit}"
        paged, page = self.alias(), self.alias()
        ids = (
            f"SELECT {paged}.id FROM {self.table(selection)} {paged}"
            f"{self.where(selection.condition, paged)}{self.order_by(selection, paged)}{limit}"
        )
        return (
            f"SELECT {self.json(plan.shape, alias)} AS json FROM ({ids}) {page}"
            f" JOIN {self.table(selection)} {alias} ON {alias}.id = {page}.id{order}"
            f"{self.dialect.limit(self.limit_value(selection), None)}"
        )

    # Clauses

    def join(self, step: Step, alias: str) -> Join:
        """The tables of a step, from the entry in the table with alias `alias`."""
        join = join_step(step, alias, self.registry, self.alias)
        visible = published(step.target, PublicationState.LIVE) if step.published_only else ALWAYS
        if visible == ALWAYS:
            return join
        return replace(join, conditions=(*join.conditions, self.condition(visible, join.target)))

    def table(self, selection: Selection) -> str:
        return quote(table_name(selection.target))

    def where(self, condition: Condition, alias: str) -> str:
        return "" if condition == ALWAYS else f" WHERE {self.condition(condition, alias)}"

    def limit_value(self, selection: Selection) -> str | None:
        return self.dialect.parameter(selection.limit) if selection.limit else None

    def limit(self, selection: Selection) -> str:
        start = self.dialect.parameter(selection.start) if selection.start else None
        return self.dialect.limit(self.limit_value(selection), start)

    def order_by(self, selection: Selection, alias: str, *, link_order: tuple[str, ...] = ()) -> str:
        """The order asked for; ties, and lists without order, come in the order of the link, then by id."""
        terms = [self.order(order, alias) for order in selection.order]
        return " ORDER BY " + ", ".join((*terms, *(link_order or (f"{alias}.id",))))

    def order(self, order: Order, alias: str) -> str:
        direction = " DESC" if order.descending else ""
        return f"{self._order_value(order, alias, direction)}{direction}"

    def _order_value(self, order: Order, alias: str, direction: str) -> str:
        if not order.steps:
            return self.column(order.attribute, alias)
        join, tables, conditions = self._walk(order, alias)
        value = self.column(order.attribute, join)
        return f"(SELECT {value} FROM {tables} WHERE {' AND '.join(conditions)} ORDER BY {value}{direction} LIMIT 1)"

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
        return f"{alias}.id" if attribute is None else f"{alias}.{quote(column_name(attribute))}"

    # Conditions

    def condition(self, condition: Condition, alias: str) -> str:
        match condition:
            case Tested():
                return self._tested(condition, alias)
            case Reached():
                return self._reached(condition, alias)
            case All(items=items):
                return self._joined(items, " AND ", alias)
            case Any(items=items):
                return self._joined(items, " OR ", alias)
            case Constant(value=value):
                return "1 = 1" if value else "1 = 0"

    def _joined(self, items: tuple[Condition, ...], word: str, alias: str) -> str:
        if not items:
            return "1 = 1"
        return "(" + word.join(self.condition(item, alias) for item in items) + ")"

    def _tested(self, tested: Tested, alias: str) -> str:
        kind = SCALAR_TYPES[tested.attribute.type].kind if tested.attribute else ValueKind.INTEGER
        column = self.column(tested.attribute, alias)
        if tested.test is Test.NULL:
            return f"{column} IS {'NOT ' if tested.negated else ''}NULL"
        text = self.dialect.test(tested.test, kind, column, tested.parameters, tested.ignores_case)
        return f"NOT ({text})" if tested.negated else text

    def _reached(self, reached: Reached, alias: str) -> str:
        join = self.join(reached.step, alias)
        conditions = [*join.conditions]
        if reached.condition != ALWAYS:
            conditions.append(self.condition(reached.condition, join.target))
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        found = f"{join.source} IN (SELECT {join.key} FROM {join.tables}{where})"
        return f"({found} OR {self._leads_nowhere(reached, alias)})" if reached.or_nothing else found

    def _leads_nowhere(self, reached: Reached, alias: str) -> str:
        join = self.join(reached.step, alias)
        return f"NOT EXISTS (SELECT 1 FROM {join.tables}{_correlated(join)})"

    # Shapes

    def json(self, shape: Shape, alias: str) -> str:
        """JSON text of a shape for the entry in `alias`."""
        return self.dialect.concat(list(_merged(self.parts(shape, alias))))

    def parts(self, shape: Shape, alias: str) -> Iterator[str]:
        match shape:
            case LiteralShape(json=text):
                yield _JsonText(text)
            case ObjectShape(members=members, optional=optional):
                yield from self._object(members, optional, alias)
            case ScalarShape():
                yield self._scalar(shape, alias)
            case OneShape():
                yield self._one(shape, alias)
            case ManyShape():
                yield self._many(shape, alias)
            case CountShape():
                yield self._counted(shape, alias)
            case VariantShape():
                yield self._variants(shape, alias)

    def _object(self, members: Members, optional: Members, alias: str) -> Iterator[str]:
        yield _JsonText("{")
        for position, (key, member) in enumerate(members):
            yield _JsonText(f"{',' if position else ''}{_key(key)}")
            yield from self.parts(member, alias)
        if optional:
            present = self.dialect.concat([self._optional(key, member, alias) for key, member in optional])
            yield present if members else f"substr({present}, 2)"
        yield _JsonText("}")

    def _optional(self, key: str, member: Shape, alias: str) -> str:
        """`,"key":value`, or NULL where there is nothing to show."""
        return f"{literal(',' + _key(key))} || {self.json(member, alias)}"

    def _scalar(self, shape: ScalarShape, alias: str) -> str:
        attribute, column = shape.attribute, self.column(shape.attribute, alias)
        if shape.style is ScalarStyle.TEXT:
            return self.dialect.json_quoted(column)
        if attribute is None:
            return column
        kind = SCALAR_TYPES[attribute.type].kind
        write = self.dialect.json_typed if shape.style is ScalarStyle.TYPED else self.dialect.json_scalar
        if not shape.renamed:
            return write(kind, column)
        cases = " ".join(f"WHEN {literal(old)} THEN {literal(json.dumps(new))}" for old, new in shape.renamed)
        return f"CASE {column} {cases} ELSE {write(kind, column)} END"

    def _one(self, shape: OneShape, alias: str) -> str:
        join, clauses = self._sub_select(shape.step, shape.selection, alias, single=True)
        return f"coalesce((SELECT {self.json(shape.shape, join.target)} FROM {clauses} LIMIT 1), 'null')"

    def _many(self, shape: ManyShape, alias: str) -> str:
        join, clauses = self._sub_select(shape.step, shape.selection, alias)
        limit = self.limit(shape.selection)
        return self._array(f"SELECT {self.json(shape.shape, join.target)} AS json FROM {clauses}{limit}", shape.empty)

    def _array(self, rows: str, empty: str) -> str:
        row = self.alias()
        joined = self.dialect.join_rows(f"{row}.json")
        if self._most is not None:
            joined = self.dialect.measured(joined, self._most)
        found = f"SELECT {joined} FROM ({rows}) {row}"
        if not empty:
            return f"(SELECT '[' || {joined} || ']' FROM ({rows}) {row})"
        if empty == "[]":
            return self.dialect.concat(["'['", f"({found})", "']'"])
        wrapped = f"SELECT '[' || {joined} || ']' FROM ({rows}) {row}"
        return f"coalesce(({wrapped}), {literal(empty)})"

    def _sub_select(self, step: Step, selection: Selection, alias: str, *, single: bool = False) -> tuple[Join, str]:
        """Where a step's entries come from, and in which order: of a single one the first link counts."""
        join = self.join(step, alias)
        where = _correlated(join)
        if selection.condition != ALWAYS:
            where += f" AND {self.condition(selection.condition, join.target)}"
        link_order = join.link_order[-1:] if single else join.link_order
        return join, f"{join.tables}{where}{self.order_by(selection, join.target, link_order=link_order)}"

    def _counted(self, shape: CountShape, alias: str) -> str:
        join = self.join(shape.step, alias)
        where = _correlated(join)
        if shape.selection.condition != ALWAYS:
            where += f" AND {self.condition(shape.selection.condition, join.target)}"
        return f"(SELECT count(*) FROM {join.tables}{where})"

    def _variants(self, shape: VariantShape, alias: str) -> str:
        if not shape.branches:
            return literal(shape.empty) if shape.empty else "NULL"
        if not shape.many:
            return self._variant_of(shape, f"{alias}.target_type", f"{alias}.target_id", "'null'")
        row, kinds = self.alias(), ", ".join(literal(branch.target.uid) for branch in shape.branches)
        if isinstance(shape.attribute, DynamicZone):
            linking = component_table(shape.owner)
            name, key, type_column, id_column = linking.name, "entity_id", "component_type", "component_id"
            conditions = [f"{row}.field = {literal(shape.attribute.name)}"]
        else:
            morph = morph_table(shape.owner, shape.attribute.name)
            name, key, type_column, id_column = morph.name, morph.owner_column, morph.type_column, morph.id_column
            conditions = []
        variant = self._variant_of(shape, f"{row}.{quote(type_column)}", f"{row}.{quote(id_column)}", "")
        where = " AND ".join(
            [f"{row}.{quote(key)} = {alias}.id", f"{row}.{quote(type_column)} IN ({kinds})", *conditions]
        )
        rows = f'SELECT {variant} AS json FROM {quote(name)} {row} WHERE {where} ORDER BY {row}."order", {row}.id'
        return self._array(rows, shape.empty)

    def _variant_of(self, shape: VariantShape, kind: str, target_id: str, missing: str) -> str:
        cases = []
        for branch in shape.branches:
            alias = self.alias()
            condition = "" if branch.condition == ALWAYS else f" AND {self.condition(branch.condition, alias)}"
            found = (
                f"SELECT {self.json(branch.shape, alias)} FROM {quote(table_name(branch.target))} {alias}"
                f" WHERE {alias}.id = {target_id}{condition}"
            )
            cases.append(f"WHEN {literal(branch.target.uid)} THEN ({found})")
        variant = f"CASE {kind} {' '.join(cases)} END"
        return f"coalesce({variant}, {missing})" if missing else variant


def _key(name: str) -> str:
    return f"{json.dumps(name, ensure_ascii=False)}:"


def _correlated(join: Join) -> str:
    return " WHERE " + " AND ".join([f"{join.key} = {join.source}", *join.conditions])


def _merged(parts: Iterator[str]) -> Iterator[str]:
    """SQL expressions of the parts; neighbouring constants become one."""
    constant = ""
    for part in parts:
        if isinstance(part, _JsonText):
            constant += part
            continue
        if constant:
            yield literal(constant)
            constant = ""
        yield part
    if constant:
        yield literal(constant)
