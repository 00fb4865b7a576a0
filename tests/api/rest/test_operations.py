"""The table of operations matches the routes."""

from octavo.access.authorization.actions import list_actions
from octavo.api.rest.operations import RestOperation
from octavo.api.rest.plugin_operations import PLUGIN_OPERATIONS
from octavo.schema.content_types import USER
from tests.api.rest.conftest import OpenClub
from tests.models.club import FULL, NEVER, SOME, Club

REFRESH = {"OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__JWT_MANAGEMENT": "refresh"}


def operations(club: Club) -> list[RestOperation]:
    routes = club.octavo.site.router.routes()
    return [route.operation for route in routes if isinstance(route.operation, RestOperation)]


async def test_every_required_action_can_be_granted(club: Club) -> None:
    known = set(list_actions(club.octavo.site.registry))
    assert {action for row in operations(club) for action in row.admits.scopes} <= known


async def test_the_tables_of_plugins_are_complete(new_club: OpenClub) -> None:
    club = await new_club(**REFRESH, **NEVER)
    declared = {row.name for row in operations(club) if row.owner.startswith("plugin::")}
    assert declared == {row.name for row in PLUGIN_OPERATIONS}


async def test_permissions_are_checked_first(club: Club) -> None:
    """An API token without permission gets 403, whatever else is wrong with the request."""
    granted = {f"{USER}.create", f"{USER}.update"}
    for row in operations(club):
        if not row.admits.public and row.action not in granted:
            path = row.path.replace(":id", "none").replace(":uid", "none").replace(":provider", "none")
            answer = await club.ask(row.method, f"/api{path}?filters=1", b"{", SOME)
            assert answer.status == 403, row.name


async def test_routes_are_listed_with_their_handlers(club: Club) -> None:
    routes = (await club.ask("GET", "/api/users-permissions/routes", token=FULL)).json["routes"]
    assert sum(map(len, routes.values())) == len(operations(club))
