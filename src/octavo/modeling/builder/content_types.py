"""Create, update and delete content types, as drafts, with the effects on other definitions."""

from collections.abc import Mapping
from typing import Any, Final

from octavo.modeling.builder.drafts import Draft, Drafts, plain
from octavo.modeling.builder.relations import (
    OWNER,
    SELF,
    is_relation,
    other_side,
    says_something,
    stored_relation,
    tie,
    untie,
)
from octavo.modeling.builder.slugs import table_name

Raw = Mapping[str, Any]
Names = Mapping[str, str]
"""Maps temporary UIDs in a form to final ones."""

_NO_NAME: Final = ("", "-", None)


def new_uid(form: Raw) -> str:
    """Return the UID of a new content type, from its form."""
    return f"api::{form['singularName']}.{form['singularName']}"


def make_content_type(drafts: Drafts, form: Raw, names: Names) -> Draft:
    """Create a content type with the inverse attributes of its relations."""
    name = form["singularName"]
    draft = Draft(new_uid(form), f"src/api/{name}/content-types/{name}/schema.json", {})
    info = {"singularName": name, "pluralName": form["pluralName"], "displayName": form["displayName"]}
    draft.raw = {
        "kind": form.get("kind") or "collectionType",
        "collectionName": form.get("collectionName") or table_name(form["pluralName"]),
        "info": {**info, **_given(form, "description")},
        "options": _options(form),
        **_given(form, "pluginOptions"),
        "attributes": {},
        **_given(form, "config"),
    }
    drafts.add(draft)
    set_attributes(drafts, draft, form["attributes"], names)
    return draft


def change_content_type(drafts: Drafts, draft: Draft, form: Raw, names: Names) -> None:
    """Update a content type from its form; its names do not change."""
    raw = draft.raw
    raw["kind"] = form.get("kind") or raw.get("kind", "collectionType")
    raw["info"] = {**raw.get("info", {}), "displayName": form["displayName"], **_given(form, "description")}
    raw["options"] = _options(form)
    raw.update(_given(form, "collectionName", "pluginOptions", "config"))
    draft.changed = True
    set_attributes(drafts, draft, form["attributes"], names)


def remove_content_type(drafts: Drafts, draft: Draft) -> None:
    """Delete a content type and all relations to it."""
    drafts.remove(draft)
    for other in drafts:
        for name, raw in [*other.attributes.items()]:
            if isinstance(raw, Mapping) and raw.get("target") == draft.uid:
                other.drop_attribute(name)


def set_attributes(drafts: Drafts, draft: Draft, forms: Raw, names: Names) -> None:
    """Set the attributes of a definition from a form, and the inverse attributes of its relations. Attributes that are
    not configurable are unchanged."""
    before = draft.attributes
    fixed = {name: raw for name, raw in before.items() if raw.get("configurable") is False}
    stored = {name: _stored(draft, name, raw, names) for name, raw in forms.items() if name not in fixed}
    for name, raw in before.items():
        if name not in fixed and not is_relation(stored.get(name)):
            untie(drafts, draft, raw)
    draft.raw["attributes"] = {**fixed, **stored}
    draft.changed = True
    for name, raw in stored.items():
        old = before.get(name)
        if is_relation(old) and _nature(old) != _nature(raw):
            untie(drafts, draft, old)
        if other_side(raw) is not None:
            tie(drafts, draft, name, old)


def _nature(raw: Raw) -> tuple[str | None, Any]:
    return other_side(raw), raw.get("relation")


def _stored(draft: Draft, name: str, form: Raw, names: Names) -> dict[str, Any]:
    """Return an attribute as stored, without form-only members and without defaults."""
    if form.get("type") == "relation":
        named = {**form, "targetAttribute": None} if form.get("targetAttribute") in _NO_NAME else form
        owner = names.get(OWNER) if form.get("target") == OWNER else draft.uid if form.get("target") == SELF else None
        return stored_relation({**named, "target": owner} if owner else named, draft.attributes.get(name))
    raw = {key: value for key, value in form.items() if says_something(key, value)}
    if form.get("type") == "component":
        raw["component"] = names.get(form["component"], form["component"])
    if form.get("type") == "dynamiczone":
        raw["components"] = [names.get(uid, uid) for uid in form["components"]]
    return raw


def _options(form: Raw) -> dict[str, Any]:
    return {**form.get("options", {}), "draftAndPublish": form.get("draftAndPublish") is True}


def _given(form: Raw, *keys: str) -> dict[str, Any]:
    """Return the members of a form that have a value."""
    return {key: plain(form[key]) for key in keys if form.get(key) is not None}
