"""What of the content-types administrators manage, and what of their attributes can be granted to them."""

from collections.abc import Mapping

from octavo.schema.attributes import CREATORS, LOCALE, LOCALIZATIONS, PUBLISHED_AT, TIMESTAMPS
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import USER, ContentType
from octavo.schema.registry import Registry


def is_managed(content_type: ContentType) -> bool:
    """Whether the content manager shows a content-type: those of the project, unless they say no, and accounts."""
    said = content_type.plugin_options.get("content-manager")
    if isinstance(said, Mapping) and "visible" in said:
        return said["visible"] is not False
    return content_type.uid == USER or content_type.uid not in BUILTIN_TYPES


def managed_types(registry: Registry) -> tuple[ContentType, ...]:
    """All of them, in order of definition."""
    return tuple(item for item in registry.content_types.values() if is_managed(item))


def automatic_names(content_type: ContentType) -> frozenset[str]:
    """The attributes that a content-type has by itself: nobody grants them, whoever sees an entry sees them."""
    names = {*TIMESTAMPS, *CREATORS}
    if content_type.draft_and_publish:
        names.add(PUBLISHED_AT)
    if content_type.localized:
        names |= {LOCALE, LOCALIZATIONS}
    return frozenset(names)
