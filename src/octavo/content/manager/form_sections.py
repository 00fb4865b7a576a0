"""Sections of a content type's form: named groups of fields, shown below each other or as tabs.

They are stored beside v4's parts of a view configuration, under a key that v4 ignores and keeps. Rows and sizes stay in
v4's layout, so both panels can change them: a section shows those of its fields. A field without a section belongs to
that of the field before it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from octavo.content.manager.layouts import is_editable
from octavo.core.errors import Problem
from octavo.core.forms import REQUIRED, Items, Record, Shape, Text, at_most
from octavo.core.forms.printing import Place
from octavo.core.forms.shapes import required, rule
from octavo.schema.content_types import ContentType, Definition

PART: Final = "octavo"
"""The key of a stored configuration that holds what v4 does not know."""

DISPLAYS: Final = ("form", "sections", "tabs")
"""One form without sections; sections below each other; tabs."""

MOST_SECTIONS: Final = 50
_LONGEST_LABEL: Final = 100
_REQUIRED_LIST: Final = required("{path} is required and must be an array")


def sections_form(editable: Sequence[str]) -> Shape:
    """Return the schema for the sections of a form with these fields. Null: Octavo chooses the sections."""
    item = Record(
        {
            "label": Text(REQUIRED, at_most(_LONGEST_LABEL), rule("{path} must not be blank", _is_visible)),
            "fields": Items(Text(REQUIRED, one_of=editable), _REQUIRED_LIST),
        },
        closed=True,
    )
    items = Items(
        item,
        _REQUIRED_LIST,
        at_most(MOST_SECTIONS),
        _hold_fields_once,
    )
    return Record({"display": Text(REQUIRED, one_of=DISPLAYS), "items": items}, nullable=True, closed=True)


def stored_sections(stored: Mapping[str, Any], definition: Definition) -> dict[str, Any] | None:
    """Return the sections of a stored configuration, without fields that no longer exist; None if there are none."""
    part = stored.get(PART)
    sections = part.get("sections") if isinstance(part, Mapping) else None
    if not isinstance(sections, Mapping) or not isinstance(definition, ContentType):
        return None
    if sections.get("display") not in DISPLAYS or not isinstance(sections.get("items"), list):
        return None
    items = [
        {"label": str(one.get("label")), "fields": [name for name in _fields([one]) if _is_field(definition, name)]}
        for one in sections["items"]
        if isinstance(one, Mapping)
    ]
    return {"display": sections["display"], "items": items}


def _is_field(definition: ContentType, name: str) -> bool:
    return name in definition.attributes and is_editable(definition, name)


def _hold_fields_once(items: Any, place: Place) -> Iterator[Problem]:
    seen = set[str]()
    for name in _fields(items) if isinstance(items, list) else ():
        if name in seen:
            yield place.problem(f"{place.name} contains the field {name} twice")
            return
        seen.add(name)


def _fields(items: Sequence[Any]) -> Iterator[str]:
    for one in items:
        fields = one.get("fields") if isinstance(one, Mapping) else None
        yield from (name for name in (fields if isinstance(fields, list) else ()) if isinstance(name, str))


def _is_visible(text: str) -> bool:
    return bool(text.strip())
