"""Locales: the existing codes and the default, read from the database and cached briefly."""

import time

import orjson

from octavo.core.values import dataclass
from octavo.database.ambient import joined
from octavo.database.connection import Connection, Database
from octavo.query.sql.raw_statement import RawStatement

FALLBACK = "en"
MAX_AGE_SECONDS = 1.0
_KNOWN = RawStatement("""
SELECT
  (SELECT value FROM strapi_core_store_settings WHERE {key:name} = 'plugin_i18n_default_locale' ORDER BY id LIMIT 1),
  code
FROM (SELECT 1 AS one) once LEFT JOIN i18n_locale ON 1 = 1""")
"""One row per locale; without locales, one row with only the default."""


@dataclass(frozen=True, slots=True)
class Known:
    """Cached locales, and when they were read (monotonic seconds)."""

    codes: frozenset[str]
    default: str
    read_at: float


class Locales:
    """The locales of a project. Changes, also by other processes, are visible within a second."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: Known | None = None

    async def default(self) -> str:
        """Return the default locale's code."""
        return (await self.known()).default

    def default_at_once(self) -> str | None:
        """Return the default locale's code if it is cached, otherwise None."""
        known = self._known
        return None if known is None or _is_old(known) else known.default

    async def known(self, connection: Connection | None = None) -> Known:
        """Return codes and default, at most a second old."""
        known = self._known
        if known is None or _is_old(known):
            known = self._known = await self._read(connection or self._database)
            scope = joined(self._database)
            if scope is not None:
                scope.unit.after_undo(self.forget)
        return known

    def forget(self) -> None:
        """Clear the cache after a change."""
        self._known = None

    async def _read(self, connection: Connection) -> Known:
        rows = await connection.fetch_all(*_KNOWN.bind(self._database.dialect))
        codes = frozenset(str(code) for _, code in rows if code is not None)
        return Known(codes, _read_default(rows[0][0]), time.monotonic())


def _is_old(known: Known) -> bool:
    return time.monotonic() - known.read_at > MAX_AGE_SECONDS


def _read_default(stored: object) -> str:
    """Parse the stored setting, which is JSON text (`"en"`)."""
    if not isinstance(stored, str):
        return FALLBACK
    try:
        value = orjson.loads(stored)
    except orjson.JSONDecodeError:
        return stored or FALLBACK
    return value if isinstance(value, str) else FALLBACK
