"""Pagination of admin panel lists: top-level `page` and `pageSize` parameters, as the v4 panel sends them."""

from collections.abc import Mapping
from typing import Any, Final

from octavo.core.errors import PaginationError, ValidationError
from octavo.query.ast import Page
from octavo.query.numbers import MAX_SAFE_INTEGER, page_count

MOST: Final = 1000


def read_panel_page(params: Mapping[str, Any], size: int = 10) -> Page:
    """Return the requested page. Raises PaginationError, with the messages of Strapi v4, and ValidationError."""
    number = _whole(params.get("page"), 1)
    if number is None:
        raise PaginationError(f"Invalid 'page' parameter. Expected an integer > 0, received: {params.get('page')}")
    limit = _whole(params.get("pageSize"), size)
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


def _whole(given: Any, default: int) -> int | None:
    if given is None:
        return default
    text = str(given)
    if not isinstance(given, str | int) or not (text.isascii() and text.isdecimal() and len(text) < 10):
        return None
    return int(text) or None
