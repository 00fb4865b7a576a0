"""The table of operators."""

import pytest

from octavo.query import operators as op
from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.schema.scalar_types import ValueKind
from tests.dialects import DIALECTS


def test_rows_are_found_by_their_name() -> None:
    assert {name: row.name for name, row in op.OPERATORS.items()} == {name: name for name in op.OPERATORS}


@pytest.mark.parametrize(
    "name, opposite",
    [
        ("$eq", "$ne"),
        ("$eqi", "$nei"),
        ("$in", "$notIn"),
        ("$contains", "$notContains"),
        ("$containsi", "$notContainsi"),
        ("$null", "$notNull"),
    ],
)
def test_opposites_differ_only_in_negation(name: str, opposite: str) -> None:
    one, other = op.OPERATORS[name], op.OPERATORS[opposite]
    assert (one.test, one.operand, one.ignores_case) == (other.test, other.operand, other.ignores_case)
    assert (one.negated, other.negated) == (False, True)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("test", sorted(set(op.Test) - {op.Test.NULL}, key=str))
def test_every_dialect_supports_every_comparison_of_every_kind(dialect: str, test: op.Test) -> None:
    parameters = (Parameter(0, ParameterKind.TEXT), Parameter(1, ParameterKind.TEXT))
    for kind in ValueKind:
        assert "t.v" in DIALECTS[dialect].test(test, kind, "t.v", parameters, fold=True)
