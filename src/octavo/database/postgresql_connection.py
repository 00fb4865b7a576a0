"""Connections to a PostgreSQL server: how one is opened, what it is set to, how it is closed."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import asyncpg

from octavo.database.prepared_statements import StatementTexts
from octavo.errors import ServiceUnavailable
from octavo.sql.dialects.quoting import quoted

_CACHED_STATEMENTS: Final = 1000
_LARGEST_CACHED: Final = 64 * 1024
"""Bytes of the longest statement that is kept prepared."""
_CONNECT_SECONDS: Final = 2.0
_PROBE_SECONDS: Final = 1.4
_CLOSE_SECONDS: Final = 2.0

NOT_YET_THERE: Final = (TimeoutError, asyncpg.CannotConnectNowError)
"""Causes for which opening a connection fails while the server is slow, starting or in recovery."""

_TEXT_TYPES: Final = ("numeric", "date", "time", "timestamp", "timestamptz")
"""Types that travel as text, as the protocol promises. (jsonb is text by itself, json see `_set_up`.)"""


class CountedConnection(asyncpg.Connection):  # type: ignore[misc]
    """A connection that keeps no more statements prepared than it may."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.texts = StatementTexts(_LARGEST_CACHED)

    async def forget_statements(self) -> None:
        """Forget all prepared statements, here and on the server."""
        await self.reload_schema_state()


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server is, in the words of asyncpg's `connect`, and the script that each connection begins with."""

    url: str | None
    parameters: Mapping[str, Any]
    settings: str

    @property
    def place(self) -> str:
        """The server's name, for people: nobody's name or password."""
        try:
            named = self.parameters.get("host") or urlsplit(self.url or "").hostname
        except ValueError:  # no address; the driver says so
            named = None
        return f"PostgreSQL at {named}" if named else "PostgreSQL"

    async def open_connection(self) -> asyncpg.Connection:
        """Open a connection and set it up. Raises ServiceUnavailable, its cause telling what is wrong."""
        try:
            connection = await asyncpg.connect(
                self.url,
                timeout=_CONNECT_SECONDS,
                statement_cache_size=_CACHED_STATEMENTS,
                max_cached_statement_lifetime=0,
                max_cacheable_statement_size=_LARGEST_CACHED,
                connection_class=CountedConnection,
                server_settings={"application_name": "octavo"},
                **self.parameters,
            )
            await _set_up(connection, self.settings)
        except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            raise ServiceUnavailable(reason=self.place) from error
        return connection

    async def is_there(self) -> bool:
        """Tell whether the server talks to a newcomer, be it only to refuse."""
        try:
            connection = await asyncpg.connect(self.url, timeout=_PROBE_SECONDS, **self.parameters)
        except asyncpg.PostgresError:
            return True
        except Exception:  # in whatever way it failed, nobody answered
            return False
        await close_connection(connection)
        return True


def settings_script(schema: str | None, statement_timeout: float) -> str:
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
    return ";".join(f"SET {name} = {value}" for name, value in settings.items())


async def _set_up(connection: asyncpg.Connection, settings: str) -> None:
    """Make a connection what every connection is, or end it: whoever asked for it may not be waiting any more."""
    try:
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
