"""plan_read: a sanitized Query becomes a ReadPlan. The stages read as a table of contents."""

import math
from dataclasses import dataclass, replace

from octavo.plan.answers import answer_shape
from octavo.plan.context import Bound, Planning
from octavo.plan.filters import plan_filter
from octavo.plan.nodes import (
    ALWAYS,
    NEVER,
    Any,
    Condition,
    Parameter,
    ParameterKind,
    ReadPlan,
    ScalarShape,
    ScalarStyle,
    Selection,
    Shape,
    Tested,
)
from octavo.plan.operands import NUL
from octavo.plan.populate import Shaper, leads_elsewhere, with_sorted_fields
from octavo.plan.scopes import both, in_locales, published
from octavo.plan.sorting import plan_order
from octavo.query.answer import Answer
from octavo.query.ast import Page, Query
from octavo.query.numbers import js_number
from octavo.query.operators import Test
from octavo.schema.attributes import Scalar
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.schema.values import NUMBER_KINDS, SCALAR_TYPES


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan and the values of its parameters, by index."""

    plan: ReadPlan
    values: tuple[Bound, ...]


def plan_list(query: Query, content_type: ContentType, registry: Registry, *, raw: bool = False) -> Planned:
    """Decide how to answer a list; `raw` is without `attributes`, `data` and `meta` all the way down.

    Raises ValidationError when a value of the query cannot be read.
    """
    planning = Planning(registry, hidden_drafts=query.hidden_drafts)
    page = query.page or Page()
    condition = _condition(query, content_type, planning)
    selection = Selection(
        target=content_type,
        condition=condition,
        order=plan_order(query.sort, content_type, planning),
        limit=_bound(page.limit, planning),
        start=_bound(page.start or None, planning),
    )
    shape = _shape(query, content_type, planning, raw)
    return Planned(ReadPlan(selection, shape, with_count=page.with_count), tuple(planning.values))


def plan_answer(
    query: Query, content_type: ContentType, registry: Registry, answer: Answer, *, many: bool, by_id: bool = False
) -> Planned:
    """Decide how to give an answer of the door's own making: a list, an entry by id (see `plan_one`), a single one."""
    planning = Planning(registry, hidden_drafts=query.hidden_drafts)
    condition: Condition = ALWAYS
    if by_id:
        condition = Tested(None, Test.EQUAL, (planning.bind(ParameterKind.INTEGER, 0),))
    condition = both(condition, _condition(query, content_type, planning))
    page = query.page or Page()
    selection = Selection(
        content_type,
        condition,
        plan_order(query.sort, content_type, planning),
        _bound(page.limit, planning) if many else None,
        _bound(page.start or None, planning) if many else None,
    )
    plan = ReadPlan(
        selection,
        answer_shape(answer, content_type, planning),
        many=many,
        with_count=many and page.with_count,
    )
    return Planned(plan, tuple(planning.values))


def plan_every(query: Query, content_type: ContentType, registry: Registry) -> Planned:
    """Decide how to answer all entries at once: a single type in all its locales."""
    return plan_list(replace(query, page=Page(with_count=False)), content_type, registry)


def plan_one(query: Query, content_type: ContentType, registry: Registry, *, by_id: bool, raw: bool = False) -> Planned:
    """Decide how to answer a single entry; `raw` as for a list.

    With `by_id`, value 0 is a place-holder (0) for the entry's id; the caller puts the id there.
    """
    planning = Planning(registry, hidden_drafts=query.hidden_drafts)
    condition: Condition = ALWAYS
    if by_id:
        entry_id = planning.bind(ParameterKind.INTEGER, 0)
        condition = Tested(None, Test.EQUAL, (entry_id,))
    condition = both(condition, _condition(query, content_type, planning))
    order = plan_order(query.sort, content_type, planning)
    shape = _shape(query, content_type, planning, raw)
    return Planned(ReadPlan(Selection(content_type, condition, order), shape, many=False), tuple(planning.values))


def plan_id(query: Query, content_type: ContentType, registry: Registry) -> Planned:
    """Decide how to find the id of a single type's entry; the answer is the bare number."""
    planning = Planning(registry, hidden_drafts=query.hidden_drafts)
    selection = Selection(content_type, _condition(query, content_type, planning))
    return Planned(ReadPlan(selection, ScalarShape(None, ScalarStyle.TEXT), many=False), tuple(planning.values))


def _shape(query: Query, content_type: ContentType, planning: Planning, raw: bool) -> Shape:
    shaper = Shaper(planning, query.publication_state, raw=raw)
    if leads_elsewhere(query, content_type):
        query = with_sorted_fields(query, content_type)
    return shaper.entry(query, content_type) if raw else shaper.top_entry(query, content_type)


def _condition(query: Query, content_type: ContentType, planning: Planning) -> Condition:
    condition = plan_filter(query.filters, content_type, planning)
    condition = both(condition, published(content_type, query.publication_state))
    condition = both(condition, in_locales(content_type, query.locales, planning))
    return both(condition, search(query.search, content_type, planning))


def search(text: str | None, content_type: ContentType, planning: Planning) -> Condition:
    """`_q`: some visible text attribute contains the text; a number is looked for in numbers and in the id too."""
    if text is None:
        return ALWAYS
    if NUL in text:
        return NEVER
    is_number = math.isfinite(js_number(text))
    attributes = [item for item in content_type.scalars() if _is_searched(item, is_number)]
    searched = (*attributes, None) if is_number else attributes
    if not searched:
        return NEVER
    needle = planning.bind(ParameterKind.TEXT, text)
    return Any(tuple(Tested(attribute, Test.CONTAINS, (needle,), ignores_case=True) for attribute in searched))


def _is_searched(attribute: Scalar, is_number: bool) -> bool:
    scalar_type = SCALAR_TYPES[attribute.type]
    return not attribute.private and (scalar_type.searchable or (is_number and scalar_type.kind in NUMBER_KINDS))


def _bound(value: int | None, planning: Planning) -> Parameter | None:
    return None if value is None else planning.bind(ParameterKind.INTEGER, value)
