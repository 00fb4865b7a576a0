"""The statements that clean up tables after large changes, for databases that need them."""

from collections.abc import Callable
from typing import Final, NamedTuple

from octavo.query.sql.dialects.quoting import quoted


class Vacuum(NamedTuple):
    """`tables` is the SELECT of all tables, each with whether the role can clean it. `clean` returns the statement for
    one table; it runs outside a transaction."""

    tables: str
    clean: Callable[[str], str]


POSTGRESQL_VACUUM: Final = Vacuum(
    """
SELECT c.relname::text, pg_has_role(c.relowner, 'USAGE') OR pg_has_role(d.datdba, 'USAGE')
    OR CASE WHEN current_setting('server_version_num')::int >= 170000
       THEN has_table_privilege(c.oid, 'MAINTAIN') ELSE false END
FROM pg_class c JOIN pg_database d ON d.datname = current_database()
WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
ORDER BY c.relname""",
    lambda table: f"VACUUM (ANALYZE) {quoted(table)}",
)
