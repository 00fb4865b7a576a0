"""The local folder of backups: a subfolder for each, with a manifest of its content.

A backup is created in a folder whose name begins with a dot, and renamed when it is verified. Other files are ignored.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.core.values import dataclass


class BackupFailed(Exception):
    """A backup could not be created, verified or restored. The message has the reason, for display."""


class NoScratch(Exception):
    """A scratch database cannot be created. The message has the reason."""


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MANIFEST: Final = "manifest.json"
_UNFINISHED: Final = ".unfinished-"
_LOCK: Final = ".lock"
LARGEST_MANIFEST: Final = 8 * MEGABYTE
_NAME: Final = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a backup: its file, the number of rows by table, its size.

    `made_at` is in milliseconds since 1970. `verified` is `restored` (into a scratch database) or `read` (to its end).
    `digest` is the file's SHA-256.
    """

    octavo: str
    database: str
    file: str
    made_at: int
    bytes: int
    tables: Mapping[str, int]
    verified: str = ""
    notes: Sequence[str] = ()
    uploads: int = 0
    digest: str = ""

    @property
    def text(self) -> str:
        """The manifest as JSON."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Copy:
    """An existing backup."""

    path: Path
    manifest: Manifest

    @property
    def rows(self) -> int:
        return sum(self.manifest.tables.values())

    @property
    def made(self) -> datetime:
        return datetime.fromtimestamp(self.manifest.made_at / 1000, UTC)


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of backups to retain: the newest ones, and the newest of each day, week and month."""

    last: int = 1
    daily: int = 0
    weekly: int = 0
    monthly: int = 0


@dataclass(slots=True)
class Store:
    """The backups in a folder."""

    folder: Path
    leave_free: int = 0
    _locked: int | None = field(default=None, init=False)

    def copies(self) -> list[Copy]:
        """Return all backups, newest first."""
        copies = [copy for path in self.folder.glob("*/" + MANIFEST) if (copy := read_copy(path.parent)) is not None]
        return sorted(copies, key=lambda one: one.manifest.made_at, reverse=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the folder for this process, and delete unfinished backups of others.

        Raises BackupFailed if it is locked.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if not any(self.folder.iterdir()):
            self.folder.chmod(0o700)
        descriptor = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(descriptor)
            for left in self.folder.glob(_UNFINISHED + "*"):
                shutil.rmtree(left, ignore_errors=True)
            yield
        finally:
            os.close(descriptor)

    def require(self, size: int) -> None:
        """Raise BackupFailed unless there is space for so many bytes in addition to `leave_free`."""
        free = shutil.disk_usage(self.folder).free
        if free < size + self.leave_free:
            needed = f"{_megabytes(size)} are required, and {_megabytes(self.leave_free)} must stay free"
            raise BackupFailed(f"Not enough space in {self.folder}: {_megabytes(free)} are free, {needed}")

    @contextmanager
    def unfinished(self, moment: int) -> Iterator[Path]:
        """Yield a folder for a new backup. It is deleted afterwards, unless `finish` has renamed it."""
        path = self.folder / f"{_UNFINISHED}{_name(moment)}"
        path.mkdir(mode=0o700)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def finish(self, path: Path, manifest: Manifest) -> Copy:
        """Rename the folder of a verified backup, which makes it valid."""
        (path / MANIFEST).write_text(manifest.text, "utf-8")
        for file in (path / manifest.file, path / MANIFEST, path):
            _to_disk(file)
        final = self.folder / _name(manifest.made_at)
        path.rename(final)
        _to_disk(self.folder)
        return Copy(final, manifest)

    def thin(self, counts: Counts) -> list[Copy]:
        """Delete backups that retention does not cover, and return them. The newest one always stays."""
        copies = self.copies()
        gone = [one for one in copies[1:] if one not in kept(copies, counts)]
        for one in gone:
            doomed = one.path.with_name(_UNFINISHED + one.path.name)
            one.path.rename(doomed)  # a partly deleted folder must not count as a backup
            shutil.rmtree(doomed, ignore_errors=True)
        return gone


def read_copy(folder: Path) -> Copy | None:
    """Return the backup in a folder, or None."""
    try:
        return Copy(folder, read_manifest(read_own_file(folder / MANIFEST, LARGEST_MANIFEST)))
    except (OSError, ValueError, TypeError):
        return None


def kept(copies: Sequence[Copy], counts: Counts) -> list[Copy]:
    """Return the backups to retain, given all of them, newest first."""
    rules: tuple[tuple[int, Callable[[datetime], Any]], ...] = (
        (counts.daily, lambda made: made.date()),
        (counts.weekly, lambda made: made.isocalendar()[:2]),
        (counts.monthly, lambda made: (made.year, made.month)),
    )
    chosen = list(copies[: counts.last])
    for number, period in rules:
        newest: dict[Any, Copy] = {}
        for one in copies:
            newest.setdefault(period(one.made), one)
        chosen += list(newest.values())[:number]
    return [one for one in copies if one in chosen]


def link_tree(source: Path, target: Path, before: Path | None) -> int:
    """Copy a folder and return the number of files. Files unchanged since the previous backup are hard links to it."""
    number = 0
    for folder, _, names in os.walk(source):
        inside = Path(folder).relative_to(source)
        (target / inside).mkdir(parents=True, exist_ok=True)
        for name in names:
            file, known = Path(folder, name), before / inside / name if before else None
            if not file.is_file() or file.is_symlink():
                continue
            with suppress(FileNotFoundError):  # deleted while copying
                _link_or_copy(file, target / inside / name, known)
                number += 1
    return number


def _link_or_copy(file: Path, target: Path, known: Path | None) -> None:
    if known is not None and known.is_file():
        now, then = file.stat(), known.stat()
        if (now.st_size, int(now.st_mtime)) == (then.st_size, int(then.st_mtime)):
            with suppress(OSError):
                os.link(known, target)
                return
    shutil.copy2(file, target)


def read_manifest(text: str | bytes) -> Manifest:
    """Parse a manifest. Raises ValueError and TypeError if it is invalid."""
    manifest = Manifest(**json.loads(text))
    return replace(manifest, notes=tuple(manifest.notes))


def digest_of(stream: IO[bytes]) -> str:
    """Return the SHA-256 of the rest of a stream."""
    digest = hashlib.sha256()
    while piece := stream.read(MEGABYTE):
        digest.update(piece)
    return digest.hexdigest()


def _lock(descriptor: int) -> None:
    if fcntl is None:  # Windows
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise BackupFailed("Another process is writing a backup to this folder") from None


def _to_disk(path: Path) -> None:
    if os.name != "posix" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _name(moment: int) -> str:
    return datetime.fromtimestamp(moment / 1000, UTC).strftime(_NAME)


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.0f} MB"
