"""Backups in an S3-compatible bucket: upload, verify, download and retention.

A backup is a set of keys with a common prefix, like a folder on disk. Its manifest is uploaded last and deleted first,
so a backup with a manifest is complete. All calls block: use them in the backup process.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from octavo.content.media.storage.base import StorageProblem
from octavo.content.media.storage.s3 import S3Options, connect
from octavo.core.values import dataclass
from octavo.operations.backups.store import (
    LARGEST_MANIFEST,
    MANIFEST,
    BackupFailed,
    Copy,
    Counts,
    Store,
    digest_of,
    kept,
    read_manifest,
)
from octavo.settings import Settings

_NAME: Final = re.compile(r"\d{8}T\d{6}Z")
_ABANDONED: Final = timedelta(days=1)
"""Age after which files without a manifest are an abandoned upload, not one in progress."""


@dataclass(frozen=True, slots=True)
class Sent:
    """Backups that were uploaded to a place and verified there, and those that were deleted there."""

    place: str
    sent: list[Copy]
    removed: list[Copy]


def bucket_of(settings: Settings) -> "Bucket | None":
    """Return the bucket in the settings, or None. Raises BackupFailed if the required library is missing."""
    given = settings.database.backups.bucket
    if not given.name:
        return None
    return Bucket(
        S3Options(
            bucket=given.name,
            folder=settings.project,
            region=given.region,
            endpoint=given.endpoint,
            path_style=given.force_path_style,
            access_key_id=given.access_key_id,
            secret_access_key=given.secret_access_key,
            session_token=given.session_token,
        ),
        given.prefix,
    )


class Bucket:
    """The backups in a bucket, below a prefix."""

    def __init__(self, options: S3Options, prefix: str) -> None:
        try:
            self._client, self._failures = connect(options)
        except StorageProblem as error:
            raise BackupFailed("Backups in a bucket require a package: pip install 'octavo[s3]'") from error
        self._bucket = options.bucket
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""

    @property
    def place(self) -> str:
        """The bucket's URL, for display."""
        return f"s3://{self._bucket}/{self._prefix}".rstrip("/")

    def copies(self) -> list[Copy]:
        """Return all complete backups, newest first; the path of each is its name. Raises BackupFailed."""
        copies = [copy for key, _ in self._keys() if key.endswith(f"/{MANIFEST}") and (copy := self._read(key))]
        return sorted(copies, key=lambda one: one.manifest.made_at, reverse=True)

    def keep(self, here: Sequence[Copy], counts: Counts) -> Sent:
        """Upload the local backups to retain, and delete those that retention no longer covers. Raises BackupFailed."""
        there = {copy.path.name: copy for copy in self.copies()}
        everything = {copy.path.name: copy for copy in here} | there
        newest_first = sorted(everything.values(), key=lambda one: one.manifest.made_at, reverse=True)
        wanted = {copy.path.name for copy in kept(newest_first, counts)}
        sent = [copy for copy in here if copy.path.name in wanted - there.keys()]
        for copy in sent:
            self._send(copy)
        removed = [copy for name, copy in there.items() if name not in wanted]
        for copy in removed:
            self._remove(f"{copy.path.name}/{MANIFEST}", f"{copy.path.name}/{copy.manifest.file}")
        self._remove_abandoned()
        return Sent(self.place, sent, removed)

    def verify(self, copy: Copy) -> str:
        """Read a backup to its end and return how it was verified. Raises BackupFailed if its digest differs."""
        key = f"{copy.path.name}/{copy.manifest.file}"
        with self._speaking():
            body = self._client.get_object(**self._at(key))["Body"]
            digest = digest_of(body)
        if digest != copy.manifest.digest:
            raise BackupFailed(f"{self.place}/{key} differs from the uploaded file")
        return "read"

    def fetch(self, name: str, store: Store) -> Copy:
        """Download a backup into the folder, unchanged. Raises BackupFailed and OSError."""
        copy = next((one for one in self.copies() if one.path.name == name), None)
        if copy is None:
            raise BackupFailed(f"There is no backup {name} in {self.place}")
        manifest = copy.manifest
        with store.alone():
            if any(one.path.name == name for one in store.copies()):
                raise BackupFailed(f"{name} is already in {store.folder}")
            store.require(manifest.bytes)
            with store.unfinished(manifest.made_at) as path:
                with self._speaking():
                    at = self._at(f"{name}/{manifest.file}")
                    self._client.download_file(at["Bucket"], at["Key"], str(path / manifest.file))
                with (path / manifest.file).open("rb") as stream:
                    found = digest_of(stream)
                if found != manifest.digest:
                    raise BackupFailed(f"{self.place}/{name}/{manifest.file} differs from the uploaded file")
                return store.finish(path, replace(manifest, uploads=0))

    def _send(self, copy: Copy) -> None:
        name, file = copy.path.name, copy.path / copy.manifest.file
        with file.open("rb") as stream:
            digest = digest_of(stream)
        if digest != (copy.manifest.digest or digest):
            raise BackupFailed(f"{file} differs from the verified file")
        manifest = replace(copy.manifest, digest=digest)
        at = self._at(f"{name}/{manifest.file}")
        with self._speaking():
            self._client.upload_file(str(file), at["Bucket"], at["Key"])  # large files are uploaded in parts
        try:
            self.verify(Copy(copy.path, manifest))
        except BackupFailed:
            with suppress(BackupFailed):
                self._remove(f"{name}/{manifest.file}")
            raise
        with self._speaking():
            self._client.put_object(**self._at(f"{name}/{MANIFEST}"), Body=manifest.text.encode())
        if self._read(f"{name}/{MANIFEST}") != Copy(Path(name), manifest):
            raise BackupFailed(f"{self.place}/{name}/{MANIFEST} differs from the uploaded file")

    def _read(self, key: str) -> Copy | None:
        """Return the backup of a manifest, or None for another file."""
        name = key.rpartition("/")[0]
        if not _NAME.fullmatch(name):
            return None
        with self._speaking():
            body = self._client.get_object(**self._at(key))["Body"].read(LARGEST_MANIFEST)
        try:
            return Copy(Path(name), read_manifest(body))
        except (ValueError, TypeError):
            return None

    def _remove_abandoned(self) -> None:
        """Delete the files of uploads whose process was killed."""
        keys = dict(self._keys())
        for key, changed in keys.items():
            name = key.partition("/")[0]
            is_ours = _NAME.fullmatch(name) and f"{name}/{MANIFEST}" not in keys
            if is_ours and key.count("/") == 1 and changed < datetime.now(UTC) - _ABANDONED:
                self._remove(key)

    def _remove(self, *keys: str) -> None:
        for key in keys:
            with self._speaking():
                self._client.delete_object(**self._at(key))

    def _keys(self) -> Iterator[tuple[str, datetime]]:
        """Yield the keys below the prefix, without it, and when each was written."""
        with self._speaking():
            pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=self._prefix)
            for page in pages:
                for item in page.get("Contents", ()):
                    yield item["Key"].removeprefix(self._prefix), item["LastModified"]

    def _at(self, key: str) -> dict[str, Any]:
        return {"Bucket": self._bucket, "Key": self._prefix + key}

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """Raise the library's errors as BackupFailed."""
        try:
            yield
        except self._failures as error:
            raise BackupFailed(f"{self.place} cannot be used: {error}") from error
