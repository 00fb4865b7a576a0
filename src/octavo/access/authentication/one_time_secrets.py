"""One-time secrets: data stored for a few minutes under a secret that can be used once.

The data is in the database, so any worker can read it. Secrets are hashed, so reading the table does not reveal them.
"""

import json
import secrets
from typing import Any, Final

from octavo.access.authentication.credentials import digest
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.raw_statement import RawStatement

TABLE: Final = SystemTable(
    "octavo_one_time_secrets",
    ("name varchar(255) PRIMARY KEY NOT NULL", "content text NOT NULL", "expires_at bigint NOT NULL"),
)

LONGEST: Final = 128

_KEEP: Final = RawStatement(
    "INSERT INTO octavo_one_time_secrets (name, content, expires_at) VALUES ({name}, {content}, {expires_at})"
)
_FORGET: Final = RawStatement("DELETE FROM octavo_one_time_secrets WHERE expires_at <= {now}")
_TAKE: Final = RawStatement("DELETE FROM octavo_one_time_secrets WHERE name = {name} {content, expires_at:returning}")


def new_secret() -> str:
    """Return a random secret."""
    return secrets.token_urlsafe(32)


class OneTimeSecrets:
    """Stores data under one-time secrets. `kind` separates secrets by purpose."""

    def __init__(self, database: Database, clock: Clock = SYSTEM_CLOCK) -> None:
        self._database = database
        self._dialect = database.dialect
        self._clock = clock

    async def keep(self, kind: str, content: dict[str, Any], seconds: int) -> str:
        """Store data and return its secret. Also deletes expired data."""
        secret, now = new_secret(), int(self._clock.wall())
        async with unit_of_work(self._database, in_maintenance=True) as unit:
            await unit.connection.execute(*_FORGET.bind(self._dialect, now=now))
            kept = _KEEP.bind(
                self._dialect, name=_name(kind, secret), content=json.dumps(content), expires_at=now + seconds
            )
            await unit.connection.execute(*kept)
        return secret

    async def take(self, kind: str, secret: str) -> dict[str, Any] | None:
        """Return the data stored under a secret and delete it; None if the secret is unknown or has expired."""
        if not secret or len(secret) > LONGEST:
            return None
        async with unit_of_work(self._database, in_maintenance=True) as unit:
            row = await unit.connection.fetch_row(*_TAKE.bind(self._dialect, name=_name(kind, secret)))
        if row is None or row[1] <= self._clock.wall():
            return None
        content: dict[str, Any] = json.loads(row[0])
        return content


def _name(kind: str, secret: str) -> str:
    return digest(f"{kind} {secret}")
