"""A client in the same process that costs little, so that mostly the service is measured."""

from typing import Any

import orjson

from octavo.api.http.application import HttpApplication
from tests.api.http.asgi import receiver, scope_of
from tests.models.bookshop import FULL_TOKEN


class Client:
    """Sends one request repeatedly."""

    def __init__(self, app: HttpApplication, method: str, target: str, data: Any = None) -> None:
        self._app = app
        self._body = b"" if data is None else orjson.dumps({"data": data})
        headers = [("Authorization", f"Bearer {FULL_TOKEN}"), ("Content-Type", "application/json")]
        self._scope = scope_of(method, target, headers if method != "GET" else ())
        self._sent: list[Any] = []

    async def send(self, id_in_path: object = None) -> bytes:
        """Return the body of the response. An id replaces `:id` in the path."""
        self._sent.clear()
        scope = dict(self._scope)
        if id_in_path is not None:
            scope["path"] = scope["path"].replace(":id", str(id_in_path))
            scope["raw_path"] = scope["path"].encode()
        await self._app.answer(scope, receiver([self._body]), self._keep)
        body = b"".join(message.get("body", b"") for message in self._sent[1:])
        assert self._sent[0]["status"] == 200, body
        return body

    async def _keep(self, message: Any) -> None:
        self._sent.append(message)
