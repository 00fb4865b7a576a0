"""`app.http`: other machines, asked by a project's code. Nobody of private networks is, unless a setting says so."""

import asyncio
from collections.abc import Mapping
from typing import Any

import orjson

from octavo.errors import OctavoError


class HttpError(OctavoError):
    """A request to another machine failed, or was answered with an error; callers are told nothing of it."""

    def __init__(self, reason: str, answer: "HttpAnswer | None" = None) -> None:
        super().__init__()
        self.reason = reason
        self.answer = answer

    def __str__(self) -> str:
        return self.reason


class HttpAnswer:
    """The answer of another machine: `status`, `headers` (names in small letters), `content` as bytes, `url`."""

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes, url: str) -> None:
        self.status = status
        self.headers = headers
        self.content = content
        self.url = url

    @property
    def is_success(self) -> bool:
        """Whether the status is one of success."""
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        """The content as text; what is no UTF-8 is replaced."""
        return self.content.decode("utf-8", "replace")

    def json(self) -> Any:
        """The content's value. Raises HttpError where it is no JSON."""
        try:
            return orjson.loads(self.content)
        except orjson.JSONDecodeError as error:
            raise HttpError(f"{self._host} answered no JSON", self) from error

    def raise_for_status(self) -> "HttpAnswer":
        """The answer itself. Raises HttpError unless it is one of success."""
        if not self.is_success:
            raise HttpError(f"{self._host} answered {self.status}", self)
        return self

    @property
    def _host(self) -> str:
        return self.url.partition("://")[2].partition("/")[0].rpartition("@")[2]


def _load_client() -> None:
    from octavo.net.outgoing import prepare

    prepare()


class HttpClient:
    """Makes requests. All of them raise HttpError when there is no answer; an answer of any status is one."""

    def __init__(self, private_hosts: frozenset[str], seconds: float, most_bytes: int) -> None:
        self._limits = private_hosts, seconds, most_bytes
        self._is_loaded = False

    async def _load(self) -> None:
        """Import the client in a thread: that takes a good part of a second, in which nobody else would be answered."""
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
        """Send `json`, the fields of a form (`data`), `content`, or nothing; the whole may take `seconds`."""
        await self._load()
        from octavo.net.outgoing import Limits, Outgoing, RequestFailed, ask

        request = Outgoing(method, url, params, headers or {}, json, data, content, follow_redirects)
        try:
            found = await ask(request, Limits(*self._limits), seconds)
        except RequestFailed as error:
            raise HttpError(str(error)) from error
        return HttpAnswer(found.status, found.headers, found.content, found.url)

    async def get(self, url: str, **options: Any) -> HttpAnswer:
        """A `GET`; options as for `request`."""
        return await self.request("GET", url, **options)

    async def post(self, url: str, **options: Any) -> HttpAnswer:
        """A `POST`; options as for `request`."""
        return await self.request("POST", url, **options)

    async def put(self, url: str, **options: Any) -> HttpAnswer:
        """A `PUT`; options as for `request`."""
        return await self.request("PUT", url, **options)

    async def patch(self, url: str, **options: Any) -> HttpAnswer:
        """A `PATCH`; options as for `request`."""
        return await self.request("PATCH", url, **options)

    async def delete(self, url: str, **options: Any) -> HttpAnswer:
        """A `DELETE`; options as for `request`."""
        return await self.request("DELETE", url, **options)
