"""Extensions of built-in content types: a project can add attributes, but not remove or redefine required ones."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.schema.attributes import AnyAttribute, Relation, Scalar
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import USER, ContentType
from octavo.schema.custom_fields import CustomFields
from octavo.schema.definition_values import Reader
from octavo.schema.parse import parse_content_type
from octavo.schema.problems import DefinitionProblem, warning
from octavo.schema.scalar_types import SCALAR_TYPES

REMOVED: Final = "is built in and cannot be removed; put it back"
_FIXED: Final = "is built in and stays {expected!r}, not {value!r}; put it back as it was"
_MISSING: Final = "is built in and missing here; accounts need it, so add it"
_SWITCHED: Final = "is built in and cannot be switched on"
_REDEFINED: Final = "is built in and stays {expected}; put it back as it was"


def with_builtin_attributes(
    uid: str, raw: Mapping[str, Any], source: str, problems: list[DefinitionProblem]
) -> Mapping[str, Any]:
    """Return an extension of a built-in type with the attributes that its file lacks, and add a warning for each.

    Files written for an older v4 lack newer attributes. Users are left unchanged: v4 projects extend them, and their
    table has to be v4's.
    """
    attributes = raw.get("attributes")
    if not isinstance(attributes, Mapping):
        return raw
    missing = {name: value for name, value in BUILTIN_TYPES[uid]["attributes"].items() if name not in attributes}
    if uid == USER:
        problems += (warning(source, f"attributes.{name}", _MISSING) for name in missing)
        return raw
    problems += (
        warning(source, f"attributes.{name}", "is built in and still exists, although this file leaves it out")
        for name in missing
    )
    return {**raw, "attributes": {**attributes, **missing}} if missing else raw


def redefined(definition: ContentType) -> Iterator[DefinitionProblem]:
    """Yield the changes of a built-in type's definition that Octavo's code does not support."""
    raw = BUILTIN_TYPES.get(definition.uid)
    if raw is None:
        return
    kind = raw.get("kind", "collectionType")
    if definition.kind != kind:
        yield DefinitionProblem(definition.source, "kind", _FIXED.format(expected=kind, value=definition.kind))
    if raw["attributes"] == definition.raw.get("attributes"):
        return
    for name, expected in _expected(definition.uid).items():
        attribute = definition.attributes.get(name)
        if attribute is not None and _nature(attribute) != _nature(expected):
            message = _REDEFINED.format(expected=_described(expected))
            yield DefinitionProblem(definition.source, f"attributes.{name}", message)


def removed(definition: ContentType) -> Iterator[str]:
    """Yield the names of built-in attributes that a definition lacks."""
    if definition.uid in BUILTIN_TYPES:
        yield from (name for name in BUILTIN_TYPES[definition.uid]["attributes"] if name not in definition.attributes)


def switched(definition: ContentType, before: ContentType) -> Iterator[tuple[str, str]]:
    """Yield the table and options of a built-in type that a change would switch, with the reason against it.

    Octavo's code writes these tables, and does not support drafts and locales of their entries.
    """
    if definition.uid not in BUILTIN_TYPES:
        return
    table, earlier = definition.collection_name, before.collection_name
    if table not in (earlier, BUILTIN_TYPES[definition.uid]["collectionName"]):
        yield "collectionName", _FIXED.format(expected=earlier, value=table)
    if definition.draft_and_publish and not before.draft_and_publish:
        yield "draftAndPublish", _SWITCHED
    if definition.localized and not before.localized:
        yield "pluginOptions", _SWITCHED


def _expected(uid: str) -> Mapping[str, AnyAttribute]:
    raw = BUILTIN_TYPES[uid]
    attributes = parse_content_type(uid, raw, Reader("built-in", [], CustomFields())).attributes
    return {name: attributes[name] for name in raw["attributes"]}


def _nature(attribute: AnyAttribute) -> object:
    """Return what code depends on: the storage of values, or the target and storage of a relation."""
    match attribute:
        case Scalar():
            row = SCALAR_TYPES[attribute.type]
            return row.kind, row.secret
        case Relation():
            return attribute.kind, attribute.target, attribute.inversed_by, attribute.mapped_by
    return type(attribute)


def _described(attribute: AnyAttribute) -> str:
    if isinstance(attribute, Relation):
        return f"a relation ({attribute.kind}) to {attribute.target or 'any type'}"
    return f"of the type {attribute.type}" if isinstance(attribute, Scalar) else "as it is"
