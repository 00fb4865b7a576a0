"""Compile a ReadPlan to one SELECT: first column the response's JSON text, second column (lists) the total."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from octavo.core.values import dataclass
from octavo.query.operators import PATTERN_TESTS, Test
from octavo.query.plan.nesting import Nesting, nesting
from octavo.query.plan.nodes import (
    ALWAYS,
    All,
    Any,
    Condition,
    CountShape,
    Exists,
    GuardShape,
    Linked,
    LiteralShape,
    ManyShape,
    ObjectShape,
    OneShape,
    Order,
    Parameter,
    ReadPlan,
    ScalarRun,
    Seek,
    Selection,
    Shape,
    Tested,
    VariantShape,
)
from octavo.query.sql.dialects.base import Dialect, OrderedRows
from octavo.query.sql.read.clauses import ClauseCompiler
from octavo.query.sql.read.json_shapes import ShapeCompiler, StatementTooLong
from octavo.query.sql.read.maintained_counts import maintained_count, part_of_page
from octavo.query.sql.read.substring_search import SubstringSearch, part_search
from octavo.schema.attributes import PUBLISHED_AT, Scalar
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind

Cut = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Key:
    """One sort key: its order, and the value of the entry before the page (None: null)."""

    order: Order
    value: Parameter | None


def ids_behind(compiler: ClauseCompiler, selection: Selection, seek: Seek, cut: Cut) -> str:
    """Return the SELECT of a page's ids as `id`, in order; `cut` applies the limit to ordered rows."""
    keys = tuple(map(_Key, selection.order, seek.keys))
    branches = [
        f"SELECT * FROM ({cut(_branch(compiler, selection, seek, keys, same, last))}) {compiler.alias()}"
        for same, last in _lasts(compiler, keys)
    ]
    terms = [f"k{number}{' DESC' if key.order.descending else ''}" for number, key in enumerate(keys)]
    limit = compiler.dialect.limit(compiler.limit_value(selection), None)
    together = f"SELECT * FROM ({' UNION ALL '.join(branches)}) {compiler.alias()}"
    return f"{together} ORDER BY {', '.join((*terms, 'id'))}{limit}"


def _lasts(compiler: ClauseCompiler, keys: tuple[_Key, ...]) -> Iterator[tuple[int, str]]:
    """Yield the branches: the number of equal keys, and the condition on the next key, with `{}` for its value."""
    yield len(keys), ""
    for place in reversed(range(len(keys))):
        yield from ((place, condition) for condition in _behind(compiler, keys[place]))


def _behind(compiler: ClauseCompiler, key: _Key) -> Iterator[str]:
    """Yield the conditions for values after a key's value, larger or smaller, and for nulls if they sort last."""
    nulls_last = compiler.dialect.nulls_are_largest is not key.order.descending
    has_nulls = key.order.attribute is not None or bool(key.order.steps)
    if key.value is not None:
        yield f"{{}} {'<' if key.order.descending else '>'} {_value(compiler, key.order, key.value)}"
        if nulls_last and has_nulls:
            yield "{} IS NULL"
    elif not nulls_last:
        yield "{} IS NOT NULL"


def _branch(
    compiler: ClauseCompiler, selection: Selection, seek: Seek, keys: tuple[_Key, ...], same: int, last: str
) -> str:
    alias = compiler.alias()
    values = [compiler.order_value(key.order, alias) for key in keys]
    conditions = [] if selection.condition == ALWAYS else [compiler.condition(selection.condition, alias)]
    for value, key in zip(values[:same], keys, strict=False):
        equal = "IS NULL" if key.value is None else f"= {_value(compiler, key.order, key.value)}"
        conditions.append(f"{value} {equal}")
    behind = last.format(values[same]) if last else f"{alias}.id > {compiler.dialect.parameter(seek.entry_id)}"
    columns = "".join(f", {value} AS k{number}" for number, value in enumerate(values))
    return (
        f"SELECT {alias}.id{columns} FROM {compiler.table(selection)} {alias}"
        f" WHERE {' AND '.join((*conditions, behind))}{compiler.order_by(selection, alias)}"
    )


def _value(compiler: ClauseCompiler, order: Order, parameter: Parameter) -> str:
    kind = SCALAR_TYPES[order.attribute.type].kind if order.attribute else ValueKind.INTEGER
    return compiler.dialect.key(kind, parameter.index + 1)


_MOST_STEPS: Final = 32
"""Maximum steps of a condition whose matches are materialized: SQLite rejects hundreds as too deeply nested."""


_NEAR: Final = 1000
"""Up to this offset, scanning entries is as fast as looking them up."""


def compile_read(
    plan: ReadPlan,
    registry: Registry,
    dialect: Dialect,
    largest: int,
    found: Nesting | None = None,
    most_text: int | None = None,
    *,
    keeps_totals: bool = False,
    keeps_parts: bool = False,
    make: "Callable[..., SelectCompiler] | None" = None,
) -> str:
    """Return the statement for a plan. Its parameters are the plan's, by index.

    A response has at most `largest` bytes: otherwise the statement fails, or the driver cancels it. `found`: the plan's
    nesting, if it is known. Raises StatementTooLong for a text of more than `most_text` bytes. `keeps_totals`: the
    database has maintained counts; `keeps_parts`: it has the tables of declared substring indexes. `make`: the class of
    the compiler, if not SelectCompiler, or a function with its parameters.
    """
    compiler = (make or SelectCompiler)(
        registry, dialect, largest, most_text, keeps_totals=keeps_totals, keeps_parts=keeps_parts
    )
    return compiler.read(plan, found)


def compile_total(
    plan: ReadPlan, registry: Registry, dialect: Dialect, *, keeps_totals: bool, keeps_parts: bool
) -> str | None:
    """Return the statement that counts all entries of a list, or None if page and total come from one statement."""
    compiler = SelectCompiler(registry, dialect, 0, keeps_totals=keeps_totals, keeps_parts=keeps_parts)
    return compiler.separate_total(plan)


def compile_written(plan: ReadPlan, registry: Registry, dialect: Dialect, largest: int, written: str) -> str | None:
    """Return the SELECT for the entry that is the only row of `written`, a table of a WITH clause.

    None if the shape contains more than the entry's own values, or if the plan might not select the entry.
    """
    condition = plan.selection.condition
    by_id = isinstance(condition, Tested) and condition.attribute is None and not condition.negated
    if plan.many or not by_id or has_nested_values(plan.shape):
        return None
    return SelectCompiler(registry, dialect, largest).read_written(plan, written)


def compile_entry(shape: Shape, registry: Registry, dialect: Dialect, alias: str) -> str:
    """Return the expression for the JSON of the entry in the row `alias`, as bytes. Its shape has no values."""
    return dialect.as_bytes(SelectCompiler(registry, dialect, 0).json(shape, alias))


class SelectCompiler(ShapeCompiler):
    """Compiles one whole statement."""

    def read(self, plan: ReadPlan, found: Nesting | None = None) -> str:
        """Return the statement of a plan: one row, or none if a single entry does not exist."""
        found = found or nesting(plan)
        if found.is_large:
            self._most = (found.lists + 1) * self._largest  # a byte counts once for each list that contains it
        text = self.read_list(plan) if plan.many else self.read_one(plan)
        if len(text) > self._most_text:
            raise StatementTooLong
        return text

    def read_one(self, plan: ReadPlan) -> str:
        """Return the SELECT of one row with the entry's JSON, or of none."""
        alias = self.alias()
        order = self.order_by(plan.selection, alias)
        where = self.where(plan.selection.condition, alias)
        source = f"FROM {self.table(plan.selection)} {alias}{where}{order} LIMIT 1"
        entry = self.entry_json(plan.selection.target, plan.shape, alias)
        return self.dialect.answer(entry, "", source, self._largest)

    def read_written(self, plan: ReadPlan, written: str) -> str:
        """Return the same as `read_one` for a row that has just been written."""
        alias = self.alias()
        entry = self.entry_json(plan.selection.target, plan.shape, alias)
        return self.dialect.answer(entry, "", f"FROM {written} {alias}", self._largest)

    def read_list(self, plan: ReadPlan) -> str:
        """Return the SELECT of one row: the JSON array of the page and, if requested, the total."""
        row = self.alias()
        searched = self._found_once(plan)
        chosen, rows, count = searched or ("", self._page(plan), self.count(plan) if plan.with_count else "")
        joined = self.dialect.join_ordered(rows, row)
        others, keys = f", ({count})" if count else "", self._listed(joined.keys) if plan.with_keys else ""
        return chosen + self.dialect.answer(
            self._listed(joined.text), others, f"FROM {joined.tables}", self._largest, keys
        )

    def _found_once(self, plan: ReadPlan) -> tuple[str, OrderedRows, str] | None:
        """Return the WITH clause, the page's rows and the total, if page and total are selected in one statement."""
        condition = plan.selection.condition
        if plan.with_keys or isinstance(plan.shape, LiteralShape) or _steps(condition) > _MOST_STEPS:
            return None
        finds_parts = self.dialect.finds_parts
        search = part_search(self, plan.selection) if finds_parts or self.keeps_parts else None
        if search is not None:
            return self._page_of_parts(plan, search)
        by_index = finds_parts and _has_parts_index(condition)
        return self._searched_page(plan) if by_index or (plan.with_count and _searches(condition)) else None

    def separate_total(self, plan: ReadPlan) -> str | None:
        """Return the total of a list as a separate statement, or None if page and total come from one statement."""
        return self.count(plan) if self._found_once(plan) is None else None

    def _listed(self, joined: str) -> str:
        """Return the joined JSON texts of all rows as an array."""
        return self.dialect.concat(["'['", f"coalesce({joined}, '')", "']'"])

    def count(self, plan: ReadPlan) -> str:
        """Return the SELECT that counts all matching entries."""
        selection = plan.selection
        if plan.most_counted is not None:
            alias = self.alias()
            where = self.where(selection.condition, alias)
            return self._total(plan, f"FROM {self.table(selection)} {alias}{where}")
        count = self._count_all(selection)
        return maintained_count(self, selection, count) if self.keeps_totals else count

    def _count_all(self, selection: Selection) -> str:
        opposite = _rare_opposite(selection.condition)
        if opposite is None or not (isinstance(opposite, Linked) or self.dialect.counts_tables_at_once):
            return self._count_each(selection)
        rest = self._count_each(replace(selection, condition=opposite))
        return f"SELECT (SELECT count(*) FROM {self.table(selection)}) - ({rest})"

    def _total(self, plan: ReadPlan, rows: str) -> str:
        """Return the SELECT that counts the rows, up to the requested maximum."""
        if plan.most_counted is None:
            return f"SELECT count(*) {rows}"
        most = self.dialect.limit(self.dialect.parameter(plan.most_counted), None)
        return f"SELECT count(*) FROM (SELECT 1 {rows}{most}) {self.alias()}"

    def _count_each(self, selection: Selection) -> str:
        alias = self.alias()
        return f"SELECT count(*) FROM {self.table(selection)} {alias}{self.where(selection.condition, alias)}"

    def _searched_page(self, plan: ReadPlan) -> tuple[str, OrderedRows, str]:
        """Return a WITH clause with all matching ids and their sort values, the page's rows, and the total. So the
        condition is evaluated once for each entry. A database that computes a WITH table for each use gets the matching
        entries without it, and does not sort more of them than a page needs."""
        selection, search, alias, page = plan.selection, self.alias(), self.alias(), self.alias()
        orders = [self.order_value(order, alias) for order in selection.order]
        columns = "".join(f", {value} AS k{number}" for number, value in enumerate(orders))
        matching = f"FROM {self.table(selection)} {alias}{self.where(selection.condition, alias)}"
        chosen, rows = "", f"SELECT {alias}.id{columns} {matching}"
        if self.dialect.keeps_tables:
            chosen, matching = f"WITH {search} {self.dialect.kept_table} ({rows}) ", f"FROM {search}"
            rows = f"SELECT * {matching}"
        return chosen, self._shown(plan, rows, page), self._total(plan, matching) if plan.with_count else ""

    def _page_of_parts(self, plan: ReadPlan, search: SubstringSearch) -> tuple[str, OrderedRows, str]:
        """Return the same for a page found by substring search, which may not need all hits; a total counts them
        all."""
        hits, page = search.found(), self.alias()
        rows = self._shown(plan, f"SELECT * FROM ({hits.rows}) {self.alias()}", page)
        if not plan.with_count:
            return f"WITH {hits.tables} ", rows, ""
        alias = self.alias()
        where = self.where(search.plain, alias)
        every = self._total(plan, f"FROM {self.table(plan.selection)} {alias}{where}")
        total = f"SELECT CASE WHEN {hits.is_filled} THEN ({every}) ELSE ({self._total(plan, f'FROM {hits.name}')}) END"
        return f"WITH {hits.tables} ", rows, total

    def _shown(self, plan: ReadPlan, found: str, page: str) -> OrderedRows:
        """Return the page's rows from a SELECT of ids and sort values."""
        selection = plan.selection
        terms = [f"k{number}{' DESC' if order.descending else ''}" for number, order in enumerate(selection.order)]
        ids = self._cut(f"{found} ORDER BY {', '.join((*terms, 'id'))}", selection)
        order, entry = [f"{page}.{term}" for term in (*terms, "id")], self.alias()
        return OrderedRows(
            self.entry_json(selection.target, plan.shape, entry),
            f"({ids}) {page} JOIN {self.table(selection)} {entry} ON {entry}.id = {page}.id",
            order,
            self.limit_value(selection),
        )

    def _page(self, plan: ReadPlan) -> OrderedRows:
        """Return the page's rows. With an offset, or an order and more than the entries' own values, the ids are paged
        first, so that JSON is built for the returned entries only."""
        selection, alias = plan.selection, self.alias()
        order, limit = self.order_terms(selection, alias), self.limit_value(selection)
        keys = self._keys(selection, alias) if plan.with_keys else ""
        pages_ids = self.dialect.pages_ids_first or (
            _sorts(selection) and (self.dialect.plans_by_limit or has_nested_values(plan.shape))
        )
        if selection.start is None and selection.seek is None and not (selection.limit and pages_ids):
            entry = self.entry_json(selection.target, plan.shape, alias)
            where = self.where(selection.condition, alias)
            return OrderedRows(entry, f"{self.table(selection)} {alias}{where}", order, limit, keys=keys)
        page, ids = self.alias(), self._ids(selection)
        entry = self.entry_json(selection.target, plan.shape, alias)
        tables = f"({ids}) {page}{self._looked_up(selection, alias, page)}"
        return OrderedRows(entry, tables, order, limit, keys=keys)

    def _looked_up(self, selection: Selection, alias: str, page: str) -> str:
        """Join the entries of a page of ids. With a large offset they are looked up one by one, instead of scanned."""
        table = self.table(selection)
        if selection.start is not None and (selection.reach is None or selection.reach > _NEAR):
            return self.dialect.join_each(table, alias, f"{page}.id")
        return f" JOIN {table} {alias} ON {alias}.id = {page}.id"

    def _ids(self, selection: Selection) -> str:
        """Return the SELECT of the ids of a page, in order."""
        if selection.seek is not None:
            return ids_behind(self, selection, selection.seek, lambda ordered: self._cut(ordered, selection))
        paged = self.alias()
        where, order = self.where(selection.condition, paged), self.order_by(selection, paged)
        ordered = f"SELECT {paged}.id FROM {self.table(selection)} {paged}"
        part = part_of_page(self, selection) if self.keeps_totals else None
        if part is None or selection.start is None:
            return self._cut(f"{ordered}{where}{order}", selection)
        behind = f"{where or ' WHERE 1 = 1'} AND {paged}.id >= (SELECT s.first FROM s)"
        rest = f"{self.dialect.parameter(selection.start)} - (SELECT s.before FROM s)"
        limit = self.dialect.limit(self.limit_value(selection), rest)
        ids = f"WITH s {self.dialect.kept_table} ({part}) {ordered}{behind}{order}{limit}"
        return f"SELECT * FROM ({ids}) {self.alias()}"

    def _keys(self, selection: Selection, alias: str) -> str:
        """Return the sort values of an entry, and its id."""
        return self.dialect.key_json([*(self.order_value(order, alias) for order in selection.order), f"{alias}.id"])

    def _cut(self, ordered: str, selection: Selection) -> str:
        """Return a page of ordered rows, with a constant limit if the planner needs one."""
        if self.dialect.plans_by_limit and selection.reach is not None:
            ordered = f"SELECT * FROM ({ordered} LIMIT {selection.reach}) {self.alias()}"
        return f"{ordered}{self.limit(selection)}"


def _sorts(selection: Selection) -> bool:
    """Return whether entries have to be sorted. Without an order they are read by id."""
    return any(order.attribute is not None or order.steps for order in selection.order)


def has_nested_values(shape: Shape) -> bool:
    """Return whether a shape contains more than an entry's own values."""
    match shape:
        case ObjectShape(members=members, optional=optional):
            pairs = [member for member in members if not isinstance(member, ScalarRun)]
            return any(has_nested_values(member) for _, member in (*pairs, *optional))
        case GuardShape() | OneShape() | ManyShape() | CountShape() | VariantShape():
            return True
        case _:
            return False


def _steps(condition: Condition) -> int:
    """Return how many relations and components a condition passes through."""
    match condition:
        case Exists(condition=inner):
            return 1 + _steps(inner)
        case All(items=items) | Any(items=items):
            return sum(map(_steps, items))
        case _:
            return 0


def _searches(condition: Condition) -> bool:
    """Return whether no index can find the entries that match: substring tests, and tests on related entries."""
    match condition:
        case Tested(test=test):
            return test in PATTERN_TESTS
        case Exists():
            return True
        case All(items=items) | Any(items=items):
            return any(_searches(item) for item in items)
        case _:
            return False


def _has_parts_index(condition: Condition) -> bool:
    """Return whether a substring index finds the entries that match a condition. Without this, the planner would scan
    in sort order for a small page, because it does not know how rare the substring is."""
    match condition:
        case Tested(attribute=Scalar(parts_index_of=str()), test=Test.CONTAINS, negated=False, ignores_case=True):
            return True
        case All(items=items):
            return any(map(_has_parts_index, items))
        case Any(items=items):
            return bool(items) and all(map(_has_parts_index, items))
        case _:
            return False


def _rare_opposite(condition: Condition) -> Condition | None:
    """Return the condition that is true exactly where a usually true condition is false: drafts for published entries,
    linked for not linked ones. None if that is not known."""
    match condition:
        case Tested(attribute=Scalar(name=name), test=Test.NULL, negated=True) if name == PUBLISHED_AT:
            return replace(condition, negated=False)
        case Linked(negated=True):
            return replace(condition, negated=False)
        case _:
            return None
