"""Custom fields: the type in which each stores its values. In v4 its plugin defines it, and plugins do not run here.

The type comes from the settings, else from the types that v4 has generated in the project, else from the code that
registers the field, else from the table of known plugins. For any other field it is the type of its database column, if
that was inspected, else text.
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
"""The storage type of an unknown custom field: a text of any length."""

BASE_TYPES: Final = frozenset(SCALAR_TYPES) - {"enumeration"}
"""The possible storage types of a custom field. An enumeration is not possible, because its values are unknown."""

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
            "plugin::string-array.input",
            "plugin::strapi-code-editor-custom-field.code-editor-json",
            "plugin::table-field.table",
            "plugin::tagsinput.tags",
            "plugin::video-field.video",
        ),
        "json",
    ),
    "plugin::checkbox.checkbox": "boolean",
}
"""By plugin and name, as in `customField`."""

_GENERATED: Final = "types/generated/*.d.ts"
_LARGEST: Final = 16 * 1024**2
# An attribute in v4's generated types: its type, constraints (`& Attribute.Required`), and its custom field.
_DECLARED: Final = re.compile(
    r":\s*(?:Schema\.)?Attribute\.(\w+)\s*(?:&\s*(?:Schema\.)?Attribute\.\w+\s*)*?"
    r"&\s*(?:Schema\.)?Attribute\.CustomField<\s*['\"]([^'\"\n]+)['\"]"
)


@dataclass(frozen=True, slots=True)
class CustomFields:
    """The storage types of custom fields by name: those `known`, and those `found` in columns."""

    known: Mapping[str, str] = field(default_factory=lambda: KNOWN)
    found: Mapping[str, str] = field(default_factory=dict)

    def type_of(self, name: str) -> str:
        """Return the storage type of a custom field."""
        return self.known.get(name) or self.found.get(name) or UNKNOWN

    def unknown(self, registry: Registry) -> Iterator[tuple[str, Definition, str]]:
        """Yield the unknown custom fields: their names, definitions and attributes."""
        for definition in registry.definitions():
            for name in definition.attributes:
                raw = definition.raw.get("attributes", {}).get(name)
                if isinstance(raw, Mapping) and raw.get("type") == "customField":
                    field_name = str(raw.get("customField"))
                    if field_name not in self.known:
                        yield field_name, definition, name


def known_custom_fields(
    project: Path, configured: Mapping[str, str] | None = None, registered: Mapping[str, str] | None = None
) -> CustomFields:
    """Return the known custom fields, without querying the database.

    `configured` are the types from the settings, and `registered` those from the code of a v4 project.
    """
    return CustomFields({**KNOWN, **(registered or {}), **_generated_types(project), **(configured or {})})


def _generated_types(project: Path) -> dict[str, str]:
    """Return the types of custom fields in the files that v4 generates in a project."""
    types: dict[str, str] = {}
    for path in sorted(project.glob(_GENERATED)):
        try:
            text = path.read_text(encoding="utf-8", errors="replace") if path.stat().st_size <= _LARGEST else ""
        except OSError:
            continue
        types |= {name: word.lower() for word, name in _DECLARED.findall(text)}
    return {name: word for name, word in types.items() if word in BASE_TYPES}
