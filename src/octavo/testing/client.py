"""An in-process HTTP client: requests go through the whole service, without a socket."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import httpx2

from octavo.api.http.application import HttpApplication

Answer = httpx2.Response
"""The response to a request: `status_code`, `json()`, `text`, `headers` ..."""

_BASE: Final = "http://localhost"


class GraphqlFailed(AssertionError):
    """A GraphQL response has errors. `errors` is their list."""

    def __init__(self, errors: list[dict[str, Any]]) -> None:
        super().__init__("; ".join(str(error.get("message")) for error in errors))
        self.errors = errors


class Client:
    """Send requests to an application. `token` is a user's JWT or an API token."""

    def __init__(self, application: HttpApplication) -> None:
        transport = httpx2.ASGITransport(app=application)
        self._http = httpx2.AsyncClient(transport=transport, base_url=_BASE)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | str | None = None,
        json: Any = None,
        data: Mapping[str, Any] | None = None,
        files: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        token: str | None = None,
    ) -> Answer:
        """Send a request. A nested `query` is encoded in v4's bracket syntax."""
        text = query if isinstance(query, str) else _query_string(query or {})
        sent = {**({"Authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
        target = f"{path}{'&' if '?' in path else '?'}{text}" if text else path
        return await self._http.request(
            method, target, json=json, data=data, files=files, content=content, headers=sent
        )

    async def close(self) -> None:
        """Close the client."""
        await self._http.aclose()


def _query_string(query: Mapping[str, Any]) -> str:
    return str(httpx2.QueryParams([pair for name, value in query.items() for pair in _pairs(name, value)]))


def _pairs(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _pairs(f"{name}[{key}]", item)
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield from _pairs(f"{name}[{position}]", item)
    else:
        yield name, str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
