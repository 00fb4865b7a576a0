"""The table of image variants: which transformed images are in the storage, and which version of a file they show.

A variant counts only while its file's `updated_at` stays, so a replaced file or a moved focal point never shows an old
picture, whichever software changed the row.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from octavo.content.media.focal_points import FOCAL_POINT, FocalPoint
from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.raw_statement import RawStatement

TABLE: Final = SystemTable(
    "octavo_image_variants",
    (
        "source varchar(1024) NOT NULL",
        "variant varchar(64) NOT NULL",
        "file_id integer NOT NULL",
        "version bigint NOT NULL",
        "object varchar(1024) NOT NULL",
        "mime varchar(64) NOT NULL",
        "size bigint NOT NULL",
        "created_at bigint NOT NULL",
        "PRIMARY KEY (source, variant)",
    ),
)

_MOST_DOTS: Final = 8
_MOST_EVICTED: Final = 100

_FIND: Final = RawStatement("""
SELECT v.source, v.object, v.mime, v.version, v.size, v.created_at
FROM octavo_image_variants v JOIN files f ON f.id = v.file_id
WHERE v.source = {source} AND v.variant = {variant} AND v.version = coalesce({f.updated_at:milliseconds}, 0)""")
_FILE: Final = RawStatement("""
SELECT id, hash, ext, mime, provider, url, provider_metadata, coalesce({updated_at:milliseconds}, 0) FROM files
WHERE hash = {hash} ORDER BY id LIMIT 10""")
_VERSION: Final = RawStatement("SELECT coalesce({updated_at:milliseconds}, 0) FROM files WHERE id = {file}")
_OBJECT: Final = RawStatement(
    "SELECT object FROM octavo_image_variants WHERE source = {source} AND variant = {variant}"
)
_IS_PRIVATE: Final = RawStatement("""
SELECT p.file_id FROM octavo_image_variants v LEFT JOIN octavo_private_files p ON p.file_id = v.file_id
WHERE v.source = {source} LIMIT 1""")
_STORE: Final = RawStatement("""
INSERT INTO octavo_image_variants (source, variant, file_id, version, object, mime, size, created_at)
VALUES ({source}, {variant}, {file}, {version}, {object}, {mime}, {size}, {now})
{source, variant:on_conflict} file_id = {file_id:proposed}, version = {version:proposed}, object = {object:proposed},
  mime = {mime:proposed}, size = {size:proposed}, created_at = {created_at:proposed}""")
_OF_FILES: Final = "SELECT object FROM octavo_image_variants WHERE file_id IN ({})"
_REMOVE: Final = "DELETE FROM octavo_image_variants WHERE file_id IN ({})"
_IDS_AT_ONCE: Final = 500
_REMOVE_OBJECT: Final = RawStatement("DELETE FROM octavo_image_variants WHERE object = {object}")
_TOTAL: Final = "SELECT coalesce(sum(size), 0) FROM octavo_image_variants"
_OLDEST: Final = RawStatement("""
SELECT source, variant, object, size FROM octavo_image_variants ORDER BY created_at, source, variant LIMIT {most}""")
_EVICT: Final = RawStatement("DELETE FROM octavo_image_variants WHERE source = {source} AND variant = {variant}")


@dataclass(frozen=True, slots=True)
class Variant:
    """A transformed image in the storage.

    `version` is that of its file, `size` is in bytes, and `created_at` is in milliseconds since 1970.
    """

    object: str
    mime: str
    version: int
    size: int
    created_at: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The row of the file that a variant is created from."""

    id: int
    extension: str
    mime: str
    provider: str
    url: str
    focus: FocalPoint
    version: int


async def find_variant(database: Database, source: str, key: str) -> Variant | None:
    """Return a current variant of the file with this name in the storage."""
    row = await database.fetch_row(*_FIND.bind(database.dialect, source=source, variant=key))
    if row is None or row[0] != source:  # the signature was checked for exactly this name
        return None
    return Variant(*row[1:])


async def is_private_source(database: Database, source: str) -> bool | None:
    """Return whether a file is private; None if it has no variants. Variants are deleted when that changes."""
    row = await database.fetch_row(*_IS_PRIVATE.bind(database.dialect, source=source))
    return None if row is None else row[0] is not None


async def find_file(database: Database, source: str) -> SourceFile | None:
    """Return the row of the file with this name in the storage. The hash in the name has no index, as in v4."""
    segment = source.rpartition("/")[2]
    for stem in _stems(segment):
        for row in await database.fetch_all(*_FILE.bind(database.dialect, hash=stem)):
            file_id, file_hash, extension, mime, provider, url, metadata, version = row
            if f"{file_hash}{extension or ''}" == segment:
                return SourceFile(file_id, extension or "", mime, provider, url, _focus(metadata), version)
    return None


async def store_variant(
    connection: Connection, database: Database, source: str, key: str, file: SourceFile, new: Variant
) -> str | None:
    """Store a variant; return the name of the object it replaces, if any."""
    dialect = database.dialect
    before: str | None = await connection.fetch_value(*_OBJECT.bind(dialect, source=source, variant=key))
    values = {"source": source, "variant": key, "file": file.id, "version": file.version, "object": new.object}
    await connection.execute(*_STORE.bind(dialect, **values, mime=new.mime, size=new.size, now=new.created_at))
    return before


async def version_of(connection: Connection | Database, database: Database, file_id: int) -> int | None:
    """Return the version of a file; None if it does not exist."""
    version: int | None = await connection.fetch_value(*_VERSION.bind(database.dialect, file=file_id))
    return version


async def objects_of(connection: Connection | Database, file_ids: Sequence[int]) -> list[str]:
    """Return the names of the objects of a few files' variants."""
    ids = ", ".join(str(int(file_id)) for file_id in file_ids)
    return [name for (name,) in await connection.fetch_all(_OF_FILES.format(ids))]


async def delete_variants(connection: Connection, file_ids: Sequence[int]) -> list[str]:
    """Delete the variants of files; return the names of their objects, which the caller removes after the commit."""
    objects: list[str] = []
    for start in range(0, len(file_ids), _IDS_AT_ONCE):
        ids = ", ".join(str(int(file_id)) for file_id in file_ids[start : start + _IDS_AT_ONCE])
        names = [name for (name,) in await connection.fetch_all(_OF_FILES.format(ids))]
        if names:
            await connection.execute(_REMOVE.format(ids))
        objects += names
    return objects


async def stored_objects(connection: Connection) -> set[str]:
    """Return the names of all variants in the storage."""
    return {name for (name,) in await connection.fetch_all("SELECT object FROM octavo_image_variants")}


async def remove_object(connection: Connection, database: Database, name: str) -> None:
    """Delete the row of a variant that the storage has lost."""
    await connection.execute(*_REMOVE_OBJECT.bind(database.dialect, object=name))


async def evict_variants(connection: Connection, database: Database, most_bytes: int) -> list[str]:
    """Delete the oldest variants if all together exceed a size; return the names of their objects."""
    surplus = int(await connection.fetch_value(_TOTAL)) - most_bytes
    objects: list[str] = []
    if surplus > 0:
        oldest = await connection.fetch_all(*_OLDEST.bind(database.dialect, most=_MOST_EVICTED))
        for source, variant, name, size in oldest:
            if surplus <= 0:
                break
            await connection.execute(*_EVICT.bind(database.dialect, source=source, variant=variant))
            objects.append(name)
            surplus -= size
    return objects


def new_variant(name: str, mime: str, version: int, size: int) -> Variant:
    """Return a variant that is created now."""
    return Variant(name, mime, version, size, this_moment())


def _stems(segment: str) -> Iterator[str]:
    """Yield what can be the hash in a file name: extensions of v4 can contain dots."""
    yield segment
    stem = segment
    for _ in range(_MOST_DOTS):
        stem, dot, _ = stem.rpartition(".")
        if not dot or not stem:
            return
        yield stem


def _focus(metadata: Any) -> FocalPoint:
    """Return the focal point in the stored metadata, or the center."""
    try:
        known = orjson.loads(metadata) if isinstance(metadata, str | bytes) else metadata
        point = known[FOCAL_POINT]
        x, y = float(point["x"]), float(point["y"])
    except (TypeError, KeyError, ValueError):
        return FocalPoint(0.5, 0.5)
    return FocalPoint(min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0))
