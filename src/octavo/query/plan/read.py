"""Plan a sanitized Query as a ReadPlan."""

import math
from dataclasses import replace

from octavo.core.errors import ValidationError
from octavo.core.values import dataclass
from octavo.query.ast import ALL_LOCALES, Page
from octavo.query.cursors import NO_CURSOR
from octavo.query.numbers import js_number, reach_of
from octavo.query.operators import Test
from octavo.query.plan.answer_shape import answer_shape
from octavo.query.plan.entry_shape import Shaper, uses_relations, with_sorted_fields
from octavo.query.plan.filters import both, plan_filter, plan_guard, plan_order, with_dotted_i
from octavo.query.plan.nodes import (
    ALWAYS,
    NEVER,
    Any,
    Condition,
    LiteralShape,
    Parameter,
    ParameterKind,
    ReadPlan,
    ScalarShape,
    ScalarStyle,
    Seek,
    Selection,
    Shape,
    Slot,
    Tested,
)
from octavo.query.plan.operands import NUL
from octavo.query.plan.planning import MOST_JOINS, Access, LiftedParameter, Planning, Value
from octavo.query.plan.scopes import in_locales, published, visible
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.attributes import Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import NUMBER_KINDS, SCALAR_TYPES

_ALL_AT_ONCE = Page(with_count=False)
_NOTHING_SHOWN = Page(limit=0)


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, its parameter values by index, the page of a list, and the lifted parameters."""

    plan: ReadPlan
    values: tuple[Value, ...]
    page: Page | None = None
    lifted: tuple[LiftedParameter, ...] = ()


def plan_read(
    request: ReadRequest,
    registry: Registry,
    access: Access | None = None,
    most_joins: int = MOST_JOINS,
    *,
    hides_future: bool = False,
) -> Planned:
    """Return the plan for a request with a sanitized query, for callers with `access` (None: no restriction).

    The query defines the publication state and the locales; the request's `drafts` only decides whether the scope
    applies to the top level, which it does unless the entries were selected before. For an entry by id, `Slot.ID` is
    among the values. `hides_future`: entries with a future publication date are not live yet. Raises ValidationError if
    a value of the query is invalid, or if the plan needs more than `most_joins` joins.
    """
    query, content_type = request.query, request.content_type
    planning = Planning(registry, access, most_joins=most_joins, hides_future=hides_future)
    page = _page(request)
    selection = Selection(
        target=content_type,
        condition=both(_chosen(request, planning), _condition(request, planning)),
        order=plan_order(query.sort, content_type, planning),
        limit=_bound(page.limit, planning) if page else None,
        start=_bound(page.start or None, planning) if page else None,
        reach=reach_of(math.inf if page.limit is None else page.start + page.limit) if page else None,
    )
    if page is not None and page.keys:
        selection = replace(selection, seek=_seek(page, len(selection.order), planning))
    shape = _shape(request, planning)
    plan = ReadPlan(
        selection,
        shape,
        many=page is not None,
        with_count=page is not None and page.with_count,
        most_counted=_most_counted(page, planning) if page else None,
        with_keys=page is not None and page.after is not None,
    )
    return Planned(plan, tuple(planning.values), page, tuple(planning.lifted))


def _seek(page: Page, orders: int, planning: Planning) -> Seek:
    """Return the position that a page starts after. Raises ValidationError for a cursor of another order."""
    *keys, entry_id = page.keys
    if len(keys) != orders:
        raise ValidationError(NO_CURSOR)
    places = tuple(None if key is None else planning.bind(ParameterKind.KEY, key) for key in keys)
    return Seek(places, planning.bind(ParameterKind.INTEGER, int(entry_id or 0)))


def _most_counted(page: Page, planning: Planning) -> Parameter | None:
    """Return the counting limit: one more than the cap, so that a larger total is recognized."""
    if page.most_counted is None or not page.with_count:
        return None
    return planning.bind(ParameterKind.INTEGER, page.most_counted + 1)


def _page(request: ReadRequest) -> Page | None:
    """Return the page of a list, or None for a single entry."""
    match request.by:
        case By.ID:
            return None
        case By.LIST:
            return request.query.page or Page()
        case By.COUNT:
            return _NOTHING_SHOWN
        case By.SINGLE:
            locales = request.query.locales or ()
            is_whole = locales == (ALL_LOCALES,) and request.query.locale_filter is None
            is_whole = is_whole and request.projection is Form.REST and request.content_type.localized
            return _ALL_AT_ONCE if is_whole else None


def _chosen(request: ReadRequest, planning: Planning) -> Condition:
    if request.by is not By.ID:
        return ALWAYS
    return Tested(None, Test.EQUAL, (planning.bind(ParameterKind.INTEGER, Slot.ID),))


def _shape(request: ReadRequest, planning: Planning) -> Shape:
    query, content_type, projection = request.query, request.content_type, request.projection
    if not isinstance(projection, Form):
        return answer_shape(projection, content_type, planning)
    if projection is Form.ID:
        return ScalarShape(None, ScalarStyle.TEXT)
    if request.by is By.COUNT:
        return LiteralShape("0")
    place = planning.place(content_type)
    is_flat = projection in (Form.FLAT, Form.SERVICE)
    shaper = Shaper(planning, query.publication_state, is_flat, wraps_morphs=request.wraps_morphs, place=place)
    if uses_relations(query, content_type):
        query = with_sorted_fields(query, content_type)
    return shaper.entry(query, content_type) if projection is Form.FLAT else shaper.top_entry(query, content_type)


def _condition(request: ReadRequest, planning: Planning) -> Condition:
    query, content_type = request.query, request.content_type
    condition = plan_filter(query.filters, content_type, planning)
    if request.drafts is Drafts.ANY:
        condition = both(condition, published(content_type, query.publication_state, planning))
    else:
        condition = both(condition, visible(content_type, query.publication_state, planning))
    condition = both(condition, in_locales(content_type, query.locales, planning))
    if query.locale_filter is not None and isinstance(content_type, ContentType) and content_type.localized:
        condition = both(condition, plan_filter(query.locale_filter, content_type, planning))
    return both(condition, search(query.search, content_type, planning, private=request.searches_private))


def search(text: str | None, content_type: Definition, planning: Planning, *, private: bool = False) -> Condition:
    """Return the condition for `_q`: some visible text attribute contains the text; numbers also match numbers and ids.

    `private`: private attributes are searched as well.
    """
    if text is None:
        return ALWAYS
    if NUL in text:
        return NEVER
    is_number = math.isfinite(js_number(text))
    place = planning.place(content_type)
    attributes = [
        item
        for item in content_type.scalars
        if (private or not item.private) and _is_searched(item, is_number) and planning.shows(place, item.name)
    ]
    searched = (*attributes, None) if is_number else attributes
    if not searched:
        return NEVER
    needle = planning.bind(ParameterKind.TEXT, text)
    tests = (Tested(attribute, Test.CONTAINS, (needle,), ignores_case=True) for attribute in searched)
    return Any(tuple(_guarded(with_dotted_i(test, text, planning), test.attribute, place, planning) for test in tests))


def _guarded(found: Condition, attribute: Scalar | None, place: FieldPlace | None, planning: Planning) -> Condition:
    guard = None if place is None or attribute is None else plan_guard(place, attribute.name, planning)
    return found if guard is None else both(guard, found)


def _is_searched(attribute: Scalar, is_number: bool) -> bool:
    scalar_type = SCALAR_TYPES[attribute.type]
    return scalar_type.searchable or (is_number and scalar_type.kind in NUMBER_KINDS)


def _bound(value: int | None, planning: Planning) -> Parameter | None:
    return None if value is None else planning.bind(ParameterKind.INTEGER, value)
