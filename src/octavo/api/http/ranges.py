"""Conditional and range requests for files (RFC 9110, 13 and 14)."""

import re
import time
from datetime import UTC
from os import stat_result

from octavo.api.http.request import Request

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


class Unsatisfiable(Exception):
    """The range begins after the end of the file."""


def entity_tag(stat: stat_result) -> str:
    """Return an entity tag that changes with the file."""
    return f'"{stat.st_mtime_ns:x}-{stat.st_size:x}"'


def last_modified(stat: stat_result) -> str:
    """Format the time of the last change for HTTP.

    HTTP's dates have no fractions, and a file can change again within the second of its last change. For a second, the
    date is one second earlier, so that the copy that a client gets now never counts as current (RFC 9110, 8.8.2.2).
    """
    from email.utils import formatdate

    may_change_unseen = time.time() - stat.st_mtime < 1
    return formatdate(int(stat.st_mtime) - may_change_unseen, usegmt=True)


def names_tag(known: bytes, tag: bytes) -> bool:
    """Return whether `If-None-Match: known` contains a tag."""
    tags = [one.strip().removeprefix(b"W/") for one in known.split(b",")]
    return b"*" in tags or tag in tags


def is_unchanged(request: Request, stat: stat_result) -> bool:
    """Return whether the client's copy is current. If the client sends entity tags, dates are ignored."""
    known = request.headers.get(b"if-none-match")
    if known is not None:
        return names_tag(known, entity_tag(stat).encode())
    return _not_newer(stat, request.header("if-modified-since"))


def wanted_range(request: Request, stat: stat_result) -> tuple[int, int] | None:
    """Return the first byte and the one after the last, or `None` for the whole file.

    Several ranges, other units, and ranges of an older version of the file return the whole file.
    """
    match = _RANGE.fullmatch((request.header("range") or "").strip())
    if match is None or match[0] == "bytes=-" or not _is_current(request, stat):
        return None
    size = stat.st_size
    if not match[1]:
        start, stop = max(0, size - int(match[2])), size
    else:
        start, stop = int(match[1]), min(size, int(match[2]) + 1) if match[2] else size
        if match[2] and int(match[2]) < start:
            return None
    if start >= size:
        raise Unsatisfiable
    return start, stop


def _is_current(request: Request, stat: stat_result) -> bool:
    condition = request.header("if-range")
    return condition is None or condition in (entity_tag(stat), last_modified(stat))


def _not_newer(stat: stat_result, since: str | None) -> bool:
    if since is None:
        return False
    from email.utils import parsedate_to_datetime

    try:
        return int(stat.st_mtime) <= parsedate_to_datetime(since).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return False
