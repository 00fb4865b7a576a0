"""Names of uploaded files: what is kept as the name, and the safe name under which a file lies on disk.

The name on disk is made here and never the caller's: letters, digits and underscores, ten random hex digits, and an
extension of letters and digits. Refuses with `ApplicationError` and `ValidationError`.
"""

import mimetypes
import re
import secrets
from typing import Final

from octavo.content import slugs
from octavo.core.errors import ApplicationError, ValidationError
from octavo.core.values import dataclass

MAX_NAME: Final = 255
"""What the column holds, on PostgreSQL."""

MAX_SLUG: Final = 120
"""So that every file system takes the name, with the hash, the extension and the name of a format around it."""

_INVALID = re.compile(r'[\x00-\x1f<>:"/\\|?*\ud800-\udfff]')
_RESERVED = re.compile(r"\.{1,2}|con|prn|aux|nul|com\d|lpt\d", re.IGNORECASE)
_EXTENSION = re.compile(r"(?<=[^.])\.[A-Za-z0-9_-]{1,32}$", re.ASCII)
_USUAL_EXTENSIONS: Final = {"application/octet-stream": ".bin", "text/plain": ".txt", "image/jpeg": ".jpg"}


@dataclass(frozen=True, slots=True)
class FileName:
    """A name as shown, and its extension (with the dot, or empty)."""

    name: str
    extension: str


def read_file_name(sent: str) -> FileName:
    """The name that a caller gave. Old browsers send whole paths of Windows: what stands before counts for nothing."""
    name = sent.rpartition("\\")[2]
    if not name or _INVALID.search(name) or _RESERVED.fullmatch(name):
        raise ApplicationError("File name contains invalid characters")
    if len(name) > MAX_NAME:
        raise ValidationError(f"A file name has at most {MAX_NAME} characters")
    found = _EXTENSION.search(name)
    return FileName(name, found[0] if found else "")


def extension_of(mime: str) -> str:
    """The extension for a file whose name has none."""
    return _USUAL_EXTENSIONS.get(mime) or mimetypes.guess_extension(mime) or ""


def slug(text: str) -> str:
    """The words of a text in plain letters, joined by underscores, as far as a name on disk may be long."""
    return slugs.slug(text, "_")[: MAX_SLUG + 1].strip("_")[:MAX_SLUG]


def new_hash(name: str) -> str:
    """The name on disk, without extension, for a file of this name: never given twice."""
    stem = _EXTENSION.sub("", name)
    return f"{slug(stem)}_{secrets.token_hex(5)}"
