"""What `octavo config check` shows: every key with its value and where the value comes from, secrets hidden."""

from typing import Any, NamedTuple

from octavo.settings.keys import Key
from octavo.settings.model import TABLES, Settings
from octavo.settings.redaction import hidden


class Described(NamedTuple):
    """One key as it stands; `value` can be written as JSON."""

    file: str
    key: str
    value: Any
    source: str


def describe(settings: Settings) -> list[Described]:
    """All keys in the order of the reference."""
    return [_describe(settings, key) for table in TABLES.values() for key in table.rows()]


def _describe(settings: Settings, key: Key) -> Described:
    value: Any = settings
    for name in key.attributes:
        value = getattr(value, name)
    file = ".env" if key.file == "secrets" else f"config/{key.file}.toml"
    return Described(file, key.dotted, hidden(key, value), settings.sources.get(key.attributes, "default"))
