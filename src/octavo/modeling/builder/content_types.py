"""Content-types made, changed and removed, as drafts: what it means for the definitions around them too."""

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
"""The UIDs that temporary ones of a form stand for."""

_NO_NAME: Final = ("", "-", None)


def new_uid(form: Raw) -> str:
    """The UID that a new content-type has by its form."""
    return f"api::{form['singularName']}.{form['singularName']}"


def make_content_type(drafts: Drafts, form: Raw, names: Names) -> Draft:
    """A new content-type with what leads back to it."""
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
    """A content-type as its form has it; its names stay."""
    raw = draft.raw
    raw["kind"] = form.get("kind") or raw.get("kind", "collectionType")
    raw["info"] = {**raw.get("info", {}), "displayName": form["displayName"], **_given(form, "description")}
    raw["options"] = _options(form)
    raw.update(_given(form, "collectionName", "pluginOptions", "config"))
    draft.changed = True
    set_attributes(drafts, draft, form["attributes"], names)


def remove_content_type(drafts: Drafts, draft: Draft) -> None:
    """A content-type and all relations that lead to it."""
    drafts.remove(draft)
    for other in drafts:
        for name, raw in [*other.attributes.items()]:
            if isinstance(raw, Mapping) and raw.get("target") == draft.uid:
                other.drop_attribute(name)


def set_attributes(drafts: Drafts, draft: Draft, forms: Raw, names: Names) -> None:
    """The attributes of a definition as a form has them, and the other sides of its relations. What is not
    configurable stays as it is."""
    before = draft.attributes
    fixed = {name: raw for name, raw in before.items() if raw.get("configurable") is False}
    told = {name: _stored(draft, name, raw, names) for name, raw in forms.items() if name not in fixed}
    for name, raw in before.items():
        if name not in fixed and not is_relation(told.get(name)):
            untie(drafts, draft, raw)
    draft.raw["attributes"] = {**fixed, **told}
    draft.changed = True
    for name, raw in told.items():
        old = before.get(name)
        if is_relation(old) and _nature(old) != _nature(raw):
            untie(drafts, draft, old)
        if other_side(raw) is not None:
            tie(drafts, draft, name, old)


def _nature(raw: Raw) -> tuple[str | None, Any]:
    return other_side(raw), raw.get("relation")


def _stored(draft: Draft, name: str, form: Raw, names: Names) -> dict[str, Any]:
    """An attribute as it is written: without what a form says beside it, and without what goes by itself."""
    if form.get("type") == "relation":
        told = {**form, "targetAttribute": None} if form.get("targetAttribute") in _NO_NAME else form
        owner = names.get(OWNER) if form.get("target") == OWNER else draft.uid if form.get("target") == SELF else None
        return stored_relation({**told, "target": owner} if owner else told, draft.attributes.get(name))
    raw = {key: value for key, value in form.items() if says_something(key, value)}
    if form.get("type") == "component":
        raw["component"] = names.get(form["component"], form["component"])
    if form.get("type") == "dynamiczone":
        raw["components"] = [names.get(uid, uid) for uid in form["components"]]
    return raw


def _options(form: Raw) -> dict[str, Any]:
    return {**form.get("options", {}), "draftAndPublish": form.get("draftAndPublish") is True}


def _given(form: Raw, *keys: str) -> dict[str, Any]:
    """Those members of a form that say something."""
    return {key: plain(form[key]) for key in keys if form.get(key) is not None}
