"""Connections to a MySQL or MariaDB server: opening, settings, statements, closing."""

import asyncio
import contextlib
import re
import ssl
from collections.abc import Sequence
from functools import cache
from math import ceil
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from asyncmy.connection import Connection as RawConnection
from asyncmy.constants.CLIENT import FOUND_ROWS, SSL
from asyncmy.constants.FIELD_TYPE import DOUBLE, FLOAT, INT24, LONG, LONGLONG, NEWDECIMAL, SHORT, TINY, YEAR
from asyncmy.errors import Error, InterfaceError

from octavo.core.errors import ServiceUnavailable
from octavo.core.net.encryption_modes import read_encryption
from octavo.core.values import dataclass
from octavo.database.connection import DatabaseMisconfigured, UnsuitableValue
from octavo.database.mysql_errors import NOT_PRIVILEGED, REFUSED_FOR_GOOD, SERVER_LOST, code_of
from octavo.database.topology import Parameters

DEFAULT_PORT: Final = 3306
_CONNECT_SECONDS: Final = 2.0
_SET_UP_SECONDS: Final = 5.0
_PROBE_SECONDS: Final = 1.4
_CLOSE_SECONDS: Final = 2.0


def _decimal(text: str) -> int | str:
    """Return a decimal: as an integer if it has no decimal places, like sums and unions of different integer types."""
    return text if "." in text else int(text)


_DECODERS: Final = {
    NEWDECIMAL: _decimal,
    **dict.fromkeys((TINY, SHORT, INT24, LONG, LONGLONG, YEAR), int),
    **dict.fromkeys((FLOAT, DOUBLE), float),
}
"""All other types are returned as text, as the protocol requires, or as bytes."""
_MODE: Final = (
    "STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_VALUE_ON_ZERO,"
    "NO_ENGINE_SUBSTITUTION"
)
"""Values that do not fit are errors. Backslashes escape, and double quotes are quotes of texts."""
SETTINGS: Final = (
    "SET NAMES utf8mb4",
    # Expressions are compared as the tables compare their columns, if these have the database's collation.
    "SET SESSION collation_connection = IF(@@character_set_database = 'utf8mb4', @@collation_database, "
    f"@@collation_connection), sql_mode = '{_MODE}', time_zone = '+00:00', default_storage_engine = InnoDB, "
    "autocommit = 1",
    # As on PostgreSQL: each statement sees what was committed before it. InnoDB locks only rows that match then, no
    # gaps, so transactions that do not concern the same rows do not wait for each other.
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
)
_READ_ONLY: Final = "SET SESSION TRANSACTION READ ONLY"
_FACTS: Final = "SELECT @@version, @@max_allowed_packet, @@auto_increment_increment"
_ALL_WARNINGS: Final = "SET SESSION max_error_count = 65535"
"""Others can come before the one that a list was cut."""
_OLDEST: Final = {"MySQL": (8, 0, 19), "MariaDB": (10, 6, 0)}
_VERSION: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)")
_VERIFYING: Final = ("verify-ca", "verify-full")
_ENCRYPTED: Final = ("prefer", "require")
_FAILURES: Final = (OSError, ValueError, RuntimeError, NotImplementedError, Error)


class AsyncmyConnection(RawConnection):
    """A connection that also accepts a server without TLS if encryption is preferred only.

    It uses private parts of asyncmy, for lack of public ones: its cursors query the server for warnings and discard
    them.
    """

    prefers_encryption = False
    server_version: str
    _result: Any
    _transport: Any
    _ssl_context: Any
    _stream_broken: bool
    _client_flag: int
    _connect_timeout: float | None
    server_capabilities: int

    async def _request_authentication(self) -> Any:
        """Called after the server has sent its capabilities."""
        if self.prefers_encryption and not self.server_capabilities & SSL:
            self._ssl_context = None
            self._client_flag &= ~SSL
        return await super()._request_authentication()  # type: ignore[misc]

    async def connect(self) -> Any:
        """Connect. The caller limits the time: asyncmy uses `wait_for`, which loses cancellations in Python 3.11."""
        self._connect_timeout = None
        raw: Any = super()
        return await raw.connect()

    @property
    def is_closed(self) -> bool:
        """Whether the connection cannot be used any more."""
        return not self.connected or self._stream_broken

    async def run_all(self, statements: bytes) -> list[Any]:
        """Run statements, and return their results."""
        raw: Any = self
        await raw.query(statements)
        results = [self._result]
        while self._result.has_next:
            await raw.next_result()
            results.append(self._result)
        self._result = None
        return results

    def terminate(self) -> None:
        """Close the connection without contacting the server."""
        transport = self._transport
        self.close()
        if transport is not None:
            transport.abort()


class MysqlConnection:
    """A connection, and what its server is. `pool` is the pool that it belongs to."""

    def __init__(self, raw: AsyncmyConnection) -> None:
        self._raw = raw
        self._largest = 2**30
        self.pool: Any = None
        self.is_mariadb = "mariadb" in raw.server_version.lower()
        self.id_step = 1

    async def check(self) -> None:
        """Check the server's version, and read its limits. Raises DatabaseMisconfigured."""
        [row] = (await self.run(_FACTS.encode())).rows
        version, self._largest, self.id_step = row
        check_version(version, "MariaDB" if self.is_mariadb else "MySQL")

    async def store_all_warnings(self) -> None:
        """Let the server store all warnings of a statement. MySQL 9 requires a privilege for this; without it,
        `run_checked` rejects results with more warnings than are stored."""
        try:
            await self.run(_ALL_WARNINGS.encode(), _SET_UP_SECONDS)
        except Error as error:
            if code_of(error) != NOT_PRIVILEGED:
                raise

    @property
    def has_returning(self) -> bool:
        """Whether INSERT and DELETE have the clause RETURNING."""
        return self.is_mariadb

    @property
    def is_closed(self) -> bool:
        """Whether the connection cannot be used any more."""
        return self._raw.is_closed

    async def run(self, statements: bytes, seconds: float | None = None) -> Any:
        """Run statements separated by semicolons, and return the result of the last one."""
        return (await self.run_all(statements, seconds))[-1]

    async def run_all(self, statements: bytes, seconds: float | None = None) -> list[Any]:
        """Run statements separated by semicolons, and return their results, in order.

        Each has `rows`, or None if it does not return any, `affected_rows`, `insert_id` and `warning_count`.
        """
        if len(statements) >= self._largest:
            raise UnsuitableValue(f"a statement of {len(statements)} bytes exceeds the server's max_allowed_packet")
        async with asyncio.timeout(seconds):
            return await self._raw.run_all(statements)

    def terminate(self) -> None:
        """Close the connection without contacting the server."""
        self._raw.terminate()

    async def close(self) -> None:
        """Close gracefully or, if that takes too long, terminate."""
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._raw.ensure_closed()
        except Exception:
            self.terminate()

    @property
    def thread(self) -> int:
        """The server's number of the connection."""
        return int(self._raw.thread_id())


def check_version(version: str, kind: str) -> None:
    """Raise DatabaseMisconfigured for a server that is too old to serve from."""
    match, oldest = _VERSION.search(version), _OLDEST[kind]
    if match is None or tuple(map(int, match.groups())) < oldest:
        raise DatabaseMisconfigured(
            reason=f"{kind} {version} is too old: Octavo needs MySQL 8.0.19 or MariaDB 10.6, or later. "
            "`octavo db copy` copies its content to PostgreSQL or SQLite"
        )


def session_settings(statement_timeout: float, largest_answer: int) -> tuple[str, ...]:
    """Return the settings of every connection; those of time limits differ between MySQL and MariaDB, see
    `time_limit`. Lists that are larger than an answer are cut, with a warning that the driver reads."""
    waits = max(ceil(statement_timeout), 1) if statement_timeout else 31_536_000
    return (
        *SETTINGS,
        f"SET SESSION group_concat_max_len = {largest_answer + 1}, innodb_lock_wait_timeout = {waits}, "
        f"lock_wait_timeout = {waits}",
    )


def time_limit(seconds: float, *, is_mariadb: bool) -> str:
    """Return the setting of the time limit of statements; MySQL only has one for reads. 0 is none."""
    if is_mariadb:
        return f"SET SESSION max_statement_time = {seconds:.3f}"
    return f"SET SESSION max_execution_time = {ceil(seconds * 1000)}"


@dataclass(slots=True)
class Server:
    """A server's address and the settings of its connections.

    `parameters` are `host` (a path is a socket), `port`, `user`, `password`, `database` and `ssl`, as the settings
    name them; the password and `ssl` can be functions to call for each connection.
    """

    parameters: Parameters
    settings: Sequence[str]
    statement_timeout: float

    @property
    def place(self) -> str:
        """The server's address for messages, without user name and password."""
        host, port = self.parameters.get("host"), self.parameters.get("port") or DEFAULT_PORT
        if not host:
            return "MySQL"
        return f"MySQL at {host}" if host.startswith("/") else f"MySQL at {host}:{port}"

    async def open_connection(self, *, writes: bool = False, patience: int | None = None) -> MysqlConnection:
        """Open a connection. With `writes` it writes outside transactions, without time limits for statements, which
        wait for locks for `patience` seconds.

        Raises ServiceUnavailable with the driver's error as its cause, or DatabaseMisconfigured if waiting does not
        help.
        """
        try:
            connection = MysqlConnection(await _connect(self.parameters, _CONNECT_SECONDS))
        except _FAILURES as error:
            kind = DatabaseMisconfigured if _is_final(error) else ServiceUnavailable
            raise kind(reason=self.place) from error
        limit = time_limit(0 if writes else self.statement_timeout, is_mariadb=connection.is_mariadb)
        texts = [*self.settings, limit] if writes else [*self.settings, limit, _READ_ONLY]
        if patience is not None:
            texts.append(f"SET SESSION innodb_lock_wait_timeout = {patience}, lock_wait_timeout = {patience}")
        try:
            await connection.run(";".join(texts).encode(), _SET_UP_SECONDS)
            await connection.store_all_warnings()
            await connection.check()
        except _FAILURES as error:
            connection.terminate()
            raise ServiceUnavailable(reason=self.place) from error
        except BaseException:
            connection.terminate()
            raise
        return connection

    async def is_there(self) -> bool:
        """Return whether the server responds to a new connection, even if only to reject it."""
        try:
            raw = await _connect(self.parameters, _PROBE_SECONDS)
        except Error as error:
            return code_of(error) not in SERVER_LOST and code_of(error) > 0
        except Exception:  # whatever the error, there was no response
            return False
        await MysqlConnection(raw).close()
        return True

    async def kill(self, thread: int) -> None:
        """End a connection of this user on the server, with its statement and transaction, if possible."""
        with contextlib.suppress(Exception):
            connection = MysqlConnection(await _connect(self.parameters, _PROBE_SECONDS))
            try:
                await connection.run(f"KILL {thread}".encode(), _PROBE_SECONDS)
            finally:
                await connection.close()


async def _connect(parameters: Parameters, seconds: float) -> AsyncmyConnection:
    """Open a connection of the driver. A whole attempt takes at most `seconds`."""
    password, encryption = parameters.get("password"), parameters.get("ssl")
    password = password() if callable(password) else password
    encryption = encryption() if callable(encryption) else encryption
    host = parameters.get("host") or "localhost"
    is_path = host.startswith("/")
    make: Any = AsyncmyConnection
    raw: AsyncmyConnection = make(
        user=parameters.get("user"),
        password=(password or "").encode(),  # asyncmy would encode a text as Latin-1
        host=None if is_path else host,
        unix_socket=host if is_path else None,
        port=parameters.get("port") or DEFAULT_PORT,
        database=parameters.get("database"),
        charset="utf8mb4",
        conv=_DECODERS,
        client_flag=FOUND_ROWS,
        autocommit=None,
        program_name="octavo",
        ssl=None if is_path else tls_context(encryption),
    )
    raw.prefers_encryption = encryption == "prefer"
    try:
        async with asyncio.timeout(seconds):
            await raw.connect()
    except BaseException:
        raw.close()
        raise
    return raw


def tls_context(encryption: Any) -> ssl.SSLContext | None:
    """Return the TLS context for a mode of the setting `ssl`, or the given context."""
    if isinstance(encryption, ssl.SSLContext):
        return encryption
    return _mode_context(encryption) if encryption in (*_ENCRYPTED, *_VERIFYING) else None


@cache
def _mode_context(mode: str) -> ssl.SSLContext:
    """Return the TLS context of a mode, for all connections: reading the machine's certificates takes 20 ms, and a
    growing pool opens many connections at a time."""
    if mode in _VERIFYING:
        context = ssl.create_default_context()
        context.check_hostname = mode == "verify-full"
        return context
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _is_final(error: BaseException) -> bool:
    """Return whether waiting does not change the cause of a failed attempt to connect."""
    causes = (error, error.__cause__)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return True
    if isinstance(error, ValueError | RuntimeError | NotImplementedError):
        return not isinstance(error, InterfaceError)
    return code_of(error) in REFUSED_FOR_GOOD


def parameters_of(url: str) -> Parameters:
    """Return the parameters in a URL `mysql://user:password@host:port/name`, with `?ssl=` and a mode.

    Raises ValueError, which does not contain the URL.
    """
    parts = urlsplit(url)
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    return {
        "host": options.get("host", parts.hostname),
        "port": parts.port,
        "user": unquote(parts.username) if parts.username else None,
        "password": unquote(parts.password) if parts.password else None,
        "database": unquote(parts.path.removeprefix("/")) or None,
        "ssl": read_encryption(options) or "prefer",
    }
