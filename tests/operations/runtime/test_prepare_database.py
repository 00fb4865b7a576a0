"""Data that a start creates before the first request: roles and a locale, once, with concurrent starts."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from octavo.access.authorization.role_grants import DEFAULT_ROLES
from octavo.database.connection import Database
from octavo.database.sqlite import SqliteDatabase
from octavo.database.synchronize import found_tables
from octavo.operations.runtime.options import own_tables
from octavo.operations.runtime.prepare_database import StartFailed, prepare_database, reach_database
from octavo.operations.runtime.process import build
from octavo.schema.loader import builtin_registry
from tests.api.rest.conftest import OpenClub, club_copy, new_club
from tests.models.club import SAFE

pytestmark = pytest.mark.anyio

REGISTRY = builtin_registry()
_USERS = "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG"
EVERY_TABLE = {f"{_USERS}__JWT_MANAGEMENT": "refresh", f"{_USERS}__RATELIMIT__STORE": "database"}
__all__ = ["club_copy", "new_club"]


async def facts(database: Database) -> tuple[list[str], list[tuple[str, str]], list[str]]:
    """Return role types, locales and the default locale."""
    roles = [row[0] for row in await database.fetch_all("SELECT type FROM up_roles ORDER BY id")]
    locales = [(row[0], row[1]) for row in await database.fetch_all("SELECT code, name FROM i18n_locale ORDER BY id")]
    text = "SELECT value FROM strapi_core_store_settings WHERE key = 'plugin_i18n_default_locale'"
    return roles, locales, [row[0] for row in await database.fetch_all(text)]


async def test_fills_a_new_database_once(new_database: Callable[..., Database]) -> None:
    for locale in ("en", "fr"):
        database = new_database()
        report = await prepare_database(database, REGISTRY, locale)
        assert bool(report.applied) is (locale == "en")
        assert await facts(database) == (list(DEFAULT_ROLES), [("en", "English (en)")], ['"en"'])
        await database.close()


async def test_existing_roles_and_locales_are_not_changed(new_database: Callable[..., Database]) -> None:
    database = new_database()
    await prepare_database(database, REGISTRY, "fr")
    await database.execute("DELETE FROM up_roles WHERE type = 'public'")
    await database.close()
    database = new_database()
    await prepare_database(database, REGISTRY, "en")
    assert await facts(database) == (["authenticated"], [("fr", "French (fr)")], ['"fr"'])
    await database.close()


async def test_a_second_start_only_reads(new_club: OpenClub) -> None:
    """It reads the tables (three statements) and their record (two), the former options of types, hidden entries,
    PostgreSQL's sequences, roles, locales, component names in rows (two on SQLite), webhooks, whether an administrator
    exists, their permissions (two) and activity (two), the record of permissions (one, since a club has no content
    types) and the live settings. It writes what this process serves (two).
    """
    club = await new_club(**SAFE, **EVERY_TABLE)
    names = {table.name for table in own_tables(club.octavo.settings)}
    assert len(names) == 1 + 23
    assert names < (await found_tables(club.database, club.database.dialect)).keys()
    second = build(club.octavo.settings)
    await second.asgi.start()
    assert second.database.statements == 21
    await second.asgi.stop()


async def test_several_at_once(new_database: Callable[..., Database]) -> None:
    databases = [new_database() for _ in range(3)]
    await asyncio.gather(*(prepare_database(database, REGISTRY, "en") for database in databases))
    assert await facts(databases[0]) == (list(DEFAULT_ROLES), [("en", "English (en)")], ['"en"'])
    for database in databases:
        await database.close()


async def test_an_unreachable_database_is_reported_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StartFailed, match=r"^The database cannot be reached: .*file"):
        await reach_database(SqliteDatabase(tmp_path / "file/data.db"))
    (tmp_path / "text.db").write_text("no database" * 1000)
    with pytest.raises(StartFailed, match=r"^The database cannot be reached: SQLite at .*text\.db: .*not a database"):
        await reach_database(SqliteDatabase(tmp_path / "text.db"))
