"""Read requests from HAR files, which browsers export. Their cookies and headers are ignored."""

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from octavo.core.errors import ApplicationError
from octavo.operations.comparison.requests import ComparedRequest, Selection, target_of

MOST_BYTES: Final = 200 * 1024**2


def read_har(file: Path, hosts: Container[str], selection: Selection) -> None:
    """Add the requests of a file to these hosts (`name` or `name:port`). Raises ApplicationError, OSError."""
    if file.stat().st_size > MOST_BYTES:
        raise ApplicationError(f"{file}: a HAR file can have at most {MOST_BYTES // 1024**2} MB; export fewer requests")
    try:
        value = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError as error:
        raise ApplicationError(f"{file} is not a HAR file: {error}") from error
    log = value.get("log") if isinstance(value, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        raise ApplicationError(f"{file} is not a HAR file: it has no list `log.entries`")
    for entry in entries:
        request = entry.get("request") if isinstance(entry, dict) else None
        try:
            _add(request, file.name, hosts, selection)
        except (AttributeError, KeyError, TypeError, ValueError):
            selection.skipped["invalid HAR entries"] += 1


def _add(request: Any, source: str, hosts: Container[str], selection: Selection) -> None:
    url = urlsplit(request["url"])
    if url.netloc.rpartition("@")[2] not in hosts and url.hostname not in hosts:
        selection.skipped["other hosts; add yours with --host"] += 1
        return
    body, content_type = _body_of(request.get("postData"))
    method = str(request["method"]).upper()
    selection.add(ComparedRequest(method, target_of(request["url"]), body, content_type, source))


def _body_of(data: Mapping[str, Any] | None) -> tuple[str, str]:
    if not data:
        return "", ""
    return str(data.get("text") or ""), str(data.get("mimeType") or "").partition(";")[0].strip().lower()
