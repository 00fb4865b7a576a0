"""Connections to a PostgreSQL server: how one is opened, what it is set to, how it is closed."""

import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, Final
from urllib.parse import urlsplit

import asyncpg

from octavo.core.errors import ServiceUnavailable
from octavo.core.values import dataclass
from octavo.database.prepared_statements import StatementTexts
from octavo.database.topology import Parameters, Role
from octavo.query.sql.dialects.quoting import quoted

_CACHED_STATEMENTS: Final = 1000
_LARGEST_CACHED: Final = 64 * 1024
"""Bytes of the longest statement that is kept prepared."""
_CONNECT_SECONDS: Final = 2.0
_PROBE_SECONDS: Final = 1.4
_CLOSE_SECONDS: Final = 2.0

NOT_YET_THERE: Final = (TimeoutError, asyncpg.CannotConnectNowError, asyncpg.TargetServerAttributeNotMatched)
"""Causes for which opening a connection fails while the server is slow, starting, in recovery or not promoted yet."""
_FAILURES: Final = (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)

_SCHEMA_THERE: Final = "SELECT count(*) > 0 FROM pg_namespace WHERE nspname = $1"

_TEXT_TYPES: Final = ("numeric", "date", "time", "timestamp", "timestamptz")
"""Types that travel as text, as the protocol promises. (jsonb is text by itself, json see `_set_up`.)"""


class CountedConnection(asyncpg.Connection):  # type: ignore[misc]
    """A connection that keeps no more statements prepared than it may, and knows the pool it is in."""

    pool: Any = None

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.texts = StatementTexts(_LARGEST_CACHED)

    async def forget_statements(self) -> None:
        """Forget all prepared statements, here and on the server."""
        await self.reload_schema_state()


class SharedStatementsConnection(CountedConnection):
    """A connection through a pooler that keeps prepared statements by their text, for all who are lent its servers.

    One whose result has another type since a change of tables is prepared there for good, under whatever name it is
    asked for; so texts are made new by a number at their end: the second in which that was noticed, which no earlier
    change had, and which other processes that notice at once share.
    """

    generation = 0

    async def _execute(self, query: str, *given: Any, **named: Any) -> Any:
        """What every statement with values goes through; a private name of the driver's, as there is no other place."""
        with self._new_after_changes():
            return await super()._execute(self._text(query), *given, **named)

    def _text(self, query: str) -> str:
        number = SharedStatementsConnection.generation
        return f"{query} /* {number} */" if number else query

    @contextlib.contextmanager
    def _new_after_changes(self) -> Iterator[None]:
        number = SharedStatementsConnection.generation
        try:
            yield
        except asyncpg.InvalidCachedStatementError:
            if number == SharedStatementsConnection.generation:
                SharedStatementsConnection.generation = max(number + 1, int(time.time()))
            raise


@dataclass(slots=True)
class Server:
    """Where a server is, in the words of asyncpg's `connect`, and what each connection is set to.

    Of several `places` the first with a server of the `role` counts, beginning with the one found last. `pooled`: what
    is said outside of transactions may reach another server each time, so nothing is set there, and nothing kept
    prepared but by a pooler that sees to it (`prepared`).
    """

    url: str | None
    parameters: Parameters
    settings: Sequence[str]
    role: Role = "any"
    places: Sequence[tuple[str, int]] = ()
    pooled: bool = False
    prepared: bool = False
    check: Callable[[asyncpg.Connection], Awaitable[None]] | None = None
    """Told each new connection; what it raises is why there is none."""
    _found: int = field(default=0, init=False)

    @property
    def place(self) -> str:
        """Where the server is, for people: nobody's name or password."""
        try:
            named = ", ".join(_host_and_port(host, port) for host, port in self.places) or self._own_place()
        except ValueError:  # no address; the driver says so
            named = ""
        return f"PostgreSQL at {named}" if named else "PostgreSQL"

    def _own_place(self) -> str:
        given = urlsplit(self.url or "")
        host, port = self.parameters.get("host") or given.hostname, self.parameters.get("port") or given.port
        return "" if host is None else _host_and_port(host, port)

    @property
    def in_transaction(self) -> str:
        """What follows the statement that begins a transaction: settings that cannot be kept for longer."""
        return "".join(f"; SET LOCAL {setting}" for setting in self.settings) if self.pooled else ""

    async def open_connection(self) -> asyncpg.Connection:
        """Open a connection and set it up. Raises ServiceUnavailable, its cause telling what is wrong."""
        failed: Exception | None = None
        wrong_role = False
        for number, given in self._attempts():
            try:
                connection = await self._open(given)
            except _FAILURES as error:
                failed = error
                wrong_role |= isinstance(error, asyncpg.TargetServerAttributeNotMatched)
            else:
                self._found = number
                return connection
        wanted = ", as one that takes writes" if wrong_role and self.role == "primary" else ""
        raise ServiceUnavailable(reason=self.place + wanted) from failed

    def _attempts(self) -> Iterator[tuple[int, Parameters]]:
        """The parameters for each place, by its number."""
        if not self.places:
            yield 0, self.parameters
        for step in range(len(self.places)):
            number = (self._found + step) % len(self.places)
            host, port = self.places[number]
            yield number, {**self.parameters, "host": host, "port": port}

    async def _open(self, parameters: Parameters) -> asyncpg.Connection:
        connection = await asyncpg.connect(
            self.url,
            timeout=_CONNECT_SECONDS,
            statement_cache_size=0 if self.pooled and not self.prepared else _CACHED_STATEMENTS,
            max_cached_statement_lifetime=0,
            max_cacheable_statement_size=_LARGEST_CACHED,
            connection_class=SharedStatementsConnection if self.prepared else CountedConnection,
            server_settings={"application_name": "octavo"},
            target_session_attrs="any" if self.pooled else self.role,  # a pooler tells what it was told once
            **parameters,
        )
        await _set_up(connection, "" if self.pooled else ";".join(f"SET {setting}" for setting in self.settings))
        if self.check is not None:
            try:
                await self.check(connection)
            except BaseException:
                connection.terminate()
                raise
        return connection

    async def is_there(self) -> bool:
        """Tell whether the server talks to a newcomer, be it only to refuse."""
        _, given = next(self._attempts())
        try:
            connection = await asyncpg.connect(self.url, timeout=_PROBE_SECONDS, **given)
        except asyncpg.PostgresError:
            return True
        except Exception:  # in whatever way it failed, nobody answered
            return False
        await close_connection(connection)
        return True


def _host_and_port(host: str, port: int | None) -> str:
    """An address for people. The port of a server nobody gave one for is the driver's to choose."""
    return host if port is None or host.startswith("/") else f"{host}:{port}"


def connection_settings(schema: str | None, statement_timeout: float) -> tuple[str, ...]:
    """Return the settings of every connection.

    Statements come once and run often, so plans are made once, for any value.
    """
    settings = {
        "plan_cache_mode": "force_generic_plan",
        "jit": "off",
        "timezone": "'UTC'",
        "datestyle": "'ISO, YMD'",
        "statement_timeout": str(int(statement_timeout * 1000)),
        "default_transaction_read_only": "on",
    }
    if schema is not None:
        settings["search_path"] = f"{quoted(schema)}, public"
    return tuple(f"{name} = {value}" for name, value in settings.items())


async def check_schema(connection: asyncpg.Connection, schema: str | None, place: str) -> None:
    """Raise ServiceUnavailable where there is none of that name: PostgreSQL would take the next of its path, `public`.

    `None`: nobody asks for a certain one.
    """
    if schema is not None and not await connection.fetchval(_SCHEMA_THERE, schema):
        hint = f"CREATE SCHEMA {quoted(schema)} makes it, database.schema (DATABASE_SCHEMA) names another"
        raise ServiceUnavailable(reason=f"{place}: the database has no schema {schema!r}; {hint}")


async def _set_up(connection: asyncpg.Connection, settings: str) -> None:
    """Make a connection what every connection is, or end it: whoever asked for it may not be waiting any more."""
    try:
        if settings:
            await connection.execute(settings, timeout=_CONNECT_SECONDS)
        for name in _TEXT_TYPES:
            await connection.set_type_codec(name, schema="pg_catalog", encoder=str, decoder=str, format="text")
        # Answers are built as json: taken as bytes they are neither decoded nor encoded again.
        await connection.set_type_codec("json", schema="pg_catalog", encoder=str.encode, decoder=bytes, format="binary")
    except BaseException:
        connection.terminate()
        raise


async def close_connection(connection: asyncpg.Connection) -> None:
    """Close in good manners, or, if that takes too long, without."""
    with contextlib.suppress(Exception):
        await connection.close(timeout=_CLOSE_SECONDS)
