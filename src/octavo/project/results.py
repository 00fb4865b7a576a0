"""What a project's code gets and gives when it speaks of content."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from octavo.values import dataclass

EntryT = TypeVar("EntryT")


class Entry(dict[str, Any]):
    """An entry as a dictionary: `id`, attributes, and what was populated. `uid` is its content-type's.

    `meta` is what REST shows in its `meta`, where it was read along.
    """

    __slots__ = ("meta", "uid")

    def __init__(self, uid: str, values: dict[str, Any], meta: dict[str, Any] | None = None) -> None:
        super().__init__(values)
        self.uid = uid
        self.meta = meta

    @property
    def id(self) -> int:
        """The entry's id."""
        return int(self["id"])


@dataclass(frozen=True, slots=True)
class EntryPage(Generic[EntryT]):
    """One page of entries and what `meta.pagination` tells of it.

    Where a resolver answers a plain list, the list is taken as the first page of all there is.
    """

    entries: Sequence[EntryT]
    total: int
    page: int = 1
    page_size: int = 10

    @property
    def page_count(self) -> int:
        """How many pages there are."""
        return -(-self.total // self.page_size)
