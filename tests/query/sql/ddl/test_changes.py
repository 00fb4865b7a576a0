"""Changes of tables as statements, for each database."""

import pytest

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
    summary,
)
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.tables import ID, Column, ForeignKey, Table
from tests.dialects import DIALECTS

KEY = ForeignKey(name="t_fk", column="a", target="b", on_delete="CASCADE")
PLAIN, UNIQUE = Index(name="i", columns=("a", "order")), Index(name="u", columns=("a",), unique=True)
PARTIAL = Index(name="p", columns=("a",), where='"b" IS NOT NULL', unique=True)
TEXT, NUMBER = Column("a", "text"), Column("a", "integer")
DEFAULTED = Column("d", "text", nullable=False, default="it's")
STRICT = Column("s", "text", nullable=False)

STATEMENTS: dict[Change, str | dict[str, str]] = {
    AddColumn("t", DEFAULTED, None): "ALTER TABLE \"t\" ADD COLUMN \"d\" text DEFAULT 'it''s' NOT NULL",
    AddColumn("t", STRICT, None): 'ALTER TABLE "t" ADD COLUMN "s" text',
    AddColumn("t", Column("b", "boolean", default=False), None): {
        "sqlite": 'ALTER TABLE "t" ADD COLUMN "b" boolean DEFAULT 0',
        "postgresql": 'ALTER TABLE "t" ADD COLUMN "b" boolean DEFAULT false',
    },
    AddColumn("t", Column("n", "integer", default=3), None): 'ALTER TABLE "t" ADD COLUMN "n" integer DEFAULT 3',
    AddColumn("t", NUMBER, KEY): 'ALTER TABLE "t" ADD COLUMN "a" integer REFERENCES "b" ("id") ON DELETE CASCADE',
    CreateIndex("t", PLAIN): 'CREATE INDEX "i" ON "t" ("a", "order")',
    CreateIndex("t", UNIQUE): {
        "sqlite": 'CREATE UNIQUE INDEX "u" ON "t" ("a")',
        "postgresql": 'ALTER TABLE "t" ADD CONSTRAINT "u" UNIQUE ("a")',
    },
    CreateIndex("t", PARTIAL): 'CREATE UNIQUE INDEX "p" ON "t" ("a") WHERE "b" IS NOT NULL',
    AddForeignKey("t", KEY): (
        'ALTER TABLE "t" ADD CONSTRAINT "t_fk" FOREIGN KEY ("a") REFERENCES "b" ("id") ON DELETE CASCADE'
    ),
    DropIndex("t", PLAIN): {
        "sqlite": 'DROP INDEX IF EXISTS "i"',
        "postgresql": 'ALTER TABLE "t" DROP CONSTRAINT IF EXISTS "i";DROP INDEX IF EXISTS "i"',
    },
    DropTable("t"): 'DROP TABLE "t"',
    DropColumn("t", TEXT): 'ALTER TABLE "t" DROP COLUMN "a"',
    CreateTable("t", (ID, STRICT), (KEY,)): {
        "sqlite": 'CREATE TABLE "t" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "s" text NOT NULL, '
        'CONSTRAINT "t_fk" FOREIGN KEY ("a") REFERENCES "b" ("id") ON DELETE CASCADE)',
        "postgresql": 'CREATE TABLE "t" ("id" serial PRIMARY KEY, "s" text NOT NULL, '
        'CONSTRAINT "t_fk" FOREIGN KEY ("a") REFERENCES "b" ("id") ON DELETE CASCADE)',
    },
    WidenColumn("t", NUMBER, Column("a", "bigint")): {
        "sqlite": 'ALTER TABLE "t" RENAME COLUMN "a" TO "octavo_old_a";ALTER TABLE "t" ADD COLUMN "a" bigint;'
        'UPDATE "t" SET "a" = CAST("octavo_old_a" AS bigint);ALTER TABLE "t" DROP COLUMN "octavo_old_a"',
        "postgresql": 'ALTER TABLE "t" ALTER COLUMN "a" DROP DEFAULT, '
        'ALTER COLUMN "a" TYPE bigint USING "a"::text::bigint',
    },
    ChangeType("t", TEXT, NUMBER, (UNIQUE,)): {
        "sqlite": 'DROP INDEX IF EXISTS "u";ALTER TABLE "t" RENAME COLUMN "a" TO "octavo_old_a";'
        'ALTER TABLE "t" ADD COLUMN "a" integer;UPDATE "t" SET "a" = CAST("octavo_old_a" AS integer);'
        'ALTER TABLE "t" DROP COLUMN "octavo_old_a";CREATE UNIQUE INDEX "u" ON "t" ("a")',
        "postgresql": 'ALTER TABLE "t" DROP CONSTRAINT IF EXISTS "u";DROP INDEX IF EXISTS "u";'
        'DO $octavo$ BEGIN ALTER TABLE "t" ALTER COLUMN "a" DROP DEFAULT, '
        'ALTER COLUMN "a" TYPE integer USING "a"::text::integer; '
        'EXCEPTION WHEN others THEN ALTER TABLE "t" DROP COLUMN "a", ADD COLUMN "a" integer; END $octavo$;'
        'ALTER TABLE "t" ADD CONSTRAINT "u" UNIQUE ("a")',
    },
}


@pytest.mark.parametrize("dialect", ["postgresql", "sqlite"])
@pytest.mark.parametrize("change", STATEMENTS, ids=str)
def test_statements(change: Change, dialect: str) -> None:
    expected = STATEMENTS[change]
    text = expected if isinstance(expected, str) else expected[dialect]
    assert ";".join(change.statements(DIALECTS[dialect])) == text


def test_changes_that_lose_data() -> None:
    assert {type(change).__name__ for change in STATEMENTS if change.loses_data} == {
        "ChangeType",
        "DropColumn",
        "DropTable",
    }


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_nothing_to_do(dialect: str) -> None:
    table = Table(name="t", columns=(ID, TEXT), indexes=(UNIQUE,), foreign_keys=(KEY,))
    assert difference([table], {"t": table, "other": table}, DIALECTS[dialect]) == []


def test_changes_are_in_executable_order() -> None:
    wanted = Table(name="t", columns=(ID, NUMBER), indexes=(UNIQUE,), foreign_keys=(KEY,))
    found = Table(
        name="t",
        columns=(ID, TEXT, STRICT),
        indexes=(Index(name="octavo_old", columns=("s",)), Index(name="mine", columns=("s",))),
    )
    new = Table(name="b", columns=(ID,))
    changes = difference([wanted, new], {"t": found, "gone": new}, DIALECTS["postgresql"], ["gone", "b", "never"])
    assert [str(change) for change in changes] == [
        "drop index octavo_old on t",
        "drop table gone",
        "create table b",
        "change column t.a from text to integer",
        "drop column t.s (text)",
        "create unique index u on t (a)",
        "add foreign key t.a to b",
    ]


def test_the_summary_counts_changes_and_names_new_tables_once() -> None:
    column, index = Column("a", "text"), Index(name="i", columns=("a",))
    changes = [
        CreateTable("new", (column,), ()),
        CreateIndex("new", index),
        AddColumn("old", column, None),
        AddColumn("old", column, None),
        CreateIndex("old", index),
    ]
    assert summary(changes) == "Tables: 1 created, 2 columns added, 1 index added"
