"""Validation of the attributes in a form, for each type."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any, Final

from octavo.content.validation.patterns import UID_PATTERN, is_pattern, is_uid
from octavo.core.errors import Problem
from octavo.core.forms import (
    EMAIL,
    INTEGER,
    REQUIRED,
    Anything,
    Choice,
    Flag,
    Items,
    Number,
    Place,
    Record,
    Rule,
    Shape,
    Text,
    at_least,
    matches,
    rule,
)
from octavo.core.forms.printing import MISSING
from octavo.core.values import dataclass
from octavo.modeling.builder.problems import unreadable
from octavo.schema.content_types import ADMIN_USER
from octavo.schema.naming import snake_case

Raw = Mapping[str, Any]

TYPES: Final = (
    *("media", "string", "text", "richtext", "blocks", "json", "enumeration", "password", "email", "integer"),
    *("biginteger", "float", "decimal", "date", "time", "datetime", "timestamp", "boolean", "relation"),
)
OF_CONTENT_TYPES: Final = (*TYPES, "uid", "component", "dynamiczone", "customField")
OF_COMPONENTS: Final = (*TYPES, "component", "customField")
RESERVED: Final = (
    *("id", "created_at", "updated_at", "published_at", "created_by_id", "updated_by_id", "created_by", "updated_by"),
)
_KEYS: Final = ("__component", "__contentType", *RESERVED)
_PAIRS: Final = ("oneToOne", "oneToMany", "manyToOne", "manyToMany")
_MORPHS: Final = ("morphOne", "morphMany", "morphToOne", "morphToMany")
_ONE_WAY: Final = ("oneToOne", "oneToMany")
_TARGETLESS: Final = ("morphToOne", "morphToMany")

_MOST: Final = 1000
"""Maximum number of attributes of a definition: databases do not support more columns."""
_NAME: Final = re.compile(r"[A-Za-z][_0-9A-Za-z]*", re.ASCII)
_NAME_TEXT: Final = "must match the following regex: /^[A-Za-z][_0-9A-Za-z]*$/"
NAME: Final = rule(f"{{path}} {_NAME_TEXT}", lambda text: not text or _NAME.fullmatch(text) is not None)
CATEGORY: Final = matches(
    r"^[A-Za-z][-_0-9A-Za-z]*$", "{path} must match the following regex: /^[A-Za-z][-_0-9A-Za-z]*$/", or_empty=True
)
_POSITIVE: Final = rule("{path} must be a positive number", lambda number: number > 0)
_LENGTHS: Final[Raw] = {"minLength": Number(INTEGER, _POSITIVE), "maxLength": Number(INTEGER, _POSITIVE)}
_DIGITS: Final = matches(r"^\d*$")


@dataclass(frozen=True, slots=True)
class Known:
    """What a form may refer to: targets of relations, the UIDs of components that contain components; and whether the
    owner is a single type, or a component."""

    targets: tuple[str, ...]
    nested: frozenset[str] = field(default=frozenset())
    is_single: bool = False
    is_component: bool = False


def attributes_shape(known: Known) -> Shape:
    """Return the shape for the attributes of a content type or component by name. It validates the names, too."""

    def choose(value: Any) -> Shape:
        if not isinstance(value, Mapping):
            return Record({}, rule("attributes.required", lambda given: given is not MISSING, of_absent=True))
        if len(value) > _MOST:
            return _Refused(f"a definition can have at most {_MOST} attributes")
        return Record({name: _named(name, raw, value, known) for name, raw in value.items()})

    return Choice(choose)


def _named(name: str, raw: Any, attributes: Raw, known: Known) -> Shape:
    if name in _KEYS[:2] or snake_case(name) in RESERVED:
        return _Refused(f"Attribute keys cannot be one of {', '.join(_KEYS)}")
    if not _NAME.fullmatch(name):
        return _Refused(f"Attribute name '{name}' {_NAME_TEXT}")
    if not isinstance(raw, Mapping):
        return Record({})
    if "type" not in raw:
        return _Refused("Attribute must have either a type or a target")
    types = OF_COMPONENTS if known.is_component else OF_CONTENT_TYPES
    more = _FORMS.get(str(raw["type"]), _nothing)(raw, attributes, known)
    return Record({"type": Text(REQUIRED, one_of=types), **_COMMON, **more})


class _Refused(Anything):
    """Rejects any value."""

    def __init__(self, says: str) -> None:
        super().__init__()
        self._says = says

    def problems(self, value: Any, place: Place) -> Iterator[Problem]:
        yield place.problem(self._says)


_COMMON: Final[Raw] = {
    "configurable": Flag(nullable=True),
    "private": Flag(nullable=True),
    "pluginOptions": Record({}),
}
_REQUIRED: Final[Raw] = {"required": Flag()}
_UNIQUE: Final[Raw] = {"required": Flag(), "unique": Flag()}


def _nothing(raw: Raw, attributes: Raw, known: Known) -> Raw:
    return {}


def _always(shapes: Raw) -> Callable[[Raw, Raw, Known], Raw]:
    return lambda raw, attributes, known: shapes


_PATTERN: Final = rule("{path} must be a valid regular expression", is_pattern)


def _numbers(*rules: Rule) -> Raw:
    return {**_UNIQUE, "default": Number(*rules), "min": Number(*rules), "max": Number(*rules)}


_BOUNDS: Final[Raw] = {"min": Number(), "max": Number()}
_DIGIT_TEXT: Final = Text(_DIGITS, nullable=True)


def _json_value(text: Any) -> bool:
    try:
        return not isinstance(text, str) or json.loads(text) is not MISSING
    except (ValueError, RecursionError):
        return False


def _enumeration(raw: Raw, attributes: Raw, known: Known) -> Raw:
    values = raw.get("enum")
    listed = values if isinstance(values, list) else []
    no_digit = rule("{path} should not start with number", lambda text: not re.match(r"[0-9]", text))
    unlike = rule("{path} cannot contain duplicate values", lambda items: len({*map(str, items)}) == len(items))
    return {
        "enum": Items(Text(REQUIRED, no_digit), at_least(1), unlike, _required_list),
        "default": Text(one_of=[*listed, ""] if "" in listed else listed),
        "enumName": Text(NAME),
        **_REQUIRED,
    }


def _required_list(value: Any, place: Place) -> Iterator[Problem]:
    if value is MISSING:
        raise unreadable()
    yield from ()


def _uid(raw: Raw, attributes: Raw, known: Known) -> Raw:
    texts = [name for name, one in attributes.items() if isinstance(one, Mapping) and one.get("type") in _TEXTS]
    unset = rule("cannot define a default UID if the targetField is set", lambda _: not raw.get("targetField"))
    replacements = Items(Items(Text(), at_least(2)))
    options = {"separator": Text(), "lowercase": Flag(), "decamelize": Flag(), "preserveLeadingUnderscore": Flag()}
    return {
        "targetField": Text(one_of=texts, nullable=True),
        "default": Text(unset, rule(f"{{path}} must match the following regex: {UID_PATTERN}", is_uid)),
        "options": Record({**options, "customReplacements": replacements}),
        **_LENGTHS,
        **_REQUIRED,
    }


_TEXTS: Final = ("string", "text")


def _relation(raw: Raw, attributes: Raw, known: Known) -> Raw:
    kind = raw.get("relation")
    allowed: tuple[str, ...] = (*_PAIRS, *_MORPHS)
    is_closed = raw.get("target") == ADMIN_USER and "targetAttribute" in raw
    if known.is_component or is_closed:
        allowed = _ONE_WAY
    elif known.is_single:
        allowed = (*_ONE_WAY, *_MORPHS)
    says = f"must be one of the following values: {', '.join(allowed)}"
    known_kind = rule(says, lambda value: not value or (value in allowed and not is_closed))
    shapes: dict[str, Shape] = {"relation": Text(REQUIRED, known_kind)}
    if kind in _TARGETLESS and not known.is_component:
        shapes["target"] = Text(nullable=True)
    elif kind is not None:
        shapes["target"] = Text(REQUIRED, one_of=known.targets)
    return {**shapes, "targetAttribute": Text(_plain_name, nullable=True)}


def _plain_name(value: Any, place: Place) -> Iterator[Problem]:
    """Validate the name of an inverse attribute; `-` means none, as sent by the admin panel."""
    if value != "-":
        yield from NAME(value, place) if isinstance(value, str) else ()


def _component(raw: Raw, attributes: Raw, known: Known) -> Raw:
    uid = raw.get("component")
    name = uid.partition(".")[2] if isinstance(uid, str) else ""
    flat = rule(
        f"{name} already is a nested component. You cannot have more than one level of nesting inside your components.",
        lambda value: not (known.is_component and value in known.nested),
    )
    return {"component": Text(REQUIRED, flat), "repeatable": Flag(), **_REQUIRED, **_BOUNDS}


def _zone(raw: Raw, attributes: Raw, known: Known) -> Raw:
    listed = rule("{path} must be an array", lambda value: value is not MISSING, of_absent=True)
    return {"components": Items(Text(REQUIRED), at_least(1), listed), **_REQUIRED, **_BOUNDS}


_TEXT_FORM: Final = _always({"default": Text(), **_LENGTHS, "regex": Text(_PATTERN), **_UNIQUE})
_DATE_FORM: Final = _always({"default": Text(), **_UNIQUE})
_FLAG_FORM: Final = _always({"default": Flag(), **_REQUIRED})
_REAL_FORM: Final = _always(_numbers())
_FORMS: Final[Mapping[str, Callable[[Raw, Raw, Known], Raw]]] = {
    "media": _always(
        {
            "multiple": Flag(),
            **_REQUIRED,
            "allowedTypes": Items(Text(one_of=("images", "videos", "files", "audios")), at_least(1)),
        }
    ),
    **dict.fromkeys(("string", "text"), _TEXT_FORM),
    "richtext": _always({"default": Text(), **_LENGTHS, **_REQUIRED}),
    "blocks": _always(_REQUIRED),
    "json": _always({"default": Anything(rule("{path} is not a valid JSON", _json_value), nullable=True), **_REQUIRED}),
    "enumeration": _enumeration,
    "password": _always({**_LENGTHS, **_REQUIRED}),
    "email": _always({"default": Text(EMAIL), **_LENGTHS, **_UNIQUE}),
    "integer": _always({**_UNIQUE, "default": Number(INTEGER), "min": Number(INTEGER), "max": Number(INTEGER)}),
    "biginteger": _always({**_UNIQUE, **dict.fromkeys(("default", "min", "max"), _DIGIT_TEXT)}),
    **dict.fromkeys(("float", "decimal"), _REAL_FORM),
    **dict.fromkeys(("date", "time", "datetime"), _DATE_FORM),
    "boolean": _FLAG_FORM,
    "relation": _relation,
    "uid": _uid,
    "component": _component,
    "dynamiczone": _zone,
}
