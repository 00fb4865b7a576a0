"""The plugins' read endpoints over HTTP on both databases: complete responses, and permissions."""

from typing import Any

import pytest

from octavo.schema.registry import Registry
from tests.models.bookshop import FULL_TOKEN, SOME_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

USER = {
    "id": 1,
    "username": "ed",
    "email": "ed@example.org",
    "provider": None,
    "confirmed": None,
    "blocked": None,
    "nickname": "E",
    "createdAt": None,
    "updatedAt": None,
}
ROLE = {"id": 1, "name": "Public", "description": None, "type": "public", "createdAt": None, "updatedAt": None}
FILE = {
    "id": 2,
    "name": "picture 2.png",
    "alternativeText": None,
    "caption": None,
    "width": 200,
    "height": None,
    "formats": None,
    "hash": "picture_2",
    "ext": ".png",
    "mime": "image/png",
    "size": 25.0,
    "url": "/uploads/picture_2.png",
    "previewUrl": None,
    "provider": "local",
    "provider_metadata": None,
    "createdAt": "2020-09-13T12:26:40.000Z",
    "updatedAt": None,
}
LOCALES = [
    {"id": number, "name": code.upper(), "code": code, "createdAt": None, "updatedAt": None, "isDefault": code == "en"}
    for number, code in enumerate(("en", "de-AT", "fr"), 1)
]


@pytest.mark.parametrize(
    "target, expected",
    [
        ("/api/users", [USER]),
        ("/api/users?pagination[page]=9", [USER]),
        ("/api/users?limit=0", [USER]),
        ("/api/users?limit=-1&start=0", [USER]),
        ("/api/users?start=1", []),
        ("/api/users?locale=fr&publicationState=preview", [USER]),
        ("/api/users?fields=username", [{"id": 1, "username": "ed"}]),
        ("/api/users?populate=role", [{**USER, "role": ROLE}]),
        ("/api/users?populate[role][populate][users]=true", [{**USER, "role": ROLE}]),
        ("/api/users?populate=nope", [USER]),
        ("/api/users?filters[role][users][username]=ed&fields=id", [{"id": 1}]),
        ("/api/users?filters[username]=nobody", []),
        ("/api/users?_q=ED@EXAMPLE&fields=id&sort=username:desc", [{"id": 1}]),
        ("/api/users/1", USER),
        ("/api/users/01?filters[username]=nobody", USER),
        ("/api/users/1?fields=nickname&populate[role][fields]=id", {"id": 1, "nickname": "E", "role": {"id": 1}}),
        ("/api/users/count", 1),
        ("/api/users/count?filters[nickname][$null]=true", 0),
        ("/api/users/count?_q=ed&populate=nope&limit=9", 1),
        ("/api/upload/files?limit=1&start=1", [FILE]),
        ("/api/upload/files?filters[width][$gt]=300&sort=size:desc&fields=name", [
            {"id": 5, "name": "picture 5.png"}, {"id": 4, "name": "picture 4.png"}
        ]),
        ("/api/upload/files/2", FILE),
        ("/api/upload/files/2?fields=name", FILE),
        ("/api/i18n/locales", LOCALES),
        ("/api/i18n/locales?filters[code]=fr&fields=nope", LOCALES),
        ("/api/users-permissions/roles", {"roles": [{**ROLE, "nb_users": 1}]}),
        ("/api/users-permissions/roles?filters[nope]=1", {"roles": [{**ROLE, "nb_users": 1}]}),
    ],
)  # fmt: skip
async def test_answers(bookshop: Site, target: str, expected: Any) -> None:
    answer = await bookshop.get(target, FULL_TOKEN)
    assert (answer.status, answer.json) == (200, expected)
    assert answer.only("content-type") == {"content-type": "application/json; charset=utf-8"}


async def test_a_role_with_its_actions(bookshop: Site, registry: Registry) -> None:
    answer = await bookshop.get("/api/users-permissions/roles/1", FULL_TOKEN)
    role = answer.json["role"]
    permissions = role.pop("permissions")
    assert role == ROLE
    book = permissions["api::book"]["controllers"]["book"]
    assert {action: reported["enabled"] for action, reported in book.items()} == {
        "find": True,
        "findOne": True,
        "create": False,
        "update": False,
        "delete": False,
        "createLocalization": False,
    }
    assert permissions["plugin::upload"]["controllers"]["content-api"]["find"] == {"enabled": True, "policy": ""}
    every = (await bookshop.get("/api/users-permissions/permissions", FULL_TOKEN)).json["permissions"]
    assert every.keys() == permissions.keys()


@pytest.mark.parametrize("target", ["/api/users/9", "/api/users/0", "/api/users/abc"])
async def test_missing_users_get_204(bookshop: Site, target: str) -> None:
    answer = await bookshop.get(target, FULL_TOKEN)
    assert (answer.status, answer.body) == (204, b"")


@pytest.mark.parametrize(
    "target, status, name, message",
    [
        ("/api/upload/files/99", 404, "NotFoundError", "file.notFound"),
        ("/api/upload/files/abc", 404, "NotFoundError", "file.notFound"),
        ("/api/users-permissions/roles/99", 404, "NotFoundError", "Role not found"),
        ("/api/users-permissions/roles/abc", 404, "NotFoundError", "Role not found"),
        ("/api/i18n/locales/1", 404, "NotFoundError", "Not Found"),
        ("/api/users/me", 401, "UnauthorizedError", "Unauthorized"),
        ("/api/users?filters[password][$startsWith]=a", 400, "ValidationError", "Invalid parameter password"),
        ("/api/users?sort=resetPasswordToken", 400, "ValidationError", "Invalid parameter resetPasswordToken"),
        ("/api/users?fields=password", 400, "ValidationError", "Invalid parameter password"),
        ("/api/users?filters[role][users][password]=a", 400, "ValidationError", "Invalid parameter password"),
        ("/api/users/count?filters[nope]=1", 400, "ValidationError", "Invalid parameter nope"),
        ("/api/users/1?fields=nope", 400, "ValidationError", "Invalid parameter nope"),
        ("/api/users/1?sort=nope", 400, "ValidationError", "Invalid parameter nope"),
        ("/api/users?limit=abc", 400, "ValidationError", "Invalid pagination: expected a whole number at limit"),
        ("/api/upload/files?filters[folderPath]=/", 400, "ValidationError", "Invalid parameter folderPath"),
        ("/api/upload/files?filters[related][id]=1", 400, "ValidationError", "Invalid parameter related"),
        ("/api/upload/files/1?fields=nope", 400, "ValidationError", "Invalid parameter nope"),
    ],
)
async def test_refusals(bookshop: Site, target: str, status: int, name: str, message: str) -> None:
    answer = await bookshop.get(target, FULL_TOKEN)
    assert answer.status == status
    assert answer.json == {
        "data": None,
        "error": {"status": status, "name": name, "message": message, "details": {}},
    }


@pytest.mark.parametrize("token", [None, SOME_TOKEN])
@pytest.mark.parametrize(
    "target",
    [
        *("/api/users", "/api/users/1", "/api/users/abc", "/api/users/count", "/api/users/me", "/api/upload/files/1"),
        *("/api/i18n/locales", "/api/users-permissions/roles", "/api/users-permissions/roles/1"),
        *("/api/users-permissions/permissions", "/api/content-type-builder/content-types"),
        "/api/content-type-builder/components",
    ],
)
async def test_nothing_without_permission(bookshop: Site, target: str, token: str | None) -> None:
    answer = await bookshop.get(target, token)
    assert (answer.status, answer.json["error"]["name"]) == (403, "ForbiddenError")


async def test_one_permission_opens_one_endpoint(bookshop: Site) -> None:
    assert (await bookshop.get("/api/upload/files")).status == 200
    assert (await bookshop.get("/api/upload/files/1")).status == 403


@pytest.mark.parametrize(
    "target, shows_drafts",
    [
        ("/api/upload/files?populate=*", True),
        ("/api/upload/files?populate=*&publicationState=preview", True),
        ("/api/upload/files?populate=*&publicationState=live", False),
        ("/api/upload/files/5?populate=*&publicationState=live", True),
    ],
)
async def test_drafts_among_related_entries_of_files(bookshop: Site, target: str, shows_drafts: bool) -> None:
    answer = (await bookshop.get(target, FULL_TOKEN)).json
    files = answer if isinstance(answer, list) else [answer]
    books = [one for file in files for one in file["related"] if one["__type"] == "api::book.book"]
    assert {book["publishedAt"] is None for book in books} == ({True, False} if shows_drafts else {False})


async def test_files_show_related_entries_without_secrets(bookshop: Site) -> None:
    answer = await bookshop.get("/api/upload/files?populate=*&filters[id]=1", FULL_TOKEN)
    (file,) = answer.json
    assert {related["__type"] for related in file["related"]} >= {"api::author.author"}
    assert b"token 1" not in answer.body
    assert "folder" not in file


@pytest.mark.parametrize(
    "target",
    [
        *("/api/users?populate=role", "/api/users/1?populate=role", "/api/users/count", "/api/upload/files?populate=*"),
        *("/api/upload/files/1", "/api/users-permissions/roles", "/api/users-permissions/roles/1"),
    ],
)
async def test_one_statement_each(warm: Site, target: str) -> None:
    assert await warm.statements(target, FULL_TOKEN) == 1
