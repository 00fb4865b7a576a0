"""Compile a RowsPlan to one SELECT whose only value is a JSON array of objects."""

import json
from typing import Final

from octavo.query.plan.nodes import Step
from octavo.query.plan.rows import Measure, RowColumn, RowsPlan
from octavo.query.sql.dialects.base import Dialect, OrderedRows
from octavo.query.sql.read.clauses import ClauseCompiler
from octavo.schema.registry import Registry

_FUNCTIONS: Final = {
    Measure.COUNT: "count",
    Measure.SUM: "sum",
    Measure.AVERAGE: "avg",
    Measure.LEAST: "min",
    Measure.GREATEST: "max",
}


def compile_rows(plan: RowsPlan, registry: Registry, dialect: Dialect, largest: int) -> str:
    """Return the statement. Its parameters are the plan's, by index. It fails for results over `largest` bytes."""
    return _RowsCompiler(registry, dialect).rows(plan, largest)


class _RowsCompiler(ClauseCompiler):
    def rows(self, plan: RowsPlan, largest: int) -> str:
        source, row = self.alias(), self.alias()
        parts: list[str] = []
        for place, column in enumerate(plan.columns):
            if column.name:
                key = f"{',' if parts else '{'}{json.dumps(column.name, ensure_ascii=False)}:"
                value = self.dialect.json_scalar(column.kind, f"{source}.c{place}")
                parts += [self.literal(key), value]
        shown = self.dialect.concat([*parts, "'}'"])
        rows = OrderedRows(shown, f"({self._table(plan)}) {source}", _order(plan), sorted=True)
        joined = self.dialect.join_ordered(rows, row)
        array = self.dialect.concat(["'['", f"coalesce({joined.text}, '')", "']'"])
        return self.dialect.answer(array, "", f"FROM {joined.tables}", largest)

    def _table(self, plan: RowsPlan) -> str:
        """Return the rows with their columns as stored."""
        alias = self.alias()
        ends: dict[tuple[Step, ...], str] = {(): alias}
        joins = "".join(self._joined_step(column.steps, ends) for column in plan.columns)
        values = [self._value(column, ends[column.steps]) for column in plan.columns]
        named = ", ".join(f"{value} AS c{place}" for place, value in enumerate(values))
        grouped = f" GROUP BY {', '.join(values[place] for place in plan.groups)}" if plan.groups else ""
        by = ", ".join(_order(plan))
        return (
            f"SELECT {'DISTINCT ' if plan.distinct else ''}{named} FROM {self.table(plan.selection)} {alias}{joins}"
            f"{self.where(plan.selection.condition, alias)}{grouped}"
            f"{f' ORDER BY {by}' if by else ''}{self.limit(plan.selection)}"
        )

    def _joined_step(self, steps: tuple[Step, ...], ends: dict[tuple[Step, ...], str]) -> str:
        """Return the joins of a path, without those that are already there."""
        text = ""
        for length in range(1, len(steps) + 1):
            if steps[:length] not in ends:
                join = self.join(steps[length - 1], ends[steps[: length - 1]])
                on = " AND ".join([f"{join.key} = {join.source}", *join.conditions])
                text += f" LEFT JOIN {join.joinable} ON {on}"
                ends[steps[:length]] = join.target
        return text

    def _value(self, column: RowColumn, alias: str) -> str:
        if column.whole:
            return "count(*)"
        value = self.column(column.attribute, alias)
        if column.measure is None:
            return value
        return f"{_FUNCTIONS[column.measure]}({'DISTINCT ' if column.distinct else ''}{value})"


def _order(plan: RowsPlan) -> list[str]:
    return [f"c{place}{' DESC' if descending else ''}" for place, descending in plan.order]
