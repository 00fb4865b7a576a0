"""Single types with several entries in one locale: databases of v4 can contain them, but only one is served."""

from collections.abc import Mapping
from typing import Final

from octavo.core.clock import this_moment
from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.database.connection import Connection
from octavo.query.sql.ddl.physical import physical_name
from octavo.query.sql.ddl.tables import Table
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import table_name
from octavo.query.sql.raw_statement import RawStatement, escape_braces
from octavo.query.sql.served_rows import HIDDEN_ENTRIES, hidden_ids
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

_MOST_TYPES: Final = 100
"""Number of content types in one statement: SQLite allows 500 terms in a UNION."""
_MOST_IDS: Final = 10


@dataclass(frozen=True, slots=True)
class DuplicateEntries:
    """The entries of a single type in one locale (None: not localized).

    `ids` are the first of them, in order; `count` is the total. `served` is the published entry that readers get, or
    None if all are drafts. Updates, and readers of drafts, get the first one.
    """

    uid: str
    locale: str | None
    ids: tuple[int, ...]
    count: int
    served: int | None

    def __str__(self) -> str:
        locale = "" if self.locale is None else f" in the locale {self.locale}"
        ids = ", ".join(map(str, self.ids)) + (", ..." if self.count > len(self.ids) else "")
        first = self.ids[0]
        if self.served == first:
            use = f"{first} is served and updated"
        elif self.served is None:
            use = f"all are drafts, and {first} is updated"
        else:
            use = f"{self.served} is served, and {first} is updated"
        return (
            f"{self.uid}: a single type with {counted(self.count, 'entry', 'entries')}{locale} (ids {ids}): {use}; "
            f'delete the others, for example with app.entries("{self.uid}").delete(id)'
        )


async def find_surplus_entries(
    connection: Connection,
    dialect: Dialect,
    registry: Registry,
    default_locale: str,
    *,
    hides_future: bool = False,
    found: Mapping[str, Table] | None = None,
) -> tuple[DuplicateEntries, ...]:
    """Return the single types with several entries in a locale. Hidden entries do not count.

    `found` are the existing tables if they may differ from the definitions. `hides_future`: entries with a
    `publishedAt` in the future are drafts. Entries without a locale count as entries of the default one.
    """
    known = [one for one in registry.content_types.values() if one.is_single and _is_there(one, dialect, found)]
    hides = found is None or HIDDEN_ENTRIES.name in found
    left: list[DuplicateEntries] = []
    for start in range(0, len(known), _MOST_TYPES):
        part = known[start : start + _MOST_TYPES]
        selects = (
            _counting(number, one, dialect, default_locale, hides=hides, hides_future=hides_future)
            for number, one in enumerate(part)
        )
        text = " UNION ALL ".join(selects)
        values = {"now": this_moment()} if "{now:instant}" in text else {}
        rows = await connection.fetch_all(*RawStatement(text).bind(dialect, **values), long=True)
        for number, locale, count, served in sorted(rows, key=lambda row: (row[0], str(row[1]))):
            one = part[int(number)]
            ids = await _ids(connection, one, dialect, default_locale, locale, hides=hides)
            name = None if locale is None else str(locale)
            left.append(DuplicateEntries(one.uid, name, ids, int(count), None if served is None else int(served)))
    return tuple(left)


def _is_there(content_type: ContentType, dialect: Dialect, found: Mapping[str, Table] | None) -> bool:
    """Return whether the table has the columns to read."""
    if found is None:
        return True
    table = found.get(physical_name(table_name(content_type), dialect))
    wanted = ["published_at"] * content_type.draft_and_publish + ["locale"] * content_type.localized
    return table is not None and {*wanted} <= {column.name for column in table.columns}


def _rows(content_type: ContentType, dialect: Dialect, *, hides: bool) -> str:
    table = dialect.quote(physical_name(table_name(content_type), dialect))
    # Types without drafts or without locales can have hidden entries
    can_hide = hides and not (content_type.draft_and_publish and content_type.localized)
    return f"{table} WHERE id NOT IN ({hidden_ids(content_type, dialect)})" if can_hide else f"{table} WHERE 1 = 1"


def _locale(content_type: ContentType, dialect: Dialect, default_locale: str) -> str:
    if not content_type.localized:
        return dialect.as_text("NULL")
    return f"coalesce(locale, {dialect.literal(default_locale)})"


def _counting(
    number: int, content_type: ContentType, dialect: Dialect, default_locale: str, *, hides: bool, hides_future: bool
) -> str:
    locale = escape_braces(_locale(content_type, dialect, default_locale))
    published = "published_at <= {now:instant}" if hides_future else "published_at IS NOT NULL"
    served = f"min(CASE WHEN {published} THEN id END)" if content_type.draft_and_publish else "min(id)"
    rows = escape_braces(_rows(content_type, dialect, hides=hides))
    grouping = f"GROUP BY {locale} " if content_type.localized else ""
    return f"SELECT {number}, {locale}, count(*), {served} FROM {rows} {grouping}HAVING count(*) > 1"


async def _ids(
    connection: Connection,
    content_type: ContentType,
    dialect: Dialect,
    default_locale: str,
    locale: object,
    *,
    hides: bool,
) -> tuple[int, ...]:
    rows = escape_braces(_rows(content_type, dialect, hides=hides))
    values = {}
    if content_type.localized:
        rows += f" AND {escape_braces(_locale(content_type, dialect, default_locale))} = {{locale}}"
        values["locale"] = locale
    statement = RawStatement(f"SELECT id FROM {rows} ORDER BY id LIMIT {_MOST_IDS}")
    return tuple([int(row[0]) for row in await connection.fetch_all(*statement.bind(dialect, **values))])
