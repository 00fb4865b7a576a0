"""Where a project's Python stands, and which names that gives it; the names are v4's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from octavo.schema.naming import kebab_case

OWNERS: Final = {"api": "api", "extensions": "plugin", "plugins": "plugin"}
"""What the names of code begin with, by the folder of `src` that it stands in: `plugins` are the project's own, what
is built in is extended."""


def below_owners(folder: str) -> tuple[str, ...]:
    """The patterns of files in a folder of each API and of each plugin."""
    return tuple(f"{owners}/*/{folder}/*.py" for owners in OWNERS)


def python_files(source: Path, *patterns: str) -> Iterator[Path]:
    """The files below `src` that match, pattern by pattern; editors make those that begin with a dot."""
    for pattern in patterns:
        for path in sorted(source.glob(pattern)):
            if path.name != "__init__.py" and not path.name.startswith("."):
                yield path


def owner_name(path: Path, source: Path) -> str:
    """`api::talk` below `src/api/talk`, `plugin::upload` below `src/extensions/upload`, `plugin::shop` below
    `src/plugins/shop`, `global::` elsewhere."""
    kind, owner, *_ = path.relative_to(source).parts
    return f"{OWNERS[kind]}::{kebab_case(owner)}" if kind in OWNERS else "global::"


def code_name(path: Path, source: Path) -> str:
    """What the code in a file is called: `global::is_owner`, `api::talk.is-owner`, `plugin::upload.content-api`."""
    owner = owner_name(path, source)
    return f"{owner}{path.stem}" if owner.endswith("::") else f"{owner}.{kebab_case(path.stem)}"
