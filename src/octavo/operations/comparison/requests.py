"""The requests to compare: which ones are read from the sources, and which ones only read."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import field, replace
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

import orjson
from graphql import GraphQLError, OperationDefinitionNode, OperationType, parse

from octavo.core.values import dataclass

DEFAULT_GRAPHQL: Final = "/graphql"
DEFAULT_PATHS: Final = ("/api", DEFAULT_GRAPHQL, "/uploads")
_ACCOUNTS: Final = re.compile(r"/([^/]*/)*(auth|connect)/", re.IGNORECASE)
_READS: Final = ("GET", "HEAD")
_METHODS: Final = frozenset({*_READS, "POST", "PUT", "PATCH", "DELETE"})
_LONGEST_TARGET: Final = 8_192
LONGEST_BODY: Final = 256 * 1024
"""Maximum size of a request body, in characters."""
_MOST_TOKENS: Final = 20_000
_MOST_PARAMETERS: Final = 2_000
_GRAPHQL_KEYS: Final = frozenset({"query", "variables", "operationName", "extensions"})
_CHANGES: Final = re.compile(r"mutation|subscription")
_TARGET: Final = re.compile(r"/[!-~]*")


@dataclass(frozen=True, slots=True)
class ComparedRequest:
    """A request. `target` is the path with the query string. `source` names the file that it is from.

    `graphql` is the path of the GraphQL endpoint, the only one where a POST can be a read.
    """

    method: str
    target: str
    body: str = ""
    content_type: str = ""
    source: str = ""
    graphql: str = DEFAULT_GRAPHQL

    @property
    def path(self) -> str:
        """The path, decoded."""
        return unquote(self.target.partition("?")[0])

    def key(self, role: str) -> str:
        """Return the key of the request for a role, which contains no part of the request."""
        parts = (role, self.method, self.target, self.content_type, self.body)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@dataclass(slots=True)
class Selection:
    """Collects requests from sources, without duplicates, and counts the others by reason.

    `paths` are prefixes of paths. `writes`: also collect requests that write. `graphql` is the path of the
    GraphQL endpoint.
    """

    paths: tuple[str, ...] = DEFAULT_PATHS
    writes: bool = False
    most: int = 10_000
    graphql: str = DEFAULT_GRAPHQL
    requests: dict[tuple[str, ...], ComparedRequest] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def is_full(self) -> bool:
        return len(self.requests) >= self.most

    def add(self, request: ComparedRequest, *, only_reads: bool = False) -> None:
        """Add a request, or count the reason to skip it. `only_reads`: skip writes, even with `writes`."""
        writes = self.writes and not only_reads
        request = replace(request, graphql=self.graphql)
        reason = reason_to_skip(request, self.paths, writes=writes)
        key: tuple[str, ...] = (request.method, request.target, request.content_type, request.body)
        if reason is None and writes and not is_read(request):
            key = (*key, str(len(self.requests)))  # a repeated write is another write
        if reason is None and key in self.requests:
            reason = "duplicates"
        if reason is None and self.is_full:
            reason = f"more than {self.most} requests"
        if reason is None:
            self.requests[key] = request
        else:
            self.skipped[reason] += 1


def reason_to_skip(request: ComparedRequest, paths: Iterable[str], *, writes: bool = False) -> str | None:
    """Return why a request is not sent, or None. `paths` are prefixes of paths."""
    if request.method not in _METHODS:
        return "other methods"
    if len(request.target) > _LONGEST_TARGET or len(request.body) > LONGEST_BODY:
        return "too long"
    if not _TARGET.fullmatch(request.target) or ".." in request.path.split("/"):
        return "invalid URLs"
    if not is_below(request.path, paths):
        return "other paths"
    if writes:
        return None
    if _ACCOUNTS.match(request.path):
        return "sign-in and account endpoints"
    return None if is_read(request) else "writes"


def is_below(path: str, prefixes: Iterable[str]) -> bool:
    """Return whether a path is one of the prefixes or below one."""
    return any(f"{path}/".startswith(f"{prefix.rstrip('/')}/") for prefix in prefixes)


def target_of(url: str) -> str:
    """Return the path and the query string of a URL or a target. Raises ValueError."""
    if url.startswith("/"):
        return url.partition("#")[0]
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise ValueError("neither a path nor a URL")
    return f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"


def is_read(request: ComparedRequest) -> bool:
    """Return whether a request only reads: GET and HEAD, and POST to the GraphQL endpoint with queries only."""
    documents = _documents_in_url(request.target)
    if documents is None or not all(map(_is_only_queries, documents)):
        return False
    if request.method in _READS:
        return True
    is_graphql = request.method == "POST" and request.path == request.graphql and "json" in request.content_type
    return is_graphql and _has_only_queries(request.body)


def _has_only_queries(body: str) -> bool:
    try:
        value = orjson.loads(body)
        operations = value if isinstance(value, list) else [value]
        return bool(operations) and all(map(_is_query_request, operations))
    except (orjson.JSONDecodeError, GraphQLError, RecursionError):
        return False


def _is_query_request(value: object) -> bool:
    """Return whether a value is a GraphQL request that only reads, and nothing else. Raises GraphQLError."""
    return isinstance(value, dict) and value.keys() <= _GRAPHQL_KEYS and _is_query(value.get("query"))


def _documents_in_url(target: str) -> list[str] | None:
    """Return the parameters of a URL that a GraphQL API reads as documents, or None if they cannot be read.

    Other parameters named `query` are searches, and contain none of the words that start an operation that writes.
    """
    try:
        parameters = parse_qsl(target.partition("?")[2], max_num_fields=_MOST_PARAMETERS)
    except ValueError:
        return None
    return [value for name, value in parameters if name == "query" and _CHANGES.search(value)]


def _is_only_queries(text: str) -> bool:
    try:
        return _is_query(text)
    except (GraphQLError, RecursionError):
        return False


def _is_query(text: object) -> bool:
    if not isinstance(text, str):
        return False
    nodes = parse(text, no_location=True, max_tokens=_MOST_TOKENS).definitions
    operations = [one for one in nodes if isinstance(one, OperationDefinitionNode)]
    return bool(operations) and all(one.operation is OperationType.QUERY for one in operations)
