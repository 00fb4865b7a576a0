"""HiddenEntries: the content types that have entries which are stored and not served."""

from collections.abc import Iterable


class HiddenEntries:
    """Content types with hidden entries, by UID.

    A type that loses drafts keeps its drafts, and a type that loses locales the entries of other locales. The database
    knows which ones they are (`database/option_changes`); this is read at the start, before any statement is compiled.
    """

    __slots__ = ("_uids",)

    def __init__(self) -> None:
        self._uids: frozenset[str] = frozenset()

    def know(self, uids: Iterable[str]) -> None:
        """Replace what is known."""
        self._uids = frozenset(uids)

    def __contains__(self, uid: object) -> bool:
        return uid in self._uids
