"""Create, update and delete components and their categories, as drafts."""

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Final

from octavo.modeling.builder.content_types import Names, Raw, _given, set_attributes
from octavo.modeling.builder.drafts import Draft, Drafts
from octavo.modeling.builder.problems import COMPONENT_EXISTS, COMPONENT_NOT_FOUND, said
from octavo.modeling.builder.slugs import component_table, name_slug

FOLDER: Final = "src/components"


def component_uid(form: Raw) -> str:
    """Return the UID of a new component, from its form."""
    return f"{name_slug(form['category'])}.{name_slug(form['displayName'])}"


def temporary_names(forms: Iterable[Raw]) -> dict[str, str]:
    """Map the temporary UIDs of new components to their final ones."""
    return {form["tmpUID"]: component_uid(form) for form in forms if "tmpUID" in form}


def write_components(drafts: Drafts, forms: Iterable[Raw], names: Names) -> None:
    """Write the components included in a form: new ones, then updated ones. Raises BuilderError."""
    listed = list(forms)
    made = [(make_component(drafts, form), form) for form in listed if "tmpUID" in form]
    for draft, form in made:
        set_attributes(drafts, draft, form["attributes"], names)
    for form in listed:
        if "uid" in form:
            change_component(drafts, find_component(drafts, form["uid"]), form, names)


def find_component(drafts: Drafts, uid: str) -> Draft:
    """Return a component. Raises BuilderError."""
    draft = drafts.components.get(uid)
    if draft is None:
        raise said(COMPONENT_NOT_FOUND)
    return draft


def make_component(drafts: Drafts, form: Raw) -> Draft:
    """Create a component without attributes. Raises BuilderError."""
    uid = component_uid(form)
    if uid in drafts.components:
        raise said(COMPONENT_EXISTS)
    category, _, name = uid.partition(".")
    raw = {
        "collectionName": component_table(form["category"], form["displayName"]),
        "info": {"displayName": form["displayName"], **_given(form, "icon", "description")},
        "options": {},
        **_given(form, "pluginOptions"),
        "attributes": {},
    }
    draft = Draft(uid, f"{FOLDER}/{category}/{name}.json", raw)
    drafts.add(draft)
    return draft


def change_component(drafts: Drafts, draft: Draft, form: Raw, names: Names) -> str:
    """Update a component from its form, and return its UID, which changes with the category."""
    raw = draft.raw
    raw["info"] = {**raw.get("info", {}), "displayName": form["displayName"], **_given(form, "icon", "description")}
    raw.update(_given(form, "pluginOptions"))
    set_attributes(drafts, draft, form["attributes"], names)
    category = name_slug(form["category"])
    return draft.uid if category == draft.uid.partition(".")[0] else move(drafts, draft, category)


def move(drafts: Drafts, draft: Draft, category: str) -> str:
    """Move a component to another category everywhere it is used, and return its new UID. Raises BuilderError."""
    before, uid = draft.uid, f"{category}.{draft.uid.partition('.')[2]}"
    if uid in drafts.components:
        raise said(COMPONENT_EXISTS)
    drafts.components = {uid if key == before else key: value for key, value in drafts.components.items()}
    first = next((old for old, new in drafts.moved.items() if new == before), before)
    drafts.moved[first] = uid
    draft.uid, draft.file = uid, f"{FOLDER}/{category}/{PurePosixPath(draft.file).name}"
    draft.changed = True
    for other in drafts:
        for name, raw in other.attributes.items():
            if isinstance(raw, Mapping):
                _rename_use(other, name, raw, before, uid)
    return uid


def _rename_use(draft: Draft, name: str, raw: Raw, before: str, uid: str) -> None:
    if raw.get("type") == "component" and raw.get("component") == before:
        draft.set_attribute(name, {**raw, "component": uid})
    if raw.get("type") == "dynamiczone" and before in raw.get("components", ()):
        listed = [uid if item == before else item for item in raw["components"]]
        draft.set_attribute(name, {**raw, "components": listed})


def remove_component(drafts: Drafts, draft: Draft) -> None:
    """Delete a component and every use of it."""
    drafts.remove(draft)
    for other in drafts:
        for name, raw in [*other.attributes.items()]:
            if not isinstance(raw, Mapping):
                continue
            if raw.get("type") == "component" and raw.get("component") == draft.uid:
                other.drop_attribute(name)
            if raw.get("type") == "dynamiczone" and draft.uid in raw.get("components", ()):
                kept = [uid for uid in raw["components"] if uid != draft.uid]
                other.set_attribute(name, {**raw, "components": kept})


def of_category(drafts: Drafts, category: str) -> list[Draft]:
    """Return the components of a category."""
    return [draft for uid, draft in drafts.components.items() if uid.partition(".")[0] == category]
