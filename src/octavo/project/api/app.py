"""`app`: what `register(app)`, `bootstrap(app)`, policies, middlewares and resolvers are given."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Protocol, TypeVar, overload

from octavo.content.core_store import CoreStore
from octavo.controllers.content import ContentController
from octavo.events.event import Event
from octavo.events.hooks import Hooks
from octavo.jobs.book import Jobs
from octavo.jobs.functions import JobOptions
from octavo.project.api import transactions
from octavo.project.api.code_cache import CodeCache
from octavo.project.api.conditions import Conditions
from octavo.project.api.custom import Custom
from octavo.project.api.entries import Entries
from octavo.project.api.facilities import Facilities
from octavo.project.api.http_client import HttpClient
from octavo.project.api.mail import Mail
from octavo.project.api.row_query import RowQuery
from octavo.project.api.transactions import LONGEST_SECONDS, Transaction
from octavo.project.naming import did_you_mean
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.settings import Settings
from octavo.values import dataclass
from octavo.webhooks.book import Webhooks

ResultT = TypeVar("ResultT")
HookT = TypeVar("HookT", bound=Callable[[Event], Any])


class UnknownName(LookupError):
    """A plugin, a service or a content-type that does not exist."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin's services, by name, and what the project configures it with: its dataclass `Settings`, or a table."""

    name: str
    services: Mapping[str, Any]
    config: Any = None

    def service(self, name: str) -> Any:
        """The service of that name. Raises UnknownName."""
        if name not in self.services:
            raise UnknownName(f"plugin {self.name} has no service {name!r}{did_you_mean(name, self.services)}")
        return self.services[name]


class Services(Protocol):
    """Where services are found."""

    def find(self, app: "App", uid: str) -> Any:
        """The service of that name. Raises UnknownName."""


@dataclass(frozen=True, slots=True)
class App:
    """The service as a project's code sees it."""

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
        """Call a function before or after something happens to entries of content-types; without one, a decorator.

        Events are named as the functions of `lifecycles.py` (`before_create`), content-types by UID or with stars
        (`api::*`). Only in `register`. Raises InvalidCode.
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
        """Run a function by the clock, on one of all processes; without one, a decorator. Only in `register`.

        `rule` is a cron expression of five fields, or six that begin with seconds; `tz` as in `Europe/Berlin`.
        `catch_up`: run it once for what was missed while no process was there. Raises InvalidCode.
        """
        if function is None:
            return partial(self.jobs.cron, rule, tz=tz, name=name, catch_up=catch_up)
        return self.jobs.cron(rule, function, tz=tz, name=name, catch_up=catch_up)

    def job(
        self, function: Callable[..., Any] | None = None, *, retries: int | None = None, timeout: float | None = None
    ) -> Callable[..., Any]:
        """Say of a function of the project how it is run by `enqueue`: tried again so often, within so many seconds."""
        options = JobOptions(retries, timeout)
        if function is None:
            return partial(self.jobs.job, options=options)
        return self.jobs.job(function, options)

    async def enqueue(
        self, function: Callable[..., Any], *args: Any, delay: float = 0, retries: int | None = None, **kwargs: Any
    ) -> int:
        """Run a function of the project in the background, by any process, after `delay` seconds; the job's id.

        Arguments are kept as JSON. It is run at least once; one that raises is tried again, three times unless said.
        In a transaction it is run if that is committed. A first argument called `app` is given. Raises NotAJob.
        """
        return await self.jobs.enqueue(function, args, kwargs, delay=delay, retries=retries)

    def plugin(self, name: str) -> Plugin:
        """The plugin of that name. Raises UnknownName."""
        if name not in self.plugins:
            raise UnknownName(f"there is no plugin {name!r}; there are {', '.join(sorted(self.plugins))}")
        return self.plugins[name]

    def service(self, uid: str) -> Any:
        """The service of that name, the project's own or that of a content-type. Raises UnknownName."""
        return self.services.find(self, uid)

    def entries(self, uid: str) -> Entries:
        """The entries of a content-type, by its UID. Raises UnknownName."""
        return self.facilities.rules.entries(self.controller, self._content_type(uid))

    def query(self, uid: str) -> RowQuery:
        """Rows of a content-type, counts and sums, where whole entries are too much. Raises UnknownName."""
        return RowQuery(self.controller, self._content_type(uid))

    def _content_type(self, uid: str) -> ContentType:
        found = self.registry.content_types.get(uid)
        if found is None:
            raise UnknownName(f"there is no content-type {uid}{did_you_mean(uid, self.registry.content_types)}")
        return found

    def store(self, type: str = "core", name: str = "") -> CoreStore:
        """v4's core store, by the type and the name of who owns the values: `app.store("plugin", "my-plugin")`."""
        return CoreStore(self.controller.writer, type, name)

    @property
    def mail(self) -> Mail:
        """Mail by the way that the settings name."""
        return self.facilities.mail

    @property
    def http(self) -> HttpClient:
        """Requests to other machines, guarded."""
        return self.facilities.http

    @property
    def log(self) -> logging.Logger:
        """The project's own log."""
        return self.facilities.log

    @property
    def cache(self) -> CodeCache:
        """What is kept for a while, in this process."""
        return self.facilities.cache

    @property
    def conditions(self) -> Conditions:
        """The conditions that rights of administrators can be given."""
        return self.facilities.conditions

    @property
    def custom(self) -> Custom:
        """Settings of the project's own: `[custom]` in config/server.toml."""
        return self.facilities.custom

    def transaction(self, *, seconds: float = LONGEST_SECONDS) -> AbstractAsyncContextManager[Transaction]:
        """A block in which everything that is read and written through `app` is one transaction, all or nothing.

        A block in a block is a part of it: if it raises, it alone is undone. So is each write that raises. It takes
        `seconds` at most. Raises ServiceUnavailable when that was too short, or another transaction is in the way.
        """
        return transactions.begin(self.controller.writer, seconds)

    async def lock(self, name: str) -> None:
        """Wait until no other transaction holds a lock of this name, and hold it until the end of this one.

        What is read from then on is what the others have left. It is called in a transaction: in a block of
        `app.transaction()`, or in a hook. Raises OutsideTransaction; ServiceUnavailable when the wait is too long.
        """
        await transactions.lock(self.controller.writer, name)

    async def run_transaction(
        self, function: Callable[[Transaction], Awaitable[ResultT]], *, seconds: float = LONGEST_SECONDS
    ) -> ResultT:
        """What an async function returns that is called in a transaction; called again if another one is in its way.

        It is given the transaction. Raises ServiceUnavailable after the third time.
        """
        return await transactions.run(self.controller.writer, function, seconds)
