"""The names of a file's parts in the storage: the file and its formats, from its row."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from octavo.content.media.storage.base import Storage


def stored_parts(storage: Storage, held: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names of a file's parts by format, from its row; none if the file is in another storage."""
    if held["provider"] not in storage.providers:
        return
    formats = held["formats"] if isinstance(held["formats"], Mapping) else {}
    for format_name, part in {"": held, **formats}.items():
        url = part.get("url") if isinstance(part, Mapping) else None
        metadata = part.get("provider_metadata") if isinstance(part, Mapping) else None
        given = metadata if isinstance(metadata, Mapping) else None
        name = storage.name_of(url, given) if isinstance(url, str) else None
        if name is not None:
            yield format_name, name


def names_in_row(storage: Storage, provider: str, url: str, metadata: str | None, formats: str | None) -> set[str]:
    """Return the names of a file's parts, from columns of its row. Invalid JSON counts as missing."""
    held = {"provider": provider, "url": url, "provider_metadata": _read(metadata), "formats": _read(formats)}
    return {name for _, name in stored_parts(storage, held)}


def _read(text: str | None) -> Any:
    try:
        return orjson.loads(text) if text else None
    except orjson.JSONDecodeError:
        return None
