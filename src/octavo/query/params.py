"""Parse query parameters to a Query. `access.authorization.query_sanitizer` checks the names."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from octavo.core.errors import PaginationError, ValidationError
from octavo.core.values import dataclass
from octavo.query.ast import ALL_LOCALES, Filter, Page, Path, PublicationState, Query
from octavo.query.filters import read_filters
from octavo.query.numbers import MAX_SAFE_INTEGER, js_number, page_count
from octavo.query.populate import MAX_LEVELS, levels, read_populate, too_deep
from octavo.query.sorting import read_sort
from octavo.schema.attributes import LOCALE

_COUNT_FLAGS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
_STATES = {state.value: state for state in PublicationState}
_PAGING_KEYS = ("page", "pageSize", "start", "limit")


@dataclass(frozen=True, slots=True)
class PageLimits:
    """The `[rest]` settings for pagination: default page size, maximum page size, and whether totals are counted."""

    default_limit: int = 25
    max_limit: int | None = 100
    with_count: bool = True


def read_query(params: Mapping[str, Any], limits: PageLimits | None = None, *, split_fields: bool = False) -> Query:
    """Return the Query for the parameters of a request. Without `limits`, pagination parameters are ignored.

    `split_fields`: `fields` may be a comma-separated list (the rule `fieldLists`). Raises ValidationError or a subclass
    with the path of the invalid parameter.
    """
    query = _read_level(params, (), read_page(params, limits) if limits else None, split_fields)
    if levels(query) > MAX_LEVELS:
        raise too_deep(("populate",))
    return query


def _read_nested(params: Mapping[str, Any], path: Path, *, split_fields: bool) -> Query:
    return _read_level(params, path, _read_nested_page(params, path), split_fields)


def _read_level(params: Mapping[str, Any], path: Path, page: Page | None, split_fields: bool) -> Query:
    read_nested = partial(_read_nested, split_fields=split_fields)
    populate, everything = read_populate(params.get("populate"), (*path, "populate"), read_nested)
    # Relations ignore the parameter (observed).
    locales, locale_filter = (None, None) if path else _read_locale(params.get("locale"))
    return Query(
        fields=_read_fields(params.get("fields"), (*path, "fields"), split_fields),
        filters=read_filters(params.get("filters"), (*path, "filters")),
        sort=read_sort(params.get("sort"), (*path, "sort")),
        populate=populate,
        populate_all=everything,
        page=page,
        publication_state=_read_state(params.get("publicationState"), (*path, "publicationState")),
        locales=locales,
        locale_filter=locale_filter,
        search=_read_search(params.get("_q")),
    )


def _read_fields(value: Any, path: Path, split: bool) -> tuple[str, ...] | None:
    if value is None:
        return None
    if split and isinstance(value, str):
        value = [name.strip() for name in value.split(",")]
    values = value if isinstance(value, list) else [value]
    if isinstance(value, dict) or not all(isinstance(item, str) for item in values):
        raise ValidationError(f"Invalid fields: expected names at {'.'.join(path)}")
    return None if "*" in values else tuple(dict.fromkeys(values))


def _read_state(value: Any, path: Path) -> PublicationState | None:
    if value is None:
        return None
    state = _STATES.get(value) if isinstance(value, str) else None
    if state is None:
        raise ValidationError(f"Invalid {'.'.join(path)}: expected live or preview")
    return state


def _read_locale(value: Any) -> tuple[tuple[str, ...] | None, Filter | None]:
    """Return the requested locales and, for an object, the filter on the locale (as observed in Strapi v4).

    In a list, `all` and values that are not texts are ignored.
    """
    if isinstance(value, dict) and value:
        if len(value) > 1 or next(iter(value)) not in ("$eq", "$in"):
            return (ALL_LOCALES,), read_filters({LOCALE: value}, ())
        value = next(iter(value.values()))
        value = value if isinstance(value, list) else [value]
    if isinstance(value, list):
        return tuple(dict.fromkeys(item for item in value if isinstance(item, str) and item != ALL_LOCALES)), None
    if value is not None and not isinstance(value, str):
        raise ValidationError("Invalid locale: expected a locale code at locale")
    return (None if value is None else (value,)), None


def _read_search(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise ValidationError("Invalid search: expected text at _q")
    return value


def read_page(params: Mapping[str, Any], limits: PageLimits) -> Page:
    """Return the page of `pagination`, within the configured limits. Raises ValidationError, PaginationError."""
    if any(key in params for key in _PAGING_KEYS):
        raise PaginationError(
            "Invalid pagination attributes. You cannot use page and offset pagination in the same query"
        )
    given = params.get("pagination")
    if not isinstance(given, dict):
        given = {}
    by_page, by_offset = "page" in given or "pageSize" in given, "start" in given or "limit" in given
    if by_page and by_offset:
        raise ValidationError("Invalid pagination parameters. Expected either start/limit or page/pageSize")
    with_count, most_counted = _read_with_count(given.get("withCount"), limits), _read_most_counted(given)
    if "after" in given:
        return replace(_page_after(given, limits), with_count=with_count, most_counted=most_counted)
    page = _read_counted_page(given, limits, by_offset=by_offset)
    return replace(page, with_count=with_count, most_counted=most_counted)


def _read_most_counted(given: Mapping[str, Any]) -> int | None:
    """Return the cap for counting the total, or None if the request has none."""
    most = _whole(given, "maxCount", 0, minimum=None) if "maxCount" in given else None
    if most is not None and most < 0:
        raise ValidationError("Invalid pagination: expected a whole number, at least 0, at pagination.maxCount")
    return most


def _page_after(given: Mapping[str, Any], limits: PageLimits) -> Page:
    """Return the page after a cursor; its size is given as `pageSize` or `limit`."""
    after = given["after"]
    if "page" in given or "start" in given:
        raise ValidationError("Invalid pagination: pagination.after cannot be combined with page or start")
    if not isinstance(after, str):
        raise ValidationError("Invalid pagination: expected a string at pagination.after")
    key = "pageSize" if "pageSize" in given else "limit"
    return Page(limit=_bounded(_whole(given, key, limits.default_limit, minimum=1), limits), after=after)


def _read_counted_page(given: Mapping[str, Any], limits: PageLimits, *, by_offset: bool) -> Page:
    if by_offset:
        return _offset_page(given, limits)
    number = _whole(given, "page", 1, minimum=1)
    size = _bounded(_whole(given, "pageSize", limits.default_limit, minimum=1), limits)
    start = min((number - 1) * size, MAX_SAFE_INTEGER)
    return Page(start=start, limit=size, number=number)


def read_plain_page(params: Mapping[str, Any]) -> Page:
    """Return the page of a plugin's list: top-level `limit` and `start`; all entries without them."""
    return replace(_all_or_part(params, ""), with_count=False)


def _offset_page(given: Mapping[str, Any], limits: PageLimits) -> Page:
    start = _whole(given, "start", 0, minimum=0)
    limit = _whole(given, "limit", limits.default_limit, minimum=None)
    if limit == -1:
        limit = limits.max_limit if limits.max_limit is not None else -1
    limit = max(limit, 1) if limit != -1 else limit
    return Page(start=start, limit=None if limit == -1 else _bounded(limit, limits))


def _bounded(limit: int, limits: PageLimits) -> int:
    return limit if limits.max_limit is None else min(limit, limits.max_limit)


def _whole(given: Mapping[str, Any], key: str, default: int, minimum: int | None, place: str = "pagination.") -> int:
    if key not in given:
        return default
    value = given[key]
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    number = js_number(value)
    if math.isnan(number) or (not math.isinf(number) and number != int(number)):
        raise ValidationError(f"Invalid pagination: expected a whole number at {place}{key}")
    whole = MAX_SAFE_INTEGER if number > MAX_SAFE_INTEGER else int(max(number, -2))
    return whole if minimum is None else max(whole, minimum)


def _read_with_count(value: Any, limits: PageLimits) -> bool:
    if value is None:
        return limits.with_count
    flag = _COUNT_FLAGS.get(value) if isinstance(value, str) else value if isinstance(value, bool) else None
    if flag is None:
        raise ValidationError('Invalid withCount parameter. Expected "t","1","true","false","0","f"')
    return flag


def _read_nested_page(params: Mapping[str, Any], path: Path) -> Page | None:
    """Return the page of a populated list: `start`/`limit` or `pagination` below the relation, applied per parent."""
    place = (*path, "pagination") if "pagination" in params else path
    given = params.get("pagination", params)
    if not isinstance(given, dict):
        raise ValidationError(f"Invalid pagination at {'.'.join(place)}")
    return _all_or_part(given, ".".join((*place, ""))) if "start" in given or "limit" in given else None


def _all_or_part(given: Mapping[str, Any], place: str) -> Page:
    """Return the page of `limit` and `start`; without a limit, or with 0, there is no limit."""
    limit, start = _whole(given, "limit", -1, minimum=None, place=place), _whole(given, "start", 0, 0, place)
    return Page(start=start, limit=None if limit < 1 else limit)


MOST: Final = 1000


def read_panel_page(params: Mapping[str, Any], size: int = 10) -> Page:
    """Return the requested page. Raises PaginationError, with the messages of Strapi v4, and ValidationError."""
    number = _whole_number(params.get("page"), 1)
    if number is None:
        raise PaginationError(f"Invalid 'page' parameter. Expected an integer > 0, received: {params.get('page')}")
    limit = _whole_number(params.get("pageSize"), size)
    if limit is None:
        raise PaginationError("Invalid 'pageSize' parameter. Expected an integer > 0, received: undefined")
    return panel_page(number, limit)


def panel_page(number: int, size: int) -> Page:
    """Return a page by its number, counted from 1. Raises ValidationError if it is too large."""
    if size > MOST:
        raise ValidationError(f"pageSize must be at most {MOST}")
    return Page(start=min((number - 1) * size, MAX_SAFE_INTEGER), limit=size, number=number)


def pagination(page: Page, total: int) -> dict[str, int]:
    """Return the pagination metadata of a response."""
    size = page.limit or 1
    return {"page": page.number or 1, "pageSize": size, "pageCount": page_count(total, size), "total": total}


def _whole_number(given: Any, default: int) -> int | None:
    if given is None:
        return default
    text = str(given)
    if not isinstance(given, str | int) or not (text.isascii() and text.isdecimal() and len(text) < 10):
        return None
    return int(text) or None
