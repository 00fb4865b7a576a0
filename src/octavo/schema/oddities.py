"""What v4 starts with and says nothing of, although it was hardly meant so: told with a warning, served as v4 does."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.schema.attributes import UID, AnyAttribute, Enumeration
from octavo.schema.automatic import CREATORS, LOCALE, LOCALIZATIONS, PUBLISHED_AT, TIMESTAMPS
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.problems import DefinitionProblem, did_you_mean, warning
from octavo.schema.registry import Registry

BUILT_IN: Final = "built-in"
"""The source of what no file of the project defines."""

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
"""Keys that an attribute can have; the editor of v4 adds `displayName`. v4 takes any other, too, and never reads it."""

_SHARED: Final = (
    "is not localized, but a UID is unique over all locales: a localization without a value of its own has none; "
    'add "pluginOptions": {"i18n": {"localized": true}}'
)
_AUTOMATIC: Final = frozenset({*TIMESTAMPS, *CREATORS, PUBLISHED_AT, LOCALE, LOCALIZATIONS})


def oddities(registry: Registry) -> Iterator[DefinitionProblem]:
    """All of them, in the order of the definitions."""
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
        message = f"nothing reads this key; {did_you_mean(key, ATTRIBUTE_KEYS, 'remove it')}"
        yield warning(definition.source, f"{path}.{key}", message)
    if isinstance(attribute, Enumeration) and attribute.has_default and attribute.default not in attribute.values:
        values = [str(value) for value in attribute.values]
        hint = did_you_mean(str(attribute.default), values, "choose one of them")
        message = f"{attribute.default!r} is not in enum, so entries without a value of their own are refused; {hint}"
        yield warning(definition.source, f"{path}.default", message)
    if isinstance(definition, ContentType):
        if attribute.name in _AUTOMATIC and _is_given(definition, attribute):
            message = "this is an attribute that the type has by itself; the definition of it is not read"
            yield warning(definition.source, path, message)
        if isinstance(attribute, UID) and definition.localized and not attribute.localized:
            yield warning(definition.source, path, _SHARED)


def _is_given(definition: ContentType, attribute: AnyAttribute) -> bool:
    """Whether a type has an automatic attribute: not each has `publishedAt`, `locale` and `localizations`."""
    match attribute.name:
        case "publishedAt":
            return definition.draft_and_publish
        case "locale" | "localizations":
            return definition.localized
    return True
