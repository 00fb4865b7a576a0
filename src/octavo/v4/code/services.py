"""Resolve the services of a v4 project by their names in `strapi`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from octavo.v4.code.harmless_calls import CONNECTING, CORE_SERVICE, PLUGINS, is_strapi_call
from octavo.v4.code.references import CORE, HARMLESS, STRAPI, UNKNOWN, Thing
from octavo.v4.code.resolving import Resolver
from octavo.v4.javascript.syntax import FUNCTIONS, returned

_UID: Final = re.compile(r"(api|plugin)::([\w-]+)\.([\w-]+)")
_HEADS: Final = (*CONNECTING, "plugins", "db")
"""The possible starts of a chain of connecting calls."""


class ServiceResolver(Resolver):
    """Resolves expressions, including those through `strapi`."""

    def served(self, path: tuple[str, ...], depth: int = 0) -> list[Thing]:
        """Return the function that a path from `strapi` refers to: of a service, or Strapi's own."""
        uid, rest = _service(path)
        match = _UID.fullmatch(uid)
        if match is None:
            is_own = not path or is_strapi_call(path) or _is_connecting(path)
            return [HARMLESS if is_own else Thing("outside", path=(STRAPI, *path))]
        kind, owner, name = match.groups()
        if kind == "plugin" and owner in PLUGINS:
            return [UNKNOWN if self._adds_services(owner) else HARMLESS]
        if len(rest) != 1:
            return [UNKNOWN]
        services = list(self._services(kind, owner, name))
        found_ = [one for service in services if service is not CORE for one in self.member(service, rest[0], depth)]
        is_core = kind == "api" and rest[0] in CORE_SERVICE
        return [HARMLESS if one is UNKNOWN and is_core else one for one in found_ or [UNKNOWN]]

    def _adds_services(self, plugin: str) -> bool:
        """Return whether the project changes the services of one of Strapi's plugins."""
        path = self._sources.one(self._sources.source / "extensions" / plugin / "strapi-server")
        module = None if path is None else self._sources.module(path)
        return path is not None and (module is None or b"services" in module.source.text)

    def _services(self, kind: str, owner: str, name: str) -> Iterator[Thing]:
        """Yield the objects that define a service."""
        folder = self._sources.source / ("api" if kind == "api" else "plugins") / owner
        stems = [folder / part / "services" / name for part in ("", "server", "server/src")]
        path = self._sources.one(*stems)
        module = None if path is None else self._sources.module(path)
        starts = [Thing("space", module)] if module is not None else []
        if not starts and kind == "plugin":
            starts = list(self._plugin_services(folder, name))
        for start in starts:
            for thing in self.whole(start):
                yield from self._made(thing)

    def _plugin_services(self, folder: Path, name: str) -> Iterator[Thing]:
        path = self._sources.one(folder / "strapi-server", folder / "server/index", folder / "server/src/index")
        module = None if path is None else self._sources.module(path)
        if module is not None:
            for services in self.member(Thing("space", module), "services"):
                yield from (one for service in self.member(services, name) for one in self.whole(service))

    def _made(self, thing: Thing) -> Iterator[Thing]:
        """Yield the object that a service factory returns: of a function, or `createCoreService(uid, function)`."""
        module, node = thing.module, thing.node
        if module is None or node is None:
            yield thing
        elif thing.what == "code" and node.type in FUNCTIONS:
            yield from self._any(module, returned(node), None, 0)
        else:
            yield thing


def _is_connecting(path: tuple[str, ...]) -> bool:
    """Return whether a call only selects the object of the next call: `strapi.service(...)`."""
    return path[-1] in CONNECTING and path[0].removesuffix("()") in _HEADS


def _service(path: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the service that a path from `strapi` refers to, and the rest of the path; empty if it is not a
    service."""
    match path:
        case ("service()" | "services", uid, *rest):
            return uid, tuple(rest)
        case ("plugin()" | "plugins", owner, "service()" | "services", name, *rest):
            return f"plugin::{owner}.{name}", tuple(rest)
        case ("api()" | "api", owner, "service()" | "services", name, *rest):
            return f"api::{owner}.{name}", tuple(rest)
    return "", ()
