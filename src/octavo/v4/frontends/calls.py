"""Calls that send requests: `fetch`, HTTP clients such as axios, and the client libraries of Strapi."""

import re
from typing import Any, Final

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.frontends.evaluation import Evaluation
from octavo.v4.frontends.values import Address, Client, Closure, Frame, Gap, Method, Text, text_of_parts, to_parts
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import arguments, member_path, unwrap

_FETCHING: Final = re.compile(r".*fetch.*|useSWR(?:Immutable)?|got", re.IGNORECASE)
_HTTP: Final = frozenset({"get", "post", "put", "patch", "delete", "head", "request"})
_READING: Final = frozenset({"find", "findOne"})
_WRITING: Final = {"create": "POST", "update": "PUT", "delete": "DELETE"}
_NAMES: Final = _HTTP | _READING | _WRITING.keys()
_CLIENT_NAME: Final = re.compile(r"\$?(?:axios|http|ky|api)|.*client", re.IGNORECASE)
_URL: Final = re.compile(r"https?://|/(?!/)")


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call that sends a request. `url` is a text, also with gaps; `query` is the object of its parameters.

    `is_relative`: the URL is below the prefix of the REST API.
    """

    method: Any
    url: Any
    query: Any = None
    is_relative: bool = False


def may_send(module: Module, call: Node) -> bool:
    """Return whether the name of a called function is one that sends requests."""
    function = call.child_by_field_name("function")
    if function is None:
        return False
    name = function.child_by_field_name("property")
    path = member_path(module, function)
    last = path[-1] if path else module.text(name) if name is not None else ""
    is_plain = len(path) == 1 and _CLIENT_NAME.fullmatch(last) is not None
    return last in _NAMES or is_plain or _FETCHING.fullmatch(last) is not None


def read_call(evaluation: Evaluation, call: Node, module: Module, frame: Frame) -> FoundCall | None:
    """Return the request of a call, or None if it sends none."""
    function = call.child_by_field_name("function")
    nodes = arguments(call)
    if function is None or not nodes:
        return None
    callee = evaluation.value(function, module, frame)
    if isinstance(callee, Closure):
        return None
    given = [_called(evaluation, evaluation.value(node, module, frame)) for node in nodes[:4]]
    if isinstance(callee, Method) and callee.client.is_strapi:
        return _library_call(callee, given)
    if isinstance(callee, Method):
        return _http_call(callee.name, given, callee.client.base)
    if isinstance(callee, Client):
        return _fetch_call(given, callee.base, is_relative=callee.is_strapi)
    name = (member_path(module, unwrap(function)) or ("",))[-1]
    if _FETCHING.fullmatch(name):
        return _fetch_call(given, "")
    if name in _HTTP and _is_url(given[0]):
        return _http_call(name, given, "")
    return None


def _called(evaluation: Evaluation, value: Any) -> Any:
    """Return what a function returns that is given instead of a URL."""
    return evaluation.call(value, ()) if isinstance(value, Closure) else value


def _is_url(value: Any) -> bool:
    """Return whether a text begins like a URL, or with an unknown part before another one."""
    first = next(iter(to_parts(value)), "") if isinstance(value, str | Text | Address) else ""
    return isinstance(value, Text | Address) if isinstance(first, Gap) else _URL.match(first) is not None


def _fetch_call(given: list[Any], base: Any, *, is_relative: bool = False) -> FoundCall | None:
    url, options = given[0], given[1] if len(given) > 1 and isinstance(given[1], dict) else {}
    if isinstance(url, list) and url:
        url = url[0]
    if isinstance(url, dict):
        options, url = url, url.get("url", Gap("url"))
    base = options.get("baseURL", base)
    query = options.get("params", options.get("query", options.get("searchParams")))
    return FoundCall(_method(options.get("method", "GET")), _joined(base, url), query, is_relative)


def _http_call(name: str, given: list[Any], base: Any, *, is_relative: bool = False) -> FoundCall | None:
    if name == "request":
        return _fetch_call(given, base, is_relative=is_relative)
    if name not in _HTTP:
        return None
    options = given[1] if name in ("get", "head") and len(given) > 1 and isinstance(given[1], dict) else {}
    query = options.get("params", options.get("searchParams", options.get("query")))
    return FoundCall(name.upper(), _joined(base, given[0]), query, is_relative)


def _library_call(method: Method, given: list[Any]) -> FoundCall | None:
    """Read a call of strapi-sdk-js, @nuxtjs/strapi or @strapi/client."""
    name, collection = method.name, method.client.collection
    if collection is not None:
        given = [collection, *given]
    if name in _WRITING:
        return FoundCall(_WRITING[name], _below(given[0]), None, True)
    if name == "find":
        return FoundCall("GET", _below(given[0]), given[1] if len(given) > 1 else None, True)
    if name == "findOne":
        number = given[1] if len(given) > 1 else None
        if number is None or isinstance(number, dict):
            return FoundCall("GET", _below(given[0]), number, True)
        return FoundCall("GET", _below(given[0], number), given[2] if len(given) > 2 else None, True)
    if name == "fetch":
        return _fetch_call(given, "", is_relative=True)
    if name == "request" and len(given) > 1:
        options = given[2] if len(given) > 2 and isinstance(given[2], dict) else {}
        return FoundCall(_method(given[0]), given[1], options.get("params"), True)
    return _http_call(name, given, "", is_relative=True)


def _below(*parts: Any) -> Any:
    return text_of_parts(tuple(one for part in parts for one in ("/", *to_parts(part))))


def _method(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def _joined(base: Any, url: Any) -> Any:
    """Join the base URL of a client and the URL of a call."""
    if base in ("", None) or not isinstance(url, str | Text):
        return url
    parts = to_parts(url)
    if isinstance(parts[0] if parts else "", str) and re.match(r"https?://", str(parts[0] if parts else "")):
        return url
    start, first = to_parts(base), parts[0] if parts else ""
    if start and isinstance(start[-1], str):
        start = (*start[:-1], start[-1].rstrip("/"))
    return text_of_parts((*start, "/", *((first.lstrip("/"), *parts[1:]) if isinstance(first, str) else parts)))
