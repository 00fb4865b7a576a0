"""From method and path to a handler: dictionaries only. Paths are matched in any case, with or without a last slash."""

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
"""What an answer goes through when it is there; not what is raised."""
Known = tuple[Response, "Route"]
Quick = Callable[[Scope, Mapping[bytes, bytes]], Known | Awaitable[Known | None] | None]
"""Answers what is known already, by a request's scope and headers, at once or where something has to be asked first;
None for all else."""

# In which order the methods of a path are told.
METHODS = ("HEAD", "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class DuplicateRoute(ValueError):
    """Two routes have the same method and the same path."""


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one path. Segments that begin with a colon are names: they match anything but nothing.

    `operation` is what its door says of it; nothing here looks at it. `finish` is what its answers go through.
    """

    method: str
    template: str
    handler: Handler
    operation: object = None
    finish: Finish | None = None


class _Shape:
    """All routes whose names stand at the same places: one dictionary, keyed by the segments in between."""

    def __init__(self, fixed: tuple[int, ...], named: tuple[int, ...]) -> None:
        self.named = named
        self.pick: Callable[[list[str]], Any] = itemgetter(*fixed)
        self.entries: dict[Any, _Entry] = {}


class _Entry:
    """The routes of one template, by method, with the names of each (two routes may call a segment differently)."""

    __slots__ = ("names", "routes")

    def __init__(self) -> None:
        self.routes: dict[str, Route] = {}
        self.names: dict[str, tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class Later:
    """Routes that are declared when they are first asked for. `below` are the first segments of their paths. `load`
    takes its time, in a thread; what comes of it declares them."""

    below: frozenset[str]
    load: Callable[[], Callable[[], None]]


class Router:
    """The routes of an application.

    A path without names wins over one with names; among those, the one whose first name comes later wins. Of two routes
    with one method and one path the first is kept where `keeps_first`, as in v4; else the second is a mistake.
    """

    def __init__(self, *, keeps_first: bool = False) -> None:
        self._keeps_first = keeps_first
        self._static: dict[str, _Entry] = {}
        self._shapes: dict[int, list[_Shape]] = {}
        self._by_id: dict[str, _Entry] = {}  # those whose only name is the last segment, by what is before it
        self._routes: list[Route] = []
        self._later: Later | None = None
        self.quick: Quick | None = None
        """What may answer a request before anything else looks at it."""
        self.overview: Callable[[], Awaitable[str]] | None = None
        """Returns HTML about the project for the start page."""

    def add(self, method: str, template: str, handler: Handler, operation: object = None) -> None:
        """Declare a route, such as `add("GET", "/api/articles/:id", find_one)`."""
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
        """Let routes be declared later; at once where others are below the same segments: which one a request is for
        depends on all of them."""
        self._later = later
        if any(self._meets_later(route.template.split("/")[1]) for route in self._routes):
            self.open()

    @property
    def has_later(self) -> bool:
        """Whether routes are still to be declared."""
        return self._later is not None

    def is_later(self, path: str) -> bool:
        """Whether routes below the path's first segment are still to be declared."""
        return self._later is not None and path[1:].partition("/")[0].lower() in self._later.below

    async def open_later(self) -> None:
        """Declare what was to be declared later."""
        later = self._later
        if later is None:
            return
        declare = await in_thread(later.load)
        if self._later is later:  # else somebody who waited too was faster
            self._later = None
            declare()

    def open(self) -> None:
        """As `open_later`, at once."""
        if (later := self._later) is not None:
            self._later = None
            later.load()()

    def _meets_later(self, segment: str) -> bool:
        return self._later is not None and (segment.startswith(":") or segment.lower() in self._later.below)

    def replace(self, method: str, template: str, handler: Handler) -> None:
        """Let a declared route be handled otherwise; nothing where there is none."""
        for number, route in enumerate(self._routes):
            if (route.method, route.template.lower()) == (method, template.lower()):
                self._change(number, handler=handler)

    def finish(self, finish_of: Callable[[Route], Finish | None]) -> None:
        """Let the answers of each declared route go through what is said for it, if anything is."""
        for number, route in enumerate(self._routes):
            finish = finish_of(route)
            if finish is not None:
                self._change(number, finish=finish)

    def handle(self, handler_of: Callable[[Route], Handler | None]) -> None:
        """Let declared routes be handled otherwise, by what also does what their answers go through."""
        for number, route in enumerate(self._routes):
            handler = handler_of(route)
            if handler is not None:
                self._change(number, handler=handler, finish=None)

    def _change(self, number: int, **changes: Any) -> None:
        route = self._routes[number]
        changed = replace(route, **changes)
        self._routes[number] = self._entry(route.template.split("/")).routes[route.method] = changed

    def routes(self) -> tuple[Route, ...]:
        """All routes, in the order of their declaration."""
        self.open()
        return self.declared()

    def declared(self) -> tuple[Route, ...]:
        """Those that are declared so far."""
        return tuple(self._routes)

    def find(self, method: str, path: str) -> tuple[Route, Mapping[str, str]] | None:
        """The route for a path as it was sent, and the values of its names, decoded."""
        entry = self._static.get(path)
        if entry is not None and (route := entry.routes.get(method)) is not None:
            return route, NO_VALUES
        before, _, last = path.rpartition("/")
        if last.isdecimal():  # by far the most frequent name is the id at the end
            entry = self._by_id.get(before)
            if entry is not None and (route := entry.routes.get(method)) is not None:
                return route, {entry.names[method][0]: last}
        for entry, values in self._matches(path):
            route = entry.routes.get(method)
            if route is not None:
                return route, dict(zip(entry.names[method], values, strict=True)) if values else NO_VALUES
        return None

    def methods(self, path: str) -> frozenset[str]:
        """The methods declared for a path."""
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
    """A value from the path; one that is not valid UTF-8 stays as it was sent, and will match nothing."""
    if "%" not in segment:
        return segment
    try:
        return unquote(segment, errors="strict")
    except UnicodeDecodeError:
        return segment
