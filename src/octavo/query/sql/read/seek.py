"""What comes behind an entry, in the order of a list, at the same speed at any depth.

"Behind" is said in branches, one range of an index each: as the entry but a larger id; as the entry but larger in the
last key; and so on. Each gives its first page at most, in order; the page is the first of these together. One condition
with OR would say the same, and databases would walk all that is skipped.
"""

from collections.abc import Callable, Iterator

from octavo.core.values import dataclass
from octavo.query.plan.nodes import ALWAYS, Order, Parameter, Seek, Selection
from octavo.query.sql.read.clauses import ClauseCompiler
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind

Cut = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Key:
    """What decides at one place: its order, and what the entry has there (None: no value)."""

    order: Order
    value: Parameter | None


def ids_behind(compiler: ClauseCompiler, selection: Selection, seek: Seek, cut: Cut) -> str:
    """The ids of a page as `id`, in order; `cut` cuts a page out of ordered rows."""
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
    """The branches: how many keys are the same, and the condition on what comes then, `{}` for its value."""
    yield len(keys), ""
    for place in reversed(range(len(keys))):
        yield from ((place, condition) for condition in _behind(compiler, keys[place]))


def _behind(compiler: ClauseCompiler, key: _Key) -> Iterator[str]:
    """What is behind in one key alone: larger or smaller values; none, where these come last."""
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
