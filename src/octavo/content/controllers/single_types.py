"""Ensure that a single type has one entry per locale, even with concurrent requests."""

from octavo.core.errors import ValidationError
from octavo.schema.content_types import ContentType


class SingleTypeExists(ValidationError):
    """The single type already has an entry, possibly created by a concurrent request."""

    message = "singleType.alreadyExists"


def single_type_lock(content_type: ContentType) -> str:
    """Return the name of the lock for creating an entry of a single type."""
    return f"octavo: single type {content_type.uid}"
