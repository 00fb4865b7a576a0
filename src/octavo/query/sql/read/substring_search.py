"""Compile a page of a substring search, where one index finds substrings and another provides the order.

Either many entries match, and some of them come early in the order; or few match, and the substring index finds them.
This is not known in advance. So the statement scans the first entries in sort order; only if they do not fill the
page, it uses the substring index.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from octavo.core.values import dataclass
from octavo.query.operators import Test
from octavo.query.plan.nodes import ALWAYS, All, Condition, Order, Selection, Tested
from octavo.query.sql.dialects import substring_sampling
from octavo.query.sql.physical_names import column_name, table_name
from octavo.query.sql.read.clauses import ClauseCompiler
from octavo.schema.attributes import LOCALE
from octavo.schema.content_types import ORDER, ContentType, DeclaredIndex

_WALKED: Final = 100
"""Number of entries to scan in sort order without a sample of texts."""
_FIRST: Final = 100
"""Number of entries, from the first one, whose pages are searched this way."""


@dataclass(frozen=True, slots=True)
class CandidateTables:
    """`tables` are the WITH tables; `rows` the SELECT of all candidates for the page, as `id` and the sort values `k0`,
    `k1` ... If `is_filled`, these are not all matches; otherwise the table `name` holds all of them."""

    tables: str
    rows: str
    is_filled: str
    name: str


def part_search(compiler: ClauseCompiler, selection: Selection) -> "SubstringSearch | None":
    """Return the search of a page if it is a substring search of this kind, else None."""
    is_first = selection.reach is not None and selection.reach <= _FIRST
    if not is_first or selection.limit is None or selection.seek is not None or not _is_walked(selection):
        return None
    tests = tuple(_tests(selection.condition))
    own = tuple(test for test in tests if isinstance(test, Tested))
    part = next((test for test in own if _finds_parts(test)), None)
    return None if part is None or len(own) < len(tests) else SubstringSearch(compiler, selection, own, part)


class SubstringSearch:
    """Compiles the search of one page: `part` is the test with the substring index, `tests` are all tests of an
    entry."""

    def __init__(self, compiler: ClauseCompiler, selection: Selection, tests: tuple[Tested, ...], part: Tested) -> None:
        self._compiler, self._selection, self._tests, self._part = compiler, selection, tests, part
        self._dialect = compiler.dialect
        self.plain: Condition = All(tuple(map(_plain, tests)))
        """The condition without substring indexes."""

    def found(self) -> CandidateTables:
        walked, texts, name = (self._compiler.alias() for _ in range(3))
        kept, say = self._dialect.kept_table, self._dialect.parameter
        end = " + ".join(say(each) for each in (self._selection.start, self._selection.limit) if each is not None)
        filled = f"(SELECT count(*) >= {end} FROM {walked})"
        tables = []
        if self._dialect.samples_texts:
            tables.append(f"{texts} {kept} ({self._sample()})")
        tables.append(f"{walked} {kept} ({self._walk(texts)} LIMIT {end})")
        if self._dialect.samples_texts:
            pattern = self._compiler.alias()
            text = substring_sampling.pattern(texts, self._part_text(), ignores_case=self._part.ignores_case)
            tables.append(f"{pattern} {kept} (SELECT ({text}) AS part WHERE NOT {filled})")
            rows = self._by_pattern(pattern)
        else:
            rows = self._by_condition(filled)
        tables.append(f"{name} {kept} ({rows})")
        keys = ", ".join(("id", *(f"k{number}" for number in range(len(self._selection.order)))))
        either = f"SELECT {keys} FROM {walked} WHERE {filled} UNION ALL SELECT {keys} FROM {name}"
        return CandidateTables(", ".join(tables), either, filled, name)

    def _walk(self, texts: str) -> str:
        """Return the SELECT of the matches among the first entries in sort order."""
        row, entry = self._compiler.alias(), self._compiler.alias()
        columns = ", ".join(f"{row}.{self._compiler.quote(name)}" for name in self._columns())
        of_locale = tuple(test for test in self._tests if self._begins_with_locale and _is_of_locale(test))
        where = self._compiler.where(All(of_locale) if of_locale else ALWAYS, row)
        first = (
            f"SELECT {columns} FROM {self._compiler.table(self._selection)} {row}{where}"
            f"{self._compiler.order_by(self._selection, row)}"
        )
        if self._dialect.samples_texts:
            many, known = substring_sampling.walked(texts, self._contains("s.t")), self._compiler.alias()
            order = self._compiler.order_by(self._selection, known)  # repeated, because a sub-select loses its order
            first = f"SELECT * FROM ({first} LIMIT {substring_sampling.MOST_WALKED}) {known}{order} LIMIT {many}"
        else:
            first = f"{first} LIMIT {_WALKED}"
        order = self._compiler.order_by(self._selection, entry)
        return f"SELECT {self._keys(entry)} FROM ({first}) {entry}{self._compiler.where(self.plain, entry)}{order}"

    def _by_condition(self, filled: str) -> str:
        entry = self._compiler.alias()
        gate = f"(SELECT 1 WHERE NOT {filled}) {self._compiler.alias()}"  # a condition would run for each row
        where = self._compiler.where(self._selection.condition, entry)
        table = self._compiler.table(self._selection)
        return f"SELECT {self._keys(entry)} FROM {gate} CROSS JOIN {table} {entry}{where}"

    def _by_pattern(self, pattern: str) -> str:
        """Return the SELECT by the index, or of all entries if the pattern is NULL."""
        entry, other, say = self._compiler.alias(), self._compiler.alias(), self._compiler.condition
        folded = self._dialect.folded(self._compiler.column(self._part.attribute, entry))
        table = self._compiler.table(self._selection)
        return (
            f"SELECT {self._keys(entry)} FROM {table} {entry} WHERE {folded} LIKE (SELECT part FROM {pattern})"
            f" AND {say(self.plain, entry)} UNION ALL SELECT {self._keys(other)} FROM {table} {other}"
            f" WHERE (SELECT true FROM {pattern} WHERE part IS NULL) AND {say(self.plain, other)}"
        )

    def _sample(self) -> str:
        literal = self._compiler.literal
        assert self._part.attribute is not None
        return substring_sampling.sample(
            literal(table_name(self._selection.target)), literal(column_name(self._part.attribute))
        )

    def _contains(self, text: str) -> str:
        contains = self._dialect.contains_folded if self._part.ignores_case else self._dialect.contains
        return contains(text, self._part_text())

    def _part_text(self) -> str:
        return self._dialect.parameter(self._part.parameters[0])

    def _keys(self, alias: str) -> str:
        """Return the id and the sort values."""
        values = (self._compiler.order_value(order, alias) for order in self._selection.order)
        return ", ".join((f"{alias}.id", *(f"{value} AS k{number}" for number, value in enumerate(values))))

    def _columns(self) -> list[str]:
        """Return the columns that the search reads."""
        attributes = (*(test.attribute for test in self._tests), *(order.attribute for order in self._selection.order))
        return list(dict.fromkeys(("id", *(column_name(each) for each in attributes if each is not None))))

    @property
    def _begins_with_locale(self) -> bool:
        """Return whether the order's index starts with the locale."""
        target = self._selection.target
        names = [order.attribute.name for order in self._selection.order if order.attribute is not None]
        return isinstance(target, ContentType) and target.localized and bool(names) and LOCALE not in names


def _tests(condition: Condition) -> Iterator[Condition]:
    """Yield the conditions that an entry must match together."""
    if isinstance(condition, All):
        for item in condition.items:
            yield from _tests(item)
    else:
        yield condition


def _finds_parts(test: Tested) -> bool:
    is_indexed = test.attribute is not None and test.attribute.parts_index_of is not None
    return is_indexed and test.test is Test.CONTAINS and not test.negated


def _plain(test: Tested) -> Tested:
    if test.attribute is None or test.attribute.parts_index_of is None:
        return test
    return replace(test, attribute=replace(test.attribute, parts_index_of=None))


def _is_of_locale(test: Tested) -> bool:
    return test.attribute is not None and test.attribute.name == LOCALE and not test.negated


def _is_walked(selection: Selection) -> bool:
    """Return whether an index provides the order: that of ids, or one that the content type declares."""
    if any(order.steps or order.guard is not None for order in selection.order):
        return False
    asked = [order for order in selection.order if order.attribute is not None]
    if not asked:
        return True
    target = selection.target
    return isinstance(target, ContentType) and any(_serves(each, selection.order) for each in target.declared_indexes)


def _serves(index: DeclaredIndex, orders: tuple[Order, ...]) -> bool:
    """Return whether an index provides an order. The id is implied at the end; a single column also works in
    reverse."""
    if index.kind != ORDER or [key.attribute for key in index.keys] != [
        None if order.attribute is None else order.attribute.name for order in orders
    ]:
        return False
    same = [key.descending == order.descending for key, order in zip(index.keys, orders, strict=True)]
    return all(same) or len(same) == 1
