"""Values as they may be shown: without secrets."""

import re
from collections.abc import Mapping
from typing import Any

from octavo.settings.keys import Key

HIDDEN = "***"

_QUERY = re.compile(r"(?<=\?).+")
_SECRET_NAME = re.compile("secret|password|token|salt|key|credential", re.IGNORECASE)


def hidden(key: Key, value: Any) -> Any:
    """The value of a key as it may be shown: secrets hidden."""
    if key.row.shows == "all":
        return value
    return HIDDEN if key.row.secret and value and key.row.shows is None else _shown(value)


def _shown(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: HIDDEN if _hides(name, item) else _shown(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(item) for item in value]
    return _QUERY.sub(HIDDEN, value) if isinstance(value, str) and "://" in value else value


def _hides(name: str, value: Any) -> bool:
    """Nobody knows the keys of foreign plugins; a name that sounds like a secret is one."""
    return bool(value) and not isinstance(value, Mapping) and bool(_SECRET_NAME.search(name))
