"""One change of definitions from first to last: planned, written, its tables made, served; or nothing of it."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from octavo.builder.conversions import convert, find_conversions
from octavo.builder.entries import settle_entries, turns
from octavo.builder.files import AppliedChanges, UnsafePath, apply_changes
from octavo.builder.plans import MakePlan, Plan, Workshop
from octavo.builder.problems import said
from octavo.database.connection import Database
from octavo.runtime.infrastructure import Infrastructure
from octavo.runtime.site import Site
from octavo.schema.custom_fields import known_custom_fields
from octavo.schema.registry import Registry
from octavo.sql.physical_names import table_name
from octavo.threads import in_thread

logger = logging.getLogger(__name__)
Settle = Callable[[], Awaitable[None]]

SEVERAL = "You cannot convert a collectionType to a singleType when having multiple entries in DB"


@dataclass(frozen=True, slots=True)
class DefinitionChange:
    """A change of the definitions that a site serves. `serve` puts what the files say into force, once it is done with
    what it is given to do last."""

    shared: Infrastructure
    site: Site
    serve: Callable[[Settle], Awaitable[None]]

    async def make(self, make: MakePlan) -> str:
        """Raises BuilderError, ApplicationError, and what `serve` raises; then files and tables are as before."""
        settings, database = self.shared.settings, self.shared.database
        fields = await in_thread(partial(known_custom_fields, settings.project, settings.api.custom_fields))
        plan = await in_thread(partial(make, Workshop(settings.project, self.registry, fields)))
        await self._check_entries(plan)
        steps = await find_conversions(database, self.registry, plan.registry)
        applied = await self._write(plan)
        converted: list[tuple[str, str]] = []
        try:
            for uid, name, _ in steps:
                await convert(database, plan.registry, [(uid, name)])
                converted.append((uid, name))
            await self.serve(partial(self._settle, plan))
        except BaseException:
            await in_thread(applied.undo)
            await self._convert_back(database, converted)
            raise
        await in_thread(applied.keep)
        return plan.uid

    async def _settle(self, plan: Plan) -> None:
        found = tuple(turns(self.registry, plan.registry))
        await settle_entries(self.site.services.controller.writer, found, await self.shared.locales.default())

    @property
    def registry(self) -> Registry:
        """The definitions before the change."""
        return self.site.registry

    async def _write(self, plan: Plan) -> AppliedChanges:
        try:
            return await in_thread(partial(apply_changes, self.shared.settings.project, plan.files))
        except (OSError, UnsafePath) as error:
            logger.warning("The definitions cannot be written: %s", error)
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise said(f"The files cannot be written: {reason}") from error

    async def _check_entries(self, plan: Plan) -> None:
        if plan.becomes_single is None:
            return
        database = self.shared.database
        table = database.dialect.quote(table_name(self.registry.content_types[plan.becomes_single]))
        if len(await database.fetch_all(f"SELECT id FROM {table} LIMIT 2")) > 1:  # noqa: S608 - a quoted name
            raise said(SEVERAL)

    async def _convert_back(self, database: Database, converted: list[tuple[str, str]]) -> None:
        try:
            await convert(database, self.registry, reversed(converted))
        except Exception:
            logger.exception("Columns that had been converted for a change could not be converted back")
