"""Comparisons that every database says in the same way."""

from collections.abc import Mapping
from typing import Final

from octavo.query.operators import Test

COMPARISONS: Final[Mapping[Test, str]] = {
    Test.EQUAL: "{column} = {value}",
    Test.LESS: "{column} < {value}",
    Test.LESS_OR_EQUAL: "{column} <= {value}",
    Test.GREATER: "{column} > {value}",
    Test.GREATER_OR_EQUAL: "{column} >= {value}",
    Test.AMONG: "{column} IN ({values})",
    Test.BETWEEN: "{column} BETWEEN {value} AND {last}",
}
