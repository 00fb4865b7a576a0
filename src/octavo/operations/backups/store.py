"""The folder of copies: a folder for each, complete or not there, with a manifest of what has to be in it.

A copy is made in a folder whose name begins with a dot, and gets its name when it is verified. Nothing else that lies
there is touched.
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
from octavo.operations.backups.problems import BackupFailed

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
    """What a copy holds: its file, how many rows of each table, its size. `made_at` in milliseconds since 1970.

    `verified` tells how: `restored` into a scratch database, or `read` to its end. `digest` is the file's SHA-256.
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
        """As it is written."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Copy:
    """One that is there."""

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
    """How many copies are kept: the newest ones, and the newest of each of so many days, weeks, months."""

    last: int = 1
    daily: int = 0
    weekly: int = 0
    monthly: int = 0


@dataclass(slots=True)
class Store:
    """The copies in a folder."""

    folder: Path
    leave_free: int = 0
    _locked: int | None = field(default=None, init=False)

    def copies(self) -> list[Copy]:
        """All of them, the newest first."""
        found = [copy for path in self.folder.glob("*/" + MANIFEST) if (copy := read_copy(path.parent)) is not None]
        return sorted(found, key=lambda one: one.manifest.made_at, reverse=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """A block that only one process at a time is in; what others have left unfinished is removed. Raises
        BackupFailed."""
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
        """Raises BackupFailed unless so many bytes are free, and some more."""
        free = shutil.disk_usage(self.folder).free
        if free < size + self.leave_free:
            needed = f"{_megabytes(size)} are needed, and {_megabytes(self.leave_free)} have to stay free"
            raise BackupFailed(f"No room in {self.folder}: {_megabytes(free)} are free, {needed}")

    @contextmanager
    def unfinished(self, moment: int) -> Iterator[Path]:
        """A folder for a new copy, which is gone afterwards unless `finish` has given it a name."""
        path = self.folder / f"{_UNFINISHED}{_name(moment)}"
        path.mkdir(mode=0o700)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def finish(self, path: Path, manifest: Manifest) -> Copy:
        """Give a copy its name: from now on it counts."""
        (path / MANIFEST).write_text(manifest.text, "utf-8")
        for file in (path / manifest.file, path / MANIFEST, path):
            _to_disk(file)
        final = self.folder / _name(manifest.made_at)
        path.rename(final)
        _to_disk(self.folder)
        return Copy(final, manifest)

    def thin(self, counts: Counts) -> list[Copy]:
        """Remove what need not be kept; what was removed. The newest one always stays."""
        copies = self.copies()
        gone = [one for one in copies[1:] if one not in kept(copies, counts)]
        for one in gone:
            doomed = one.path.with_name(_UNFINISHED + one.path.name)
            one.path.rename(doomed)  # whatever happens now, half of it is no copy
            shutil.rmtree(doomed, ignore_errors=True)
        return gone


def read_copy(folder: Path) -> Copy | None:
    """The copy in a folder; None where there is none of ours."""
    try:
        return Copy(folder, read_manifest(read_own_file(folder / MANIFEST, LARGEST_MANIFEST)))
    except (OSError, ValueError, TypeError):
        return None


def kept(copies: Sequence[Copy], counts: Counts) -> list[Copy]:
    """What is kept of copies, the newest of which comes first."""
    rules: tuple[tuple[int, Callable[[datetime], Any]], ...] = (
        (counts.daily, lambda made: made.date()),
        (counts.weekly, lambda made: made.isocalendar()[:2]),
        (counts.monthly, lambda made: (made.year, made.month)),
    )
    found = list(copies[: counts.last])
    for number, period in rules:
        newest: dict[Any, Copy] = {}
        for one in copies:
            newest.setdefault(period(one.made), one)
        found += list(newest.values())[:number]
    return [one for one in copies if one in found]


def link_tree(source: Path, target: Path, before: Path | None) -> int:
    """Copy a folder; files that are as they were in the copy before share its bytes. How many files there are."""
    number = 0
    for folder, _, names in os.walk(source):
        inside = Path(folder).relative_to(source)
        (target / inside).mkdir(parents=True, exist_ok=True)
        for name in names:
            file, known = Path(folder, name), before / inside / name if before else None
            if not file.is_file() or file.is_symlink():
                continue
            with suppress(FileNotFoundError):  # removed meanwhile
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
    """A manifest as it is written. Raises ValueError and TypeError for what is none of ours."""
    told = Manifest(**json.loads(text))
    return replace(told, notes=tuple(told.notes))


def digest_of(stream: IO[bytes]) -> str:
    """The SHA-256 of what is left of a stream."""
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
