"""Turn found calls into requests, and fill their gaps with values of the content."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote, unquote, unquote_plus

import orjson

from octavo.core.values import dataclass
from octavo.operations.comparison.requests import ComparedRequest
from octavo.schema.attributes import Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry
from octavo.v4.frontends.builtins import query_parts
from octavo.v4.frontends.calls import FoundCall
from octavo.v4.frontends.values import Address, Gap, Text, text_of_parts, to_parts

_FIRST_MARK: Final = 0xF0000
"""Gaps in a text are characters of a private area, from this one on."""
_MARK: Final = re.compile("[\U000f0000-\U000ffffd]")
_ORIGIN: Final = re.compile("(https?://[^/?#]*|(?:[\U000f0000-\U000ffffd])+)?([^#]*)")
_LOCAL: Final = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$")
_KEYS: Final = re.compile(r"[^\[\]]+")
_PLUGINS: Final = frozenset({"users", "users-permissions", "auth", "connect", "upload", "i18n", "email"})
_PAGES: Final = {"page": 1, "pageSize": 10, "limit": 10, "start": 0, "withCount": True}
_SAFE: Final = "/:@!$&'()*+,;=-._~%[]"
_MOST_MARKS: Final = 1_000
_READS: Final = ("GET", "HEAD")


class NotReadable(Exception):
    """A request cannot be read from the source. The message is the reason."""


@dataclass(frozen=True, slots=True, order=True)
class Need:
    """A value of the content: an attribute of an entry of a content type, or its `id` or `locale`."""

    uid: str
    attribute: str


Piece = str | Need
Samples = Mapping[Need, Any]


@dataclass(frozen=True, slots=True)
class RequestForm:
    """A request whose gaps are to be filled. A parameter with a need that has no value is left out.

    `variables` are those of a GraphQL document, which `body` contains without them.
    """

    method: str
    path: tuple[Piece, ...]
    parameters: tuple[tuple[str, Piece], ...] = ()
    document: str = ""
    variables: tuple[tuple[str, Any, bool], ...] = ()
    place: str = ""

    def needs(self) -> Iterator[Need]:
        yield from (piece for piece in self.path if isinstance(piece, Need))
        yield from (value for _, value in self.parameters if isinstance(value, Need))
        yield from (value for _, value, _ in self.variables if isinstance(value, Need))

    def request(self, samples: Samples) -> ComparedRequest:
        """Return the request. Raises NotReadable if a value that it needs is not in the content."""
        path = "".join(piece if isinstance(piece, str) else self._filled(piece, samples) for piece in self.path)
        pairs = [
            f"{name}={value if isinstance(value, str) else quote(str(samples[value]), safe='')}"
            for name, value in self.parameters
            if isinstance(value, str) or samples.get(value) is not None
        ]
        target = f"{path}?{'&'.join(pairs)}" if pairs else path
        if not self.document:
            return ComparedRequest(self.method, target, source=self.place)
        body = orjson.dumps({"query": self.document, "variables": self._variables(samples)}).decode()
        return ComparedRequest("POST", target, body, "application/json", self.place)

    def _filled(self, need: Need, samples: Samples) -> str:
        sample = samples.get(need)
        if sample is None and need.attribute != "id":
            raise NotReadable(f"no entry of {need.uid} has a value of `{need.attribute}`")
        return quote(str(sample if sample is not None else 1), safe="")

    def _variables(self, samples: Samples) -> dict[str, Any]:
        variables = {}
        for name, value, required in self.variables:
            filled = samples.get(value) if isinstance(value, Need) else value
            if filled is not None:
                variables[name] = str(filled) if isinstance(value, Need) and value.attribute == "id" else filled
            elif required:
                raise NotReadable(f"the value of the variable ${name} is unknown")
        return variables


@dataclass(frozen=True, slots=True)
class Api:
    """The API of a project: its types by the names in URLs, the prefix, the GraphQL endpoint, and its hosts."""

    registry: Registry
    prefix: str
    graphql: str
    hosts: frozenset[str] = frozenset()

    def content_type(self, name: str) -> ContentType | None:
        """Return the content type of a URL."""
        types = self.registry.content_types.values()
        return next((one for one in types if one.is_api and name == url_name(one)), None)

    def knows(self, name: str) -> bool:
        return name in _PLUGINS or self.content_type(name) is not None

    def need(self, content_type: ContentType, path: list[str]) -> Need | None:
        """Return the value for the attribute at a path of filters, such as `author`, `name`, `$eq`."""
        definition: Definition = content_type
        names = [name for name in path if not name.startswith("$") and not name.isdigit()]
        for name in names[:-1]:
            attribute = definition.attributes.get(name)
            target = self.registry.target(attribute) if attribute is not None else None
            if target is None:
                return None
            definition = target
        last = names[-1] if names else "id"
        attribute = definition.attributes.get(last)
        if attribute is not None and not isinstance(attribute, Scalar):
            target = self.registry.target(attribute)
            definition, last, attribute = (target, "id", None) if target is not None else (definition, last, attribute)
        is_known = last == "id" or (isinstance(attribute, Scalar) and not attribute.private)
        is_readable = isinstance(definition, ContentType) and definition.is_api and is_known
        return Need(definition.uid, last) if is_readable else None


def url_name(content_type: ContentType) -> str:
    """Return the name of a content type in URLs."""
    return content_type.singular_name if content_type.is_single else content_type.plural_name


def form_of(call: FoundCall, api: Api, place: str) -> RequestForm | None:
    """Return the form of a request, or None if it is not one to the content API. Raises NotReadable."""
    if not isinstance(call.url, str | Text | Address):
        raise NotReadable("the URL is unknown")
    text, gaps = _marked(call)
    origin, path, query = _split(text)
    below = _api_path(path, origin, api, is_relative=call.is_relative)
    if below is None:
        return None
    if not isinstance(call.method, str):
        raise NotReadable("the method of the request is unknown")
    name, *rest = below.removeprefix(f"{api.prefix}/").split("/")
    if _MARK.search(name):
        raise NotReadable("the name of the content type is unknown")
    if _is_elsewhere(origin, api) and not api.knows(name):
        raise NotReadable("the URL is of an unknown host; --host sets the hosts of the service")
    content_type = api.content_type(name)
    if content_type is None and not origin and not call.is_relative and name not in _PLUGINS:
        return None  # a route of the front end itself
    pieces: list[Piece] = [f"{api.prefix}/{name}"]
    for index, part in enumerate(rest):
        if part or index < len(rest) - 1:
            is_sent = call.method in _READS
            pieces += ["/", _segment(part, gaps, content_type) if is_sent else _MARK.sub("1", part)]
    return RequestForm(call.method, tuple(pieces), tuple(_parameters(query, gaps, content_type, api)), place=place)


def _marked(call: FoundCall) -> tuple[str, list[Gap]]:
    """Return the URL as one text, with a mark for each gap."""
    parts = to_parts(call.url)
    query = query_parts(call.query) if isinstance(call.query, dict | str | Text | Address) else ()
    if query:
        has_query = any("?" in part for part in parts if isinstance(part, str))
        parts = (*parts, "&" if has_query else "?", *query)
    gaps: list[Gap] = []
    found = []
    for part in to_parts(text_of_parts(parts)):
        if isinstance(part, Gap):
            if len(gaps) >= _MOST_MARKS:
                raise NotReadable("too many unknown parts")
            found.append(chr(_FIRST_MARK + len(gaps)))
            gaps.append(part)
        else:
            found.append(_MARK.sub("", part))
    return "".join(found), gaps


def _split(text: str) -> tuple[str, str, str]:
    match = _ORIGIN.match(text.strip())
    assert match is not None
    path, _, query = match[2].partition("?")
    return match[1] or "", path, query


def _api_path(path: str, origin: str, api: Api, *, is_relative: bool) -> str | None:
    """Return the path with the prefix of the API, or None if it is not below it."""
    path = re.sub("/{2,}", "/", path if path.startswith("/") or not path else f"/{path}")
    marker = f"{api.prefix}/"
    if path.startswith(marker):
        return path
    if is_relative:
        return api.prefix + path
    if not path:
        if _MARK.search(origin) and not origin.startswith("http"):
            raise NotReadable("the URL is unknown")
        return None
    first = path.split("/")[1]
    if (_MARK.match(origin) or _LOCAL.match(origin) or not origin) and api.knows(first) and first not in ("upload",):
        return api.prefix + path if origin else None
    if marker in path:
        below = path[path.index(marker) :]
        return below if api.knows(below.removeprefix(marker).split("/")[0]) else None
    if _MARK.match(origin) and _MARK.search(first) and len(path) < 40:
        raise NotReadable("the URL is unknown")
    return None


def _is_elsewhere(origin: str, api: Api) -> bool:
    """Return whether an absolute URL can be one of another company's API."""
    if not origin.startswith("http") or _LOCAL.match(origin):
        return False
    host = origin.partition("://")[2].rpartition("@")[2].lower()
    return host not in api.hosts and host.partition(":")[0] not in api.hosts


def _segment(part: str, gaps: list[Gap], content_type: ContentType | None) -> Piece:
    """Return a part of a path. A gap is an id, or the attribute with its name if that is a UID or a slug."""
    if not (marks := _MARK.findall(part)):
        return quote(unquote(part), safe=_SAFE)
    if content_type is None:
        raise NotReadable("a part of the path is unknown, and its route is not one of a content type")
    if len(part) > 1:
        raise NotReadable("a part of the path is unknown")
    gap = gaps[ord(marks[0]) - _FIRST_MARK]
    attribute = content_type.attributes.get(gap.name)
    is_slug = isinstance(attribute, Scalar) and (attribute.type == "uid" or gap.name == "slug")
    is_named = is_slug and attribute is not None and not attribute.private
    return Need(content_type.uid, gap.name if is_named else "id")


def _parameters(query: str, gaps: list[Gap], content_type: ContentType | None, api: Api) -> Iterator[tuple[str, Piece]]:
    for pair in query.split("&"):
        name, equals, value = pair.partition("=")
        if not name or _MARK.search(name):
            continue
        plain = unquote(name)
        if not _MARK.search(value):
            yield quote(plain, safe="[]$*:"), quote(unquote_plus(value), safe=":,*-._~") if equals else ""
        elif (filled := _filler(plain, content_type, api)) is not None:
            yield quote(plain, safe="[]$*:"), filled


def _filler(name: str, content_type: ContentType | None, api: Api) -> Piece | None:
    """Return a value for an unknown parameter, or None to leave it out."""
    first, *path = _KEYS.findall(name) or [""]
    match first:
        case "filters" if content_type is not None and path:
            if path[-1] in ("$null", "$notNull"):
                return "true"
            return api.need(content_type, path)
        case "locale" if content_type is not None and content_type.localized:
            return Need(content_type.uid, "locale")
        case "pagination" if path and path[0] in _PAGES:
            return str(_PAGES[path[0]]).lower()
    return None
