"""Initial values for a new localization's form: the shared values, and the existing localizations."""

from collections.abc import Mapping
from typing import Any

import orjson

from octavo.access.authorization.actor import Actor
from octavo.content.entry_snapshot import without_ids
from octavo.content.manager.entries import ManagedEntries
from octavo.content.manager.managed_types import managed_type
from octavo.core.errors import ApplicationError
from octavo.schema.attributes import LOCALE, LOCALIZATIONS, PUBLISHED_AT
from octavo.schema.shared_values import is_shared_value


async def begin_localization(
    managed: ManagedEntries, uid: str, entry_id: int, locale: str, actor: Actor
) -> Mapping[str, Any]:
    """Return `{nonLocalizedFields, localizations}` of an entry that the actor can read.

    The shared values are limited to fields that the actor can read or create in the locale. Raises
    ApplicationError, ForbiddenError and NotFoundError.
    """
    known = managed.registry.content_types.get(uid)
    if known is None or not known.localized:
        raise ApplicationError("model.not.localized")
    content_type = managed_type(managed.registry, uid, actor)
    entry = orjson.loads(await managed.one(content_type, entry_id, actor))
    shared = {
        name: entry[name]
        for name in content_type.writable_names
        if name in entry
        and is_shared_value(content_type.attributes[name])
        and actor.ability.names_locale(uid, name, locale)
    }
    own = {name: entry[name] for name in ("id", LOCALE, PUBLISHED_AT) if name in entry}
    return {
        "nonLocalizedFields": without_ids(managed.registry, content_type, shared),
        "localizations": [*entry[LOCALIZATIONS], own],
    }
