"""`Request`: a request for project code, which can change it before a core action reads it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, NoReturn, SupportsIndex, cast

import orjson

from octavo.access.authorization.actor import ANONYMOUS, Actor
from octavo.api.http.body import Body, read_body
from octavo.api.http.cookies import read_cookies
from octavo.api.http.query_string import parse_form, read_params
from octavo.api.http.request import Overlay
from octavo.api.http.request import Request as RawRequest
from octavo.api.rest.bodies import MISSING
from octavo.content.controllers.context import user_of
from octavo.content.controllers.prepared_reads import MOST_PREPARED_HERE
from octavo.core.errors import Problem, ValidationError
from octavo.core.threads import compute
from octavo.project.execution import CodeClock
from octavo.project.results import Entry
from octavo.project.state import State
from octavo.sdk.app import App

Path = tuple[str, ...]
_NOTHING: Final = object()


class BodyObject(dict[str, Any]):
    """An object in a body. `path` is its position."""

    __slots__ = ("path",)

    def __init__(self, members: Iterable[tuple[str, Any]], path: Path) -> None:
        super().__init__(members)
        self.path = path

    def __missing__(self, name: str) -> NoReturn:
        raise _missing((*self.path, str(name)))

    def pop(self, name: str, default: Any = _NOTHING) -> Any:
        """Remove a member and return it. Raises ValidationError if it is missing and there is no default."""
        if default is _NOTHING and name not in self:
            raise _missing((*self.path, str(name)))
        return super().pop(name, None if default is _NOTHING else default)


class BodyList(list[Any]):
    """An array in a body, where code may expect an object."""

    __slots__ = ("path",)

    def __init__(self, items: Iterable[Any], path: Path) -> None:
        super().__init__(items)
        self.path = path

    def __getitem__(self, at: SupportsIndex | slice | str) -> Any:
        if isinstance(at, str):
            raise expected_object(self.path, "an array")
        return super().__getitem__(at)


class BodyText(str):
    """A text in a body, where code may expect an object."""

    __slots__ = ("path",)
    path: Path

    def __getitem__(self, at: SupportsIndex | slice | str) -> str:
        if isinstance(at, str):
            raise expected_object(self.path, "a string")
        return super().__getitem__(at)


def with_paths(value: Any) -> Any:
    """Return the value of a body with the positions of its objects and arrays."""
    if isinstance(value, str):
        text = BodyText(value)
        text.path = ()
        return text
    return _placed(value, ())


def data_of(value: Any) -> BodyObject:
    """Return the object in `data` of a body. Raises ValidationError."""
    if not isinstance(value, dict):
        raise _missing(("data",))
    data = value.get("data")
    if data is None:
        raise _missing(("data",))
    if not isinstance(data, dict):
        raise expected_object(("data",), "an array" if isinstance(data, list) else type(data).__name__)
    return data if isinstance(data, BodyObject) else BodyObject(data.items(), ("data",))


def _placed(value: Any, path: Path) -> Any:
    if isinstance(value, dict):
        return BodyObject(((name, _placed(member, (*path, name))) for name, member in value.items()), path)
    if isinstance(value, list):
        return BodyList((_placed(item, (*path, str(number))) for number, item in enumerate(value)), path)
    return value


def _missing(path: Path) -> ValidationError:
    message = MISSING if path == ("data",) else f"{'.'.join(path)} must be defined."
    return ValidationError.from_problems([Problem(path, message)])


def expected_object(path: Path, found: str) -> ValidationError:
    """Return the error for a value that is not an object."""
    place = ".".join(path) or "the request body"
    return ValidationError.from_problems([Problem(path, f"{place}: expected an object, not {found}")])


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
