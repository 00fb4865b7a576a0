"""One-time secrets: something remembered for a few minutes under a secret that is told once and taken once.

In the database, so that every worker can take what another has kept; hashed, so that who reads the table can use
nothing of it.
"""

import json
import secrets
from typing import Any, Final

from octavo.access.authentication.credentials import digest
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.ddl.tables import OwnTable
from octavo.query.sql.system_table_statement import OwnStatement

TABLE: Final = OwnTable(
    "octavo_one_time_secrets",
    ("name varchar(255) PRIMARY KEY NOT NULL", "content text NOT NULL", "expires_at bigint NOT NULL"),
)

LONGEST: Final = 128

_KEEP: Final = OwnStatement(
    "INSERT INTO octavo_one_time_secrets (name, content, expires_at) VALUES ({name}, {content}, {expires_at})"
)
_FORGET: Final = OwnStatement("DELETE FROM octavo_one_time_secrets WHERE expires_at <= {now}")
_TAKE: Final = OwnStatement("DELETE FROM octavo_one_time_secrets WHERE name = {name} {content, expires_at:returning}")


def new_secret() -> str:
    """A text that nobody can guess."""
    return secrets.token_urlsafe(32)


class OneTimeSecrets:
    """Keeps and gives out, once. `kind` tells apart what secrets are good for."""

    def __init__(self, database: Database, clock: Clock = SYSTEM_CLOCK) -> None:
        self._database = database
        self._dialect = database.dialect
        self._clock = clock

    async def keep(self, kind: str, content: dict[str, Any], seconds: int) -> str:
        """Remember something; the secret for it. What is over is forgotten on this occasion."""
        secret, now = new_secret(), int(self._clock.wall())
        async with unit_of_work(self._database) as unit:
            await unit.connection.execute(*_FORGET.bind(self._dialect, now=now))
            kept = _KEEP.bind(
                self._dialect, name=_name(kind, secret), content=json.dumps(content), expires_at=now + seconds
            )
            await unit.connection.execute(*kept)
        return secret

    async def take(self, kind: str, secret: str) -> dict[str, Any] | None:
        """What was kept under a secret, the first time only; None for any other text."""
        if not secret or len(secret) > LONGEST:
            return None
        async with unit_of_work(self._database) as unit:
            row = await unit.connection.fetch_row(*_TAKE.bind(self._dialect, name=_name(kind, secret)))
        if row is None or row[1] <= self._clock.wall():
            return None
        content: dict[str, Any] = json.loads(row[0])
        return content


def _name(kind: str, secret: str) -> str:
    return digest(f"{kind} {secret}")
