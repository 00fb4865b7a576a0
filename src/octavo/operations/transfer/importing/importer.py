"""Import an archive: replace a project's data in one transaction. A failure changes nothing."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import field
from typing import Any, Final

import orjson

from octavo.access.authentication import one_time_secrets, user_token_versions
from octavo.accounts.users import sessions
from octavo.accounts.users.providers import links as provider_links
from octavo.content import schedules
from octavo.content.media.storage.base import Storage
from octavo.content.media.tables import MEDIA_TABLES
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database
from octavo.database.option_changes import OptionChange, fill_after, mark_entries, remember_options
from octavo.database.option_record import Options, options_of_v4
from octavo.database.synchronize import found_tables
from octavo.database.unit_of_work import unit_of_work
from octavo.events.purging.purges import Purges
from octavo.operations.transfer.archive.parts import CONFIGURATION, ENTITIES, LINKS, SCHEMAS, UPLOADS, Part
from octavo.operations.transfer.archive.reader import ArchiveReader, Place
from octavo.operations.transfer.archive.records import (
    CORE_STORE,
    ConfigurationRecord,
    EntityRecord,
    read_configuration,
    read_entity,
    read_link,
)
from octavo.operations.transfer.entries.json_values import from_json
from octavo.operations.transfer.entries.tables import EntryTables
from octavo.operations.transfer.exporter import STORE_TABLE, WEBHOOK_TABLE
from octavo.operations.transfer.importing.entries import EntryLoader, PendingRows
from octavo.operations.transfer.importing.kept_files import KeptFiles
from octavo.operations.transfer.importing.links import LinkLoader
from octavo.operations.transfer.importing.uploads import UploadImporter
from octavo.operations.transfer.problems import TransferError
from octavo.operations.transfer.rows.tables import ID
from octavo.query.sql.ddl.tables import wanted_tables
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.served_rows import DRAFT, HIDDEN_ENTRIES, LOCALE
from octavo.schema.attributes import LOCALE as LOCALE_NAME
from octavo.schema.attributes import PUBLISHED_AT
from octavo.schema.content_types import FILE
from octavo.schema.registry import Registry

_DEFAULT_LOCALE: Final = "plugin_i18n_default_locale"
Lines = Iterable[tuple[Place, Mapping[str, Any], int]]


class ArchiveOptions:
    """The options of an archive's content types, and the entries that must be hidden here."""

    def __init__(self, registry: Registry, schemas: Lines, configuration: Lines) -> None:
        self._registry = registry
        self._options = {str(line.get("uid")): Options(*options_of_v4(line)) for _, line, _ in schemas}
        self._default = next(filter(None, (_default_in(line) for _, line, _ in configuration)), "en")
        self._hidden: defaultdict[tuple[str, str], list[int]] = defaultdict(list)

    def note(self, record: EntityRecord) -> None:
        """Examine an imported entry."""
        content_type = self._registry.content_types.get(record.type)
        if content_type is None:
            return
        known = self._options.get(record.type, Options(False, False))
        theirs = Options(known.drafts or PUBLISHED_AT in record.data, known.localized or LOCALE_NAME in record.data)
        self._options[record.type] = theirs  # entries are more reliable than definitions, which can be shortened
        reasons = set(record.hidden)
        if theirs.drafts and not content_type.draft_and_publish and record.data.get(PUBLISHED_AT) is None:
            reasons.add(DRAFT)
        if not content_type.localized and record.data.get(LOCALE_NAME) not in (None, self._default):
            reasons.add(LOCALE)
        for reason in reasons:
            self._hidden[record.type, reason].append(record.id)

    async def apply(self, connection: Connection, dialect: Dialect) -> int:
        """Hide and fill imported entries. Return the number of hidden ones."""
        await connection.execute(f"DELETE FROM {HIDDEN_ENTRIES.name}")
        for (uid, reason), ids in self._hidden.items():
            await mark_entries(connection, dialect, self._registry.content_types[uid], reason, ids)
        for uid, theirs in self._options.items():
            content_type = self._registry.content_types.get(uid)
            if content_type is not None:
                await fill_after(connection, dialect, OptionChange(content_type, theirs, frozenset()), self._default)
        return len({(uid, entry_id) for (uid, _), ids in self._hidden.items() for entry_id in ids})


def _default_in(line: Mapping[str, Any]) -> str | None:
    value = line.get("value")
    if not isinstance(value, Mapping) or value.get("key") != _DEFAULT_LOCALE:
        return None
    default = value.get("value")
    return default if isinstance(default, str) else None


def add_configuration(pending: PendingRows, place: Place, record: ConfigurationRecord) -> None:
    """Add one setting or webhook. Raises TransferError."""
    source = STORE_TABLE if record.type == CORE_STORE else WEBHOOK_TABLE
    table = source.with_columns([name for name in source.columns if name != ID])
    values: list[Any] = []
    for name, kind in table.columns.items():
        value = record.value.get(name)
        if source is STORE_TABLE and name == "value" and value is not None:
            value = orjson.dumps(value).decode()
        try:
            values.append(from_json(kind, value))
        except ValueError as error:
            raise place.refusal(f"{name} {error}") from error
    pending.add(table, values, place)


Progress = Callable[[int, int], None]
"""Called with the number of imported bytes and of all bytes of the archive."""

_FOLDERS: Final = {Part.CONTENT: ENTITIES, Part.FILES: UPLOADS, Part.CONFIG: CONFIGURATION}
_BY_ID: Final = (
    sessions.TABLE,
    provider_links.TABLE,
    one_time_secrets.TABLE,
    schedules.TABLE,
    schedules.FAILURES_TABLE,
    *MEDIA_TABLES,
)
"""Tables that refer to users and entries by id, which can mean others after an import."""


@dataclass(slots=True)
class ImportReport:
    """The result of an import: numbers of imported items and of those left out, by kind."""

    entries: Counter[str] = field(default_factory=Counter)
    links: int = 0
    files: int = 0
    settings: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    hidden: int = 0
    """Hidden entries: drafts, or entries of other locales, of types without drafts or locales here."""


def check_parts(archive: ArchiveReader, parts: Set[Part]) -> None:
    """Raise TransferError for an archive without a selected part, which would be deleted without a replacement.

    An archive without files can be of a project without files. `import_archive` checks that.
    """
    lacking = [part for part in Part if part in parts and part is not Part.FILES and not archive.has(_FOLDERS[part])]
    if lacking:
        others = ",".join(part for part in Part if part in parts and part not in lacking)
        remedy = f"; import the rest with --only {others}" if others else ""
        raise TransferError(f"The archive contains no {' and no '.join(lacking)}{remedy}")


async def import_archive(
    database: Database,
    registry: Registry,
    storage: Storage,
    archive: ArchiveReader,
    parts: Set[Part],
    progress: Progress,
    purges: Purges | None = None,
) -> ImportReport:
    """Replace a project's data with an archive's. The tables match the definitions already.

    `purges`: CDNs and reverse proxies, which are purged.
    Raises TransferError; then nothing has changed.
    """
    uploads = UploadImporter(archive, storage) if Part.FILES in parts else None
    if uploads is not None:
        uploads.check()
    before: set[str] = set()
    with _undone_on_failure(uploads):
        if uploads is not None:
            uploads.put()
        async with unit_of_work(database, exclusive=True) as unit:
            work = _Import(unit.connection, database, registry, archive, uploads, progress)
            if Part.CONTENT in parts:
                kept = KeptFiles(unit.connection, database.dialect, storage)
                before = await kept.read()
                await work.content()
                if uploads is None:
                    await kept.restore()
            if Part.CONFIG in parts:
                await work.configuration()
            await work.finish()
            if purges is not None:
                await purges.purge_with(unit)
    if uploads is not None:
        if Part.CONTENT in parts:
            uploads.publish()
        uploads.finish(before)
        work.report.files = len(uploads.names)
        if uploads.missing:
            work.report.left_out["files that the archive lists but does not contain"] = uploads.missing
    return work.report


@contextmanager
def _undone_on_failure(uploads: UploadImporter | None) -> Iterator[None]:
    try:
        yield
    except BaseException:
        if uploads is not None:
            uploads.undo()
        raise


class _Import:
    """A running import."""

    def __init__(
        self,
        connection: Connection,
        database: Database,
        registry: Registry,
        archive: ArchiveReader,
        uploads: UploadImporter | None,
        progress: Progress,
    ) -> None:
        self._connection = connection
        self._dialect = database.dialect
        self._registry = registry
        self._archive = archive
        self._uploads = uploads
        self._progress = progress
        self._tables = EntryTables(registry)
        self._done = 0
        self._total = sum(archive.size(folder) for folder in (ENTITIES, LINKS, CONFIGURATION))
        self.report = ImportReport()

    async def content(self) -> None:
        """Import entries and links."""
        await self._remove([table.name for table in self._tables.joining_tables()])
        await self._remove([table.rows.name for table in self._tables.of.values()])
        await self._forget_others()
        options = ArchiveOptions(self._registry, self._archive.lines(SCHEMAS), self._archive.lines(CONFIGURATION))
        pending = PendingRows(self._connection, self._dialect)
        changes = {FILE: self._uploads.located} if self._uploads is not None else {}
        entries = EntryLoader(self._tables, pending, changes)
        for place, line, size in self._archive.lines(ENTITIES):
            record = read_entity(place, line)
            if entries.add(place, record):
                options.note(record)
            if pending.is_full:
                await pending.write()
            self._advance(size)
        await pending.write()
        self.report.hidden = await options.apply(self._connection, self._dialect)
        if self._uploads is not None and self._uploads.missing and not self._uploads.names:
            raise TransferError("The archive lists files but contains none; import it with --exclude files")
        await self._links(entries)

    async def _links(self, entries: EntryLoader) -> None:
        links = LinkLoader(self._connection, self._dialect, self._tables)
        for place, line, size in self._archive.lines(LINKS):
            await links.add(place, read_link(place, line))
            self._advance(size)
        await links.write()
        self.report.entries = entries.entries
        self.report.links = links.links
        self.report.left_out = entries.left_out + Counter({f"links {at}": n for at, n in links.left_out.items()})

    async def configuration(self) -> None:
        """Import settings and webhooks."""
        await self._remove([STORE_TABLE.name, WEBHOOK_TABLE.name])
        pending = PendingRows(self._connection, self._dialect)
        for place, line, size in self._archive.lines(CONFIGURATION):
            add_configuration(pending, place, read_configuration(place, line))
            self.report.settings += 1
            self._advance(size)
        await pending.write()

    async def finish(self) -> None:
        """Advance the id sequences, and record the options of the project's types."""
        await remember_options(self._connection, self._dialect, self._registry)
        names = [table.name for table in wanted_tables(self._registry)]
        counters = self._dialect.continue_ids(names)
        if counters is not None:
            await self._connection.fetch_all(counters)

    async def _forget_others(self) -> None:
        """End sessions and schedules, and revoke tokens: user 5 or article 5 can be another one now."""
        tables = await found_tables(self._connection, self._dialect)
        await self._remove([table.name for table in _BY_ID if table.name in tables])
        if user_token_versions.TABLE.name in tables:
            await self._connection.execute(f"UPDATE {user_token_versions.TABLE.name} SET version = version + 1")

    async def _remove(self, tables: Sequence[str]) -> None:
        for table in tables:
            await self._connection.execute(f"DELETE FROM {self._dialect.quote(table)}")

    def _advance(self, size: int) -> None:
        self._done += size
        self._progress(self._done, self._total)
