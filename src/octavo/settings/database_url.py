"""DATABASE_URL: split a URL into the keys of `database.toml`.

Raises ValueError, whose message never contains the URL, because it may include a password.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from octavo.core.net.encryption_modes import MODES, read_encryption

_CLIENTS = {"postgres": "postgres", "postgresql": "postgres", "mysql": "mysql", "mariadb": "mysql"}
_PARAMETERS = {"sslmode": "ssl", "ssl": "ssl", "schema": "schema", "host": "host", "port": "port"}

_SEVERAL = re.compile(r"([^/?#]+://(?:[^/?#]*@)?)([^/?#@]*,[^/?#@]*)(?=[/?#]|$)(.*)", re.DOTALL)
"""A URL with several hosts, which `urlsplit` does not support: the part before, the hosts, and the rest."""

EXPECTED = "a URL such as sqlite:///data.db or postgresql://user:password@host:5432/name"


def read_database_url(url: str) -> dict[str, Any]:
    """Return the keys that the URL sets, as texts. Unknown query parameters are ignored."""
    several = _SEVERAL.match(url)
    try:
        parts = urlsplit(url if several is None else f"{several[1]}several{several[3]}")
        host, port = (parts.hostname, parts.port) if several is None else (several[2], None)
    except ValueError:
        raise ValueError(EXPECTED) from None
    if parts.scheme == "sqlite":
        return _sqlite(parts)
    if parts.scheme in _CLIENTS:
        return _server(_CLIENTS[parts.scheme], parts, host, port)
    raise ValueError(EXPECTED)


def _sqlite(parts: SplitResult) -> dict[str, Any]:
    if parts.netloc or len(parts.path) < 2:
        raise ValueError("sqlite:///relative/to/project or sqlite:////absolute")
    return {"client": "sqlite", "filename": unquote(parts.path[1:])}


def _server(client: str, parts: SplitResult, host: str | None, port: int | None) -> dict[str, Any]:
    name = unquote(parts.path[1:])
    if not name or "/" in name:
        raise ValueError("the name of the database at the end of the URL")
    options = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    given = {
        "host": host,
        "port": str(port) if port is not None else None,
        "name": name,
        "user": unquote(parts.username) if parts.username else None,
        "password": unquote(parts.password) if parts.password else None,
        **{_PARAMETERS[key]: values for key, values in options.items() if key in _PARAMETERS},
        **({"ssl": _encryption(options)} if client == "mysql" else {}),
    }
    return {"client": client, **{key: value for key, value in given.items() if value is not None}}


def _encryption(options: Mapping[str, str]) -> str | None:
    try:
        return read_encryption(options)
    except ValueError:
        raise ValueError(f"one of {', '.join(MODES)} for ssl") from None
