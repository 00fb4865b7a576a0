"""Names within length limits, and the column types of each database."""

from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.physical import physical_tables
from octavo.query.sql.ddl.tables import ID, Column, ForeignKey, Table
from octavo.query.sql.dialects.postgresql import POSTGRESQL
from octavo.query.sql.dialects.sqlite import SQLITE


def test_truncated_names_stay_distinct() -> None:
    long = "ä" * 40
    table = Table(
        name=long,
        columns=(ID, Column(long, "string")),
        indexes=(Index(name=f"{long}_fk", columns=(long,)), Index(name=f"{long}_inv_fk", columns=(long,))),
        foreign_keys=(ForeignKey(name=f"{long}_fk", column=long, target=long, on_delete="CASCADE"),),
    )
    [sqlite] = physical_tables((table,), SQLITE)
    assert (sqlite.name, [index.name for index in sqlite.indexes]) == (long, [f"{long}_fk", f"{long}_inv_fk"])
    [postgresql] = physical_tables((table,), POSTGRESQL)
    cut, apart = "ä" * 31, "ä" * 27
    assert (postgresql.name, postgresql.columns[1].name) == (cut, cut)
    assert [index.name for index in postgresql.indexes] == [f"{apart}_b4f75b02", f"{apart}_daa7813a"]
    assert postgresql.foreign_keys == (ForeignKey(name=cut, column=cut, target=cut, on_delete="CASCADE"),)
