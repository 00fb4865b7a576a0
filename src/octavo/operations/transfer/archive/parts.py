"""The parts of an archive, as named by v4's commands."""

from enum import StrEnum
from typing import Final

METADATA: Final = "metadata.json"
SCHEMAS: Final = "schemas"
ENTITIES: Final = "entities"
LINKS: Final = "links"
CONFIGURATION: Final = "configuration"
UPLOADS: Final = "assets/uploads"
UPLOADS_METADATA: Final = "assets/metadata"

ENCRYPTED: Final = ".enc"
COMPRESSED: Final = ".gz"


class Part(StrEnum):
    """The values of `--only` and `--exclude`."""

    CONTENT = "content"
    FILES = "files"
    CONFIG = "config"


def chosen_parts(only: str | None, exclude: str | None) -> frozenset[Part]:
    """Return the parts that comma-separated lists select. Raises ValueError."""
    kept = _listed(only) if only is not None else frozenset(Part)
    return kept - _listed(exclude or "")


def _listed(names: str) -> frozenset[Part]:
    part_names = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in part_names if name not in list(Part)]
    if unknown:
        raise ValueError(f"unknown part {unknown[0]!r}; expected {', '.join(Part)}")
    return frozenset(map(Part, part_names))
