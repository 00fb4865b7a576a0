"""Lifted parameters of a plan: how to convert a new value for each of them."""

from typing import Any

from octavo.core.errors import ValidationError
from octavo.core.values import dataclass
from octavo.query.ast import Path
from octavo.query.lifting import Origin, OtherPlan
from octavo.query.numbers import exact_number
from octavo.query.plan.nodes import ParameterKind
from octavo.query.plan.operands import Incomparable, read_operand
from octavo.schema.scalar_types import ValueKind

DOTTED_I = "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"
"""Case-insensitive tests on texts with it need another condition."""


@dataclass(frozen=True, slots=True, eq=False)
class LiftedParameter:
    """The parameter at an index of a plan's values, converted from a `kind` operand to a `parameter`."""

    index: int
    origin: Origin
    kind: ValueKind
    parameter: ParameterKind
    path: Path
    ignores_case: bool

    def read(self, value: Any) -> str | int | float | bool:
        """Return another value for the parameter. Raises OtherPlan."""
        if not isinstance(value, str | int | float):
            raise OtherPlan
        try:
            parameter, operand = read_operand(
                self.kind, exact_number(value) if isinstance(value, float) else value, self.path
            )
        except (Incomparable, ValidationError) as error:
            raise OtherPlan from error
        if parameter is not self.parameter or (self.ignores_case and DOTTED_I in str(value)):
            raise OtherPlan
        return operand
