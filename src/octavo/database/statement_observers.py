"""Statements are seen by whoever wants to know how long they take."""

from time import perf_counter

from octavo.database.connection import Watch


class seen:  # noqa: N801 - it reads as a word of the language
    """A statement, or an attempt at one, inside of a block: told in the end, unless nobody watches."""

    __slots__ = ("_began", "_text", "_watch")

    def __init__(self, watch: Watch | None, text: str) -> None:
        self._watch = watch
        self._text = text

    def __enter__(self) -> None:
        self._began = perf_counter()

    def __exit__(self, *_: object) -> None:
        if self._watch is not None:
            self._watch.tell(self._text, perf_counter() - self._began)
