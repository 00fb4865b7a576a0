"""`octavo permissions`: list, grant and revoke, by action and by pattern."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, answered, refused, said

CONTROLLER = """
from octavo import Controller, Request


class StoryController(Controller):
    async def shortest(self, request: Request):
        return {}
"""
ROUTES = """
from octavo import Route

routes = [Route("GET", "/stories/shortest", "story.shortest")]
"""
FIND = "api::story.story.find"
UNKNOWN = "'api::story.story.fnd' matches no action of this project"
FIND_ONE = "api::story.story.findOne"


def granted(call: Call) -> list[str]:
    (role,) = answered(call("permissions", "list", "--role", "public", "--json"))
    return [action for action in role["actions"] if action.startswith("api::")]


def test_grant_and_revoke(call: Call) -> None:
    assert said(call("permissions", "grant", "public", "api::story.story.find*")) == [
        "Granted to public:",
        f"  {FIND}",
        f"  {FIND_ONE}",
    ]
    assert said(call("permissions", "grant", "Public", FIND)) == ["Nothing to change."]
    assert granted(call) == [FIND, FIND_ONE]
    assert said(call("permissions", "revoke", "public", "api::*.find")) == ["Revoked from public:", f"  {FIND}"]
    assert granted(call) == [FIND_ONE]
    assert said(call("permissions", "revoke", "public", "api::*.find")) == ["Nothing to change."]


def test_localizations_of_types_with_locales_can_be_granted(call: Call) -> None:
    localize = "api::place.place.createLocalization"
    assert said(call("permissions", "grant", "public", localize)) == ["Granted to public:", f"  {localize}"]
    assert said(call("permissions", "grant", "public", "api::*.createL*")) == ["Nothing to change."]
    assert granted(call) == [localize]


def test_actions_of_the_projects_own_routes(call: Call, project: Path) -> None:
    api = project / "src/api/story"
    for name, code in (("controllers", CONTROLLER), ("routes", ROUTES)):
        (api / name).mkdir()
        (api / name / "story.py").write_text(code, "utf-8")
    own = "api::story.story.shortest"
    assert said(call("permissions", "grant", "public", own)) == ["Granted to public:", f"  {own}"]
    assert f"  {own}" in said(call("permissions", "grant", "authenticated", "api::story.*"))
    assert said(call("tokens", "create", "some", "--type", "custom", "--allow", "api::*.short*"))


def test_list(call: Call) -> None:
    assert said(call("permissions", "list", "--role", "authenticated")) == [
        "role           action",
        "authenticated  plugin::users-permissions.user.me",
        "authenticated  plugin::users-permissions.auth.changePassword",
    ]
    assert [role["type"] for role in answered(call("permissions", "list", "--json"))] == ["authenticated", "public"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("grant", "public", "api::story.story.fnd"), f"{UNKNOWN}; did you mean {FIND}?"),
        (("grant", "public", "api::x.*"), "'api::x.*' matches no action of this project"),
        (("grant", "public", "find"), "'find' is not an action; expected one like api::article.article.find"),
        (("grant", "nobody", FIND), "Unknown role 'nobody'; the roles are authenticated, public"),
        (("list", "--role", "nobody"), "Unknown role 'nobody'; the roles are authenticated, public"),
    ],
)  # fmt: skip
def test_refuses(call: Call, arguments: tuple[str, ...], message: str) -> None:
    assert refused(call("permissions", *arguments)) == message
