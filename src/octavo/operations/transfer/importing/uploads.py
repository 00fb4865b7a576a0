"""UploadImporter: import an archive's files into the storage. A failure restores the storage.

New files are stored before the database is committed, and old ones deleted after it. If the process is killed between,
unreferenced files remain, but never a row without its file.
"""

from collections.abc import Mapping
from typing import Any

from octavo.content.media.storage.base import (
    PrivateStorage,
    ReplacedObject,
    Storage,
    StoredObject,
    is_segment,
    temporary_in,
)
from octavo.core.errors import ServiceUnavailable
from octavo.core.media_types import ANY_TYPE, type_by_name
from octavo.operations.transfer.archive.parts import UPLOADS, UPLOADS_METADATA
from octavo.operations.transfer.archive.reader import ArchiveReader
from octavo.operations.transfer.problems import TransferError


class UploadImporter:
    """The files of one archive. `missing` counts those that are described but not included."""

    def __init__(self, archive: ArchiveReader, storage: Storage) -> None:
        self._archive = archive
        self._storage = storage
        self._staged: list[str] = []
        self._exchanged: list[ReplacedObject] = []
        self._kept: dict[str, StoredObject] = {}
        self.names = frozenset(archive.uploads())
        self.missing = 0

    def check(self) -> None:
        """Raise TransferError for invalid file names."""
        for name in self.names:
            if not is_segment(name):
                raise TransferError(f"{UPLOADS}/{name}: this file name is not allowed")

    def put(self) -> None:
        """Store all files. Raises TransferError."""
        try:
            for name in sorted(self.names):
                self._put(name)
            self._storage.flush()
        except ServiceUnavailable as error:
            raise TransferError(f"The files cannot be stored: {error.reason or error}") from error

    def _put(self, name: str) -> None:
        """Store a file. An existing file of this name is renamed until the import is finished."""
        mime = self._type(name)
        stem, dot, extension = name.rpartition(".")
        if not stem:
            stem, dot, extension = name, "", ""
        path = self._storage.workspace.temporary()
        try:
            with self._archive.open(f"{UPLOADS}/{name}") as content:
                self._storage.workspace.receive(content, path, self._archive.size(UPLOADS))
            staged = self._storage.write(path, temporary_in(self._storage, dot + extension), mime)
        finally:
            path.unlink(missing_ok=True)
        self._staged.append(staged.name)
        target = self._storage.name_for(self._storage.prefix_of(""), stem, dot + extension)
        exchanged = self._storage.exchange(staged.name, target, temporary_in(self._storage, dot + extension))
        self._exchanged.append(exchanged)
        self._kept[name] = exchanged.kept

    def _type(self, name: str) -> str:
        about = f"{UPLOADS_METADATA}/{name}.json"
        mime = self._archive.json(about).get("mime") if self._archive.has_file(about) else None
        return mime if isinstance(mime, str) else type_by_name(name) or ANY_TYPE

    def located(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a file's data with its URL in this storage."""
        kept = self._of(data)
        formats = data.get("formats")
        located = dict(data)
        if kept is not None:
            preview = {"previewUrl": kept.preview_url} if kept.preview_url else {}
            located |= {"provider": self._storage.provider, **kept.location, **preview}
        elif str(data.get("url", "")).startswith("/"):
            self.missing += 1
        if isinstance(formats, dict):
            located["formats"] = {kind: self._located_format(about) for kind, about in formats.items()}
        return located

    def _located_format(self, about: Any) -> Any:
        kept = self._of(about) if isinstance(about, dict) else None
        return about if kept is None else {**about, **kept.location}

    def _of(self, about: Mapping[str, Any]) -> StoredObject | None:
        return self._kept.get(f"{about.get('hash')}{about.get('ext') or ''}")

    def undo(self) -> None:
        """Restore the storage."""
        while self._exchanged:
            exchanged = self._exchanged.pop()
            if exchanged.backup is not None:
                self._storage.move(exchanged.backup, exchanged.kept.name)
            else:
                self._storage.remove([exchanged.kept.name])
        self._storage.remove(self._staged)

    def publish(self) -> None:
        """Make the imported files public: the imported rows are not marked as private."""
        if isinstance(self._storage, PrivateStorage) and self._storage.hides_files:
            self._storage.set_private([kept.name for kept in self._kept.values()], private=False)

    def finish(self, before: set[str]) -> None:
        """Delete files that are no longer needed, including those of the project `before` the import."""
        backups = [exchanged.backup for exchanged in self._exchanged if exchanged.backup is not None]
        names = {kept.name for kept in self._kept.values()}
        self._storage.remove([*backups, *(before - names)])
