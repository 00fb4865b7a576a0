"""Changes on one node apply to all nodes within about a second."""

import logging
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.cluster.nodes import ADMINISTRATOR, USER, Cluster, Node

logger = logging.getLogger(__name__)
PATIENCE = 30.0
ARTICLE = "/content-manager/content-types/api::article.article/configuration"


class Desk:
    """A user at one node."""

    def __init__(self, node: Node, headers: dict[str, str]) -> None:
        self._address, self._headers = node.address, headers

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> httpx.Response:
        headers = self._headers if headers is None else headers
        return httpx.request(method, f"{self._address}{path}", json=body, headers=headers, timeout=30)

    def do(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.ask(method, path, body)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def desks(press: Cluster) -> list[Desk]:
    """The administrator at each node, signed in once at the first node."""
    signed_in = httpx.post(f"{press.nodes[0].address}/admin/login", json=ADMINISTRATOR, timeout=30)
    return [Desk(node, bearer(signed_in.json()["data"]["token"])) for node in press.nodes]


def followed(what: str, others: list[Desk], holds: Callable[[Desk], bool]) -> None:
    """Wait until a condition holds at all other nodes, and print how long that took."""
    began = time.monotonic()
    waiting = list(others)
    while waiting:
        waiting = [desk for desk in waiting if not holds(desk)]
        assert time.monotonic() - began < PATIENCE, f"{what} is not followed"
        time.sleep(0.02)
    logger.warning("%s: followed after %.2f s", what, time.monotonic() - began)


@pytest.mark.parametrize("allowed", [True, False])
def test_rights_of_visitors(desks: list[Desk], allowed: bool) -> None:
    here, *others = desks
    (public,) = [role for role in here.do("GET", "/users-permissions/roles")["roles"] if role["type"] == "public"]
    role = here.do("GET", f"/users-permissions/roles/{public['id']}")["role"]
    role["permissions"]["api::tag"]["controllers"]["tag"]["find"]["enabled"] = allowed
    here.do("PUT", f"/users-permissions/roles/{public['id']}", role)
    followed(
        "a visitor's right", others, lambda desk: (desk.ask("GET", "/api/tags", None, {}).status_code == 200) is allowed
    )


def test_tokens_of_the_api(desks: list[Desk]) -> None:
    here, *others = desks
    given = {"name": "shop", "description": "", "type": "read-only", "lifespan": None, "permissions": None}
    made = here.do("POST", "/admin/api-tokens", given)["data"]
    headers = bearer(made["accessKey"])
    followed("a token", others, lambda desk: desk.ask("GET", "/api/tags", None, headers).status_code == 200)
    here.do("DELETE", f"/admin/api-tokens/{made['id']}")
    followed("a token's end", others, lambda desk: desk.ask("GET", "/api/tags", None, headers).status_code == 401)


def test_locales(desks: list[Desk], press: Cluster) -> None:
    here, *others = desks
    made = here.do("POST", "/i18n/locales", {"code": "fr", "name": "French", "isDefault": False})
    data = {"data": {"title": "Marées", "locale": "fr"}}

    def takes_french(desk: Desk) -> bool:
        return desk.ask("POST", "/api/articles", data, press.headers).status_code == 200

    followed("a locale", others, takes_french)
    here.do("PUT", f"/i18n/locales/{made['id']}", {"name": "French", "isDefault": True})

    def is_french(desk: Desk) -> bool:
        made = desk.ask("POST", "/api/articles", {"data": {"title": "?"}}, press.headers).json()
        return bool(made["data"]["attributes"]["locale"] == "fr")

    followed("the default locale", others, is_french)
    (english,) = [locale for locale in here.do("GET", "/i18n/locales") if locale["code"] == "en"]
    here.do("PUT", f"/i18n/locales/{english['id']}", {"name": "English", "isDefault": True})
    followed("the default locale", others, lambda desk: not is_french(desk))
    here.do("DELETE", f"/i18n/locales/{made['id']}")
    followed("a locale's end", others, lambda desk: not takes_french(desk))


def test_settings(desks: list[Desk]) -> None:
    here, *others = desks
    changed = {"sizeOptimization": False, "responsiveDimensions": False, "autoOrientation": False}
    before = here.do("GET", "/upload/settings")["data"]
    here.do("PUT", "/upload/settings", changed)
    followed("settings of images", others, lambda desk: desk.do("GET", "/upload/settings")["data"] == changed)
    here.do("PUT", "/upload/settings", before)
    advanced = here.do("GET", "/users-permissions/advanced")["settings"]
    here.do("PUT", "/users-permissions/advanced", {**advanced, "allow_register": False})
    registration = {"username": "eve", "email": "eve@example.org", "password": "correct horse"}

    def is_closed(desk: Desk) -> bool:
        return desk.ask("POST", "/api/auth/local/register", registration, {}).status_code == 400

    followed("that nobody registers", others, is_closed)
    here.do("PUT", "/users-permissions/advanced", advanced)
    view = here.do("GET", ARTICLE)["data"]["contentType"]
    here.do("PUT", ARTICLE, {"settings": {**view["settings"], "pageSize": 50}})

    def shows_fifty(desk: Desk) -> bool:
        return bool(desk.do("GET", ARTICLE)["data"]["contentType"]["settings"]["pageSize"] == 50)

    followed("a view", others, shows_fifty)


def test_blocked_users(desks: list[Desk], press: Cluster) -> None:
    here, *others = desks
    signed_in = here.ask("POST", "/api/auth/local", USER, {}).json()
    headers = bearer(signed_in["jwt"])
    path = f"/api/users/{signed_in['user']['id']}"
    followed("a sign-in", others, lambda desk: desk.ask("GET", "/api/users/me", None, headers).status_code == 200)
    here.ask("PUT", path, {"blocked": True}, press.headers)
    followed("a blocked user", others, lambda desk: desk.ask("GET", "/api/users/me", None, headers).status_code == 401)
    here.ask("PUT", path, {"blocked": False}, press.headers)
    again = bearer(here.ask("POST", "/api/auth/local", USER, {}).json()["jwt"])  # blocking has ended the sessions
    followed("a user again", others, lambda desk: desk.ask("GET", "/api/users/me", None, again).status_code == 200)


def test_rights_and_sessions_of_administrators(desks: list[Desk]) -> None:
    here, *others = desks
    (author,) = [role for role in here.do("GET", "/admin/roles")["data"] if role["code"] == "strapi-author"]
    person = {"email": "eve@example.org", "firstname": "Eve", "lastname": "E", "roles": [author["id"]]}
    made = here.do("POST", "/admin/users", person)["data"]
    eve = {"email": "eve@example.org", "password": "Correct-horse-2"}
    here.do("PUT", f"/admin/users/{made['id']}", {"password": eve["password"], "isActive": True})
    headers = bearer(here.ask("POST", "/admin/login", eve, {}).json()["data"]["token"])
    listed = "/content-manager/collection-types/api::tag.tag"
    followed("a session", others, lambda desk: desk.ask("GET", listed, None, headers).status_code == 200)
    before = here.do("GET", f"/admin/roles/{author['id']}/permissions")["data"]
    names = ("action", "subject", "properties", "conditions")
    less = [{name: one[name] for name in names} for one in before if one["subject"] != "api::tag.tag"]
    here.do("PUT", f"/admin/roles/{author['id']}/permissions", {"permissions": less})
    followed("an administrator's right", others, lambda desk: desk.ask("GET", listed, None, headers).status_code == 403)
    here.do("PUT", f"/admin/users/{made['id']}", {"isActive": False})
    followed("an administrator's end", others, lambda desk: desk.ask("GET", listed, None, headers).status_code == 401)
    here.do("DELETE", f"/admin/users/{made['id']}")
