"""Endpoints for facts about the project: whether it has an administrator, logos, versions, plugins, routes."""

from collections.abc import Callable, Mapping
from typing import Final

from octavo.access.authorization.actions import action_tree
from octavo.access.authorization.actor import Actor
from octavo.accounts.administrators.project_settings import LOGOS, ProjectSettings
from octavo.accounts.administrators.registration import Registration
from octavo.api.admin.answers import data_answer, no_content, plain_answer
from octavo.api.admin.content_routes import Listed
from octavo.api.admin.endpoints.sessions import PREFIX
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.content import InformationAnswer
from octavo.api.admin.schemas.project import AboutAnswer, Logos
from octavo.api.admin.schemas.sessions import LoginPageAnswer
from octavo.api.admin.schemas.tokens import ActionsAnswer, RoutesAnswer
from octavo.api.http.body import read_body
from octavo.api.http.query_string import parse_form
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import NotFoundError
from octavo.core.values import dataclass
from octavo.schema.registry import Registry

_SETTINGS: Final = f"{PREFIX}/project-settings"
_PAID: Final = (
    "license-limit-information",
    "license-trial-time-left",
    "providers",
    "providers/options",
    "providers/isSSOLocked",
    "audit-logs",
    "review-workflows/workflows",
)
"""Paths that v4's admin panel requests to detect the paid edition."""


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """Facts about a project.

    `uuid` is False if v4 has none. `own_version` is Octavo's version, `version` that of v4. `routes` returns the routes
    of the content API.
    """

    uuid: str | bool
    environment: str
    reloads: bool
    own_version: str
    version: str
    dependencies: Mapping[str, str]
    plugins: tuple[Mapping[str, str], ...]
    registry: Registry
    own_actions: tuple[str, ...]
    routes: Callable[[], Listed]


class ProjectEndpoints:
    """`/admin`:

    `init`, `project-type`, `project-settings`, `information`, `plugins`, `content-api`; `/octavo/about`.
    """

    operations = (
        AdminOperation(
            "GET", f"{PREFIX}/init", "init", "Show the settings of the login page", public=True, answer=LoginPageAnswer
        ),
        AdminOperation("GET", f"{PREFIX}/project-type", "project_type", "Show the edition", public=True),
        AdminOperation("GET", _SETTINGS, "settings", "Show the logos", ("admin::project-settings.read",), answer=Logos),
        AdminOperation(
            "POST", _SETTINGS, "update_settings", "Update the logos", ("admin::project-settings.update",), answer=Logos
        ),
        AdminOperation("GET", "/octavo/about", "about", "Show the version and system", answer=AboutAnswer),
        AdminOperation("GET", f"{PREFIX}/information", "information", "Show versions", answer=InformationAnswer),
        AdminOperation(
            "GET", f"{PREFIX}/telemetry-properties", "telemetry", "Show the telemetry settings (always off)"
        ),
        AdminOperation("GET", f"{PREFIX}/plugins", "plugins", "List plugins", ("admin::marketplace.read",)),
        AdminOperation(
            "GET",
            f"{PREFIX}/content-api/permissions",
            "actions",
            "List the content API's actions",
            answer=ActionsAnswer,
        ),
        AdminOperation(
            "GET", f"{PREFIX}/content-api/routes", "routes", "List the content API's routes", answer=RoutesAnswer
        ),
        *(AdminOperation("GET", f"{PREFIX}/{path}", "missing", "Not here", public=True) for path in _PAID),
    )

    def __init__(self, registration: Registration, settings: ProjectSettings, facts: ProjectFacts) -> None:
        self._registration = registration
        self._settings = settings
        self._facts = facts

    async def init(self, _: Request, __: Actor) -> Response:
        """GET /admin/init"""
        has_admin = await self._registration.has_administrators()
        return data_answer({"uuid": self._facts.uuid, "hasAdmin": has_admin, **await self._settings.addresses()})

    async def project_type(self, _: Request, __: Actor) -> Response:
        """GET /admin/project-type"""
        return data_answer({"isEE": False, "features": [], "flags": {"nps": False, "promoteEE": False}})

    async def settings(self, _: Request, __: Actor) -> Response:
        """GET /admin/project-settings"""
        return plain_answer(await self._settings.logos())

    async def update_settings(self, request: Request, _: Actor) -> Response:
        """POST /admin/project-settings: a form with logo files, or empty texts that remove logos."""
        body = await read_body(request, parse_form)
        files = tuple(file for file in body.files if file.field in LOGOS)
        return plain_answer(await self._settings.update(body.value, files))

    async def information(self, _: Request, __: Actor) -> Response:
        """GET /admin/information"""
        facts = self._facts
        return data_answer(
            {
                "currentEnvironment": facts.environment,
                "autoReload": facts.reloads,
                "strapiVersion": facts.version,
                "dependencies": dict(facts.dependencies),
                "projectId": facts.uuid or None,
                "nodeVersion": "",
                "communityEdition": True,
                "useYarn": False,
            }
        )

    async def about(self, _: Request, __: Actor) -> Response:
        """GET /octavo/about"""
        facts = self._facts
        body = {"version": facts.own_version, "reference": facts.version, "environment": facts.environment}
        return data_answer(body)

    async def telemetry(self, _: Request, __: Actor) -> Response:
        """GET /admin/telemetry-properties: the response if v4's telemetry is off."""
        return no_content()

    async def plugins(self, _: Request, __: Actor) -> Response:
        """GET /admin/plugins"""
        return plain_answer({"plugins": [dict(plugin) for plugin in self._facts.plugins]})

    async def actions(self, _: Request, __: Actor) -> Response:
        """GET /admin/content-api/permissions: the actions that API tokens can have."""
        tree = action_tree(self._facts.registry, (), self._facts.own_actions)
        return data_answer(
            {
                owner: {"controllers": {name: list(actions) for name, actions in owned["controllers"].items()}}
                for owner, owned in tree.items()
            }
        )

    async def routes(self, _: Request, __: Actor) -> Response:
        """GET /admin/content-api/routes"""
        return data_answer(self._facts.routes())

    async def missing(self, _: Request, __: Actor) -> Response:
        """Respond to paths of the paid edition."""
        raise NotFoundError
