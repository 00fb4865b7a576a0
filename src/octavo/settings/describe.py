"""What `octavo config check` shows: every key with its value and where the value comes from, secrets hidden."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from octavo.settings.keys import Key
from octavo.settings.model import TABLES, Settings

HIDDEN = "***"

_SECRET_NAME = re.compile("secret|password|token|salt|key|credential", re.IGNORECASE)


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
    shown = HIDDEN if key.row.secret and value else _shown(value)
    file = ".env" if key.file == "secrets" else f"config/{key.file}.toml"
    return Described(file, key.dotted, shown, settings.sources.get(key.attributes, "default"))


def _shown(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: HIDDEN if _hides(name, item) else _shown(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(item) for item in value]
    return value


def _hides(name: str, value: Any) -> bool:
    """Nobody knows the keys of foreign plugins; a name that sounds like a secret is one."""
    return bool(value) and not isinstance(value, Mapping) and bool(_SECRET_NAME.search(name))
