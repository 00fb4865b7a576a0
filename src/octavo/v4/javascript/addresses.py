"""Parse URLs: `new URL()` and the connection strings of PostgreSQL."""

import re
from urllib.parse import unquote, urlsplit

from tree_sitter import Node

from octavo.v4.javascript.context import Context, Scope, unset
from octavo.v4.javascript.given import Given, first, text_at
from octavo.v4.javascript.semantics import ARGUMENTS, Unknown, to_text
from octavo.v4.javascript.values import UNDEFINED, Data, Record, joined_variables


def make_url(context: Context, given: Given, node: Node, scope: Scope) -> Data:
    """Evaluate `new URL(text)` to an object with its parts as texts."""
    if len(given) != 1:
        raise Unknown(ARGUMENTS)
    if (reason := unset(given[0])) is not None:
        raise Unknown(reason)
    text = to_text(first(given))
    parts = urlsplit(text)
    if not PLAIN_URL.fullmatch(text) or {".", ".."} & set(parts.path.split("/")):
        raise Unknown("the URL is invalid or unsupported")
    try:
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        raise Unknown("the URL is invalid") from None
    scheme = parts.scheme.lower()
    if DEFAULT_PORTS.get(scheme) == port:
        port = None
    shown = f"{host}:{port}" if port is not None else host
    path = parts.path or ("/" if scheme in DEFAULT_PORTS else "")
    user = f"{parts.username or ''}{':' + parts.password if parts.password else ''}"
    query = f"?{parts.query}" if parts.query else ""
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    entries = {
        "href": f"{scheme}://{user}{'@' if user else ''}{shown}{path}{query}{fragment}",
        "protocol": f"{scheme}:",
        "username": parts.username or "",
        "password": parts.password or "",
        "host": shown,
        "hostname": host,
        "port": "" if port is None else str(port),
        "pathname": path,
        "search": query,
        "hash": fragment,
        "origin": f"{scheme}://{shown}" if scheme in DEFAULT_PORTS else "null",
    }
    variables = joined_variables(given)
    return Record((key, context.value(text, node, scope, variables)) for key, text in entries.items())


PLAIN_URL = re.compile(
    r"[a-zA-Z][a-zA-Z0-9+.-]*://"
    r"(?:[\w.~!$&()*+,;=%-]*(?::[\w.~!$&()*+,;=%-]*)?@)?"
    r"(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d+)?"
    r"(?:/[\w.~!$&()*+,;=%:@/-]*)?"
    r"(?:[?#][\w.~!$&()*+,;=%:@/?#-]*)?",
    re.ASCII,
)
"""URLs that browsers leave unchanged: nothing in them is encoded or resolved."""

DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}


def parse_connection(context: Context, given: Given, node: Node, scope: Scope) -> Data:
    """Evaluate `parse` of pg-connection-string, except for what it reads from files."""
    text = text_at(given, 0)
    parts = urlsplit(text)
    variables = joined_variables(given)
    try:
        port = parts.port
    except ValueError:
        raise Unknown("the database URL is invalid") from None
    if not parts.scheme or not parts.netloc:
        raise Unknown("the database URL is invalid")
    entries: dict[str, Data] = {
        "user": unquote(parts.username) if parts.username is not None else UNDEFINED,
        "password": unquote(parts.password) if parts.password is not None else UNDEFINED,
        "host": unquote(parts.hostname or ""),
        "port": "" if port is None else str(port),
        "database": unquote(parts.path[1:]) if len(parts.path) > 1 else None,
    }
    for pair in parts.query.split("&") if parts.query else []:
        key, _, found = pair.partition("=")
        entries[unquote(key)] = unquote(found.replace("+", " "))
    if entries.keys() & {"sslcert", "sslkey", "sslrootcert"}:
        raise Unknown("certificate files in a database URL are not supported")
    if "ssl" in entries:
        entries["ssl"] = {"true": True, "1": True, "0": False}.get(to_text(entries["ssl"]), entries["ssl"])
    match entries.get("sslmode"):
        case "disable":
            entries["ssl"] = False
        case "prefer" | "require" | "verify-ca" | "verify-full":
            entries["ssl"] = Record()
        case "no-verify":
            entries["ssl"] = Record([("rejectUnauthorized", context.value(False, node, scope))])
    return Record((key, context.value(data, node, scope, variables)) for key, data in entries.items())
