"""Definitions, configurations, relations and UIDs in the content manager, over HTTP."""

import pytest

from tests.api.admin.conftest import Office

pytestmark = pytest.mark.anyio

MANAGER = "/content-manager"
NOTE = "api::note.note"


async def test_requests_of_the_first_page(office: Office) -> None:
    token, _ = await office.session()
    for path in (
        "init",
        "content-types",
        "components",
        "content-types-settings",
        f"content-types/{NOTE}/configuration",
    ):
        answer = await office.club.ask("GET", f"{MANAGER}/{path}", token=token)
        assert answer.status == 200, path
        assert answer.json["data"] is not None
        assert (await office.club.ask("GET", f"{MANAGER}/{path}")).status == 401, path
    kinds = await office.club.ask("GET", f"{MANAGER}/content-types?kind=x", token=token)
    assert (kinds.status, "data" in kinds.json) == (400, False)
    for path in ("content-types/api::no.no", "components/no.no"):
        for method in ("GET", "PUT"):
            assert (await office.club.ask(method, f"{MANAGER}/{path}/configuration", {}, token=token)).status == 404


async def test_views_are_changed_with_permission(office: Office) -> None:
    token, _ = await office.session()
    path = f"{MANAGER}/content-types/{NOTE}/configuration"
    answer = await office.club.ask("PUT", path, {"layouts": {"list": ["title"], "edit": []}}, token=token)
    assert answer.json["data"]["contentType"]["layouts"]["list"] == ["title"]
    assert (await office.club.ask("PUT", path, {"x": 1}, token=token)).status == 400
    editor, _ = await office.session("edi")
    assert (await office.club.ask("PUT", path, {}, token=editor)).status == 403


async def test_relations_and_uids(office: Office) -> None:
    token, _ = await office.session()
    users = f"{MANAGER}/relations/plugin::users-permissions.user"
    roles = await office.club.ask("GET", f"{users}/role?pageSize=5", token=token)
    assert (roles.status, roles.json["pagination"]["pageSize"]) == (200, 5)
    assert {"id", "name"} == set(roles.json["results"][0])
    assert (await office.club.ask("GET", f"{users}/999/role", token=token)).status == 404
    assert (await office.club.ask("GET", f"{users}/x/role", token=token)).status == 404
    assert (await office.club.ask("GET", f"{users}/role?page=0", token=token)).status == 400
    for name, body in (("generate", {"data": {}}), ("check-availability", {"value": "a b"})):
        asked = {"contentTypeUID": NOTE, "field": "title", **body}
        answer = await office.club.ask("POST", f"{MANAGER}/uid/{name}", asked, token=token)
        assert (answer.status, answer.json["error"]["name"]) == (400, "ValidationError")
        assert (await office.club.ask("POST", f"{MANAGER}/uid/{name}", [], token=token)).status == 400
