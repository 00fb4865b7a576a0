"""One entry of a single type for each locale, whatever arrives at once."""

from octavo.core.errors import ValidationError
from octavo.schema.content_types import ContentType


class SingleTypeExists(ValidationError):
    """The entry of a single type is there, or somebody else has made it since it was looked for."""

    message = "singleType.alreadyExists"


def single_type_lock(content_type: ContentType) -> str:
    """Return the name of the lock that whoever makes an entry of a single type has."""
    return f"octavo: single type {content_type.uid}"
