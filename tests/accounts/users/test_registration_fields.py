"""A registration stores attributes that a project adds to users, as v4 does; `safe` stores only the listed ones."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from octavo.operations.runtime.process import build
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import USER
from octavo.settings import load_settings
from tests.cli.projects import database_variables
from tests.models.club import NEVER, SAFE, SECRETS, STILL, Club

pytestmark = pytest.mark.anyio

TAG = "api::tag.tag"
MORE: dict[str, Any] = {
    "city": {"type": "string"},
    "age": {"type": "integer", "min": 3},
    "secret": {"type": "string", "private": True},
    "pin": {"type": "password"},
    "tags": {"type": "relation", "relation": "manyToMany", "target": TAG},
    "avatar": {"type": "media", "multiple": False},
    "box": {"type": "component", "component": "basic.box"},
    "boxes": {"type": "component", "component": "basic.box", "repeatable": True},
    "mood": {"type": "enumeration", "enum": ["good", "bad"]},
    "zone": {"type": "dynamiczone", "components": ["basic.box"]},
}
BOX = {
    "collectionName": "components_basic_boxes",
    "info": {"displayName": "box"},
    "attributes": {"title": {"type": "string", "required": True}, "code": {"type": "string", "unique": True}},
}
FIELDS = "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__REGISTER__ALLOWED_FIELDS"
Open = Callable[..., Awaitable[Club]]


def write_definitions(folder: Path) -> None:
    user = BUILTIN_TYPES[USER]
    kind = {"kind": "collectionType", "options": {"draftAndPublish": False}}
    info = {"singularName": "tag", "pluralName": "tags", "displayName": "Tag"}
    definitions: dict[str, Any] = {
        "extensions/users-permissions/content-types/user/schema.json": {
            **user,
            "kind": "collectionType",
            "attributes": {**user["attributes"], **MORE},
        },
        "api/tag/content-types/tag/schema.json": {
            **kind,
            "collectionName": "tags",
            "info": info,
            "attributes": {"name": {"type": "string"}},
        },
        "components/basic/box.json": BOX,
    }
    for name, definition in definitions.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(definition))


@pytest.fixture(params=["sqlite", "postgresql"])
async def new_club(request: pytest.FixtureRequest, anyio_backend: str, tmp_path: Path) -> AsyncIterator[Open]:
    """Return a function that opens a club with custom settings whose users have further attributes."""
    database = {} if request.param == "sqlite" else database_variables(request.getfixturevalue("postgresql_url"))
    write_definitions(tmp_path)
    async with AsyncExitStack() as stack:

        async def open_new(**settings: str) -> Club:
            variables = {**SECRETS, **STILL, **NEVER, **database, **settings}
            octavo = build(load_settings(tmp_path, variables, mode="development"), polls=False)
            await octavo.asgi.start()
            stack.push_async_callback(octavo.asgi.stop)
            await octavo.database.execute("INSERT INTO tags (name) VALUES ('first')")
            return Club(octavo, tmp_path)

        yield open_new


async def register(club: Club, name: str, **more: Any) -> Any:
    body = {"username": name, "email": f"{name}@x.example", "password": "Abcdef12", **more}
    return await club.post("auth/local/register", body)


async def count(club: Club, table: str) -> int:
    return int(await club.database.fetch_value(f"SELECT count(*) FROM {table}"))


async def test_every_attribute_that_is_not_private_is_stored(new_club: Open) -> None:
    """As recorded from v4, for a caller without permission to find tags."""
    club = await new_club()
    answer = await register(club, "anna", city="Rome", age="7", mood="good", secret="s", pin="1234", nope=1)
    assert {name: answer.json["user"][name] for name in ("city", "age", "mood")} == {
        "city": "Rome",
        "age": 7,
        "mood": "good",
    }
    assert await club.column("secret", "anna") is None
    assert (await club.column("pin", "anna")).startswith("$2")
    for name, given in (("tags1", [1]), ("tags2", {"connect": [1]})):
        assert (await register(club, name, tags=given)).status == 200
    assert await count(club, "up_users_tags_links") == 2
    box = {"title": "t", "code": "c"}
    items = {
        "box": box,
        "boxes": [{"title": "a"}, {"title": "b"}],
        "zone": [{"__component": "basic.box", "title": "z"}],
    }
    assert (await register(club, "boxes", **items)).status == 200
    assert await count(club, "up_users_components") == await count(club, "components_basic_boxes") == 4


@pytest.mark.parametrize(
    "given, path",
    [
        ({"city": 5}, ["city"]),
        ({"age": "x"}, ["age"]),
        ({"age": 1}, ["age"]),
        ({"mood": "ugly"}, ["mood"]),
        ({"box": {}}, ["box", "title"]),
        ({"box": 5}, ["box"]),
        ({"zone": [{"__component": "basic.nope"}]}, ["zone", "0", "__component"]),
        ({"tags": [99]}, []),
        ({"avatar": 1}, []),
    ],
)
async def test_invalid_values_are_refused_with_their_path(
    new_club: Open, given: dict[str, Any], path: list[str]
) -> None:
    club = await new_club()
    answer = await register(club, "anna", **given)
    assert (answer.status, answer.json["error"]["details"]["errors"][0]["path"]) == (400, path)
    assert await count(club, "up_users") == 0


async def test_fields_with_security_effects_are_ignored(new_club: Open) -> None:
    club = await new_club()
    given = {"role": 2, "confirmed": False, "blocked": True, "provider": "github", "id": 77, "createdBy": 1}
    user = (await register(club, "anna", **given, resetPasswordToken="r", confirmationToken="r")).json["user"]
    assert (user["id"], user["provider"], user["confirmed"], user["blocked"]) == (1, "local", True, False)
    assert await club.column("reset_password_token", "anna") is None
    assert await club.column("confirmation_token", "anna") is None


async def test_a_list_limits_the_stored_fields(new_club: Open) -> None:
    club = await new_club(**{FIELDS: "city"})
    user = (await register(club, "anna", city="Rome", age=7)).json["user"]
    assert (user["city"], user["age"]) == ("Rome", None)


async def test_safe_refuses_fields_that_are_not_listed(new_club: Open) -> None:
    club = await new_club(**SAFE)
    answer = await register(club, "anna", city="Rome", nope=1, role=2)
    problems = [(one["path"], one["message"]) for one in answer.json["error"]["details"]["errors"]]
    assert answer.status == 400
    assert problems == [
        (["city"], "city cannot be set by a registration; register.allowedFields does not list it"),
        (["nope"], "nope cannot be set by a registration"),
        (["role"], "role cannot be set by a registration"),
    ]
    assert (await register(club, "anna")).status == 200


async def test_safe_stores_listed_fields_and_links_entries_the_caller_can_find(new_club: Open) -> None:
    club = await new_club(**SAFE, **{FIELDS: "city,tags"})
    assert (await register(club, "anna", city="Rome")).json["user"]["city"] == "Rome"
    assert (await register(club, "bert", tags=[1])).status == 403
    await club.grant("public", f"{TAG}.find")
    await club.octavo.asgi.stop()
    again = await new_club(**SAFE, **{FIELDS: "city,tags"})
    assert (await register(again, "bert", tags=[1])).status == 200
    assert await count(again, "up_users_tags_links") == 1
