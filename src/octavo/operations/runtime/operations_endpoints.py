"""Endpoints for operators: readiness, metrics and slow requests.

`/_ready` is public. `/metrics` and `/_status` exist if a token is configured, and require it. Raises StartFailed for a
token that is easy to guess.
"""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from hmac import compare_digest
from pathlib import Path
from typing import Any, Final

from octavo import __version__
from octavo.access.authentication.credentials import read_bearer
from octavo.api.http.application import HttpApplication
from octavo.api.http.observers import note_statement
from octavo.api.http.request import Request
from octavo.api.http.response import Response, render_json
from octavo.api.http.router import Router
from octavo.api.http.slow_requests import SlowRequest
from octavo.core.clock import SYSTEM_CLOCK, Clock, this_moment
from octavo.core.errors import ServiceUnavailable, UnauthorizedError
from octavo.core.outage_log import report_outage
from octavo.database.connection import Database, Watch, unnoted
from octavo.events.jobs.backup_records import read_record
from octavo.events.outbox import count_work
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.operations.telemetry.metrics import Measures
from octavo.operations.telemetry.observer import AllObservers
from octavo.operations.telemetry.samples import CONTENT_TYPE, Family, Sample, render
from octavo.operations.telemetry.slow_statements import SlowStatements
from octavo.operations.telemetry.workers import VARIABLE, Workers
from octavo.query.plan.index_candidates import IndexableRead

_SECONDS: Final = 2.0
"""Timeout of the database check."""
_MAINTENANCE: Final = "read-only: maintenance mode is on"
_READ_ONLY: Final = "read-only: the database accepts no writes"
_KEPT_SECONDS: Final = 0.5
"""How long the result of a database check is cached. This limits the load by callers and their waiting time."""


class Readiness:
    """The readiness check, for load balancers."""

    def __init__(self, database: Callable[[], Database], clock: Clock = SYSTEM_CLOCK) -> None:
        self.started = False
        self.draining = False
        self._database = database
        self._clock = clock
        self._known: tuple[float, tuple[str | None, str | None]] | None = None
        self._turn = asyncio.Lock()

    async def reasons(self) -> list[str]:
        """Return why the process is not ready, without internal details. An empty list means ready."""
        return (await self.state())[0]

    async def state(self) -> tuple[list[str], list[str]]:
        """Return why the process is not ready, and limitations of a process that is ready."""
        reasons = [] if self.started else ["starting: the database is not up to date yet"]
        if self.draining:
            reasons.append("draining: the service is shutting down")
        async with self._turn:
            if self._known is None or self._clock.steady() - self._known[0] >= _KEPT_SECONDS:
                checked = await self._check_database()
                self._known = self._clock.steady(), checked
        _, (reason, limitation) = self._known
        return [*reasons, *filter(None, [reason])], list(filter(None, [limitation]))

    async def _check_database(self) -> tuple[str | None, str | None]:
        """Return why the database cannot be used, and why it can be used in part only."""
        try:
            async with asyncio.timeout(_SECONDS):
                await self._database().fetch_value("SELECT 1")
                is_read_only = await self._database().is_read_only()
        except ServiceUnavailable as error:
            report_outage(error)
        except TimeoutError as error:
            outage = ServiceUnavailable(reason=f"the database did not respond within {_SECONDS:g} s")
            outage.__cause__ = error
            report_outage(outage)
        else:
            if self._database().read_only_message is not None:
                return None, _MAINTENANCE
            return None, _READ_ONLY if is_read_only else None
        return "database: it cannot be reached", None


_SHORTEST_TOKEN: Final = 16
_TICK_SECONDS: Final = 0.25
_TICKS_BETWEEN_WRITES: Final = 4
_NOT_KEPT: Final = ((b"cache-control", b"no-store"),)


class Operating:
    """Metrics and status of one process.

    `infrastructure` returns the current one. `look_up` returns the conditions of the read behind a statement.
    """

    def __init__(
        self,
        infrastructure: Callable[[], Infrastructure],
        running: Callable[[], int],
        look_up: Callable[[str], IndexableRead | None],
    ) -> None:
        self._infrastructure = infrastructure
        self._statements = SlowStatements(lambda: infrastructure().database, look_up)
        self.readiness = Readiness(lambda: infrastructure().database)
        self._measures = Measures(
            lambda: infrastructure().database,
            lambda: infrastructure().caches,
            running,
            lambda: infrastructure().purges.uses(),
        )
        folder = os.environ.get(VARIABLE)
        self._workers = Workers(Path(folder) if folder else None, self._measures.families, self._slow)
        self._began = this_moment()
        self._token = b""

    def serve(self, infrastructure: Infrastructure, router: Router, application: HttpApplication) -> None:
        """Observe this infrastructure and apply its settings from now on."""
        settings = infrastructure.settings
        token = settings.server.metrics.token or ""
        if token and len(token) < _SHORTEST_TOKEN:
            raise StartFailed(f"server.metrics.token has less than {_SHORTEST_TOKEN} characters")
        self._token = token.encode()
        infrastructure.slow.note = self._statements.note if token else None
        infrastructure.slow.seconds = settings.server.metrics.slow_threshold / 1000
        log = settings.server.log
        slow, counted = infrastructure.slow, self._measures if token else None
        identify = infrastructure.authenticator.at_once
        application.look = AllObservers(slow, slow.seconds, counted, log.access_sample if log.access else 0, identify)
        infrastructure.database.watch = self._watch(infrastructure)
        _add(router, "/_ready", self._ready)
        if token:
            _add(router, "/metrics", self._metrics)
            _add(router, "/_status", self._status)

    def _watch(self, infrastructure: Infrastructure) -> Watch | None:
        """Return the observer of statements, or None."""
        is_developed = infrastructure.settings.mode == "development"
        watch = Watch(unnoted, note_statement) if is_developed else None
        watch = self._measures.watch() if self._token else watch
        traces = infrastructure.traces
        return watch if traces is None else traces.watching(watch)

    async def run(self) -> None:
        """Periodically measure the event loop's lag and share this worker's metrics with the others."""
        loop = asyncio.get_running_loop()
        ticks = 0
        while True:
            due = loop.time() + _TICK_SECONDS
            await asyncio.sleep(_TICK_SECONDS)
            if self._token:
                self._measures.loop_delay.add(max(0.0, loop.time() - due))
                self._measures.count()
                ticks += 1
                if ticks % _TICKS_BETWEEN_WRITES == 0:
                    self.write()
                    await self._statements.look()

    def _slow(self) -> list[SlowRequest]:
        return [self._statements.with_statement_details(one) for one in self._infrastructure().slow.all()]

    def write(self) -> None:
        """Share this worker's metrics with the others."""
        with suppress(OSError):
            if self._token:
                self._workers.write()

    async def _ready(self, _: Request) -> Response:
        reasons, limitations = await self.readiness.state()
        body = {"ready": not reasons, "reasons": [*reasons, *limitations]}
        return render_json(503 if reasons else 200, body, _NOT_KEPT)

    async def _metrics(self, request: Request) -> Response:
        self._check(request)
        return Response(200, render(await self._families()), CONTENT_TYPE, _NOT_KEPT)

    async def _status(self, request: Request) -> Response:
        self._check(request)
        reasons, limitations = await self.readiness.state()
        body: dict[str, Any] = {
            "version": __version__,
            "seconds": (this_moment() - self._began) // 1000,
            "ready": not reasons,
            "reasons": [*reasons, *limitations],
            "families": [asdict(one) for one in await self._families()],
            "slow": [asdict(one) for one in self._workers.slow()],
            "log": [asdict(one) for one in self._infrastructure().recent.lines()],
        }
        return render_json(200, body, _NOT_KEPT)

    def _check(self, request: Request) -> None:
        given = (read_bearer(request.header("authorization")) or "").encode("latin-1")
        if not compare_digest(given, self._token):
            raise UnauthorizedError

    async def _families(self) -> list[Family]:
        return [*self._workers.families(), *await self._work()]

    async def _work(self) -> list[Family]:
        """Return the size of queues in the database, the same for all workers, or only that it cannot be reached."""
        try:
            work = await count_work(self._infrastructure().database)
        except ServiceUnavailable:
            return [_up(0)]
        backups = await self._backups()
        waiting: list[Sample] = [("", (("topic", one.topic),), one.waiting) for one in work]
        late: list[Sample] = [("", (("topic", one.topic),), one.late_seconds) for one in work]
        given_up: list[Sample] = [("", (("topic", one.topic),), one.given_up) for one in work]
        return [
            _up(1),
            Family("octavo_outbox_messages", "gauge", "Waiting messages: jobs, hooks, webhooks.", waiting),
            Family("octavo_outbox_late_seconds", "gauge", "Delay of the oldest waiting message.", late),
            Family("octavo_outbox_given_up", "gauge", "Messages that failed permanently.", given_up),
            *backups,
        ]

    async def _backups(self) -> list[Family]:
        """Return the age of the latest verified backup if backups are scheduled, without a sample if there is none."""
        shared = self._infrastructure()
        if shared.backups.schedule is None:
            return []
        record = await read_record(shared.database)
        age: list[Sample] = [("", (), (this_moment() - record.verified_at) / 1000)] if record.verified_at else []
        size: list[Sample] = [("", (), record.size)] if record.verified_at else []
        return [
            Family("octavo_backup_age_seconds", "gauge", "Age of the last verified database backup.", age),
            Family("octavo_backup_bytes", "gauge", "Size of it.", size),
            Family("octavo_backup_failures", "gauge", "Failed backups since then.", [("", (), record.failures)]),
        ]


def _up(value: int) -> Family:
    return Family("octavo_database_up", "gauge", "Whether the database can be reached.", [("", (), value)])


def _add(router: Router, path: str, handler: Callable[[Request], Any]) -> None:
    if "GET" not in router.methods(path):
        router.add("GET", path, handler)
