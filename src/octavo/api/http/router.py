"""Find the handler of a method and path, with dictionaries only. Paths ignore case and a trailing slash."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any
from urllib.parse import unquote

from octavo.api.http.request import NO_VALUES, Request, Scope
from octavo.api.http.response import Response
from octavo.core.threads import in_thread
from octavo.core.values import dataclass

Handler = Callable[[Request], Awaitable[Response]]
Finish = Callable[[Request, Response], Response]
"""Processes a response. Not called for errors."""
Known = tuple[Response, "Route"]
Quick = Callable[[Scope, Mapping[bytes, bytes]], Known | Awaitable[Known | None] | None]
"""Returns a cached response for a request's scope and headers, possibly as an awaitable, or None."""

# The order of methods in `Allow` headers.
METHODS = ("HEAD", "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class DuplicateRoute(ValueError):
    """Two routes have the same method and path."""


@dataclass(frozen=True, slots=True)
class Route:
    """A method and path. Segments that begin with a colon are parameters: they match any text that is not empty.

    `operation` is the API's description of the route, not used here. `finish` processes its responses.
    """

    method: str
    template: str
    handler: Handler
    operation: object = None
    finish: Finish | None = None


class _Shape:
    """All routes with parameters at the same positions: a dictionary keyed by the other segments."""

    def __init__(self, fixed: tuple[int, ...], named: tuple[int, ...]) -> None:
        self.named = named
        self.pick: Callable[[list[str]], Any] = itemgetter(*fixed)
        self.entries: dict[Any, _Entry] = {}


class _Entry:
    """The routes of one template, by method, with parameter names, which can differ between routes."""

    __slots__ = ("names", "routes")

    def __init__(self) -> None:
        self.routes: dict[str, Route] = {}
        self.names: dict[str, tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class Later:
    """Routes that are added on first use. `below` are the first segments of their paths.

    `load` is slow and runs in a thread. It returns a function that adds the routes.
    """

    below: frozenset[str]
    load: Callable[[], Callable[[], None]]


class Router:
    """The routes of an application.

    A path without parameters takes precedence over one with parameters; among those, the one whose first parameter
    comes later does. If two routes have the same method and path, the first one applies with `keeps_first`, as in v4.
    Otherwise DuplicateRoute is raised.
    """

    def __init__(self, *, keeps_first: bool = False) -> None:
        self._keeps_first = keeps_first
        self._static: dict[str, _Entry] = {}
        self._shapes: dict[int, list[_Shape]] = {}
        self._by_id: dict[str, _Entry] = {}  # routes whose only parameter is the last segment, by the path before it
        self._routes: list[Route] = []
        self._later: Later | None = None
        self.quick: Quick | None = None
        """Returns cached responses before anything else."""
        self.overview: Callable[[], Awaitable[str]] | None = None
        """Returns HTML about the project for the start page."""

    def add(self, method: str, template: str, handler: Handler, operation: object = None) -> None:
        """Add a route, such as `add("GET", "/api/articles/:id", find_one)`."""
        route = Route(method.upper(), "/" + template.strip("/"), handler, operation)
        segments = route.template.split("/")
        if self._meets_later(segments[1]):
            self.open()
        entry = self._entry(segments)
        if route.method in entry.routes:
            if self._keeps_first:
                return
            raise DuplicateRoute(f"{route.method} {route.template} is declared twice")
        entry.routes[route.method] = route
        entry.names[route.method] = tuple(segment[1:] for segment in segments if segment.startswith(":"))
        self._routes.append(route)

    def add_later(self, later: Later) -> None:
        """Add routes on first use, or now if others have the same first segments, because precedence depends on all."""
        self._later = later
        if any(self._meets_later(route.template.split("/")[1]) for route in self._routes):
            self.open()

    @property
    def has_later(self) -> bool:
        """Whether there are routes to add on first use."""
        return self._later is not None

    def is_later(self, path: str) -> bool:
        """Return whether routes below the path's first segment are added on first use."""
        return self._later is not None and path[1:].partition("/")[0].lower() in self._later.below

    async def open_later(self) -> None:
        """Add the deferred routes."""
        later = self._later
        if later is None:
            return
        declare = await in_thread(later.load)
        if self._later is later:  # otherwise another waiting request was faster
            self._later = None
            declare()

    def open(self) -> None:
        """Add the deferred routes, without a thread."""
        if (later := self._later) is not None:
            self._later = None
            later.load()()

    def _meets_later(self, segment: str) -> bool:
        return self._later is not None and (segment.startswith(":") or segment.lower() in self._later.below)

    def replace(self, method: str, template: str, handler: Handler) -> None:
        """Replace the handler of a route, if it exists."""
        for number, route in enumerate(self._routes):
            if (route.method, route.template.lower()) == (method, template.lower()):
                self._change(number, handler=handler)

    def finish(self, finish_of: Callable[[Route], Finish | None]) -> None:
        """Set the function that processes responses, for routes for which `finish_of` returns one."""
        for number, route in enumerate(self._routes):
            finish = finish_of(route)
            if finish is not None:
                self._change(number, finish=finish)

    def handle(self, handler_of: Callable[[Route], Handler | None]) -> None:
        """Replace the handlers of routes for which `handler_of` returns one. It replaces `finish` too."""
        for number, route in enumerate(self._routes):
            handler = handler_of(route)
            if handler is not None:
                self._change(number, handler=handler, finish=None)

    def _change(self, number: int, **changes: Any) -> None:
        route = self._routes[number]
        changed = replace(route, **changes)
        self._routes[number] = self._entry(route.template.split("/")).routes[route.method] = changed

    def routes(self) -> tuple[Route, ...]:
        """Return all routes, in order."""
        self.open()
        return self.declared()

    def declared(self) -> tuple[Route, ...]:
        """Return the routes added so far."""
        return tuple(self._routes)

    def find(self, method: str, path: str) -> tuple[Route, Mapping[str, str]] | None:
        """Return the route for an encoded path, and the decoded values of its parameters."""
        entry = self._static.get(path)
        if entry is not None and (route := entry.routes.get(method)) is not None:
            return route, NO_VALUES
        before, _, last = path.rpartition("/")
        if last.isdecimal():  # by far the most frequent parameter is the id at the end
            entry = self._by_id.get(before)
            if entry is not None and (route := entry.routes.get(method)) is not None:
                return route, {entry.names[method][0]: last}
        for entry, values in self._matches(path):
            route = entry.routes.get(method)
            if route is not None:
                return route, dict(zip(entry.names[method], values, strict=True)) if values else NO_VALUES
        return None

    def methods(self, path: str) -> frozenset[str]:
        """Return the methods of a path."""
        return frozenset(method for entry, _ in self._matches(path) for method in entry.routes)

    def _entry(self, segments: list[str]) -> _Entry:
        named = tuple(i for i, segment in enumerate(segments) if segment.startswith(":"))
        if not named:
            return self._static.setdefault("/".join(segments).lower(), _Entry())
        fixed = tuple(i for i in range(len(segments)) if i not in named)
        shapes = self._shapes.setdefault(len(segments), [])
        shape = next((shape for shape in shapes if shape.named == named), None)
        if shape is None:
            shape = _Shape(fixed, named)
            shapes.append(shape)
            shapes.sort(key=lambda shape: shape.named, reverse=True)
        lowered = [segment.lower() for segment in segments]
        entry = shape.entries.setdefault(shape.pick(lowered), _Entry())
        if named == (len(segments) - 1,):
            self._by_id["/".join(lowered[:-1])] = entry
        return entry

    def _matches(self, path: str) -> Iterator[tuple[_Entry, list[str]]]:
        if len(path) > 1 and path[-1] == "/":
            path = path[:-1]
        lowered = path.lower()
        entry = self._static.get(lowered)
        if entry is not None:
            yield entry, []
        segments = path.split("/")
        shapes = self._shapes.get(len(segments))
        if shapes is None:
            return
        lowered_segments = segments if lowered == path else lowered.split("/")
        for shape in shapes:
            entry = shape.entries.get(shape.pick(lowered_segments))
            if entry is not None:
                values = [_decode_segment(segments[i]) for i in shape.named]
                if all(values):
                    yield entry, values


def _decode_segment(segment: str) -> str:
    """Decode a path segment. Invalid UTF-8 is unchanged and matches nothing."""
    if "%" not in segment:
        return segment
    try:
        return unquote(segment, errors="strict")
    except UnicodeDecodeError:
        return segment
