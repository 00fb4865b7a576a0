"""The envelope of REST responses, `{data, meta}`. Bodies are joined from JSON that the database returns."""

import orjson

from octavo.query.ast import Page
from octavo.query.numbers import page_count


def entry_envelope(entry: bytes) -> bytes:
    """Wrap one entry."""
    return b'{"data":%b,"meta":{}}' % entry


def list_envelope(entries: bytes, page: Page, total: int | None) -> bytes:
    """Wrap a page of entries. `meta.pagination` has the form of the request's parameters."""
    return b'{"data":%b,"meta":{"pagination":%b}}' % (entries, _pagination(page, total))


def cursor_envelope(entries: bytes, page: Page, total: int | None, cursor: str | None) -> bytes:
    """Wrap the entries after a cursor, with the next cursor."""
    after = b"null" if cursor is None else b'"%b"' % cursor.encode()
    meta = b'{"limit":%d%b,"after":%b}' % (page.limit or 0, _counted(page, total), after)
    return b'{"data":%b,"meta":{"pagination":%b}}' % (entries, meta)


def pagination(page: Page, total: int | None) -> dict[str, int]:
    """Return `meta.pagination` as a value."""
    values: dict[str, int] = orjson.loads(_pagination(page, total))
    return values


def _pagination(page: Page, total: int | None) -> bytes:
    limit = page.limit if page.limit is not None else -1
    counted = _counted(page, total)
    if page.number is None:
        return b'{"start":%d,"limit":%d%b}' % (page.start, limit, counted)
    if total is not None:
        counted = b',"pageCount":%d%b' % (page_count(_capped(page, total), limit), counted)
    return b'{"page":%d,"pageSize":%d%b}' % (page.number, limit, counted)


def _counted(page: Page, total: int | None) -> bytes:
    """Return the total, which can be a lower bound."""
    if total is None:
        return b""
    if page.most_counted is None:
        return b',"total":%d' % total
    return b',"total":%d,"isCapped":%b' % (_capped(page, total), b"true" if total > page.most_counted else b"false")


def _capped(page: Page, total: int) -> int:
    return total if page.most_counted is None else min(total, page.most_counted)
