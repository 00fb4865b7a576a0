"""Load a project's `seed/` folder into a database without entries, in one transaction.

`examples/magazine/seed/README.md` describes the format. Raises `SeedError` with a message for display.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final

from octavo.access.authorization.role_grants import grant_within
from octavo.content.entry_unit import EntryUnit
from octavo.content.input.password_hashing import PasswordHasher
from octavo.content.media.library import FileInfo, MediaLibrary, StoredFiles
from octavo.content.writer import EntryWriter
from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.core.errors import OctavoError
from octavo.core.values import dataclass
from octavo.database.connection import Connection
from octavo.operations.runtime.prepare_database import insert_locales
from octavo.operations.transfer.problems import SeedError
from octavo.query.plan.changes import AddLinks
from octavo.query.sql.physical_names import table_name
from octavo.schema.attributes import LOCALIZATIONS
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

Progress = Callable[[int, int], None]
"""Called with the finished and the total amount."""

LARGEST: Final = 64 * MEGABYTE
"""Maximum bytes of a file of entries or text. Files of the media library are not read as a whole."""

_FOLDER: Final = "seed"
_CONTENTS: Final = "seed.json"
_LOCK: Final = "octavo: seed"


@dataclass(frozen=True, slots=True)
class SeedReport:
    """The numbers of loaded entries and files."""

    entries: int
    files: int


@dataclass(frozen=True, slots=True)
class _SeedFile:
    """A file of the seed, in the form that the media library accepts."""

    filename: str
    file: IO[bytes]
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    key: str
    content_type: ContentType
    data: Mapping[str, Any]
    locale: str | None
    localization_of: str | None


def read_requests(project: Path) -> tuple[tuple[str, str], ...]:
    """Return example requests for this content: titles and paths."""
    if not (project / _FOLDER / _CONTENTS).is_file():
        return ()
    contents = _read_json(project / _FOLDER, _CONTENTS)
    return tuple((str(request["title"]), str(request["path"])) for request in contents.get("requests", ()))


async def load_seed(project: Path, writer: EntryWriter, media: MediaLibrary, progress: Progress) -> SeedReport | None:
    """Load the seed, or return None if the database has entries."""
    seed = _Seed(project / _FOLDER, writer.registry)
    if await _has_entries(writer.database, writer):
        return None
    await seed.hash_passwords(writer.passwords)
    total = len(seed.files) + len(seed.entries)
    async with AsyncExitStack() as stack:
        stored = []
        for done, (file, info) in enumerate(seed.incoming(stack)):
            progress(done, total)
            stored.append(await stack.enter_async_context(media.incoming([file], [info])))
        unit = await stack.enter_async_context(writer.open())
        await unit.connection.lock(_LOCK)
        if await _has_entries(unit.connection, writer):
            return None
        load = _Load(seed, writer, unit, lambda done: progress(len(stored) + done, total))
        await load.everything(stored)
    return SeedReport(len(seed.entries), len(seed.files))


async def _has_entries(connection: Connection, writer: EntryWriter) -> bool:
    tables = [writer.database.dialect.quote(table_name(item)) for item in writer.registry.own_types()]
    tests = [f"EXISTS (SELECT 1 FROM {table})" for table in tables]
    return bool(tests) and bool(await connection.fetch_value(f"SELECT {' OR '.join(tests)}"))


class _Seed:
    """The content of the seed folder."""

    def __init__(self, folder: Path, registry: Registry) -> None:
        self._folder = folder
        contents = _read_json(folder, _CONTENTS)
        self.locales: dict[str, str] = {row["code"]: row["name"] for row in contents.get("locales", ())}
        self.files: list[dict[str, Any]] = contents.get("files", [])
        self.permissions: dict[str, list[str]] = contents.get("permissions", {})
        self.entries = [
            _read_entry(raw, registry) for name in contents.get("entries", ()) for raw in _read_json(folder, name)
        ]

    def incoming(self, stack: AsyncExitStack) -> Iterable[tuple[_SeedFile, FileInfo]]:
        """Yield the files, opened until the stack is closed."""
        for row in self.files:
            path = self._folder / row["path"]
            file = stack.enter_context(_opened(path))
            yield _SeedFile(path.name, file), FileInfo(None, row.get("alternativeText"), row.get("caption"))

    async def hash_passwords(self, passwords: PasswordHasher) -> None:
        """Hash passwords, which is slow, before the transaction begins."""
        self.entries = [
            replace(entry, data=await passwords.hash(entry.content_type, entry.data)) for entry in self.entries
        ]

    def text(self, name: str) -> str:
        """Return the content of a text file."""
        try:
            return read_own_file(self._folder / name, LARGEST).decode()
        except OSError as error:
            raise SeedError(f"The seed has no file {self._folder / name}: {error.strerror or error}") from error


class _Load:
    """A running load, with the ids assigned so far."""

    def __init__(self, seed: _Seed, writer: EntryWriter, unit: EntryUnit, progress: Callable[[int], None]) -> None:
        self._seed = seed
        self._writer = writer
        self._unit = unit
        self._progress = progress
        self._keys = {entry.key for entry in seed.entries}
        self._entries: dict[str, int] = {}
        self._files: dict[str, int] = {}

    async def everything(self, stored: Sequence[StoredFiles]) -> None:
        """Load everything: locales first, permissions last."""
        dialect = self._writer.database.dialect
        await insert_locales(self._unit, dialect, self._seed.locales)
        self._writer.locales.forget()
        for row, files in zip(self._seed.files, stored, strict=True):
            (self._files[row["key"]],) = await files.insert(self._unit)
        await self._load_entries()
        await self._join_localizations()
        for role, actions in self._seed.permissions.items():
            await grant_within(self._unit, dialect, role, actions)

    async def _load_entries(self) -> None:
        """Create the entries in order. References to later entries are added when all exist."""
        postponed: list[tuple[_Entry, dict[str, Any]]] = []
        for done, entry in enumerate(self._seed.entries):
            later = {name: value for name, value in entry.data.items() if self._is_early(value)}
            now = {name: self._resolve(value) for name, value in entry.data.items() if name not in later}
            self._entries[entry.key] = await self._create(entry, now)
            if later:
                postponed.append((entry, later))
            self._progress(done + 1)
        for entry, later in postponed:
            await self._update(entry, {name: self._resolve(value) for name, value in later.items()})

    async def _create(self, entry: _Entry, data: Mapping[str, Any]) -> int:
        try:
            return await self._unit.create(entry.content_type, data, locale=entry.locale)
        except OctavoError as error:
            raise SeedError(_problem(entry, error)) from error

    async def _update(self, entry: _Entry, data: Mapping[str, Any]) -> None:
        try:
            await self._unit.update(entry.content_type, self._entries[entry.key], data)
        except OctavoError as error:
            raise SeedError(_problem(entry, error)) from error

    def _is_early(self, value: Any) -> bool:
        """Return whether a value refers to a later entry."""
        if isinstance(value, dict):
            return any(map(self._is_early, value.values()))
        if isinstance(value, list):
            return any(map(self._is_early, value))
        return isinstance(value, str) and value[:1] == "@" and value[1:] in self._keys - self._entries.keys()

    def _resolve(self, value: Any) -> Any:
        """Replace references in a value by ids and texts."""
        if isinstance(value, dict):
            return {name: self._resolve(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._resolve(item) for item in value]
        return self._refer(value[1:]) if isinstance(value, str) and value.startswith("@") else value

    def _refer(self, reference: str) -> int | str:
        kind, colon, name = reference.partition(":")
        if colon and kind == "text":
            return self._seed.text(name)
        known = self._files if colon and kind == "file" else self._entries
        key = name if colon and kind == "file" else reference
        if key not in known:
            raise SeedError(f"There is no {'file' if known is self._files else 'entry'} for @{reference}")
        return known[key]

    async def _join_localizations(self) -> None:
        """Link every localization of an entry to all others."""
        families: dict[str, list[_Entry]] = {entry.key: [entry] for entry in self._seed.entries}
        for entry in self._seed.entries:
            if entry.localization_of is not None:
                family = families.get(entry.localization_of)
                if family is None:
                    raise SeedError(f"{entry.key}: unknown entry {entry.localization_of!r} in localizationOf")
                family.append(entry)
        for family in families.values():
            await self._join([self._entries[entry.key] for entry in family], family[0].content_type)

    async def _join(self, ids: Sequence[int], content_type: ContentType) -> None:
        links = [
            (source, target, float(order))
            for source in ids
            for order, target in enumerate((other for other in ids if other != source), 1)
        ]
        if links:
            change = AddLinks(owner=content_type, relation=content_type.relation(LOCALIZATIONS), links=tuple(links))
            for statement in self._writer.compiler.compile(change):
                await self._unit.connection.execute(statement.text, statement.values)


def _read_json(folder: Path, name: str) -> Any:
    try:
        return json.loads(read_own_file(folder / name, LARGEST))
    except OSError as error:
        raise SeedError(f"{folder.name}/{name} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise SeedError(f"{folder.name}/{name} is not valid JSON: {error}") from error


def _opened(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise SeedError(f"The seed has no file {path}: {error.strerror}") from error


def _read_entry(raw: Mapping[str, Any], registry: Registry) -> _Entry:
    content_type = registry.content_types.get(raw["uid"])
    if content_type is None:
        raise SeedError(f"{raw['key']}: unknown content type {raw['uid']!r}")
    return _Entry(raw["key"], content_type, raw["data"], raw.get("locale"), raw.get("localizationOf"))


def _problem(entry: _Entry, error: OctavoError) -> str:
    problems = (error.details or {}).get("errors") or [{"path": [], "message": error.message}]
    listed = "\n".join(f"  {'.'.join(item['path']) or '(entry)'}: {item['message']}" for item in problems)
    return f"{entry.content_type.uid} {entry.key!r} cannot be loaded:\n{listed}"
