"""Find the content types that an administrator can manage, by UID."""

from octavo.access.authorization.ability import FIND
from octavo.access.authorization.actor import Actor
from octavo.core.errors import ForbiddenError, NotFoundError
from octavo.schema.content_types import ContentType
from octavo.schema.managed import is_managed
from octavo.schema.registry import Registry


def managed_type(registry: Registry, uid: str, actor: Actor, action: str = FIND) -> ContentType:
    """Return a content type if the actor is allowed the action on it.

    Raises ForbiddenError otherwise, also if it does not exist.
    """
    content_type = registry.content_types.get(uid)
    if content_type is None or not is_managed(content_type) or not actor.ability.may(action, uid):
        raise ForbiddenError
    return content_type


def managed_single(registry: Registry, uid: str, actor: Actor, *actions: str) -> ContentType:
    """Return a single type if the actor is allowed one of the actions on it.

    Raises ForbiddenError as `managed_type` does, and NotFoundError for a collection type.
    """
    allowed = next((action for action in actions if actor.ability.may(action, uid)), actions[0])
    content_type = managed_type(registry, uid, actor, allowed)
    if not content_type.is_single:
        raise NotFoundError
    return content_type
