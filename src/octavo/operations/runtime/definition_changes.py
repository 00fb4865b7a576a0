"""Apply a change of definitions: plan it, write the files, change the tables and serve it, or undo all steps."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from octavo.api.graphql.customization.extension import Extension
from octavo.api.graphql.schema.builder import build_schema
from octavo.api.http.operations import declare
from octavo.api.http.router import Router
from octavo.api.rest.content_operations import content_operations
from octavo.api.rest.operations import plain_handlers
from octavo.core.cache import CacheScope
from octavo.core.threads import in_thread
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.database.conversions import ConversionStep
from octavo.database.migrations.files import new_migration
from octavo.database.migrations.runner import take_back
from octavo.modeling.builder.conversions import convert, find_conversions
from octavo.modeling.builder.dropped_attributes import drop_data
from octavo.modeling.builder.files import AppliedChanges, UnsafePath, apply_changes
from octavo.modeling.builder.plans import MakePlan, Plan, PlanContext
from octavo.modeling.builder.preview import Preview, preview_of
from octavo.modeling.builder.problems import said
from octavo.modeling.builder.renames import Renamed
from octavo.operations.runtime import definitions, options
from octavo.operations.runtime.admin_endpoints import declare_endpoints
from octavo.operations.runtime.build_services import build_services, content_endpoints, no_hooks_yet
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.site import Site
from octavo.project.plugins import project_custom_fields
from octavo.query.sql.physical_names import table_name
from octavo.schema.registry import Registry


def try_definitions(shared: Infrastructure, planned: Registry) -> None:
    """Raise any error from building services, routes, admin endpoints or the GraphQL schema."""
    settings = shared.settings
    registry = definitions.served_registry(settings, planned)
    caches = CacheScope(shared.caches)
    try:
        services = build_services(shared, registry, caches, no_hooks_yet(settings, registry))
        endpoints, handlers = content_endpoints(shared, services, caches), plain_handlers(shared.authenticator)
        router = Router()
        for content_type in registry.api_types():
            operations = content_operations(content_type)
            declare(router, settings.api.rest.prefix, operations, endpoints(content_type), handlers)
        if settings.secrets.admin_jwt_secret:
            declare_endpoints(router, shared, services)
        if settings.plugins.graphql.enabled:
            _build_schema(shared, registry)
    finally:
        caches.close()


def _build_schema(shared: Infrastructure, registry: Registry) -> None:
    said = options.graphql_options(shared.settings)
    build_schema(
        registry,
        Extension(registry).exclusions(),
        generate=said.generate,
        schedules=said.schedules,
        cursors=said.cursors,
    )


logger = logging.getLogger(__name__)
Settle = Callable[[], Awaitable[None]]
Conversions = Sequence[tuple[str, str, ConversionStep]]

SEVERAL = "You cannot convert a collectionType to a singleType when having multiple entries in DB"


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps around the change of tables: `first` before it, `last` when nothing else can fail.

    `alone`: no request may run meanwhile, because the current site would not find its columns.
    """

    first: Settle
    last: Settle
    alone: bool


@dataclass(frozen=True, slots=True)
class DefinitionChange:
    """A change of the served definitions. `serve` applies the files and runs the steps."""

    shared: Infrastructure
    site: Site
    serve: Callable[[Steps], Awaitable[None]]

    async def make(self, make: MakePlan) -> str:
        """Apply the change.

        Raises BuilderError, ApplicationError and the errors of `serve`; files and tables are restored. Definitions that
        cannot be built raise an error before a file is written.
        """
        database = self.shared.database
        plan, steps = await self._plan(make)
        await in_thread(partial(try_definitions, self.shared, plan.registry))
        migration = self._migration(plan)
        applied = await self._write(plan, migration)
        converted: list[tuple[str, str]] = []

        async def convert_columns() -> None:
            for uid, name, _ in steps:
                await convert(database, plan.registry, [(uid, name)])
                converted.append((uid, name))

        try:
            alone = bool(steps or plan.renamed or plan.dropped or self._changes_options(plan.registry))
            await self.serve(Steps(convert_columns, partial(self._drop, plan), alone))
        except BaseException:
            await in_thread(applied.undo)
            await self._convert_back(database, converted)
            if plan.renamed is not None and migration is not None:
                await self._rename_back(database, migration, plan.renamed)
            raise
        await in_thread(applied.keep)
        return plan.uid

    async def preview(self, make: MakePlan) -> Preview:
        """Return what the change would do. Raises BuilderError and ApplicationError."""
        plan, _ = await self._plan(make)
        project, database = self.shared.settings.project, self.shared.database
        return await preview_of(plan, self.registry, project, database, self._migration(plan))

    async def _plan(self, make: MakePlan) -> tuple[Plan, Conversions]:
        """Return the plan, checked against the data, and the columns to convert."""
        settings, database = self.shared.settings, self.shared.database
        fields = await in_thread(partial(project_custom_fields, settings))
        longest, migrates = database.dialect.longest_name, settings.database.run_migrations
        context = PlanContext(settings.project, self.registry, fields, migrates, longest)
        plan = await in_thread(partial(make, context))
        await self._check_entries(plan)
        steps = await find_conversions(database, self.registry, plan.registry)
        return plan, steps

    def _migration(self, plan: Plan) -> Path | None:
        return new_migration(self.shared.settings.project, plan.renamed.name, ".py") if plan.renamed else None

    def _changes_options(self, after: Registry) -> bool:
        """Return whether a content type gets or loses drafts or locales: no entries must be written meanwhile."""
        pairs = ((old, after.content_types.get(uid)) for uid, old in self.registry.content_types.items())
        return any(
            new is not None and (old.draft_and_publish, old.localized) != (new.draft_and_publish, new.localized)
            for old, new in pairs
        )

    async def _drop(self, plan: Plan) -> None:
        if plan.dropped is not None:
            await drop_data(self.shared.database, plan.registry, plan.dropped)

    @property
    def registry(self) -> Registry:
        """The definitions before the change."""
        return self.site.registry

    async def _write(self, plan: Plan, migration: Path | None) -> AppliedChanges:
        project, files = self.shared.settings.project, plan.files
        if plan.renamed is not None and migration is not None:
            name = migration.relative_to(project).as_posix()
            files = replace(files, written={name: plan.renamed.forward.encode(), **files.written})
        try:
            return await in_thread(partial(apply_changes, project, files))
        except (OSError, UnsafePath) as error:
            logger.warning("Cannot record the definitions: %s", error)
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise said(f"The files cannot be written: {reason}") from error

    async def _check_entries(self, plan: Plan) -> None:
        if plan.becomes_single is None:
            return
        database = self.shared.database
        table = database.dialect.quote(table_name(self.registry.content_types[plan.becomes_single]))
        if len(await database.fetch_all(f"SELECT id FROM {table} LIMIT 2")) > 1:  # noqa: S608 - a quoted name
            raise said(SEVERAL)

    async def _rename_back(self, database: Database, migration: Path, renamed: Renamed) -> None:
        try:
            await take_back(database, migration, renamed.backward)
        except Exception:
            logger.exception("Could not undo renames after a failed change")

    async def _convert_back(self, database: Database, converted: list[tuple[str, str]]) -> None:
        try:
            await convert(database, self.registry, reversed(converted))
        except Exception:
            logger.exception("Could not undo column conversions after a failed change")
