"""Responses: the results of core actions, and the results that project code may return."""

import os
from asyncio import to_thread
from collections.abc import AsyncGenerator, Iterator, Mapping
from io import FileIO
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import orjson

from octavo.api.http.response import HTML, JSON, TEXT, FileResponse, Headers
from octavo.api.http.response import Response as RawResponse
from octavo.api.rest.accounts import escape_address
from octavo.core.media_types import content_type_of
from octavo.project.results import EntryPage
from octavo.sdk.json_values import render_value
from octavo.sdk.streams import CodeStream, Pieces

_UNREAD: Final = object()
_CHUNK: Final = 64 * 1024


class Answer:
    """A response. For JSON, it works like a dictionary: `response["data"]`.

    The JSON of a core action is parsed only when you access it.
    """

    __slots__ = ("_raw", "_value", "cookies", "headers", "status")

    def __init__(self, raw: RawResponse) -> None:
        self._raw = raw
        self._value: Any = _UNREAD
        self.status = raw.status
        pairs = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in raw.headers]
        self.cookies = [value for name, value in pairs if name == "set-cookie"]
        self.headers: dict[str, str] = {name: value for name, value in pairs if name != "set-cookie"}

    @property
    def value(self) -> Any:
        """The JSON value. Changes are sent. Raises ValueError if the response is not JSON."""
        if self._value is _UNREAD:
            self._value = orjson.loads(self._raw.body)
        return self._value

    @value.setter
    def value(self, value: Any) -> None:
        self._value = value

    @property
    def body(self) -> bytes:
        """The body as bytes. Empty for a stream."""
        return self._raw.body if self._value is _UNREAD else render_value(self.status, self._value).body

    def __getitem__(self, key: Any) -> Any:
        return self.value[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.value[key] = value

    def __contains__(self, key: object) -> bool:
        return key in self.value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def get(self, key: str, otherwise: Any = None) -> Any:
        """Return a key of the JSON object, or `otherwise`."""
        return self.value.get(key, otherwise)

    def set_cookie(
        self,
        name: str,
        value: str,
        *,
        max_age: int | None = None,
        path: str = "/",
        domain: str | None = None,
        same_site: str | None = "Lax",
        secure: bool = True,
        http_only: bool = True,
    ) -> None:
        """Set a cookie. `max_age` is in seconds; without it, the cookie ends with the browser session."""
        parts = [f"{name}={quote(value, safe='')}", f"Path={path}"]
        parts += [f"Domain={domain}"] if domain else []
        parts += [f"SameSite={same_site}"] if same_site else []
        parts += [f"Max-Age={max_age}"] if max_age is not None else []
        parts += ["Secure"] if secure else []
        parts += ["HttpOnly"] if http_only else []
        self.cookies.append("; ".join(parts))

    def delete_cookie(self, name: str, *, path: str = "/", domain: str | None = None) -> None:
        """Delete a cookie that was set with this path and domain."""
        self.set_cookie(name, "", max_age=0, path=path, domain=domain, same_site=None, secure=False)

    def render(self) -> RawResponse:
        """Return the response for HTTP. Raises ValueError for an invalid header."""
        raw = self._raw
        raw.status = self.status
        raw.headers = render_headers({**self.headers}, self.cookies)
        if self._value is not _UNREAD:
            raw.body, raw.content_type = self.body, raw.content_type or JSON
        return raw


class Response:
    """Creates responses: `return Response.json({"ok": True}, status=201)`."""

    @staticmethod
    def json(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
        """Return a JSON response. Raises TypeError if the value is not a JSON value."""
        return Answer(render_value(status, value, render_headers(headers)))

    @staticmethod
    def text(text: str, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
        """Return a plain text response."""
        return Answer(RawResponse(status, text.encode(), TEXT, render_headers(headers)))

    @staticmethod
    def html(text: str, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
        """Return an HTML response. The project's `Content-Security-Policy` header applies to it."""
        return Answer(RawResponse(status, text.encode(), HTML, render_headers(headers)))

    @staticmethod
    def body(
        content: bytes, content_type: str, *, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Return bytes of any content type."""
        return Answer(RawResponse(status, content, content_type, render_headers(headers)))

    @staticmethod
    def no_content() -> Answer:
        """Return an empty response with status 204."""
        return Answer(RawResponse(204, content_type=""))

    @staticmethod
    def redirect(address: str, *, status: int = 302) -> Answer:
        """Return a redirect to another URL."""
        return Answer(RawResponse(status, b"", TEXT, ((b"location", escape_address(address)),)))

    @staticmethod
    async def file(path: Path | str, *, name: str | None = None, content_type: str | None = None) -> Answer:
        """Return a file as a stream. With `name`, browsers download it. Raises FileNotFoundError."""
        file = await to_thread(FileIO, path, "rb")
        length = os.fstat(file.fileno()).st_size
        kind = content_type or content_type_of(name or str(path))
        disposition = {} if name is None else {"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
        chunks = _read(file)
        return Answer(FileResponse(200, chunks, length, kind, render_headers(disposition), file.close))

    @staticmethod
    def stream(
        chunks: Pieces,
        content_type: str = TEXT,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Return chunks as they arrive, from an async iterable, or from a plain one, which runs in a thread."""
        return Answer(CodeStream(status, chunks, content_type, render_headers(headers)))


def to_response(value: Any) -> RawResponse:
    """Return the response for an action's result: 204 for None, an Answer itself, everything else JSON.

    Raises NotJson.
    """
    if value is None:
        return RawResponse(204, content_type="")
    if isinstance(value, EntryPage):
        value = {"results": value.entries, "pagination": page_pagination(value)}
    if isinstance(value, Answer):
        return value.render()
    return value if isinstance(value, RawResponse) else render_value(200, value)


def page_pagination(page: EntryPage[Any]) -> dict[str, int]:
    """Return the pagination metadata of a page."""
    return {"page": page.page, "pageSize": page.page_size, "pageCount": page.page_count, "total": page.total}


def to_answer(value: Any) -> Answer:
    """Return an action's result as an Answer, for its middlewares."""
    return value if isinstance(value, Answer) else Answer(to_response(value))


def render_headers(headers: Mapping[str, str] | None, cookies: list[str] | None = None) -> Headers:
    """Return headers as bytes. Raises ValueError for an invalid one."""
    pairs = [*(headers or {}).items(), *(("set-cookie", cookie) for cookie in cookies or ())]
    return tuple((_header_text(name).lower(), _header_text(value)) for name, value in pairs)


def _header_text(text: str) -> bytes:
    if any(ord(sign) < 0x20 or ord(sign) > 0xFF or ord(sign) == 0x7F for sign in text):
        raise ValueError(f"{text[:60]!r} is not allowed in a header")
    return text.encode("latin-1")


async def _read(file: FileIO) -> AsyncGenerator[bytes, None]:
    while chunk := await to_thread(file.read, _CHUNK):
        yield chunk
