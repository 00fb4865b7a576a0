"""Supported functions of Node and packages by their dotted names. Their arguments contain no top-level holes."""

import json
import math
import posixpath
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tree_sitter import Node

from octavo.v4.javascript.context import (
    Answer,
    Context,
    Given,
    NativeFunction,
    Scope,
    at,
    first,
    hide,
    need,
    text_at,
    unset,
)
from octavo.v4.javascript.semantics import (
    ACCESSORS,
    ARGUMENTS,
    Unknown,
    is_truthy,
    parse_float,
    parse_int,
    to_json,
    to_number,
    to_text,
)
from octavo.v4.javascript.source import SourceProblem, read_bytes, resolved_inside
from octavo.v4.javascript.values import UNDEFINED, Data, Date, Items, Native, Record, Regex, Value, joined_variables


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
        key, _, encoded = pair.partition("=")
        entries[unquote(key)] = unquote(encoded.replace("+", " "))
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


NAMESPACES = frozenset(
    {
        "process",
        "process.env",
        "path",
        "fs",
        "url",
        "Math",
        "console",
        "pg-connection-string",
        "@strapi/utils",
        "dotenv",
    }
)
"""Objects, not functions, whose properties are supported one by one."""

CONSTANTS: dict[str, Data] = {
    "path.sep": "/",
    "path.delimiter": ":",
    "path.posix": Native("path"),
    "Number.MAX_SAFE_INTEGER": 2**53 - 1,
    "Number.NaN": math.nan,
    "Math.PI": math.pi,
    "@strapi/utils.env": Native("env"),
    "url.URL": Native("URL"),
    "process.exitCode": UNDEFINED,
}

GLOBALS: dict[str, Data] = {
    "undefined": UNDEFINED,
    "NaN": math.nan,
    "Infinity": math.inf,
    **{
        name: Native(name)
        for name in (
            "process",
            "JSON",
            "Object",
            "Array",
            "Math",
            "Number",
            "String",
            "Boolean",
            "parseInt",
            "parseFloat",
            "URL",
            "console",
            "Date",
            "RegExp",
            "require",
            "encodeURIComponent",
            "decodeURIComponent",
        )
    },
}

PACKAGES = {
    "path": "path",
    "fs": "fs",
    "url": "url",
    "process": "process",
    "pg-connection-string": "pg-connection-string",
    "@strapi/utils": "@strapi/utils",
    "dotenv": "dotenv",
}
"""Packages and modules of Node with supported functions."""


def from_json(context: Context, text: str, node: Node, scope: Scope) -> Data:
    """Evaluate `JSON.parse`."""
    if text.count("[") + text.count("{") > 10_000:
        raise Unknown("the JSON is too large")
    try:
        return _data(context, json.loads(text, parse_constant=_refuse), node, scope)
    except (ValueError, RecursionError):
        raise Unknown("the JSON is invalid") from None


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _data(context: Context, found: object, node: Node, scope: Scope) -> Data:
    context.spend(node, scope)
    match found:
        case dict():
            return Record(
                (key, context.value(_data(context, one, node, scope), node, scope)) for key, one in found.items()
            )
        case list():
            return Items(context.value(_data(context, one, node, scope), node, scope) for one in found)
        case None | str() | bool() | int() | float():
            return found
    raise Unknown("the JSON is invalid")


def join_path(parts: Sequence[str]) -> str:
    """Evaluate `path.join`: dots are resolved, a trailing slash is preserved."""
    joined = "/".join(part for part in parts if part)
    if not joined:
        return "."
    normal = posixpath.normpath(joined)
    normal = "/" + normal.lstrip("/") if normal.startswith("/") else normal
    return normal + "/" if joined.endswith("/") and not normal.endswith("/") else normal


def resolve_path(base: Path, parts: Sequence[str]) -> str:
    """Evaluate `path.resolve`: from the last absolute part, or from the project folder."""
    resolved = base.as_posix()
    for part in parts:
        resolved = part if part.startswith("/") else f"{resolved}/{part}" if part else resolved
    return "/" + posixpath.normpath(resolved).lstrip("/")


def _texts(given: Given) -> list[str]:
    return [text_at(given, index) for index in range(len(given))]


def _file(context: Context, text: str) -> Path:
    """Return the file of the project for a path. For a compiled file, the folder of its TypeScript source is used."""
    path = Path(resolve_path(context.project, [text]))
    if not path.exists() and (built := context.source_folder(path)) is not None:
        path = built
    if resolved_inside(path, context.project) is None:
        raise Unknown("the file does not exist, or is outside the project")
    return path


def read_file(context: Context, given: Given, _: Node, __: Scope) -> Data:
    """Evaluate `fs.readFileSync`, for files in the project."""
    try:
        return read_bytes(_file(context, text_at(given, 0)), context.project).decode("utf-8", "replace")
    except SourceProblem as problem:
        raise Unknown(problem.message) from None


def file_exists(context: Context, given: Given, _: Node, __: Scope) -> Data:
    """Evaluate `fs.existsSync`, for paths in the project."""
    path = Path(resolve_path(context.project, [text_at(given, 0)]))
    if not path.is_relative_to(context.project):
        raise Unknown("the file is outside the project")
    return path.exists()


def assign(context: Context, given: Given, node: Node, scope: Scope) -> Answer:
    """Evaluate `Object.assign`: it changes and returns the first argument."""
    target = first(given)
    if not isinstance(target, Record):
        raise Unknown("the argument is not an object")
    for one in given[1:]:
        spread_into(context, target, one, node, scope)
    return given[0]


def spread_into(context: Context, target: Record, value: Value, node: Node, scope: Scope) -> None:
    """Evaluate `...value` in an object. A hole may override all previous entries."""
    data = value.data
    match data:
        case Record():
            context.spend(node, scope, len(data))
            if data.rest is not None:
                hide(target, data.rest)
            target.update(data)
        case Items() if data.rest is None:
            target.update((str(index), item) for index, item in enumerate(data))
        case str():
            target.update((str(index), context.value(one, node, scope)) for index, one in enumerate(data[:1000]))
        case None | bool() | int() | float() | Regex():
            return
        case _ if data is UNDEFINED:
            return
        case _:
            hide(target, value.hole or context.new_hole(node, scope, "the spread value is unknown"))


def _math(compute: Callable[..., float]) -> NativeFunction:
    def function(_: Context, given: Given, __: Node, ___: Scope) -> Data:
        numbers = [to_number(at(given, index)) for index in range(len(given))]
        if not numbers or not all(map(math.isfinite, numbers)):
            raise Unknown("the arguments are not finite numbers")
        return compute(*numbers)

    return function


def _keys(context: Context, given: Given, node: Node, scope: Scope) -> Data:
    return Items(context.value(key, node, scope) for key, _ in _entries(given))


def _entries(given: Given) -> list[tuple[str, Value]]:
    data = first(given)
    if not isinstance(data, Record) or data.rest is not None:
        raise Unknown("some entries are unknown")
    return data.ordered()


def _pairs(context: Context, given: Given, node: Node, scope: Scope) -> Data:
    return Items(
        context.value(Items([context.value(key, node, scope), value]), node, scope) for key, value in _entries(given)
    )


def _from_pairs(_: Context, given: Given, __: Node, ___: Scope) -> Data:
    data = first(given)
    if not isinstance(data, Items) or data.rest is not None:
        raise Unknown("some entries are unknown")
    return Record((to_text(need(pair.at(0))), pair.at(1)) for pair in data)


def _define(context: Context, given: Given, node: Node, scope: Scope) -> Answer:
    target = first(given)
    if isinstance(target, Record) and len(given) > 2:
        descriptor = given[2].data
        found = descriptor.get("value") if isinstance(descriptor, Record) else None
        target[to_text(at(given, 1))] = found or context.hole(node, scope, ACCESSORS)
        return given[0]
    raise Unknown("the argument is not an object")


def _freeze(_: Context, given: Given, __: Node, ___: Scope) -> Answer:
    return given[0] if given else UNDEFINED


def _radix(given: Given) -> int:
    return int(to_number(at(given, 1))) if len(given) > 1 and at(given, 1) is not UNDEFINED else 0


FUNCTIONS: dict[str, NativeFunction] = {
    "path.join": lambda _, given, __, ___: join_path(_texts(given)),
    "path.resolve": lambda context, given, __, ___: resolve_path(context.project, _texts(given)),
    "path.normalize": lambda _, given, __, ___: join_path([text_at(given, 0)]),
    "path.dirname": lambda _, given, __, ___: posixpath.dirname(text_at(given, 0)) or ".",
    "path.basename": lambda _, given, __, ___: posixpath.basename(text_at(given, 0).rstrip("/")).removesuffix(
        text_at(given, 1) if len(given) > 1 else ""
    ),
    "path.extname": lambda _, given, __, ___: posixpath.splitext(text_at(given, 0))[1],
    "process.cwd": lambda context, _, __, ___: context.project.as_posix(),
    "fs.readFileSync": read_file,
    "fs.existsSync": file_exists,
    "JSON.parse": lambda context, given, node, scope: from_json(context, to_text(first(given)), node, scope),
    "JSON.stringify": lambda _, given, __, ___: to_json(first(given)) if len(given) == 1 else _no(),
    "Object.assign": assign,
    "Object.keys": _keys,
    "Object.values": lambda _, given, __, ___: Items(value for _, value in _entries(given)),
    "Object.entries": _pairs,
    "Object.fromEntries": _from_pairs,
    "Object.freeze": _freeze,
    "Object.defineProperty": _define,
    "Array.isArray": lambda _, given, __, ___: isinstance(first(given), Items),
    "Number": lambda _, given, __, ___: to_number(first(given)) if given else 0,
    "String": lambda _, given, __, ___: to_text(first(given)) if given else "",
    "Boolean": lambda _, given, __, ___: is_truthy(first(given)),
    "parseInt": lambda _, given, __, ___: parse_int(to_text(first(given)), _radix(given)),
    "parseFloat": lambda _, given, __, ___: parse_float(to_text(first(given))),
    "Number.parseInt": lambda _, given, __, ___: parse_int(to_text(first(given)), _radix(given)),
    "Number.parseFloat": lambda _, given, __, ___: parse_float(to_text(first(given))),
    "Math.floor": _math(lambda a: math.floor(a)),
    "Math.ceil": _math(lambda a: math.ceil(a)),
    "Math.round": _math(lambda a: math.floor(a + 0.5)),
    "Math.max": _math(lambda *all_: max(all_)),
    "Math.min": _math(lambda *all_: min(all_)),
    "Math.pow": _math(lambda a, b: a**b if abs(b) < 100 else _no()),
    "URL": make_url,
    "Date": lambda _, given, __, ___: Date(to_text(first(given))) if len(given) == 1 else _no(),
    "decodeURIComponent": lambda _, given, __, ___: unquote(to_text(first(given))),
    "pg-connection-string": parse_connection,
    "pg-connection-string.parse": parse_connection,
    "dotenv.config": lambda _, __, ___, ____: Record(),
    "require": lambda context, given, node, scope: context.require(text_at(given, 0), node, scope),
    **{f"console.{name}": lambda _, __, ___, ____: UNDEFINED for name in ("log", "info", "warn", "error", "debug")},
    "JSON": lambda _, __, ___, ____: _no(),
    "Object": lambda _, __, ___, ____: _no(),
    "Array": lambda _, __, ___, ____: _no(),
    "RegExp": lambda _, __, ___, ____: _no(),
}


def _no() -> float:
    raise Unknown(ARGUMENTS)
