"""The PostgreSQL dialect. Instants are timestamps without time zone in UTC, JSON is jsonb (observed.md, 11)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.plan.planning import LEAST_BYTES
from octavo.query.sql.ddl.indexes import DECLARED_PREFIX, Index
from octavo.query.sql.ddl.tables import Column
from octavo.query.sql.dialects.base import POSTGRESQL_VACUUM, Dialect, IndexStatements, Introspection, Statements
from octavo.query.sql.dialects.chains import WITH_CHAIN
from octavo.query.sql.dialects.column_limits import PORTABLE
from octavo.query.sql.dialects.postgresql_counts import CountJournal
from octavo.query.sql.dialects.postgresql_versions import LedgerVersions
from octavo.query.sql.script import ScriptRules
from octavo.schema.scalar_types import TEXT_KINDS, ValueKind


class ConcurrentIndexes(IndexStatements):
    """`CREATE INDEX CONCURRENTLY`. An invalid index was not completed: its process was killed, or an error occurred."""

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


TOO_LARGE: Final = "octavo: too large"
"""The error message of a statement that cancels itself because its result grows too large."""

_ISO = """to_char({column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
# An interval of seconds is exact; the same in milliseconds is a few microseconds off after the year 2255.
_INSTANT = "(timestamp 'epoch' + {0}::int8 / 1000 * interval '1 second' + {0}::int8 % 1000 * interval '1 millisecond')"
_MILLISECONDS = "(extract(epoch from {}) * 1000)::int8"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_PARAMETERS = {
    ParameterKind.TEXT: "${}::text",
    ParameterKind.INTEGER: "${}::int8",
    ParameterKind.NUMBER: "${}::float8",
    ParameterKind.BOOLEAN: "${}::boolean",
    ParameterKind.JSON: "${}::text::jsonb",
    ParameterKind.DATE: "${}::text::date",
    ParameterKind.TIME: "${}::text::time",
    ParameterKind.INSTANT: _INSTANT.replace("{0}", "${0}"),
    ParameterKind.KEY: "${}::text",
}
_STORED = {
    ValueKind.INTEGER: "::integer",
    ValueKind.BIG_INTEGER: "::bigint",
    ValueKind.FLOAT: "::double precision",
    ValueKind.DECIMAL: "::numeric",
    ValueKind.BOOLEAN: "::boolean",
    ValueKind.DATE: "::date",
    ValueKind.TIME: "::time",
    ValueKind.DATETIME: "::timestamp",
    ValueKind.TIMESTAMP: "::timestamp",
    ValueKind.JSON: "::jsonb",
}

_KEYS = {**_STORED, ValueKind.INTEGER: "::bigint"}  # a column may have been widened

# The sum is stored in a setting of the transaction: nothing else persists between the rows of a statement.
_COUNTED = "coalesce(nullif(current_setting('octavo.answer', true), ''), '0')::int8"
_FAIL = f"('{TOO_LARGE} ' || {{size}})::int8::text"

_VARCHAR = "character varying(255)"
_TIMESTAMP = "timestamp(6) without time zone"

_COLUMN_TYPES = {
    "increments": "integer",
    "reference": "integer",
    "string": _VARCHAR,
    "text": "text",
    "integer": "integer",
    "bigint": "bigint",
    "double": "double precision",
    "order": "double precision",
    "decimal": "numeric(10,2)",
    "boolean": "boolean",
    "date": "date",
    "time": "time without time zone",
    "datetime": _TIMESTAMP,
    "timestamp": _TIMESTAMP,
    "json": "jsonb",
    "plain datetime": "timestamp without time zone",
    "plain json": "json",
}
_IN_SCHEMA = "t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"

_COUNTER = (
    "SELECT {text} AS name, pg_get_serial_sequence({name}, 'id')::regclass AS sequence,"
    " (SELECT max(id) FROM {table}) AS top"
)
# Only sequences that are behind are set, so ids that are being allocated concurrently are not reset.
_CONTINUE = (
    "SELECT t.name, setval(t.sequence, t.top) FROM ({counters}) t"
    " WHERE t.top > coalesce(pg_sequence_last_value(t.sequence), 0) ORDER BY t.name"
)


class PostgreSQLDialect(Dialect):
    """PostgreSQL 13 or newer."""

    name = "postgresql"

    # Scripts

    file_words = frozenset({"postgresql", "postgres"})
    script = ScriptRules(
        quoted=r"\b[eE]'(?:[^'\\]|\\.)*' | (?P<tag>(?<!\w)\$(?:[^\W\d]\w*)?\$)",
        blocks=r"\bBEGIN ATOMIC\b",
        nested_comments=True,
    )
    longest_name = 63
    column_limits = PORTABLE
    most_joined_conditions = 16

    chain = WITH_CHAIN
    vacuum = POSTGRESQL_VACUUM

    # Values of statements: PostgreSQL needs the type of every value

    later = "GREATEST({new}, {old} + interval '1 millisecond')"

    def mark(self, number: int) -> str:
        return f"${number}"

    def parameter(self, parameter: Parameter) -> str:
        return _PARAMETERS[parameter.kind].format(parameter.index + 1)

    def placeholder(self, number: int, kind: ValueKind) -> str:
        return f"${number}{_STORED.get(kind, '::text')}"

    def bind(self, kind: ValueKind, value: Any) -> Any:
        if value is not None and kind in (ValueKind.DATETIME, ValueKind.TIMESTAMP):
            moment = _EPOCH + timedelta(milliseconds=value)
            return moment.replace(tzinfo=None).isoformat(timespec="milliseconds")
        return value

    def instant(self, milliseconds: str) -> str:
        return _INSTANT.format(milliseconds)

    def milliseconds(self, instant: str) -> str:
        return _MILLISECONDS.format(instant)

    server_facts = "SELECT 'PostgreSQL', current_setting('server_version'), pg_database_size(current_database())"
    # Octavo's sessions have this name, those of v4 have none. Other database tools are allowed.
    service_sessions = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        " AND backend_type = 'client backend' AND application_name IN ('octavo', '')"
    )
    row_lock = " FOR UPDATE"
    transaction_number = "CAST(CAST(pg_current_xact_id() AS text) AS bigint)"
    settled_before = "CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)"

    def table_writers(self, table: str) -> str | None:
        # A transaction locks the table before it takes an id, and becomes visible before it releases the lock.
        return (
            "SELECT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' "
            "AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
            f"AND relation = to_regclass({self.literal(table)})"
        )

    # Reading

    aggregate = "string_agg"
    samples_texts = True
    plans_by_limit = True  # for an unknown limit, the planner expects a tenth of all rows

    def as_bytes(self, text: str) -> str:
        return f"convert_to({text}, 'UTF8')"

    def answer(self, json: str, others: str, rest: str, largest: int, keys: str = "") -> str:
        checked = f"CASE WHEN octet_length(a.json) > {largest} THEN {_FAIL.format(size='octet_length(a.json)')}"
        inner, outer = (f", {keys} AS keys", ", a.keys") if keys else ("", "")
        answer = self.as_bytes(f"{checked} ELSE a.json END")
        return f"SELECT {answer}{others}{outer} FROM (SELECT {json} AS json{inner} {rest}) a"

    def measured(self, joined: str, most: int) -> str:
        total = f"{_COUNTED} + coalesce(octet_length({joined}), 0) + {LEAST_BYTES}"
        counted = f"set_config('octavo.answer', ({total})::text, true)::int8"
        return f"CASE WHEN {counted} > {most} THEN {_FAIL.format(size=f'octet_length({joined})')} ELSE {joined} END"

    def limit(self, limit: str | None, start: str | None) -> str:
        return (f" LIMIT {limit}" if limit else "") + (f" OFFSET {start}" if start else "")

    def join_each(self, table: str, alias: str, row_id: str) -> str:
        # For a bound limit the planner expects a tenth of all rows, and prefers a merge join of both tables.
        return f" CROSS JOIN LATERAL (SELECT * FROM {table} r WHERE r.id = {row_id} OFFSET 0) {alias}"

    def json_scalar(self, kind: ValueKind, column: str) -> str:
        match kind:
            case ValueKind.INTEGER | ValueKind.BOOLEAN | ValueKind.JSON:
                return f"coalesce({column}::text, 'null')"
            case ValueKind.FLOAT | ValueKind.DECIMAL:
                # Infinity minus itself is NaN, and so is NaN minus itself.
                return f"CASE WHEN {column} - {column} = 0 THEN {column}::float8::text ELSE 'null' END"
            case ValueKind.BIG_INTEGER:
                return self.json_quoted(column)
            case ValueKind.DATETIME:
                return self.json_quoted(_ISO.format(column=column))
            case ValueKind.TIMESTAMP:
                return self.json_quoted(self.milliseconds(column))
            case _:
                return f"coalesce(to_json({column})::text, 'null')"

    def json_quoted(self, text: str) -> str:
        return f"""coalesce('"' || {text} || '"', 'null')"""  # the text is formatted only once

    def json_typed(self, kind: ValueKind, column: str) -> str:
        match kind:
            case ValueKind.BIG_INTEGER:
                return self.safe_integer(column, self.json_scalar(ValueKind.INTEGER, column))
            case ValueKind.TIME:
                return self.json_quoted(f"to_char({column}, 'HH24:MI:SS.MS')")
            case ValueKind.TIMESTAMP:
                return self.json_scalar(ValueKind.DATETIME, column)
            case _:
                return self.json_scalar(kind, column)

    def json_rows(self, columns: Sequence[str], rest: str) -> str:
        return f"(SELECT json_agg(json_build_array({', '.join(columns)})) {rest})"

    def json_object(self, members: Mapping[str, str]) -> str:
        return f"json_build_object({', '.join(f'{self.literal(key)}, {text}' for key, text in members.items())})"

    def text_of(self, kind: ValueKind, column: str) -> str:
        return column if kind in TEXT_KINDS else f"{column}::text"

    def contains(self, text: str, part: str) -> str:
        return f"position({part} in {text}) > 0"

    def contains_indexed(self, text: str, part: str) -> str:
        # for single texts, `position` is faster
        pattern = self.folded(part)
        for sign in ("\\", "%", "_"):
            pattern = f"replace({pattern}, '{sign}', '\\{sign}')"
        return f"{self.folded(text)} LIKE '%' || {pattern} || '%'"

    def starts_with(self, text: str, part: str) -> str:
        return f"starts_with({text}, {part})"

    def ends_with(self, text: str, part: str) -> str:
        return f"right({text}, length({part})) = {part}"

    nulls_are_largest = True

    def key(self, kind: ValueKind, number: int) -> str:
        return f"{self.mark(number)}::text{_KEYS.get(kind, '')}"

    def key_json(self, values: Sequence[str]) -> str:
        *keys, entry_id = values
        return f"json_build_array({', '.join((*(f'{key}::text' for key in keys), entry_id))})::text"

    def comparable(self, kind: ValueKind, column: str, parameter: ParameterKind) -> str:
        if kind is ValueKind.DECIMAL and parameter is ParameterKind.NUMBER:
            return f"{column}::float8"
        return column

    # Defining tables

    column_types = _COLUMN_TYPES
    id_column = "serial PRIMARY KEY"
    counter_column = "bigserial PRIMARY KEY"
    booleans = ("false", "true")
    inline_keys = False
    unique_constraints = True
    finds_parts = True
    is_shared = True
    aside = ConcurrentIndexes()
    totals = CountJournal()
    versions = LedgerVersions()
    # Older databases have the former types where new ones have the latter; values are exchanged in the same way.
    same_types = frozenset({("json", "jsonb"), ("timestamp without time zone", _TIMESTAMP)})
    widenings = frozenset({(_VARCHAR, "text"), ("integer", "bigint"), ("integer", "double precision")})

    type_families = (
        frozenset({"character varying", "text", "character"}),
        frozenset({"smallint", "integer", "bigint", "numeric", "real", "double precision"}),
        frozenset({"boolean"}),
        frozenset({"date", "timestamp without time zone", "timestamp with time zone"}),
        frozenset({"time without time zone"}),
        frozenset({"time with time zone"}),
        frozenset({"json", "jsonb"}),
    )

    def change_type(self, table: str, column: Column, safe: bool) -> Statements:
        name = self.quote(column.name)
        alter = (
            f"ALTER TABLE {self.quote(table)} ALTER COLUMN {name} DROP DEFAULT, "
            f"ALTER COLUMN {name} TYPE {column.type} USING {name}::text::{column.type}"
        )
        if safe:
            return (alter,)
        recreate = f"ALTER TABLE {self.quote(table)} DROP COLUMN {name}, ADD COLUMN {name} {column.type}"
        return (f"DO $octavo$ BEGIN {alter}; EXCEPTION WHEN others THEN {recreate}; END $octavo$",)

    def drop_index(self, table: str, index: Index) -> Statements:
        name = self.quote(index.name)
        return (f"ALTER TABLE {self.quote(table)} DROP CONSTRAINT IF EXISTS {name}", f"DROP INDEX IF EXISTS {name}")

    def rename_index(self, table: str, index: str, name: str) -> str:
        del table  # index names are unique within the schema
        return f"ALTER INDEX {self.quote(index)} RENAME TO {self.quote(name)}"

    def rename_foreign_key(self, table: str, key: str, name: str) -> str:
        return f"ALTER TABLE {self.quote(table)} RENAME CONSTRAINT {self.quote(key)} TO {self.quote(name)}"

    introspection = Introspection(
        columns="SELECT t.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, "
        "pg_get_expr(d.adbin, d.adrelid) "
        "FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped "
        "LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum "
        f"WHERE t.relkind IN ('r', 'p') AND {_IN_SCHEMA} ORDER BY t.relname::text COLLATE \"C\", a.attnum",
        indexes="SELECT t.relname::text, i.relname::text, x.indisunique, pg_get_expr(x.indpred, x.indrelid), "
        "coalesce(a.attname::text, '') "
        "FROM pg_class t JOIN pg_index x ON x.indrelid = t.oid JOIN pg_class i ON i.oid = x.indexrelid "
        "CROSS JOIN LATERAL unnest(x.indkey::int2[]) WITH ORDINALITY k(number, place) "
        "LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number "
        f"WHERE NOT x.indisprimary AND t.relkind IN ('r', 'p') AND {_IN_SCHEMA} "
        'ORDER BY t.relname::text COLLATE "C", i.relname::text COLLATE "C", k.place',
        foreign_keys="SELECT t.relname::text, f.conname::text, a.attname::text, r.relname::text, CASE f.confdeltype "
        "WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE 'NO ACTION' END "
        "FROM pg_constraint f JOIN pg_class t ON t.oid = f.conrelid JOIN pg_class r ON r.oid = f.confrelid "
        "JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = f.conkey[1] "
        f"WHERE f.contype = 'f' AND {_IN_SCHEMA} "
        'ORDER BY t.relname::text COLLATE "C", a.attname::text COLLATE "C", f.conname::text COLLATE "C"',
    )

    def continue_ids(self, tables: Sequence[str]) -> str | None:
        counters = " UNION ALL ".join(
            _COUNTER.format(text=self.literal(name), name=self.literal(self.quote(name)), table=self.quote(name))
            for name in tables
        )
        return _CONTINUE.format(counters=counters)


POSTGRESQL: Final = PostgreSQLDialect()
