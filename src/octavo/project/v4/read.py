"""Reads all code of a v4 project. The one way in: for the service, which closes by it, and for reports."""

from collections.abc import Iterator
from pathlib import Path

from octavo.project.v4.code import Code, Finding, Kind, Route, State
from octavo.project.v4.controllers import Controllers
from octavo.project.v4.named import NamedCode
from octavo.project.v4.order import in_order
from octavo.project.v4.package import is_v4_project
from octavo.project.v4.routes import RouteReader
from octavo.project.v4.sources import Sources
from octavo.schema.naming import kebab_case
from octavo.schema.registry import Registry


def read_code(project: Path, registry: Registry) -> Code:
    """What the JavaScript and TypeScript of a project says; nothing where it is no v4 project. Runs nothing."""
    return _Reader(project, registry).read() if is_v4_project(project) else Code()


class _Reader:
    def __init__(self, project: Path, registry: Registry) -> None:
        self._sources = Sources(project)
        self._named = NamedCode(self._sources)
        self._controllers = Controllers(self._sources, registry)
        self._routes = RouteReader(self._sources, self._controllers, self._named, registry)

    def read(self) -> Code:
        sources = self._sources
        apis = [(path, f"api::{kebab_case(path.name)}") for path in sources.folders(sources.source / "api")]
        self._named.collect(sources.source, "global::")
        for path, owner in apis:
            self._named.collect(path, f"{owner}.")
            self._controllers.collect(path, owner)
        routes = in_order([route for path, owner in apis for route in self._routes.read(path, owner)], sources.findings)
        self._named.tell()
        return Code(findings=(*sources.findings, *_told(routes)), routes=routes)


def _told(routes: tuple[Route, ...]) -> Iterator[Finding]:
    """A finding for each route that is not simply the generated one."""
    for route in routes:
        if route.core is None:
            says = f"own handler {route.handler or '(a function)'}: answers 501"
            yield Finding(Kind.ROUTE, route.name, route.place, says, State.OPEN)
        elif route.guards:
            names = ", ".join(dict.fromkeys(guard.name for guard in route.guards))
            yield Finding(Kind.ROUTE, route.name, route.place, f"closed because of {names}", State.CLOSED)
        elif route.access.public or route.shapes or route.action != ".".join(route.core):
            says = f"{'public, ' if route.access.public else ''}core action {'.'.join(route.core)}"
            yield Finding(Kind.ROUTE, route.name, route.place, says, State.TAKEN)
