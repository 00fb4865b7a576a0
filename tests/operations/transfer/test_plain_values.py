"""Values that a target cannot store."""

import pytest

from octavo.operations.transfer.rows.plain_values import obstacle
from octavo.query.sql.dialects.column_limits import MARIADB
from octavo.schema.scalar_types import ValueKind


@pytest.mark.parametrize("number, fits", [("99999999.994", True), ("99999999.996", False), ("-99999999.996", False)])
def test_decimals_are_compared_as_they_are_rounded(number: str, fits: bool) -> None:
    found = obstacle(ValueKind.DECIMAL, number, MARIADB, rounded=True)
    assert found == (None if fits else "is not less than 100000000")
