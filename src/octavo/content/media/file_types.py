"""Detect the type of a file: by its content if possible, otherwise by the declared type, then by its name.

With `check_images`, neither the declared type nor the name can turn a file into an image if its content is not one.

The stored type is informational. The Content-Type of a download is chosen where files are served.
"""

import codecs
import re
from collections.abc import Sequence
from typing import Final

from octavo.core.media_types import ANY_TYPE, type_by_name

HEAD_BYTES: Final = 4096
"""The number of bytes needed to detect a type."""

SVG: Final = "image/svg+xml"
AVIF: Final = "image/avif"

_HARMLESS_PREFIXES: Final = ("image/", "audio/", "video/", "font/")
_HARMLESS: Final = frozenset(("text/plain", "text/css", "application/pdf", "application/json"))

_SIGNATURES: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"II[*+]\0|MM\0[*+]"), "image/tiff"),
    (re.compile(rb".{4}ftypavi[fs]", re.DOTALL), AVIF),
    (re.compile(rb".{4}ftyphe[iv][cxms]", re.DOTALL), "image/heic"),
    (re.compile(rb"BM.{4}\0{4}", re.DOTALL), "image/bmp"),
    (re.compile(rb"8BPS\0\x01"), "image/vnd.adobe.photoshop"),
    (re.compile(rb".{4}ftyp(?:isom|iso2|mp4\d|avc1|M4V )", re.DOTALL), "video/mp4"),
    (re.compile(rb".{4}ftypqt  ", re.DOTALL), "video/quicktime"),
    (re.compile(rb"RIFF.{4}WAVE", re.DOTALL), "audio/wav"),
    (re.compile(rb"ID3"), "audio/mpeg"),
    (re.compile(rb"%PDF-"), "application/pdf"),
    (re.compile(rb"\x1f\x8b"), "application/gzip"),
)
_HTML: Final = re.compile(rb"<(?:!doctype\s+html|html|script|iframe)\b", re.I)
_SVG: Final = re.compile(rb"<svg\b", re.I)
_PROLOG: Final = ((re.compile(rb"<\?xml", re.I), b"?>"), (re.compile(rb"<!doctype\s+svg", re.I), b">"))
_COMMENT: Final = ((re.compile(rb"<!--"), b"-->"),)
_BEGIN_ALIKE: Final = re.compile(r"image/(x-)?(a?png|p?jpe?g|citrix-jpeg|gif|webp|tiff?)")
"""Image types whose files always have one of the signatures above."""

_WRITTEN: Final = re.compile(r"image/(cgm|vnd\.dxf|x-eps|x-xbitmap|x-xbm|x-xpixmap|x-xpm|x-portable-\w+map)")
"""Image types whose files can be plain text."""

_HEIF: Final = frozenset({"image/heic", "image/heif"})
_MARKUP: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<|\xfe\xff|\xff\xfe")
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_DECLARED = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,62}/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}", re.ASCII)


def type_of(head: bytes, declared: str, name: str, *, check_images: bool = False) -> str:
    """Return the type of a file from its first `HEAD_BYTES` bytes, the declared type, and its name.

    `check_images`: a declared image type must be possible for these bytes.
    """
    for signature, mime in _SIGNATURES:
        if signature.match(head):
            return mime
    markup = _markup_type(head)
    if markup is not None:
        return markup
    essence = declared.partition(";")[0].strip().lower()
    claims = (essence if _DECLARED.fullmatch(essence) else None, type_by_name(name))
    candidates = [claim for claim in claims if claim is not None]
    checks = check_images or not head  # an empty file is no image
    believed = next((claim for claim in candidates if not checks or _may_be(claim, head)), None)
    return believed or ("text/plain" if candidates and _is_text(head) else ANY_TYPE)


def is_false_image(mime: str, name: str) -> bool:
    """Return whether a file's name has an image extension but its type is not an image."""
    named = type_by_name(name) or ""
    return named.startswith("image/") and not mime.startswith("image/")


def fits(extension: str, kind: str, own_extension: str) -> bool:
    """Return whether content of a kind can be served under an extension. `own_extension` is the file's own one.

    >>> fits(".jpeg", "image/jpeg", ".jpg"), fits(".jpg", "image/png", ".png"), fits(".heif", "image/heic", ".heif")
    (True, False, True)
    """
    served = type_by_name(f"x{extension}")
    if served is None or kind in (ANY_TYPE, served):
        return True
    family = served.partition("/")[0]
    if family != kind.partition("/")[0]:
        return False
    is_own = family in ("audio", "video") and extension.lower() == own_extension.lower()
    return family == "text" or is_own or {served, kind} <= _HEIF


def _markup_type(head: bytes) -> str | None:
    """Return the type of a document that starts as HTML or SVG, after comments and declarations."""
    if _HTML.match(_root(head, _COMMENT)):
        return "text/html"
    return SVG if _SVG.match(_root(head, (*_COMMENT, *_PROLOG))) else None


def _root(head: bytes, skipped: Sequence[tuple[re.Pattern[bytes], bytes]]) -> bytes:
    """Return the text from its first element on.

    Runs in linear time: each skipped part ends at its first possible end. A repeating pattern would take exponential
    time with many comments.
    """
    head = head.removeprefix(codecs.BOM_UTF8)
    place = 0
    while True:
        place += len(head[place:]) - len(head[place:].lstrip())
        end = next((end for begins, end in skipped if begins.match(head, place)), None)
        begin = -1 if end is None else head.find(end, place)
        if end is None or begin < 0:
            return head[place:]
        place = begin + len(end)


def _may_be(mime: str, head: bytes) -> bool:
    """Return whether a file without a signature can have this type. Image types must be possible for its bytes."""
    if not mime.startswith("image/"):
        return True
    if not head:
        return False
    if _WRITTEN.fullmatch(mime):
        return True
    if mime == SVG:
        return _MARKUP.match(head) is not None
    return not _BEGIN_ALIKE.fullmatch(mime) and not _is_text(head)


def _is_text(head: bytes) -> bool:
    """Return whether the first bytes are UTF-8 text. An empty file is not text."""
    if not head or _CONTROLS.search(head):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def is_harmless(mime: str) -> bool:
    """Return whether a browser can safely show a file of this type; other types can run scripts."""
    return mime in _HARMLESS or (mime.startswith(_HARMLESS_PREFIXES) and not mime.endswith("xml"))
