"""Names of uploaded files: the display name, and the safe name in the storage.

The storage name is generated and never the client's: letters, digits and underscores, ten random hex digits, and an
extension of letters and digits. Raises `ApplicationError` and `ValidationError`.
"""

import re
import secrets
from typing import Final

from octavo.content import slugs
from octavo.core.errors import ApplicationError, ValidationError
from octavo.core.values import dataclass

MAX_NAME: Final = 255
"""The size of the column in PostgreSQL."""

MAX_SLUG: Final = 120
"""Short enough for all file systems, with the hash, the extension and the name of a format."""

_INVALID = re.compile(r'[\x00-\x1f<>:"/\\|?*\ud800-\udfff]')
_RESERVED = re.compile(r"\.{1,2}|con|prn|aux|nul|com\d|lpt\d", re.IGNORECASE)
_EXTENSION = re.compile(r"(?<=[^.])\.[A-Za-z0-9_-]{1,32}$", re.ASCII)


@dataclass(frozen=True, slots=True)
class FileName:
    """A display name and its extension (with the dot, or empty)."""

    name: str
    extension: str


def read_file_name(sent: str) -> FileName:
    """Parse the name that a client sent. Old browsers send full Windows paths; only the last part is used."""
    name = sent.rpartition("\\")[2]
    if not name or _INVALID.search(name) or _RESERVED.fullmatch(name):
        raise ApplicationError("File name contains invalid characters")
    if len(name) > MAX_NAME:
        raise ValidationError(f"A file name can have at most {MAX_NAME} characters")
    extension = _EXTENSION.search(name)
    return FileName(name, extension[0] if extension else "")


def slug(text: str) -> str:
    """Return the words of a text in ASCII letters, joined by underscores, up to the maximum length."""
    return slugs.slug(text, "_")[: MAX_SLUG + 1].strip("_")[:MAX_SLUG]


def new_hash(name: str) -> str:
    """Return a unique storage name, without extension, for a file with this display name."""
    stem = _EXTENSION.sub("", name)
    return f"{slug(stem)}_{secrets.token_hex(5)}"
