"""Write as part of the project: load its code, run its hooks and purge CDNs and reverse proxies."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from octavo.database.connection import Database
from octavo.database.unit_of_work import with_hooks, with_keeper
from octavo.events.origin import coming_from
from octavo.operations.runtime import options
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.infrastructure import open_infrastructure
from octavo.operations.runtime.open_resources import migrations_folder
from octavo.operations.runtime.prepare_database import prepare_database
from octavo.operations.runtime.process import build
from octavo.operations.runtime.site import register_code
from octavo.settings import Settings

ResultT = TypeVar("ResultT")


def own_actions(settings: Settings) -> tuple[str, ...]:
    """Return the actions that routes of the project's code require. Raises InvalidCode."""
    return build(settings).site.services.controller.own_actions


async def with_hooked_database(settings: Settings, work: Callable[[Database], Awaitable[ResultT]]) -> ResultT:
    """Run an operation on the project's database, prepared as a start does. Raises InvalidCode."""
    infrastructure = open_infrastructure(settings)
    database, locale = infrastructure.database, settings.plugins.i18n.config.default_locale
    tables, registry = options.own_tables(settings), project_registry(settings)
    update = settings.database.update_tables
    await prepare_database(database, registry, locale, tables, migrations_folder(settings), update_tables=update)
    try:
        extending = await register_code(infrastructure, registry)
        keep, audit = infrastructure.purges.keep, infrastructure.administrators.audit.write_changes
        with with_hooks(extending.app.hooks), with_keeper(keep), with_keeper(audit), coming_from("admin"):
            return await work(database)
    finally:
        await infrastructure.close()
