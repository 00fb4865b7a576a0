"""Read the total of a list from maintained counts: all entries, or those of some locales and one publication state.

Lists with any other condition are counted.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from octavo.core.values import dataclass
from octavo.query.operators import Test
from octavo.query.plan.nodes import ALWAYS, All, Condition, Parameter, Selection, Tested
from octavo.query.sql.ddl.maintained_counts import counted_table
from octavo.query.sql.dialects.maintained_counts import RequestedCount
from octavo.query.sql.read.clauses import ClauseCompiler
from octavo.schema.attributes import LOCALE, PUBLISHED_AT, Scalar

_FEW: Final = 1000
"""A table whose highest id is below this is counted directly, which takes some microseconds."""


@dataclass(frozen=True, slots=True)
class _Groups:
    """Published entries or drafts (None: both), in some locales (None: all), published by a given time."""

    published: bool | None = None
    locales: tuple[Parameter, ...] | None = None
    now: Parameter | None = None


def maintained_count(compiler: ClauseCompiler, selection: Selection, count: str) -> str:
    """Return the SELECT of the number of selected entries; `count` is the statement that counts them directly.

    Small tables are counted: checking that the maintained count is valid takes longer.
    """
    asked, totals = _asked(compiler, selection, count), compiler.dialect.totals
    if asked is None or totals is None:
        return count
    last = f"SELECT max(id) FROM {compiler.table(selection)}"
    return f"SELECT CASE WHEN ({last}) < {_FEW} THEN ({count}) ELSE ({totals.total(asked)}) END"


def part_of_page(compiler: ClauseCompiler, selection: Selection) -> str | None:
    """Return the SELECT of the id to start at for a page in id order (`MaintainedCounts.start`); None for the first."""
    totals, start = compiler.dialect.totals, selection.start
    if totals is None or start is None or selection.order or selection.reach is not None:
        return None
    asked = _asked(compiler, selection, "")
    return None if asked is None else totals.start(asked, compiler.dialect.parameter(start))


def _asked(compiler: ClauseCompiler, selection: Selection, count: str) -> RequestedCount | None:
    table, groups = counted_table(selection.target), _groups(selection.condition)
    if table is None or groups is None or selection.target.uid in compiler.registry.hidden_entries:
        return None
    if (groups.published is not None and not table.drafts) or (groups.locales is not None and not table.localized):
        return None
    say = compiler.dialect.parameter
    locales = None if groups.locales is None else [say(each) for each in groups.locales]
    asked = RequestedCount(table, count, groups.published, locales)
    if groups.now is None:
        return asked
    return replace(asked, now=say(groups.now), later=_later(compiler, selection) if count else "")


def _groups(condition: Condition) -> _Groups | None:
    """Return the groups of a condition, or None if it is not about one state of some locales."""
    groups = _Groups()
    for test in _tests(condition):
        if not isinstance(test, Tested) or test.ignores_case or not isinstance(test.attribute, Scalar):
            return None
        name = test.attribute.name
        if name == LOCALE and groups.locales is None and test.test in (Test.EQUAL, Test.AMONG) and not test.negated:
            groups = replace(groups, locales=test.parameters)
        elif name == PUBLISHED_AT and groups.published is None and test.test is Test.NULL:
            groups = replace(groups, published=test.negated)
        elif _is_by_moment(test) and groups.published is None:
            groups = replace(groups, published=True, now=test.parameters[0])
        else:
            return None
    return groups


def _tests(condition: Condition) -> Iterator[Condition]:
    match condition:
        case All(items=items):
            for item in items:
                yield from _tests(item)
        case _ if condition != ALWAYS:
            yield condition


def _is_by_moment(test: Tested) -> bool:
    is_publication = test.attribute is not None and test.attribute.name == PUBLISHED_AT
    return is_publication and test.test is Test.LESS_OR_EQUAL and not test.negated


def _later(compiler: ClauseCompiler, selection: Selection) -> str:
    """Return the SELECT that counts the entries published after the given time."""
    alias = compiler.alias()
    where = compiler.where(_turned(selection.condition), alias)
    return f"SELECT count(*) FROM {compiler.table(selection)} {alias}{where}"


def _turned(condition: Condition) -> Condition:
    match condition:
        case All(items=items):
            return All(tuple(map(_turned, items)))
        case Tested() if _is_by_moment(condition):
            return replace(condition, test=Test.GREATER)
        case _:
            return condition
