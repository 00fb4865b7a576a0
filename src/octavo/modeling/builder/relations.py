"""Two-way relations: a change of one side is written to both definitions."""

from collections.abc import Mapping
from typing import Any, Final, TypeGuard

from octavo.core.errors import Problem
from octavo.modeling.builder.drafts import Draft, Drafts
from octavo.modeling.builder.problems import refused

SELF: Final = "__self__"
"""The target of a relation to its own type, which has no UID yet."""
OWNER: Final = "__contentType__"
"""The target of a component's relation to the new content type that the component is included with."""

_INVERSE: Final = {
    "oneToOne": "oneToOne",
    "oneToMany": "manyToOne",
    "manyToOne": "oneToMany",
    "manyToMany": "manyToMany",
}
_KEPT: Final = ("autoPopulate", "private", "pluginOptions")
"""Options of a relation that each side sets separately."""
_EQUALS: Final = ("oneToOne", "manyToMany")
_SIDES: Final = ("inversedBy", "mappedBy")
_FIRST: Final = ("type", "relation", "target")
_OF_FORMS: Final = ("targetAttribute", "dominant", *_SIDES)
Raw = Mapping[str, Any]


def is_relation(raw: Any) -> TypeGuard[Raw]:
    """Return whether an attribute is a relation."""
    return isinstance(raw, Mapping) and raw.get("type") == "relation"


def other_side(raw: Any) -> str | None:
    """Return the target's attribute that is a relation's inverse, if any."""
    if not is_relation(raw):
        return None
    other = raw.get("inversedBy") or raw.get("mappedBy")
    return other if isinstance(other, str) else None


def says_something(key: str, value: Any) -> bool:
    """Return whether a member of an attribute has to be written: defaults are not."""
    return not (key == "configurable" and value is not False) and not (key == "private" and value is not True)


def stored_relation(form: Raw, before: Any) -> dict[str, Any]:
    """Return a relation as stored, from its form and its previous definition, `before`."""
    kept = {key: value for key, value in form.items() if key not in _OF_FORMS and says_something(key, value)}
    raw = {key: kept[key] for key in _FIRST if key in kept} | kept
    name = form.get("targetAttribute")
    if name and form["relation"] in _INVERSE:
        raw[_side(form, before)] = name
    return raw


def _side(form: Raw, before: Any) -> str:
    """Return the key for the other side: a relation to one entry is the owner; otherwise the side does not change."""
    match form["relation"]:
        case "manyToOne":
            return "inversedBy"
        case "oneToMany":
            return "mappedBy"
    return "mappedBy" if isinstance(before, Mapping) and before.get("mappedBy") else "inversedBy"


def tie(drafts: Drafts, draft: Draft, name: str, before: Any) -> None:
    """Write the inverse side of a relation, if it has one. Raises BuilderError if its name is already used.

    If a relation had no inverse `before`, v4 makes both sides owners, and so does Octavo.
    """
    raw = draft.attributes[name]
    other, target = other_side(raw), drafts.content_types.get(str(raw.get("target")))
    if other is None or target is None:
        return
    was_one_way = is_relation(before) and other_side(before) is None and raw["relation"] in _EQUALS
    side = "mappedBy" if "inversedBy" in raw and not was_one_way else "inversedBy"
    present = target.attributes.get(other)
    kept = {key: present[key] for key in _KEPT if key in present} if is_relation(present) else {}
    inverse = {"type": "relation", "relation": _INVERSE[raw["relation"]], "target": draft.uid, **kept, side: name}
    if target is draft and present is not None:
        return  # it is in the form itself
    if present is not None and not (other_side(present) == name and present.get("target") == draft.uid):
        message = f"{target.uid} already has an attribute {other!r}; choose another name"
        raise refused([Problem((draft.uid, "attributes", name, "targetAttribute"), message)])
    target.set_attribute(other, inverse)


def untie(drafts: Drafts, draft: Draft, raw: Any) -> None:
    """Remove the inverse side of a deleted relation."""
    other = other_side(raw)
    target = drafts.content_types.get(str(raw.get("target"))) if other else None
    if target is not None and other is not None and target is not draft:
        target.drop_attribute(other)
