"""What administrators are shown of their project: `package.json`, editions, plugins, routes."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo import __version__
from octavo.api.admin.content_routes import list_content_routes
from octavo.api.admin.endpoints.project import ProjectFacts
from octavo.api.http.router import Router
from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.schema.registry import Registry
from octavo.settings import Settings
from octavo.settings.v4_versions import REFERENCE

_CORE: Final = (
    ("content-manager", "Content Manager", "Quick way to see, edit and delete the data in your database."),
    (
        "content-type-builder",
        "Content Type Builder",
        "Modelize the data structure of your API. Create new fields and relations in just a minute. The files are "
        "automatically created and updated in your project.",
    ),
    ("email", "Email", "Configure your application to send emails."),
    ("upload", "Media Library", "Media file management."),
    ("content-releases", "Releases", "Organize and release content"),
)
_PACKAGE: Final = "@strapi/plugin-{name}"
_PACKAGES: Final = (
    (
        "users-permissions",
        "Roles & Permissions",
        "Protect your API with a full authentication process based on JWT. This plugin comes also with an ACL strategy "
        "that allows you to manage the permissions between the groups of users.",
    ),
    ("graphql", "GraphQL", "Adds GraphQL endpoint with default API methods."),
    (
        "i18n",
        "Internationalization",
        "This plugin enables to create, to read and to update content in different languages, both from the Admin "
        "Panel and from the API.",
    ),
)
"""Plugins as v4's pages list them: name, title, description; the second ones are packages."""


def project_facts(settings: Settings, registry: Registry, router: Router, own_actions: tuple[str, ...]) -> ProjectFacts:
    """What is known of a project."""
    package = _package(settings)
    packages = {name: str(version) for name, version in _table(package, "dependencies").items()}
    uuid = _table(package, "strapi").get("uuid")
    return ProjectFacts(
        uuid=uuid if isinstance(uuid, str) else False,
        environment=settings.mode,
        reloads=settings.mode == "development",
        own_version=__version__,
        version=packages.get("@strapi/strapi", ".".join(map(str, REFERENCE))),
        dependencies=packages,
        plugins=tuple(_plugins(settings, [*packages])),
        registry=registry,
        own_actions=own_actions,
        routes=lambda: list_content_routes(router.routes(), registry, settings.api.rest.prefix),
    )


def _plugins(settings: Settings, packages: list[str]) -> Iterator[Mapping[str, str]]:
    """As v4 orders them: its own, those that `config/plugins` names, the others as `package.json` has them."""
    for name, title, description in _CORE:
        yield {"name": name, "displayName": title, "description": description}
    order = [*(_PACKAGE.format(name=name) for name in settings.named_plugins), *packages]
    found = [(_PACKAGE.format(name=name), name, *words) for name, *words in _PACKAGES]
    for package, name, title, description in sorted(found, key=lambda one: (*order, one[0]).index(one[0])):
        if name != "graphql" or settings.plugins.graphql.enabled:
            yield {"name": name, "displayName": title, "description": description, "packageName": package}


def _package(settings: Settings) -> dict[str, Any]:
    try:
        found = json.loads(read_own_file(settings.project / "package.json", MEGABYTE))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _table(package: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = package.get(name)
    return found if isinstance(found, dict) else {}
