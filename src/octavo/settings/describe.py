"""The output of `octavo config check`: every key with its value and source, with secrets hidden."""

from typing import Any, NamedTuple

from octavo.settings.findings import hidden
from octavo.settings.keys import Key
from octavo.settings.model import TABLES, Settings


class Described(NamedTuple):
    """One key with its value, which can be written as JSON."""

    file: str
    key: str
    value: Any
    source: str


def describe(settings: Settings) -> list[Described]:
    """Return all keys in the order of the reference."""
    return [_describe(settings, key) for table in TABLES.values() for key in table.rows()]


def _describe(settings: Settings, key: Key) -> Described:
    value: Any = settings
    for name in key.attributes:
        value = getattr(value, name)
    file = ".env" if key.file == "secrets" else f"config/{key.file}.toml"
    return Described(file, key.dotted, hidden(key, value), settings.sources.get(key.attributes, "default"))
