"""Detecting the newest of several definitions on one database, and what nodes with older ones leave unchanged."""

from dataclasses import replace

import pytest

from octavo.access.authorization.admin.catalogue import ALL_PLUGINS, Catalogue
from octavo.accounts.administrators.deployed_definitions import are_newest
from octavo.accounts.administrators.role_permissions import permissions_of_role
from octavo.accounts.administrators.role_setup import set_up_roles
from octavo.core import clock
from octavo.database.connection import Database
from octavo.database.synchronize import synchronize
from octavo.schema.registry import Registry
from tests.models.bookshop import BOOK, bookshop_registry

pytestmark = pytest.mark.anyio

REGISTRY = bookshop_registry()
NEW = Catalogue(REGISTRY, ALL_PLUGINS)
EDITOR = 2


def _without_title() -> Registry:
    book = REGISTRY.content_types[BOOK]
    attributes = {name: one for name, one in book.attributes.items() if name != "title"}
    others = (one for one in REGISTRY.content_types.values() if one is not book)
    return Registry((*others, replace(book, attributes=attributes)), REGISTRY.components.values())


OLD = Catalogue(_without_title(), ALL_PLUGINS)


@pytest.fixture
async def shop(database: Database) -> Database:
    await synchronize(database, REGISTRY)
    return database


async def test_later_definitions_are_the_newest_for_a_day(shop: Database) -> None:
    try:
        assert await are_newest(shop, OLD)
        clock.move(30 * 3600)
        assert await are_newest(shop, OLD)
        assert await are_newest(shop, NEW)
        assert not await are_newest(shop, OLD)  # after a restart
        clock.move(20 * 3600)
        assert not await are_newest(shop, OLD)  # known for longer than a day, and still the older ones
        before = shop.statements
        assert await are_newest(shop, NEW)
        assert shop.statements == before + 1
        clock.move(60)
        assert await are_newest(shop, OLD, is_change=True)  # restored in a running process
        assert not await are_newest(shop, NEW)
        clock.move(25 * 3600)
        assert await are_newest(shop, NEW)
    finally:
        clock.move(0)


async def test_restarting_an_old_node_removes_no_permissions(shop: Database) -> None:
    await set_up_roles(shop, NEW)

    async def fields() -> list[str]:
        rights = await permissions_of_role(shop, shop.dialect, EDITOR)
        return [name for one in rights if one.said.subject == BOOK for name in one.said.properties.get("fields", ())]

    before = await fields()
    assert "title" in before
    assert not await set_up_roles(shop, OLD, sweeps=False)
    assert await fields() == before
    assert await set_up_roles(shop, OLD)
    assert "title" not in await fields()
