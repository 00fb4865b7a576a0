"""Dialect: the points where databases differ in how a read is said, each one short method.

A statement's JSON is built as text, by concatenation: no database parses JSON it has just written, and the same
compiler serves all of them. "JSON text" below means an SQL expression whose value is JSON, never NULL.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from octavo.plan.nodes import Parameter, ParameterKind
from octavo.query.operators import Test
from octavo.schema.values import ValueKind

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""The largest whole number up to which JavaScript's numbers are exact."""

_MOST_ARGUMENTS = 90  # PostgreSQL takes 100 arguments for a function
LEAST_BYTES: Final = 16
"""What an empty list with its name adds to an answer."""
NEGATIVE_LIMIT = "-1"


def quote(name: str) -> str:
    """An identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A constant text (names, JSON keys, defaults of definitions): never a caller's value."""
    return "'" + text.replace("'", "''") + "'"


class Dialect(ABC):
    """How one database says things."""

    name: str
    aggregate: str
    counts_tables_at_once = False
    """Whether all rows of a table are counted without looking at each."""
    patterns_ignore_case = False

    def concat(self, parts: Sequence[str]) -> str:
        """The texts one after another; NULL counts as nothing."""
        if len(parts) == 1:
            return parts[0]
        if len(parts) <= _MOST_ARGUMENTS:
            return f"concat({', '.join(parts)})"
        chunks = [parts[start : start + _MOST_ARGUMENTS] for start in range(0, len(parts), _MOST_ARGUMENTS)]
        return self.concat([self.concat(chunk) for chunk in chunks])

    def join_rows(self, expression: str) -> str:
        """All rows' texts, separated by commas."""
        return f"{self.aggregate}({expression}, ',')"

    def answer(self, json: str, others: str, rest: str, largest: int) -> str:
        """The statement whose first column is the JSON text as bytes; one of more than `largest` bytes may fail."""
        return f"SELECT {self.as_bytes(json)}{others} {rest}"

    @abstractmethod
    def measured(self, joined: str, most: int) -> str:
        """The rows' texts; fails once all lists that are measured have more than `most` bytes together."""

    def json_or_null(self, text: str, expression: str) -> str:
        """JSON text that is `null` where `text` is NULL, else the expression."""
        return f"CASE WHEN {text} IS NULL THEN 'null' ELSE {expression} END"

    def json_quoted(self, text: str) -> str:
        """JSON text of a text that needs no escaping (dates, numbers)."""
        return self.json_or_null(text, f"concat('\"', {text}, '\"')")

    @abstractmethod
    def as_bytes(self, text: str) -> str:
        """A text as UTF-8 bytes, so that the driver hands over what goes out."""

    @abstractmethod
    def parameter(self, parameter: Parameter) -> str:
        """The placeholder of a parameter, as a value of its kind."""

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
    def text_of(self, kind: ValueKind, column: str) -> str:
        """A column as text, to look for parts of it."""

    def folded(self, text: str) -> str:
        """A text without regard to case."""
        return f"lower({text})"

    @abstractmethod
    def contains(self, text: str, part: str) -> str:
        """Whether a text contains a part; both are plain text, without wildcards."""

    @abstractmethod
    def starts_with(self, text: str, part: str) -> str:
        """Whether a text starts with a part."""

    @abstractmethod
    def ends_with(self, text: str, part: str) -> str:
        """Whether a text ends with a part."""

    @abstractmethod
    def comparable(self, kind: ValueKind, column: str, parameter: ParameterKind) -> str:
        """A column as it can be compared with a parameter of that kind."""

    @abstractmethod
    def limit(self, limit: str | None, start: str | None) -> str:
        """The clause that cuts a page out of ordered rows."""

    def test(self, test: Test, kind: ValueKind, column: str, parameters: Sequence[Parameter], fold: bool) -> str:
        """A comparison of a column with parameters, not negated."""
        values = [self.parameter(parameter) for parameter in parameters]
        if test in _PATTERNS:
            text, part = self.text_of(kind, column), values[0]
            if fold or self.patterns_ignore_case:
                text, part = self.folded(text), self.folded(part)
            return str(getattr(self, _PATTERNS[test])(text, part))
        compared = self.comparable(kind, column, parameters[0].kind)
        if fold:
            compared = self.folded(self.text_of(kind, column))
            values = [self.folded(value) for value in values]
        return _COMPARISONS[test].format(column=compared, value=values[0], last=values[-1], values=", ".join(values))


_PATTERNS = {Test.CONTAINS: "contains", Test.STARTS_WITH: "starts_with", Test.ENDS_WITH: "ends_with"}
_COMPARISONS = {
    Test.EQUAL: "{column} = {value}",
    Test.LESS: "{column} < {value}",
    Test.LESS_OR_EQUAL: "{column} <= {value}",
    Test.GREATER: "{column} > {value}",
    Test.GREATER_OR_EQUAL: "{column} >= {value}",
    Test.AMONG: "{column} IN ({values})",
    Test.BETWEEN: "{column} BETWEEN {value} AND {last}",
}
