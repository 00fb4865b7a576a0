"""The JSON types of attributes, from which type definitions and API schemas are generated.

`SCALAR_JSON` has a row for each type: the JSON in responses, and further JSON accepted in request bodies.
`attributes_in_responses`, `populatable_attributes` and `written` list a definition's attributes as clients see them:
private and secret ones are never in responses.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Final

from octavo.core.values import dataclass
from octavo.schema.attributes import AnyAttribute, Media, Relation, Scalar, components_of
from octavo.schema.content_types import ROLE, ContentType, Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES

NEVER_POPULATED: Final = frozenset({(ROLE, "users")})
"""Relations that are never returned (observed); filters can use them."""


class Json(Enum):
    """The JSON types of scalars."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    DIGITS = "digits"  # an integer as text, because it may exceed JavaScript's range
    BOOLEAN = "boolean"
    DATE = "date"  # YYYY-MM-DD
    TIME = "time"  # HH:MM:SS.mmm
    INSTANT = "instant"  # ISO 8601, UTC, with milliseconds
    BLOCKS = "blocks"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class ScalarJson:
    """The JSON in responses, and what request bodies may contain in addition."""

    shown: Json
    also_taken: tuple[Json, ...] = ()


_TEXT: Final = ScalarJson(Json.TEXT)
_ANY: Final = ScalarJson(Json.ANY)

SCALAR_JSON: Mapping[str, ScalarJson] = {
    **dict.fromkeys(("string", "text", "richtext", "enumeration", "email", "password", "uid"), _TEXT),
    "integer": ScalarJson(Json.INTEGER),
    "biginteger": ScalarJson(Json.DIGITS, (Json.INTEGER,)),
    "float": ScalarJson(Json.NUMBER),
    "decimal": ScalarJson(Json.NUMBER),
    "boolean": ScalarJson(Json.BOOLEAN),
    "date": ScalarJson(Json.DATE),
    "time": ScalarJson(Json.TIME),
    "datetime": ScalarJson(Json.INSTANT),
    "timestamp": ScalarJson(Json.DIGITS, (Json.INTEGER, Json.INSTANT)),
    "json": _ANY,
    "array": _ANY,
    "blocks": ScalarJson(Json.BLOCKS),
}


@dataclass(frozen=True, slots=True)
class Given:
    """An attribute of a request body. `required`: a new entry that is published at once needs it."""

    attribute: AnyAttribute
    required: bool


def is_in_responses(attribute: AnyAttribute) -> bool:
    """Return whether responses can contain the attribute."""
    return not attribute.private and not (isinstance(attribute, Scalar) and SCALAR_TYPES[attribute.type].secret)


def attributes_in_responses(definition: Definition) -> Iterator[Scalar]:
    """Yield the attributes in responses without `fields`, in the definition's order."""
    return (attribute for attribute in definition.scalars if is_in_responses(attribute))


def populatable_attributes(definition: Definition, registry: Registry) -> Iterator[AnyAttribute]:
    """Yield the attributes in responses if they are populated, in the definition's order."""
    for attribute in definition.attributes.values():
        if isinstance(attribute, Scalar) or not is_in_responses(attribute):
            continue
        leads_nowhere = isinstance(attribute, Relation) and attribute.target and not registry.target(attribute)
        if not leads_nowhere and (definition.uid, attribute.name) not in NEVER_POPULATED:
            yield attribute


def written(definition: Definition, *, private: bool) -> Iterator[Given]:
    """Yield the attributes of request bodies, in the definition's order; with `private`, also write-only ones.

    The locale of an entry is set when it is created; the APIs read it separately.
    """
    for name in definition.writable_names:
        attribute = definition.attributes[name]
        if private or not attribute.private:
            has_default = isinstance(attribute, Scalar) and attribute.has_default
            yield Given(attribute, attribute.required and not has_default)


def with_drafts(registry: Registry) -> frozenset[str]:
    """Return the UIDs of definitions whose drafts may lack required values: content types with drafts, and the
    components in them."""
    uids = {item.uid for item in registry.content_types.values() if item.draft_and_publish}
    waiting = list(uids)
    while waiting:
        for attribute in registry.definition(waiting.pop()).attributes.values():
            below = [uid for uid in components_of(attribute) if uid not in uids]
            uids.update(below)
            waiting += below
    return frozenset(uids)


def reached(registry: Registry, uids: Iterable[str]) -> list[ContentType]:
    """Return the content types with these UIDs, and those in their responses, by UID."""
    waiting: list[Definition] = [registry.definition(uid) for uid in uids]
    seen = {item.uid: item for item in waiting}
    while waiting:
        for attribute in populatable_attributes(waiting.pop(), registry):
            below = [registry.definition(uid) for uid in components_of(attribute)]
            target = registry.target(attribute) if isinstance(attribute, Relation | Media) else None
            for item in (*below, *([target] if target else [])):
                if item.uid not in seen:
                    seen[item.uid] = item
                    waiting.append(item)
    return sorted((item for item in seen.values() if isinstance(item, ContentType)), key=lambda item: item.uid)
