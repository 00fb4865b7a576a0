"""The process: the infrastructure, the current site, and the ASGI application that a server runs.

When the project changes, a new site replaces the current one. Running requests finish on the old site, which is closed
after the last one. If the project is invalid, the last valid site stays in use.
"""

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from octavo.api.http.application import HttpApplication
from octavo.api.http.static import Files
from octavo.core.errors import OctavoError
from octavo.core.threads import in_thread
from octavo.database.connection import Database
from octavo.database.maintenance_mode import check_writable, writes_allowed
from octavo.database.option_changes import OptionChanges, restore_options
from octavo.database.synchronize import undo_additions
from octavo.modeling.builder.problems import said
from octavo.operations.runtime import options
from octavo.operations.runtime.background import Background
from octavo.operations.runtime.definition_sync import Follower
from octavo.operations.runtime.infrastructure import Infrastructure, open_infrastructure
from octavo.operations.runtime.live_settings import LiveSettingsFollower
from octavo.operations.runtime.open_resources import migrations_folder
from octavo.operations.runtime.operations_endpoints import Operating
from octavo.operations.runtime.options import http_options
from octavo.operations.runtime.permissions import Permissions
from octavo.operations.runtime.prepare_database import (
    StartFailed,
    check_types,
    prepare_database,
    reach_database,
    update_database,
)
from octavo.operations.runtime.project_files import read_marks
from octavo.operations.runtime.replaced_sites import ReplacedSite, ReplacedSites
from octavo.operations.runtime.settings_remarks import log_unknown_roles
from octavo.operations.runtime.site import Site, build_site
from octavo.operations.runtime.start_page import add_overview
from octavo.operations.runtime.start_wait import StartWait
from octavo.operations.runtime.static_files import static_files
from octavo.operations.runtime.tasks import BackgroundTasks
from octavo.project import CodeStopped, InvalidCode
from octavo.query.plan.index_candidates import IndexableRead
from octavo.query.sql.ddl.changes import Change
from octavo.query.sql.ddl.tables import SystemTable
from octavo.schema.content_types import LOCALE
from octavo.schema.problems import InvalidDefinitions
from octavo.settings import Settings, SettingsError
from octavo.settings.keys import camel

if TYPE_CHECKING:
    from octavo.modeling.builder.plans import MakePlan
    from octavo.modeling.builder.preview import Preview
    from octavo.operations.runtime.definition_changes import DefinitionChange, Steps

logger = logging.getLogger(__name__)
T = TypeVar("T")

_FIXED: Final = ("host", "port", "socket_mode", "socket_owner", "workers", "follow_definitions")
WITHOUT_TRACEBACK: Final = (SettingsError, InvalidDefinitions, InvalidCode, StartFailed)
"""Errors whose message is complete without a traceback."""
INVALID_CHANGE: Final = "The change is invalid; the previous version is still served. %s"


class Process:
    """A service, assembled but not started. `asgi` is the application for a server.

    `read_settings` is called at each `reload`; without it the settings never change. `polls`: look for webhooks that
    other processes change. Raises InvalidDefinitions and InvalidCode.
    """

    def __init__(
        self, settings: Settings, read_settings: Callable[[], Settings] | None = None, *, polls: bool = True
    ) -> None:
        self._polls = polls
        follows, changes = settings.server.follow_definitions, settings.mode == "development"
        self._marks = read_marks(settings.project) if follows or changes else {}  # before the files are read
        self._permissions = Permissions(settings.project)
        self.infrastructure = open_infrastructure(settings)
        self.site = build_site(self.infrastructure)
        self._stop_listening = _put_in_force(self.infrastructure, self.site, self._permissions)
        self._allow_changes(self.infrastructure)
        self._background = Background(self.infrastructure, self.site, polls=polls)
        self.start_wait = StartWait(settings.database.start_wait)
        self._read_settings = read_settings or (lambda: settings)
        self._turn = asyncio.Lock()
        self._added: tuple[Change, ...] = ()
        self._next: asyncio.Task[None] | None = None
        self._reloads = BackgroundTasks()
        self._replaced = ReplacedSites(lambda: self.infrastructure.purges)
        self._following = BackgroundTasks()
        self.live = LiveSettingsFollower(lambda: self.infrastructure, self._replaced.databases)
        self._follower = Follower(lambda: self.database, self.reload) if follows else None
        self.asgi = HttpApplication(
            self.site.router,
            http_options(settings),
            static=_static_files(self.infrastructure),
            around=self.site.around,
            following=self.infrastructure.traces,
            on_startup=(self._start,),
            on_shutdown=(self._stop,),
        )
        self.operating = Operating(lambda: self.infrastructure, self.asgi.running, self._looked_for)
        self.operating.serve(self.infrastructure, self.site.router, self.asgi)
        self.asgi.leave = self._leave

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self.infrastructure.settings

    @property
    def database(self) -> Database:
        """The current database."""
        return self.infrastructure.database

    async def _start(self) -> None:
        """Start before the first request. Raises StartFailed and InvalidCode."""
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # some platforms have no signals
            asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self._log_caches)
        await self.site.register()
        hides_future = options.hides_future(self.settings)
        tables = _tables(self.settings)
        async with self.start_wait:
            report = await prepare_database(
                self.database,
                self.site.registry,
                *tables,
                hides_future=hides_future,
                update_tables=self.settings.database.update_tables,
                repeat=self.start_wait.until_available,
            )
        try:
            check_types(report)
            await self._begin()
        except BaseException:
            if report.options is not None:
                await restore_options(self.database, report.options)
            raise
        self.operating.readiness.started = True
        if self._follower is not None:
            await self._follower.begin(self._is_current)
            self._following.start(self._follower.run())

    async def _begin(self) -> None:
        """Start everything that needs the database. Raises InvalidCode."""
        await self._permissions.set_up(self.infrastructure, self.site)
        await log_unknown_roles(self.database, self.settings)
        await self.infrastructure.begin()
        await self.site.bootstrap()
        await self.site.prepare()
        await self.live.look()
        self._background.start()
        self._following.start(self.operating.run())
        self._following.start(self._permissions.run())

    async def follow_live_settings(self) -> None:
        """Follow the log level and maintenance mode of all nodes from now on."""
        self._following.start(self.live.run())

    def _looked_for(self, text: str) -> IndexableRead | None:
        return self.site.services.controller.reads.indexable_read(text)

    def _log_caches(self) -> None:
        caches = self.infrastructure.caches
        logger.info("Caches hold %.1f of %.1f MB", caches.size / 1024**2, caches.limit / 1024**2)
        for report in caches.reports():
            logger.info("%s", report)

    async def _is_current(self) -> bool:
        """Return whether the project's files are unchanged since they were last read."""
        return await in_thread(partial(read_marks, self.settings.project)) == self._marks

    async def reload_if_changed(self) -> bool:
        """Reload if the project's files have changed since they were last read. Return whether they had.

        Changes of definitions that this process writes itself are already loaded. Raises the errors of `reload`.
        """
        async with self._turn:
            if await self._is_current():
                return False
        await self.reload()
        return True

    def _allow_changes(self, infrastructure: Infrastructure) -> None:
        """Allow the content-type builder to change definitions: in development, if all processes follow changes."""
        settings = infrastructure.settings
        if settings.mode == "development" and (settings.server.workers == 1 or settings.server.follow_definitions):
            infrastructure.definitions.change = self.change_definitions
            infrastructure.definitions.look = self.preview_definitions

    async def change_definitions(self, make: "MakePlan") -> str:
        """Change definition files by a plan and serve them. Other processes on the database follow.

        Changes run one at a time, and complete even if the caller is cancelled. Raises BuilderError and
        ApplicationError, and UnderMaintenance; then files, tables and the served definitions are unchanged.
        """
        check_writable(self.database.read_only_message)
        return await asyncio.shield(self._reloads.start(self._change_in_turn(make)))

    async def preview_definitions(self, make: "MakePlan") -> "Preview":
        """Return what a plan would do to files and tables. Raises the errors of `change_definitions`."""
        async with self._turn:
            with _visible_errors("Could not preview a change"):
                return await self._definition_change().preview(make)

    def _definition_change(self) -> "DefinitionChange":
        from octavo.operations.runtime.definition_changes import DefinitionChange

        return DefinitionChange(self.infrastructure, self.site, self._serve_change)

    async def _serve_change(self, steps: "Steps") -> None:
        """Serve the changed files. If that fails, remove the tables that were created for them."""
        self._added = ()
        try:
            await self._replace(steps)
        except BaseException:
            try:
                await undo_additions(self.database, self._added)
            except Exception:
                logger.exception("Could not undo table changes of a failed change; run `octavo db diff`")
            raise

    async def _change_in_turn(self, make: "MakePlan") -> str:
        async with self._turn:
            try:
                with _visible_errors("Could not change the definitions"):
                    if not await self._is_current():
                        await self._replace()
                        self.asgi.problem = None
                    name = await self._definition_change().make(make)
            finally:
                self._marks = await in_thread(partial(read_marks, self.settings.project))
        if self._follower is not None:
            await self._follower.publish()
        return name

    def _leave(self) -> float:
        self.operating.readiness.draining = True
        return self.settings.server.drain

    async def _stop(self) -> None:
        """Stop after the last request."""
        self.operating.write()
        await self._following.cancel()
        await self._reloads.cancel()
        await self._replaced.closed()
        await self._background.stop()
        await self._permissions.end()
        await self.site.close()
        await self.infrastructure.close()

    async def reload(self) -> None:
        """Read settings, definitions and code again, update the tables, and serve the result.

        Reloads run one at a time; calls during a reload share the next one. If a reload fails, the previous site
        continues, and the problem is shown until a later one succeeds. Raises SettingsError, InvalidDefinitions,
        InvalidCode, StartFailed, or any other error.
        """
        if self._next is None:
            self._next = self._reloads.start(self._reload_in_turn())
        await asyncio.shield(self._next)

    async def retired(self) -> None:
        """Wait until the versions that reloads have replaced are closed."""
        await self._replaced.closed()

    async def publish_change(self) -> None:
        """Serve a change of definitions that this process made, then notify the other processes on the database.

        They follow within a second if `server.followDefinitions` is enabled. Raises the errors of `reload`; then no
        process follows.
        """
        await self.reload()
        if self._follower is not None:
            await self._follower.publish()

    async def _reload_in_turn(self) -> None:
        async with self._turn:
            self._next = None  # later callers may mean changes that this reload does not include
            try:
                await self._replace()
            except (SystemExit, KeyboardInterrupt) as error:  # from project code: in a task, it would end the process
                stopped = CodeStopped.of(error)
                self._show(stopped)
                raise stopped from error
            except Exception as error:
                self._show(error)
                raise
            self.asgi.problem = None

    async def _replace(self, steps: "Steps | None" = None) -> None:
        before = self.infrastructure
        self._marks = await in_thread(partial(read_marks, before.settings.project))
        settings = self._as_far_as_possible(await in_thread(self._read_settings))
        infrastructure = before if settings == before.settings else open_infrastructure(settings)
        async with AsyncExitStack() as alone:
            try:
                with writes_allowed():  # as at a start
                    site = await self._open_site(infrastructure, steps, alone)
            except BaseException:
                if infrastructure is not before:
                    await infrastructure.close()
                raise
            self._swap(infrastructure, site)

    def _as_far_as_possible(self, settings: Settings) -> Settings:
        """Return the settings without changes that require a restart, which are logged."""
        bound, asked = self.settings.server, settings.server
        fixed = {name: getattr(bound, name) for name in _FIXED}
        for name, value in fixed.items():
            if getattr(asked, name) != value:
                logger.warning("server.%s stays %s until the service restarts", camel(name), value)
        return replace(settings, server=replace(asked, **fixed))

    async def _open_site(self, infrastructure: Infrastructure, steps: "Steps | None", alone: AsyncExitStack) -> Site:
        """Return a site that is ready for requests. Long work that does not need the event loop runs in threads."""
        site = await in_thread(partial(build_site, infrastructure, self.site.registry))
        changed: OptionChanges | None = None
        try:
            await site.register()
            if steps is not None and steps.alone:
                await site.complete()  # slow, so before requests are held
                await alone.enter_async_context(self.asgi.held())
            if steps is not None:
                await steps.first()
            if infrastructure is not self.infrastructure:
                await reach_database(infrastructure.database)
            tables = _tables(infrastructure.settings)
            hides_future = options.hides_future(infrastructure.settings)
            report = await update_database(
                infrastructure.database,
                site.registry,
                *tables,
                insists=True,
                hides_future=hides_future,
                update_tables=infrastructure.settings.database.update_tables,
            )
            self._added, changed = report.applied, report.options
            check_types(report)
            infrastructure.forget()
            if infrastructure is not self.infrastructure:
                await infrastructure.begin()
            await site.bootstrap()
            await site.complete()
            if not self.site.router.has_later:
                await site.router.open_later()  # an error here would otherwise occur on every request of administrators
            await self._permissions.set_up(infrastructure, site, is_change=True)  # late, so that a failure changes none
            if steps is not None:
                await steps.last()
        except BaseException:
            if changed is not None:
                await restore_options(infrastructure.database, changed)
            await site.close()
            raise
        return site

    def _swap(self, infrastructure: Infrastructure, site: Site) -> None:
        settings, follows = infrastructure.settings, infrastructure.traces
        http, files = http_options(settings), _static_files(infrastructure)
        dispatcher = self.asgi.replace(site.router, http, files, site.around, follows)
        left = None if infrastructure is self.infrastructure else self.infrastructure
        replaced = ReplacedSite(dispatcher, self.site, self._background, left)
        infrastructure.database.read_only_message = self.database.read_only_message
        self.infrastructure, self.site = infrastructure, site
        self.operating.serve(infrastructure, site.router, self.asgi)
        self._allow_changes(infrastructure)
        self._stop_listening()
        self._stop_listening = _put_in_force(infrastructure, site, self._permissions)
        before, self._background = self._background, Background(infrastructure, site, polls=self._polls)
        if before.is_at_work:  # not if this process was never started
            self._background.start()
        self._replaced.retire(replaced, self.asgi)

    def _show(self, error: Exception) -> None:
        is_known = isinstance(error, WITHOUT_TRACEBACK)
        logger.error(INVALID_CHANGE, error, exc_info=None if is_known else error)
        if self.settings.mode == "development":
            self.asgi.problem = str(error) if is_known else f"{type(error).__name__}: {error}"


@contextlib.contextmanager
def _visible_errors(what: str) -> Iterator[None]:
    """Log internal errors, and raise them as OctavoError with a message for the caller."""
    try:
        yield
    except OctavoError:
        raise
    except Exception as error:
        is_known = isinstance(error, WITHOUT_TRACEBACK)
        logger.error("%s. %s", what, error, exc_info=None if is_known else error)
        raise said(str(error) if is_known else f"{type(error).__name__}: {error}") from error


def _put_in_force(infrastructure: Infrastructure, site: Site, permissions: Permissions) -> Callable[[], None]:
    """Connect the infrastructure to a site. Return a function that disconnects it."""
    infrastructure.feed.hooks = site.hooks
    infrastructure.authenticator.administrators.serve(site.services.rights)
    add_overview(site.router, infrastructure.settings, site.registry, infrastructure.authenticator)
    return infrastructure.feed.subscribe(lambda _: permissions.set_up(infrastructure, site), {LOCALE})


def _tables(settings: Settings) -> tuple[str, tuple[SystemTable, ...], Path | None]:
    """Return the arguments of `prepare_database`: default locale, Octavo's own tables, folder of migrations."""
    folder = migrations_folder(settings)
    return settings.plugins.i18n.config.default_locale, options.own_tables(settings), folder


def build(settings: Settings, read_settings: Callable[[], Settings] | None = None, *, polls: bool = True) -> Process:
    """Assemble a service, with the arguments of `Process`. Raises InvalidDefinitions and InvalidCode."""
    return Process(settings, read_settings, polls=polls)


def _static_files(shared: Infrastructure) -> Files:
    return static_files(shared.settings, shared.images, shared.storage, shared.authenticator)
