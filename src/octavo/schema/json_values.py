"""What stands in JSON for the attributes of a definition: the one table from which types and schemas are written.

`SCALAR_JSON` has a row for each type word: what answers hold, and what a body may hold beside it. `shown_values`,
`shown_when_populated` and `written` walk a definition as callers meet it: what is private or secret is in no answer.
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
"""Relations that nobody is shown, by whatever way (observed); filters may use them."""


class Json(Enum):
    """The kinds of JSON that a scalar is said in."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    DIGITS = "digits"  # a whole number as a text: it may be larger than JavaScript counts
    BOOLEAN = "boolean"
    DATE = "date"  # YYYY-MM-DD
    TIME = "time"  # HH:MM:SS.mmm
    INSTANT = "instant"  # ISO 8601, UTC, with milliseconds
    BLOCKS = "blocks"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class ScalarJson:
    """What answers hold, and what a body may hold as well."""

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
    """An attribute of a body. `required`: a new entry that is published at once needs it."""

    attribute: AnyAttribute
    required: bool


def is_shown(attribute: AnyAttribute) -> bool:
    """Whether answers may have it at all."""
    return not attribute.private and not (isinstance(attribute, Scalar) and SCALAR_TYPES[attribute.type].secret)


def shown_values(definition: Definition) -> Iterator[Scalar]:
    """What stands in every answer that does not choose its `fields`, in order of definition."""
    return (attribute for attribute in definition.scalars if is_shown(attribute))


def shown_when_populated(definition: Definition, registry: Registry) -> Iterator[AnyAttribute]:
    """What stands in an answer once it is populated, in order of definition."""
    for attribute in definition.attributes.values():
        if isinstance(attribute, Scalar) or not is_shown(attribute):
            continue
        leads_nowhere = isinstance(attribute, Relation) and attribute.target and not registry.target(attribute)
        if not leads_nowhere and (definition.uid, attribute.name) not in NEVER_POPULATED:
            yield attribute


def written(definition: Definition, *, private: bool) -> Iterator[Given]:
    """What a body may hold, in order of definition; with `private`, what is never shown again as well.

    The locale of an entry is chosen when it is made: doors read it beside the attributes.
    """
    for name in definition.writable_names:
        attribute = definition.attributes[name]
        if private or not attribute.private:
            has_default = isinstance(attribute, Scalar) and attribute.has_default
            yield Given(attribute, attribute.required and not has_default)


def with_drafts(registry: Registry) -> frozenset[str]:
    """The UIDs of definitions of which there may be drafts, which may lack what is required: content-types with drafts,
    and components that such hold."""
    found = {item.uid for item in registry.content_types.values() if item.draft_and_publish}
    waiting = list(found)
    while waiting:
        for attribute in registry.definition(waiting.pop()).attributes.values():
            below = [uid for uid in components_of(attribute) if uid not in found]
            found.update(below)
            waiting += below
    return frozenset(found)


def reached(registry: Registry, uids: Iterable[str]) -> list[ContentType]:
    """The content-types of these UIDs and all that their answers lead to, by UID."""
    waiting: list[Definition] = [registry.definition(uid) for uid in uids]
    seen = {item.uid: item for item in waiting}
    while waiting:
        for attribute in shown_when_populated(waiting.pop(), registry):
            below = [registry.definition(uid) for uid in components_of(attribute)]
            target = registry.target(attribute) if isinstance(attribute, Relation | Media) else None
            for item in (*below, *([target] if target else [])):
                if item.uid not in seen:
                    seen[item.uid] = item
                    waiting.append(item)
    return sorted((item for item in seen.values() if isinstance(item, ContentType)), key=lambda item: item.uid)
