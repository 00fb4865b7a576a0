"""The content types in the content manager, and their attributes with field permissions."""

from collections.abc import Mapping

from octavo.schema.attributes import CREATORS, LOCALE, LOCALIZATIONS, PUBLISHED_AT, TIMESTAMPS
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import USER, ContentType
from octavo.schema.registry import Registry


def is_managed(content_type: ContentType) -> bool:
    """Return whether the content manager shows a type: the project's, unless they opt out, and accounts."""
    said = content_type.plugin_options.get("content-manager")
    if isinstance(said, Mapping) and "visible" in said:
        return said["visible"] is not False
    return content_type.uid == USER or content_type.uid not in BUILTIN_TYPES


def managed_types(registry: Registry) -> tuple[ContentType, ...]:
    """Return the types in the content manager, in the definitions' order."""
    return tuple(item for item in registry.content_types.values() if is_managed(item))


def automatic_names(content_type: ContentType) -> frozenset[str]:
    """Return the automatic attributes. They have no field permissions: they are visible with the entry."""
    names = {*TIMESTAMPS, *CREATORS}
    if content_type.draft_and_publish:
        names.add(PUBLISHED_AT)
    if content_type.localized:
        names |= {LOCALE, LOCALIZATIONS}
    return frozenset(names)
