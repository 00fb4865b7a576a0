"""Permissions of users' roles and of API tokens are removed with the content types and actions that they refer to."""

import asyncio
from dataclasses import replace
from functools import partial

import pytest

from octavo.access.authorization.admin.catalogue import ALL_PLUGINS, Catalogue
from octavo.access.authorization.role_grants import ensure_default_roles, grant, list_grants
from octavo.accounts.administrators.audit import REMOVED_PERMISSIONS, TABLE, read_audit
from octavo.accounts.administrators.deployed_definitions import are_newest, mark_of, stay_newest
from octavo.accounts.administrators.permission_sweep import Known, known_permissions, sweep_permissions
from octavo.accounts.administrators.role_permissions import permissions_of_role
from octavo.accounts.administrators.role_setup import set_up_roles
from octavo.database.connection import Connection, Database
from octavo.database.synchronize import synchronize
from octavo.database.unit_of_work import unit_of_work
from octavo.schema.registry import Registry
from tests.models.bookshop import AUTHOR, BOOK, bookshop_registry

pytestmark = pytest.mark.anyio

REGISTRY = bookshop_registry()
OWN = "api::talk.talk.export"
READ_BOOKS, READ_AUTHORS = f"{BOOK}.find", f"{AUTHOR}.find"
OF_V4 = ("plugin::comments.client.find", "api::search.search.find", "api::search.search.words", "api::mail.mail.send")


def _without_books() -> Registry:
    others = (one for one in REGISTRY.content_types.values() if one.uid != BOOK)
    return Registry(others, REGISTRY.components.values())


def _other_books() -> Registry:
    book = REGISTRY.content_types[BOOK]
    raw = {"attributes": {"secret": {"type": "string"}}}
    return Registry(
        (
            *(one for one in REGISTRY.content_types.values() if one is not book),
            replace(book, raw=raw, collection_name="other_books"),
        ),
        REGISTRY.components.values(),
    )


def _known(registry: Registry, *own: str) -> Known:
    return known_permissions(registry, own, lambda uid: uid.startswith("plugin::") or uid == "api::search.search")


WITH, WITHOUT, OTHERS = _known(REGISTRY, OWN), _known(_without_books()), _known(_other_books())
NEW, OLD, EDITOR = Catalogue(REGISTRY, ALL_PLUGINS), Catalogue(_without_books(), ALL_PLUGINS), 2
GIVEN = (READ_BOOKS, f"{BOOK}.export", READ_AUTHORS, OWN, *OF_V4, "api::old.old.find")


@pytest.fixture
async def shop(database: Database) -> Database:
    await synchronize(database, REGISTRY, (TABLE,))
    await ensure_default_roles(database)
    await grant(database, "public", GIVEN)
    for number, action in enumerate(GIVEN, 1):
        await database.execute(f"INSERT INTO strapi_api_token_permissions (id, action) VALUES ({number}, '{action}')")
    return database


async def granted(database: Database) -> set[str]:
    """Return the tested permissions of the public role and of a token, after checking that they agree."""
    roles = {action for role in await list_grants(database) for action in role.actions if role.type == "public"}
    tokens = {row[0] for row in await database.fetch_all("SELECT action FROM strapi_api_token_permissions")}
    assert roles & {*GIVEN} == tokens
    return tokens


async def alone(_: Connection) -> bool:
    return True


async def among_others(_: Connection) -> bool:
    return False


async def test_leftovers_of_content_types_are_removed_and_those_known_to_v4_stay(shop: Database) -> None:
    await sweep_permissions(shop, WITH, sweeps=True)
    assert await granted(shop) == {*GIVEN} - {"api::old.old.find"}
    assert [(one.action, one.uid) for one in await read_audit(shop)] == [(REMOVED_PERMISSIONS, "api::old.old")]


async def test_permissions_of_removed_types_and_actions_are_removed(
    shop: Database, caplog: pytest.LogCaptureFixture
) -> None:
    await sweep_permissions(shop, WITH, sweeps=True)
    await sweep_permissions(shop, WITHOUT, sweeps=True)
    assert await granted(shop) == {READ_AUTHORS, *OF_V4}
    assert READ_BOOKS in caplog.text
    assert {one.uid for one in await read_audit(shop)} == {"api::old.old", BOOK, "api::talk.talk"}
    before = shop.statements
    await sweep_permissions(shop, WITHOUT, sweeps=True)
    assert shop.statements == before + 3


async def test_older_definitions_remove_nothing(shop: Database) -> None:
    await sweep_permissions(shop, WITH, sweeps=True)
    before = await granted(shop)
    assert not await sweep_permissions(shop, WITHOUT, sweeps=False, is_alone=among_others)
    assert await granted(shop) == before
    assert not await sweep_permissions(shop, WITH, sweeps=True)  # another node with the newest
    assert await granted(shop) == before


async def test_a_type_that_returns_has_no_permissions(shop: Database) -> None:
    """A deployment was rolled back and repeated: in between, older definitions were served, which remove nothing."""
    await sweep_permissions(shop, WITH, sweeps=True)
    before = await granted(shop)
    await sweep_permissions(shop, WITHOUT, sweeps=False, is_alone=alone)
    assert await granted(shop) == before
    assert await sweep_permissions(shop, WITH, sweeps=True) == {BOOK}
    assert await granted(shop) == {READ_AUTHORS, *OF_V4}
    await grant(shop, "public", (READ_BOOKS,))
    assert not await sweep_permissions(shop, WITH, sweeps=True)
    assert any(READ_BOOKS in role.actions for role in await list_grants(shop))


async def test_another_type_with_the_same_name_has_no_permissions(shop: Database) -> None:
    await sweep_permissions(shop, WITH, sweeps=True)
    assert await sweep_permissions(shop, OTHERS, sweeps=True) == {BOOK}
    assert READ_BOOKS not in await granted(shop)


async def test_empty_definitions_remove_nothing(shop: Database) -> None:
    await sweep_permissions(shop, WITH, sweeps=True)
    before = await granted(shop)
    nothing = _known(Registry((one for one in REGISTRY.content_types.values() if one.uid not in WITH.types), ()))
    for _ in range(2):
        await sweep_permissions(shop, nothing, sweeps=True)
        assert await granted(shop) == before
    await sweep_permissions(shop, WITH, sweeps=True)  # they may be different content types by now
    assert READ_BOOKS not in await granted(shop)


async def subjects(database: Database) -> set[str | None]:
    """Return the content types for which editors have permissions."""
    return {one.said.subject for one in await permissions_of_role(database, database.dialect, EDITOR)}


async def test_definitions_that_become_outdated_while_waiting_remove_nothing(shop: Database) -> None:
    """Two nodes at once: a newer one is deployed after an older one has checked, and before it gets the lock."""
    await sweep_permissions(shop, WITH, sweeps=True)
    await set_up_roles(shop, NEW)
    before = await granted(shop), await subjects(shop)
    assert await are_newest(shop, OLD)
    is_newest = partial(stay_newest, shop, mark=mark_of(OLD))
    async with unit_of_work(shop) as unit:
        await unit.connection.lock("octavo: deployed")
        sweeping = asyncio.create_task(sweep_permissions(shop, WITHOUT, sweeps=True, is_newest=is_newest))
        setting_up = asyncio.create_task(set_up_roles(shop, OLD, sweeps=True, is_newest=is_newest))
        with unit.ambient():
            assert await are_newest(shop, NEW)
    assert await sweeping == frozenset()
    await setting_up
    assert (await granted(shop), await subjects(shop)) == before
    assert not await sweep_permissions(shop, WITH, sweeps=True), "no type is recorded as removed"


async def test_restored_definitions_are_the_newest_again(shop: Database) -> None:
    await sweep_permissions(shop, WITH, sweeps=True)
    await set_up_roles(shop, NEW)
    assert await are_newest(shop, OLD)
    assert await are_newest(shop, NEW)
    assert await are_newest(shop, OLD, is_change=True)
    is_newest = partial(stay_newest, shop, mark=mark_of(OLD))
    await sweep_permissions(shop, WITHOUT, sweeps=True, is_newest=is_newest)
    assert await set_up_roles(shop, OLD, sweeps=True, is_newest=is_newest)
    assert READ_BOOKS not in await granted(shop)
    assert BOOK not in await subjects(shop)


@pytest.mark.parametrize("looks", [True, False])
async def test_a_sweep_without_another_check_removes_permissions(shop: Database, looks: bool) -> None:
    """Without another check by the older node, the first test would fail."""
    await set_up_roles(shop, NEW)
    assert await are_newest(shop, OLD)
    assert await are_newest(shop, NEW)
    await set_up_roles(shop, OLD, is_newest=partial(stay_newest, shop, mark=mark_of(OLD)) if looks else None)
    assert (BOOK in await subjects(shop)) is looks
