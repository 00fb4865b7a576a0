"""The attributes that every content-type gets by itself, beside its `id`: times, creators, publication, locale."""

from typing import Final

CREATED_AT: Final = "createdAt"
UPDATED_AT: Final = "updatedAt"
PUBLISHED_AT: Final = "publishedAt"
CREATED_BY: Final = "createdBy"
UPDATED_BY: Final = "updatedBy"
LOCALE: Final = "locale"
LOCALIZATIONS: Final = "localizations"

TIMESTAMPS: Final = (CREATED_AT, UPDATED_AT)
CREATORS: Final = (CREATED_BY, UPDATED_BY)
STAMPED: Final = frozenset({*TIMESTAMPS, PUBLISHED_AT, LOCALE})
"""What the service sets in an entry's own row, whatever else is written."""
