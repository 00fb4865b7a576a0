"""The states of entries' localizations: draft or published, and outdated since the default locale was updated."""

from collections.abc import Collection, Mapping
from typing import Any

from octavo.access.authorization.actor import Actor
from octavo.content.manager.entries import ManagedEntries
from octavo.schema.attributes import LOCALE, LOCALIZATIONS, PUBLISHED_AT, UPDATED_AT
from octavo.schema.content_types import ContentType


async def read_localization_states(
    managed: ManagedEntries, content_type: ContentType, ids: Collection[int], actor: Actor
) -> list[dict[str, Any]]:
    """Return `{id, localizations}` of entries, limited to localizations that the actor can read.

    Runs one query for all of them, besides that for the default locale.
    """
    default = await managed.locales.default()
    entries = await managed.localizations(content_type, ids, actor)
    return [{"id": entry["id"], LOCALIZATIONS: _states(content_type, entry, default)} for entry in entries]


def _states(content_type: ContentType, entry: Mapping[str, Any], default: str) -> list[dict[str, Any]]:
    known = [entry, *(one for one in entry[LOCALIZATIONS] if "readable" in one)]
    source = next((one[UPDATED_AT] for one in known if one[LOCALE] == default), None)
    return [
        {
            "id": one["id"],
            "locale": one[LOCALE],
            "isDraft": content_type.draft_and_publish and one.get(PUBLISHED_AT) is None,
            "updatedAt": one[UPDATED_AT],
            "outdatedSince": source if _is_earlier(one[UPDATED_AT], source) else None,
        }
        for one in known
    ]


def _is_earlier(updated_at: str | None, source: str | None) -> bool:
    """Return whether an entry was updated before the entry in the default locale. Timestamps sort as texts."""
    return source is not None and (updated_at or "") < source
