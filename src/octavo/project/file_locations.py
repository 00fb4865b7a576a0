"""The locations of a project's Python files, and the names derived from them, which are v4's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from octavo.schema.naming import kebab_case

OWNERS: Final = {"api": "api", "extensions": "plugin", "plugins": "plugin"}
"""Prefixes of names, by the folder in `src`: `plugins` are the project's own plugins, `extensions` extend built-in
ones."""


def below_owners(folder: str) -> tuple[str, ...]:
    """Return the patterns for files in a folder of each API and each plugin."""
    return tuple(f"{owners}/*/{folder}/*.py" for owners in OWNERS)


def python_files(source: Path, *patterns: str) -> Iterator[Path]:
    """Yield the matching files in `src`, pattern by pattern, except hidden ones, which editors create."""
    for pattern in patterns:
        for path in sorted(source.glob(pattern)):
            if path.name != "__init__.py" and not path.name.startswith("."):
                yield path


def owner_name(path: Path, source: Path) -> str:
    """Return `api::talk` for `src/api/talk`, `plugin::upload` for `src/extensions/upload`, `plugin::shop` for
    `src/plugins/shop`, and `global::` otherwise."""
    kind, owner, *_ = path.relative_to(source).parts
    return f"{OWNERS[kind]}::{kebab_case(owner)}" if kind in OWNERS else "global::"


def code_name(path: Path, source: Path) -> str:
    """Return the name of a file's code: `global::is_owner`, `api::talk.is-owner`, `plugin::upload.content-api`."""
    owner = owner_name(path, source)
    return f"{owner}{path.stem}" if owner.endswith("::") else f"{owner}.{kebab_case(path.stem)}"
