"""Parse arguments of generated fields to a Query: filters, pagination, sort, publication state, locale."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from octavo.api.graphql.schema.js_values import plain_text
from octavo.core.errors import PaginationError, ValidationError
from octavo.core.values import dataclass
from octavo.query.ast import And, At, Compare, Filter, Not, Or, Page, Path, PublicationState, Query
from octavo.query.lifting import copy_mark
from octavo.query.numbers import exact_number, page_count
from octavo.query.operators import OPERATORS, Operand, Operator, Test
from octavo.query.sorting import read_sort

_NO_LOCALE: Final = ""  # matches no entry
_LOGIC: Final = frozenset({"and", "or", "not"})
_SEVERAL: Final = frozenset({Operand.MANY, Operand.PAIR})
_MIXED: Final = "Cannot use both page & offset pagination in the same query"


@dataclass(frozen=True, slots=True)
class ListLimits:
    """Page sizes: the default and the maximum (`defaultLimit`, `amountLimit`), and the maximum `values` of a response.

    `page` is the maximum that a request can ask for (`maxLimit`). With None, `most` applies.
    """

    default: int = 10
    most: int = 100
    values: int = 500_000
    page: int | None = None


def read_arguments(arguments: Mapping[str, Any], limits: ListLimits, path: Path) -> Query:
    """Return the Query of a field's arguments. Raises ValidationError and subclasses, pagination errors first."""
    page = read_page(arguments.get("pagination") or {}, limits)
    return Query(
        filters=read_filters(arguments.get("filters"), (*path, "filters")),
        sort=read_sort([item for item in arguments.get("sort") or () if item is not None], (*path, "sort")),
        page=page,
        publication_state=_read_state(arguments),
        locales=(_locale(arguments["locale"]),) if "locale" in arguments else None,
    )


def _read_state(arguments: Mapping[str, Any]) -> PublicationState | None:
    """Return the publication state. As in v4, null also shows drafts."""
    if "publicationState" not in arguments:
        return None
    return PublicationState(arguments["publicationState"] or PublicationState.PREVIEW)


class RequestedPage(NamedTuple):
    """A page as requested, before limits apply: its size (None: all entries) and number.

    `by_offset`: whether it is selected by its first entry.
    """

    size: int | None
    number: int
    by_offset: bool = False

    def at(self, start: int, limit: int) -> "RequestedPage":
        """Return the page of the same size that starts at this entry. Pages of `limit` entries are read."""
        if self.size is None:
            return self
        return RequestedPage(self.size, start // (self.size if self.by_offset else limit) + 1, self.by_offset)

    def is_cut(self, page: Page) -> bool:
        """Return whether limits have reduced the page size."""
        return self.size != page.limit


class PageInfo(NamedTuple):
    """The pagination in `meta`."""

    number: int
    size: int
    pages: int
    total: int
    after: bytes = b"null"
    """The cursor after this page, as JSON."""


def read_requested_page(given: Mapping[str, Any], page: Page, limits: ListLimits) -> RequestedPage:
    """Return the requested page. `page` is the one to read."""
    if given.get("limit") == -1 and limits.page is None:
        return RequestedPage(None, 1)
    least = page.limit or 1
    wanted = given.get("pageSize", given.get("limit"))
    size = max(wanted or least, least)
    size = size if limits.page is None else min(size, max(limits.page, least))
    by_offset = given.get("start") is not None or given.get("limit") is not None
    return RequestedPage(size, page.start // size + 1 if by_offset else page.number or 1, by_offset)


def page_info(asked: RequestedPage, page: Page, total: int, cursor: str | None = None) -> PageInfo:
    """Return the pagination for `meta`: the requested page if it has all entries, else the page that was read."""
    after = b"null" if cursor is None else b'"%b"' % cursor.encode()
    size, number = asked.size, asked.number
    if total > (page.limit or 1):
        size, number = page.limit or 1, page.number or 1
    if size is None:
        return PageInfo(1, total - page.start, 1, total, after)
    return PageInfo(number, size, page_count(total, size), total, after)


def read_page(given: Mapping[str, Any], limits: ListLimits) -> Page:
    """Return the page to read, numbered even if it was requested with `start` and `limit`. Raises PaginationError."""
    asked = {key: value for key, value in given.items() if value is not None}
    by_page, by_offset = asked.keys() & {"page", "pageSize"}, asked.keys() & {"start", "limit"}
    if by_page and by_offset:
        raise PaginationError(_MIXED)
    if "after" in asked:
        return _page_behind(asked, limits)
    if by_page:
        size = min(max(asked.get("pageSize", 1), 1), limits.most)
        number = max(asked.get("page", 1), 1)
        return Page(start=(number - 1) * size, limit=size, number=number)
    limit = asked.get("limit", 1 if "start" in asked and "limit" in given else limits.default)
    limit = limits.most if limit == -1 else min(max(limit, 1), limits.most)
    start = max(asked.get("start", 0), 0)
    return Page(start=start, limit=limit, number=start // limit + 1)


def _page_behind(asked: Mapping[str, Any], limits: ListLimits) -> Page:
    """Return the page after a cursor. Its size is `pageSize` or `limit`."""
    if asked.keys() & {"page", "start"}:
        raise ValidationError("Invalid pagination: pagination.after takes no page and no start")
    sized = {key: value for key, value in asked.items() if key != "after"}
    return replace(read_page(sized, limits), after=asked["after"])


def read_filters(given: Mapping[str, Any] | None, path: Path) -> Filter | None:
    """Return the filter of a `filters` argument, or None if it is empty."""
    if not given:
        return None
    return And(items=tuple(_condition(key, value, (*path, key)) for key, value in given.items()))


def _condition(key: str, value: Any, path: Path) -> Filter:
    if key in _LOGIC:
        return _logic(key, value, path)
    return At(attribute=key, filter=_of_attribute(value, path), path=path)


def _logic(word: str, value: Any, path: Path) -> Filter:
    if word == "not":
        return Not(item=read_filters(value, path) or And(items=()))
    items = tuple(read_filters(item, path) or And(items=()) for item in value or ())
    return Or(items=items) if word == "or" else And(items=items)


def _of_attribute(value: Any, path: Path) -> Filter:
    """Return the conditions on an attribute: operators on its value or, for relations, conditions on linked entries."""
    if value is None:
        return Compare(operator=OPERATORS["$eq"], values=(None,), path=path)
    if not isinstance(value, Mapping):
        return And(items=())  # within JSON, any value is valid
    return And(items=tuple(_entry(key, item, (*path, key)) for key, item in value.items()))


def _entry(key: str, value: Any, path: Path) -> Filter:
    if key in _LOGIC:
        return _logic_of_attribute(key, value, path)
    operator = OPERATORS.get(f"${key}")
    if operator is not None and isinstance(value, Mapping):
        return And(items=())  # objects cannot be compared and are ignored
    if operator is None:
        return At(attribute=key, filter=_of_attribute(value, path), path=path)
    if isinstance(value, list) and operator.operand not in _SEVERAL:
        return _listed(operator, value, path)
    values = tuple(value) if isinstance(value, list) and operator.operand in _SEVERAL else (value,)
    return Compare(operator=operator, values=tuple(map(_plain, values)), path=path)


def _listed(operator: Operator, values: list[Any], path: Path) -> Filter:
    """Return a condition on a list, for JSON attributes:

    `contains` matches any item, other operators the whole list.
    """
    if not values:
        return And(items=())
    if operator.test is not Test.CONTAINS:
        return Compare(operator=operator, values=(values,), path=path)  # type: ignore[arg-type]
    return Or(items=tuple(Compare(operator=operator, values=(plain_text(item),), path=path) for item in values))


def _plain(value: Any) -> Any:
    """Convert whole floats to integers, as JavaScript formats them: they can be compared with text."""
    return copy_mark(value, exact_number(value)) if isinstance(value, float) else value


def _logic_of_attribute(word: str, value: Any, path: Path) -> Filter:
    if word == "not":
        return Not(item=_of_attribute(value, path))
    items = tuple(
        _of_attribute(item, path)
        if isinstance(item, Mapping)
        else Compare(operator=OPERATORS["$eq"], values=(_plain(item),), path=path)
        for item in (value if isinstance(value, list) else ())
    )
    return Or(items=items) if word == "or" else And(items=items)


def _locale(value: Any) -> str:
    """Return a locale. Variables can have any type; invalid values match no entry."""
    return value if isinstance(value, str) and value else _NO_LOCALE
