"""The default role of new users: it cannot be deleted, and a new role with its name does not replace it."""

import asyncio
from typing import Any

import pytest

from octavo.access.authorization.actor import SYSTEM
from octavo.accounts.users.stored_settings import StoredSettings
from octavo.core.errors import ValidationError
from tests.api.rest.conftest import OpenClub
from tests.models.club import FULL, NEVER, SAFE, Club
from tests.models.people import write

pytestmark = pytest.mark.anyio

ROLES = "users-permissions/roles"


async def role(club: Club, name: str, *actions: str) -> int:
    """Create a role and return its id."""
    tree: dict[str, Any] = {}
    for action in actions:
        owner, controller, verb = action.split(".")
        tree.setdefault(owner, {"controllers": {}})["controllers"].setdefault(controller, {})[verb] = {"enabled": True}
    made = await club.post(ROLES, {"name": name, "description": "d", "permissions": tree}, FULL)
    assert made.status == 200, made.body
    found = await club.database.fetch_value(f"SELECT max(id) FROM up_roles WHERE name = '{name}'")
    return int(found)


async def delete(club: Club, role_id: int) -> Any:
    return await club.ask("DELETE", f"/api/{ROLES}/{role_id}", token=FULL)


async def register(club: Club, name: str) -> Any:
    body = {"username": name, "email": f"{name}@example.org", "password": "long enough"}
    return await club.post("auth/local/register", body)


async def role_of(club: Club, name: str) -> str | None:
    text = f"""SELECT r.type FROM up_users u JOIN up_users_role_links l ON l.user_id = u.id
        JOIN up_roles r ON r.id = l.role_id WHERE u.username = '{name}'"""
    found: str | None = await club.database.fetch_value(text)
    return found


async def test_under_safe_the_default_role_cannot_be_deleted(new_club: OpenClub) -> None:
    club = await new_club(**NEVER, **SAFE)
    readers = await role(club, "Readers")
    await club.store("advanced", {"default_role": "readers"})
    refused = await delete(club, readers)
    assert refused.status == 400
    assert refused.json["error"]["message"] == (
        "The role readers is the default role of new users. Choose another default role, then delete this one."
    )
    assert (await register(club, "new")).status == 200
    assert await role_of(club, "new") == "readers"
    await write(club.database, "DELETE FROM strapi_core_store_settings WHERE key LIKE {v1}", "%_advanced")
    assert (await delete(club, 1)).status == 400, "the default of the default"
    assert (await delete(club, readers)).status == 200


async def test_another_role_does_not_become_the_default_by_its_name(new_club: OpenClub) -> None:
    """Under v4 the default role can be deleted. A later role with the same name is another one."""
    club = await new_club(**NEVER)
    await club.store("advanced", {"default_role": "readers"})
    assert (await delete(club, await role(club, "Readers"))).status == 200
    await role(club, "Readers", "plugin::upload.content-api.destroy")
    refused = await register(club, "new")
    assert (refused.status, refused.json["error"]["message"]) == (400, "Impossible to find the default role")


@pytest.mark.parametrize("profile", [{}, SAFE], ids=["v4", "safe"])
async def test_a_registration_while_its_role_is_deleted(new_club: OpenClub, profile: dict[str, str]) -> None:
    """In either order, each user has a role, and nothing fails with 500."""
    club = await new_club(**NEVER, **profile)
    for number in range(4):
        readers = await role(club, "Readers")
        await club.store("advanced", {"default_role": "readers"})
        names = [f"user{number}{other}" for other in range(4)]
        deleted, *made = await asyncio.gather(delete(club, readers), *(register(club, name) for name in names))
        assert deleted.status in (200, 400)
        for name, answer in zip(names, made, strict=True):
            assert answer.status in (200, 400), answer.body
            assert (answer.status == 200) == (await role_of(club, name) in ("readers", "public")), answer.body
        await write(club.database, "DELETE FROM strapi_core_store_settings WHERE key LIKE {v1}", "%_advanced")
        await delete(club, readers)


@pytest.mark.parametrize("profile", [{}, SAFE], ids=["v4", "safe"])
async def test_a_user_of_a_role_that_is_deleted_meanwhile(new_club: OpenClub, profile: dict[str, str]) -> None:
    """An administrator or an API token assigns the role while it is deleted."""
    club = await new_club(**NEVER, **profile)
    for number in range(4):
        readers = await role(club, f"Readers {number}")
        body = {"username": f"u{number}", "email": f"u{number}@example.org", "password": "long enough", "role": readers}
        answers = await asyncio.gather(
            club.post("users", body, FULL),
            delete(club, readers),
            club.ask("PUT", "/api/users/1", {"role": readers}, FULL),
        )
        assert [one.status < 500 for one in answers] == [True] * 3, [one.body for one in answers]
        assert await role_of(club, "ann") is not None


@pytest.mark.parametrize("profile", [{}, SAFE], ids=["v4", "safe"])
async def test_a_role_that_becomes_the_default_while_it_is_deleted(new_club: OpenClub, profile: dict[str, str]) -> None:
    """Under safe, one of the two requests is refused; under v4, the setting is refused if it comes second."""
    club = await new_club(**NEVER, **profile)
    settings = StoredSettings(club.octavo.site.services.controller.writer, "")
    for number in range(6):
        kind = f"readers_{number}"
        readers = await role(club, f"Readers {number}")

        async def save(kind: str = kind) -> bool:
            try:
                await settings.save_advanced({"default_role": kind}, SYSTEM)
            except ValidationError:
                return False
            return True

        deleted, saved = await asyncio.gather(delete(club, readers), save())
        is_default = (await settings.advanced())["default_role"] == kind
        assert is_default is saved
        exists = await club.database.fetch_value(f"SELECT count(*) FROM up_roles WHERE id = {readers}")
        assert deleted.status == (400 if exists else 200)
        assert exists or not (profile and is_default)
        assert is_default or not exists
