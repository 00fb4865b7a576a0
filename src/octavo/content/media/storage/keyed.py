"""Base class for storages that keep files as objects of a service, with keys below a root folder."""

from abc import abstractmethod
from collections.abc import Iterable

from octavo.content.media.storage.base import NamedStorage, safe_folder
from octavo.content.media.storage.object_names import ObjectNames


class KeyedStorage(NamedStorage):
    """Files as objects; `_names` converts their names to keys and URLs."""

    _names: ObjectNames

    @abstractmethod
    def remove(self, names: Iterable[str]) -> None:
        """Delete files; missing ones are ignored."""

    def move(self, name: str, target: str) -> None:
        if not self.copy(name, target):
            raise FileNotFoundError(name)
        self.remove([name])

    def settle(self) -> None:
        """Do nothing: acknowledged writes are durable."""

    def prefix_of(self, path: str) -> str:
        return safe_folder(path)

    def url_of(self, name: str) -> str:
        return self._names.url_of(name)
