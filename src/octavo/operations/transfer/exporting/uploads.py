"""Uploaded files as an archive holds them: every file and every smaller format of it, each with what is known of it."""

from collections.abc import Iterator, Mapping
from typing import Any

from octavo.content.media.storage.base import ReadableStorage, Storage, is_safe
from octavo.operations.transfer.archive.writer import ArchiveWriter
from octavo.operations.transfer.problems import Problems


class UploadExporter:
    """Adds files to an archive. `files` counts them; `missing` are those that the storage does not have."""

    def __init__(self, archive: ArchiveWriter, storage: Storage) -> None:
        self._archive = archive
        self._storage = storage
        self.files = 0
        self.missing = Problems()

    def add(self, file: Mapping[str, Any]) -> None:
        """The file of a row, and its formats."""
        for about in (dict(file), *_formats(file)):
            self._add(about)

    def _add(self, about: dict[str, Any]) -> None:
        url = about.get("url")
        name = f"{about.get('hash')}{about.get('ext') or ''}"
        metadata = about.get("provider_metadata")
        told = metadata if isinstance(metadata, dict) else None
        stored = self._storage.name_of(url, told) if isinstance(url, str) else None
        if stored is None or not is_safe(name) or not isinstance(self._storage, ReadableStorage):
            self.missing.add(f"{url}: is not kept by the project itself")
            return
        try:
            content = self._storage.open(stored)
        except FileNotFoundError:
            self.missing.add(f"{url}: is not there")
            return
        with content:
            self._archive.add_upload(name, content, about)
        self.files += 1


def _formats(file: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    formats = file.get("formats")
    for kind, about in formats.items() if isinstance(formats, dict) else ():
        if isinstance(about, dict):
            yield {**about, "type": kind, "id": file["id"], "mainHash": file.get("hash")}
