"""Planning state: the registry for resolving names, and the values of a plan, numbered as parameters."""

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
