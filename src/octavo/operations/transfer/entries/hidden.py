"""Hidden entries in archives: why they are not served, and their locale, which is no longer an attribute."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.database.connection import Connection
from octavo.database.option_changes import find_option_changes, marked_by
from octavo.database.synchronize import found_tables
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import table_name
from octavo.query.sql.raw_statement import RawStatement, escape_braces
from octavo.query.sql.served_rows import HIDDEN_ENTRIES, LOCALE, hiding_reasons
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

_FIND: Final = RawStatement(
    f"SELECT entry_id, reason FROM {HIDDEN_ENTRIES.name} WHERE collection = {{table}} ORDER BY entry_id, reason"
)


@dataclass(frozen=True, slots=True)
class HiddenEntry:
    """A hidden entry and the reasons."""

    id: int
    reasons: tuple[str, ...]
    locale: str | None = None

    def described(self, line: dict[str, Any]) -> dict[str, Any]:
        """Return the entry's archive line with the reasons."""
        data = line["data"] if self.locale is None else {**line["data"], "locale": self.locale}
        return {**line, "hidden": list(self.reasons), "data": data}


async def find_hidden(
    connection: Connection, dialect: Dialect, content_type: ContentType, ids: Collection[int] = ()
) -> list[HiddenEntry]:
    """Return the hidden entries of a type, or those with the given ids, for reasons that apply to its definition."""
    table = table_name(content_type)
    counting, found = hiding_reasons(content_type), dict[int, list[str]]()
    for entry_id, reason in await connection.fetch_all(*_FIND.bind(dialect, table=table), long=True):
        if reason in counting and (not ids or entry_id in ids):
            found.setdefault(int(entry_id), []).append(str(reason))
    locales = dict[int, str]()
    if any(LOCALE in reasons for reasons in found.values()):
        locales = await _locales(connection, dialect, table)
    return [HiddenEntry(entry_id, tuple(reasons), locales.get(entry_id)) for entry_id, reasons in found.items()]


async def find_all_hidden(
    connection: Connection, dialect: Dialect, registry: Registry
) -> dict[str, dict[int, HiddenEntry]]:
    """Return the hidden entries of all types by UID and id, including those that the next start would hide."""
    found = await found_tables(connection, dialect)
    every: dict[str, dict[int, HiddenEntry]] = {}
    if HIDDEN_ENTRIES.name in found:
        rows = await connection.fetch_all(f"SELECT DISTINCT collection FROM {HIDDEN_ENTRIES.name}")
        tables = {str(collection) for (collection,) in rows}
        for content_type in registry.content_types.values():
            if table_name(content_type) in tables:
                entries = await find_hidden(connection, dialect, content_type)
                every[content_type.uid] = {entry.id: entry for entry in entries}
    options = await find_option_changes(connection, dialect, registry, found)
    for change in options.changes:
        entries_of = every.setdefault(change.content_type.uid, {})
        for reason, ids in await marked_by(connection, dialect, change, options.default_locale or "en"):
            for entry_id in ids:
                known = entries_of.get(entry_id, HiddenEntry(entry_id, ()))
                entries_of[entry_id] = replace(known, reasons=tuple(sorted({*known.reasons, reason})))
    return {uid: entries for uid, entries in every.items() if entries}


async def _locales(connection: Connection, dialect: Dialect, table: str) -> dict[int, str]:
    """Return the locales of entries that are hidden because of them. The column still exists."""
    statement = RawStatement(f"""
    SELECT e.id, e.locale FROM {escape_braces(dialect.quote(table))} e JOIN {HIDDEN_ENTRIES.name} h ON h.entry_id = e.id
    WHERE h.collection = {{table}} AND h.reason = '{LOCALE}' AND e.locale IS NOT NULL""")
    rows = await connection.fetch_all(*statement.bind(dialect, table=table), long=True)
    return {int(entry_id): str(locale) for entry_id, locale in rows}
