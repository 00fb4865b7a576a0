"""KnownIds: which ids there are, one bit each, in pages for those that are near one another."""

from typing import Final

_PAGE_BITS: Final = 16


class KnownIds:
    """A set of positive whole numbers that takes an eighth of a byte for each of a dense range."""

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def add(self, number: int) -> None:
        page = self._pages.setdefault(number >> _PAGE_BITS, bytearray(1 << (_PAGE_BITS - 3)))
        page[(number >> 3) & 0x1FFF] |= 1 << (number & 7)

    def __contains__(self, number: int) -> bool:
        page = self._pages.get(number >> _PAGE_BITS)
        return page is not None and bool(page[(number >> 3) & 0x1FFF] >> (number & 7) & 1)
