"""Preview the effects of changed content type options at the next start, for `octavo db diff`."""

from collections.abc import Collection, Iterator

from octavo.core.plurals import counted
from octavo.database.connection import Database
from octavo.database.option_changes import OptionChange, OptionChanges, marked_by
from octavo.query.sql.ddl.physical import physical_name
from octavo.query.sql.physical_names import table_name
from octavo.query.sql.served_rows import DRAFT, HIDDEN_ENTRIES
from octavo.schema.content_types import ContentType


async def preview_options(
    database: Database, options: OptionChanges, tables: Collection[str], default_locale: str
) -> tuple[str, ...]:
    """Return a line for each content type whose entries will be published, hidden or get a locale, and for each former
    table with rows. Nothing is changed. `tables` are the names of the existing tables."""
    locale = options.default_locale or default_locale
    lines = [line for change in options.changes for line in await _of_change(database, change, tables, locale)]
    for content_type in _without_locale(options):
        column = "locale IS NULL" if content_type in options.unfilled else None
        if count := await _count(database, content_type, column):
            lines.append(f"{content_type.uid}: {counted(count, 'entry gets', 'entries get')} the locale {locale}")
    return (*lines, *map(str, options.left))


async def _of_change(database: Database, change: OptionChange, tables: Collection[str], locale: str) -> list[str]:
    uid, lines = change.content_type.uid, list[str]()
    if change.gets_drafts:
        count = await _count(database, change.content_type, _unpublished(database, change, tables))
        if count:
            lines.append(f"{uid}: {counted(count, 'entry', 'entries')} will be published, because drafts are on now")
    for reason, ids in await marked_by(database, database.dialect, change, locale):
        if ids and reason == DRAFT:
            words = counted(len(ids), "draft", "drafts")
            lines.append(f"{uid}: {words} will be hidden, because drafts are off now")
        elif ids:
            words = counted(len(ids), "entry of another locale", "entries of other locales")
            lines.append(f"{uid}: {words} will be hidden, because locales are off now")
    return lines


def _unpublished(database: Database, change: OptionChange, tables: Collection[str]) -> str | None:
    """Return the condition for the entries that a change publishes; None for all."""
    if "published_at" not in change.columns:
        return None
    collection = database.dialect.literal(table_name(change.content_type))
    marked = f"SELECT entry_id FROM {HIDDEN_ENTRIES.name} WHERE collection = {collection} AND reason = '{DRAFT}'"
    known = HIDDEN_ENTRIES.name in tables
    return f"published_at IS NULL AND id NOT IN ({marked})" if known else "published_at IS NULL"


def _without_locale(options: OptionChanges) -> Iterator[ContentType]:
    yield from options.unfilled
    for change in options.changes:
        if change.content_type.localized and "locale" not in change.columns:
            yield change.content_type


async def _count(database: Database, content_type: ContentType, condition: str | None) -> int:
    table = database.dialect.quote(physical_name(table_name(content_type), database.dialect))
    where = "" if condition is None else f" WHERE {condition}"
    return int(await database.fetch_value(f"SELECT count(*) FROM {table}{where}"))
