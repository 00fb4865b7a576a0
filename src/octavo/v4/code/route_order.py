"""In v4 the first route that matches answers: which routes are never reached, and which stand in front of others."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from octavo.v4.code.code import Finding, Guard, Kind, Route, State

_NAME: Final = re.compile(r":\w+")
_NAME_WITH_RULE: Final = re.compile(r"(:\w+)\([^)]*\)")
_MOST_SEGMENTS: Final = 10
_PLAIN: Final = re.compile(r"(:\w+|[\w.~!$&'@,;=-]+)")


def in_order(routes: Iterable[Route], findings: list[Finding]) -> tuple[Route, ...]:
    """The routes that can be reached, those with optional names twice; findings tell of the others."""
    kept: list[Route] = []
    shapes: dict[tuple[str, tuple[str, ...]], Route] = {}
    wild: list[tuple[Route, str]] = []
    for given in routes:
        for route in _without_options(given):
            before = next((other for other, start in wild if _covers(other, start, route)), None)
            if before is not None:
                guard = Guard(before.name, before.place, "an address that is not understood stands before this one")
                route = replace(route, guards=(*route.guards, guard))
            if not _is_plain(route.path) or route.path.count("/") >= _MOST_SEGMENTS:
                wild.append((route, re.split(r"[(*+?:{]", route.path, maxsplit=1)[0]))
                says = "an address of this form is not served"
                findings.append(Finding(Kind.ROUTE, route.name, route.place, says, State.CLOSED))
                continue
            before_it = (shapes.get((route.method, shape)) for shape in _shapes_before(route.path))
            earlier = next(filter(None, before_it), None)
            if earlier is None:
                kept.append(route)
                shapes[route.method, _shape(route.path)] = route
            elif earlier.place != route.place:
                says = f"never reached, as in v4: {earlier.name} of {earlier.place} comes first"
                findings.append(Finding(Kind.ROUTE, route.name, route.place, says, State.NOTHING))
    return tuple(kept)


def _without_options(route: Route) -> list[Route]:
    """`/a/:b?` as `/a` and `/a/:b`; rules such as `:id(\\d+)` are left out: ids are checked anyway."""
    path = _NAME_WITH_RULE.sub(r"\1", route.path)
    if not path.endswith("?") or not _NAME.search(path.rpartition("/")[2]):
        return [replace(route, path=path)]
    return [replace(route, path=path.rpartition("/")[0] or "/"), replace(route, path=path[:-1])]


def _is_plain(path: str) -> bool:
    return all(_PLAIN.fullmatch(segment) for segment in path.strip("/").split("/")) or path == "/"


def _covers(other: Route, start: str, route: Route) -> bool:
    return other.method == route.method and route.path.startswith(start)


def _shape(path: str) -> tuple[str, ...]:
    """The segments of an address, names as `:`."""
    return tuple(":" if segment.startswith(":") else segment for segment in path.lower().split("/"))


def _shapes_before(path: str) -> Iterator[tuple[str, ...]]:
    """Every shape of an address that answers whatever this one would."""
    shape = _shape(path)[:_MOST_SEGMENTS]
    return product(*((":",) if segment == ":" else (segment, ":") if segment else ("",) for segment in shape))
