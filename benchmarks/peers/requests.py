"""HTTP requests of systems, and helpers to write them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

import orjson

from benchmarks.peers.workloads import Api, Kind, Operation, Values


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a system; `body` is sent as JSON."""

    method: str
    path: str
    body: Any = None

    def encode(self) -> bytes:
        """Return the bytes to send on a connection that stays open."""
        body = b"" if self.body is None else orjson.dumps(self.body)
        headers = "Host: 127.0.0.1\r\nAccept: application/json\r\n"
        if body:
            headers += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return f"{self.method} {self.path} HTTP/1.1\r\n{headers}\r\n".encode() + body


class Translate(Protocol):
    """Return the values of a document's variables, or of a path's placeholders, from an operation's values."""

    def __call__(self, *values: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class RestCall:
    """A REST request of one kind. `path` has `{}` for each value that is not in the body."""

    path: str
    method: str = "GET"
    values: Translate = lambda *values: values
    body: Translate | None = None

    def request(self, values: Values) -> Request:
        path = self.path.format(*[quote(str(value)) for value in self.values(*values)])
        return Request(self.method, path, self.body(*values) if self.body else None)


@dataclass(frozen=True, slots=True)
class Document:
    """A GraphQL operation of one kind: its variables' definitions, its selection, and the variables' values."""

    definitions: str
    selection: str
    variables: Translate
    operation: str = "query"

    def request(self, path: str, api: Api, values: Values) -> Request:
        """Return the request, with variables or with the values in the document."""
        variables: Mapping[str, Any] = self.variables(*values)
        if api is Api.VARIABLES:
            document = f"{self.operation} Q({self.definitions}) {{ {self.selection} }}"
            return Request("POST", path, {"query": document, "variables": variables})
        selection = self.selection
        for name, value in variables.items():
            selection = selection.replace(f"${name}", literal(value))
        return Request("POST", path, {"query": f"{self.operation} {{ {selection} }}"})


def literal(value: Any) -> str:
    """Return a value as a GraphQL literal.

    >>> literal({"title": "a", "tags": [1]})
    '{title: "a", tags: [1]}'
    """
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {literal(item)}' for name, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return orjson.dumps(value).decode()


@dataclass(frozen=True, slots=True)
class Dialect:
    """The requests of a system, by kind; a kind that is missing is not supported."""

    rest: Mapping[Kind, RestCall]
    graphql: Mapping[Kind, Document]
    graphql_path: str = "/graphql"

    def request(self, api: Api, operation: Operation) -> Request | None:
        """Return the request for an operation, or None if the system does not support it."""
        if api is Api.REST:
            call = self.rest.get(operation.kind)
            return call.request(operation.values) if call else None
        document = self.graphql.get(operation.kind)
        return document.request(self.graphql_path, api, operation.values) if document else None
