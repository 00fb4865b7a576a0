"""Indexes that PostgreSQL makes while their tables are in use."""

from octavo.query.sql.ddl.indexes import DECLARED_PREFIX
from octavo.query.sql.dialects.concurrent_indexes import AsideIndexes


class ConcurrentIndexes(AsideIndexes):
    """`CREATE INDEX CONCURRENTLY`. One that is not valid was not finished: its maker was killed, or met an error."""

    states = (
        "SELECT i.relname::text, x.indisvalid FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid "
        f"WHERE starts_with(i.relname, '{DECLARED_PREFIX}') "
        "AND i.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
    )
    take = "SELECT pg_try_advisory_lock(hashtext(current_schema()), hashtext('octavo: declared indexes'))"
    parts = "CREATE EXTENSION IF NOT EXISTS pg_trgm"
    parts_word = (
        "SELECT format('%I.gin_trgm_ops', n.nspname) FROM pg_opclass c "
        "JOIN pg_namespace n ON n.oid = c.opcnamespace WHERE c.opcname = 'gin_trgm_ops' LIMIT 1"
    )

    def create(self, name: str, table: str, terms: str) -> str:
        return f"CREATE INDEX CONCURRENTLY {name} ON {table} ({terms})"

    def create_for_parts(self, name: str, table: str, columns: tuple[str, ...], word: str) -> str:
        terms = ", ".join(f"lower({column}) {word}" for column in columns)
        return f"CREATE INDEX CONCURRENTLY {name} ON {table} USING gin ({terms})"

    def drop(self, name: str) -> str:
        return f"DROP INDEX CONCURRENTLY IF EXISTS {name}"
