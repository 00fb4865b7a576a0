"""Projects without locales: the localization options of definitions are ignored, as in v4 without its plugin."""

from dataclasses import replace

from octavo.schema.attributes import LOCALE, LOCALIZATIONS
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry


def without_locales(registry: Registry) -> Registry:
    """Return the registry without localized types and attributes."""
    content_types = [_plain(item) for item in registry.content_types.values()]
    return Registry(content_types, registry.components.values(), registry.remarks)


def _plain(content_type: ContentType) -> ContentType:
    if not content_type.localized:
        return content_type
    attributes = {
        name: replace(attribute, localized=False)
        for name, attribute in content_type.attributes.items()
        if name not in (LOCALE, LOCALIZATIONS)
    }
    return replace(content_type, attributes=attributes, localized=False)
