"""Custom fields: which type each stores its values as. Its plugin says so under v4, and no plugin is run here.

What is told first counts: the settings, the types that v4 has generated in the project, the table of known plugins. Of
any other it is what the database holds, as far as somebody has looked; else a text.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from octavo.core.values import dataclass
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES

UNKNOWN: Final = "text"
"""What holds the values of a custom field of which nothing is known: a text of any length."""

BASE_TYPES: Final = frozenset(SCALAR_TYPES) - {"enumeration"}
"""What a custom field can be stored as; an enumeration has values that nobody would know."""

KNOWN: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "plugin::address-selection.address",
            "plugin::advanced-color-picker.advanced-color-picker",
            "plugin::color-picker.color",
            "plugin::country-select.country",
            "plugin::dynamic-enum.dynamic-enum",
            "plugin::fontawesome-strapi.icon",
            "plugin::icon-picker.icon",
            "plugin::icon-picker.icon-picker",
            "plugin::lucide-icons.icon",
            "plugin::react-icons.icon",
            "plugin::strapi-bootstrap-icons.bootstrap-icon",
            "plugin::strapi-phone-validator.phone",
            "plugin::strapi-plugin-international-fields.country",
            "plugin::timezone-select.timezone",
        ),
        "string",
    ),
    **dict.fromkeys(
        (
            "plugin::encryptable-field.encryptable-field",
            "plugin::field-icon.icon-picker",
            "plugin::icons-field.icon",
            "plugin::remote-select.remote-select",
            "plugin::remote-select.searchable-remote-select",
            "plugin::strapi-code-editor-custom-field.code-editor-text",
        ),
        "text",
    ),
    **dict.fromkeys(
        (
            "plugin::ckeditor.CKEditor",
            "plugin::ckeditor5.CKEditor",
            "plugin::strapi-tiptap-editor.strapi-tiptap-editor",
            "plugin::tinymce.tinymce",
            "plugin::tiptap-editor.tiptap-editor",
        ),
        "richtext",
    ),
    **dict.fromkeys(("plugin::field-uuid.uuid", "plugin::strapi-advanced-uuid.uuid"), "uid"),
    **dict.fromkeys(
        (
            "plugin::city-selector.city-selector",
            "plugin::geometry-fields.geometry",
            "plugin::google-maps.location-picker",
            "plugin::location-field.location",
            "plugin::multi-select.multi-select",
            "plugin::multi-select.multi-select-default",
            "plugin::oembed.oembed",
            "plugin::postgis.map",
            "plugin::strapi-code-editor-custom-field.code-editor-json",
            "plugin::table-field.table",
            "plugin::tagsinput.tags",
            "plugin::video-field.video",
        ),
        "json",
    ),
    "plugin::checkbox.checkbox": "boolean",
}
"""By plugin and name, as `customField` writes them."""

_GENERATED: Final = "types/generated/*.d.ts"
_LARGEST: Final = 16 * 1024**2
# An attribute as v4 writes it: its type, what it must be (`& Attribute.Required`), and the custom field that it is.
_DECLARED: Final = re.compile(
    r":\s*(?:Schema\.)?Attribute\.(\w+)\s*(?:&\s*(?:Schema\.)?Attribute\.\w+\s*)*?"
    r"&\s*(?:Schema\.)?Attribute\.CustomField<\s*['\"]([^'\"\n]+)['\"]"
)


@dataclass(frozen=True, slots=True)
class CustomFields:
    """The stored types of custom fields by their names: those `known`, and those `found` in the columns of others."""

    known: Mapping[str, str] = field(default_factory=lambda: KNOWN)
    found: Mapping[str, str] = field(default_factory=dict)

    def type_of(self, name: str) -> str:
        """The type word that stands for a custom field."""
        return self.known.get(name) or self.found.get(name) or UNKNOWN

    def unknown(self, registry: Registry) -> Iterator[tuple[str, Definition, str]]:
        """Where custom fields stand of which nothing is known: their names, definitions and attributes."""
        for definition in registry.definitions():
            for name in definition.attributes:
                raw = definition.raw.get("attributes", {}).get(name)
                if isinstance(raw, Mapping) and raw.get("type") == "customField":
                    field_name = str(raw.get("customField"))
                    if field_name not in self.known:
                        yield field_name, definition, name


def known_custom_fields(project: Path, told: Mapping[str, str] | None = None) -> CustomFields:
    """What is known of custom fields without asking the database. `told` are the types that the settings name."""
    return CustomFields({**KNOWN, **_generated_types(project), **(told or {})})


def _generated_types(project: Path) -> dict[str, str]:
    """What v4 wrote down of the project's custom fields, when it last generated the types of its content."""
    found: dict[str, str] = {}
    for path in sorted(project.glob(_GENERATED)):
        try:
            text = path.read_text(encoding="utf-8", errors="replace") if path.stat().st_size <= _LARGEST else ""
        except OSError:
            continue
        found |= {name: word.lower() for word, name in _DECLARED.findall(text)}
    return {name: word for name, word in found.items() if word in BASE_TYPES}
