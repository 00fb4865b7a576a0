"""Hide secrets in values for display."""

import re
from collections.abc import Mapping
from typing import Any

from octavo.settings.keys import Key

HIDDEN = "***"

_QUERY = re.compile(r"(?<=\?).+")
_SECRET_NAME = re.compile("secret|password|token|salt|key|credential", re.IGNORECASE)


def hidden(key: Key, value: Any) -> Any:
    """Return the value of a key with secrets hidden."""
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
    """Return whether to hide a value of an unknown plugin: if its name looks like that of a secret."""
    return bool(value) and not isinstance(value, Mapping) and bool(_SECRET_NAME.search(name))
