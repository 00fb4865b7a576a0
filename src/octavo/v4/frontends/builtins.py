"""Functions of JavaScript and of packages that front ends use to build requests."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from octavo.v4.frontends.scopes import MISSING
from octavo.v4.frontends.values import (
    Address,
    Client,
    Closure,
    Gap,
    Text,
    encoded,
    joined_parts,
    text_of_parts,
    to_parts,
)
from octavo.v4.javascript.values import UNDEFINED

_STRAPI_NAMES: Final = re.compile(r"\$?strapi(?:Client)?|useStrapi\d?", re.IGNORECASE)
_STRAPI_CLIENTS: Final = ("strapi-sdk-js", "@strapi/client", "@nuxtjs/strapi")
_HTTP_NAMES: Final = re.compile(r"\$?(?:axios|http|ky|got|ofetch|\$fetch)")
_DEEPEST: Final = 20
_MOST_PAIRS: Final = 1_000


def returned_client(name: str, specifier: str = "") -> Client | None:
    """Return the client that a name of a package stands for, or None."""
    if specifier in _STRAPI_CLIENTS or (not specifier and _STRAPI_NAMES.fullmatch(name)):
        return Client(is_strapi=True)
    return Client() if _HTTP_NAMES.fullmatch(name) else None


def flattened(value: Any, name: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the parameters of an object as the package `qs` writes them: their path and their value."""
    if len(name) > _DEEPEST:
        return
    match value:
        case dict():
            for key, item in value.items():
                yield from flattened(item, (*name, key))
        case list():
            for index, item in enumerate(value):
                yield from flattened(item, (*name, str(index)))
        case Closure():
            return
        case _ if value is not UNDEFINED and name:
            yield name, "" if value is None else value


def query_parts(value: Any) -> tuple[str | Gap, ...]:
    """Return the query string of an object, with gaps."""
    if not isinstance(value, dict):
        return to_parts(value) if isinstance(value, str | Text | Address) else (Gap(),)
    parts: list[str | Gap] = []
    for index, (path, item) in enumerate(flattened(value)):
        if index >= _MOST_PAIRS:
            break
        name = path[0] + "".join(f"[{key}]" for key in path[1:])
        parts += ["&" if index else "", *encoded(name, safe="[]$*"), "=", *encoded(item, safe=":,*")]
    return tuple(parts)


def _stringify(given: list[Any]) -> Any:
    """Evaluate `qs.stringify`, and `JSON.stringify`, whose results are only compared as texts."""
    if not given or not isinstance(given[0], dict):
        return Gap()
    options = given[1] if len(given) > 1 and isinstance(given[1], dict) else {}
    parts = query_parts(given[0])
    return text_of_parts(("?", *parts) if options.get("addQueryPrefix") is True and parts else parts)


def _parameters(given: list[Any]) -> Any:
    value = given[0] if given else {}
    if isinstance(value, dict):
        return Address("", [(key, item) for key, item in value.items() if item is not UNDEFINED])
    if isinstance(value, list):
        return Address("", [(item[0], item[1]) for item in value if isinstance(item, list) and len(item) > 1])
    return Address(value, []) if isinstance(value, str | Text | Address) else Address("", [])


def _url(given: list[Any]) -> Any:
    """Evaluate `new URL(path, base)`: a path that starts with a slash replaces that of the base."""
    if not given:
        return Gap()
    if len(given) < 2:
        return Address(given[0])
    path, base = to_parts(given[0]), to_parts(given[1])
    if path and isinstance(path[0], str) and re.match(r"https?://", path[0]):
        return Address(given[0])
    origin = re.match(r"https?://[^/]+", base[0]) if base and isinstance(base[0], str) else None
    start: tuple[str | Gap, ...] = (origin[0],) if origin and len(base) == 1 else base
    slash = "" if path and isinstance(path[0], str) and path[0].startswith("/") else "/"
    return Address(text_of_parts((*start, slash, *path)))


def _client(given: list[Any], *, is_strapi: bool = False) -> Any:
    options = given[0] if given and isinstance(given[0], dict) else {}
    base = next((options[name] for name in ("baseURL", "baseUrl", "prefixUrl", "url") if name in options), "")
    return Client(base, is_strapi)


def _first(given: list[Any]) -> Any:
    return given[0] if given else Gap()


def _encoded(given: list[Any]) -> Any:
    return text_of_parts(encoded(given[0])) if given else Gap()


def _text(given: list[Any]) -> Any:
    return text_of_parts(to_parts(given[0])) if given else Gap()


def _assigned(given: list[Any]) -> Any:
    return {key: item for one in given if isinstance(one, dict) for key, item in one.items()}


def _path(given: list[Any]) -> Any:
    """Return a gap that is named after the last part of a path, as in `get(entry, 'attributes.slug')`."""
    last = given[1] if len(given) > 1 else ""
    return Gap(last.rpartition(".")[2] if isinstance(last, str) else "")


CALLS: Final[dict[str, Callable[[list[Any]], Any]]] = {
    "stringify": _stringify,
    "encodeURIComponent": _encoded,
    "encodeURI": _first,
    "String": _text,
    "Number": _first,
    "parseInt": _first,
    "assign": _assigned,
    "create": _client,
    "extend": _client,
    "delve": _path,
    "get": _path,
    "freeze": _first,
}
"""Functions by their last name, for those that are not in the source."""

CONSTRUCTORS: Final[dict[str, Callable[[list[Any]], Any]]] = {
    "URL": _url,
    "URLSearchParams": _parameters,
    "Strapi": lambda given: _client(given, is_strapi=True),
    "GraphQLClient": lambda _: Gap("client"),
}
UNWRAPPING: Final = frozenset(
    {"ref", "shallowRef", "reactive", "computed", "unref", "toValue", "readonly", "cache", "useCallback", "memoize"}
    | {"unstable_cache", "defineEventHandler", "useMemo", "toRaw", "structuredClone"}
)
"""Functions that return their first argument, as far as requests are concerned."""


def _joined(receiver: Any, given: list[Any]) -> Any:
    if not isinstance(receiver, list):
        return MISSING
    separator = given[0] if given and isinstance(given[0], str) else ","
    return text_of_parts(joined_parts(receiver, separator))


def _concatenated(receiver: Any, given: list[Any]) -> Any:
    if isinstance(receiver, list):
        return [*receiver, *(item for one in given for item in (one if isinstance(one, list) else [one]))]
    return text_of_parts((*to_parts(receiver), *(part for one in given for part in to_parts(one))))


def _itself(receiver: Any, _: list[Any]) -> Any:
    return receiver if isinstance(receiver, str | Text | Gap) else MISSING


def _to_text(receiver: Any, _: list[Any]) -> Any:
    return text_of_parts(to_parts(receiver)) if not isinstance(receiver, dict) else MISSING


METHODS: Final[dict[str, Callable[[Any, list[Any]], Any]]] = {
    "join": _joined,
    "concat": _concatenated,
    "toString": _to_text,
    "trim": _itself,
    "toLowerCase": _itself,
    "replace": _itself,
    "then": _itself,
}
"""Methods of texts and lists."""
