"""Load a project's definitions as a registry, with all problems found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.schema.attributes import (
    CREATORS,
    LOCALE,
    LOCALIZATIONS,
    PUBLISHED_AT,
    TIMESTAMPS,
    UID,
    AnyAttribute,
    Enumeration,
)
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.builtin_attributes import with_builtin_attributes
from octavo.schema.check import unsound
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.custom_fields import CustomFields, known_custom_fields
from octavo.schema.definition_files import (
    DefinitionFile,
    DefinitionFiles,
    PluginDefinitions,
    SourceFolder,
    project_source,
)
from octavo.schema.definition_values import Reader
from octavo.schema.parse import parse_component, parse_content_type
from octavo.schema.problems import DefinitionProblem, InvalidDefinitions, did_you_mean, warning
from octavo.schema.registry import Registry
from octavo.schema.tolerance import tolerate, without_missing_plugins

"""The source of definitions that are not in a file of the project."""

ATTRIBUTE_KEYS: Final = frozenset(
    {
        *("type", "required", "private", "configurable", "writable", "visible", "unique", "default", "column"),
        *("min", "max", "minLength", "maxLength", "regex", "pluginOptions", "options", "customField"),
        *("enum", "enumName", "targetField", "multiple", "allowedTypes", "searchable", "index"),
        *("relation", "target", "inversedBy", "mappedBy", "morphBy"),
        *("useJoinTable", "joinColumn", "joinTable", "morphColumn", "owner"),
        *("component", "components", "repeatable", "displayName"),
    }
)
"""Keys that an attribute can have; the editor of v4 adds `displayName`. v4 accepts and ignores any other key."""

_SHARED: Final = (
    "is not localized, but a UID must be unique across all locales: a localization without its own value has none; "
    'add "pluginOptions": {"i18n": {"localized": true}}'
)
_AUTOMATIC: Final = frozenset({*TIMESTAMPS, *CREATORS, PUBLISHED_AT, LOCALE, LOCALIZATIONS})


def find_inconsistencies(registry: Registry) -> Iterator[DefinitionProblem]:
    """Yield all oddities, in the order of the definitions."""
    for definition in registry.definitions():
        if definition.source == BUILT_IN:
            continue
        listed = definition.raw.get("attributes")
        for name, raw in listed.items() if isinstance(listed, Mapping) else ():
            attribute = definition.attributes.get(name)
            if isinstance(raw, Mapping) and attribute is not None:
                yield from _of_attribute(definition, attribute, raw)


def _of_attribute(
    definition: Definition, attribute: AnyAttribute, raw: Mapping[str, Any]
) -> Iterator[DefinitionProblem]:
    path = f"attributes.{attribute.name}"
    for key in sorted(raw.keys() - ATTRIBUTE_KEYS):
        message = f"unknown key; {did_you_mean(key, ATTRIBUTE_KEYS, 'remove it')}"
        yield warning(definition.source, f"{path}.{key}", message)
    if isinstance(attribute, Enumeration) and attribute.has_default and attribute.default not in attribute.values:
        values = [str(value) for value in attribute.values]
        hint = did_you_mean(str(attribute.default), values, "choose one of them")
        message = f"{attribute.default!r} is not in enum, so entries without a value are rejected; {hint}"
        yield warning(definition.source, f"{path}.default", message)
    if isinstance(definition, ContentType):
        if attribute.name in _AUTOMATIC and _is_given(definition, attribute):
            message = "the type has this attribute already; Octavo ignores this definition"
            yield warning(definition.source, path, message)
        if isinstance(attribute, UID) and definition.localized and not attribute.localized:
            yield warning(definition.source, path, _SHARED)


def _is_given(definition: ContentType, attribute: AnyAttribute) -> bool:
    """Return whether a type has an automatic attribute: some lack `publishedAt`, `locale` or `localizations`."""
    match attribute.name:
        case "publishedAt":
            return definition.draft_and_publish
        case "locale" | "localizations":
            return definition.localized
    return True


_UNREAD: Final = (
    "is not used: v4 and Octavo read src/extensions/PLUGIN/content-types/NAME/schema.json; move it there, or delete it"
)
BUILT_IN: Final = "built-in"
"""The source of built-in definitions."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """The result of inspecting a project's definitions: the registry, if it is valid, and all problems."""

    registry: Registry | None
    problems: tuple[DefinitionProblem, ...]


def load_registry(project: Path, custom_fields: CustomFields | None = None) -> Registry:
    """Return the registry of a project's definitions and the built-in content types. `remarks` holds the warnings.

    Raises InvalidDefinitions with every error.
    """
    inspected = inspect_definitions(project, custom_fields)
    if inspected.registry is None:
        raise InvalidDefinitions(problem for problem in inspected.problems if problem.severity == "error")
    return inspected.registry


def inspect_definitions(
    project: Path,
    custom_fields: CustomFields | None = None,
    plugins: Sequence[SourceFolder] = (),
    of_v4: PluginDefinitions | None = None,
) -> Inspection:
    """Inspect all definitions of a project and its plugins, and return errors and warnings.

    `of_v4`, for v4 projects, are the types of its own plugins. Relations to types of missing plugins are then ignored.
    """
    problems: list[DefinitionProblem] = []
    files = DefinitionFiles([project_source(project)], problems)
    brought = DefinitionFiles(plugins, problems)
    fields = custom_fields or known_custom_fields(project)
    components = [
        parse_component(file.uid, file.raw, Reader(file.name, problems, fields))
        for file in _joined(files.components(), brought.components(), problems)
    ]
    brought_types = of_v4 or PluginDefinitions()
    extended = {file.uid: file for file in files.extensions()}
    own_types = list(_joined(files.content_types(), brought.content_types(), problems))
    known = {file.uid for file in own_types} | BUILTIN_TYPES.keys()
    own_types += (_extended(file, extended) for file in brought_types.files if file.uid not in known)
    problems += brought_types.problems
    problems += (_unused(file) for uid, file in extended.items() if uid not in known | {one.uid for one in own_types})
    content_types = list(_builtin(extended, problems, fields))
    problems += (warning(name, "", _UNREAD) for name in files.unread_extensions())
    content_types += [parse_content_type(file.uid, file.raw, Reader(file.name, problems, fields)) for file in own_types]
    registry = Registry(content_types, components)
    if of_v4 is not None:
        registry = without_missing_plugins(registry, of_v4, problems)
    problems += unsound(registry)
    problems += find_inconsistencies(registry)
    if any(problem.severity == "error" for problem in problems):
        return Inspection(None, tuple(problems))
    tolerated = tolerate(registry, problems)
    return Inspection(tolerated, tolerated.remarks)


def _joined(
    own: Iterable[DefinitionFile], brought: Iterable[DefinitionFile], problems: list[DefinitionProblem]
) -> Iterator[DefinitionFile]:
    """Yield the project's definitions, then those of plugins. Duplicates are recorded as problems."""
    names: dict[str, str] = {}
    for file, is_own in (*((file, True) for file in own), *((file, False) for file in brought)):
        if file.uid in BUILTIN_TYPES:
            problems.append(DefinitionProblem(file.name, "", f"{file.uid} is built in; change it in src/extensions"))
            continue
        if file.uid in names and not is_own:
            problems.append(
                DefinitionProblem(file.name, "", f"defines {file.uid}, which {names[file.uid]} defines as well")
            )
            continue
        names[file.uid] = file.name
        yield file


def _unused(file: DefinitionFile) -> DefinitionProblem:
    hint = did_you_mean(file.uid, BUILTIN_TYPES, "check the names of its folders")
    return warning(file.name, "", f"is not used, because there is no built-in content type {file.uid}; {hint}")


def _extended(file: DefinitionFile, extensions: Mapping[str, DefinitionFile]) -> DefinitionFile:
    """Return the definition of a plugin with the keys that the project's extension replaces."""
    extension = extensions.get(file.uid)
    return file if extension is None else replace(file, raw={**file.raw, **extension.raw}, name=extension.name)


def builtin_registry() -> Registry:
    """Return the registry of the built-in content types alone."""
    return Registry(_builtin({}, [], CustomFields()), ())


def _builtin(
    extended: Mapping[str, DefinitionFile], problems: list[DefinitionProblem], fields: CustomFields
) -> Iterable[ContentType]:
    for uid, raw in BUILTIN_TYPES.items():
        file = extended.get(uid)
        own, name = (file.raw, file.name) if file else ({}, BUILT_IN)
        completed = with_builtin_attributes(uid, {**raw, **own}, name, problems)
        yield parse_content_type(uid, completed, Reader(name, problems, fields))
