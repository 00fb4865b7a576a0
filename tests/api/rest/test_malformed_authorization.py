"""Authorization headers that are empty or have another scheme: anonymous under v4, refused under safe, by every API."""

from typing import Any

import pytest

from tests.api.http.asgi import Answer
from tests.api.rest.conftest import OpenClub
from tests.models.club import NEVER, PASSWORD, SAFE, Club, error

pytestmark = pytest.mark.anyio

HEADERS = ("", " ", "Bearer", "Bearer ", "Basic YWRtaW46YWRtaW4=", "Token abc", "abc", "Bearerabc", "Digest a=b")
LOGIN = {"identifier": "ann", "password": PASSWORD}
QUERY = {"query": "{ __typename }"}
REQUESTS: tuple[tuple[str, str, Any], ...] = (
    ("GET", "/api/users/me", None),
    ("POST", "/api/auth/local", LOGIN),
    ("POST", "/api/auth/forgot-password", {"email": "ann@example.org"}),
    ("POST", "/api/upload", None),
    ("GET", "/api/upload/files", None),
    ("GET", "/api/events", None),
    ("GET", "/api/connect/company", None),
    ("POST", "/graphql", QUERY),
)
SETTINGS = {**NEVER, "OCTAVO_API__EVENTS__ENABLED": "true"}
REFUSED = error(401, "UnauthorizedError", "The Authorization header must be `Bearer <token>`")


async def ask(club: Club, method: str, target: str, body: Any, header: str) -> Answer:
    return await club.ask(method, target, body, headers=(("Authorization", header),))


@pytest.mark.parametrize("header", HEADERS)
async def test_they_are_refused(new_club: OpenClub, header: str) -> None:
    club = await new_club(**SETTINGS, **SAFE)
    await club.grant("public", "plugin::users-permissions.user.me", "plugin::upload.content-api.find")
    for method, target, body in (*REQUESTS, ("GET", "/api/upload/files", None)):
        answer = await ask(club, method, target, body, header)
        assert answer.status == 401, (target, answer.body)
        if target != "/graphql":
            assert answer.json == REFUSED
    assert (await ask(club, "GET", "/admin/users/me", None, header)).status == 401
    assert (await ask(club, "GET", "/_health", None, header)).status in (200, 204)


@pytest.mark.parametrize("header", HEADERS)
async def test_under_v4_they_are_anonymous(new_club: OpenClub, header: str) -> None:
    club = await new_club(**NEVER)
    anonymous = [(await club.ask(*request)).status for request in REQUESTS]
    assert [(await ask(club, *request, header)).status for request in REQUESTS] == anonymous
    assert 401 not in anonymous
    assert (await ask(club, "GET", "/admin/users/me", None, header)).status == 401
