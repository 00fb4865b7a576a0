"""Indexes that a content type declares, for sorting and for substring search with `$containsi`."""

from typing import Final

from octavo.core.values import dataclass

CONTAINS: Final = "contains"
"""A substring index."""
ORDER: Final = "order"
"""An index for sorting and comparing."""


@dataclass(frozen=True, slots=True)
class IndexKey:
    """One attribute of an index, and its direction."""

    attribute: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class DeclaredIndex:
    """An index over scalars of a content type, in order of significance. `kind` is `ORDER` or `CONTAINS`."""

    keys: tuple[IndexKey, ...]
    kind: str = ORDER
