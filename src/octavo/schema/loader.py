"""Reads a project's definition files: `src/api`, `src/components` and `src/extensions`, in v4's layout."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.check import check
from octavo.schema.content_types import ContentType
from octavo.schema.naming import component_uid, content_type_uid, kebab_case
from octavo.schema.parse import parse_component, parse_content_type
from octavo.schema.problems import DefinitionProblem, InvalidDefinitions
from octavo.schema.registry import Registry
from octavo.schema.tolerance import tolerate


def load_registry(project: Path) -> Registry:
    """All definitions of a project, with the built-in content-types. Raises InvalidDefinitions with every problem."""
    problems: list[DefinitionProblem] = []
    source = project / "src"
    components = [
        parse_component(uid, raw, name, problems) for uid, raw, name in _component_files(source, project, problems)
    ]
    extensions = {uid: (raw, name) for uid, raw, name in _extension_files(source, project, problems)}
    content_types = list(_builtin(extensions, problems))
    for api, raw, name in _api_files(source, project, problems):
        uid = content_type_uid(api, _singular_name(raw) or kebab_case(Path(name).parent.name))
        content_types.append(parse_content_type(uid, raw, name, problems))
    registry = Registry(content_types, components)
    try:
        check(registry)
    except InvalidDefinitions as unsound:
        problems += unsound.problems
    if problems:
        raise InvalidDefinitions(problems)
    return tolerate(registry)


def _singular_name(raw: dict[str, Any]) -> str | None:
    info = raw.get("info")
    name = info.get("singularName") if isinstance(info, dict) else None
    return name if isinstance(name, str) else None


def builtin_registry() -> Registry:
    """The built-in content-types alone."""
    problems: list[DefinitionProblem] = []
    registry = Registry(_builtin({}, problems), ())
    check(registry)
    return registry


def _builtin(
    extensions: dict[str, tuple[dict[str, Any], str]], problems: list[DefinitionProblem]
) -> Iterator[ContentType]:
    for uid, raw in BUILTIN_TYPES.items():
        extension, name = extensions.get(uid, ({}, "built-in"))
        yield parse_content_type(uid, {**raw, **extension}, name, problems)


def _read(path: Path, project: Path, problems: list[DefinitionProblem]) -> dict[str, Any] | None:
    name = path.relative_to(project).as_posix()
    try:
        raw = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        problems.append(DefinitionProblem(name, "", f"cannot be read: {error}"))
    except json.JSONDecodeError as error:
        problems.append(DefinitionProblem(name, f"line {error.lineno}", f"is not valid JSON: {error.msg}"))
    else:
        if isinstance(raw, dict):
            return raw
        problems.append(DefinitionProblem(name, "", "must hold a JSON object"))
    return None


TYPE_FILES = "content-types/*/schema.json"


def _api_files(
    source: Path, project: Path, problems: list[DefinitionProblem]
) -> Iterator[tuple[str, dict[str, Any], str]]:
    for path in sorted(source.glob(f"api/*/{TYPE_FILES}")):
        raw = _read(path, project, problems)
        if raw is not None:
            yield path.parts[-4], raw, path.relative_to(project).as_posix()


def _extension_files(
    source: Path, project: Path, problems: list[DefinitionProblem]
) -> Iterator[tuple[str, dict[str, Any], str]]:
    for path in sorted(source.glob(f"extensions/*/{TYPE_FILES}")):
        raw = _read(path, project, problems)
        if raw is not None:
            yield f"plugin::{path.parts[-4]}.{path.parts[-2]}", raw, path.relative_to(project).as_posix()


def _component_files(
    source: Path, project: Path, problems: list[DefinitionProblem]
) -> Iterator[tuple[str, dict[str, Any], str]]:
    for path in sorted(source.glob("components/*/*.json")):
        if path.name.startswith("."):  # made by editors
            continue
        raw = _read(path, project, problems)
        if raw is not None:
            yield component_uid(path.parent.name, path.stem), raw, path.relative_to(project).as_posix()
