"""The code of an unchanged v4 project, stored as JSON, so that a start does not parse it again.

The key contains the contents of all files that could be read, so a stored result of other files is never used.
"""

import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import octavo
from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.project.routes import Access
from octavo.schema.registry import Registry
from octavo.settings.package_json import DeclaredPlugin, find_v4_project
from octavo.v4.code import code as values
from octavo.v4.code.code import Code
from octavo.v4.code.plugins import find_plugins
from octavo.v4.javascript.source import Place, resolved_inside

logger = logging.getLogger(__name__)

FILE: Final = ".octavo/v4-code.json"
"""In the project."""
_LARGEST: Final = 32 * MEGABYTE
_LARGEST_SOURCE: Final = 4 * MEGABYTE
_MOST_FILES: Final = 20_000
_SUFFIXES: Final = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".json", ".py")
_PASSED_OVER: Final = frozenset((".git", ".octavo", ".tmp", ".cache", "dist", "build", "public"))
"""Folders of the project itself, unless a plugin or the target of a link is there."""
_PACKAGES: Final = "node_modules"
_INSTALLED: Final = (".package-lock.json", ".yarn-integrity", ".modules.yaml")
"""What npm, Yarn and pnpm write when they install packages."""
_CLASSES: Final = {
    kind.__name__: kind
    for kind in (
        *(values.Finding, values.Guard, values.QueryChange, values.Shape, values.Route, values.Hook, values.Switch),
        *(values.FieldRule, Code, Place, Access),
    )
}
_ENUMS: Final = {kind.__name__: kind for kind in (values.Kind, values.State)}


class TooManyFiles(Exception):
    """The project has too many files to compare."""


def cached_code(
    project: Path, registry: Registry, declared: Iterable[DeclaredPlugin], read: Callable[[], Code]
) -> Code:
    """Return the stored code of an unchanged project; else read it, and store it."""
    try:
        key = _key(project, registry, declared)
    except (OSError, TooManyFiles) as error:
        logger.debug("Cannot compare the files of %s: %s", project, error)
        return read()
    path = project / FILE
    code = _stored(path, key)
    if code is None:
        code = read()
        _store(path, {"key": key, "code": encode(code)})
    return code


def _stored(path: Path, key: str) -> Code | None:
    """Return the stored code if it has this key."""
    try:
        stored = json.loads(read_own_file(path, _LARGEST))
        code = decode(stored["code"]) if stored["key"] == key else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        logger.debug("Cannot use %s: %s", path, error)
        return None
    return code if isinstance(code, Code) else None


def _store(path: Path, content: Any) -> None:
    """Write a file that only its owner can read, in one step. A read-only folder is not an error."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(exist_ok=True)
        temporary.touch(0o600)
        temporary.write_text(json.dumps(content), "utf-8")
        temporary.replace(path)
    except (OSError, TypeError) as error:
        logger.debug("Cannot write %s: %s", path, error)


def _key(project: Path, registry: Registry, declared: Iterable[DeclaredPlugin]) -> str:
    digest = sha256()
    declared = tuple(declared)
    for part in (*_own_files(), *map(repr, declared), *_definitions(registry)):
        digest.update(f"{part}\n".encode())
    for path in _files(project, _plugin_folders(project, declared)):
        name = path.relative_to(project).as_posix()
        if path.is_dir():
            digest.update(f"{name} {path.readlink()}\n".encode())
        elif _PACKAGES in path.parts:
            status = path.stat()
            digest.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
        else:
            digest.update(f"{name}\n".encode() + sha256(read_own_file(path, _LARGEST_SOURCE)).digest())
    return digest.hexdigest()


def _own_files() -> Iterator[str]:
    """Yield what changes with the code that reads: the version, and its files in a checkout."""
    yield octavo.__version__
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        status = path.stat()
        yield f"{path.name} {status.st_size} {status.st_mtime_ns}"


def _definitions(registry: Registry) -> Iterator[str]:
    for definition in registry.definitions():
        yield f"{definition.uid} {definition.localized} {list(definition.attributes)}"


def _plugin_folders(project: Path, declared: Iterable[DeclaredPlugin]) -> list[Path]:
    v4_project = find_v4_project(project)
    plugins = () if v4_project is None else find_plugins(project, declared, v4_project.packages).found
    return [plugin.folder for plugin in plugins]


def _files(project: Path, plugins: Iterable[Path]) -> Iterator[Path]:
    """Yield all files of the project that code can consist of, linked folders, and the records of its packages."""
    count = 0
    waiting, known = [*plugins, project], set()
    while waiting:
        for folder, names, files in os.walk(waiting.pop()):
            path = Path(folder)
            outside = _PASSED_OVER if path == project else ()
            names[:] = sorted(name for name in names if name not in outside and name != _PACKAGES)
            if path in known:
                names.clear()
                continue
            known.add(path)
            for link in filter(Path.is_symlink, (path / name for name in names)):
                yield link
                real = resolved_inside(link, project)
                waiting += [] if real is None else [project / real.relative_to(project.resolve())]
            for file in sorted(files):
                if file.endswith(_SUFFIXES):
                    count += 1
                    if count > _MOST_FILES:
                        raise TooManyFiles
                    yield path / file
    yield from filter(Path.is_file, (project / _PACKAGES / name for name in _INSTALLED))


def encode(value: Any) -> Any:
    """Return a value of `Code` as JSON: lists whose first item is the kind, scalars unchanged."""
    if is_dataclass(value) and not isinstance(value, type):
        return ["class", type(value).__name__, {one.name: encode(getattr(value, one.name)) for one in fields(value)}]
    if isinstance(value, Enum):
        return ["enum", type(value).__name__, value.value]
    if isinstance(value, dict):
        return ["dict", [[key, encode(item)] for key, item in value.items()]]
    if isinstance(value, tuple | list | frozenset):
        items = sorted(value) if isinstance(value, frozenset) else value
        return [type(value).__name__, [encode(item) for item in items]]
    return value


def decode(value: Any) -> Any:
    """Return the value of its JSON. Raises ValueError and KeyError for other JSON."""
    if not isinstance(value, list):
        return value
    match value:
        case ["class", name, dict(members)]:
            return _CLASSES[name](**{key: decode(item) for key, item in members.items()})
        case ["enum", name, word]:
            return _ENUMS[name](word)
        case ["dict", list(items)]:
            return {key: decode(item) for key, item in items}
        case ["tuple", list(items)]:
            return tuple(map(decode, items))
        case ["list", list(items)]:
            return list(map(decode, items))
        case ["frozenset", list(items)]:
            return frozenset(map(decode, items))
    raise ValueError("unknown JSON")
