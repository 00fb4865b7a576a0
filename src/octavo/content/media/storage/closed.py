"""ClosedStorage: for a provider that Octavo does not support or cannot use. Files cannot be uploaded, replaced or
deleted; existing ones stay available by URL."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from octavo.content.media.storage.base import ReplacedObject, StoredObject, Workspace
from octavo.core.errors import ServiceUnavailable


class ClosedStorage:
    """Refuses every write. `reason` is logged."""

    signs = False
    providers: Collection[str] = ()

    def __init__(self, provider: str, folder: Path, reason: str) -> None:
        self.provider = provider
        self.workspace = Workspace(folder)
        self._reason = reason

    def write(self, path: Path, name: str, mime: str) -> StoredObject:
        raise self._refusal()

    def exchange(self, place: str, name: str, backup: str) -> ReplacedObject:
        raise self._refusal()

    def move(self, name: str, target: str) -> None:
        raise self._refusal()

    def remove(self, names: Iterable[str]) -> None:
        """Do nothing."""

    def settle(self) -> None:
        """Do nothing."""

    def prefix_of(self, path: str) -> str:
        raise self._refusal()

    def name_for(self, prefix: str, stem: str, extension: str) -> str:
        raise self._refusal()

    def folder_of(self, name: str) -> str:
        raise self._refusal()

    def name_of(self, url: str, metadata: Mapping[str, Any] | None = None) -> str | None:
        return None

    def sign(self, url: str) -> str:
        return url

    def _refusal(self) -> ServiceUnavailable:
        return ServiceUnavailable("Files cannot be uploaded", reason=self._reason)
