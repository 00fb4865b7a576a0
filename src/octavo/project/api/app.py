"""`app`: what `register(app)`, `bootstrap(app)`, policies, middlewares and resolvers are given."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from octavo.controllers.content import ContentController
from octavo.graphql.customization.extension import did_you_mean
from octavo.project.api.entries import Entries
from octavo.schema.registry import Registry
from octavo.settings import Settings


class UnknownName(LookupError):
    """A plugin, a service or a content-type that does not exist."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin's services, by name."""

    name: str
    services: Mapping[str, Any]

    def service(self, name: str) -> Any:
        """The service of that name. Raises UnknownName."""
        if name not in self.services:
            raise UnknownName(f"plugin {self.name} has no service {name!r}{did_you_mean(name, self.services)}")
        return self.services[name]


@dataclass(frozen=True, slots=True)
class App:
    """The service as a project's code sees it."""

    settings: Settings
    registry: Registry
    controller: ContentController
    plugins: Mapping[str, Plugin]

    def plugin(self, name: str) -> Plugin:
        """The plugin of that name. Raises UnknownName."""
        if name not in self.plugins:
            raise UnknownName(f"there is no plugin {name!r}; there are {', '.join(sorted(self.plugins))}")
        return self.plugins[name]

    def entries(self, uid: str) -> Entries:
        """The entries of a content-type, by its UID. Raises UnknownName."""
        found = self.registry.content_types.get(uid)
        if found is None:
            raise UnknownName(f"there is no content-type {uid}{did_you_mean(uid, self.registry.content_types)}")
        return Entries(self.controller, found)
