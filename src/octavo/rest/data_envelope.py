"""The envelope of REST answers: `{data, meta}`. Bodies are joined from bytes that the database has built."""

import orjson

from octavo.query.ast import Page


def entry_envelope(entry: bytes) -> bytes:
    """One entry."""
    return b'{"data":%b,"meta":{}}' % entry


def list_envelope(entries: bytes, page: Page, total: int | None) -> bytes:
    """A page of entries, with `meta.pagination` counted as the caller counts."""
    return b'{"data":%b,"meta":{"pagination":%b}}' % (entries, _pagination(page, total))


def pagination(page: Page, total: int | None) -> dict[str, int]:
    """`meta.pagination` as a value."""
    found: dict[str, int] = orjson.loads(_pagination(page, total))
    return found


def _pagination(page: Page, total: int | None) -> bytes:
    limit = page.limit if page.limit is not None else -1
    if page.number is None:
        counted = b"" if total is None else b',"total":%d' % total
        return b'{"start":%d,"limit":%d%b}' % (page.start, limit, counted)
    counted = b"" if total is None else b',"pageCount":%d,"total":%d' % (-(-total // limit), total)
    return b'{"page":%d,"pageSize":%d%b}' % (page.number, limit, counted)
