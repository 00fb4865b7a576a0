"""Project information for the admin pages, and webhooks, over HTTP on both databases."""

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from octavo import __version__
from tests.api.admin.client import sign_in
from tests.api.admin.conftest import Office
from tests.models.club import error

pytestmark = pytest.mark.anyio

MULTIPART = (("Content-Type", "multipart/form-data; boundary=xxBOUNDxx"),)
HOOK: dict[str, Any] = {"name": "h", "url": "https://hook.example/x", "headers": {"A": "b"}, "events": ["entry.create"]}
NOT_FOUND = error(404, "NotFoundError", "webhook.notFound")


def form(field: str, name: str, mime: str, content: bytes) -> bytes:
    head = f'--xxBOUNDxx\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\nContent-Type: {mime}'
    return head.encode() + b"\r\n\r\n" + content + b"\r\n--xxBOUNDxx--\r\n"


def png(width: int, height: int) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (width, height)).save(made, "PNG")
    return made.getvalue()


async def test_logos(office: Office, tmp_path: Path) -> None:
    ada, nothing = await sign_in(office), {"menuLogo": None, "authLogo": None}
    assert (await ada.ask("GET", "project-settings")).json == nothing
    sent = form("menuLogo", "one.png", "image/png", png(300, 200))
    logo = (await ada.ask("POST", "project-settings", sent, headers=MULTIPART)).json["menuLogo"]
    assert (logo["name"], logo["width"], logo["height"], logo["ext"]) == ("one.png", 300, 200, ".png")
    assert logo.keys() == {"name", "url", "width", "height", "ext", "size"}
    assert (await office.club.ask("GET", "/admin/init")).json["data"]["menuLogo"] == logo["url"]
    kept = [*(tmp_path / "public/uploads").glob("*")]
    assert [f"/uploads/{file.name}" for file in kept] == [logo["url"]], "no other sizes of it"
    assert await office.club.database.fetch_value("SELECT count(*) FROM octavo_storage_cleanup") == 0, "it stays"
    for content, mime, reported in (
        (png(751, 10), "image/png", "menuLogo.width must be less than or equal to 750"),
        (b"text", "text/plain", "menuLogo.type must be one of the following values: image/jpeg, image/png"),
    ):
        refused = await ada.ask("POST", "project-settings", form("menuLogo", "x", mime, content), headers=MULTIPART)
        assert refused.json["error"]["message"].startswith(reported)
    assert (await ada.ask("POST", "project-settings", {"menuLogo": {"x": 1}})).status == 400
    assert (await ada.ask("POST", "project-settings", {"menuLogo": ""})).json["menuLogo"] is None
    assert not [*(tmp_path / "public/uploads").glob("*")]


async def test_project_information(office: Office) -> None:
    ada, edi = await sign_in(office), await sign_in(office, "edi")
    init = await office.club.ask("GET", "/admin/init")
    assert init.json["data"] == {"uuid": False, "hasAdmin": True, "menuLogo": None, "authLogo": None}
    assert (await office.club.ask("GET", "/admin/project-type")).json["data"]["isEE"] is False
    assert (await ada.ask("GET", "information")).json["data"]["communityEdition"] is True
    assert (await edi.ask("GET", "telemetry-properties")).status == 204
    about = await office.club.ask("GET", "/octavo/about", token=(await office.session("edi"))[0])
    assert about.json["data"] == {"version": __version__, "reference": "4.26.2", "environment": "development"}
    assert (await office.club.ask("GET", "/octavo/about")).status == 401
    tree = (await edi.ask("GET", "content-api/permissions")).json["data"]
    assert tree["api::note"] == {
        "controllers": {"note": ["find", "findOne", "create", "update", "delete", "createLocalization"]}
    }
    routes = (await edi.ask("GET", "content-api/routes")).json["data"]["api::note"]
    assert [route["config"]["auth"]["scope"][0].rpartition(".")[2] for route in routes][:2] == ["find", "findOne"]
    assert "graphql" in {one["name"] for one in (await ada.ask("GET", "plugins")).json["plugins"]}
    assert (await office.club.ask("GET", "/admin/license-limit-information")).status == 404
    for path in ("project-settings", "plugins"):
        assert (await edi.ask("GET", path)).status == 403


async def test_webhooks(office: Office) -> None:
    ada, edi = await sign_in(office), await sign_in(office, "edi")
    made = await ada.ask("POST", "webhooks", HOOK)
    assert (made.status, made.json["data"]) == (201, {**HOOK, "id": 1, "isEnabled": True})
    changed = await ada.ask("PUT", "webhooks/1", {**HOOK, "url": "http://127.0.0.1:65530/", "isEnabled": False})
    assert changed.json["data"]["isEnabled"] is False
    tried = (await ada.ask("POST", "webhooks/1/trigger")).json["data"]
    assert tried["statusCode"] == 500
    assert tried["message"].startswith("request to http://127.0.0.1:65530/ failed, reason: 127.0.0.1 is not a public")
    for body, message in (
        ({**HOOK, "url": "nope"}, "url must be a valid URL"),
        ({**HOOK, "events": ["x.y"]}, "Webhook event x.y is not supported"),
        ({**HOOK, "id": 5}, "this field has unspecified keys: id"),
        ({**HOOK, "headers": {"a b": "c"}}, "this is not a valid header name"),
        ({}, "4 errors occurred"),
    ):
        answer = await ada.ask("POST", "webhooks", body)
        assert (answer.status, answer.json["error"]["message"]) == (400, message)
    assert (await ada.ask("PUT", "webhooks/9", {**HOOK, "events": ["x.y"]})).json == NOT_FOUND
    assert (await edi.ask("GET", "webhooks")).status == 403
    await ada.ask("POST", "webhooks", HOOK)
    assert (await ada.ask("POST", "webhooks/batch-delete", {"ids": ["1", 2, 99]})).json == {"data": ["1", 2, 99]}
    assert (await ada.ask("GET", "webhooks")).json == {"data": []}
    assert (await ada.ask("POST", "webhooks/batch-delete", {"ids": [None]})).status == 400
    assert (await ada.ask("DELETE", "webhooks/1")).json == NOT_FOUND
