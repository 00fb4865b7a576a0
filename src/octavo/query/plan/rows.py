"""Plan table queries: values of entries and their related entries as rows, with grouping and aggregates. Names are
resolved and values bound; permissions are not checked.

Each step of a path is a left join: an entry with several related entries is in several rows, an entry without any is
in one row with nulls.
"""

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from typing import Final

from octavo.core.errors import ValidationError
from octavo.core.values import dataclass
from octavo.query.ast import And, At, Compare, Filter, Not, Or, Unknown
from octavo.query.plan.filters import plan_filter, plan_step
from octavo.query.plan.nodes import ParameterKind, Selection, Step
from octavo.query.plan.planning import Planning, Value
from octavo.schema.attributes import AnyAttribute, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.problems import did_you_mean
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import NUMBER_KINDS, SCALAR_TYPES, ValueKind

ID: Final = "id"
_NOT_ORDERED: Final = frozenset({ValueKind.JSON, ValueKind.BOOLEAN})
_INCOMPARABLE: Final = frozenset({ValueKind.JSON})


class Measure(Enum):
    """The aggregate functions."""

    COUNT = "count"
    SUM = "sum"
    AVERAGE = "avg"
    LEAST = "min"
    GREATEST = "max"


@dataclass(frozen=True, slots=True)
class RequestedColumn:
    """A requested column: its name in the result, and the path of its attribute (empty: whole rows, for counting)."""

    name: str
    path: tuple[str, ...] = ()
    measure: Measure | None = None
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class OrderedBy:
    """A column of the result by its name, or an attribute by its path."""

    name: str
    descending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsQuery:
    """The requested table. `groups` are the names of the columns to group by if there is an aggregate."""

    content_type: ContentType
    columns: tuple[RequestedColumn, ...]
    filters: Filter | None = None
    groups: frozenset[str] = frozenset()
    order: tuple[OrderedBy, ...] = ()
    distinct: bool = False
    limit: int | None = None
    start: int = 0


@dataclass(frozen=True, slots=True)
class RowColumn:
    """A column. One without a name is used for sorting only."""

    name: str
    kind: ValueKind
    attribute: Scalar | None = None
    steps: tuple[Step, ...] = ()
    measure: Measure | None = None
    distinct: bool = False
    whole: bool = False
    """Whether it refers to rows instead of one of their attributes."""


@dataclass(frozen=True, slots=True)
class RowsPlan:
    """The columns of a selection. `groups` and `order` are column indexes; `order` includes the direction."""

    selection: Selection
    columns: tuple[RowColumn, ...]
    groups: tuple[int, ...] = ()
    order: tuple[tuple[int, bool], ...] = ()
    distinct: bool = False

    @property
    def is_grouped(self) -> bool:
        """Return whether a row stands for a group of entries, or for all of them."""
        return any(column.measure for column in self.columns)


def plan_rows(query: RowsQuery, registry: Registry) -> tuple[RowsPlan, tuple[Value, ...]]:
    """Return the plan and its parameter values. Raises ValidationError for invalid names and values."""
    planning = Planning(registry)
    checked = check_filter(query.filters, query.content_type, registry)
    condition = plan_filter(checked, query.content_type, planning)
    steps = _Steps(planning)
    columns = [_column(wanted, query.content_type, steps) for wanted in query.columns]
    is_grouped = bool(query.groups) or any(column.measure for column in columns)
    loose = [column.name for column in columns if not (column.measure or column.name in query.groups)]
    if is_grouped and loose:
        raise ValidationError(f"{loose[0]} is neither aggregated nor in group_by")
    order = _order(query, columns, steps, is_grouped)
    limit = None if query.limit is None else planning.bind(ParameterKind.INTEGER, query.limit)
    start = planning.bind(ParameterKind.INTEGER, query.start) if query.start else None
    selection = Selection(target=query.content_type, condition=condition, limit=limit, start=start)
    groups = tuple(place for place, column in enumerate(columns) if column.name in query.groups)
    return RowsPlan(selection, tuple(columns), groups, order, query.distinct), tuple(planning.values)


class _Steps:
    """The steps of all paths. Paths share their common prefix."""

    def __init__(self, planning: Planning) -> None:
        self._planning = planning
        self._known: dict[tuple[str, ...], tuple[Step, ...]] = {(): ()}

    def resolve(self, path: tuple[str, ...], definition: Definition) -> tuple[tuple[Step, ...], Scalar | None]:
        """Return the steps of a path and the scalar at its end (None: the id). Raises ValidationError."""
        for place, name in enumerate(path[:-1]):
            attribute = attribute_of(definition, name)
            if attribute is None or isinstance(attribute, Scalar) or self._planning.registry.target(attribute) is None:
                raise ValidationError(
                    f"{'.'.join(path)}: {name} of {definition.uid} references several types of entries"
                )
            here = path[: place + 1]
            if here not in self._known:
                step = plan_step(definition, attribute, self._planning)
                self._known[here] = (*self._known[path[:place]], step)
            definition = self._known[here][-1].target
        scalar = attribute_of(definition, path[-1])
        if scalar is None:
            return self._known[path[:-1]], None
        if not isinstance(scalar, Scalar) or SCALAR_TYPES[scalar.type].secret:
            raise ValidationError(f"{'.'.join(path)} has no value that can be returned")
        return self._known[path[:-1]], scalar


def attribute_of(definition: Definition, name: str) -> AnyAttribute | None:
    """Return the attribute with that name, or None for the id. Raises ValidationError."""
    if name == ID:
        return None
    attribute = definition.attributes.get(name)
    if attribute is None:
        hint = did_you_mean(name, (ID, *definition.attributes), "see its definition")
        raise ValidationError(f"{definition.uid} has no attribute {name!r}; {hint}")
    return attribute


def _column(wanted: RequestedColumn, content_type: ContentType, steps: _Steps) -> RowColumn:
    if not wanted.path:
        return RowColumn(wanted.name, ValueKind.INTEGER, measure=Measure.COUNT, whole=True)
    path, scalar = steps.resolve(wanted.path, content_type)
    kind = SCALAR_TYPES[scalar.type].kind if scalar else ValueKind.INTEGER
    match wanted.measure:
        case Measure.COUNT:
            shown = ValueKind.INTEGER
        case Measure.SUM | Measure.AVERAGE if kind not in NUMBER_KINDS:
            raise ValidationError(f"{'.'.join(wanted.path)} is not a number and cannot be summed")
        case Measure.SUM if kind is ValueKind.BIG_INTEGER:
            shown = ValueKind.INTEGER
        case Measure.AVERAGE:
            shown = ValueKind.FLOAT
        case Measure.LEAST | Measure.GREATEST if kind in _NOT_ORDERED:
            raise ValidationError(f"{'.'.join(wanted.path)} cannot be ordered, so it has no minimum or maximum")
        case _:
            shown = kind
    return RowColumn(wanted.name, shown, scalar, path, wanted.measure, wanted.distinct)


def _order(query: RowsQuery, columns: list[RowColumn], steps: _Steps, is_grouped: bool) -> tuple[tuple[int, bool], ...]:
    """Return the order. Sort columns that are not in the result are appended. Ties are sorted by group, or by id."""
    order = []
    for one in query.order:
        place = next((place for place, column in enumerate(columns) if column.name == one.name), None)
        if place is None:
            if is_grouped or query.distinct:
                raise ValidationError(f"order by {one.name}: these rows can only be ordered by their own columns")
            place = len(columns)
            columns.append(_hidden(tuple(one.name.split(".")), query.content_type, steps))
        order.append((place, one.descending))
    if is_grouped or query.distinct:
        ordered = {place for place, _ in order}
        rest = [place for place, column in enumerate(columns) if place not in ordered and not column.measure]
        order += [(place, False) for place in rest if columns[place].kind not in _INCOMPARABLE]
    else:
        order.append((len(columns), False))
        columns.append(_hidden((ID,), query.content_type, steps))
    return tuple(order)


def _hidden(path: tuple[str, ...], content_type: ContentType, steps: _Steps) -> RowColumn:
    return replace(_column(RequestedColumn("", path), content_type, steps), name="")


def check_filter(asked: Filter | None, definition: Definition, registry: Registry) -> Filter | None:
    """Return the filter after checking its names and operators. Raises ValidationError for unknown ones."""
    if asked is not None:
        _check(asked, definition, registry)
    return asked


def _check(asked: Filter, definition: Definition, registry: Registry) -> None:
    match asked:
        case And(items=items) | Or(items=items):
            _check_all(items, definition, registry)
        case Not(item=item):
            _check(item, definition, registry)
        case Unknown(name=name):
            raise ValidationError(f"unknown operator {name}")
        case At(attribute=name, filter=inner):
            attribute = attribute_of(definition, name)
            if attribute is None or isinstance(attribute, Scalar):
                if attribute is not None and SCALAR_TYPES[attribute.type].secret:
                    raise ValidationError(f"{name} of {definition.uid} cannot be compared")
                _check_comparisons(inner, name)
                return
            target = registry.target(attribute)
            if target is None:
                raise ValidationError(f"{name} of {definition.uid} references several types of entries")
            _check(inner, target, registry)
        case Compare():
            pass


def _check_all(items: Iterable[Filter], definition: Definition, registry: Registry) -> None:
    for item in items:
        _check(item, definition, registry)


def _check_comparisons(asked: Filter, name: str) -> None:
    match asked:
        case And(items=items) | Or(items=items):
            for item in items:
                _check_comparisons(item, name)
        case Not(item=item):
            _check_comparisons(item, name)
        case Unknown(name=operator):
            raise ValidationError(f"unknown operator {operator} at {name}")
        case At(attribute=inside):
            raise ValidationError(f"{name} is a scalar and has no {inside!r}")
        case Compare():
            pass
