"""Indexes that a content-type declares: what lists are sorted by, and what `$containsi` looks into."""

from typing import Final

from octavo.core.values import dataclass

CONTAINS: Final = "contains"
"""An index for parts of texts."""
ORDER: Final = "order"
"""An index for sorting and comparing."""


@dataclass(frozen=True, slots=True)
class IndexKey:
    """One attribute of an index, and its direction there."""

    attribute: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class DeclaredIndex:
    """An index over scalars of a content-type, the first one deciding first. `kind` is `ORDER` or `CONTAINS`."""

    keys: tuple[IndexKey, ...]
    kind: str = ORDER
