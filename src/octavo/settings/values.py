"""Kinds of values: how each is parsed from text (environment) and TOML, and the description for error messages.

A parser raises ValueError for an invalid value; the loader turns that into a problem with source and key.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from ipaddress import ip_network
from json import JSONDecodeError, dumps, loads
from typing import Any, cast
from urllib.parse import unquote

from octavo.core.host_names import read_host
from octavo.core.values import dataclass
from octavo.settings.v4_versions import parse_version

Reader = Callable[[Any], Any]

_FLAGS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
_BYTES = {"": 1, "b": 1, "kb": 1024, "mb": 1024**2, "gb": 1024**3}
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_AMOUNT = re.compile(r"(\d{1,15}) ?([a-z]{0,2})")


class Misplaced(ValueError):
    """The problems inside a table: the path of each invalid part, and what was expected there."""

    def __init__(self, parts: Iterable[tuple[str, str]]) -> None:
        self.parts = tuple(parts)
        super().__init__("; ".join(f"{path}: {expected}" for path, expected in self.parts))


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value. `expected` completes "expected ..."; `item_is_text`: it is a table of strings. `show` writes a
    bound of a number."""

    expected: str
    from_text: Reader
    from_toml: Reader
    item_is_text: bool = False
    show: Callable[[int], str] = str


def _instance(*wanted: type) -> Reader:
    def read(value: Any) -> Any:
        if type(value) not in wanted:
            raise ValueError
        return value

    return read


def _flag(text: str) -> bool:
    try:
        return _FLAGS[text.strip().lower()]
    except KeyError:
        raise ValueError from None


def _amount(units: Mapping[str, int]) -> Reader:
    def read(value: Any) -> int:
        if type(value) is int:
            return value
        match = _AMOUNT.fullmatch(value.strip().lower()) if isinstance(value, str) else None
        if match is None or match[2] not in units:
            raise ValueError
        return int(match[1]) * units[match[2]]

    return read


def _in_units(units: Mapping[str, int]) -> Callable[[int], str]:
    """Return a function that writes a number in its largest whole unit."""

    def show(number: int) -> str:
        unit = max((name for name in units if number % units[name] == 0), key=units.__getitem__, default="")
        return f"{number // units[unit]}{unit}" if number and unit else str(number)

    return show


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError
    return tuple(value)


def _texts_from_text(text: str) -> tuple[str, ...]:
    if text.lstrip().startswith("["):
        return _texts(_json(text))
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _uses(value: Any) -> tuple[str | Mapping[str, Any], ...]:
    """Parse a list of names, or of tables with `name` and `config`."""
    if not isinstance(value, list):
        raise ValueError
    for item in value:
        is_table = isinstance(item, Mapping) and isinstance(item.get("name"), str) and item.keys() <= {"name", "config"}
        if not isinstance(item, str) and not is_table:
            raise ValueError
    return tuple(value)


def _uses_from_text(text: str) -> tuple[str | Mapping[str, Any], ...]:
    return _uses(_json(text)) if text.lstrip().startswith("[") else _texts_from_text(text)


def _json(text: str) -> Any:
    try:
        return loads(text)
    except (JSONDecodeError, RecursionError):
        raise ValueError from None


def _json_object(value: Any) -> str:
    """Parse a table, or its JSON, and return JSON."""
    content = _json(value) if isinstance(value, str) else value
    if not isinstance(content, Mapping):
        raise ValueError
    return dumps(content, default=str)


def _joined_texts(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(_texts(value))


def _share(value: Any) -> float:
    """Parse a number from 0 to 1, or its text."""
    number = float(value) if isinstance(value, str) else value
    if type(number) not in (int, float) or not 0 <= number <= 1:
        raise ValueError
    return float(number)


def _headers_from_text(text: str) -> Mapping[str, str]:
    """Parse headers in OpenTelemetry's format `name=value,name=value`, percent-encoded; or JSON."""
    if text.lstrip().startswith("{"):
        return cast(Mapping[str, str], _mapping_of(_instance(str))(_json(text)))
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    if not all(name.strip() and sign for name, sign, _ in pairs):
        raise ValueError
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}


def _mapping_of(read: Reader) -> Reader:
    def read_mapping(value: Any) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise ValueError
        return {name: read(item) for name, item in value.items()}

    return read_mapping


def _mapping(expected: str, read: Reader) -> Kind:
    return Kind(expected, lambda text: _mapping_of(read)(_json(text)), _mapping_of(read))


TEXT = Kind("a string", str, _instance(str))
FLAG = Kind("true or false", _flag, _instance(bool))
WHOLE_NUMBER = Kind("a whole number", int, _instance(int))
TEXTS = Kind("a list of strings", _texts_from_text, _texts)
USES = Kind("a list of names, or of tables of a `name` and its `config`", _uses_from_text, _uses)
SIZE = Kind(
    'a size: bytes, or with a unit, such as "512 kB", "1 MB", "2 GB"',
    _amount(_BYTES),
    _amount(_BYTES),
    show=_in_units({" kB": 1024, " MB": 1024**2, " GB": 1024**3}),
)
DURATION = Kind(
    'a time: seconds, or with a unit, such as "30s", "15m", "12h", "30d"',
    _amount({"": 1} | _SECONDS),
    _amount(_SECONDS),
    show=_in_units(_SECONDS),
)
MILLISECONDS = Kind(
    'a time: milliseconds, or with a unit, such as "100ms", "2s"',
    _amount({"": 1} | _MILLISECONDS),
    _amount(_MILLISECONDS),
    show=_in_units(_MILLISECONDS),
)
TEXT_TABLE = replace(_mapping("a table of strings", _instance(str)), item_is_text=True)
HEADERS = replace(TEXT_TABLE, expected="a table of strings, or `name=value,...`", from_text=_headers_from_text)
SHARE = Kind("a number from 0 to 1", _share, _share)
NUMBER_TABLE = _mapping("a table of whole numbers", _instance(int))
FREE_TABLE = _mapping("a table", lambda value: value)
TABLES = _mapping("tables", _mapping_of(lambda value: value))


UNLIMITED = "unlimited"
JSON_OBJECT = Kind("a table, or its JSON as a string", _json_object, _json_object)
JOINED_TEXTS = Kind("a string or a list of strings", str, _joined_texts)


def lenient(kind: Kind) -> Kind:
    """Return the same kind, which also accepts a text: v4's configurations contain unconverted variables."""

    def read(value: Any) -> Any:
        return kind.from_text(value) if isinstance(value, str) else kind.from_toml(value)

    return replace(kind, from_toml=read)


def optional(kind: Kind) -> Kind:
    """Return the same kind, with an empty text in the environment meaning "not set"."""
    return Kind(kind.expected, lambda text: kind.from_text(text) if text else None, kind.from_toml)


def between(kind: Kind, low: int, high: int | None) -> Kind:
    """Return the same kind with bounds, both inclusive; no upper bound if `high` is None."""

    def within(read: Reader) -> Reader:
        def read_within(value: Any) -> Any:
            number = read(value)
            if number < low or (high is not None and number > high):
                raise ValueError
            return number

        return read_within

    bounds = f"at least {kind.show(low)}" if high is None else f"{kind.show(low)} to {kind.show(high)}"
    return Kind(f"{kind.expected}, {bounds}", within(kind.from_text), within(kind.from_toml))


def or_unlimited(kind: Kind) -> Kind:
    """Return the same kind, which also accepts `unlimited` as None."""

    def read_or_none(read: Reader) -> Reader:
        return lambda value: None if value == UNLIMITED else read(value)

    return Kind(f'{kind.expected}, or "{UNLIMITED}"', read_or_none(kind.from_text), read_or_none(kind.from_toml))


def one_of(choices: Iterable[str], aliases: Mapping[str, str] | None = None) -> Kind:
    """Return a kind for a fixed set of words; `aliases` are further spellings (a TOML boolean is one)."""
    meanings = {**(aliases or {}), **{choice: choice for choice in choices}}

    def read(value: Any) -> str:
        word = str(value).lower() if isinstance(value, bool) else value
        if not isinstance(word, str) or word.strip() not in meanings:
            raise ValueError
        return meanings[word.strip()]

    return Kind(f"one of {', '.join(choices)}", read, read)


def table_of(kind: Kind, meaning: str) -> Kind:
    """Return a kind for a table whose values are of one kind."""
    return replace(_mapping(f"a table of {meaning}, each {kind.expected}", kind.from_toml), item_is_text=True)


def entries_of(kind: Kind, meaning: str) -> Kind:
    """Return the same, which reports each invalid value by its name."""

    def read(value: Any) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise ValueError
        found, wrong = {}, []
        for name, item in value.items():
            try:
                found[name] = kind.from_toml(item)
            except ValueError:
                wrong.append((quoted(name), f"expected {kind.expected}, not {dumps(item, default=str)}"))
        if wrong:
            raise Misplaced(wrong)
        return found

    expected = f"a table of {meaning}, each {kind.expected}"
    return Kind(expected, lambda text: read(_json(text)), read, item_is_text=True)


def quoted(name: str) -> str:
    """Quote a name as a part of a TOML key, if needed."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else dumps(name, ensure_ascii=False)


def _time_zone(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    if value == "UTC":
        return value
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(value).key
    except (ZoneInfoNotFoundError, OSError):
        raise ValueError from None


TIME_ZONE = Kind('a time zone such as "Europe/Berlin"', _time_zone, _time_zone)


def long_text(least: int) -> Kind:
    """Return a kind for a text of minimum length, for values that must not be guessable."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or len(value) < least:
            raise ValueError
        return value

    return Kind(f"a string of at least {least} characters", read, read)


def _path(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"(/[A-Za-z0-9._~-]+)*/?", value):
        raise ValueError
    return value.rstrip("/")


def _networks(read: Reader) -> Reader:
    def read_networks(value: Any) -> tuple[str, ...]:
        found: tuple[str, ...] = read(value)
        for text in found:
            ip_network(text, strict=False)
        return found

    return read_networks


def _hosts(read: Reader) -> Reader:
    def read_hosts(value: Any) -> tuple[str, ...]:
        found: tuple[str, ...] = read(value)
        return tuple(map(read_host, found))

    return read_hosts


HOSTS = Kind('a list of hosts such as "cms.example" or "*.example.com"', _hosts(_texts_from_text), _hosts(_texts))
NETWORKS = Kind('a list of addresses or networks such as "10.0.0.0/8"', _networks(_texts_from_text), _networks(_texts))
PATH = Kind('a path such as "/api"', _path, _path)


def _listening_host(value: Any) -> str:
    if not isinstance(value, str) or (value.startswith("unix:") and not value.startswith("unix:/")):
        raise ValueError
    return value


LISTENING_HOST = Kind('an address, or "unix:" and an absolute path', _listening_host, _listening_host)


def _permissions(value: Any) -> str:
    """Parse permissions. Integers are rejected: in TOML, `0o660` is 432, which would be read as other permissions."""
    if not isinstance(value, str) or not re.fullmatch(r"0?[0-7]{3}", value):
        raise ValueError
    return value[-3:]


PERMISSIONS = Kind('permissions as a string of octal digits, such as "660"', _permissions, _permissions)


def _v4_version(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    parse_version(value)
    return value


V4_VERSION = Kind('a version of v4 such as "4.13.1"', _v4_version, _v4_version)


def free_value(text: str) -> Any:
    """Parse a value of unknown type: as JSON if possible, else as text."""
    try:
        return _json(text)
    except ValueError:
        return text
