"""Planning state: the registry for resolving names, the values of a plan, and the limits of a read."""

from collections.abc import Collection
from dataclasses import field
from typing import Any, Final, Protocol

from octavo.core.errors import ValidationError
from octavo.core.values import dataclass
from octavo.query.ast import Filter, Path
from octavo.query.lifting import Origin, OtherPlan
from octavo.query.numbers import exact_number
from octavo.query.plan.nodes import Condition, Parameter, ParameterKind, Slot
from octavo.query.plan.operands import Incomparable, read_operand
from octavo.query.read_cost import MOST_COST
from octavo.schema.content_types import Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import ValueKind

MOST_JOINS: Final = 1_000
LARGEST_STATEMENT: Final = 512 * 1024
_LEAST_STATEMENT: Final = 16 * 1024
_MOST_STATEMENT: Final = 64 * 1024**2
LONGEST_WORK: Final = 5.0
LEAST_BYTES: Final = 16
"""Minimum bytes that an empty list adds to a response, with its name."""


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Limits of a read: joined tables, bytes of the statement, cost, and a timeout in seconds for reads whose size or
    text the caller chooses."""

    joins: int = MOST_JOINS
    statement: int = LARGEST_STATEMENT
    cost: int = MOST_COST
    seconds: float = LONGEST_WORK


def limits_by_cost(cost: int, seconds: float = LONGEST_WORK) -> ReadLimits:
    """Return limits in proportion to the maximum cost."""
    return ReadLimits(
        joins=max(1, MOST_JOINS * cost // MOST_COST),
        statement=min(max(_LEAST_STATEMENT, LARGEST_STATEMENT * cost // MOST_COST), _MOST_STATEMENT),
        cost=cost,
        seconds=seconds,
    )


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


Bound = str | int | float | bool
Value = Bound | Slot
"""A parameter's value, or a placeholder for a value that is bound when the statement runs."""


class Access(Protocol):
    """The caller's read permissions. `limits_fields`: `reads` must be called for fields; `knows_private`: private
    attributes are returned if requested by name."""

    limits_fields: bool
    knows_private: bool
    hides_drafts: Collection[str]
    """Content types whose drafts the caller cannot read."""

    def reads(self, uid: str, field: str) -> bool:
        """Return whether a field of a content type, named as by `FieldPlace`, can be read and searched."""

    def field_scope(self, uid: str, field: str) -> Filter | None:
        """Return the filter on entries whose field can be read and searched; None: all entries in scope."""

    def scope(self, uid: str) -> Filter | None:
        """Return the filter on entries of a content type that can be read; None: all."""


@dataclass(slots=True)
class Planning:
    """The state of planning one read. `values[i]` belongs to the parameter with index i. Without `access`, all is
    readable.

    `scopes` caches the planned scope conditions of content types, so that their parameters are bound once; `guards`
    does the same for the conditions of fields that are readable on some entries only. `hides_future`: entries with a
    future publication date are not live yet.
    """

    registry: Registry
    access: Access | None = None
    values: list[Value] = field(default_factory=list)
    scopes: dict[str, Condition | None] = field(default_factory=dict)
    guards: dict[tuple[str, Filter], Condition] = field(default_factory=dict)
    most_joins: int = MOST_JOINS
    joins: int = 0
    hides_future: bool = False
    lifted: list[LiftedParameter] = field(default_factory=list)
    """The parameters that accept other values."""
    _now: Parameter | None = None

    def bind(self, kind: ParameterKind, value: Value) -> Parameter:
        """Return a new parameter for a value or a slot."""
        self.values.append(value)
        return Parameter(len(self.values) - 1, kind)

    def unscoped(self) -> "Planning":
        """Return a planning for server-side conditions, without read permissions. It shares this planning's values."""
        return Planning(self.registry, values=self.values)

    def now(self) -> Parameter:
        """Return the parameter for the time of the read. It is bound once, however often it is used."""
        if self._now is None:
            self._now = self.bind(ParameterKind.INSTANT, Slot.NOW)
        return self._now

    def join(self) -> None:
        """Count one more joined table. Raises ValidationError if there are too many."""
        self.joins += 1
        if self.joins > self.most_joins:
            raise ValidationError(
                f"The request needs more than {self.most_joins} joins. Its limit follows from `reads.maxCost` "
                "in config/api.toml. Request fewer relations, components or levels"
            )

    @property
    def knows_private(self) -> bool:
        """Whether private attributes are returned if requested by name."""
        return self.access is not None and self.access.knows_private

    def place(self, definition: Definition) -> FieldPlace | None:
        """Return the path of a definition's fields, or None if every field is readable."""
        return FieldPlace(definition.uid) if self.access is not None and self.access.limits_fields else None

    def shows(self, place: FieldPlace | None, name: str) -> bool:
        """Return whether an attribute is readable on at least some entries (see `plan_guard`)."""
        return place is None or self.access is None or self.access.reads(place.uid, place.field(name))
