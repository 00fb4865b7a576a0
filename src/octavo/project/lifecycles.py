"""`lifecycles.py` of a content-type: functions that are named by what they are called before or after."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

OWNERS: Final = {"api": "api", "extensions": "plugin"}
PATTERNS: Final = tuple(f"{folder}/*/content-types/*/lifecycles.py" for folder in OWNERS)
_MOMENTS: Final = ("before", "after")


@dataclass(frozen=True, slots=True)
class Lifecycles:
    """The functions of one file, by name. `owner` is `api::talk` or `plugin::upload`; `folder` the content-type's."""

    owner: str
    folder: str
    place: str
    functions: Mapping[str, Any]


def read_lifecycles(path: Path, place: str, module: ModuleType) -> Lifecycles:
    """What a file defines; `path` is below `src`. Whether there are such events is looked at later."""
    kind, owner, _, folder, _ = path.parts
    return Lifecycles(f"{OWNERS[kind]}::{owner}", folder, place, dict(_functions(module)))


def _functions(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name, value in vars(module).items():
        if name.startswith(_MOMENTS) and callable(value):
            yield name, value
