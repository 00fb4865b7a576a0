"""Synchronize the permissions of admin roles, user roles and API tokens with the site.

Permissions of deleted types and actions are removed, only by processes with the newest definitions
(`accounts/administrators/deployed_definitions`).
"""

import asyncio
import logging
import re
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from octavo.accounts.administrators.deployed_definitions import (
    RENEW_SECONDS,
    Presence,
    are_newest,
    mark_of,
    serve_alone,
    stay_newest,
)
from octavo.accounts.administrators.permission_sweep import Known, known_permissions, sweep_permissions
from octavo.accounts.administrators.role_setup import set_up_roles
from octavo.core.errors import ServiceUnavailable
from octavo.core.threads import in_thread
from octavo.database.connection import Database
from octavo.database.option_record import serving_mark
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.site import Site

logger = logging.getLogger(__name__)

_SCRIPTS: Final = frozenset((".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"))
_INDEX: Final = "index"
_COARSE: Final = 100
"""Milliseconds by which a folder's time may be late: file systems use the time of the last tick."""
Folders = Mapping[str, tuple[int, int, int]]
"""Folders of content types by UID: the folder's device and inode, and its last change in milliseconds."""


class Permissions:
    """Synchronizes the permissions in the database with the current site, and records which site that is."""

    def __init__(self, project: Path) -> None:
        self._folders = _read_folders(project)
        self._presence = Presence()
        self._served: tuple[Database, str, str] | None = None

    async def set_up(self, infrastructure: Infrastructure, site: Site, *, is_change: bool = False) -> None:
        """Synchronize permissions with a site. `is_change`: it replaces another one."""
        settings, database, feed = infrastructure.settings, infrastructure.database, infrastructure.feed
        catalogue, own = site.services.rights.catalogue, site.services.controller.own_actions
        mark = mark_of(catalogue, own)
        newest = settings.mode == "development" or await are_newest(database, catalogue, own, is_change=is_change)
        folders = await in_thread(partial(_read_folders, settings.project))
        known = await in_thread(partial(_known, site, own, settings.project, is_v4=settings.is_v4))
        looks = None if settings.mode == "development" else partial(stay_newest, database, mark=mark)
        again = await sweep_permissions(
            database,
            known,
            feed,
            sweeps=newest,
            is_newest=looks,
            is_alone=partial(serve_alone, database, mark=mark),
            created_again=_created_again(self._folders, folders) if is_change else None,
        )
        await set_up_roles(
            database,
            catalogue,
            feed,
            keeps_plugins=settings.is_v4,
            sweeps=newest,
            is_newest=looks,
            created_again=again,
        )
        served = (database, mark, serving_mark(site.registry))
        if self._served != served:
            await self._presence.renew(*served)
        self._folders, self._served = folders, served

    async def run(self) -> None:
        """Periodically record which definitions are served, until cancelled."""
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            if self._served is not None:
                try:
                    await self._presence.renew(*self._served)
                except ServiceUnavailable as error:
                    logger.debug("Cannot publish the version of the definitions: %s", error)

    async def end(self) -> None:
        """Record that this process no longer serves."""
        if self._served is not None:
            try:
                await self._presence.leave(self._served[0])
            except ServiceUnavailable as error:
                logger.debug("Cannot record the end of this process: %s", error)


def _created_again(before: Folders, now: Folders) -> dict[str, int]:
    """Return the content types whose folder was deleted and created again, with the time."""
    return {uid: at + _COARSE for uid, (*place, at) in now.items() if uid in before and [*before[uid][:2]] != place}


def _read_folders(project: Path) -> Folders:
    folders = {}
    for folder in (project / "src" / "api").glob("*/content-types/*"):
        try:
            status = folder.stat()
        except OSError:
            continue
        uid = f"api::{folder.parent.parent.name}.{folder.name}"
        folders[uid] = (status.st_dev, status.st_ino, status.st_ctime_ns // 1_000_000)
    return folders


def _known(site: Site, own: Collection[str], project: Path, *, is_v4: bool) -> Known:
    controllers = _v4_controllers(project)

    def is_kept(uid: str) -> bool:
        api, _, name = uid.removeprefix("api::").partition(".")
        if uid.startswith("plugin::"):
            return is_v4
        return bool({(_plain(api), _plain(name)), (_plain(api), _INDEX)} & controllers)

    return known_permissions(site.registry, own, is_kept)


def _v4_controllers(project: Path) -> frozenset[tuple[str, str]]:
    """Return APIs and names of controllers in JavaScript or TypeScript, whose actions only v4 knows."""
    files = (path for path in (project / "src" / "api").glob("*/controllers/**/*") if path.suffix in _SCRIPTS)
    return frozenset((_plain(path.relative_to(project / "src" / "api").parts[0]), _plain(path.stem)) for path in files)


def _plain(name: str) -> str:
    """Normalize a file name as v4 does to compare names: `myTalk` equals `my-talk`."""
    return re.sub(r"[\W_]", "", name).lower()
