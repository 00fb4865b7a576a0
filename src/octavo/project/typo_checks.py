"""Files, folders and functions that have nearly a name with a meaning: without a word they would do nothing."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Final

from octavo.core.text_limits import close_match
from octavo.project.file_locations import OWNERS
from octavo.project.lifecycles import MOMENTS

_FOLDERS: Final = ("content-types", "controllers", "middlewares", "policies", "routes", "services")
_HOOKS: Final = "lifecycles"
_NEAR: Final = 0.9
"""How alike names are that differ by a letter: `controler`, `service`, `boostrap`; `devices` are no `services`."""

_VERBS: Final = ("create", "update", "delete", "publish", "unpublish", "find", "commit")
_NEAR_MOMENT: Final = 0.7
"""Of short words: `aftr`, `befor`."""


def misplaced_files(source: Path) -> Iterator[tuple[Path, str]]:
    """Files below a project's `src` that stand beside the place where they would be read, and what is wrong."""
    for pattern in ("*", *(f"{owners}/*/*" for owners in OWNERS)):
        for path in sorted(source.glob(pattern)):
            near = close_match(path.stem, _FOLDERS, _NEAR)
            if near is None:
                continue
            if path.suffix == ".py":
                yield path, f"is not read here: it belongs into a folder, {near}/NAME.py"
            elif path.name != near and path.is_dir() and any(path.glob("*.py")):
                yield path, f"no folder of this name is read; did you mean {near}?"
    for owners in OWNERS:
        for path in sorted(source.glob(f"{owners}/*/content-types/*/*.py")):
            if path.stem != _HOOKS and close_match(path.stem, [_HOOKS], _NEAR):
                yield path, f"no file of this name is read; did you mean {_HOOKS}.py?"


def misnamed_functions(module: ModuleType, known: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with functions of a module that have nearly one of the names that are called."""
    for name, value in vars(module).items():
        if name not in known and callable(value) and getattr(value, "__module__", None) == module.__name__:
            near = close_match(name, known, _NEAR)
            if near is not None:
                yield f"{name}: no function of this name is called; did you mean {near}?"


def misnamed_hooks(module: ModuleType) -> Iterator[str]:
    """What is wrong with functions of `lifecycles.py` whose names nearly begin as those of hooks do."""
    for name, value in vars(module).items():
        first, _, event = name.partition("_")
        if event.startswith(_VERBS) and first not in MOMENTS and getattr(value, "__module__", None) == module.__name__:
            moment = close_match(first, MOMENTS, _NEAR_MOMENT)
            if moment is not None:
                yield f"{name}: no function of this name is called; did you mean {moment}_{event}?"
