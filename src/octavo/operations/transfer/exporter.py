"""Export a project: one snapshot of its database, with the files in its storage."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Set
from dataclasses import field
from typing import Any, Final

import orjson

from octavo.content.media.storage.base import ReadableStorage, Storage, is_segment
from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.component_names import learn_former_names
from octavo.database.connection import Connection, Database
from octavo.operations.transfer.archive.parts import CONFIGURATION, ENTITIES, LINKS, SCHEMAS, Part
from octavo.operations.transfer.archive.records import CORE_STORE, WEBHOOK
from octavo.operations.transfer.archive.schemas import describe_definitions
from octavo.operations.transfer.archive.writer import ArchiveWriter
from octavo.operations.transfer.entries.hidden import find_all_hidden
from octavo.operations.transfer.entries.json_values import iso_instant, to_json
from octavo.operations.transfer.entries.reader import EntryReader
from octavo.operations.transfer.entries.tables import EntryTables
from octavo.operations.transfer.problems import Problems, TransferError
from octavo.operations.transfer.rows.tables import ID, RowTable, read_batches
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.content_types import FILE
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import ValueKind

STORE_TABLE: Final = RowTable(
    "strapi_core_store_settings",
    {
        ID: ValueKind.INTEGER,
        "key": ValueKind.STRING,
        "value": ValueKind.TEXT,
        "type": ValueKind.STRING,
        "environment": ValueKind.STRING,
        "tag": ValueKind.STRING,
    },
)
WEBHOOK_TABLE: Final = RowTable(
    "strapi_webhooks",
    {
        ID: ValueKind.INTEGER,
        "name": ValueKind.STRING,
        "url": ValueKind.TEXT,
        "headers": ValueKind.JSON,
        "events": ValueKind.JSON,
        "enabled": ValueKind.BOOLEAN,
    },
)


async def configuration_lines(connection: Connection, dialect: Dialect) -> AsyncIterator[dict[str, Any]]:
    """Yield all settings and webhooks."""
    async for value in _rows(connection, dialect, STORE_TABLE, {"value": _stored_value}):
        yield {"type": CORE_STORE, "value": value}
    async for value in _rows(connection, dialect, WEBHOOK_TABLE, {}):
        yield {"type": WEBHOOK, "value": value}


async def _rows(
    connection: Connection, dialect: Dialect, table: RowTable, others: Mapping[str, Callable[[Any], Any]]
) -> AsyncIterator[dict[str, Any]]:
    async for rows in read_batches(connection, dialect, table):
        for row in rows:
            try:
                values = {
                    name: others[name](value) if name in others else to_json(kind, value)
                    for (name, kind), value in zip(table.columns.items(), row, strict=True)
                }
            except ValueError as error:
                raise TransferError(f"{table.name}, id {row[0]}: {error}") from error
            yield values


def _stored_value(text: str | None) -> Any:
    """Return the stored text of a value. Values of any type are stored as JSON."""
    if text is None:
        return None
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return orjson.Fragment(text)


class UploadExporter:
    """Adds files to an archive. `files` counts them. `missing` lists those that the storage does not have."""

    def __init__(self, archive: ArchiveWriter, storage: Storage) -> None:
        self._archive = archive
        self._storage = storage
        self.files = 0
        self.missing = Problems()

    def add(self, file: Mapping[str, Any]) -> None:
        """Add a row's file and its formats."""
        for about in (dict(file), *_formats(file)):
            self._add(about)

    def _add(self, about: dict[str, Any]) -> None:
        url = about.get("url")
        name = f"{about.get('hash')}{about.get('ext') or ''}"
        metadata = about.get("provider_metadata")
        details = metadata if isinstance(metadata, dict) else None
        stored = self._storage.name_of(url, details) if isinstance(url, str) else None
        if not is_segment(name):
            self.missing.add(f"{url}: the name {name!r} is not valid in an archive")
            return
        if stored is None or not isinstance(self._storage, ReadableStorage):
            self.missing.add(f"{url}: is not stored in the project")
            return
        try:
            content = self._storage.open(stored)
        except FileNotFoundError:
            self.missing.add(f"{url}: not found")
            return
        with content:
            self._archive.add_upload(name, content, about)
        self.files += 1


def _formats(file: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    formats = file.get("formats")
    for kind, about in formats.items() if isinstance(formats, dict) else ():
        if isinstance(about, dict):
            yield {**about, "type": kind, "id": file["id"], "mainHash": file.get("hash")}


Progress = Callable[[int, int], None]
"""Called with the number of exported entries and links, and of all."""


_NOT_EXPORTED: Final = "These values are invalid; nothing was exported (--skip-invalid leaves them empty)"


@dataclass(slots=True)
class ExportReport:
    """The result of an export.

    Numbers of exported items; missing files; `dangling` links by table, whose target is not exported; and `invalid`
    values, which are exported as null.
    """

    entries: dict[str, int] = field(default_factory=dict)
    links: int = 0
    files: int = 0
    settings: int = 0
    hidden: int = 0
    missing_files: Problems = field(default_factory=Problems)
    dangling: dict[str, int] = field(default_factory=dict)
    invalid: Problems = field(default_factory=Problems)


async def export_project(
    database: Database,
    registry: Registry,
    storage: Storage,
    archive: ArchiveWriter,
    parts: Set[Part],
    version: str,
    progress: Progress,
    *,
    skip_invalid: bool = False,
) -> ExportReport:
    """Export the given parts to an archive for this `version` of v4.

    With `skip_invalid`, values that are invalid for their attribute are exported as null. Raises TransferError.
    """
    async with database.snapshot() as snapshot:
        if Part.CONTENT in parts:
            await learn_former_names(snapshot, database.dialect, registry)
        export = _Export(snapshot, database, registry, archive, progress)
        with archive.lines(SCHEMAS) as lines:
            for definition in describe_definitions(registry):
                lines.write(definition)
        if Part.CONTENT in parts:
            await export.entries()
            if not skip_invalid:
                export.report.invalid.refuse(_NOT_EXPORTED)
        if Part.FILES in parts:
            await export.files(storage)
        if Part.CONTENT in parts:
            await export.links()
        if Part.CONFIG in parts:
            await export.configuration()
    archive.add_metadata(iso_instant(this_moment()), version)
    return export.report


class _Export:
    """A running export."""

    def __init__(
        self, snapshot: Connection, database: Database, registry: Registry, archive: ArchiveWriter, progress: Progress
    ) -> None:
        self._snapshot = snapshot
        self._dialect = database.dialect
        self._archive = archive
        self._progress = progress
        self._tables = EntryTables(registry)
        self.report = ExportReport()
        self._reader = EntryReader(snapshot, database.dialect, self._tables, self.report.invalid)
        self._done = 0
        self._total = 0

    async def entries(self) -> None:
        await self._measure()
        hidden = await find_all_hidden(self._snapshot, self._dialect, self._tables.registry)
        self.report.hidden = sum(map(len, hidden.values()))
        with self._archive.lines(ENTITIES) as lines:
            for table in self._tables.content_types():
                count = 0
                async for entry_id, data in self._reader.entries(table):
                    line: dict[str, Any] = {"type": table.uid, "id": entry_id, "data": data}
                    mark = hidden.get(table.uid, {}).get(entry_id)
                    lines.write(line if mark is None else mark.described(line))
                    count += 1
                    self._advance()
                self.report.entries[table.uid] = count

    async def links(self) -> None:
        with self._archive.lines(LINKS) as lines:
            for table in self._tables.of.values():
                async for link in self._reader.links(table):
                    lines.write(link)
                    self.report.links += 1
                    self._advance()
        self.report.dangling = dict(self._reader.dangling)

    async def files(self, storage: Storage) -> None:
        uploads = UploadExporter(self._archive, storage)
        reader = EntryReader(self._snapshot, self._dialect, self._tables)
        async for file_id, data in reader.entries(self._tables.of[FILE]):
            uploads.add(orjson.loads(orjson.dumps({"id": file_id, **data})))
        self.report.files, self.report.missing_files = uploads.files, uploads.missing

    async def configuration(self) -> None:
        with self._archive.lines(CONFIGURATION) as lines:
            async for line in configuration_lines(self._snapshot, self._dialect):
                lines.write(line)
                self.report.settings += 1

    async def _measure(self) -> None:
        joining = {self._tables.of[uid].names.name for uid in self._tables.of}
        names = [
            *(table.rows.name for table in self._tables.content_types()),
            *(table.name for table in self._tables.joining_tables() if table.name not in joining),
        ]
        for name in names:
            self._total += int(await self._snapshot.fetch_value(f"SELECT count(*) FROM {self._dialect.quote(name)}"))

    def _advance(self) -> None:
        self._done += 1
        if self._done % 100 == 0 or self._done == self._total:
            self._progress(self._done, self._total)
