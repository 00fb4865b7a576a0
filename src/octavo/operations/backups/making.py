"""Create a backup: dump, verify and name it, and delete backups that retention no longer covers."""

import time
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

import octavo
from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.operations.backups import mysql, postgresql, sqlite
from octavo.operations.backups.bucket import Sent, bucket_of
from octavo.operations.backups.store import (
    BackupFailed,
    Copy,
    Counts,
    Manifest,
    NoScratch,
    Store,
    digest_of,
    link_tree,
)
from octavo.settings import Settings

_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Made:
    """A new backup, the deleted ones, the duration in seconds, and the uploads to the bucket."""

    copy: Copy
    removed: list[Copy]
    seconds: float
    sent: Sent | None = None


@dataclass(slots=True)
class _Maker:
    """How to create and verify backups of one kind of database."""

    database: str
    file: str
    size: Callable[[int | None], int]
    make: Callable[[Path], Mapping[str, int]]
    read: Callable[[Path], Mapping[str, int]]
    restored: Callable[[Path], Mapping[str, int]]
    notes: list[str] = field(default_factory=list)

    def verify(self, copy: Path, *, restore: bool) -> tuple[str, Mapping[str, int]]:
        """Verify a backup. Return how, and the number of rows by table."""
        if restore:
            try:
                return "restored", self.restored(copy)
            except NoScratch as reason:
                self.notes.append(
                    f"Not restored, because there is no scratch database ({reason}). The backup was read "
                    f"completely instead"
                )
        return "read", self.read(copy)


def store_of(settings: Settings) -> Store:
    """Return the folder of a project's backups."""
    given = settings.database.backups
    return Store(settings.project / given.folder, given.min_free_space)


def make_copy(settings: Settings, progress: Callable[[int, int], None]) -> Made:
    """Create a backup as configured. Raises BackupFailed and OSError; then no part of it remains."""
    given, store, began = settings.database.backups, store_of(settings), time.monotonic()
    maker = _maker(settings, progress)
    with store.alone():
        newest = next(iter(store.copies()), None)
        moment = this_moment() if newest is None else max(this_moment(), newest.manifest.made_at + 1000)
        store.require(maker.size(newest.manifest.bytes if newest else None))
        with store.unfinished(moment) as path:
            file = path / maker.file
            counted = maker.make(file)
            uploads = _copy_uploads(settings, path, newest) if given.uploads else 0
            verified, found = maker.verify(file, restore=given.verify == "restored")
            compare(counted, found)
            size = file.stat().st_size
            with file.open("rb") as stream:
                digest = digest_of(stream)
            manifest = Manifest(
                octavo=octavo.__version__,
                database=maker.database,
                file=maker.file,
                made_at=moment,
                bytes=size,
                tables=counted,
                verified=verified,
                notes=tuple(maker.notes),
                uploads=uploads,
                digest=digest,
            )
            copy = store.finish(path, manifest)
        sent, removed = _send_and_thin(settings, store)
    return Made(copy, removed, time.monotonic() - began, sent)


def _send_and_thin(settings: Settings, store: Store) -> tuple[Sent | None, list[Copy]]:
    """Upload to the bucket, if any, and delete old backups in the folder, even if the upload fails.

    Returns the uploads and the deleted backups.
    """
    given, bucket = settings.database.backups, bucket_of(settings)
    here = counts = Counts(given.keep.last, given.keep.daily, given.keep.weekly, given.keep.monthly)
    sent = None
    try:
        if bucket is not None:
            sent = bucket.keep(store.copies(), counts)
            here = Counts(last=1) if given.bucket.only else counts
    finally:
        removed = store.thin(here)
    return sent, removed


def verify_copy(settings: Settings, copy: Copy) -> str:
    """Verify an existing backup and return how. Raises BackupFailed and OSError."""
    maker = _maker(settings, lambda *_: None)
    if copy.manifest.database != maker.database:
        raise BackupFailed(f"This is a backup of {copy.manifest.database}, but the project uses {maker.database}")
    how, counted = maker.verify(copy.path / copy.manifest.file, restore=settings.database.backups.verify == "restored")
    compare(copy.manifest.tables, counted)
    return "; ".join((how, *maker.notes))


def compare(expected: Mapping[str, int], found: Mapping[str, int]) -> None:
    """Raise BackupFailed unless each table has the expected number of rows."""
    names = sorted({*expected, *found})
    wrong = [
        f"{name} has {found.get(name, 'no')} rows, not {expected.get(name, 'any')}"
        for name in names
        if expected.get(name) != found.get(name)
    ]
    if wrong:
        more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
        raise BackupFailed(f"The backup differs from the database: {'; '.join(wrong[:_MOST_NAMED])}{more}")


def _maker(settings: Settings, progress: Callable[[int, int], None]) -> _Maker:
    if settings.database.client == "sqlite":
        source = settings.database_file
        return _Maker(
            "sqlite",
            sqlite.FILE,
            lambda _: sqlite.size_of(source),
            lambda file: sqlite.make(source, file, progress),
            sqlite.read,
            lambda file: sqlite.restored(file, file.with_name(".scratch.db")),
        )
    name, server = ("mysql", mysql) if settings.database.is_mysql else ("postgresql", postgresql)
    return _Maker(
        name,
        server.FILE,
        lambda before: server.size_of(settings, before),
        lambda file: server.make(settings, file),
        server.read,
        lambda file: server.restored(settings, file),
    )


def _copy_uploads(settings: Settings, path: Path, newest: Copy | None) -> int:
    source = settings.project / settings.server.public_folder / "uploads"
    before = newest.path / "uploads" if newest else None
    return link_tree(source, path / "uploads", before) if source.is_dir() else 0
