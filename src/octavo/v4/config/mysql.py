"""`config/database` with MySQL, which Octavo does not serve: how to copy its data."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from octavo.v4.config.tree import Leaf, Node, Table

_CLIENTS: Final = ("mysql", "mysql2")
_PORT: Final = 3306
_OFFSET: Final = re.compile(r"[+-]\d\d:\d\d", re.ASCII)
"""The driver mysql2 reads other values as UTC, except `local`."""


def copy_command(connection: Table) -> str | None:
    """Return the command that copies the database of a `connection`, or None if it is not on MySQL.

    The URL has no password. Unknown values are `USER` and `NAME`.
    """
    client = connection.members.get("client")
    if not isinstance(client, Leaf) or client.value not in _CLIENTS:
        return None
    inner = connection.members.get("connection")
    known = _known(inner)
    zone = known.get("timezone", "")
    option = f" --time-zone {zone}" if _OFFSET.fullmatch(zone) else ""
    return f"octavo db copy {_url(known)} TARGET{option}"


def _known(inner: Node | None) -> Mapping[str, str]:
    """Return the known values of `connection.connection`, which can be a URL, or have one as `uri`."""
    if isinstance(inner, Leaf):
        return _of_url(str(inner.value))
    if not isinstance(inner, Table):
        return {}
    leaves = {name: node.value for name, node in inner.members.items() if isinstance(node, Leaf)}
    known = {name: str(value) for name, value in leaves.items() if value not in (None, "")}
    return {**_of_url(known.get("uri", "")), **known}


def _of_url(url: str) -> Mapping[str, str]:
    try:
        parts = urlsplit(url)
        found = {"host": parts.hostname, "port": parts.port, "user": parts.username, "database": parts.path[1:]}
    except ValueError:
        return {}
    return {name: unquote(str(value)) for name, value in found.items() if value}


def _url(known: Mapping[str, str]) -> str:
    user = quote(known.get("user") or known.get("username") or "USER", safe="")
    name = quote(known.get("database") or "NAME", safe="")
    socket = known.get("socketPath")
    if socket is not None:
        return f"mysql://{user}@/{name}?socket={quote(socket)}"
    return f"mysql://{user}@{known.get('host', 'localhost')}:{known.get('port', _PORT)}/{name}"
