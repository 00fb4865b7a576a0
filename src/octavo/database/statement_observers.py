"""Report the durations of statements to observers."""

from time import perf_counter

from octavo.database.connection import Watch


class seen:  # noqa: N801 - it reads as a word of the language
    """Context manager around a statement or an attempt at one. It reports to the observer at the end, if there is
    one."""

    __slots__ = ("_began", "_text", "_watch")

    def __init__(self, watch: Watch | None, text: str) -> None:
        self._watch = watch
        self._text = text

    def __enter__(self) -> None:
        self._began = perf_counter()

    def __exit__(self, *_: object) -> None:
        if self._watch is not None:
            self._watch.report(self._text, perf_counter() - self._began)
