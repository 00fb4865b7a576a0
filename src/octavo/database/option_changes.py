"""Changes of content types' options since the last synchronization: their effects on entries, and previews of these.

The former options are stored with the tables; for databases of Strapi v4, in its own record of content types. If a
type gains drafts or locales, its entries are published or get the default locale, as in v4. If it loses them, v4
deletes drafts and entries of other locales; Octavo marks them as hidden and does not serve them. Only the mark counts:
entries that are written later are served, whatever their columns hold.

Marks are set only when an option is lost, and replace those of an earlier loss. They stay when the option returns: for
a type with drafts, marks of drafts have no effect, which is also correct on nodes with older definitions.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

import orjson

from octavo.core.clock import this_moment
from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database, RowReader, Transaction
from octavo.database.leases import TABLE
from octavo.database.option_record import OptionRecord, Options, is_served_elsewhere
from octavo.database.rule_conflicts import NewRule
from octavo.query.sql.ddl.physical import physical_name
from octavo.query.sql.ddl.tables import Table
from octavo.query.sql.dialects.base import BasicDialect
from octavo.query.sql.physical_names import table_name
from octavo.query.sql.raw_statement import RawStatement, escape_braces
from octavo.query.sql.served_rows import DRAFT, HIDDEN_ENTRIES, LOCALE, hiding_reasons
from octavo.schema.attributes import CREATED_AT, Scalar
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry


@dataclass(frozen=True, slots=True)
class FormerTable:
    """A table with rows of a definition that now has another table."""

    uid: str
    former: str
    table: str
    rows: int

    def __str__(self) -> str:
        rows = counted(self.rows, "row stays", "rows stay")
        return (
            f"{self.uid}: the table is now {self.table}, and {rows} in the former table {self.former}. "
            f"To move them: octavo db rename-table {self.uid} {self.former}"
        )


async def find_former_tables(
    connection: RowReader, dialect: BasicDialect, registry: Registry, record: OptionRecord, found: Mapping[str, Table]
) -> tuple[FormerTable, ...]:
    """Return the former tables that exist, have rows and belong to no definition; `found` are all tables."""
    definitions = list(registry.definitions())
    taken = {physical_name(each.collection_name, dialect) for each in definitions}
    left = []
    for definition in definitions:
        for name in record.former_tables(definition):
            physical = physical_name(name, dialect)
            if physical in found and physical not in taken:
                text = f"SELECT count(*) FROM {dialect.quote(physical)}"
                rows = int(await connection.fetch_value(text))
                if rows:
                    left.append(FormerTable(definition.uid, name, definition.collection_name, rows))
    return tuple(left)


_KEY: Final = "options"
_STORES: Final = frozenset({"octavo_state", "strapi_core_store_settings"})
_FIND: Final = RawStatement("""
SELECT {key:name}, value FROM octavo_state WHERE {key:name} = {options}
UNION ALL SELECT {key:name}, value FROM strapi_core_store_settings WHERE {key:name} IN ({types}, {locale})""")
_SAVE: Final = RawStatement("""
INSERT INTO octavo_state ({key:name}, value) VALUES ({key}, {value})
{key:on_conflict} value = {value:proposed}""")
_V4_TYPES: Final = "strapi_content_types_schema"
_DEFAULT_LOCALE: Final = "plugin_i18n_default_locale"
_MARK: Final = RawStatement(f"""
INSERT INTO {HIDDEN_ENTRIES.name} (collection, entry_id, reason, hidden_at)
VALUES ({{table}}, {{entry}}, {{reason}}, {{now}})
{{collection, entry_id, reason:on_conflict}} hidden_at = {{hidden_at:proposed}}""")
_PUBLISHED_AT: Final = "published_at"
_FILL_LIMIT: Final = 50
"""Number of tables in one statement."""
_COUNT: Final = f"SELECT collection, reason, count(*) FROM {HIDDEN_ENTRIES.name} GROUP BY collection, reason"
_WORDS: Final = {DRAFT: ("draft", "drafts"), LOCALE: ("entry of another locale", "entries of other locales")}


@dataclass(frozen=True, slots=True)
class OptionChange:
    """A content type with changed options; `before` is None if the former ones are unknown."""

    content_type: ContentType
    before: Options | None
    columns: frozenset[str]
    """The columns that the table had before."""
    hid_future: bool = False
    """Whether entries with a future publication date were not served."""

    @property
    def gets_drafts(self) -> bool:
        known = self.before.drafts if self.before is not None else _PUBLISHED_AT in self.columns
        return self.content_type.draft_and_publish and not known

    @property
    def loses_drafts(self) -> bool:
        known = self.before is not None and self.before.drafts
        return known and not self.content_type.draft_and_publish and _PUBLISHED_AT in self.columns

    @property
    def loses_locales(self) -> bool:
        known = self.before is not None and self.before.localized
        return known and not self.content_type.localized and LOCALE in self.columns


@dataclass(frozen=True, slots=True)
class OptionChanges:
    """The differences between the options that entries follow and those of the definitions. `unfilled` are localized
    types with entries without a locale, written by SQL or by nodes with older definitions."""

    record: OptionRecord
    to_store: str
    changes: tuple[OptionChange, ...]
    unfilled: tuple[ContentType, ...]
    default_locale: str | None
    shared: tuple[tuple[ContentType, Scalar], ...] = ()
    """Attributes that were localized, and are now shared across locales."""
    new_rules: tuple[NewRule, ...] = ()
    """Rules of attributes that stored rows may not follow."""
    left: tuple[FormerTable, ...] = ()
    """Former tables that hold rows of definitions that now have another table."""
    keeps_indexes: bool = False
    """Nodes with newer indexes are running, so no index is dropped."""
    are_old: bool = False
    """Nodes with newer definitions are running, so only new columns are filled."""

    @property
    def any(self) -> bool:
        return self.to_store != self.record.stored or bool(self.unfilled or (self.are_old and self.changes))


async def find_option_changes(
    connection: RowReader,
    dialect: BasicDialect,
    registry: Registry,
    found: Mapping[str, Table],
    *,
    insists: bool = False,
    hides_future: bool | None = None,
) -> OptionChanges:
    """Compare options. `found` are the tables before synchronization.

    `hides_future`: whether entries with a future `published_at` are hidden from now on (None: unchanged). Definitions
    that were replaced by newer ones are applied again if no node serves the newer ones any more, or with `insists`.
    """
    values: dict[str, str | None] = {}
    if found.keys() >= _STORES:
        statement = _FIND.bind(dialect, options=_KEY, types=_V4_TYPES, locale=_DEFAULT_LOCALE)
        values = {str(key): value for key, value in await connection.fetch_all(*statement)}
    record = OptionRecord(values.get(_KEY), values.get(_V4_TYPES))
    changes, localized = [], []
    for content_type in registry.content_types.values():
        table = found.get(physical_name(table_name(content_type), dialect))
        if table is None:
            continue
        columns = frozenset(column.name for column in table.columns)
        before = record.of(content_type)
        if before != Options(content_type.draft_and_publish, content_type.localized):
            changes.append(OptionChange(content_type, before, columns, record.hid_future))
        if content_type.localized and LOCALE in columns:
            localized.append(content_type)
    unfilled = await _without_locale(connection, dialect, localized)
    looks = not insists and TABLE.name in found
    newer_indexes = record.newer_indexes(registry) if looks else None
    keeps = newer_indexes is not None and await is_served_elsewhere(connection, dialect, newer_indexes)
    to_store = record.with_types(registry, hides_future=hides_future, keeps_indexes=keeps)
    locale = _locale(values.get(_DEFAULT_LOCALE))
    left = await find_former_tables(connection, dialect, registry, record, found)
    newer = record.newer(registry) if looks else None
    if newer is not None and await is_served_elsewhere(connection, dialect, newer):
        filled = tuple(each for each in changes if each.gets_drafts and _PUBLISHED_AT not in each.columns)
        return OptionChanges(
            record, record.stored or to_store, filled, tuple(unfilled), locale, keeps_indexes=keeps, are_old=True
        )
    shared = ((each, attribute) for each in localized for attribute in record.now_shared(each))
    rules = tuple(_new_rules(registry, dialect, record, found))
    return OptionChanges(record, to_store, tuple(changes), tuple(unfilled), locale, tuple(shared), rules, left, keeps)


def _new_rules(
    registry: Registry, dialect: BasicDialect, record: OptionRecord, found: Mapping[str, Table]
) -> Iterator[NewRule]:
    for definition in registry.definitions():
        table = found.get(physical_name(definition.collection_name, dialect))
        if table is not None:
            columns = frozenset(column.name for column in table.columns)
            for attribute, rule in record.new_rules(definition):
                yield NewRule(definition, attribute, rule, columns)


async def _without_locale(
    connection: RowReader, dialect: BasicDialect, content_types: list[ContentType]
) -> list[ContentType]:
    types: list[ContentType] = []
    for start in range(0, len(content_types), _FILL_LIMIT):
        part = content_types[start : start + _FILL_LIMIT]
        selects = (
            f"SELECT {number} FROM (SELECT 1) n WHERE EXISTS (SELECT 1 FROM {table} WHERE locale IS NULL)"
            for number, table in enumerate(_table(each, dialect) for each in part)
        )
        rows = await connection.fetch_all(" UNION ALL ".join(selects), long=True)
        types += [part[int(number)] for (number,) in rows]
    return types


async def hide_entries(
    connection: Transaction, dialect: BasicDialect, found: OptionChanges, default_locale: str
) -> None:
    """Mark the entries that are no longer served. `published_at` and `locale` must still exist."""
    default = found.default_locale or default_locale
    for change in found.changes:
        for reason, condition, values in _hidden_by(change, default):
            await _hide(connection, dialect, change.content_type, reason, condition, **values)


async def fill_entries(
    connection: Transaction, dialect: BasicDialect, found: OptionChanges, default_locale: str
) -> None:
    """Fill `published_at` and `locale`, and store the options; tables must be up to date."""
    default = found.default_locale or default_locale
    for change in found.changes:
        await fill_after(connection, dialect, change, default)
    for content_type in found.unfilled:
        await _fill_locale(connection, dialect, content_type, default)
    await store_options(connection, dialect, found.to_store)


async def fill_after(connection: Connection, dialect: BasicDialect, change: OptionChange, default_locale: str) -> None:
    """Publish entries that were not drafts, and set the default locale of those without one."""
    content_type = change.content_type
    if change.gets_drafts:
        table, now = escape_braces(_table(content_type, dialect)), this_moment()
        moment = "coalesce(created_at, {now:instant})" if CREATED_AT in content_type.attributes else "{now:instant}"
        marked = escape_braces(_hidden_drafts(content_type, dialect))
        text = f"UPDATE {table} SET published_at = {moment} WHERE published_at IS NULL AND id NOT IN ({marked})"
        await connection.execute(*RawStatement(text).bind(dialect, now=now))
    if content_type.localized:
        await _fill_locale(connection, dialect, content_type, default_locale)


async def _fill_locale(connection: Connection, dialect: BasicDialect, content_type: ContentType, locale: str) -> None:
    table = escape_braces(_table(content_type, dialect))
    text = f"UPDATE {table} SET locale = {{locale}} WHERE locale IS NULL"
    await connection.execute(*RawStatement(text).bind(dialect, locale=locale))


async def marked_by(
    connection: RowReader, dialect: BasicDialect, change: OptionChange, default_locale: str
) -> list[tuple[str, list[int]]]:
    """Return the ids that a change hides, by reason: for targets that lack `published_at` or `locale`."""
    table, marks = escape_braces(_table(change.content_type, dialect)), list[tuple[str, list[int]]]()
    for reason, condition, values in _hidden_by(change, default_locale):
        statement = RawStatement(f"SELECT id FROM {table} WHERE {condition}").bind(dialect, **values)
        rows = await connection.fetch_all(*statement, long=True)
        marks.append((reason, [int(entry_id) for (entry_id,) in rows]))
    return marks


def _hidden_by(change: OptionChange, default_locale: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the reasons why a change hides entries, with the condition for these and its values."""
    if change.loses_drafts and change.hid_future:
        yield DRAFT, "(published_at IS NULL OR published_at > {moment:instant})", {"moment": this_moment()}
    elif change.loses_drafts:
        yield DRAFT, "published_at IS NULL", {}
    if change.loses_locales:
        yield LOCALE, "locale <> {default}", {"default": default_locale}


async def mark_entries(
    connection: Connection, dialect: BasicDialect, content_type: ContentType, reason: str, ids: Iterable[int]
) -> None:
    """Hide entries by their ids."""
    now, table = this_moment(), table_name(content_type)
    for entry_id in ids:
        statement = _MARK.bind(dialect, table=table, entry=entry_id, reason=reason, now=now)
        await connection.execute(*statement)


async def _hide(
    connection: Transaction,
    dialect: BasicDialect,
    content_type: ContentType,
    reason: str,
    condition: str,
    **values: Any,
) -> None:
    await unhide(connection, dialect, content_type, reason)
    text = f"""
    INSERT INTO {HIDDEN_ENTRIES.name} (collection, entry_id, reason, hidden_at)
    SELECT {escape_braces(dialect.literal(table_name(content_type)))}, id, '{reason}', {{now}}
    FROM {escape_braces(_table(content_type, dialect))} WHERE {condition}"""
    await connection.execute(*RawStatement(text).bind(dialect, now=this_moment(), **values))


async def unhide(connection: Connection, dialect: BasicDialect, content_type: ContentType, reason: str) -> None:
    """Remove all marks of one kind."""
    text = f"DELETE FROM {HIDDEN_ENTRIES.name} WHERE collection = {{table}} AND reason = {{reason}}"
    await connection.execute(*RawStatement(text).bind(dialect, table=table_name(content_type), reason=reason))


async def remember_options(connection: Connection, dialect: BasicDialect, registry: Registry) -> None:
    """Store the current options, after a copy or an import has applied them to the entries."""
    statement = _FIND.bind(dialect, options=_KEY, types=_V4_TYPES, locale=_DEFAULT_LOCALE)
    values = {str(key): value for key, value in await connection.fetch_all(*statement)}
    record = OptionRecord(values.get(_KEY), values.get(_V4_TYPES))
    await store_options(connection, dialect, record.with_types(registry))


async def store_options(connection: Connection, dialect: BasicDialect, text: str) -> None:
    """Store the current options."""
    await connection.execute(*_SAVE.bind(dialect, key=_KEY, value=text))


async def restore_options(database: Database, found: OptionChanges) -> None:
    """Store the former options again, if a start or reload fails after the change.

    Filled columns and marks stay. They have no effect under the former definitions, and the next change sets them
    again.
    """
    async with database.transaction() as transaction:
        await store_options(transaction, database.dialect, found.record.stored or "{}")


def _locale(stored: str | None) -> str | None:
    """Return the default locale, which is stored as JSON."""
    try:
        locale = orjson.loads(stored or "null")
    except orjson.JSONDecodeError:
        return None
    return locale if isinstance(locale, str) and locale else None


def _table(content_type: ContentType, dialect: BasicDialect) -> str:
    return dialect.quote(physical_name(table_name(content_type), dialect))


def _hidden_drafts(content_type: ContentType, dialect: BasicDialect) -> str:
    collection = dialect.literal(table_name(content_type))
    return f"SELECT entry_id FROM {HIDDEN_ENTRIES.name} WHERE collection = {collection} AND reason = '{DRAFT}'"


async def learn_hidden_entries(connection: Connection, registry: Registry) -> dict[str, dict[str, int]]:
    """Mark the registry's types that have hidden entries, and return their number by UID and reason."""
    counts: dict[str, dict[str, int]] = {}
    for collection, reason, count in await connection.fetch_all(_COUNT, long=True):
        counts.setdefault(collection, {})[reason] = int(count)
    found = {}
    for content_type in registry.content_types.values():
        marks = counts.get(table_name(content_type), {})
        hidden = {reason: marks[reason] for reason in hiding_reasons(content_type) if reason in marks}
        if hidden:
            found[content_type.uid] = hidden
    registry.hidden_entries.know(found)
    return found


def describe_hidden(found: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield a line for each type with hidden entries."""
    for uid, reasons in found.items():
        entries = " and ".join(counted(count, *_WORDS[reason]) for reason, count in reasons.items())
        yield f"{uid}: {entries} hidden since its options changed. To list, publish or delete them: octavo db hidden"


async def preview_options(
    database: Database, options: OptionChanges, tables: Collection[str], default_locale: str
) -> tuple[str, ...]:
    """Return a line for each content type whose entries will be published, hidden or get a locale, and for each former
    table with rows. Nothing is changed. `tables` are the names of the existing tables."""
    locale = options.default_locale or default_locale
    lines = [line for change in options.changes for line in await _of_change(database, change, tables, locale)]
    for content_type in _types_getting_a_locale(options):
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


def _types_getting_a_locale(options: OptionChanges) -> Iterator[ContentType]:
    yield from options.unfilled
    for change in options.changes:
        if change.content_type.localized and "locale" not in change.columns:
            yield change.content_type


async def _count(database: Database, content_type: ContentType, condition: str | None) -> int:
    table = database.dialect.quote(physical_name(table_name(content_type), database.dialect))
    where = "" if condition is None else f" WHERE {condition}"
    return int(await database.fetch_value(f"SELECT count(*) FROM {table}{where}"))
