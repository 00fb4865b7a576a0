"""Parse attributes from the command line: `title:string:required`, `speaker:manyToOne:api::speaker.speaker`.

After the name and the type follow the type's required value (the target of a relation, the values of an enumeration,
...), then options: `required`, `unique`, `private`, `localized`, and `key=value` for all others.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.modeling.generators.files import CannotGenerate
from octavo.modeling.generators.names import checked_attribute
from octavo.project.naming import did_you_mean
from octavo.schema.parse_attributes import PARSERS, RELATION_KINDS
from octavo.schema.registry import Registry

_COLON: Final = re.compile(r"(?<!:):(?!:)")
_FLAGS: Final = ("required", "unique", "private", "localized", "repeatable", "multiple")
_TARGETLESS: Final = frozenset({"morphToOne", "morphToMany"})
_TWO_WAY: Final = {
    "oneToOne": "oneToOne",
    "oneToMany": "manyToOne",
    "manyToOne": "oneToMany",
    "manyToMany": "manyToMany",
}
_ABSENT: Final = frozenset({"relation", "customField"})
TYPES: Final = (*sorted(PARSERS.keys() - _ABSENT), *sorted(RELATION_KINDS))
"""The types of attributes."""


@dataclass(frozen=True, slots=True)
class NewAttribute:
    """An attribute and its definition. `inverse` is the inverse attribute in a relation's target."""

    name: str
    raw: Mapping[str, Any]
    inverse: str | None = None


def read_attributes(given: Iterable[str], registry: Registry, own: str) -> list[NewAttribute]:
    """Parse attributes. `own` is the UID of their definition. Raises CannotGenerate."""
    new_attributes = [read_attribute(word, registry, own) for word in given]
    names = [attribute.name for attribute in new_attributes]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise CannotGenerate(f"{', '.join(twice)}: given twice")
    return new_attributes


def read_attribute(word: str, registry: Registry, own: str) -> NewAttribute:
    """Parse one attribute. Raises CannotGenerate."""
    name, *rest = _COLON.split(word)
    if not rest:
        raise CannotGenerate(f"{word!r}: expected NAME:TYPE, such as {name or 'title'}:string")
    kind, *options = rest
    if kind not in TYPES:
        raise CannotGenerate(f"{word!r}: unknown type {kind!r}{did_you_mean(kind, TYPES)}")
    raw: dict[str, Any] = {"type": kind}
    if kind in RELATION_KINDS:
        raw = {"type": "relation", "relation": kind}
    needed = [] if kind in _TARGETLESS else _needed(kind)
    if needed:
        if not options or "=" in options[0]:
            raise CannotGenerate(f"{word!r}: expected {name}:{kind}:{needed[1]}")
        raw |= _first(needed[0], options.pop(0), registry, own)
    flags = {option: True for option in options if option in _FLAGS}
    pairs = dict(_pair(word, option) for option in options if option not in _FLAGS)
    inverse = pairs.pop("inversedBy", None)
    if flags.pop("localized", False):
        raw["pluginOptions"] = {"i18n": {"localized": True}}
    attribute = NewAttribute(checked_attribute(name), {**raw, **flags, **pairs})
    return attribute if inverse is None else _two_way(word, attribute, str(inverse))


def _needed(kind: str) -> list[str]:
    """Return the key of a type's required value, and an example for messages."""
    if kind in RELATION_KINDS:
        return ["target", "UID"]
    return {
        "enumeration": ["enum", "easy,hard"],
        "component": ["component", "category.name"],
        "dynamiczone": ["components", "category.one,category.two"],
    }.get(kind, [])


def _first(key: str, value: str, registry: Registry, own: str) -> dict[str, Any]:
    if key == "target":
        return {key: _target(value, registry, own)}
    if key == "component":
        return {key: value}
    return {key: [item.strip() for item in value.split(",") if item.strip()]}


def _target(value: str, registry: Registry, own: str) -> str:
    """Return a UID; a singular name stands for the only content type that has it."""
    if "::" in value:
        return value
    known = [uid for uid in (*registry.content_types, own) if uid.rpartition(".")[2] == value]
    own_types = [uid for uid in known if uid.startswith("api::")]
    targets = list(dict.fromkeys(own_types or known))
    if len(targets) != 1:
        hint = (
            f"; the content types are {', '.join(targets)}" if targets else did_you_mean(value, registry.content_types)
        )
        raise CannotGenerate(f"unknown content type {value!r}{hint}")
    return targets[0]


def _pair(word: str, option: str) -> tuple[str, Any]:
    key, sign, text = option.partition("=")
    if not sign or not key:
        raise CannotGenerate(f"{word!r}: {option!r} is neither key=value nor one of {', '.join(_FLAGS)}")
    if key in {"allowedTypes", "enum", "components"}:
        return key, text.split(",")
    try:
        return key, json.loads(text)
    except ValueError:
        return key, text


def _two_way(word: str, attribute: NewAttribute, inverse: str) -> NewAttribute:
    kind = str(attribute.raw.get("relation"))
    if kind not in _TWO_WAY:
        raise CannotGenerate(f"{word!r}: inversedBy requires {', '.join(_TWO_WAY)}")
    key = "mappedBy" if kind == "oneToMany" else "inversedBy"
    return NewAttribute(attribute.name, {**attribute.raw, key: checked_attribute(inverse)}, inverse)


def inverse_of(attribute: NewAttribute, own: str) -> dict[str, Any]:
    """Return the definition of a relation's inverse attribute."""
    kind = str(attribute.raw["relation"])
    key = "inversedBy" if kind == "oneToMany" else "mappedBy"
    return {"type": "relation", "relation": _TWO_WAY[kind], "target": own, key: attribute.name}


def definitions_of(attributes: Sequence[NewAttribute]) -> dict[str, Any]:
    """Return attributes as in a definition."""
    return {attribute.name: dict(attribute.raw) for attribute in attributes}


def plain_types() -> Iterator[str]:
    """Yield the types without a required value."""
    yield from (kind for kind in TYPES if not _needed(kind))
