"""Setting up administrators' roles at each start, on both databases: removing, completing, and writing only changes."""

import asyncio

import pytest

from octavo.access.authorization.admin.catalogue import ALL_PLUGINS, Catalogue
from octavo.access.authorization.admin.names import CREATE, DELETE, PUBLISH, READ, UPDATE
from octavo.accounts.administrators.role_permissions import Permission, insert_permissions, permissions_of_role
from octavo.accounts.administrators.role_setup import set_up_roles
from octavo.database.connection import Database
from octavo.database.synchronize import synchronize
from octavo.database.unit_of_work import unit_of_work
from tests.models.bookshop import AUTHOR, BOOK, bookshop_registry
from tests.models.people import write

pytestmark = pytest.mark.anyio

REGISTRY = bookshop_registry()
CATALOGUE = Catalogue(REGISTRY, ALL_PLUGINS)
SUPER, EDITOR = 1, 2
OWN = "admin::is-creator"


@pytest.fixture
async def shop(database: Database) -> Database:
    await synchronize(database, REGISTRY)
    for code in ("en", "fr"):
        await write(database, "INSERT INTO i18n_locale (name, code) VALUES ({v1}, {v1})", code)
    assert await set_up_roles(database, CATALOGUE)
    return database


async def said(database: Database, role_id: int) -> dict[tuple[str, str | None], Permission]:
    stored = await permissions_of_role(database, database.dialect, role_id)
    return {(one.said.action, one.said.subject): one.said for one in stored}


async def test_nothing_is_written_twice(shop: Database) -> None:
    before, statements = await shop.fetch_all("SELECT * FROM admin_permissions"), shop.statements
    assert not await set_up_roles(shop, CATALOGUE)
    assert shop.statements - statements == 2
    assert await shop.fetch_all("SELECT * FROM admin_permissions") == before


async def test_simultaneous_starts(database: Database) -> None:
    await synchronize(database, REGISTRY)
    done = await asyncio.gather(*(set_up_roles(database, CATALOGUE) for _ in range(3)))
    assert any(done)
    assert await database.fetch_value("SELECT count(*) FROM admin_roles") == 3
    doubled = """SELECT 1 FROM admin_permissions p JOIN admin_permissions_role_links l ON l.permission_id = p.id
        GROUP BY l.role_id, p.action, p.subject HAVING count(*) > 1"""
    assert await database.fetch_all(doubled) == []


async def test_obsolete_permissions_are_removed(shop: Database) -> None:
    async with unit_of_work(shop) as unit:
        await insert_permissions(
            unit,
            shop.dialect,
            EDITOR,
            [
                Permission("plugin::gone.read"),
                Permission(READ, "api::gone.gone", {"fields": ["title"]}),
                Permission(PUBLISH, "plugin::users-permissions.user"),
                Permission(DELETE, BOOK),
                Permission(DELETE, BOOK, {"locales": ["fr"]}, [OWN]),
                Permission(UPDATE, BOOK, {"fields": ["nope", "title", "details.nope"]}, ["api::unknown"]),
            ],
        )
    assert await set_up_roles(shop, CATALOGUE)
    kept = await permissions_of_role(shop, shop.dialect, EDITOR)
    about = [one.said for one in kept if one.said.subject == BOOK and one.said.action in (DELETE, UPDATE)]
    assert [one.properties for one in about if one.action == DELETE] == [{"locales": ["fr"]}]
    changed = next(one for one in about if one.conditions == ["api::unknown"])
    assert "nope" not in changed.properties["fields"]
    assert "title" in changed.properties["fields"]
    assert not {one.said.action for one in kept} & {"plugin::gone.read"}
    assert not {one.said.subject for one in kept} & {"api::gone.gone", "plugin::users-permissions.user"}


async def test_permissions_of_plugins_that_only_v4_has_stay(shop: Database) -> None:
    """They have no effect here, and are used again when v4 serves the database."""
    rights = [Permission("plugin::forms.read"), Permission(READ, "plugin::forms.form", {"fields": ["title"]})]
    for role_id in (SUPER, EDITOR):
        async with unit_of_work(shop) as unit:
            await insert_permissions(unit, shop.dialect, role_id, [*rights, Permission("plugin::upload.gone")])
    assert await set_up_roles(shop, CATALOGUE, keeps_plugins=True)
    for role_id in (SUPER, EDITOR):
        kept = {one.said.action: one.said.subject for one in await permissions_of_role(shop, shop.dialect, role_id)}
        assert "plugin::upload.gone" not in kept
        assert (kept["plugin::forms.read"], await said_of_forms(shop, role_id)) == (None, 1)
    assert not await set_up_roles(shop, CATALOGUE, keeps_plugins=True)


async def said_of_forms(shop: Database, role_id: int) -> int:
    kept = await permissions_of_role(shop, shop.dialect, role_id)
    return sum(one.said.subject == "plugin::forms.form" for one in kept)


async def test_required_fields_are_granted_to_every_role(shop: Database) -> None:
    await write(shop, "UPDATE admin_permissions SET properties = {v1} WHERE subject = {v2}", '{"fields": []}', AUTHOR)
    assert await set_up_roles(shop, CATALOGUE)
    required = [name for name, one in REGISTRY.content_types[AUTHOR].attributes.items() if one.required]
    assert (await said(shop, EDITOR))[READ, AUTHOR].properties == {"fields": required}
    whole = (await said(shop, SUPER))[READ, AUTHOR].properties["fields"]
    assert set(whole) > set(required)


async def test_super_admins_have_all_permissions(shop: Database) -> None:
    await write(shop, "DELETE FROM admin_permissions WHERE action = {v1}", CREATE)
    await write(shop, "INSERT INTO i18n_locale (name, code) VALUES ({v1}, {v1})", "de")
    assert await set_up_roles(shop, CATALOGUE)
    found = await said(shop, SUPER)
    assert found[CREATE, BOOK].properties["locales"] == ["en", "fr", "de"]
    assert {action for action, _ in found} == {*CATALOGUE.actions, *CATALOGUE.entry_actions}
    assert (CREATE, BOOK) not in await said(shop, EDITOR)


async def test_permissions_of_disabled_plugins_are_removed(shop: Database) -> None:
    without = Catalogue(REGISTRY, {"users-permissions"})
    assert await set_up_roles(shop, without)
    for role_id in (SUPER, EDITOR):
        rights = await said(shop, role_id)
        assert not [action for action, _ in rights if action.startswith(("plugin::upload.", "plugin::i18n."))]
        assert not any("locales" in one.properties for one in rights.values())
