"""Filter operators: one row per operator. Adding one is a row here and, where it compares anew, a dialect's method.

Names and meanings are the service document's ("Filters"), with those that only the reference knows (observed.md, 4).
"""

from enum import Enum

from octavo.core.values import dataclass


class Test(Enum):
    """What an operator compares. Every database dialect has one method for each."""

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
"""Those that look for parts of texts."""


class Operand(Enum):
    """How many values an operator takes."""

    ONE = "one"
    MANY = "many"
    PAIR = "pair"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator: what it tests, whether it ignores case, whether it says the opposite.

    A negated operator excludes nulls, as SQL's own do (observed.md, 4).
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
