"""What kind of file it is: by its content where that tells, else as the caller declared it; its name only comes last.

The type stored here informs. What a browser is told when the file is fetched is decided where files are served.
"""

import mimetypes
import re
from typing import Final

HEAD_BYTES: Final = 4096
"""How much of a file has to be looked at."""

DEFAULT: Final = "application/octet-stream"
SVG: Final = "image/svg+xml"

_HARMLESS_PREFIXES: Final = ("image/", "audio/", "video/", "font/")
_HARMLESS: Final = frozenset(("text/plain", "text/css", "application/pdf", "application/json"))

_SIGNATURES: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"II\*\0|MM\0\*"), "image/tiff"),
    (re.compile(rb".{4}ftypavi[fs]", re.DOTALL), "image/avif"),
    (re.compile(rb".{4}ftyp(?:isom|iso2|mp4\d|avc1|M4V )", re.DOTALL), "video/mp4"),
    (re.compile(rb".{4}ftypqt  ", re.DOTALL), "video/quicktime"),
    (re.compile(rb"RIFF.{4}WAVE", re.DOTALL), "audio/wav"),
    (re.compile(rb"ID3"), "audio/mpeg"),
    (re.compile(rb"%PDF-"), "application/pdf"),
    (re.compile(rb"\x1f\x8b"), "application/gzip"),
    (
        re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|script|iframe)\b", re.I | re.S),
        "text/html",
    ),
    (
        re.compile(
            rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml.*?\?>\s*|<!--.*?-->\s*|<!doctype\s+svg.*?>\s*)*<svg\b", re.I | re.S
        ),
        SVG,
    ),
)
_DECLARED = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,62}/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}", re.ASCII)


def type_of(head: bytes, declared: str, name: str) -> str:
    """The type of a file from its first bytes (`HEAD_BYTES` of them), the declared type, and its name."""
    for signature, mime in _SIGNATURES:
        if signature.match(head):
            return mime
    essence = declared.partition(";")[0].strip().lower()
    if _DECLARED.fullmatch(essence):
        return essence
    return mimetypes.guess_type(name)[0] or DEFAULT


def is_harmless(mime: str) -> bool:
    """Whether a browser may show a file of this type by itself: others could run scripts."""
    return mime in _HARMLESS or (mime.startswith(_HARMLESS_PREFIXES) and not mime.endswith("xml"))
