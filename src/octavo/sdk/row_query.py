"""`app.query(uid)`: rows, counts and sums, without loading whole entries."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from octavo.content.controllers.content import ContentController
from octavo.content.input.column_values import plain
from octavo.content.reader import read_rows
from octavo.core.errors import ValidationError
from octavo.core.values import dataclass
from octavo.query.ast import And
from octavo.query.filters import read_filters
from octavo.query.plan.rows import Measure, OrderedBy, RequestedColumn, RowsQuery
from octavo.query.sorting import read_sort
from octavo.schema.content_types import ContentType


@dataclass(frozen=True, slots=True)
class Measured:
    """An aggregate, for `RowQuery.select`."""

    measure: Measure
    path: tuple[str, ...] = ()
    distinct: bool = False


class Count(Measured):
    """The number of rows. With an attribute, the number of rows with a value, or of `distinct` values."""

    __slots__ = ()

    def __init__(self, attribute: str | None = None, *, distinct: bool = False) -> None:
        if distinct and attribute is None:
            raise ValueError("distinct requires an attribute: Count('author.id', distinct=True)")
        super().__init__(Measure.COUNT, _path(attribute) if attribute else (), distinct)


class Sum(Measured):
    """The sum of an attribute, or None if there are no values."""

    __slots__ = ()

    def __init__(self, attribute: str) -> None:
        super().__init__(Measure.SUM, _path(attribute))


class Average(Measured):
    """The average of an attribute, or None if there are no values."""

    __slots__ = ()

    def __init__(self, attribute: str) -> None:
        super().__init__(Measure.AVERAGE, _path(attribute))


class Least(Measured):
    """The smallest value of an attribute, or None if there are no values."""

    __slots__ = ()

    def __init__(self, attribute: str) -> None:
        super().__init__(Measure.LEAST, _path(attribute))


class Greatest(Measured):
    """The largest value of an attribute, or None if there are no values."""

    __slots__ = ()

    def __init__(self, attribute: str) -> None:
        super().__init__(Measure.GREATEST, _path(attribute))


class RowQuery:
    """A query for rows of a content type, with drafts and all locales.

    `where`, `select`, `group_by`, `order_by`, `distinct`, `limit` and `offset` return a new query. `rows`, `first`,
    `value` and `count` run it, with one statement. They raise ValidationError for unknown attributes.
    """

    def __init__(
        self, controller: ContentController, content_type: ContentType, asked: RowsQuery | None = None
    ) -> None:
        self._controller = controller
        self._type = content_type
        self._asked = asked or RowsQuery(content_type=content_type, columns=())

    def where(self, filters: Mapping[str, Any]) -> "RowQuery":
        """Add filters, as a dictionary of REST filters. All filters must match."""
        read = read_filters(plain(filters))
        known = self._asked.filters
        return self._with(filters=read if known is None else And(items=(known, read)) if read else known)

    def select(self, *attributes: str, **measured: Measured) -> "RowQuery":
        """Add columns: attributes by path (`author.name`), and aggregates by column name (`n=Count()`).

        Raises ValidationError for a duplicate column, and TypeError for a value that is not an aggregate.
        """
        columns = [RequestedColumn(name, _path(name)) for name in attributes]
        return self._and_columns([*columns, *(_measured(name, item) for name, item in measured.items())])

    def group_by(self, *attributes: str) -> "RowQuery":
        """Return one row for each group of entries with the same values. The attributes become columns."""
        known = {column.name for column in self._asked.columns}
        columns = [RequestedColumn(name, _path(name)) for name in attributes if name not in known]
        return self._and_columns(columns, groups=self._asked.groups | set(attributes))

    def order_by(self, *order: str) -> "RowQuery":
        """Sort by columns or attributes: `pages`, `pages:desc`."""
        sorts = read_sort(list(order), ("order_by",))
        return self._with(order=tuple(OrderedBy(".".join(sort.names), sort.descending) for sort in sorts))

    def distinct(self) -> "RowQuery":
        """Remove duplicate rows."""
        return self._with(distinct=True)

    def limit(self, rows: int) -> "RowQuery":
        """Return at most this number of rows."""
        return self._with(limit=_amount(rows))

    def offset(self, rows: int) -> "RowQuery":
        """Skip this number of rows."""
        return self._with(start=_amount(rows))

    async def rows(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries by column, with the values of the REST API."""
        if not self._asked.columns:
            raise ValidationError("no columns are selected; call select(...)")
        return await read_rows(self._controller.writer.database, self._controller.registry, self._asked)

    async def first(self) -> dict[str, Any] | None:
        """Return the first row, or None."""
        rows = await self.limit(1).rows()
        return rows[0] if rows else None

    async def value(self) -> Any:
        """Return the first column of the first row, or None if there is no row."""
        row = await self.first()
        return None if row is None else next(iter(row.values()))

    async def count(self) -> int:
        """Return the number of entries that match `where`."""
        alone = RowsQuery(content_type=self._type, columns=(RequestedColumn("count"),), filters=self._asked.filters)
        return int(await RowQuery(self._controller, self._type, alone).value())

    def _and_columns(self, columns: list[RequestedColumn], **changes: Any) -> "RowQuery":
        together = (*self._asked.columns, *columns)
        names = [column.name for column in together]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValidationError(f"the column {twice} is selected twice")
        return self._with(columns=together, **changes)

    def _with(self, **changes: Any) -> "RowQuery":
        return RowQuery(self._controller, self._type, replace(self._asked, **changes))


def _path(attribute: str) -> tuple[str, ...]:
    return tuple(attribute.split("."))


def _measured(name: str, item: Any) -> RequestedColumn:
    if not isinstance(item, Measured):
        raise TypeError(f"{name}: expected Count, Sum, Average, Least or Greatest, not {item!r}")
    return RequestedColumn(name, item.path, item.measure, item.distinct)


def _amount(rows: Any) -> int:
    if not isinstance(rows, int) or isinstance(rows, bool) or rows < 0:
        raise ValidationError(f"{rows!r} is not a valid number of rows")
    return rows
