"""Validation of request bodies: content types, components, included components, categories."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.core.errors import Problem
from octavo.core.forms import (
    REQUIRED,
    Anything,
    Choice,
    Flag,
    Items,
    Place,
    Record,
    Rule,
    Shape,
    Text,
    at_least,
    matches,
    problems_in,
    required,
    rule,
)
from octavo.modeling.builder.attribute_forms import CATEGORY, Known, attributes_shape
from octavo.modeling.builder.dropped_attributes import CONFIRM, DROP
from octavo.modeling.builder.problems import refused, unreadable
from octavo.modeling.builder.relations import OWNER, SELF
from octavo.modeling.builder.renames import RENAMES
from octavo.modeling.builder.slugs import table_name
from octavo.schema.attributes import ComponentField
from octavo.schema.registry import Registry

RESERVED_NAMES: Final = ("boolean", "date", "date-time", "time", "upload", "then", "rest")
_KEBAB: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_IS_KEBAB: Final = rule(
    "{path} is not in kebab case (an-example-of-kebab-case)", lambda text: _KEBAB.fullmatch(text) is not None
)
_NOT_RESERVED: Final = rule(
    f"Content Type name cannot be one of {', '.join(RESERVED_NAMES)}", lambda text: text not in RESERVED_NAMES
)
_ICON: Final = rule(
    "{path} is not a valid icon name. Make sure your icon name starts with an alphanumeric character and only includes "
    "alphanumeric characters or dashes.",
    lambda text: not text or re.fullmatch(r"[A-Za-z0-9][-A-Za-z0-9]*", text) is not None,
)
_OF_ONE: Final = (RENAMES, DROP, CONFIRM)
_IN_ITS_OWN_FORM: Final = rule("{path} is only allowed in the component's form", lambda _: False)
_LONG_ENOUGH: Final = matches(r".{1}", "{path} must be at least 1 characters")


def check_content_type(body: Any, registry: Registry, uid: str | None = None) -> None:
    """Raise BuilderError with all problems in the form of a new content type, or of the one with `uid`."""
    form = body.get("contentType") if isinstance(body, Mapping) else None
    if (isinstance(body, Mapping) and "contentType" not in body) or body is None:
        raise unreadable()
    if uid is not None and isinstance(form, Mapping) and "attributes" not in form:
        raise unreadable()
    is_single = isinstance(form, Mapping) and form.get("kind") == "singleType"
    members = _content_type_members(registry, _known(registry, is_single=is_single), is_new=uid is None)
    unlike = rule("{path}: singularName and pluralName should be different", _names_differ)
    shape = Record({"contentType": Record(members, unlike), "components": _components(registry)}, closed=True)
    _check(shape, body)


def check_component(body: Any, registry: Registry) -> None:
    """Raise BuilderError with all problems in the form of a component."""
    if body is None or (isinstance(body, Mapping) and "component" not in body):
        raise unreadable()
    members = _component_members(_known(registry, is_component=True))
    shape = Record({"component": Record(members, closed=True), "components": _components(registry)}, closed=True)
    _check(shape, body)


def check_category(body: Any) -> None:
    """Raise BuilderError for an invalid category name."""
    length = rule("{path} must be at least 3 characters", lambda text: len(text) >= 3)
    _check(Record({"name": Text(length, CATEGORY, required("name.required"))}), body)


def tidied(body: Any, member: str) -> Any:
    """Return the body of an update without insignificant values that the admin panel sends: empty defaults, and for
    content types the target fields of UIDs that no longer exist. New definitions keep them, as in v4."""
    if not isinstance(body, Mapping):
        return body
    listed = body.get("components")
    parts = [_tidied(one) if isinstance(one, Mapping) and "uid" in one else one for one in _items(listed)]
    return {
        **body,
        **({member: _tidied(body[member], targets=member == "contentType")} if member in body else {}),
        **({"components": parts} if isinstance(listed, list) else {}),
    }


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _tidied(form: Any, *, targets: bool = False) -> Any:
    attributes = form.get("attributes") if isinstance(form, Mapping) else None
    if not isinstance(attributes, Mapping):
        return form

    def is_kept(raw: Mapping[str, Any], key: str, value: Any) -> bool:
        if key == "default":
            return not (isinstance(value, str) and value == "")
        is_target = targets and key == "targetField" and raw.get("type") == "uid" and isinstance(value, str)
        return not (is_target and value not in attributes)

    def kept(raw: Any) -> Any:
        if not isinstance(raw, Mapping):
            return raw
        return {key: value for key, value in raw.items() if is_kept(raw, key, value)}

    stored = {name: kept(raw) for name, raw in attributes.items()}
    return {**form, "attributes": stored}


def _check(shape: Shape, body: Any) -> None:
    problems = problems_in(shape, body)
    if problems:
        raise refused(problems)


def _known(registry: Registry, *, is_single: bool = False, is_component: bool = False) -> Known:
    types = registry.content_types.values()
    nested = frozenset(
        uid
        for uid, component in registry.components.items()
        if any(isinstance(attribute, ComponentField) for attribute in component.attributes.values())
    )
    targets = (*(item.uid for item in types if not item.is_single), SELF, OWNER)
    return Known(targets, nested, is_single, is_component)


def _content_type_members(registry: Registry, known: Known, *, is_new: bool) -> dict[str, Shape]:
    taken = [_not_taken(registry)] if is_new else []
    table = [_table_not_taken(registry)] if is_new else []
    return {
        "displayName": Text(at_least(1), REQUIRED),
        "kind": Text(one_of=("singleType", "collectionType"), nullable=True),
        "singularName": Text(at_least(1), *taken, _NOT_RESERVED_UNLESS_EMPTY, _KEBAB_UNLESS_EMPTY, REQUIRED),
        "pluralName": Text(at_least(1), *taken, *table, _NOT_RESERVED_UNLESS_EMPTY, _KEBAB_UNLESS_EMPTY, REQUIRED),
        "pluginOptions": Record({}),
        "collectionName": Text(CATEGORY, nullable=True),
        "draftAndPublish": Flag(),
        "options": Record({}),
        "description": Text(),
        "reviewWorkflows": Flag(),
        "attributes": attributes_shape(known),
    }


def _unless_empty(asked: Rule) -> Rule:
    def tell(value: Any, place: Place) -> Iterator[Problem]:
        if value != "":
            yield from asked(value, place)

    return tell


_KEBAB_UNLESS_EMPTY: Final = _unless_empty(_IS_KEBAB)
_NOT_RESERVED_UNLESS_EMPTY: Final = _unless_empty(_NOT_RESERVED)


def _component_members(known: Known) -> dict[str, Shape]:
    return {
        "attributes": attributes_shape(known),
        "displayName": Text(at_least(1), required("displayName.required")),
        "icon": Text(_ICON, nullable=True),
        "description": Text(),
        "category": Text(CATEGORY, required("category.required"), nullable=True),
        "collectionName": Text(CATEGORY, nullable=True),
        "pluginOptions": Record({}),
        "options": Record({}),
        **dict.fromkeys(_OF_ONE, Anything()),
    }


def _components(registry: Registry) -> Shape:
    named = rule("Component must have a uid or a tmpUID", lambda form: ("uid" in form) != ("tmpUID" in form))
    members = {**_component_members(_known(registry, is_component=True)), "uid": Text(), "tmpUID": Text()}
    members |= dict.fromkeys(_OF_ONE, Anything(_IN_ITS_OWN_FORM))
    return Items(Choice(lambda _: Record(members, named)))


def _names_differ(form: Mapping[str, Any]) -> bool:
    names = form.get("singularName"), form.get("pluralName")
    return not all(names) or names[0] != names[1]


def _not_taken(registry: Registry) -> Rule:
    taken = {name for item in registry.content_types.values() for name in (item.singular_name, item.plural_name)}
    return _taken_rule(lambda name: name in taken)


def _table_not_taken(registry: Registry) -> Rule:
    tables = {item.collection_name for item in registry.content_types.values()}
    return _taken_rule(lambda name: table_name(name) in tables)


def _taken_rule(is_taken: Any) -> Rule:
    def tell(value: Any, place: Place) -> Iterator[Problem]:
        if isinstance(value, str) and value and is_taken(value):
            yield place.problem(f"contentType: name `{value}` is already being used by another content type.")

    return tell
