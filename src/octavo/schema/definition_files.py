"""Read definition files in v4's layout: `api`, `components` and `extensions` of a project's `src` and of plugins."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.core.values import dataclass
from octavo.schema.naming import component_uid, content_type_uid, kebab_case
from octavo.schema.problems import DefinitionProblem, warning


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """A folder of definitions and code. File names in messages are relative to `root`. `package`: the import name of an
    installed package."""

    path: Path
    root: Path
    package: str | None = None

    def name(self, file: Path) -> str:
        """Return a file's name in messages."""
        return file.relative_to(self.root).as_posix() if file.is_relative_to(self.root) else file.as_posix()


def project_source(project: Path) -> SourceFolder:
    """Return the `src` folder of a project."""
    return SourceFolder(project / "src", project)


Raw = dict[str, Any]

TYPE_FILES = "content-types/*/schema.json"
_DEFINITION_FOLDERS = {"content-types", "contenttypes", "models", "schema.json"}
LARGEST_DEFINITION = 4 * MEGABYTE
"""Maximum bytes of a definition file."""


@dataclass(frozen=True, slots=True)
class DefinitionFile:
    """A definition file: the UID of its definition, its JSON object, and its path in the project."""

    uid: str
    raw: Raw
    name: str


@dataclass(frozen=True, slots=True)
class PluginDefinitions:
    """The content types of a v4 project's plugins, and warnings.

    `found` and `disabled` are the names of plugins; `missing` are those whose folder does not exist.
    """

    files: tuple[DefinitionFile, ...] = ()
    problems: tuple[DefinitionProblem, ...] = ()
    missing: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()


class DefinitionFiles:
    """Reads the definition files of source folders, and collects errors in `problems`."""

    def __init__(self, folders: Sequence[SourceFolder], problems: list[DefinitionProblem]) -> None:
        self._folders = folders
        self._problems = problems

    def components(self) -> Iterator[DefinitionFile]:
        """Yield `components/<category>/<name>.json`."""
        for path, raw, name in self._read("components/*/*.json"):
            yield DefinitionFile(component_uid(path.parent.name, path.stem), raw, name)

    def content_types(self) -> Iterator[DefinitionFile]:
        """Yield `api/<api>/content-types/<name>/schema.json`, and the same below `plugins/<plugin>`."""
        for path, raw, name in self._read(f"api/*/{TYPE_FILES}"):
            singular = _singular_name(raw) or kebab_case(path.parent.name)
            yield DefinitionFile(content_type_uid(path.parts[-4], singular), raw, name)
        yield from self._of_plugins()

    def extensions(self) -> Iterator[DefinitionFile]:
        """Yield `extensions/<plugin>/content-types/<name>/schema.json`; like v4, ignore the case of both names."""
        for path, raw, name in self._read(f"extensions/*/{TYPE_FILES}"):
            yield DefinitionFile(f"plugin::{path.parts[-4]}.{path.parts[-2]}".lower(), raw, name)

    def unread_extensions(self) -> Iterator[str]:
        """Yield the names of JSON files in `extensions` that look like definitions, but are not where v4 reads them."""
        for folder in self._folders:
            read = set(folder.path.glob(f"extensions/*/{TYPE_FILES}"))
            for path in sorted(folder.path.glob("extensions/**/*.json")):
                parts = {part.lower() for part in path.relative_to(folder.path).parts}
                if path not in read and parts & _DEFINITION_FOLDERS and "node_modules" not in parts:
                    yield folder.name(path)

    def types_in(self, owner: str) -> Iterator[DefinitionFile]:
        """Yield `content-types/<name>/schema.json` as types of `owner`, for example `plugin::shop`."""
        for path, raw, name in self._read(TYPE_FILES):
            yield DefinitionFile(f"{owner}.{_singular_name(raw) or path.parent.name}", raw, name)

    def _of_plugins(self) -> Iterator[DefinitionFile]:
        """Yield the definitions of plugins in the project. v4's `server` folder is used if the plugin is written in
        Python."""
        for place in ("", "server/"):
            for path, raw, name in self._read(f"plugins/*/{place}{TYPE_FILES}"):
                folder = path.parents[3 if place else 2]
                if place and not any(folder.glob("*/*.py")):
                    continue
                yield DefinitionFile(f"plugin::{folder.name}.{_singular_name(raw) or path.parent.name}", raw, name)

    def _read(self, pattern: str) -> Iterator[tuple[Path, Raw, str]]:
        for folder in self._folders:
            for path in sorted(folder.path.glob(pattern)):
                if path.name.startswith("."):  # created by editors
                    continue
                raw = self._parse(path, folder.name(path))
                if raw is not None:
                    yield path, raw, folder.name(path)

    def _parse(self, path: Path, name: str) -> Raw | None:
        try:
            raw = json.loads(read_own_file(path, LARGEST_DEFINITION).decode("utf-8-sig"), object_pairs_hook=_Object)
        except (OSError, UnicodeDecodeError) as error:
            self._problems.append(DefinitionProblem(name, "", f"cannot be read: {error}"))
        except json.JSONDecodeError as error:
            self._problems.append(DefinitionProblem(name, f"line {error.lineno}", f"is not valid JSON: {error.msg}"))
        except RecursionError:
            self._problems.append(DefinitionProblem(name, "", "is nested too deeply"))
        else:
            if isinstance(raw, dict):
                self._problems += _repeated(raw, name, "")
                return raw
            self._problems.append(DefinitionProblem(name, "", "must contain a JSON object"))
        return None


class _Object(dict[str, Any]):
    """A JSON object that records duplicate keys. The last one counts."""

    __slots__ = ("repeated",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(key for key, _ in pairs) if len(self) < len(pairs) else {}
        self.repeated = [key for key, count in counts.items() if count > 1]


def _repeated(value: Any, source: str, path: str) -> Iterator[DefinitionProblem]:
    if isinstance(value, _Object):
        for key in value.repeated:
            yield warning(source, _joined(path, key), "is written more than once; the last one counts")
    for place, item in _items(value):
        yield from _repeated(item, source, _joined(path, str(place)))


def _items(value: Any) -> Iterable[tuple[object, Any]]:
    if isinstance(value, Mapping):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _singular_name(raw: Mapping[str, Any]) -> str | None:
    info = raw.get("info")
    name = info.get("singularName") if isinstance(info, dict) else None
    return name if isinstance(name, str) else None
