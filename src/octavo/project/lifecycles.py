"""`lifecycles.py` of a content type: hooks, named after their events."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.project.modules import OWNERS

PATTERNS: Final = tuple(f"{folder}/*/content-types/*/lifecycles.py" for folder in OWNERS)
MOMENTS: Final = ("before", "after")


@dataclass(frozen=True, slots=True)
class Lifecycles:
    """The hooks of one file, by name. `owner` is `api::talk` or `plugin::upload`; `folder` the content type's."""

    owner: str
    folder: str
    place: str
    functions: Mapping[str, Any]


def paths(source: Path) -> Iterator[Path]:
    """Yield the `lifecycles.py` files in `src`."""
    for pattern in PATTERNS:
        yield from sorted(source.glob(pattern))


def owner_of(path: Path) -> tuple[str, str]:
    """Return `api::talk`, and the folder of the content type, for a `path` relative to `src`."""
    kind, owner, _, folder, _ = path.parts
    return f"{OWNERS[kind]}::{owner}", folder


def read_lifecycles(path: Path, place: str, module: ModuleType) -> Lifecycles:
    """Return the hooks in a file; `path` is relative to `src`. Event names are validated later."""
    said = {name: value for name, value in vars(module).items() if name.startswith(MOMENTS)}
    return Lifecycles(*owner_of(path), place, said)
