"""Entry factories: required values that a test does not set are generated, and are valid.

Values are numbered, not random: the same test creates the same entries.
"""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any, Final

from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.project import Entry
from octavo.project.naming import did_you_mean
from octavo.schema.attributes import (
    LOCALE,
    PUBLISHED_AT,
    UID,
    AnyAttribute,
    ComponentField,
    DynamicZone,
    Enumeration,
    Media,
    Relation,
    Scalar,
)
from octavo.schema.content_types import FILE, ContentType, Definition
from octavo.schema.json_values import SCALAR_JSON, Json
from octavo.schema.naming import words
from octavo.schema.registry import Registry

MOST_LEVELS: Final = 8
_FIRST_DAY: Final = date(2024, 1, 1)
_DEFAULT_LENGTH: Final = 255
_SHORT: Final = frozenset({"string", "email", "uid"})
Make = Callable[[str, int], Awaitable[int]]
"""Create an entry of a content type, so many levels below the requested one, and return its id."""


class CannotMake(ValueError):
    """An entry cannot be created: a name is unknown, or a required value cannot be generated."""


@dataclass(slots=True)
class Filler:
    """Generate required values. `make` creates the entries that required relations need."""

    registry: Registry
    make: Make
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    async def fill(self, item: Definition, given: Mapping[str, Any], level: int = 0) -> dict[str, Any]:
        """Return the data of an entry or component: the given values and all other required ones. Raises CannotMake."""
        _check_names(item, given)
        number = next(self._numbers)
        data = {name: await self._given(item, name, value, level) for name, value in given.items()}
        if isinstance(item, ContentType) and item.uid == FILE:
            data = {**_file(number), **data}
        for attribute in item.attributes.values():
            has_default = isinstance(attribute, Scalar) and attribute.has_default
            if attribute.required and attribute.writable and not has_default and attribute.name not in data:
                data[attribute.name] = await self._value(attribute, item, number, level)
        if isinstance(item, ContentType) and item.draft_and_publish:
            data.setdefault(PUBLISHED_AT, _instant(this_moment()))
        return data

    async def _given(self, item: Definition, name: str, value: Any, level: int) -> Any:
        """Normalize a given value: entries become ids, and missing values of components are generated."""
        attribute = item.attributes.get(name)
        match attribute:
            case Relation() | Media():
                return _ids(value)
            case ComponentField(component=uid) if value is not None:
                component = self.registry.components[uid]
                if attribute.repeatable:
                    return [await self.fill(component, one, level) for one in value]
                return await self.fill(component, value, level)
            case DynamicZone() if value is not None:
                return [await self._part(item, name, one, level) for one in value]
            case _:
                return value

    async def _part(self, item: Definition, name: str, value: Mapping[str, Any], level: int) -> dict[str, Any]:
        uid = value.get("__component")
        component = self.registry.components.get(str(uid))
        if component is None:
            raise CannotMake(f"{item.uid}.{name}: unknown component {uid!r}")
        given = {key: one for key, one in value.items() if key != "__component"}
        return {"__component": uid, **await self.fill(component, given, level)}

    async def _value(self, attribute: AnyAttribute, item: Definition, number: int, level: int) -> Any:
        place = f"{item.uid}.{attribute.name}"
        if level >= MOST_LEVELS:
            raise CannotMake(f"{place} requires entries that require each other; pass a value")
        match attribute:
            case Scalar():
                return _scalar(attribute, place, number)
            case Relation(target=str() as uid):
                made = await self.make(uid, level + 1)
                return [made] if attribute.to_many else made
            case Media():
                made = await self.make(FILE, level + 1)
                return [made] if attribute.multiple else made
            case ComponentField(component=uid):
                component = self.registry.components[uid]
                if not attribute.repeatable:
                    return await self.fill(component, {}, level + 1)
                return [await self.fill(component, {}, level + 1) for _ in range(attribute.minimum or 1)]
            case DynamicZone(components=uids) if uids:
                parts = [self.registry.components[uids[0]]] * (attribute.minimum or 1)
                return [{"__component": part.uid, **await self.fill(part, {}, level + 1)} for part in parts]
            case _:
                raise CannotMake(f"{place} is required and accepts entries of any type; pass a value")


def _check_names(item: Definition, given: Mapping[str, Any]) -> None:
    known = [*item.attributes, "id", *([LOCALE] if isinstance(item, ContentType) and item.localized else [])]
    for name in given:
        if name not in known:
            raise CannotMake(f"{item.uid} has no attribute {name!r}{did_you_mean(name, known)}")


def _ids(value: Any) -> Any:
    if isinstance(value, Entry) or hasattr(value, "jwt"):
        return value.id
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_ids(one) for one in value]
    return value


def _scalar(scalar: Scalar, place: str, number: int) -> Any:
    if isinstance(scalar, Enumeration):
        return scalar.values[0]
    if scalar.regex:
        raise CannotMake(f"{place} is required and has a regex; pass a value")
    kind = SCALAR_JSON[scalar.type].shown
    return _text(scalar, place, number) if kind is Json.TEXT else _VALUES[kind](scalar, number)


def _text(scalar: Scalar, place: str, number: int) -> str:
    slug = "-".join(word.lower() for word in words(scalar.name) if word.isascii()) or "text"
    if scalar.type == "email":
        return f"{slug}-{number}@example.org"
    text = f"{slug}-{number}" if isinstance(scalar, UID) or scalar.type == "password" else f"{scalar.name} {number}"
    most = scalar.max_length or (_DEFAULT_LENGTH if scalar.type in _SHORT else None)
    if most is not None and len(text) > most:
        text = str(number)[-most:] if len(str(number)) <= most else ""
    text = text.ljust(scalar.min_length or 0, "x")
    if not text:
        raise CannotMake(f"{place} is too short for {number}; pass a value")
    return text


def _number(scalar: Scalar, number: int) -> float | int:
    least, most = scalar.minimum, scalar.maximum
    value = number if least is None else max(number, math.ceil(least))
    return value if most is None or value <= most else most


def _blocks(scalar: Scalar, number: int) -> list[dict[str, Any]]:
    return [{"type": "paragraph", "children": [{"type": "text", "text": f"{scalar.name} {number}"}]}]


_VALUES: Final[Mapping[Json, Callable[[Scalar, int], Any]]] = {
    Json.INTEGER: _number,
    Json.NUMBER: _number,
    Json.DIGITS: lambda scalar, number: str(_number(scalar, number)),
    Json.BOOLEAN: lambda scalar, number: False,
    Json.DATE: lambda scalar, number: (_FIRST_DAY + timedelta(days=number)).isoformat(),
    Json.TIME: lambda scalar, number: "12:00:00.000",
    Json.INSTANT: lambda scalar, number: _instant(this_moment()),
    Json.BLOCKS: _blocks,
    Json.ANY: lambda scalar, number: {},
}


def _file(number: int) -> dict[str, Any]:
    name = f"file_{number}"
    known = {"name": f"{name}.png", "hash": name, "ext": ".png", "mime": "image/png", "url": f"/uploads/{name}.png"}
    return {**known, "size": 1, "provider": "local", "folderPath": "/"}


def _instant(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
