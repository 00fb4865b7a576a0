"""Planning: the registry to resolve names in, and the values met on the way, numbered as parameters."""

from collections.abc import Collection
from dataclasses import field
from typing import Protocol

from octavo.core.errors import ValidationError
from octavo.core.values import dataclass
from octavo.query.ast import Filter
from octavo.query.plan.lifted import LiftedParameter
from octavo.query.plan.nodes import Condition, Parameter, ParameterKind, Slot
from octavo.query.plan.read_limits import MOST_JOINS
from octavo.schema.content_types import Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry

Bound = str | int | float | bool
Value = Bound | Slot
"""What a parameter stands for: a value, or the place for one that is bound when the statement runs."""


class Access(Protocol):
    """What may be read by those a read is planned for. `limits_fields`: whether `reads` has to be asked;
    `knows_private`: whether private attributes are shown where they are named."""

    limits_fields: bool
    knows_private: bool
    hides_drafts: Collection[str]
    """The content-types of which what is not published is not there."""

    def reads(self, uid: str, field: str) -> bool:
        """Whether a field of a content-type, named as `FieldPlace` names it, may be shown and searched."""

    def field_scope(self, uid: str, field: str) -> Filter | None:
        """Of which entries in scope a field that is read may be shown and searched; None: of all of them."""

    def scope(self, uid: str) -> Filter | None:
        """Which entries of a content-type may be read; None: all of them."""


@dataclass(slots=True)
class Planning:
    """The state of one planning: `values[i]` belongs to the parameter with index i. Without `access` all is read.

    `scopes` are the conditions of content-types whose scope was planned already: each has its parameters once.
    `guards` likewise are those of fields that are there in some entries only.
    `hides_future`: what is to be published in the future is not live yet.
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
    """Those of the parameters whose values other values can take the place of."""
    _now: Parameter | None = None

    def bind(self, kind: ParameterKind, value: Value) -> Parameter:
        """A parameter for a value, or for one to come."""
        self.values.append(value)
        return Parameter(len(self.values) - 1, kind)

    def unscoped(self) -> "Planning":
        """A planning for conditions of our own, which may be about anything; its values are among these."""
        return Planning(self.registry, values=self.values)

    def now(self) -> Parameter:
        """The moment at which the statement will run; one value, however often it is asked for."""
        if self._now is None:
            self._now = self.bind(ParameterKind.INSTANT, Slot.NOW)
        return self._now

    def join(self) -> None:
        """Count one more table that the statement looks into. Raises ValidationError when they are too many."""
        self.joins += 1
        if self.joins > self.most_joins:
            raise ValidationError(
                f"The request takes more than {self.most_joins} joins, the most that `reads.joins` in config/api.toml "
                "allows: ask for fewer relations, components or levels"
            )

    @property
    def knows_private(self) -> bool:
        """Whether private attributes are shown where they are named."""
        return self.access is not None and self.access.knows_private

    def place(self, definition: Definition) -> FieldPlace | None:
        """Where the fields of a definition are; None where every field may be read."""
        return FieldPlace(definition.uid) if self.access is not None and self.access.limits_fields else None

    def shows(self, place: FieldPlace | None, name: str) -> bool:
        """Whether an attribute at a place may be read, of some entries at least: see `plan_guard`."""
        return place is None or self.access is None or self.access.reads(place.uid, place.field(name))
