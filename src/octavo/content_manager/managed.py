"""Which content-types administrators manage, and finding them by their UIDs."""

from collections.abc import Mapping

from octavo.authorization.ability import FIND
from octavo.authorization.actor import Actor
from octavo.errors import ForbiddenError, NotFoundError
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.schema.uids import USER


def is_managed(content_type: ContentType) -> bool:
    """Whether the content manager shows a content-type: those of the project, unless they say no, and accounts."""
    said = content_type.plugin_options.get("content-manager")
    if isinstance(said, Mapping) and "visible" in said:
        return said["visible"] is not False
    return content_type.uid == USER or content_type.uid not in BUILTIN_TYPES


def managed_type(registry: Registry, uid: str, actor: Actor, action: str = FIND) -> ContentType:
    """The content-type of that UID, for an actor who may take an action on it. Raises ForbiddenError, whether it is not
    there or not theirs."""
    content_type = registry.content_types.get(uid)
    if content_type is None or not is_managed(content_type) or not actor.ability.may(action, uid):
        raise ForbiddenError
    return content_type


def managed_single(registry: Registry, uid: str, actor: Actor, *actions: str) -> ContentType:
    """As `managed_type`, of a single type, for an actor who may take one of the actions. Raises NotFoundError for a
    collection type."""
    allowed = next((action for action in actions if actor.ability.may(action, uid)), actions[0])
    content_type = managed_type(registry, uid, actor, allowed)
    if not content_type.is_single:
        raise NotFoundError
    return content_type
