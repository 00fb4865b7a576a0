"""MysqlSource: reads a MySQL or MariaDB database for a copy, in one consistent snapshot."""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, tzinfo
from typing import Any, Final, cast

import asyncmy
from asyncmy import errors

from octavo.core.errors import ServiceUnavailable
from octavo.database.connection import DatabaseMisconfigured, Row, Values
from octavo.database.synchronize import STATE_TABLE
from octavo.operations.transfer.mysql.address import PASSWORD_VARIABLE, MysqlAddress
from octavo.operations.transfer.mysql.source_dialect import MysqlSourceDialect
from octavo.operations.transfer.mysql.values import decoders
from octavo.operations.transfer.problems import TransferError

_PATIENCE: Final = 10.0
"""Seconds to connect."""
_VALUE: Final = re.compile(r"`[^`]*`|'[^']*'|\?(\d+)")
_SESSION: Final = (
    # The driver escapes values with backslashes. Zero dates can be read in any mode.
    "SET SESSION sql_mode = 'NO_ENGINE_SUBSTITUTION', wait_timeout = 28800, net_write_timeout = 3600",
    # Otherwise, each batch of links would read all ids of the tables that they refer to.
    "SET SESSION optimizer_switch = 'materialization=off'",
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
)
_UNLIMITED: Final = {True: "SET SESSION max_statement_time = 0", False: "SET SESSION max_execution_time = 0"}
"""Removes the time limit of statements, by whether the server is MariaDB."""
_OLDEST: Final = {True: (10, 2), False: (5, 7)}
_SERVER: Final = "SELECT version(), @@lower_case_table_names, timestampdiff(MINUTE, utc_timestamp(), now())"
_STATE: Final = "SELECT count(*) FROM information_schema.tables WHERE table_schema = database() AND table_name = {}"
_BEGIN: Final = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"

_DENIED: Final = {
    1044: "the user has no access to this database; grant SELECT on it",
    1045: f"check user, password and encryption (ssl=require) in the URL; {PASSWORD_VARIABLE} can hold the password",
    1049: "this database does not exist on the server",
    1698: f"set another user in the URL, and its password in {PASSWORD_VARIABLE}",
}
"""Remedies by MySQL's error numbers."""


class MysqlSource:
    """A MySQL or MariaDB database to copy from. `zone`: the time zone of stored instants.

    A database that Octavo has served is read as Octavo reads it, and its zone must be UTC.
    """

    dialect: MysqlSourceDialect
    offset: int
    """The offset of the server's time zone from UTC, in minutes."""

    def __init__(self, address: MysqlAddress, zone: tzinfo = UTC) -> None:
        self._address = address
        self._zone = zone
        self._decoders = decoders(zone)
        self._connection: asyncmy.Connection | None = None

    async def connect(self) -> None:
        """Connect. Raises ServiceUnavailable."""
        contexts = self._address.ssl_contexts()
        for number, context in enumerate(contexts, 1):
            try:
                async with asyncio.timeout(_PATIENCE):
                    self._connection = await asyncmy.connect(**self._parameters(), ssl=context)
                break
            except TimeoutError as error:
                raise self._unavailable(f"no answer in {_PATIENCE:.0f} seconds") from error
            except errors.Error as error:
                if number == len(contexts) or not isinstance(error.__cause__, ssl.SSLError):
                    raise self._connect_error(error) from None
        try:
            await self._set_up()
        except BaseException:
            await self.close()
            raise

    def _parameters(self) -> dict[str, Any]:
        address = self._address
        return {
            **({"unix_socket": address.socket} if address.socket else {"host": address.host, "port": address.port}),
            "user": address.user,
            "password": (address.password or "").encode(),  # the driver would encode text as Latin-1
            "database": address.name,
            "charset": "utf8mb4",
            "conv": self._decoders,
            "autocommit": True,
            "connect_timeout": _PATIENCE,
        }

    async def _set_up(self) -> None:
        version, lower_case, self.offset = (await self.fetch_all(_SERVER))[0]
        is_mariadb = "mariadb" in version.lower()
        numbers = tuple(int(part) for part in re.findall(r"\d+", version.removeprefix("5.5.5-"))[:2])
        if numbers < _OLDEST[is_mariadb]:
            raise DatabaseMisconfigured(
                reason=f"{self._address}: version {version} is too old; MySQL 5.7 or MariaDB 10.2 is required"
            )
        for statement in (*_SESSION, _UNLIMITED[is_mariadb]):
            await self.fetch_all(statement)
        served = bool(await self.fetch_value(_STATE.format(f"'{STATE_TABLE}'")))
        if served and self._zone is not UTC:
            raise DatabaseMisconfigured(
                reason=f"{self._address}: Octavo has served this database, so its instants are in UTC; "
                "leave out --time-zone"
            )
        if served:  # columns of type `timestamp` follow the session
            await self.fetch_all("SET SESSION time_zone = '+00:00'")
        self.dialect = MysqlSourceDialect(table_names_ignore_case=bool(lower_case), served=served)

    async def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator["MysqlSource"]:
        """Read in one transaction, in which later writes of others are not visible."""
        await self.fetch_all(_BEGIN)
        yield self

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        """Return all rows. Raises TransferError."""
        del long
        assert self._connection is not None
        connection, escape = self._connection, cast(Callable[[Any], str], self._connection.escape)

        def bound(found: re.Match[str]) -> str:
            return found[0] if found[1] is None else escape(values[int(found[1]) - 1])

        try:
            async with connection.cursor() as cursor:
                await cursor.execute(_VALUE.sub(bound, text))
                rows: Sequence[Row] = await cursor.fetchall()
                return rows
        except (errors.Error, OSError) as error:
            table = re.search(r"FROM `([^`]+)`", text)
            place = f"{self._address}{f', table {table[1]}' if table else ''}"
            raise TransferError(f"{place}: {_message(error)}. Nothing was copied; start the copy again") from error

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        """Return the first row, or None."""
        return next(iter(await self.fetch_all(text, values)), None)

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        """Return the first column of the first row, or None."""
        row = await self.fetch_row(text, values)
        return None if row is None else row[0]

    def _connect_error(self, error: Exception) -> ServiceUnavailable:
        remedy = _DENIED.get(error.args[0] if error.args else 0)
        if remedy is None:
            return self._unavailable(_message(error))
        return DatabaseMisconfigured(reason=f"{self._address}: {_message(error)}: {remedy}")

    def _unavailable(self, reason: str) -> ServiceUnavailable:
        return ServiceUnavailable(reason=f"{self._address}: {reason}")


def _message(error: Exception) -> str:
    """Return the text of a driver's error, without its number."""
    return str(error.args[-1] if error.args else error)
