"""Roles and their grants: rows as v4 writes them, repeatable, and safe when done at the same time."""

import asyncio

import pytest

from octavo.access.authorization.role_grants import (
    DEFAULT_ROLES,
    Role,
    ensure_default_roles,
    grant,
    list_grants,
    revoke,
)
from octavo.core.errors import ApplicationError, NotFoundError
from octavo.database.connection import Database

pytestmark = pytest.mark.anyio

ROWS = """
SELECT r.type, p.action, l.permission_order FROM up_permissions p
LEFT JOIN up_permissions_role_links l ON l.permission_id = p.id LEFT JOIN up_roles r ON r.id = l.role_id
ORDER BY r.type, l.permission_order"""


async def rows(database: Database) -> list[tuple[object, ...]]:
    return [tuple(row) for row in await database.fetch_all(ROWS)]


async def test_default_roles(empty: Database) -> None:
    assert await ensure_default_roles(empty) == ("authenticated", "public")
    assert await ensure_default_roles(empty) == ()
    assert await list_grants(empty) == (
        Role(
            1,
            "Authenticated",
            "authenticated",
            ("plugin::users-permissions.user.me", "plugin::users-permissions.auth.changePassword"),
        ),
        Role(
            2,
            "Public",
            "public",
            (
                "plugin::users-permissions.auth.callback",
                "plugin::users-permissions.auth.connect",
                "plugin::users-permissions.auth.forgotPassword",
                "plugin::users-permissions.auth.resetPassword",
                "plugin::users-permissions.auth.register",
                "plugin::users-permissions.auth.emailConfirmation",
                "plugin::users-permissions.auth.sendEmailConfirmation",
            ),
        ),
    )
    assert [order for _, _, order in await rows(empty)] == [1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]


async def test_existing_roles_do_not_change(people: Database) -> None:
    before = await list_grants(people)
    assert await ensure_default_roles(people) == ()
    assert await list_grants(people) == before


async def test_default_roles_created_twice_at_the_same_time(empty: Database) -> None:
    made = await asyncio.gather(*(ensure_default_roles(empty) for _ in range(4)))
    assert sorted(made) == [(), (), (), tuple(DEFAULT_ROLES)]


@pytest.mark.parametrize("role", ["editor", "Editor"])
async def test_grant_and_revoke(people: Database, role: str) -> None:
    new = ("api::tag.tag.delete", "plugin::upload.content-api.find")
    assert await grant(people, role, [new[0], "api::tag.tag.create", new[1], new[0]]) == new
    assert await grant(people, role, new) == ()
    editor = [row for row in await rows(people) if row[0] == "editor"]
    assert editor == [
        ("editor", "api::tag.tag.find", 4.0),
        ("editor", "api::tag.tag.create", 5.0),
        ("editor", new[0], 6.0),
        ("editor", new[1], 7.0),
    ]
    assert await revoke(people, role, ["api::tag.tag.find", "api::tag.tag.findOne", new[1]]) == (
        "api::tag.tag.find",
        new[1],
    )
    assert await revoke(people, role, new) == (new[0],)
    assert await rows(people) == [
        ("authenticated", "api::tag.tag.find", 1.0),
        ("authenticated", "api::tag.tag.findOne", 2.0),
        ("editor", "api::tag.tag.create", 5.0),
        ("public", "api::tag.tag.find", 3.0),
    ]


async def test_permissions_shared_between_roles_stay_with_the_others(people: Database) -> None:
    await people.execute("INSERT INTO up_permissions_role_links (permission_id, role_id) VALUES (1, 2)")
    assert await revoke(people, "public", ["api::tag.tag.find"]) == ("api::tag.tag.find",)
    assert [role.actions for role in await list_grants(people)] == [
        ("api::tag.tag.find", "api::tag.tag.findOne"),
        (),
        ("api::tag.tag.find", "api::tag.tag.create"),
    ]


async def test_timestamps_are_stored(empty: Database) -> None:
    await ensure_default_roles(empty)
    missing = "SELECT count(*) FROM {} WHERE created_at IS NULL OR updated_at IS NULL OR created_at <> updated_at"
    assert [await empty.fetch_value(missing.format(table)) for table in ("up_roles", "up_permissions")] == [0, 0]


async def test_simultaneous_equal_grants(people: Database) -> None:
    granted = await asyncio.gather(*(grant(people, "public", ["api::tag.tag.delete"]) for _ in range(6)))
    assert sorted(granted) == [(), (), (), (), (), ("api::tag.tag.delete",)]
    assert [row for row in await rows(people) if row[1] == "api::tag.tag.delete"] == [
        ("public", "api::tag.tag.delete", 4.0)
    ]


async def test_a_missing_role(people: Database) -> None:
    message = "Unknown role 'writer'; the roles are authenticated, editor, public"
    for change in (grant, revoke):
        with pytest.raises(NotFoundError, match=f"^{message}$"):
            await change(people, "writer", ["api::tag.tag.find"])


@pytest.mark.parametrize("action", ["", "find", "api::tag.tag", "api::a.b.find ", "api::a.b.c.d", "x::a.b.find"])
async def test_invalid_actions_are_refused(people: Database, action: str) -> None:
    with pytest.raises(ApplicationError, match=r"is not an action; expected one like api::article.article.find"):
        await grant(people, "public", ["api::tag.tag.find", action])
