"""Plans: the file changes for a request to the builder, computed from the current definitions."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Final

from octavo.core.errors import ApplicationError
from octavo.core.values import dataclass
from octavo.modeling.builder.checks import check_drafts
from octavo.modeling.builder.components import (
    change_component,
    find_component,
    make_component,
    move,
    of_category,
    remove_component,
    temporary_names,
    write_components,
)
from octavo.modeling.builder.content_types import (
    Raw,
    change_content_type,
    make_content_type,
    new_uid,
    remove_content_type,
    set_attributes,
)
from octavo.modeling.builder.drafts import Draft, Drafts, drafts_of, is_own
from octavo.modeling.builder.dropped_attributes import Dropped, dropped_data
from octavo.modeling.builder.files import FileChanges
from octavo.modeling.builder.forms import check_category, check_component, check_content_type, tidied
from octavo.modeling.builder.problems import COMPONENT_NOT_FOUND, CONTENT_TYPE_NOT_FOUND, said
from octavo.modeling.builder.relations import OWNER
from octavo.modeling.builder.renames import Renamed, moved_components, rename_attributes
from octavo.modeling.builder.slugs import name_slug
from octavo.schema.custom_fields import CustomFields
from octavo.schema.registry import Registry
from octavo.settings.v4_package import v4_type_files

NOT_OWN: Final = "{uid} is not defined by the project, so it cannot be changed here"


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes to make: the files, and the resulting registry. `uid` is the subject under its new name;
    `becomes_single` is a content type that may have only one entry from now on."""

    uid: str
    files: FileChanges
    registry: Registry
    becomes_single: str | None = None
    renamed: Renamed | None = None
    dropped: Dropped | None = None


MakePlan = Callable[["PlanContext"], Plan]
"""Creates the plan of a parsed request, when it is the request's turn."""


@dataclass(slots=True)
class PlanContext:
    """The input for a plan: the project, its current definitions, and drafts of them."""

    project: Path
    registry: Registry
    fields: CustomFields
    migrates: bool = True
    """Whether migrations of the project are run."""
    longest_name: int | None = None
    """The maximum bytes of a table or column name, if the database has a limit."""
    drafts: Drafts = field(init=False)

    def __post_init__(self) -> None:
        self.drafts = drafts_of(self.registry)

    def rename(self, draft: Draft, form: Any) -> Renamed | None:
        """Rename attributes as requested by a form, before all other changes. Raises BuilderError."""
        return self._migrated(rename_attributes(self.drafts, draft, form, self.fields))

    def _migrated(self, renamed: Renamed | None) -> Renamed | None:
        if renamed is not None and not self.migrates:
            raise said("Renames move data with migrations, which are disabled. Enable database.settings.runMigrations")
        return renamed

    def plan(self, uid: str, more: Mapping[str, bytes] | None = None, removed: tuple[str, ...] = ()) -> Plan:
        """Return the plan for the drafts. Raises BuilderError."""
        changed = self.drafts.changed()
        for draft in (*changed, *self.drafts.gone):
            if not is_own(draft, self.project) and (draft.stored or draft.uid.startswith("admin::")):
                raise said(NOT_OWN.format(uid=draft.uid))
        made = check_drafts(self.drafts, self.registry, self.fields, self.longest_name)
        moved = tuple(draft.stored for draft in changed if draft.stored and draft.stored != draft.file)
        written = {draft.file: draft.text.encode("utf-8", "surrogatepass") for draft in changed}
        renamed = self._migrated(moved_components(self.registry, self.drafts.moved))
        return Plan(uid, FileChanges({**written, **(more or {})}, (*moved, *removed)), made, renamed=renamed)


def create_content_type(body: Any) -> MakePlan:
    """Create a content type from `{contentType, components}`."""

    def make(context: PlanContext) -> Plan:
        check_content_type(body, context.registry)
        form = body["contentType"]
        names = _components(context, body, new_uid(form))
        draft = make_content_type(context.drafts, form, names)
        return context.plan(draft.uid, v4_type_files(context.project, draft.uid))

    return make


def update_content_type(uid: str, body: Any) -> MakePlan:
    """Update a content type from `{contentType, components}`."""
    body = tidied(body, "contentType")

    def make(context: PlanContext) -> Plan:
        draft = _content_type(context, uid)
        check_content_type(body, context.registry, uid)
        dropped = dropped_data(context.registry, uid, body["contentType"])
        renamed = context.rename(draft, body["contentType"])
        names = _components(context, body, uid)
        before = context.registry.content_types[uid]
        change_content_type(context.drafts, draft, body["contentType"], names)
        turned = draft.raw["kind"] != before.kind
        plan = context.plan(uid, v4_type_files(context.project, uid) if turned and before.is_api else None)
        single = uid if turned and draft.raw["kind"] == "singleType" else None
        taken = renamed.and_then(plan.renamed) if renamed else plan.renamed
        return replace(plan, becomes_single=single, renamed=taken, dropped=dropped)

    return make


def delete_content_type(uid: str) -> MakePlan:
    """Delete a content type with its code, and the relations to it."""

    def make(context: PlanContext) -> Plan:
        draft = _content_type(context, uid)
        if draft.stored is None or not uid.startswith("api::"):
            raise said(NOT_OWN.format(uid=uid))
        remove_content_type(context.drafts, draft)
        return context.plan(uid, removed=_type_files(context, draft))

    return make


def _type_files(context: PlanContext, draft: Draft) -> tuple[str, ...]:
    """Return the folder of an API, or, if it has several content types, the files of one of them."""
    file = Path(str(draft.stored))
    folder = file.parents[2]
    if any(str(other.stored).startswith(f"{folder.as_posix()}/") for other in context.drafts.content_types.values()):
        name = draft.uid.rpartition(".")[2]
        code = (folder / kind / f"{name}{suffix}" for kind in _CODE for suffix in (".js", ".ts"))
        return (file.parent.as_posix(), *(one.as_posix() for one in code if (context.project / one).is_file()))
    return (folder.as_posix(),)


_CODE: Final = ("controllers", "routes", "services")


def create_component(body: Any) -> MakePlan:
    """Create a component from `{component, components}`."""

    def make(context: PlanContext) -> Plan:
        check_component(body, context.registry)
        form = body["component"]
        draft = make_component(context.drafts, form)
        names = _components(context, body)
        set_attributes(context.drafts, draft, form["attributes"], names)
        return context.plan(draft.uid)

    return make


def update_component(uid: str, body: Any) -> MakePlan:
    """Update a component from `{component, components}`, which may move it to another category."""
    body = tidied(body, "component")

    def make(context: PlanContext) -> Plan:
        draft = _component(context, uid)
        check_component(body, context.registry)
        dropped = dropped_data(context.registry, uid, body["component"])
        renamed = context.rename(draft, body["component"])
        names = _components(context, body)
        plan = context.plan(change_component(context.drafts, draft, body["component"], names))
        return replace(plan, renamed=renamed.and_then(plan.renamed) if renamed else plan.renamed, dropped=dropped)

    return make


def delete_component(uid: str) -> MakePlan:
    """Delete a component everywhere it is used."""

    def make(context: PlanContext) -> Plan:
        draft = _component(context, uid)
        remove_component(context.drafts, draft)
        return context.plan(uid, removed=(str(draft.stored),))

    return make


def rename_category(category: str, body: Any) -> MakePlan:
    """Rename a category from `{name}`: move all its components to a new one."""

    def make(context: PlanContext) -> Plan:
        check_category(body)
        name = name_slug(body["name"])
        moved = _category(context, category)
        if name == category:
            return Plan(name, FileChanges({}), context.registry)
        if of_category(context.drafts, name):
            raise ApplicationError("Name already taken")
        for draft in moved:
            move(context.drafts, draft, name)
        return context.plan(name)

    return make


def delete_category(category: str) -> MakePlan:
    """Delete all components of a category."""

    def make(context: PlanContext) -> Plan:
        gone = _category(context, category)
        for draft in gone:
            remove_component(context.drafts, draft)
        return context.plan(category, removed=tuple(str(draft.stored) for draft in gone))

    return make


def _components(context: PlanContext, body: Raw, owner: str | None = None) -> dict[str, str]:
    """Write the included components, and map their temporary UIDs to the final ones."""
    forms = body.get("components") or []
    names = temporary_names(forms)
    if owner is not None:
        names[OWNER] = owner
    write_components(context.drafts, forms, names)
    for form in (body.get("contentType") or body.get("component") or {}, *forms):
        _check_uses(context, form["attributes"], names)
    return names


def _check_uses(context: PlanContext, attributes: Raw, names: Raw) -> None:
    for raw in attributes.values():
        if raw.get("type") == "component" and raw["component"] not in names:
            find_component(context.drafts, raw["component"])


def _content_type(context: PlanContext, uid: str) -> Draft:
    draft = context.drafts.content_types.get(uid)
    if draft is None:
        raise said(CONTENT_TYPE_NOT_FOUND, 404)
    return draft


def _component(context: PlanContext, uid: str) -> Draft:
    draft = context.drafts.components.get(uid)
    if draft is None:
        raise said(COMPONENT_NOT_FOUND, 404)
    return draft


def _category(context: PlanContext, category: str) -> list[Draft]:
    drafts = of_category(context.drafts, category)
    if not drafts:
        raise ApplicationError("category not found")
    return drafts
