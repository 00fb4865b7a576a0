"""Introspection: the tables, columns and indexes of a database, on each database."""

import pytest

from octavo.database.connection import Database
from octavo.database.synchronize import found_tables
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.tables import Column, ForeignKey, Table

pytestmark = pytest.mark.anyio

SCRIPT = """
CREATE TABLE "Pens & ""Inks" (id integer NOT NULL PRIMARY KEY, "order" text DEFAULT 'a');
CREATE TABLE other (
    id integer NOT NULL PRIMARY KEY, pen_id integer, n integer UNIQUE,
    CONSTRAINT other_fk FOREIGN KEY (pen_id) REFERENCES "Pens & ""Inks" (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX one ON other (pen_id, n);
CREATE INDEX two ON other (n) WHERE pen_id IS NOT NULL;
"""


async def test_found_tables(database: Database) -> None:
    assert await found_tables(database, database.dialect) == {}
    await database.execute_script(SCRIPT)
    found = await found_tables(database, database.dialect)
    is_sqlite = database.dialect.name == "sqlite"
    key = ForeignKey(name="" if is_sqlite else "other_fk", column="pen_id", target='Pens & "Inks', on_delete="CASCADE")
    indexes = [
        Index(name="one", columns=("pen_id", "n"), unique=True),
        Index(name="two", columns=("n",), where="pen_id IS NOT NULL" if is_sqlite else "(pen_id IS NOT NULL)"),
    ]
    if not is_sqlite:  # a unique column is an ordinary index there
        indexes.insert(1, Index(name="other_n_key", columns=("n",), unique=True))
    assert found == {
        'Pens & "Inks': Table(
            name='Pens & "Inks',
            columns=(
                Column("id", "integer", nullable=False),
                Column("order", "text", default="'a'" if is_sqlite else "'a'::text"),
            ),
        ),
        "other": Table(
            name="other",
            columns=(Column("id", "integer", nullable=False), Column("pen_id", "integer"), Column("n", "integer")),
            indexes=tuple(indexes),
            foreign_keys=(key,),
        ),
    }
