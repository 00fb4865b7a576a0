"""Media types by file extension. The table is part of Octavo, so the types do not depend on the host.

It contains the data of mime-db; if several types have an extension, the one that Strapi v4 serves is used.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path, PurePath
from typing import Final

ANY_TYPE: Final = "application/octet-stream"

_PREFERRED: Final = {
    ".aac": "audio/aac",
    ".avif": "image/avif",
    ".flac": "audio/flac",
    ".js": "text/javascript",
    ".m4a": "audio/mp4",
    ".mjs": "text/javascript",
    ".py": "text/x-python",
    ".svgz": ANY_TYPE,
    ".vcf": "text/vcard",
    ".wav": "audio/wav",
    ".xml": "application/xml",
}
"""Types that the table lacks, or that have a better name today. Packed SVG files need a header to be shown."""

_ENCODED: Final = frozenset({"application/json", "application/xml"})


_USUAL_EXTENSIONS: Final = {
    "application/octet-stream": ".bin",
    "audio/mpeg": ".mp3",
    "image/jpeg": ".jpg",
    "text/plain": ".txt",
    "video/quicktime": ".mov",
}
"""Extensions that people expect, where the table lists another one first."""


def type_by_name(name: str) -> str | None:
    """Return the media type for a file name, or None for an unknown extension."""
    return _types().get(PurePath(name).suffix.lower())


def content_type_of(name: str) -> str:
    """Return the content type for a file name, with the encoding of texts. Unknown ones are `ANY_TYPE`."""
    media_type = type_by_name(name) or ANY_TYPE
    return f"{media_type}; charset=utf-8" if media_type.startswith("text/") or media_type in _ENCODED else media_type


def extension_of(media_type: str) -> str:
    """Return the usual extension of a media type, with the dot, or an empty text."""
    return _extensions().get(media_type, "")


@cache
def _types() -> Mapping[str, str]:
    return {f".{extension}": row[0] for row in _rows() for extension in row[1:]} | _PREFERRED


@cache
def _extensions() -> Mapping[str, str]:
    preferred = {media_type: extension for extension, media_type in _PREFERRED.items() if media_type != ANY_TYPE}
    return preferred | {row[0]: f".{row[1]}" for row in reversed(_rows())} | _USUAL_EXTENSIONS


def _rows() -> Sequence[Sequence[str]]:
    lines = Path(__file__).with_name("media_types.txt").read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if not line.startswith("#")]
