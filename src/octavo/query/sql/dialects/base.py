"""Dialect: the points where databases differ in what is said to them, each one short method or value.

There is one object for each database. Everybody is given it with the database (`database.dialect`) and asks it; nobody
asks which one it is. A new database is a subclass in a file beside this one, and a driver.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final

from octavo.query.numbers import MAX_SAFE_INTEGER
from octavo.query.operators import PATTERN_TESTS, Test
from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.tables import Column
from octavo.query.sql.dialects.chains import Chain
from octavo.query.sql.dialects.column_limits import ColumnLimits
from octavo.query.sql.dialects.concurrent_indexes import AsideIndexes
from octavo.query.sql.dialects.introspection import Introspection
from octavo.query.sql.dialects.maintained_counts import KeptTotals
from octavo.query.sql.dialects.substring_indexes import KeptParts
from octavo.query.sql.dialects.table_versions import TableVersions
from octavo.query.sql.script import ScriptRules
from octavo.schema.scalar_types import ValueKind

COMPARISONS: Final[Mapping[Test, str]] = {
    Test.EQUAL: "{column} = {value}",
    Test.LESS: "{column} < {value}",
    Test.LESS_OR_EQUAL: "{column} <= {value}",
    Test.GREATER: "{column} > {value}",
    Test.GREATER_OR_EQUAL: "{column} >= {value}",
    Test.AMONG: "{column} IN ({values})",
    Test.BETWEEN: "{column} BETWEEN {value} AND {last}",
}


_MOST_ARGUMENTS: Final = 90  # PostgreSQL takes 100 arguments for a function
FILE_WORDS: Final = frozenset({"sqlite", "postgresql", "postgres", "mysql", "mariadb"})
"""Words in names of files that say which database a file is for: `name.sqlite.sql`."""
Statements = tuple[str, ...]
Rows = Sequence[Sequence[str]]


class Dialect(ABC):
    """How one database is spoken to.

    A statement's JSON is built as text, by concatenation: no database parses JSON it has just written, and the same
    compiler serves all of them. "JSON text" means an SQL expression whose value is JSON, never NULL.
    """

    name: str
    """For people (logs, tests), never to decide by."""
    # Scripts
    file_words: frozenset[str] = frozenset()
    """Those of `FILE_WORDS` that mean this database."""
    script: ScriptRules = ScriptRules(quoted=r"`[^`]*`", blocks=r"(?!)")
    """How scripts are cut into statements."""

    most_values = 4_000
    """How many values one statement may carry. Databases take more, but would be at it for long."""
    most_branches = 400  # SQLite joins no more than 500 selects
    """How many selects one UNION may have."""
    longest_name: int | None = None
    """Bytes of the longest name of a table, column or index."""
    column_limits = ColumnLimits()
    most_joined_conditions: int | None = None  # conditions on related entries that the planner may join; None: all

    # Names and constant texts

    name_mark = '"'
    """What stands around a name."""

    def quote(self, name: str) -> str:
        """An identifier."""
        mark = self.name_mark  # asked for each name of a statement: not by way of another function
        return f"{mark}{name.replace(mark, mark + mark)}{mark}"

    def literal(self, text: str) -> str:
        """A constant text (names, JSON keys, defaults of definitions): never a caller's value."""
        return "'" + text.replace("'", "''") + "'"

    # Values of statements

    later: str  # the moment `{new}`, or a millisecond behind what column `{old}` holds where that is later

    @abstractmethod
    def mark(self, number: int) -> str:
        """The placeholder of the value with that number, counted from 1; its type is what the place asks for."""

    @abstractmethod
    def parameter(self, parameter: Parameter) -> str:
        """The placeholder of a parameter of a read, as a value of its kind."""

    @abstractmethod
    def placeholder(self, number: int, kind: ValueKind) -> str:
        """The placeholder of a value to be stored, counted from 1, as a value of its kind."""

    @abstractmethod
    def bind(self, kind: ValueKind, value: Any) -> Any:
        """A value to be stored as the driver takes it. Instants are milliseconds since 1970; days, times and JSON are
        text. Texts are taken as they are."""

    @abstractmethod
    def instant(self, milliseconds: str) -> str:
        """Milliseconds since 1970, UTC, as an instant is stored."""

    @abstractmethod
    def milliseconds(self, instant: str) -> str:
        """A stored instant in milliseconds since 1970, UTC."""

    # Texts of a read

    aggregate: str
    """The function that joins the texts of rows."""
    counts_tables_at_once = False  # whether all rows of a table are counted without looking at each
    kept_table = "AS MATERIALIZED"
    """What stands between the name of a table of WITH and its rows, so that they are made once."""
    plans_by_limit = False
    """Whether a constant number of rows makes a better plan than one that comes as a value."""
    samples_texts = False  # whether some texts of each column are known, which tell what is rare (`sampled_parts`)
    patterns_ignore_case = False  # whether parts of texts are found without regard to case

    def concat(self, parts: Sequence[str]) -> str:
        """The texts one after another; NULL counts as nothing."""
        if len(parts) == 1:
            return parts[0]
        if len(parts) <= _MOST_ARGUMENTS:
            return f"concat({', '.join(parts)})"
        step = _MOST_ARGUMENTS
        return self.concat([self.concat(parts[start : start + step]) for start in range(0, len(parts), step)])

    def concat_or_null(self, *parts: str) -> str:
        """The texts one after another; NULL as soon as one is."""
        return " || ".join(parts)

    def as_text(self, expression: str) -> str:
        """A value as text, for people."""
        return f"CAST({expression} AS text)"

    def join_rows(self, expression: str) -> str:
        """All rows' texts, separated by commas."""
        return f"{self.aggregate}({expression}, ',')"

    @abstractmethod
    def as_bytes(self, text: str) -> str:
        """A text as UTF-8 bytes, so that the driver hands over what goes out."""

    def answer(self, json: str, others: str, rest: str, largest: int, keys: str = "") -> str:
        """The statement whose first column is the JSON text as bytes (over `largest` it may fail), the last `keys`."""
        return f"SELECT {self.as_bytes(json)}{others}{keys and ', '}{keys} {rest}"

    @abstractmethod
    def measured(self, joined: str, most: int) -> str:
        """The rows' texts; fails once all lists that are measured have more than `most` bytes together."""

    @abstractmethod
    def limit(self, limit: str | None, start: str | None) -> str:
        """The clause that cuts a page out of ordered rows."""

    def join_each(self, table: str, alias: str, row_id: str) -> str:
        """Joins the row of an id of the tables before, where these are few and the database does not know."""
        return f" JOIN {table} {alias} ON {alias}.id = {row_id}"

    # JSON of a read

    def json_or_null(self, text: str, expression: str) -> str:
        """JSON text that is `null` where `text` is NULL, else the expression."""
        return f"CASE WHEN {text} IS NULL THEN 'null' ELSE {expression} END"

    def json_quoted(self, text: str) -> str:
        """JSON text of a text that needs no escaping (dates, numbers)."""
        return self.json_or_null(text, f"concat('\"', {text}, '\"')")

    @abstractmethod
    def json_scalar(self, kind: ValueKind, column: str) -> str:
        """JSON text of a column."""

    @abstractmethod
    def json_typed(self, kind: ValueKind, column: str) -> str:
        """JSON text of a column as GraphQL has it: big integers are numbers where JavaScript's are exact, times have
        milliseconds."""

    def safe_integer(self, column: str, number: str) -> str:
        """JSON text of a big integer: the `number` as long as JavaScript's numbers are exact, else a string."""
        large = f"{column} NOT BETWEEN -{MAX_SAFE_INTEGER} AND {MAX_SAFE_INTEGER}"
        return f"CASE WHEN {large} THEN {self.json_scalar(ValueKind.BIG_INTEGER, column)} ELSE {number} END"

    @abstractmethod
    def json_rows(self, columns: Sequence[str], rest: str) -> str:
        """The rows of a SELECT as one value of the database's JSON type, each an array. May be NULL without rows."""

    @abstractmethod
    def json_object(self, members: Mapping[str, str]) -> str:
        """Values of the database's JSON type by key, as JSON that the driver hands over as bytes."""

    # Conditions of a read

    @abstractmethod
    def text_of(self, kind: ValueKind, column: str) -> str:
        """A column as text, to look for parts of it."""

    def folded(self, text: str) -> str:
        """A text without regard to case."""
        return f"lower({text})"

    @abstractmethod
    def contains(self, text: str, part: str) -> str:
        """Whether a text contains a part; both are plain text, without wildcards."""

    def contains_folded(self, text: str, part: str) -> str:
        """The same without regard to case."""
        return self.contains(self.folded(text), self.folded(part))

    def contains_indexed(self, text: str, part: str) -> str:
        """The same, as an index for parts of texts finds it."""
        return self.contains_folded(text, part)

    @abstractmethod
    def starts_with(self, text: str, part: str) -> str:
        """Whether a text starts with a part."""

    @abstractmethod
    def ends_with(self, text: str, part: str) -> str:
        """Whether a text ends with a part."""

    nulls_are_largest = False
    """Whether what has no value comes behind everything that has one."""

    def key(self, kind: ValueKind, number: int) -> str:
        """The placeholder of what an entry is sorted by, counted from 1, as `key_json` has told it."""
        return self.mark(number)

    def key_json(self, values: Sequence[str]) -> str:
        """Values of the types that columns have as the text of a JSON array, exactly; the last one is an id."""
        return f"json_array({', '.join(values)})"

    @abstractmethod
    def comparable(self, kind: ValueKind, column: str, parameter: ParameterKind) -> str:
        """A column as it can be compared with a parameter of that kind."""

    def test(self, test: Test, kind: ValueKind, column: str, parameters: Sequence[Parameter], fold: bool) -> str:
        """A comparison of a column with parameters, not negated."""
        values = [self.parameter(parameter) for parameter in parameters]
        if test in PATTERN_TESTS:
            text, part, found = self.text_of(kind, column), values[0], getattr(self, test.value)
            if not (fold or self.patterns_ignore_case):
                return str(found(text, part))
            if test is Test.CONTAINS:
                return self.contains_folded(text, part)
            return str(found(self.folded(text), self.folded(part)))
        compared = self.comparable(kind, column, parameters[0].kind)
        if fold:
            compared = self.folded(self.text_of(kind, column))
            values = [self.folded(value) for value in values]
        return COMPARISONS[test].format(column=compared, value=values[0], last=values[-1], values=", ".join(values))

    # Writing. Tables and columns come quoted, rows as the expressions of their values.

    empty_row = "DEFAULT VALUES"
    """What an INSERT says for a row without values."""
    nulls: Mapping[ValueKind, str] = {
        ValueKind.INTEGER: "CAST(NULL AS INTEGER)",
        ValueKind.STRING: "CAST(NULL AS VARCHAR(255))",
        ValueKind.FLOAT: "CAST(NULL AS DOUBLE PRECISION)",
    }
    """NULL as a value of a type, for the columns of a UNION."""

    def returning(self, *columns: str) -> str:
        """The end of a statement that answers columns of the rows it writes: the new ones, or those it has removed.

        A driver whose database has no such clause knows these statements by what is said here, and answers for it.
        """
        return f"RETURNING {', '.join(columns)}"

    chain: Chain | None = None
    """Several statements that write as one; None where they go one by one."""

    def on_conflict(self, *keys: str) -> str:
        """Return the text between the row of an INSERT and the columns to set where a row has these keys, in order."""
        return f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET"

    def proposed(self, column: str) -> str:
        """What a column was to get from the row that is there already."""
        return f"excluded.{column}"

    def insert_missing(self, table: str, columns: str, select: str) -> str:
        """Insert the rows of a SELECT without conditions, but for those that are there."""
        return f"INSERT INTO {table} ({columns}) {select} WHERE true ON CONFLICT DO NOTHING"

    row_lock: str
    """The end of a SELECT that locks its rows; empty where writers take turns."""
    transaction_number: str
    settled_before: str
    """The number of the transaction it is written in, 0 where they take turns; below which all are over, and read."""
    server_facts: str
    """A statement that answers one row: what runs it, in which version, and how many bytes the database has."""

    def rows(self, rows: Rows) -> str:
        """Rows of values as a table `n`."""
        return f"(VALUES {_joined_rows(rows)}) n"

    def row_column(self, number: int) -> str:
        """A column of `rows`, counted from 1."""
        return f"n.column{number}"

    def update_from(self, table: str, settings: str, rows: Rows, condition: str) -> str:
        """Update the rows of a table that meet the condition with one of `rows`."""
        return f"UPDATE {table} SET {settings} FROM {self.rows(rows)} WHERE {condition}"

    def among(self, columns: Sequence[str], places: Rows) -> str:
        """Whether columns have the values of one of these places."""
        if len(columns) == 1:
            return f"{columns[0]} IN ({', '.join(place[0] for place in places)})"
        return f"({', '.join(columns)}) IN (VALUES {_joined_rows(places)})"

    # Defining tables

    column_types: Mapping[str, str]
    """The database's own types by the words of `tables.Column.type`."""
    id_column: str
    """What follows the name of an `id` that the database gives."""
    counter_column: str
    """The same for one that counts on for ever, beyond 32 bits; no number comes twice."""
    booleans: tuple[str, str]  # false and true
    inline_keys: bool
    """Whether foreign keys are told with their table or column, and never later."""
    unique_constraints: bool
    """Whether what is unique is a constraint, not just an index."""
    partial_indexes = True
    """Whether an index may have a condition. Where not, those that ask for one are left out: they only make haste."""
    finds_parts = False
    """Whether an index can find parts of texts. Where not, those that ask for it are left out."""
    is_shared = False  # whether processes of several machines may be on one database
    aside: AsideIndexes | None = None
    """How declared indexes are made while their tables are in use; None where they are made with all else."""
    parts: KeptParts | None = None
    totals: KeptTotals | None = None
    """How indexes for parts of texts, and totals, are kept beside the tables; None where they are not."""
    versions: TableVersions | None = None
    """How it is followed who writes to which table; None where the driver knows that anybody has written."""
    same_types: frozenset[tuple[str, str]] = frozenset()
    """Pairs of the database's own types, found and wanted, between which there is nothing to do."""
    widenings: frozenset[tuple[str, str]] = frozenset()
    """Pairs of types, found and wanted, where the change loses nothing."""
    type_families: tuple[frozenset[str], ...] = ()
    """Types, without their lengths, among which values come and go. Reading, comparing or writing fails where a column
    belongs to another family than the one wanted; one that belongs to none is left to the database."""

    def contradicts(self, found: str, wanted: str) -> bool:
        """Whether a column of type `found` cannot be used as one of type `wanted`."""
        families = [self._family(name) for name in (found, wanted)]
        return None not in families and families[0] != families[1]

    def _family(self, name: str) -> frozenset[str] | None:
        plain = _LENGTH.sub("", name)
        return next((family for family in self.type_families if plain in family), None)

    def default(self, value: Any) -> str:
        """The default value of a column."""
        if isinstance(value, bool):
            return self.booleans[value]
        return str(value) if isinstance(value, int | float) else self.literal(str(value))

    @abstractmethod
    def change_type(self, table: str, column: Column, safe: bool) -> Statements:
        """What gives a column that is there the type of `column`. Unless `safe`, what that cannot hold is lost."""

    def index_terms(self, index: Index) -> str:
        """What an index is made of, in its parentheses."""
        return ", ".join(self.quote(name) + " DESC" * (name in index.descending) for name in index.columns)

    @abstractmethod
    def drop_index(self, table: str, index: Index) -> Statements:
        """What removes an index, if it is there."""

    def rename_index(self, index: str, name: str) -> str | None:
        """What gives an index another name; None where it has to be made anew."""
        del index, name
        return None

    def rename_foreign_key(self, table: str, key: str, name: str) -> str | None:
        """What gives a foreign key another name; None where they have none that matters."""
        del table, key, name
        return None

    def rename_table(self, table: str, name: str) -> str:
        """What gives a table another name; indexes and foreign keys go on to mean it."""
        return f"ALTER TABLE {self.quote(table)} RENAME TO {self.quote(name)}"

    def rename_column(self, table: str, column: str, name: str) -> str:
        """What gives a column another name; indexes and foreign keys go on to mean it."""
        return f"ALTER TABLE {self.quote(table)} RENAME COLUMN {self.quote(column)} TO {self.quote(name)}"

    # Finding tables

    introspection: Introspection

    def continue_ids(self, tables: Sequence[str]) -> str | None:
        """The statement that moves the counters of ids on behind the rows of these tables, and answers the tables whose
        counters were behind. None where the database looks at the rows itself."""
        del tables
        return None


def _joined_rows(rows: Rows) -> str:
    return ", ".join(f"({', '.join(row)})" for row in rows)


_LENGTH: Final = re.compile(r"\([0-9, ]+\)")
