"""`app`: the argument of `register(app)`, `bootstrap(app)`, policies, middlewares and resolvers."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Final, Protocol, TypeVar, overload

from octavo.access.authorization.admin.engine import AbilityBuilder
from octavo.content.controllers.content import ContentController
from octavo.content.core_store import CoreStore
from octavo.core.cache import Cache
from octavo.core.mail.mailers import Mailer
from octavo.core.values import dataclass
from octavo.events.event import Event
from octavo.events.hooks import Hooks
from octavo.events.jobs.registry import JobOptions, Jobs
from octavo.events.webhooks.store import Webhooks
from octavo.project.naming import did_you_mean
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.sdk import transactions
from octavo.sdk.builtin_rules import BuiltinRules
from octavo.sdk.code_cache import CodeCache
from octavo.sdk.conditions import Conditions
from octavo.sdk.custom_settings import Custom
from octavo.sdk.entries import Entries
from octavo.sdk.http_client import HttpClient
from octavo.sdk.mail import Mail
from octavo.sdk.row_query import RowQuery
from octavo.sdk.transactions import LONGEST_SECONDS, Transaction
from octavo.settings import Settings

ResultT = TypeVar("ResultT")
HookT = TypeVar("HookT", bound=Callable[[Event], Any])

_HTTP_SECONDS: Final = 10.0
"""Timeout of an outgoing request that sets none."""


@dataclass(frozen=True, slots=True)
class Facilities:
    """Each is a property of `app`, except the rules of built-in types."""

    mail: Mail
    http: HttpClient
    log: logging.Logger
    cache: CodeCache
    custom: Custom
    conditions: Conditions
    rules: BuiltinRules


def make_facilities(
    settings: Settings, mailer: Mailer, cache: Cache[str, Any], rules: BuiltinRules, rights: AbilityBuilder
) -> Facilities:
    """Create the services of a site from its settings."""
    http = settings.server.http
    return Facilities(
        mail=Mail(mailer, settings.project),
        http=HttpClient(frozenset(http.private_hosts), _HTTP_SECONDS, http.max_response_size),
        log=logging.getLogger(f"project.{settings.project.resolve().name}"),
        cache=CodeCache(cache),
        custom=Custom(settings.server.custom),
        conditions=Conditions(rights),
        rules=rules,
    )


class UnknownName(LookupError):
    """There is no plugin, service or content type with this name. The message suggests the nearest one."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin: its services by name, and its configuration.

    `config` is an instance of the plugin's dataclass `Settings`, or a dictionary if it has none.
    """

    name: str
    services: Mapping[str, Any]
    config: Any = None

    def service(self, name: str) -> Any:
        """Return the service with this name. Raises UnknownName."""
        if name not in self.services:
            raise UnknownName(f"plugin {self.name} has no service {name!r}{did_you_mean(name, self.services)}")
        return self.services[name]


class Services(Protocol):
    """Looks up services."""

    def find(self, app: "App", uid: str) -> Any:
        """Return the service with that name. Raises UnknownName."""


@dataclass(frozen=True, slots=True)
class App:
    """The service, as project code sees it."""

    settings: Settings
    registry: Registry
    controller: ContentController
    plugins: Mapping[str, Plugin]
    hooks: Hooks
    services: "Services"
    facilities: Facilities
    webhooks: Webhooks
    jobs: Jobs

    @overload
    def on(self, events: str | Sequence[str], uids: str | Sequence[str]) -> Callable[[HookT], HookT]: ...
    @overload
    def on(self, events: str | Sequence[str], uids: str | Sequence[str], function: HookT) -> HookT: ...
    def on(
        self, events: str | Sequence[str], uids: str | Sequence[str], function: Callable[[Event], Any] | None = None
    ) -> Callable[..., Any]:
        """Register a function as a hook for several content types. Without a function, return a decorator.

        `events` are hook names, such as `before_create`. `uids` are content types, also with stars (`api::*`). Call it
        only in `register`. Raises InvalidCode for unknown names.
        """
        if function is None:
            return partial(self._on, events, uids)
        return self._on(events, uids, function)

    def _on(self, events: str | Sequence[str], uids: str | Sequence[str], function: HookT) -> HookT:
        for event in (events,) if isinstance(events, str) else events:
            self.hooks.add(event, uids, function)
        return function

    def cron(
        self,
        rule: str,
        function: Callable[..., Any] | None = None,
        *,
        tz: str | None = None,
        name: str | None = None,
        catch_up: bool = False,
    ) -> Callable[..., Any]:
        """Run a function at scheduled times, on one of all processes. Without a function, return a decorator.

        `rule` is a cron expression with five fields, or with six that begin with seconds. `tz` is a time zone, such as
        `Europe/Berlin`. With `catch_up`, one run makes up for runs that were missed while the service was down. Call it
        only in `register`. Raises InvalidCode.
        """
        if function is None:
            return partial(self.jobs.cron, rule, tz=tz, name=name, catch_up=catch_up)
        return self.jobs.cron(rule, function, tz=tz, name=name, catch_up=catch_up)

    def job(
        self, function: Callable[..., Any] | None = None, *, retries: int | None = None, timeout: float | None = None
    ) -> Callable[..., Any]:
        """Set options of a job function. Without a function, return a decorator.

        `retries` is the number of further attempts after an error. `timeout` is in seconds.
        """
        options = JobOptions(retries, timeout)
        if function is None:
            return partial(self.jobs.job, options=options)
        return self.jobs.job(function, options)

    async def enqueue(
        self, function: Callable[..., Any], *args: Any, delay: float = 0, retries: int | None = None, **kwargs: Any
    ) -> int:
        """Run a function of the project in the background, in any process, and return the id of the job.

        `delay` is in seconds. Arguments must be JSON values. If the first parameter is named `app`, Octavo passes the
        app. Jobs run at least once, and are retried three times by default. In a transaction, the job runs only after
        the commit. Raises NotAJob.
        """
        return await self.jobs.enqueue(function, args, kwargs, delay=delay, retries=retries)

    def plugin(self, name: str) -> Plugin:
        """Return the plugin with this name. Raises UnknownName."""
        if name not in self.plugins:
            raise UnknownName(f"unknown plugin {name!r}; the plugins are {', '.join(sorted(self.plugins))}")
        return self.plugins[name]

    def service(self, uid: str) -> Any:
        """Return a service of the project, or the service of a content type. Raises UnknownName."""
        return self.services.find(self, uid)

    def entries(self, uid: str) -> Entries:
        """Return an object that reads and writes the entries of a content type. Raises UnknownName."""
        return self.facilities.rules.entries(self.controller, self._content_type(uid))

    def query(self, uid: str) -> RowQuery:
        """Return a query for rows, counts and sums of a content type. Raises UnknownName."""
        return RowQuery(self.controller, self._content_type(uid))

    def _content_type(self, uid: str) -> ContentType:
        content_type = self.registry.content_types.get(uid)
        if content_type is None:
            raise UnknownName(f"unknown content type {uid}{did_you_mean(uid, self.registry.content_types)}")
        return content_type

    def store(self, type: str = "core", name: str = "") -> CoreStore:
        """Return a key-value store in the database: `app.store("plugin", "my-plugin")`. It is the core store of v4."""
        return CoreStore(self.controller.writer, type, name)

    @property
    def mail(self) -> Mail:
        """Sends mail, through the transport in the settings."""
        return self.facilities.mail

    @property
    def http(self) -> HttpClient:
        """Sends HTTP requests. Only public addresses are allowed by default."""
        return self.facilities.http

    @property
    def log(self) -> logging.Logger:
        """The project's logger."""
        return self.facilities.log

    @property
    def cache(self) -> CodeCache:
        """A cache in the memory of this process."""
        return self.facilities.cache

    @property
    def conditions(self) -> Conditions:
        """Adds conditions for the permissions of administrators."""
        return self.facilities.conditions

    @property
    def custom(self) -> Custom:
        """Custom settings: `[custom]` in config/server.toml."""
        return self.facilities.custom

    def transaction(self, *, seconds: float = LONGEST_SECONDS) -> AbstractAsyncContextManager[Transaction]:
        """Return a context manager that runs all reads and writes through `app` in one transaction.

        A nested block is part of the outer one. If it raises, only its own changes are rolled back. `seconds` limits
        the duration. Raises ServiceUnavailable after that time, or if another transaction conflicts.
        """
        return transactions.begin(self.controller.writer, seconds)

    async def lock(self, name: str) -> None:
        """Lock a name until the end of the transaction. Wait if another transaction holds it.

        Call it in a block of `app.transaction()`, or in a hook. Later reads see the changes of the other transactions.
        Raises OutsideTransaction, and ServiceUnavailable if the wait is too long.
        """
        await transactions.lock(self.controller.writer, name)

    async def run_transaction(
        self, function: Callable[[Transaction], Awaitable[ResultT]], *, seconds: float = LONGEST_SECONDS
    ) -> ResultT:
        """Call an async function in a transaction and return its result.

        The function gets the transaction. If another transaction conflicts, it is called again, up to three times.
        Raises ServiceUnavailable after that.
        """
        return await transactions.run(self.controller.writer, function, seconds)
