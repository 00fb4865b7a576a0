"""Connections to a PostgreSQL server: opening, settings, closing."""

import contextlib
import ssl
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, Final
from urllib.parse import urlsplit

import asyncpg

from octavo.core.errors import ServiceUnavailable
from octavo.core.values import dataclass
from octavo.database.connection import DatabaseMisconfigured, Row, StatementCount, Values, first_bytes
from octavo.database.connection_share import StatementTexts
from octavo.database.postgresql_errors import raise_translated
from octavo.database.topology import Parameters, Role
from octavo.query.sql.dialects.quoting import quoted

_CACHED_STATEMENTS: Final = 1000
_LARGEST_CACHED: Final = 64 * 1024
"""Maximum bytes of a statement to cache as prepared statement."""
_CONNECT_SECONDS: Final = 2.0
_PROBE_SECONDS: Final = 1.4
_CLOSE_SECONDS: Final = 2.0

NOT_YET_THERE: Final = (TimeoutError, asyncpg.CannotConnectNowError, asyncpg.TargetServerAttributeNotMatched)
"""Errors on connecting while the server is slow, starting, in recovery or not yet promoted."""
_MISCONFIGURED: Final = (
    ValueError,
    ssl.SSLCertVerificationError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
)
"""Causes that waiting does not change."""
_FAILURES: Final = (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)

_SCHEMA_THERE: Final = "SELECT count(*) > 0 FROM pg_namespace WHERE nspname = $1"

_TEXT_TYPES: Final = ("numeric", "date", "time", "timestamp", "timestamptz")
"""Types passed as text, as the protocol requires. (jsonb is text already; for json see `_set_up`.)"""


class CountedConnection(asyncpg.Connection):  # type: ignore[misc]
    """A connection that limits its prepared statements, and refers to its pool.

    `writes`: whether its statements outside transactions can write. `tested` is when such a write last succeeded, in
    seconds of the monotonic clock.
    """

    pool: Any = None
    writes = False
    tested = 0.0

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.texts = StatementTexts(_LARGEST_CACHED)

    async def forget_statements(self) -> None:
        """Discard all prepared statements, here and on the server."""
        await self.reload_schema_state()


class SharedStatementsConnection(CountedConnection):
    """A connection through a pooler that shares prepared statements between clients, by their text.

    If a change of tables changes the result type of a statement, the pooler keeps the outdated one forever. So a number
    is appended to the texts then: the current second, which no earlier change used, and which processes that notice the
    change at the same time share.
    """

    generation = 0

    async def _execute(self, query: str, *given: Any, **named: Any) -> Any:
        """Called for every statement with values. It overrides a private method of asyncpg, for lack of a public
        one."""
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
    """A server's address, as parameters of asyncpg's `connect`, and the settings of its connections.

    Of several `places`, the first with a server of the `role` is used, starting with the last one found. `pooled`:
    statements outside transactions may run on different connections each time, so there are no session settings and no
    prepared statements, unless the pooler supports them (`prepared`).
    """

    url: str | None
    parameters: Parameters
    settings: Sequence[str]
    role: Role = "any"
    places: Sequence[tuple[str, int]] = ()
    pooled: bool = False
    prepared: bool = False
    check: Callable[[asyncpg.Connection], Awaitable[None]] | None = None
    """Called with each new connection. If it raises an error, the connection is not used."""
    _found: int = field(default=0, init=False)

    @property
    def place(self) -> str:
        """The server's address for messages, without user name and password."""
        try:
            named = ", ".join(_host_and_port(host, port) for host, port in self.places) or self._own_place()
        except ValueError:  # an invalid address; asyncpg reports it
            named = ""
        return f"PostgreSQL at {named}" if named else "PostgreSQL"

    def _own_place(self) -> str:
        given = urlsplit(self.url or "")
        host, port = self.parameters.get("host") or given.hostname, self.parameters.get("port") or given.port
        return "" if host is None else _host_and_port(host, port)

    @property
    def in_transaction(self) -> str:
        """Return the settings to add after BEGIN, if they cannot be set for the session."""
        return "".join(f"; SET LOCAL {setting}" for setting in self.settings) if self.pooled else ""

    async def open_connection(self) -> asyncpg.Connection:
        """Open a connection and set it up.

        Raises ServiceUnavailable with the driver's error as its cause, or DatabaseMisconfigured if waiting does not
        help.
        """
        failed: Exception | None = None
        wrong_role, misconfigured = False, True
        for number, given in self._attempts():
            try:
                connection = await self._open(given)
            except _FAILURES as error:
                failed = error
                wrong_role |= isinstance(error, asyncpg.TargetServerAttributeNotMatched)
                misconfigured &= isinstance(error, _MISCONFIGURED)
            else:
                self._found = number
                return connection
        wanted = ", as one that takes writes" if wrong_role and self.role == "primary" else ""
        kind = DatabaseMisconfigured if misconfigured else ServiceUnavailable
        raise kind(reason=self.place + wanted) from failed

    def _attempts(self) -> Iterator[tuple[int, Parameters]]:
        """Yield the parameters for each place, with its index."""
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
            target_session_attrs="any" if self.pooled else self.role,  # a pooler may report an old role
            **_for_now(parameters),
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
        """Return whether the server responds to a new connection, even if only to reject it."""
        _, given = next(self._attempts())
        try:
            connection = await asyncpg.connect(self.url, timeout=_PROBE_SECONDS, **_for_now(given))
        except asyncpg.PostgresError:
            return True
        except Exception:  # whatever the error, there was no response
            return False
        await close_connection(connection)
        return True


def _for_now(parameters: Parameters) -> Parameters:
    """Return the parameters of a new connection: its certificates can have changed."""
    encryption = parameters.get("ssl")
    return {**parameters, "ssl": encryption()} if callable(encryption) else parameters


def _host_and_port(host: str, port: int | None) -> str:
    """Format an address for messages. If no port is configured, asyncpg chooses it, so it is left out."""
    return host if port is None or host.startswith("/") else f"{host}:{port}"


def connection_settings(schema: str | None, statement_timeout: float) -> tuple[str, ...]:
    """Return the settings of every connection.

    Statements are prepared once and run often, so generic plans are used.
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
    """Raise DatabaseMisconfigured if the schema does not exist: PostgreSQL would use the next one, `public`.

    With None, there is no check.
    """
    if schema is not None and not await connection.fetchval(_SCHEMA_THERE, schema):
        hint = f"CREATE SCHEMA {quoted(schema)} makes it, database.schema (DATABASE_SCHEMA) names another"
        raise DatabaseMisconfigured(reason=f"{place}: the database has no schema {schema!r}; {hint}")


async def _set_up(connection: asyncpg.Connection, settings: str) -> None:
    """Configure a new connection, or close it on any error: its caller may have been cancelled."""
    try:
        if settings:
            await connection.execute(settings, timeout=_CONNECT_SECONDS)
        for name in _TEXT_TYPES:
            await connection.set_type_codec(name, schema="pg_catalog", encoder=str, decoder=str, format="text")
        # Responses are built as json: as bytes they are neither decoded nor encoded again.
        await connection.set_type_codec("json", schema="pg_catalog", encoder=str.encode, decoder=bytes, format="binary")
    except BaseException:
        connection.terminate()
        raise


async def close_connection(connection: asyncpg.Connection) -> None:
    """Close gracefully or, if that takes too long, terminate."""
    with contextlib.suppress(Exception):
        await connection.close(timeout=_CLOSE_SECONDS)


LOCK_HOLDERS: Final = """
SELECT DISTINCT c.relname::text, l.pid, a.usename::text, a.application_name, a.state,
    extract(epoch FROM clock_timestamp() - a.xact_start)::integer AS seconds
FROM pg_locks l JOIN pg_class c ON c.oid = l.relation LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.granted AND l.pid IS DISTINCT FROM pg_backend_pid() AND c.relname = ANY($1)
    AND a.state IS DISTINCT FROM 'idle'
    AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
ORDER BY seconds DESC NULLS FIRST LIMIT 3"""


def describe_holder(
    table: str, pid: int | None, user: str | None, application: str | None, state: str | None, seconds: int | None
) -> str:
    """Describe the holder of a lock. Its statement is left out, because it may contain sensitive data."""
    if pid is None:
        return f"{table}: a prepared transaction"
    known = ", ".join(text for text in (application, f"user {user}" if user else "", state) if text)
    return f"{table}: process {pid} ({known}) for {seconds or 0} s"


APART: Final = "SET default_transaction_read_only = off; SET statement_timeout = 0; SET lock_timeout = 0"


class IndependentConnection:
    """Implements `Connection`."""

    def __init__(self, counted: StatementCount, connection: asyncpg.Connection) -> None:
        self._counted = counted
        self._connection = connection

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        self._counted.statements += 1
        try:
            rows: Sequence[Row] = await self._connection.fetch(text, *values)
        except BaseException as error:
            raise_translated(error, self._connection)
        return rows

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        rows = await self.fetch_all(text, values)
        return rows[0] if rows else None

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        row = await self.fetch_row(text, values)
        return None if row is None else row[0]

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return first_bytes(await self.fetch_row(text, values))

    async def execute(self, text: str, values: Values = ()) -> int:
        return len(await self.fetch_all(text, values))

    async def execute_script(self, text: str) -> None:
        self._counted.statements += 1
        try:
            await self._connection.execute(text)
        except BaseException as error:
            raise_translated(error, self._connection)
