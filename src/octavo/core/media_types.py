"""Media types by file extension. The table is part of Octavo, so the types do not depend on the host.

It contains the data of mime-db; if several types have an extension, the one that Strapi v4 serves is used.
"""

from collections.abc import Mapping
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


def content_type_of(name: str) -> str:
    """Return the content type for a file name, with the encoding of texts. Unknown ones are `ANY_TYPE`."""
    found = _types().get(PurePath(name).suffix.lower(), ANY_TYPE)
    return f"{found}; charset=utf-8" if found.startswith("text/") or found in _ENCODED else found


@cache
def _types() -> Mapping[str, str]:
    lines = Path(__file__).with_name("media_types.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {f".{extension}": row[0] for row in rows for extension in row[1:]} | _PREFERRED
