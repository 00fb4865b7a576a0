"""Dialect: the SQL differences between databases, each one a short method or value.

There is one object for each database, available as `database.dialect`. Code calls its methods instead of checking
which database it is. A new database needs a subclass in a module next to this one, and a driver.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from octavo.core.values import dataclass
from octavo.query.numbers import MAX_SAFE_INTEGER
from octavo.query.operators import PATTERN_TESTS, Test
from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.tables import Column
from octavo.query.sql.dialects.chains import Chain
from octavo.query.sql.dialects.column_limits import ColumnLimits
from octavo.query.sql.dialects.maintained_counts import MaintainedCounts
from octavo.query.sql.dialects.quoting import quoted
from octavo.query.sql.dialects.substring_indexes import SubstringIndexes
from octavo.query.sql.dialects.table_versions import TableVersions
from octavo.query.sql.script import ScriptRules
from octavo.schema.scalar_types import ValueKind


class IndexStatements(ABC):
    """The statements of one database. Each runs outside a transaction. Names are quoted."""

    states: str
    """Returns a row for each declared index: its name, and whether it is valid."""
    take: str
    """Returns whether the lock was acquired; it is held until the connection ends."""
    parts: str
    """Enables substring search in the database, which may refuse it."""
    parts_word: str
    """Returns the operator class of substring indexes, or no row if the database does not support them."""

    @abstractmethod
    def create(self, name: str, table: str, terms: str) -> str:
        """Return the statement that creates an index."""

    @abstractmethod
    def create_for_parts(self, name: str, table: str, columns: tuple[str, ...], word: str) -> str:
        """Return the statement that creates a substring index; `word` is the result of `parts_word`."""

    @abstractmethod
    def drop(self, name: str) -> str:
        """Return the statement that drops an index."""


class ColumnCopies(ABC):
    """The statements that convert a column in a copy of it, which then replaces the column."""

    def name(self, column: str) -> str:
        """Return the name of a column's copy."""
        return f"octavo_new_{column}"[:64]

    unlock: str
    """Ends `lock`."""

    @abstractmethod
    def lock(self, table: str) -> str:
        """Return the statement that keeps others from a table during changes of it that are committed one by one. Until
        `unlock`, the session can use no other table."""

    @abstractmethod
    def drop(self, table: str, column: str) -> str:
        """Return the script that drops the copy of an interrupted conversion, if there is one."""

    @abstractmethod
    def swap(self, table: str, column: str, dropped: Iterable[Index] = (), created: Iterable[Index] = ()) -> str:
        """Return the statement that replaces the column and its indexes by the copy and new indexes."""

    @abstractmethod
    def change_type(
        self, table: str, column: Column, safe: bool, dropped: Iterable[Index] = (), created: Iterable[Index] = ()
    ) -> "Statements":
        """Return the statements that change a column's type (`Dialect.change_type`). The one that replaces it
        also drops and creates indexes, so that none is missing after an interruption."""


class OrderedRows(NamedTuple):
    """Rows with one text each: its expression, the tables with their conditions, and the terms of the order.

    `keys` is the expression of a second text. `sorted`: the only table is a sub-select with this order.
    """

    text: str
    tables: str
    order: Sequence[str]
    limit: str | None = None
    start: str | None = None
    keys: str = ""
    sorted: bool = False


class JoinedRows(NamedTuple):
    """The joined texts of rows, the joined `keys` if there are some, and the FROM clause."""

    text: str
    keys: str
    tables: str


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


COMPARISONS: Final[Mapping[Test, str]] = {
    Test.EQUAL: "{column} = {value}",
    Test.LESS: "{column} < {value}",
    Test.LESS_OR_EQUAL: "{column} <= {value}",
    Test.GREATER: "{column} > {value}",
    Test.GREATER_OR_EQUAL: "{column} >= {value}",
    Test.AMONG: "{column} IN ({values})",
    Test.BETWEEN: "{column} BETWEEN {value} AND {last}",
}
_MOST_ARGUMENTS: Final = 90  # PostgreSQL functions take at most 100 arguments
FILE_WORDS: Final = frozenset({"sqlite", "postgresql", "postgres", "mysql", "mariadb"})
"""Suffixes of file names that limit a script to one database: `name.sqlite.sql`."""
Statements = tuple[str, ...]
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Introspection:
    """Queries for existing tables. Types and names are the database's own.

    Rows of `columns`: table, column, type, nullable, default; of `indexes`: table, index, unique, condition, column
    (a row for each column); of `foreign_keys`: table, name, column, target, action on delete.
    """

    columns: str
    indexes: str
    foreign_keys: str


class BasicDialect(ABC):
    """The SQL syntax that statements on known tables need (`RawStatement`), without that of compiled queries and table
    changes. It suffices for copying rows from a database."""

    name: str
    """A display name for logs and tests. Never branch on it."""
    longest_name: int | None = None
    """Maximum bytes of the name of a table, column or index."""
    table_names_ignore_case = False  # whether the database stores names of tables in lowercase
    column_types: Mapping[str, str]
    """The database's types by the type names of `tables.Column.type`."""
    introspection: Introspection
    """Finds the existing tables."""
    partial_indexes = True
    """Whether an index may have a condition. If not, partial indexes are left out: they only improve performance."""
    finds_parts = False
    """Whether an index can support substring search. If not, such indexes are left out."""

    name_mark = '"'
    """The quote character of names."""

    def fit_index(self, index: Index, types: Mapping[str, str]) -> Index:
        """Return an index within the database's limits. `types` are the database's types of the columns."""
        del types
        return index

    def supports_index(self, index: Index, types: Mapping[str, str]) -> bool:
        """Return whether the database can have an index. `types` are the database's types of the columns."""
        del index, types
        return True

    def quote(self, name: str) -> str:
        """Quote an identifier."""
        mark = self.name_mark  # called for each name of a statement: inlined for speed
        return f"{mark}{name.replace(mark, mark + mark)}{mark}"

    def literal(self, text: str) -> str:
        """Quote a constant text (names, JSON keys, defaults of definitions). Never used for a caller's value."""
        return "'" + text.replace("'", "''") + "'"

    @abstractmethod
    def mark(self, number: int) -> str:
        """Return the placeholder of the value with that number, counted from 1. The context determines its type."""

    @abstractmethod
    def instant(self, milliseconds: str) -> str:
        """Convert milliseconds since 1970, UTC, to the stored form of an instant."""

    @abstractmethod
    def milliseconds(self, instant: str) -> str:
        """Convert a stored instant to milliseconds since 1970, UTC."""

    def stored_json(self, column: str) -> str:
        """Return the SQL that reads JSON text from a column for a copy. Texts that are not JSON are JSON strings."""
        return column

    def on_conflict(self, *keys: str) -> str:
        """Return the text between the row of an INSERT and the columns to set where a row has these keys, in order."""
        return f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET"

    def proposed(self, column: str) -> str:
        """Return the value proposed for a column of an existing row (`EXCLUDED`)."""
        return f"excluded.{column}"

    def returning(self, *columns: str) -> str:
        """Return the clause for the columns of the inserted or deleted rows.

        A driver for a database without such a clause recognizes these statements by this text and emulates it.
        """
        return f"RETURNING {', '.join(columns)}"


class Dialect(BasicDialect):
    """The SQL syntax of one database.

    JSON is built as text, by concatenation: no database parses JSON that it has just generated, and all share the same
    compiler. "JSON text" means an SQL expression whose value is JSON, never NULL.
    """

    # Scripts
    file_words: frozenset[str] = frozenset()
    """The suffixes of `FILE_WORDS` for this database."""
    script: ScriptRules = ScriptRules(quoted=r"`[^`]*`", blocks=r"(?!)")
    """How scripts are split into statements."""

    most_values = 4_000
    """Maximum number of values of one statement. Databases accept more, but take long for them."""
    largest_statement: int | None = None
    """Bytes that a statement with its values must not reach; None: no limit."""
    most_branches = 400  # SQLite joins no more than 500 selects
    """Maximum number of selects of one UNION."""
    column_limits: ColumnLimits = ColumnLimits()
    most_joined_conditions: int | None = None  # conditions on related entries to write as joins; None: all
    unjoined = "({}) IS TRUE"  # such a condition that the planner does not turn into a join
    rolls_back_tables = True
    """Whether a rolled back transaction undoes table changes. If not, each table change commits immediately."""

    # Values of statements

    later: str  # the timestamp `{new}`, or column `{old}` plus a millisecond if that is later

    @abstractmethod
    def parameter(self, parameter: Parameter) -> str:
        """Return the placeholder of a read parameter, cast to its kind."""

    @abstractmethod
    def placeholder(self, number: int, kind: ValueKind) -> str:
        """Return the placeholder of a value to store, counted from 1, cast to its kind."""

    @abstractmethod
    def bind(self, kind: ValueKind, value: Any) -> Any:
        """Convert a value to store to the driver's type. Instants are milliseconds since 1970; dates, times and JSON
        are texts. Texts are passed unchanged."""

    # Texts of a read

    aggregate: str
    """The aggregate function that concatenates the texts of rows."""
    counts_tables_at_once = False  # whether `count(*)` of a whole table does not read each row
    kept_table = "AS MATERIALIZED"
    """The text between a WITH table's name and its SELECT that materializes it."""
    keeps_tables = True  # whether a WITH table that is read twice is computed once
    pages_ids_first = False
    """Whether a page of ids is selected before JSON is built, because `join_ordered` builds the JSON of all rows."""
    plans_by_limit = False
    """Whether a constant LIMIT results in better plans than a bound one."""
    samples_texts = False  # whether column statistics include sample texts (`substring_sampling`)
    patterns_ignore_case = False  # whether LIKE is case-insensitive

    def concat(self, parts: Sequence[str]) -> str:
        """Concatenate texts; NULL counts as the empty text."""
        if len(parts) == 1:
            return parts[0]
        if len(parts) <= _MOST_ARGUMENTS:
            return f"concat({', '.join(parts)})"
        step = _MOST_ARGUMENTS
        return self.concat([self.concat(parts[start : start + step]) for start in range(0, len(parts), step)])

    def concat_or_null(self, *parts: str) -> str:
        """Concatenate texts; the result is NULL if one of them is."""
        return " || ".join(parts)

    def as_text(self, expression: str) -> str:
        """Convert a value to a display text."""
        return f"CAST({expression} AS text)"

    def join_rows(self, expression: str) -> str:
        """Concatenate the texts of all rows, separated by commas."""
        return f"{self.aggregate}({expression}, ',')"

    def join_ordered(self, rows: OrderedRows, alias: str) -> JoinedRows:
        """Concatenate the texts of rows in their order, separated by commas; `alias` can be used as a table's name."""
        order = "" if rows.sorted else f" ORDER BY {', '.join(rows.order)}{self.limit(rows.limit, rows.start)}"
        keys = f", {rows.keys} AS keys" if rows.keys else ""
        tables = f"(SELECT {rows.text} AS json{keys} FROM {rows.tables}{order}) {alias}"
        return JoinedRows(self.join_rows(f"{alias}.json"), self.join_rows(f"{alias}.keys") if rows.keys else "", tables)

    @abstractmethod
    def as_bytes(self, text: str) -> str:
        """Convert a text to UTF-8 bytes, so that the driver returns the response body without decoding it."""

    def answer(self, json: str, others: str, rest: str, largest: int, keys: str = "") -> str:
        """Return the statement: first column JSON text as bytes (may fail over `largest` bytes), last column `keys`."""
        return f"SELECT {self.as_bytes(json)}{others}{keys and ', '}{keys} {rest}"

    @abstractmethod
    def measured(self, joined: str, most: int) -> str:
        """Concatenate the rows' texts; fail as soon as all measured lists have more than `most` bytes in total."""

    @abstractmethod
    def limit(self, limit: str | None, start: str | None) -> str:
        """Return the LIMIT and OFFSET clause."""

    def join_each(self, table: str, alias: str, row_id: str) -> str:
        """Join a table on the id of the preceding tables, if these have few rows and the database cannot know."""
        return f" JOIN {table} {alias} ON {alias}.id = {row_id}"

    # JSON of a read

    def json_or_null(self, text: str, expression: str) -> str:
        """Return JSON text that is `null` if `text` is NULL, else the expression."""
        return f"CASE WHEN {text} IS NULL THEN 'null' ELSE {expression} END"

    def json_quoted(self, text: str) -> str:
        """Return JSON text of a text that needs no escaping (dates, numbers)."""
        return self.json_or_null(text, f"concat('\"', {text}, '\"')")

    @abstractmethod
    def json_scalar(self, kind: ValueKind, column: str) -> str:
        """Return JSON text of a column."""

    @abstractmethod
    def json_typed(self, kind: ValueKind, column: str) -> str:
        """Return JSON text of a column as in GraphQL: big integers are numbers within JavaScript's exact range, times
        have milliseconds."""

    def safe_integer(self, column: str, number: str) -> str:
        """Return JSON text of a big integer: `number` within JavaScript's exact range, else a string."""
        large = f"{column} NOT BETWEEN -{MAX_SAFE_INTEGER} AND {MAX_SAFE_INTEGER}"
        return f"CASE WHEN {large} THEN {self.json_scalar(ValueKind.BIG_INTEGER, column)} ELSE {number} END"

    def collated(self, text: str) -> str:
        """Return a text that can be combined with texts of other collations."""
        return text

    @abstractmethod
    def json_rows(self, columns: Sequence[str], rest: str) -> str:
        """Return the rows of a SELECT as one JSON value, each row an array. May be NULL without rows."""

    @abstractmethod
    def json_object(self, members: Mapping[str, str]) -> str:
        """Return JSON values by key as one JSON object, which the driver returns as bytes."""

    # Conditions of a read

    @abstractmethod
    def text_of(self, kind: ValueKind, column: str) -> str:
        """Convert a column to text for substring matching."""

    def folded(self, text: str) -> str:
        """Normalize a text for case-insensitive comparison."""
        return f"lower({text})"

    @abstractmethod
    def contains(self, text: str, part: str) -> str:
        """Test whether a text contains a part; both are plain text, without wildcards."""

    def contains_folded(self, text: str, part: str) -> str:
        """Like `contains`, ignoring case."""
        return self.contains(self.folded(text), self.folded(part))

    def contains_indexed(self, text: str, part: str) -> str:
        """Like `contains_folded`, written so that a substring index is used."""
        return self.contains_folded(text, part)

    @abstractmethod
    def starts_with(self, text: str, part: str) -> str:
        """Test whether a text starts with a part."""

    @abstractmethod
    def ends_with(self, text: str, part: str) -> str:
        """Test whether a text ends with a part."""

    nulls_are_largest = False
    """Whether NULL sorts after all values in ascending order."""

    def key(self, kind: ValueKind, number: int) -> str:
        """Return the placeholder of a sort value, counted from 1, as returned by `key_json`."""
        return self.mark(number)

    def key_json(self, values: Sequence[str]) -> str:
        """Return column values, exactly, as the text of a JSON array; the last one is an id."""
        return f"json_array({', '.join(values)})"

    @abstractmethod
    def comparable(self, kind: ValueKind, column: str, parameter: ParameterKind) -> str:
        """Convert a column so that it can be compared with a parameter of that kind."""

    def sorted(self, kind: ValueKind, column: str) -> str:
        """Return the expression by which entries are sorted."""
        del kind
        return column

    def test(self, test: Test, kind: ValueKind, column: str, parameters: Sequence[Parameter], fold: bool) -> str:
        """Compare a column with parameters, not negated."""
        values = [self.parameter(parameter) for parameter in parameters]
        if test in PATTERN_TESTS:
            text, part, operator = self.text_of(kind, column), values[0], getattr(self, test.value)
            if not (fold or self.patterns_ignore_case):
                return str(operator(text, part))
            if test is Test.CONTAINS:
                return self.contains_folded(text, part)
            return str(operator(self.folded(text), self.folded(part)))
        compared = self.comparable(kind, column, parameters[0].kind)
        if fold:
            compared = self.folded(self.text_of(kind, column))
            values = [self.folded(value) for value in values]
        return COMPARISONS[test].format(column=compared, value=values[0], last=values[-1], values=", ".join(values))

    # Writing. Tables and columns are quoted; rows are the expressions of their values.

    empty_row = "DEFAULT VALUES"
    """The text of an INSERT for a row without values."""
    nulls: Mapping[ValueKind, str] = {
        ValueKind.INTEGER: "CAST(NULL AS INTEGER)",
        ValueKind.STRING: "CAST(NULL AS VARCHAR(255))",
        ValueKind.FLOAT: "CAST(NULL AS DOUBLE PRECISION)",
    }
    """NULL cast to a type, for the columns of a UNION."""

    chain: Chain | None = None
    """Combines several writes in one statement; None if the database does not support it."""
    vacuum: Vacuum | None = None
    """Cleans up tables after large changes; None if the database does not need it."""

    def insert_missing(self, table: str, columns: str, select: str) -> str:
        """Insert the rows of an unconditional SELECT, skipping those that exist."""
        return f"INSERT INTO {table} ({columns}) {select} WHERE true ON CONFLICT DO NOTHING"

    row_lock: str
    """The clause of a SELECT that locks its rows; empty if there is a single writer."""
    transaction_number: str
    settled_before: str
    """The current transaction's id, and the id below which all are finished and visible; 0 with a single writer."""

    def table_writers(self, table: str) -> str | None:
        """Return the SQL that lists the running transactions that have written to a table; None with a single
        writer."""
        return None

    service_sessions: str
    """A statement that returns the number of other sessions of services; only for databases that are servers."""
    server_facts: str
    """A statement that returns one row: the server's name, its version, and the size of the database in bytes."""

    def rows(self, rows: Rows) -> str:
        """Return rows of values as a table `n`."""
        return f"(VALUES {_joined_rows(rows)}) n"

    def row_column(self, number: int) -> str:
        """Return a column of `rows`, counted from 1."""
        return f"n.column{number}"

    def update_from(self, table: str, settings: str, rows: Rows, condition: str) -> str:
        """Update the rows of a table that match one of `rows`."""
        return f"UPDATE {table} SET {settings} FROM {self.rows(rows)} WHERE {condition}"

    def among(self, columns: Sequence[str], places: Rows) -> str:
        """Test whether columns equal the values of one of these rows."""
        if len(columns) == 1:
            return f"{columns[0]} IN ({', '.join(place[0] for place in places)})"
        return f"({', '.join(columns)}) IN (VALUES {_joined_rows(places)})"

    # Defining tables

    id_column: str
    """The definition of an auto-generated `id`, after its name."""
    counter_column: str
    """The same for a 64-bit id that is never reused."""
    texts_by_collation = False
    """Whether the collations of columns decide which texts are equal, so that different texts can be."""
    table_options: str = ""
    """The text after the columns of a system table."""
    inline_indexes: bool = False
    """Whether the indexes of system tables are defined with the table, because a script is not a transaction."""
    booleans: tuple[str, str]  # false and true
    inline_keys: bool
    """Whether foreign keys must be defined with their table or column, and cannot be added later."""
    limits_index_texts = False
    """Whether an index contains only the beginning of a long text (`fit_index`)."""
    keys_hold_columns = False
    """Whether a column's foreign key must be dropped before the column and its indexes."""
    unique_constraints: bool
    """Whether unique columns need a constraint, not just an index."""
    is_shared = False  # whether processes on several machines can use one database
    aside: IndexStatements | None = None
    """Builds declared indexes while their tables are in use; None if they are created with the tables."""
    copies: ColumnCopies | None = None
    """Converts columns where each change of a table is committed immediately; None if transactions include them."""
    parts: SubstringIndexes | None = None
    totals: MaintainedCounts | None = None
    """Maintains substring indexes and row counts in separate tables; None if not supported."""
    versions: TableVersions | None = None
    """Tracks writes to tables by other programs; None if the driver itself detects them."""
    same_types: frozenset[tuple[str, str]] = frozenset()
    """Pairs of the database's types, existing and required, that are equivalent."""
    widenings: frozenset[tuple[str, str]] = frozenset()
    """Pairs of types, existing and required, whose conversion loses nothing."""
    type_families: tuple[frozenset[str], ...] = ()
    """Families of types, without lengths, that exchange values implicitly. Reading, comparing or writing fails if a
    column's type is of another family than the required one; types without a family are left to the database."""

    def contradicts(self, found: str, wanted: str) -> bool:
        """Return whether a column of type `found` cannot be used as one of type `wanted`."""
        families = [self._family(name) for name in (found, wanted)]
        return None not in families and families[0] != families[1]

    def _family(self, name: str) -> frozenset[str] | None:
        plain = _LENGTH.sub("", name)
        return next((family for family in self.type_families if plain in family), None)

    def default(self, value: Any) -> str:
        """Return the default value of a column."""
        if isinstance(value, bool):
            return self.booleans[value]
        return str(value) if isinstance(value, int | float) else self.literal(str(value))

    def system_column(self, column: str) -> str:
        """Return the definition of a system table's column in the database's own types."""
        return column

    @abstractmethod
    def change_type(self, table: str, column: Column, safe: bool) -> Statements:
        """Return the statements that change a column's type. Unless `safe`, values that do not fit are lost."""

    def index_terms(self, index: Index) -> str:
        """Return the columns or expressions of an index, for its parentheses."""
        return ", ".join(self.quote(name) + " DESC" * (name in index.descending) for name in index.columns)

    @abstractmethod
    def drop_index(self, table: str, index: Index) -> Statements:
        """Return the statements that drop an index if it exists."""

    def drop_foreign_key(self, table: str, key: str) -> str:
        """Return the statement that drops a foreign key."""
        return f"ALTER TABLE {self.quote(table)} DROP CONSTRAINT {self.quote(key)}"

    def rename_index(self, table: str, index: str, name: str) -> str | None:
        """Return the statement that renames an index, or None if it must be recreated."""
        del table, index, name
        return None

    def rename_foreign_key(self, table: str, key: str, name: str) -> str | None:
        """Return the statement that renames a foreign key, or None if its name does not matter."""
        del table, key, name
        return None

    def rename_table(self, table: str, name: str) -> str:
        """Return the statement that renames a table; indexes and foreign keys continue to refer to it."""
        return f"ALTER TABLE {self.quote(table)} RENAME TO {self.quote(name)}"

    def rename_column(self, table: str, column: str, name: str) -> str:
        """Return the statement that renames a column; indexes and foreign keys continue to refer to it."""
        return f"ALTER TABLE {self.quote(table)} RENAME COLUMN {self.quote(column)} TO {self.quote(name)}"

    def continue_ids(self, tables: Sequence[str]) -> str | None:
        """Return the statement that advances the id sequences past the rows of these tables and returns the tables
        whose sequences were behind. None if the database computes ids from the rows."""
        del tables
        return None


def _joined_rows(rows: Rows) -> str:
    return ", ".join(f"({', '.join(row)})" for row in rows)


_LENGTH: Final = re.compile(r"\([0-9, ]+\)")
