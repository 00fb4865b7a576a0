"""The lines of an archive as values. Invalid ones raise an error with their location."""

from collections.abc import Mapping
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.operations.transfer.archive.reader import Place
from octavo.query.sql.served_rows import DRAFT, LOCALE
from octavo.schema.scalar_types import LARGEST_ID

_KINDS: Final = frozenset({"relation.basic", "relation.circular", "relation.morph"})
CORE_STORE: Final = "core-store"
WEBHOOK: Final = "webhook"


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """An entry with its components, without its relations."""

    type: str
    id: int
    data: Mapping[str, Any]
    hidden: tuple[str, ...] = ()
    """Why the source project did not serve the entry."""


@dataclass(frozen=True, slots=True)
class LinkEnd:
    """One side of a link. `position` is its position among the entries that the other side links to."""

    type: str
    id: int
    field: str | None
    position: float | None


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """A link. `left` is the side that stores it."""

    kind: str
    left: LinkEnd
    right: LinkEnd


@dataclass(frozen=True, slots=True)
class ConfigurationRecord:
    """A row of the core store, or a webhook."""

    type: str
    value: Mapping[str, Any]


def read_entity(place: Place, line: Mapping[str, Any]) -> EntityRecord:
    """Parse a line of `entities`."""
    hidden = line.get("hidden") or ()
    if not isinstance(hidden, list | tuple) or not set(map(str, hidden)) <= {DRAFT, LOCALE}:
        raise place.refusal("has reasons to be hidden that do not exist")
    return EntityRecord(
        _text(place, line, "type"), read_id(place, line, "id"), _mapping(place, line, "data"), tuple(hidden)
    )


def read_link(place: Place, line: Mapping[str, Any]) -> LinkRecord:
    """Parse a line of `links`."""
    kind = _text(place, line, "kind")
    if kind not in _KINDS:
        raise place.refusal(f"unknown link kind {kind!r}; expected {', '.join(sorted(_KINDS))}")
    return LinkRecord(kind, _read_end(place, line, "left"), _read_end(place, line, "right"))


def read_configuration(place: Place, line: Mapping[str, Any]) -> ConfigurationRecord:
    """Parse a line of `configuration`."""
    kind = _text(place, line, "type")
    if kind not in (CORE_STORE, WEBHOOK):
        raise place.refusal(f"{kind!r} is neither {CORE_STORE} nor {WEBHOOK}")
    return ConfigurationRecord(kind, _mapping(place, line, "value"))


def _read_end(place: Place, line: Mapping[str, Any], side: str) -> LinkEnd:
    end = _mapping(place, line, side)
    field, position = end.get("field"), end.get("pos")
    if field is not None and not isinstance(field, str):
        raise place.refusal(f"{side}.field is not a string")
    if position is not None and (isinstance(position, bool) or not isinstance(position, int | float)):
        raise place.refusal(f"{side}.pos is not a number")
    return LinkEnd(_text(place, end, "type"), read_id(place, end, "ref"), field, position)


def read_id(place: Place, line: Mapping[str, Any], key: str) -> int:
    """Return the id of a row."""
    value = line.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= LARGEST_ID:
        raise place.refusal(f"{key} is not an ID")
    return value


def _text(place: Place, line: Mapping[str, Any], key: str) -> str:
    value = line.get(key)
    if not isinstance(value, str):
        raise place.refusal(f"{key} is not a string")
    return value


def _mapping(place: Place, line: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = line.get(key)
    if not isinstance(value, dict):
        raise place.refusal(f"{key} is not an object")
    return value
