"""`Request`: a request for project code, which can change it before a core action reads it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

import orjson

from octavo.access.authorization.actor import ANONYMOUS, Actor
from octavo.api.http.body import Body, read_body
from octavo.api.http.cookies import read_cookies
from octavo.api.http.query_string import parse_form, read_params
from octavo.api.http.request import Overlay
from octavo.api.http.request import Request as RawRequest
from octavo.content.controllers.context import user_of
from octavo.content.controllers.prepared_reads import MOST_PREPARED_HERE
from octavo.core.threads import compute
from octavo.project.execution import CodeClock
from octavo.project.results import Entry
from octavo.project.state import State
from octavo.sdk.app import App
from octavo.sdk.body_values import data_of, with_paths

_CHANGED: Final = "\udfff"
"""Marks a rebuilt query string: it cannot occur in text decoded from UTF-8."""


class Request:
    """A request.

    In a global middleware, `actor` and `action` are set only after `next`.
    """

    __slots__ = ("_actor", "_as_sent", "_params", "_query", "_user", "app", "clock", "raw", "route", "state")

    def __init__(self, raw: RawRequest, app: App) -> None:
        self.raw = raw
        self.app = app
        self._actor: Actor | None = None
        self.state = State()
        self.clock = CodeClock()
        self.route = ""
        """`GET /talks/:id`, once it is known."""
        self._params: dict[str, Any] | None = None
        self._query: dict[str, Any] | None = None
        self._as_sent = b""
        self._user: tuple[Actor, Entry | None] | None = None
        raw.overlay = Overlay(self)

    @classmethod
    def of(cls, raw: RawRequest, app: App) -> "Request":
        """Return the request for an HTTP request; all code shares it."""
        return cls(raw, app) if raw.overlay is None else cast("Request", raw.overlay.owner)

    @property
    def query(self) -> dict[str, Any]:
        """The query string as nested values. Core actions use your changes."""
        if self._query is None:
            self._take(read_params(self.raw))
        assert self._query is not None, "it was taken"
        return self._query

    @query.setter
    def query(self, values: Mapping[str, Any]) -> None:
        self._query = dict(values)

    def _take(self, query: dict[str, Any]) -> None:
        """Store the parameters with their original values, so that unchanged ones are passed on as sent."""
        self._query, self._as_sent = query, orjson.dumps(query)

    @property
    def params(self) -> dict[str, Any]:
        """The path parameters: `request.params["slug"]`. Core actions use your changes."""
        if self._params is None:
            self._params = dict(self.raw.path_values)
        return self._params

    async def json(self) -> Any:
        """Return the body as a JSON value. The body can also be a form. Core actions use your changes.

        Reading a missing key (`(await request.json())["data"]`) raises ValidationError with the path.
        """
        return (await self.form()).value

    async def data(self) -> dict[str, Any]:
        """Return the object `data` of the body. Raises ValidationError if there is none."""
        return data_of(await self.json())

    def set_json(self, value: Any) -> None:
        """Replace the body."""
        overlay = self._overlay
        overlay.body = Body(value, () if overlay.body is None else overlay.body.files)

    async def form(self) -> Body:
        """Return the body with its uploaded files."""
        overlay = self._overlay
        if overlay.body is None:
            with self.clock.stopped():
                body = await read_body(self.raw, parse_form)
                overlay.body = replace(body, value=with_paths(body.value))
        return cast(Body, overlay.body)

    async def user(self) -> Entry | None:
        """Return the user's entry, or None for API tokens and requests without credentials."""
        actor = self.actor
        if self._user is None or self._user[0] is not actor:
            self._user = actor, await user_of(self.app, actor)
        return self._user[1]

    @property
    def actor(self) -> Actor:
        """The caller. Anonymous until authentication."""
        return self._actor or cast("Actor | None", self.raw.actor) or ANONYMOUS

    @property
    def action(self) -> str:
        """The action, such as `api::talk.talk.find`. Empty before authentication, and for routes without an action."""
        return str(getattr(self.raw.operation, "action", ""))

    def header(self, name: str) -> str | None:
        """Return a header, or None."""
        return self.raw.header(name.lower())

    def set_header(self, name: str, value: str) -> None:
        """Override a header for all later code, such as `authorization` from a cookie."""
        self.raw.set_header(name.lower(), value)

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies of the request."""
        return read_cookies(self.raw)

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.raw.method

    @property
    def path(self) -> str:
        """The decoded path."""
        return self.raw.path

    @property
    def client(self) -> str:
        """The client's IP address, from `X-Forwarded-For` if the proxy is trusted."""
        return self.raw.client

    @property
    def id(self) -> str:
        """The request id in the log."""
        return self.raw.id

    @property
    def _overlay(self) -> Overlay:
        assert self.raw.overlay is not None, "it was made with the request"
        return self.raw.overlay

    async def enter(self, route: str, actor: Actor) -> None:
        """Set the route of the request, and the authenticated caller.

        A query that is too long for the event loop is parsed before code uses it.
        """
        self.route, self._actor, self._params = route, actor, None
        if self._query is None and (size := len(self.raw.query)) > MOST_PREPARED_HERE:
            self._take(await compute(lambda: read_params(self.raw), size, MOST_PREPARED_HERE))

    def for_core(self) -> RawRequest:
        """Return the request for a core action's endpoint, with all changes.

        Raises TypeError for a query that is not JSON.
        """
        if self._query is not None:
            text = orjson.dumps(self._query, default=_plain)
            if text != self._as_sent:
                self._overlay.query = _CHANGED + text.decode()
                self._overlay.values = lambda: cast("dict[str, Any]", orjson.loads(text))
        if self._params is not None:
            self.raw.path_values = {name: str(value) for name, value in self._params.items()}
        return self.raw


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return list(value)
    raise TypeError(f"request.query: {type(value).__name__} is not allowed in a query")
