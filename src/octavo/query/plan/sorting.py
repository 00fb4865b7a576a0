"""Plan sort parameters: paths become steps."""

from octavo.query.ast import Sort
from octavo.query.plan.filters import plan_guard, plan_step
from octavo.query.plan.nodes import Order, Step
from octavo.query.plan.planning import Planning
from octavo.schema.attributes import Scalar
from octavo.schema.content_types import ContentType, Definition


def plan_order(sorts: tuple[Sort, ...], definition: Definition, planning: Planning) -> tuple[Order, ...]:
    """Return the orders of a sanitized sort."""
    return tuple(_plan_sort(sort, definition, planning) for sort in sorts)


def _plan_sort(sort: Sort, definition: Definition, planning: Planning) -> Order:
    steps: list[Step] = []
    for name in sort.names:
        attribute = definition.attributes.get(name)
        if attribute is None or isinstance(attribute, Scalar):
            place = planning.place(definition) if not steps and isinstance(definition, ContentType) else None
            guard = None if attribute is None else plan_guard(place, name, planning)
            return Order(attribute, sort.descending, tuple(steps), guard)
        step = plan_step(definition, attribute, planning)
        steps.append(step)
        definition = step.target
    raise ValueError(f"the sort {'.'.join(sort.names)} ends in no scalar")
