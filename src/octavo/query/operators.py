"""Filter operators, one row each. A new operator is a row here and, for a new comparison, a method of the dialects.

Names and meanings are those of the service document ("Filters"), plus those only Strapi v4 knows (observed.md, 4).
"""

from enum import Enum

from octavo.core.values import dataclass


class Test(Enum):
    """The comparison of an operator. Every dialect implements each of them."""

    EQUAL = "equal"
    LESS = "less"
    LESS_OR_EQUAL = "less_or_equal"
    GREATER = "greater"
    GREATER_OR_EQUAL = "greater_or_equal"
    AMONG = "among"
    BETWEEN = "between"
    CONTAINS = "contains"
    STARTS_WITH = "starts_with"
    ENDS_WITH = "ends_with"
    NULL = "null"


PATTERN_TESTS = frozenset({Test.CONTAINS, Test.STARTS_WITH, Test.ENDS_WITH})
"""Tests that match substrings."""


class Operand(Enum):
    """The number of values that an operator takes."""

    ONE = "one"
    MANY = "many"
    PAIR = "pair"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: its test, whether it ignores case, and whether it is negated.

    A negated operator excludes nulls, as in SQL (observed.md, 4).
    """

    name: str
    test: Test
    operand: Operand = Operand.ONE
    negated: bool = False
    ignores_case: bool = False


def _table(*rows: Operator) -> dict[str, Operator]:
    return {row.name: row for row in rows}


OPERATORS = _table(
    Operator("$eq", Test.EQUAL),
    Operator("$eqi", Test.EQUAL, ignores_case=True),
    Operator("$ne", Test.EQUAL, negated=True),
    Operator("$nei", Test.EQUAL, negated=True, ignores_case=True),
    Operator("$lt", Test.LESS),
    Operator("$lte", Test.LESS_OR_EQUAL),
    Operator("$gt", Test.GREATER),
    Operator("$gte", Test.GREATER_OR_EQUAL),
    Operator("$in", Test.AMONG, Operand.MANY),
    Operator("$notIn", Test.AMONG, Operand.MANY, negated=True),
    Operator("$between", Test.BETWEEN, Operand.PAIR),
    Operator("$contains", Test.CONTAINS),
    Operator("$notContains", Test.CONTAINS, negated=True),
    Operator("$containsi", Test.CONTAINS, ignores_case=True),
    Operator("$notContainsi", Test.CONTAINS, negated=True, ignores_case=True),
    Operator("$startsWith", Test.STARTS_WITH),
    Operator("$startsWithi", Test.STARTS_WITH, ignores_case=True),
    Operator("$endsWith", Test.ENDS_WITH),
    Operator("$endsWithi", Test.ENDS_WITH, ignores_case=True),
    Operator("$null", Test.NULL, Operand.FLAG),
    Operator("$notNull", Test.NULL, Operand.FLAG, negated=True),
)
LOGICAL = frozenset({"$and", "$or", "$not"})
EQUALS = OPERATORS["$eq"]
IS_IN = OPERATORS["$in"]
