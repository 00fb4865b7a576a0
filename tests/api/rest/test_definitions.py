"""`/content-type-builder`: the definitions as recorded from v4 (`definitions.json`), for callers with permission."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from octavo.access.authorization.actor import Actor
from octavo.api.http.request import Request
from octavo.api.rest.definitions import DefinitionEndpoints
from octavo.modeling.builder.type_responses import show_component, show_content_type
from octavo.schema.loader import load_registry
from tests.conformance.corpus import unpack
from tests.models.club import FULL, SOME, Club, error

RECORDED = json.loads((Path(__file__).parent / "definitions.json").read_text("utf-8"))
PATHS = ("content-types", "content-types/plugin::users-permissions.user", "components", "components/shared.seo")
BUILDER = "plugin::content-type-builder"
FORBIDDEN = error(403, "ForbiddenError", "Forbidden")


def plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=dict))


def test_the_definitions_of_the_blog_read_as_recorded(tmp_path: Path) -> None:
    recordings = unpack("blog", tmp_path)
    (recordings / "schemas").rename(tmp_path / "src")
    registry = load_registry(tmp_path)
    reported = {uid: plain(show_content_type(item)) for uid, item in registry.content_types.items()}
    assert [reported[item["uid"]] for item in RECORDED["contentTypes"]] == RECORDED["contentTypes"]
    components = [plain(show_component(item)) for item in registry.components.values()]
    assert sorted(components, key=lambda item: str(item["uid"])) == RECORDED["components"]
    recorded = {item["uid"] for kind in ("contentTypes", "plugins") for item in RECORDED[kind]}
    assert reported.keys() == recorded


@pytest.mark.anyio
async def test_components_are_listed_backwards(tmp_path: Path) -> None:
    recordings = unpack("blog", tmp_path)
    (recordings / "schemas").rename(tmp_path / "src")
    endpoints = DefinitionEndpoints(load_registry(tmp_path))
    listed = await endpoints.components(cast(Request, None), cast(Actor, None))
    uids = [item["uid"] for item in json.loads(listed.body)["data"]]
    assert uids == [item["uid"] for item in reversed(RECORDED["components"])]


def test_plugin_types_match_the_recording_except_for_attributes(tmp_path: Path) -> None:
    """Extensions of plugin types keep the recorded properties."""
    registry = load_registry(tmp_path)
    for recorded in RECORDED["plugins"]:
        reported = plain(show_content_type(registry.content_types[recorded["uid"]]))
        attributes = reported["schema"].pop("attributes")
        assert reported == recorded
        assert attributes


@pytest.mark.anyio
class TestOverHttp:
    @pytest.mark.parametrize("path", PATHS)
    async def test_definitions_need_permission(self, club: Club, path: str) -> None:
        user = await club.token_of()
        for token in (None, SOME, user):
            answer = await club.ask("GET", f"/api/content-type-builder/{path}", token=token)
            assert (answer.status, answer.json) == (403, FORBIDDEN)
        status = 404 if path == "components/shared.seo" else 200
        assert (await club.ask("GET", f"/api/content-type-builder/{path}", token=FULL)).status == status

    async def test_a_role_with_the_action_can_read_definitions(self, club: Club) -> None:
        await club.grant("authenticated", f"{BUILDER}.content-types.getContentTypes")
        token = await club.token_of()
        assert (await club.ask("GET", "/api/content-type-builder/content-types", token=token)).status == 200
        assert (await club.ask("GET", "/api/content-type-builder/components", token=token)).status == 403

    async def test_by_uid(self, club: Club) -> None:
        path = "/api/content-type-builder/content-types/plugin::users-permissions.user"
        answer = await club.ask("GET", path, token=FULL)
        reported = answer.json["data"]
        assert (reported["uid"], reported["plugin"], reported["apiID"]) == (
            "plugin::users-permissions.user",
            "users-permissions",
            "user",
        )
        assert reported["schema"]["attributes"]["nickname"] == {"type": "string"}
        assert reported["schema"]["attributes"]["role"]["targetAttribute"] == "users"

    @pytest.mark.parametrize(
        "path, message",
        [
            ("content-types/api::nothing.nothing", "contentType.notFound"),
            ("content-types/__proto__", "contentType.notFound"),
            ("components/constructor", "component.notFound"),
        ],
    )
    async def test_unknown_ones(self, club: Club, path: str, message: str) -> None:
        answer = await club.ask("GET", f"/api/content-type-builder/{path}", token=FULL)
        assert (answer.status, answer.json) == (404, {"error": message})

    async def test_one_kind(self, club: Club) -> None:
        path = "/api/content-type-builder/content-types?kind="
        assert (await club.ask("GET", f"{path}singleType", token=FULL)).json == {"data": []}
        assert len((await club.ask("GET", f"{path}collectionType", token=FULL)).json["data"]) == 15
        for wrong in ("nope", "&kind[a]=1", "a&kind=b"):
            answer = await club.ask("GET", f"{path}{wrong}", token=FULL)
            assert (answer.status, answer.json["error"]["details"]["errors"][0]["path"]) == (400, ["kind"])
