"""Rows that conflict with a rule of an attribute that is new: `required`, `unique` or fewer values of an enumeration.

The rows stay as they are and are still served. A write checks the rule.
"""

from collections.abc import Iterable
from typing import Final, Literal

from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.database.connection import Connection
from octavo.query.sql.ddl.changes import Change, ChangeType
from octavo.query.sql.ddl.physical import physical_name
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import column_name
from octavo.schema.attributes import Enumeration, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.shared_values import shares_unique

RuleName = Literal["required", "unique", "enumeration"]

_SHOWN: Final = 3
_PUBLISHED_AT: Final = "published_at"
_TEXTS: Final[dict[RuleName, str]] = {
    "required": "is required now, and {} no value",
    "unique": "is unique now, and {} a value that another row has",
    "enumeration": "has fewer values now, and {} another value",
}


@dataclass(frozen=True, slots=True)
class NewRule:
    """A rule that an attribute did not have before. `columns` are those that its table had before."""

    definition: Definition
    attribute: Scalar
    rule: RuleName
    columns: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conflict:
    """The rows that conflict with a rule: their number, and the first ids."""

    uid: str
    attribute: str
    rule: RuleName
    count: int
    ids: tuple[int, ...]

    def __str__(self) -> str:
        have = "has" if self.count == 1 else "have"
        ids = ", ".join(map(str, self.ids)) + (", ..." if self.count > len(self.ids) else "")
        rows = f"{counted(self.count, 'row')} ({'id' if self.count == 1 else 'ids'} {ids}) {have}"
        return f"{self.uid}.{self.attribute} {_TEXTS[self.rule].format(rows)}"


async def find_conflicts(
    connection: Connection, dialect: Dialect, rules: Iterable[NewRule], types: Iterable[Change]
) -> tuple[Conflict, ...]:
    """Return the conflicts with new rules. Reads the table of each rule.

    `types` are the type changes that the database needs: columns whose type contradicts the definition are left out.
    """
    contradicting = {
        (change.table, change.wanted.name) for change in types if isinstance(change, ChangeType) and change.contradicts
    }
    conflicts = []
    for rule in rules:
        column = physical_name(column_name(rule.attribute), dialect)
        is_readable = (physical_name(rule.definition.collection_name, dialect), column) not in contradicting
        condition = _condition(dialect, rule) if is_readable else None
        if condition is None:
            continue
        rows = f"FROM {_table(dialect, rule)} WHERE {condition}"
        count = int(await connection.fetch_value(f"SELECT count(*) {rows}", long=True))
        if count:
            ids = await connection.fetch_all(f"SELECT id {rows} ORDER BY id LIMIT {_SHOWN}", long=True)
            first = tuple(int(row[0]) for row in ids)
            conflicts.append(Conflict(rule.definition.uid, rule.attribute.name, rule.rule, count, first))
    return tuple(conflicts)


def _table(dialect: Dialect, rule: NewRule) -> str:
    return dialect.quote(physical_name(rule.definition.collection_name, dialect))


def _condition(dialect: Dialect, rule: NewRule) -> str | None:
    """Return the condition for rows that conflict, or None if no row can."""
    name = physical_name(column_name(rule.attribute), dialect)
    column = dialect.quote(name)
    if rule.rule == "required":
        is_published = _is_published(rule)
        return f"{column} IS NULL{is_published}" if name in rule.columns else f"1 = 1{is_published}"
    if name not in rule.columns:
        return None
    if rule.rule == "enumeration":
        assert isinstance(rule.attribute, Enumeration)
        values = ", ".join(map(dialect.literal, rule.attribute.values))
        return f"{column} IS NOT NULL AND {column} NOT IN ({values})"
    return _duplicates(dialect, rule, column)


def _is_published(rule: NewRule) -> str:
    """Return the condition for entries that are not drafts, which need no required values."""
    has_drafts = isinstance(rule.definition, ContentType) and rule.definition.draft_and_publish
    return f" AND {_PUBLISHED_AT} IS NOT NULL" if has_drafts and _PUBLISHED_AT in rule.columns else ""


def _duplicates(dialect: Dialect, rule: NewRule, column: str) -> str:
    """Return the condition for rows whose value occurs twice: within a locale, if translations share the value."""
    shares = shares_unique(rule.definition, rule.attribute) and "locale" in rule.columns
    group = f"{column}, locale" if shares else column
    return (
        f"{column} IN (SELECT {column} FROM {_table(dialect, rule)} WHERE {column} IS NOT NULL "
        f"GROUP BY {group} HAVING count(*) > 1)"
    )
