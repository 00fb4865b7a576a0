"""Read requests from access logs of nginx, Caddy, HAProxy, Apache and Strapi, and from JSON lines, also with gzip."""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final

import orjson

from octavo.operations.comparison.requests import ComparedRequest, Selection, target_of

LONGEST_LINE: Final = 64 * 1024
_METHOD: Final = "(?P<method>[A-Z]{3,16})"
_QUOTED: Final = re.compile(rf'"{_METHOD} (?P<url>\S{{1,16384}}) HTTP/\d(?:\.\d)?"')
_STRAPI: Final = re.compile(rf"\bhttp: {_METHOD} (?P<url>\S{{1,16384}}) \(\d+ ms\)")
_REQUEST_LINE: Final = re.compile(rf"{_METHOD} (?P<url>\S+)(?: HTTP/[\d.]+)?")
_COLORS: Final = re.compile(r"\x1b\[[\d;]*m")
_ESCAPED: Final = re.compile(r"\\x([0-9A-Fa-f]{2})")
_METHOD_KEYS: Final = (
    "method",
    "request_method",
    "requestMethod",
    "RequestMethod",
    "http_method",
    "httpMethod",
    "verb",
    "http.request.method",
)
_URL_KEYS: Final = (
    "uri",
    "request_uri",
    "requestUri",
    "requestUrl",
    "RequestPath",
    "url",
    "target",
    "path",
    "url.path",
)
_QUERY_KEYS: Final = ("query", "query_string", "args", "url.query")
_NESTED: Final = ("request", "req", "httpRequest", "http", "attributes")


def read_access_log(file: Path, selection: Selection) -> None:
    """Add the requests of a log. Lines without a request are counted. Raises OSError."""
    opener: Any = gzip.open if file.suffix == ".gz" else open
    with opener(file, "rb") as stream:
        try:
            for line in _lines(stream, selection):
                _add_line(line, file.name, selection)
                if selection.is_full:
                    selection.skipped["log lines after the last request"] += 1
                    return
        except (EOFError, zlib.error, gzip.BadGzipFile):
            selection.skipped["damaged gzip files"] += 1


def _lines(stream: IO[bytes], selection: Selection) -> Iterator[bytes]:
    """Yield the lines; skip those that are too long without reading them into memory."""
    while line := stream.readline(LONGEST_LINE):
        if line.endswith(b"\n") or len(line) < LONGEST_LINE:
            yield line
            continue
        selection.skipped["too long"] += 1
        while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass


def _add_line(line: bytes, source: str, selection: Selection) -> None:
    text = _COLORS.sub("", line.decode("utf-8", "replace")).strip()
    if not text:
        return
    request = _request_of(text)
    if request is None:
        selection.skipped["log lines without a request"] += 1
        return
    method, url = request
    try:
        selection.add(ComparedRequest(method, target_of(url), source=source))
    except ValueError:
        selection.skipped["invalid URLs"] += 1


def _request_of(text: str) -> tuple[str, str] | None:
    """Return the method and the URL of a line."""
    start = text.find("{")
    if start >= 0 and text.endswith("}"):
        try:
            value = orjson.loads(text[start:])
        except orjson.JSONDecodeError:
            value = None
        if isinstance(value, dict):
            return _request_of_json(value)
    match = _QUOTED.search(text) or _STRAPI.search(text)
    return (match["method"], _unescape(match["url"])) if match else None


def _unescape(url: str) -> str:
    r"""Decode `\x22` of nginx and Apache, and keep the URL encoded."""
    return _ESCAPED.sub(r"%\1", url).replace('\\"', "%22")


def _request_of_json(value: Mapping[str, Any]) -> tuple[str, str] | None:
    method, url, query = (_first(value, keys) for keys in (_METHOD_KEYS, _URL_KEYS, _QUERY_KEYS))
    if method and url:
        return method.upper(), f"{url}?{query}" if query and "?" not in url else url
    for name in _NESTED:
        nested = value.get(name)
        if isinstance(nested, dict) and (request := _request_of_json(nested)):
            return request
        if isinstance(nested, str) and (match := _REQUEST_LINE.fullmatch(nested)):
            return match["method"], match["url"]
    return None


def _first(value: Mapping[str, Any], keys: Iterable[str]) -> str:
    return next((value[key] for key in keys if isinstance(value.get(key), str)), "")
