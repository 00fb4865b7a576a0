"""Planning: the registry to resolve names in, and the values met on the way, numbered as parameters."""

from dataclasses import dataclass, field

from octavo.plan.nodes import Parameter, ParameterKind, Step
from octavo.query.ast import PublicationState
from octavo.schema.attributes import AnyAttribute
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

Bound = str | int | float | bool


@dataclass(slots=True)
class Planning:
    """The state of one planning: `values[i]` belongs to the parameter with index i."""

    registry: Registry
    values: list[Bound] = field(default_factory=list)
    hidden_drafts: frozenset[str] = frozenset()

    def bind(self, kind: ParameterKind, value: Bound) -> Parameter:
        """A parameter for a value."""
        self.values.append(value)
        return Parameter(len(self.values) - 1, kind)

    def step(self, owner: Definition, attribute: AnyAttribute) -> Step:
        """The step along an attribute. Raises TypeError for attributes that lead to no single kind."""
        target = self.registry.target(attribute)
        if target is None:
            raise TypeError(f"{owner.uid}.{attribute.name} leads to no single kind of entry")
        return Step(owner, attribute, target, published_only=target.uid in self.hidden_drafts)

    def state(self, target: Definition, asked: PublicationState | None) -> PublicationState | None:
        """The publication state in which entries of a type are read somewhere below the top."""
        return PublicationState.LIVE if target.uid in self.hidden_drafts else asked
