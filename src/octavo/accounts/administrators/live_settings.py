"""Live settings: the log level and maintenance mode, stored in the database for all processes.

Processes read them once a second (`operations.runtime.live_settings`). They outlast restarts.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.raw_statement import RawStatement

TABLE: Final = SystemTable(
    "octavo_live_settings",
    ("name varchar(64) PRIMARY KEY NOT NULL", "value text NOT NULL", "updated_at bigint NOT NULL"),
    kept=True,
    copied=False,  # otherwise a copy made during maintenance would be read-only
)
READ_ONLY: Final = "The service is read-only for maintenance. Retry later"
LEVELS: Final = ("debug", "info", "warning", "error")
MOST_MESSAGE: Final = 500
Name: TypeAlias = Literal["logLevel", "maintenance"]

_READ: Final = "SELECT name, value FROM octavo_live_settings"
_SET: Final = RawStatement("""
INSERT INTO octavo_live_settings (name, value, updated_at) VALUES ({name}, {value}, {now})
{name:on_conflict} value = {value:proposed}, updated_at = {updated_at:proposed}""")
_RESET: Final = RawStatement("DELETE FROM octavo_live_settings WHERE name = {name}")


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """The log level of all processes, or None for that of the settings. The message of maintenance mode, or None if
    it is off."""

    log_level: str | None = None
    maintenance: str | None = None


async def read_live_settings(database: Database) -> LiveSettings:
    """Return the current values."""
    values = {str(name): str(value) for name, value in await database.fetch_all(_READ)}
    level = values.get("logLevel")
    return LiveSettings(level if level in LEVELS else None, values.get("maintenance"))


class LiveSettingsRows:
    """The live settings of a database, for the admin API."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self) -> LiveSettings:
        """Return the current values."""
        return await read_live_settings(self._database)

    @property
    def maintenance(self) -> str | None:
        """The message of maintenance mode, or None if it is off, as this process knows it."""
        return self._database.read_only_message

    async def set(self, values: Mapping[Name, str | None]) -> None:
        """Set values, or reset them with None. In this process, maintenance mode begins and ends at once."""
        await set_live(self._database, values)
        if "maintenance" in values:
            self._database.read_only_message = values["maintenance"]


async def set_live(database: Database, values: Mapping[Name, str | None]) -> None:
    """Set values, or reset them with None, in one transaction. Works in maintenance mode."""
    dialect = database.dialect
    async with unit_of_work(database, in_maintenance=True) as unit:
        for name, value in sorted(values.items()):  # in one order, so that two changes cannot deadlock
            if value is None:
                await unit.connection.execute(*_RESET.bind(dialect, name=name))
            else:
                await unit.connection.execute(*_SET.bind(dialect, name=name, value=value, now=this_moment()))
