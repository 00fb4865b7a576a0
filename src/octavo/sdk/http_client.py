"""`app.http`: HTTP requests from project code. Private networks are not allowed, unless a setting permits it."""

import asyncio
from collections.abc import Mapping
from typing import Any

import orjson

from octavo.core.errors import OctavoError


class HttpError(OctavoError):
    """A request failed, or `raise_for_status` found an error status.

    `reason` is the message for the log. `answer` is the response, or `None`. API callers see only `Internal Server
    Error`.
    """

    def __init__(self, reason: str, answer: "HttpAnswer | None" = None) -> None:
        super().__init__()
        self.reason = reason
        self.answer = answer

    def __str__(self) -> str:
        return self.reason


class HttpAnswer:
    """The response of another server."""

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes, url: str) -> None:
        self.status = status
        self.headers = headers
        self.content = content
        self.url = url

    @property
    def is_success(self) -> bool:
        """Whether the status is between 200 and 299."""
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        """The body as UTF-8 text. Invalid bytes are replaced."""
        return self.content.decode("utf-8", "replace")

    def json(self) -> Any:
        """Return the body as a JSON value. Raises HttpError if it is not JSON."""
        try:
            return orjson.loads(self.content)
        except orjson.JSONDecodeError as error:
            raise HttpError(f"{self._host} did not return JSON", self) from error

    def raise_for_status(self) -> "HttpAnswer":
        """Return the response itself. Raises HttpError unless the status is between 200 and 299."""
        if not self.is_success:
            raise HttpError(f"{self._host} returned {self.status}", self)
        return self

    @property
    def _host(self) -> str:
        return self.url.partition("://")[2].partition("/")[0].rpartition("@")[2]


def _load_client() -> None:
    from octavo.core.net.outgoing import prepare

    prepare()


class HttpClient:
    """Sends HTTP requests. All methods raise HttpError if there is no response. An error status raises nothing."""

    def __init__(self, private_hosts: frozenset[str], seconds: float, most_bytes: int) -> None:
        self._limits = private_hosts, seconds, most_bytes
        self._is_loaded = False

    async def _load(self) -> None:
        """Import the client in a thread, because that would block the event loop for a good part of a second."""
        if not self._is_loaded:
            await asyncio.to_thread(_load_client)
            self._is_loaded = True

    async def request(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        data: Mapping[str, Any] | None = None,
        content: bytes | str | None = None,
        seconds: float | None = None,
        follow_redirects: bool = False,
    ) -> HttpAnswer:
        """Send a request with `json`, form fields (`data`), `content`, or no body.

        `seconds` limits the whole request; by default to 10 seconds. Raises HttpError if there is no response.
        """
        await self._load()
        from octavo.core.net.outgoing import Limits, Outgoing, RequestFailed, ask

        request = Outgoing(method, url, params, headers or {}, json, data, content, follow_redirects)
        try:
            response = await ask(request, Limits(*self._limits), seconds)
        except RequestFailed as error:
            raise HttpError(str(error)) from error
        return HttpAnswer(response.status, response.headers, response.content, response.url)

    async def get(self, url: str, **options: Any) -> HttpAnswer:
        """Send a `GET` request. The options are those of `request`."""
        return await self.request("GET", url, **options)

    async def post(self, url: str, **options: Any) -> HttpAnswer:
        """Send a `POST` request. The options are those of `request`."""
        return await self.request("POST", url, **options)

    async def put(self, url: str, **options: Any) -> HttpAnswer:
        """Send a `PUT` request. The options are those of `request`."""
        return await self.request("PUT", url, **options)

    async def patch(self, url: str, **options: Any) -> HttpAnswer:
        """Send a `PATCH` request. The options are those of `request`."""
        return await self.request("PATCH", url, **options)

    async def delete(self, url: str, **options: Any) -> HttpAnswer:
        """Send a `DELETE` request. The options are those of `request`."""
        return await self.request("DELETE", url, **options)
