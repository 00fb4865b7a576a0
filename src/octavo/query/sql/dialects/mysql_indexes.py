"""Declared indexes on MySQL and MariaDB. InnoDB builds them while others read and write, completely or not at all."""

from octavo.query.sql.ddl.indexes import DECLARED_PREFIX
from octavo.query.sql.dialects.base import IndexStatements

_NOTHING = "DO 0"
_LOCK = "concat('octavo: indexes ', left(sha2(database(), 256), 32))"


class OnlineIndexes(IndexStatements):
    """`CREATE INDEX`, which waits for transactions on the table briefly: others that need the table wait behind it."""

    states = (
        "SELECT DISTINCT index_name, 1 FROM information_schema.statistics WHERE table_schema = database() "
        f"AND left(index_name, {len(DECLARED_PREFIX)}) = '{DECLARED_PREFIX}'"
    )
    take = f"SET SESSION lock_wait_timeout = 1;SELECT coalesce(GET_LOCK({_LOCK}, 0), 0)"
    parts = _NOTHING
    parts_word = "SELECT NULL"  # substring indexes are not supported

    def create(self, name: str, table: str, terms: str) -> str:
        return f"ALTER TABLE {table} ADD INDEX {name} ({terms}), LOCK=NONE"

    def create_for_parts(self, name: str, table: str, columns: tuple[str, ...], word: str) -> str:
        del name, table, columns, word
        return _NOTHING

    def drop(self, name: str) -> str:
        del name  # a failed statement leaves nothing
        return _NOTHING
