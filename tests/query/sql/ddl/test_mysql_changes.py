"""Changes of tables on MySQL and MariaDB: their statements, and their effect on a real server."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import pytest

from octavo.database.connection import Database
from octavo.database.mysql import MysqlDatabase
from octavo.database.synchronize import found_tables
from octavo.query.sql.ddl.changes import (
    AddColumn,
    AddForeignKey,
    Change,
    ChangeType,
    CreateIndex,
    CreateTable,
    DropColumn,
    DropIndex,
    DropTable,
    WidenColumn,
    difference,
    in_sequence,
)
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.physical import physical_tables
from octavo.query.sql.ddl.tables import ID, Column, ForeignKey, Table
from octavo.query.sql.dialects.mysql import MYSQL
from tests.mysql_server import MysqlServer
from tests.query.sql.ddl.test_changes import DEFAULTED, KEY, NUMBER, PLAIN, STRICT, TEXT, UNIQUE

pytestmark = pytest.mark.anyio

STATEMENTS: Final[Sequence[tuple[Change, str]]] = [
    (AddColumn("t", DEFAULTED, None), "ALTER TABLE `t` ADD COLUMN `d` text DEFAULT ('it''s') NOT NULL"),
    (AddColumn("t", STRICT, None), "ALTER TABLE `t` ADD COLUMN `s` text"),
    (CreateIndex("t", PLAIN), "CREATE INDEX `i` ON `t` (`a`, `order`)"),
    (CreateIndex("t", UNIQUE), "CREATE UNIQUE INDEX `u` ON `t` (`a`)"),
    (CreateIndex("t", replace(PLAIN, prefixes=(("a", 750),))), "CREATE INDEX `i` ON `t` (`a`(750), `order`)"),
    (
        AddForeignKey("t", KEY),
        "ALTER TABLE `t` ADD CONSTRAINT `t_fk` FOREIGN KEY (`a`) REFERENCES `b` (`id`) ON DELETE CASCADE",
    ),
    (
        AddForeignKey("t", KEY, replaces=True),
        "ALTER TABLE `t` DROP FOREIGN KEY `t_fk`;"
        "ALTER TABLE `t` ADD CONSTRAINT `t_fk` FOREIGN KEY (`a`) REFERENCES `b` (`id`) ON DELETE CASCADE",
    ),
    (DropIndex("t", PLAIN), "ALTER TABLE `t` DROP INDEX `i`"),
    (DropTable("t"), "DROP TABLE `t`"),
    (
        DropColumn("t", TEXT, (UNIQUE,), (KEY,)),
        "ALTER TABLE `t` DROP FOREIGN KEY `t_fk`;ALTER TABLE `t` DROP INDEX `u`;ALTER TABLE `t` DROP COLUMN `a`",
    ),
    (
        CreateTable("t", (ID, STRICT), ()),
        "CREATE TABLE `t` (`id` int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, `s` text NOT NULL)",
    ),
    (
        WidenColumn("t", TEXT, Column("a", "longtext"), (replace(UNIQUE, prefixes=(("a", 750),)),)),
        "ALTER TABLE `t` DROP INDEX `u`, MODIFY COLUMN `a` longtext, ADD UNIQUE INDEX `u` (`a`(750))",
    ),
    (
        ChangeType("t", TEXT, replace(NUMBER, type="tinyint(1)"), (UNIQUE,)),
        f"LOCK TABLES `t` WRITE;{MYSQL.copies.drop('t', 'a')};"
        "ALTER TABLE `t` ADD COLUMN `octavo_new_a` tinyint(1);"
        "UPDATE IGNORE `t` SET `octavo_new_a` = CASE WHEN CAST(`a` AS CHAR) IN ('0', '1') THEN CAST(`a` AS CHAR) END;"
        "ALTER TABLE `t` DROP INDEX `u`, DROP COLUMN `a`, RENAME COLUMN `octavo_new_a` TO `a`, "
        "ADD UNIQUE INDEX `u` (`a`);UNLOCK TABLES",
    ),
]


@pytest.mark.parametrize("change, text", STATEMENTS, ids=lambda value: str(value)[:40])
def test_statements(change: Change, text: str) -> None:
    assert ";".join(change.statements(MYSQL)) == text


@pytest.fixture
async def database(anyio_backend: str, mysql_server: MysqlServer, mysql_name: str) -> AsyncIterator[Database]:
    made = MysqlDatabase(mysql_server.url(mysql_name))
    await made.connect()
    yield made
    await made.close()


async def change_tables(database: Database, *wanted: Table, managed: Sequence[str] = ()) -> list[str]:
    """Apply all changes and return the remaining ones."""
    physical, dialect = physical_tables(wanted, database.dialect), database.dialect
    for change in in_sequence(difference(physical, await found_tables(database, dialect), dialect, managed)):
        for text in change.statements(dialect):
            await database.execute_script(text)
    return [str(change) for change in difference(physical, await found_tables(database, dialect), dialect, managed)]


TARGETS: Final = [Table(name=name, columns=(ID, Column("n", "string"))) for name in ("b", "b2")]
EVERY: Final = [Column(f"c_{number}", kind) for number, kind in enumerate(MYSQL.column_types) if kind != "increments"]
WHOLE: Final = Table(
    name="t",
    columns=(
        *(ID, Column("a", "reference"), Column("s", "string", nullable=False), Column("n", "string")),
        *(Column("x", "text", default="it's", nullable=False), Column("y", "boolean", default=True), *EVERY),
    ),
    indexes=(
        Index(name="i", columns=("a", "s"), unique=True),
        Index(name="t_fk", columns=("a",)),
        Index(name="octavo_long", columns=("x", "s", "n")),
        Index(name="octavo_mixed", columns=("s", "n", "id"), descending=frozenset({"s"})),
    ),
    foreign_keys=(ForeignKey(name="t_fk", column="a", target="b", on_delete="CASCADE"),),
)


def with_types(types: Mapping[str, str]) -> Table:
    return replace(WHOLE, columns=tuple(replace(one, type=types.get(one.name, one.type)) for one in WHOLE.columns))


async def test_all_types_indexes_and_keys_are_found_again(database: Database) -> None:
    assert await change_tables(database, *TARGETS, WHOLE) == []


CONVERTED: Final[list[tuple[str, list[Any], list[Any]]]] = [
    ("integer", ["12", " -7 ", "1.5", "x", ""], [12, -7, None, None, None]),
    ("integer", ["2147483647", "9999999999", "-2147483649", "9" * 80], [2147483647, None, None, None]),
    ("reference", ["4294967295", "4294967296", "-1"], [4294967295, None, None]),
    ("bigint", ["-9223372036854775808", "9223372036854775808"], [-(2**63), None]),
    ("double", ["1.5", "1e3", "x", "-1e999", "-1e308"], [1.5, 1000.0, None, None, -1e308]),
    ("order", ["1.5", "-1", "1e999"], [1.5, None, None]),
    ("decimal", ["1.255", "x", "100000000", "-99999999.99"], ["1.26", None, None, "-99999999.99"]),
    ("time", ["23:59:59.9", "24:00:00", "-01:00:00", "1000:00:00"], ["23:59:59.900", None, None, None]),
    ("timestamp", ["2038-01-19 03:14:07", "2038-01-19 03:14:08"], ["2038-01-19 03:14:07.000000", None]),
    ("boolean", ["1", "0", "2", "true"], [1, 0, None, None]),
    ("date", ["2020-02-29", "2020-02-30", "x"], ["2020-02-29", None, None]),
    ("datetime", ["2020-01-01 10:00:00.5", "x"], ["2020-01-01 10:00:00.500000", None]),
    ("json", ['{"a": 1}', "{"], ['{"a": 1}', None]),
    ("text", ["a" * 255, "ü"], ["a" * 255, "ü"]),
]


@pytest.mark.parametrize("kind, before, after", CONVERTED, ids=lambda value: value if isinstance(value, str) else "")
async def test_values_that_fit_are_converted(
    database: Database, kind: str, before: list[str], after: list[Any]
) -> None:
    await change_tables(database, *TARGETS, WHOLE)
    for value in before:
        await database.execute("INSERT INTO t (s, n) VALUES ('', ?1)", (value,))
    assert await change_tables(database, *TARGETS, with_types({"n": kind})) == []
    assert [row[0] for row in await database.fetch_all("SELECT n FROM t ORDER BY id")] == after


async def test_two_columns_of_an_index_change(database: Database) -> None:
    await change_tables(database, *TARGETS, WHOLE)
    assert await change_tables(database, *TARGETS, with_types({"s": "text", "n": "text"})) == [
        "create unique index i on t (a, s)"  # long texts have no unique index
    ]
    assert await change_tables(database, *TARGETS, with_types({"x": "string", "n": "date"})) == []


@pytest.mark.parametrize(
    "types", [{"s": "text", "n": "text"}, {"s": "text", "n": "integer"}, {"s": "integer", "n": "text"}, None]
)
async def test_an_index_of_several_changed_columns_is_dropped_once(
    database: Database, types: Mapping[str, str] | None
) -> None:
    """An index that Octavo no longer needs, one that does not fit long texts, and one of the administrator."""
    strings = (ID, Column("s", "string"), Column("n", "string"))
    indexes = (Index(name="octavo_old", columns=("s", "n")), Index(name="u", columns=("s", "n"), unique=True))
    await change_tables(database, Table(name="t", columns=strings, indexes=indexes))
    await database.execute_script("CREATE INDEX mine ON t (n, s)")
    after = (ID, *(Column(name, types[name]) for name in "sn")) if types else (ID,)
    assert await change_tables(database, Table(name="t", columns=after)) == []
    left = (await found_tables(database, database.dialect))["t"].indexes
    assert [index.name for index in left] == (["mine"] if types else [])


async def test_keys_get_another_target_and_are_dropped_with_their_column(database: Database) -> None:
    await change_tables(database, *TARGETS, WHOLE)
    [key] = WHOLE.foreign_keys
    assert await change_tables(database, *TARGETS, replace(WHOLE, foreign_keys=(replace(key, target="b2"),))) == []
    columns = tuple(one for one in WHOLE.columns if one.name != "a")
    without = replace(WHOLE, columns=columns, indexes=WHOLE.indexes[2:], foreign_keys=())
    assert await change_tables(database, *TARGETS, without) == []
    assert await change_tables(database, TARGETS[1], managed=("t", "b")) == []
    assert list(await found_tables(database, database.dialect)) == ["b2"]


async def test_links_get_ids(database: Database) -> None:
    await database.execute_script("CREATE TABLE l (a int unsigned, b int unsigned)")
    await database.execute("INSERT INTO l VALUES (1, 2), (3, 4)")
    links = Table(name="l", columns=(ID, Column("a", "reference"), Column("b", "reference")))
    assert await change_tables(database, links) == []
    rows = await database.fetch_all("SELECT id, a FROM l ORDER BY id")
    assert list(map(tuple, rows)) == [(1, 1), (2, 3)]


async def test_an_interrupted_change_of_a_type_is_repeated(database: Database) -> None:
    """The values stay in the column until one statement replaces it."""
    await change_tables(database, *TARGETS, WHOLE)
    await database.execute("INSERT INTO t (s, n) VALUES ('', '12')")
    wanted = with_types({"n": "integer"})
    [change] = difference(
        physical_tables((wanted,), database.dialect), await found_tables(database, database.dialect), database.dialect
    )
    statements = change.statements(database.dialect)
    [swap] = [number for number, text in enumerate(statements) if "RENAME COLUMN" in text]
    for text in statements[:swap]:
        await database.execute_script(text)
        assert await database.fetch_value("SELECT n FROM t") == "12"
        assert await database.fetch_value("SELECT count(*) FROM t") == 1
    assert await change_tables(database, *TARGETS, wanted) == []
    assert await database.fetch_value("SELECT n FROM t") == 12


async def test_text_is_not_json(database: Database) -> None:
    """It would be sent as JSON without validation. MariaDB stores JSON as text with a constraint."""
    await database.execute_script("CREATE TABLE t (id int unsigned PRIMARY KEY, a longtext, b json, c varchar(255))")
    await database.execute("""INSERT INTO t VALUES (1, '1,"b":2', '{}', '{"a": 1}')""")
    columns = [Column(name, "json") for name in "abc"]
    wanted = physical_tables((Table(name="t", columns=(ID, *columns)),), database.dialect)
    changes = difference(wanted, await found_tables(database, database.dialect), database.dialect)
    assert [(str(change), getattr(change, "contradicts", None)) for change in changes] == [
        ("change column t.a from longtext to json", True),
        ("change column t.c from varchar(255) to json", True),
    ]
    assert await change_tables(database, Table(name="t", columns=(ID, *columns))) == []
    assert await database.fetch_row("SELECT a, b, c FROM t") == (None, "{}", '{"a": 1}')


async def test_long_unique_texts_have_no_index(database: Database) -> None:
    unique = Index(name="u", columns=("a",), unique=True)
    short = Table(name="t", columns=(ID, Column("a", "string")), indexes=(unique,))
    await change_tables(database, short)
    await change_tables(database, replace(short, columns=(ID, Column("a", "text"))))
    found = await found_tables(database, database.dialect)
    assert found["t"].indexes == ()
    await database.execute("INSERT INTO t (a) VALUES (?1), (?2)", ("x" * 1000 + "a", "x" * 1000 + "b"))
