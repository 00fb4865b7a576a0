"""Migrations on each database: found, run once in order, and rolled back as a whole."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from octavo.database.connection import Database
from octavo.database.migrations.files import MigrationFailed, migration_name
from octavo.database.migrations.runner import migration_states, rehearse, run_migrations
from octavo.database.synchronize import found_tables, synchronize
from octavo.schema.loader import builtin_registry

pytestmark = pytest.mark.anyio

MAKE = "CREATE TABLE visits (id integer PRIMARY KEY, place varchar(50));"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "site/database/migrations"
    folder.mkdir(parents=True)
    return folder


def write(folder: Path, **files: str) -> None:
    """Write files by name. Two underscores stand for a dot."""
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, "utf-8")


async def places(database: Database) -> list[str]:
    return [row[0] for row in await database.fetch_all("SELECT place FROM visits ORDER BY id")]


async def states(database: Database, folder: Path) -> dict[str, str]:
    return {each.name: str(state) for each, state in await migration_states(database, folder)}


async def failure(database: Database, folder: Path) -> str:
    with pytest.raises(MigrationFailed) as caught:
        await run_migrations(database, folder)
    return str(caught.value).removeprefix("A migration failed and was rolled back. database/migrations/")


def test_names_are_those_of_the_files_without_their_endings() -> None:
    names = ("1.tidy.sql", "1.tidy.sqlite.sql", "1.tidy.postgres.sql", "1.tidy.py", "1.tidy.js", "1.tidy")
    assert [migration_name(name) for name in names] == ["1.tidy"] * 6
    assert migration_name("1.sqlite.py") == "1.sqlite"


async def test_each_runs_once_in_order(database: Database, folder: Path) -> None:
    write(
        folder,
        b__py="async def up(transaction):\n    await transaction.execute("
        "\"INSERT INTO visits VALUES ({number}, {place})\", number=2, place='{b}')\n",
        a__sql=f"-- first\n{MAKE}\nINSERT INTO visits VALUES (1, 'a;');",
        c__sqlite__sql="INSERT INTO visits VALUES (3, 'sqlite')",
        c__postgresql__sql="INSERT INTO visits VALUES (3, 'postgresql')",
        d__mysql__sql="nothing for us",
        e__js="module.exports = {}",
    )
    own = f"c.{database.dialect.name}.sql"
    assert await run_migrations(database, folder) == ("a.sql", "b.py", own)
    assert await places(database) == ["a;", "{b}", database.dialect.name]
    assert await run_migrations(database, folder) == ()
    assert await states(database, folder) == {
        "a": "done", "b": "done", "c": "done", "d": "for another database", "e": "JavaScript, not run",
    }  # fmt: skip
    noted = [row[0] for row in await database.fetch_all("SELECT name FROM strapi_migrations ORDER BY id")]
    assert noted == [
        "a.sql",
        "b.py",
        "c.postgresql.sql",
        "c.sqlite.sql",
    ]  # so that v4 does not run them again after a return
    report = await synchronize(database, builtin_registry())
    assert report.left == ()
    assert not any(change.table == "strapi_migrations" for change in report.applied)


async def test_migrations_that_v4_has_run_are_done(database: Database, folder: Path) -> None:
    await synchronize(database, builtin_registry())
    await database.execute("INSERT INTO strapi_migrations (name) VALUES ('a.js'), ('b.sql')")
    write(folder, a__js="", a__py="raise Exception", b__sql="no SQL", c__js="", c__sql="-- nothing to do")
    assert await run_migrations(database, folder) == ("c.sql",)


async def test_a_failed_migration_is_rolled_back_and_reported(database: Database, folder: Path) -> None:
    write(
        folder, a__sql=MAKE, b__sql="INSERT INTO visits VALUES (1, 'x');\n\nINSERT INTO\n  nowhere VALUES ('secret');"
    )
    reported = await failure(database, folder)
    assert reported.startswith("b.sql:3: ")
    assert "nowhere" in reported
    assert reported.endswith("statement 2 of 2: INSERT INTO nowhere VALUES ('…')")
    assert await places(database) == []
    assert await states(database, folder) == {"a": "done", "b": "pending"}
    write(folder, b__sql="INSERT INTO visits VALUES (1, 'x');")
    assert await run_migrations(database, folder) == ("b.sql",)


@pytest.mark.parametrize("file, text, message", [
    ("a__sql", "SELECT 1;\nCOMMIT;", "a.sql:2: COMMIT is not allowed in migrations"),
    ("a__sql", "SELECT 1;\nSELECT 'x", "a.sql:2: ' is not closed"),
    ("a__sql", "SELECT 1;\n-- octavo: when it rains\n", "a.sql:2: expected `-- octavo: only with table TABLE`"),
    ("a__py", "async def up(transaction:\n  pass", "a.py:1: SyntaxError"),
    ("a__py", "x = 1", "a.py: up: expected a function of (transaction)"),
    ("a__py", "async def up(t):\n    await t.execute('DROP TABLE nowhere')", "a.py:2 up: "),
    ("a__py", "async def up(t):\n    await t.execute('ROLLBACK')", "a.py:2 up: ValueError: ROLLBACK is not allowed in"),
    ("a__py", "async def up(t):\n    try:\n        await t.execute('x')\n    except Exception:\n        pass",
     "a.py: it continued after a failed statement"),
])  # fmt: skip
async def test_migrations_that_cannot_run_are_reported_with_their_path(
    database: Database, folder: Path, file: str, text: str, message: str
) -> None:
    write(folder, **{file: text})
    assert (await failure(database, folder)).startswith(message)
    assert await states(database, folder) == {"a": "pending"}


async def test_two_files_of_one_migration_are_refused(database: Database, folder: Path) -> None:
    write(folder, a__sql="", a__py="")
    with pytest.raises(MigrationFailed, match="cannot have several files for the same database"):
        await run_migrations(database, folder)


async def test_conditions_pass_a_file_over(database: Database, folder: Path) -> None:
    write(
        folder,
        a__sql="-- octavo: only with table visits\nno SQL",
        b__sql=MAKE,
        c__sql="-- octavo: only with column visits.city\nno SQL",
        d__sql="-- octavo: only with column visits.place\nINSERT INTO visits VALUES (1, 'here')",
    )
    assert len(await run_migrations(database, folder)) == 4
    assert await places(database) == ["here"]


async def test_a_dry_run_lists_every_statement_and_rolls_back(database: Database, folder: Path) -> None:
    write(
        folder,
        a__sql=MAKE,
        b__py="async def up(transaction):\n    await transaction.execute("
        "'INSERT INTO visits VALUES (1, {place})', place='x')\n",
    )
    reported = {each.file: each.statements for each in await rehearse(database, folder)}
    assert reported["a.sql"] == (MAKE.rstrip(";"),)
    assert reported["b.py"][0].endswith("-- 'x'")
    assert await found_tables(database, database.dialect) == {}


async def test_concurrent_starts_run_each_migration_once(new_database: Callable[..., Database], folder: Path) -> None:
    files = {f"b{number}__sql": f"INSERT INTO visits VALUES ({number}, 'x')" for number in range(5)}
    write(folder, a__sql=MAKE, **files)
    databases = [new_database() for _ in range(3)]
    await databases[0].connect()
    for database in databases[1:]:
        await database.connect()
    run = await asyncio.gather(*(run_migrations(database, folder) for database in databases))
    assert sorted(name for names in run for name in names) == ["a.sql", *(f"b{number}.sql" for number in range(5))]
    assert len(await places(databases[0])) == 5
    for database in databases:
        await database.close()
