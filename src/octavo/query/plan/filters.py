"""Plan filters and sort parameters: paths become steps, operands become typed values.

A filter through a relation is true if *some* related entry matches or, without related entries, if nulls would match.
This equals the left joins of Strapi v4, without multiplying rows. Negation is pushed down to the tests, so `$not`
around a relation also means some related entry.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from octavo.query import ast
from octavo.query.ast import And, At, Compare, Filter, LinkedFrom, Not, Or, Sort, Unknown
from octavo.query.lifting import Lifted
from octavo.query.operators import PATTERN_TESTS, Operand, Operator, Test
from octavo.query.plan.nodes import (
    ALWAYS,
    NEVER,
    All,
    Any,
    Condition,
    Exists,
    Linked,
    Order,
    Parameter,
    ParameterKind,
    Step,
    Tested,
    Unused,
)
from octavo.query.plan.operands import Incomparable, Typed, read_operand
from octavo.query.plan.planning import DOTTED_I, LiftedParameter, Planning
from octavo.schema.attributes import PUBLISHED_AT, AnyAttribute, Media, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind

ID_KIND = ValueKind.BIG_INTEGER


def plan_filter(asked: Filter | None, definition: Definition, planning: Planning) -> Condition:
    """Return the condition of a sanitized filter on entries of `definition`. Raises ValidationError for bad
    operands."""
    if asked is None:
        return ALWAYS
    place = planning.place(definition) if isinstance(definition, ContentType) else None
    return _plan(asked, definition, planning, place, negated=False)


def plan_step(owner: Definition, attribute: AnyAttribute, planning: Planning, *, scoped: bool = True) -> Step:
    """Return the step along an attribute to its readable targets; with `scoped` False, to all targets.

    Raises TypeError for attributes without a single target type.
    """
    planning.join()
    target = planning.registry.target(attribute)
    if target is None:
        raise TypeError(f"{owner.uid}.{attribute.name} references several types of entries")
    scope = None  # files are readable with their entry
    if scoped and planning.access is not None and not isinstance(attribute, Media):
        scope = plan_scope(target, planning)
    return Step(owner, attribute, target, scope)


def plan_scope(target: Definition, planning: Planning) -> Condition | None:
    """Return the condition for reading entries of a type, or None. The condition itself ignores scopes."""
    if planning.access is None or not isinstance(target, ContentType):
        return None
    if target.uid not in planning.scopes:
        live = is_live(target, planning) if target.uid in planning.access.hides_drafts else ALWAYS
        scope = both(live, plan_filter(planning.access.scope(target.uid), target, planning.unscoped()))
        planning.scopes[target.uid] = None if scope == ALWAYS else scope
    return planning.scopes[target.uid]


def plan_guard(place: FieldPlace | None, name: str, planning: Planning) -> Condition | None:
    """Return the condition for reading a field of an entry, or None. The condition itself ignores scopes."""
    if place is None or planning.access is None:
        return None
    guard = planning.access.field_scope(place.uid, place.field(name))
    if guard is None:
        return None
    if (place.uid, guard) not in planning.guards:
        target = planning.registry.content_types[place.uid]
        planning.guards[place.uid, guard] = plan_filter(guard, target, planning.unscoped())
    return planning.guards[place.uid, guard]


def is_live(content_type: ContentType, planning: Planning) -> Condition:
    """Return the condition that entries of a type with drafts are published."""
    published_at = content_type.scalar(PUBLISHED_AT)
    if planning.hides_future:
        return Tested(published_at, Test.LESS_OR_EQUAL, (planning.now(),))
    return Tested(published_at, Test.NULL, negated=True)


def both(first: Condition, second: Condition) -> Condition:
    """Return the conjunction of both conditions, without those that are always true."""
    if first == ALWAYS:
        return second
    return first if second == ALWAYS else All((first, second))


def _plan(
    asked: Filter, definition: Definition, planning: Planning, place: FieldPlace | None, *, negated: bool
) -> Condition:
    match asked:
        case And(items=items) | Or(items=items):
            every = isinstance(asked, And) is not negated
            return _combine(items, lambda item: _plan(item, definition, planning, place, negated=negated), every=every)
        case Not(item=item):
            return _plan(item, definition, planning, place, negated=not negated)
        case At():
            return _plan_at(asked, definition, planning, place, negated=negated)
        case Compare():
            return _test(None, asked, planning, negated=negated)
        case LinkedFrom():
            owner = planning.registry.definition(asked.uid)
            step = plan_step(owner, owner.attributes[asked.attribute], planning, scoped=False)
            return Linked(step, planning.bind(ParameterKind.INTEGER, asked.entry_id), negated)
        case ast.Unused():
            return Unused(negated)
        case Unknown():
            return ALWAYS


def _combine(items: tuple[Filter, ...], plan: Callable[[Filter], Condition], *, every: bool) -> Condition:
    planned = tuple(plan(item) for item in items)
    if len(planned) == 1:
        return planned[0]
    return All(planned) if every or not planned else Any(planned)


def _plan_at(
    asked: At, definition: Definition, planning: Planning, place: FieldPlace | None, *, negated: bool
) -> Condition:
    attribute = definition.attributes.get(asked.attribute)
    if attribute is None or isinstance(attribute, Scalar):
        condition = _plan_scalar(attribute, asked.filter, planning, negated=negated)
    else:
        step = plan_step(definition, attribute, planning)
        below = None if place is None else place.below(attribute, step.target)
        inner = _plan(asked.filter, step.target, planning, below, negated=negated)
        condition = Exists(step, inner, or_nothing=matches_nulls(inner) is True)
    if place is None or place.way:
        return condition
    for guard in dict.fromkeys(_guards(asked, definition, planning, place)):
        condition = both(guard, condition)  # for an unreadable field, both a filter and its negation are false
    return condition


def _guards(asked: Filter, definition: Definition, planning: Planning, place: FieldPlace) -> Iterator[Condition]:
    """Yield the conditions for reading the fields that a filter uses, including fields in components."""
    match asked:
        case And(items=items) | Or(items=items):
            for item in items:
                yield from _guards(item, definition, planning, place)
        case Not(item=item):
            yield from _guards(item, definition, planning, place)
        case At(attribute=name, filter=inner):
            attribute = definition.attributes.get(name)
            if attribute is None:
                return
            guard = plan_guard(place, name, planning)
            if guard is not None:
                yield guard
            target = None if isinstance(attribute, Scalar) else planning.registry.target(attribute)
            if target is not None and not isinstance(target, ContentType):
                yield from _guards(inner, target, planning, place.below(attribute, target))


def _plan_scalar(attribute: Scalar | None, asked: Filter, planning: Planning, *, negated: bool) -> Condition:
    match asked:
        case And(items=items):
            return _combine(
                items, lambda item: _plan_scalar(attribute, item, planning, negated=negated), every=not negated
            )
        case Or(items=items):
            return _combine(items, lambda item: _plan_scalar(attribute, item, planning, negated=negated), every=negated)
        case Not(item=item):
            return _plan_scalar(attribute, item, planning, negated=not negated)
        case Compare():
            return _test(attribute, asked, planning, negated=negated)
        case At() | LinkedFrom() | ast.Unused() | Unknown():
            return ALWAYS


def _test(attribute: Scalar | None, asked: Compare, planning: Planning, *, negated: bool) -> Condition:
    operator = asked.operator
    negated = negated != operator.negated
    if operator.test is Test.NULL:
        return Tested(attribute, Test.NULL, negated=negated != (asked.values[0] in (False, None)))
    kind = SCALAR_TYPES[attribute.type].kind if attribute else ID_KIND
    if operator.test is Test.EQUAL and asked.values == (None,):
        return Tested(attribute, Test.NULL, negated=negated)
    if operator.test is Test.AMONG and not asked.values:
        return ALWAYS if negated else NEVER  # for nulls, too
    known = _without_nulls(asked, negated=negated)
    if known is None:
        return NEVER
    operands = _operands(kind, known)
    if kind is ID_KIND and operands is None:
        return _beside_numbers(attribute, asked, planning, negated=negated)
    parameters = tuple(planning.bind(*operand) for operand in operands or ())
    if not parameters:
        return Tested(attribute, Test.NULL, negated=True) if negated else NEVER
    _lift(kind, known, parameters, planning)
    tested = Tested(attribute, operator.test, parameters, negated, operator.ignores_case)
    return with_dotted_i(tested, str(asked.values[0]), planning) if operator.ignores_case else tested


def _lift(kind: ValueKind, asked: Compare, parameters: tuple[Parameter, ...], planning: Planning) -> None:
    """Record the parameters that accept other values: those of marked values that need no special condition."""
    operator = asked.operator
    if len(parameters) != len(asked.values):
        return
    for value, parameter in zip(asked.values, parameters, strict=True):
        if isinstance(value, Lifted) and not (operator.ignores_case and DOTTED_I in str(value)):
            read_as = _kind_of_operand(kind, operator)
            lifted = LiftedParameter(
                parameter.index, value.origin, read_as, parameter.kind, asked.path, operator.ignores_case
            )
            planning.lifted.append(lifted)


def with_dotted_i(tested: Tested, operand: str, planning: Planning) -> Condition:
    """Return a case-insensitive test that matches a capital dotted I only if the text contains one.

    Most collations of PostgreSQL lower it to a plain i, which matches nearly every text.
    """
    if DOTTED_I not in operand:
        return tested
    parameter = planning.bind(ParameterKind.TEXT, DOTTED_I)
    dotted = Tested(tested.attribute, Test.CONTAINS, (parameter,), tested.negated)
    return Any((tested, dotted)) if tested.negated else All((tested, dotted))


def _without_nulls(asked: Compare, *, negated: bool) -> Compare | None:
    """Return a comparison without its null values, or None if the result is unknown because of them."""
    if None not in asked.values or asked.operator.test in PATTERN_TESTS:
        return asked if asked.operator.operand is not Operand.PAIR or len(asked.values) == 2 else None
    values = tuple(value for value in asked.values if value is not None)
    is_answered = asked.operator.test is Test.AMONG and values and not negated
    return replace(asked, values=values) if is_answered else None


def _kind_of_operand(kind: ValueKind, operator: Operator) -> ValueKind:
    """Return the kind to compare as: patterns and case-insensitive comparisons treat every value as text."""
    return ValueKind.TEXT if operator.test in PATTERN_TESTS or operator.ignores_case else kind


def _operands(kind: ValueKind, asked: Compare) -> tuple[Typed, ...] | None:
    """Return the operands that can equal a stored value, or None if leaving out the others changes the result."""
    kind = _kind_of_operand(kind, asked.operator)
    operands = []
    for value in asked.values:
        try:
            operands.append(read_operand(kind, value, asked.path))
        except Incomparable:
            continue
    return tuple(operands) if len(operands) == len(asked.values) or asked.operator.test is Test.AMONG else None


def _beside_numbers(attribute: Scalar | None, asked: Compare, planning: Planning, *, negated: bool) -> Condition:
    """Compare a number with a value that is not a number: every number is less (observed)."""
    if asked.operator.test is Test.BETWEEN:
        least = _operands(ID_KIND, replace(asked, values=asked.values[:1]))
        if least:
            return Tested(attribute, Test.GREATER_OR_EQUAL, (planning.bind(*least[0]),), negated)
    is_met = asked.operator.test in (Test.LESS, Test.LESS_OR_EQUAL)
    return Tested(attribute, Test.NULL, negated=True) if is_met != negated else NEVER


def matches_nulls(condition: Condition) -> bool | None:
    """Return whether a row of nulls matches a condition, in SQL's three-valued logic (None: unknown)."""
    match condition:
        case Tested(test=Test.NULL, negated=negated):
            return not negated
        case Tested():
            return None
        case Exists(condition=inner):
            return matches_nulls(inner)
        case Linked() | Unused():
            return None
        case All(items=items):
            answers = [matches_nulls(item) for item in items]
            return False if False in answers else None if None in answers else True
        case Any(items=items):
            answers = [matches_nulls(item) for item in items]
            return True if True in answers else None if None in answers else False
        case _:
            return condition.value


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
