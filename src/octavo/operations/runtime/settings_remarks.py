"""Warnings about the settings: probable mistakes that do not stop the start."""

import logging
from collections.abc import Iterable, Iterator
from typing import Final, get_args

from octavo.access.authorization.actor import ActorKind
from octavo.access.authorization.role_grants import DEFAULT_ROLES, role_types
from octavo.api.rest.caching import ANY
from octavo.core.text_limits import close_match
from octavo.database.connection import Database
from octavo.schema.registry import Registry
from octavo.settings import Settings, SettingsProblem
from octavo.settings.sources import placed

logger = logging.getLogger(__name__)

_CONTROL: Final = ("api", "caching", "control")
_KNOWN_ROLES: Final = (*DEFAULT_ROLES, *get_args(ActorKind), ANY)
"""Roles that need no row in the database."""


def remarks_on(settings: Settings, registry: Registry) -> tuple[SettingsProblem, ...]:
    """Return the warnings that need no database."""
    return (*settings.remarks, *_unknown_types(settings, registry))


def log_settings_warnings(settings: Settings, registry: Registry) -> None:
    """Log the warnings."""
    for remark in remarks_on(settings, registry):
        logger.warning("%s", remark)


async def log_unknown_roles(database: Database, settings: Settings) -> None:
    """Log the roles in `caching.control` that do not exist, which makes their rules ineffective."""
    if settings.api.caching.control:
        for remark in unknown_roles(settings, await role_types(database)):
            logger.warning("%s", remark)


def likely_mistakes(settings: Settings) -> tuple[SettingsProblem, ...]:
    """Return roles in `caching.control` that resemble a built-in role. Only the database knows the other roles."""
    return tuple(one for one in unknown_roles(settings, ()) if "did you mean" in one.message)


def unknown_roles(settings: Settings, types: Iterable[str]) -> Iterator[SettingsProblem]:
    """Yield the roles in `caching.control` that are neither in `types` nor a built-in role or kind of caller."""
    known = {*_KNOWN_ROLES, *types}
    for uid, roles in settings.api.caching.control.items():
        for role in roles:
            if role not in known:
                yield placed(settings, _CONTROL, "unknown role" + _near(role, known), uid, role)


def _unknown_types(settings: Settings, registry: Registry) -> Iterator[SettingsProblem]:
    for uid in settings.api.caching.control:
        if uid != ANY and uid not in registry.content_types:
            yield placed(settings, _CONTROL, "unknown content type" + _near(uid, registry.content_types), uid)


def _near(name: str, known: Iterable[str]) -> str:
    near = close_match(name, known, 0.75)
    return "" if near is None else f"; did you mean {near}?"
