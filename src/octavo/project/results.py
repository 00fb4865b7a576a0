"""The types in which a project's code gets and returns content."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from octavo.core.values import dataclass
from octavo.query.numbers import page_count

EntryT = TypeVar("EntryT")


class Entry(dict[str, Any]):
    """An entry, as a dictionary with `id`, its attributes, and its populated relations."""

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
    """One page of entries, with the values for `meta.pagination`."""

    entries: Sequence[EntryT]
    total: int
    page: int = 1
    page_size: int = 10

    @property
    def page_count(self) -> int:
        """The number of pages."""
        return page_count(self.total, self.page_size)
