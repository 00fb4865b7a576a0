"""The SQL syntax for reading a MySQL or MariaDB database, of any version that v4 supports."""

from collections.abc import Mapping
from types import MappingProxyType

from octavo.query.sql.dialects.base import BasicDialect, Introspection

_TABLES = "FROM information_schema.{} WHERE table_schema = database()"


class MysqlSourceDialect(BasicDialect):
    """MySQL 5.7 and later, and MariaDB. Instants are read as they are stored: the driver converts them."""

    name = "MySQL"
    name_mark = "`"
    longest_name = 64
    column_types: Mapping[str, str] = MappingProxyType(
        {
            "increments": "int",
            "reference": "int unsigned",
            "order": "double unsigned",
            "string": "varchar(255)",
            "text": "longtext",
            "integer": "int",
            "bigint": "bigint",
            "double": "double",
            "decimal": "decimal(10,2)",
            "boolean": "tinyint(1)",
            "date": "date",
            "time": "time(3)",
            "datetime": "datetime(6)",
            "timestamp": "timestamp(6)",
            "plain datetime": "datetime",
            "json": "json",
            "plain json": "json",
        }
    )
    introspection = Introspection(
        columns="""
        SELECT c.table_name, c.column_name, c.column_type, c.is_nullable = 'YES', c.column_default
        FROM information_schema.columns c JOIN information_schema.tables t
        ON t.table_schema = c.table_schema AND t.table_name = c.table_name
        WHERE c.table_schema = database() AND t.table_type = 'BASE TABLE'
        ORDER BY c.table_name, c.ordinal_position""",
        indexes=f"""
        SELECT table_name, index_name, non_unique = 0, NULL, column_name
        {_TABLES.format("statistics")} AND index_name <> 'PRIMARY' ORDER BY table_name, index_name, seq_in_index""",
        foreign_keys="""
        SELECT k.table_name, k.constraint_name, k.column_name, k.referenced_table_name, r.delete_rule
        FROM information_schema.key_column_usage k JOIN information_schema.referential_constraints r
        ON r.constraint_schema = k.constraint_schema AND r.constraint_name = k.constraint_name
            AND r.table_name = k.table_name
        WHERE k.table_schema = database() AND k.referenced_table_name IS NOT NULL
        ORDER BY k.table_name, k.constraint_name""",
    )

    def __init__(self, *, table_names_ignore_case: bool, served: bool = False) -> None:
        """`served`: Octavo has served the database, and not only v4."""
        self.table_names_ignore_case = table_names_ignore_case
        self._served = served

    def mark(self, number: int) -> str:
        return f"?{number}"

    def instant(self, milliseconds: str) -> str:
        return f"timestampadd(MICROSECOND, {milliseconds} * 1000, '1970-01-01')"

    def milliseconds(self, instant: str) -> str:
        return instant

    def stored_json(self, column: str) -> str:
        if self._served:
            return column
        # On MySQL, v4 reads a JSON string that contains JSON as this JSON.
        inner = f"json_unquote({column})"
        nested = f"json_valid({column}) AND json_type({column}) = 'STRING' AND json_valid({inner})"
        is_string = f"NOT json_valid({column})"  # in columns of other types than JSON
        return f"CASE WHEN {nested} THEN {inner} WHEN {is_string} THEN json_quote({column}) ELSE {column} END"
