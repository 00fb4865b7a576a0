"""What kind of file it is: by its content where that tells, else as the caller declared it; its name only comes last.

Where the project wants it, neither declaration nor name makes an image of what does not begin as one.

The type stored here informs. What a browser is told when the file is fetched is decided where files are served.
"""

import codecs
import mimetypes
import re
from typing import Final

HEAD_BYTES: Final = 4096
"""How much of a file has to be looked at."""

DEFAULT: Final = "application/octet-stream"
SVG: Final = "image/svg+xml"

_HARMLESS_PREFIXES: Final = ("image/", "audio/", "video/", "font/")
_HARMLESS: Final = frozenset(("text/plain", "text/css", "application/pdf", "application/json"))

_START: Final = rb"(?:\xef\xbb\xbf)?\s*+"
_COMMENT: Final = rb"<!--(?>.*?-->)\s*+"
_DOCTYPE: Final = rb"<!doctype\s+svg[^\[>]*+(?:\[[^\]]*+\]\s*+)?+>\s*+"
"""Text that may precede an element. Each matches in one way only: a file of many comments would take for ever."""

_SIGNATURES: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"II[*+]\0|MM\0[*+]"), "image/tiff"),
    (re.compile(rb".{4}ftypavi[fs]", re.DOTALL), "image/avif"),
    (re.compile(rb".{4}ftyphe[iv][cxms]", re.DOTALL), "image/heic"),
    (re.compile(rb"BM.{4}\0{4}", re.DOTALL), "image/bmp"),
    (re.compile(rb"8BPS\0\x01"), "image/vnd.adobe.photoshop"),
    (re.compile(rb".{4}ftyp(?:isom|iso2|mp4\d|avc1|M4V )", re.DOTALL), "video/mp4"),
    (re.compile(rb".{4}ftypqt  ", re.DOTALL), "video/quicktime"),
    (re.compile(rb"RIFF.{4}WAVE", re.DOTALL), "audio/wav"),
    (re.compile(rb"ID3"), "audio/mpeg"),
    (re.compile(rb"%PDF-"), "application/pdf"),
    (re.compile(rb"\x1f\x8b"), "application/gzip"),
    (
        re.compile(rb"%b(?:%b)*+<(?:!doctype\s+html|html|script|iframe)\b" % (_START, _COMMENT), re.I | re.S),
        "text/html",
    ),
    (
        re.compile(rb"%b(?:<\?xml(?>.*?\?>)\s*+|%b|%b)*+<svg\b" % (_START, _COMMENT, _DOCTYPE), re.I | re.S),
        SVG,
    ),
)
_BEGIN_ALIKE: Final = re.compile(r"image/(x-)?(a?png|p?jpe?g|citrix-jpeg|gif|webp|tiff?)")
"""Types of images all of whose files have a signature above."""

_WRITTEN: Final = re.compile(r"image/(cgm|vnd\.dxf|x-eps|x-xbitmap|x-xbm|x-xpixmap|x-xpm|x-portable-\w+map)")
"""Types of images whose files may be plain text."""

_MARKUP: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<|\xfe\xff|\xff\xfe")
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_DECLARED = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,62}/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}", re.ASCII)


def type_of(head: bytes, declared: str, name: str, *, check_images: bool = False) -> str:
    """The type of a file from its first bytes (`HEAD_BYTES` of them), the declared type, and its name.

    `check_images`: a type of images that is only told has to be possible for these bytes.
    """
    for signature, mime in _SIGNATURES:
        if signature.match(head):
            return mime
    essence = declared.partition(";")[0].strip().lower()
    claims = (essence if _DECLARED.fullmatch(essence) else None, mimetypes.guess_type(name)[0])
    told = [claim for claim in claims if claim is not None]
    believed = next((claim for claim in told if not check_images or _may_be(claim, head)), None)
    return believed or ("text/plain" if told and _is_text(head) else DEFAULT)


def _may_be(mime: str, head: bytes) -> bool:
    """Whether a file without a signature may be of a type that somebody tells: what is no image is not called one."""
    if not mime.startswith("image/") or _WRITTEN.fullmatch(mime):
        return True
    if mime == SVG:
        return _MARKUP.match(head) is not None
    return not _BEGIN_ALIKE.fullmatch(mime) and not _is_text(head)


def _is_text(head: bytes) -> bool:
    """Whether it is text in UTF-8, as far as its beginning tells; nothing is no text."""
    if not head or _CONTROLS.search(head):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def is_harmless(mime: str) -> bool:
    """Whether a browser may show a file of this type by itself: others could run scripts."""
    return mime in _HARMLESS or (mime.startswith(_HARMLESS_PREFIXES) and not mime.endswith("xml"))
