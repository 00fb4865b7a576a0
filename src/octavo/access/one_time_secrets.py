"""One-time secrets: something remembered for a few minutes under a secret that is told once and taken once.

In the database, so that every worker can take what another has kept; hashed, so that who reads the table can use
nothing of it.
"""

import json
import secrets
from typing import Any, Final

from octavo.access.credentials import SYSTEM_CLOCK, Clock, digest
from octavo.access.statements import say
from octavo.access.transactions import brief_transaction
from octavo.database.connection import Database
from octavo.sql.tables import OwnTable

TABLE: Final = OwnTable(
    "octavo_one_time_secrets",
    ("name varchar(255) PRIMARY KEY NOT NULL", "content text NOT NULL", "expires_at bigint NOT NULL"),
)

LONGEST: Final = 128

_KEEP: Final = "INSERT INTO octavo_one_time_secrets (name, content, expires_at) VALUES (?1, ?2, ?3)"
_FORGET: Final = "DELETE FROM octavo_one_time_secrets WHERE expires_at <= ?1"
_TAKE: Final = "DELETE FROM octavo_one_time_secrets WHERE name = ?1 RETURNING content, expires_at"


def new_secret() -> str:
    """A text that nobody can guess."""
    return secrets.token_urlsafe(32)


class OneTimeSecrets:
    """Keeps and gives out, once. `kind` tells apart what secrets are good for."""

    def __init__(self, database: Database, clock: Clock = SYSTEM_CLOCK) -> None:
        self._database = database
        self._clock = clock

    async def keep(self, kind: str, content: dict[str, Any], seconds: int) -> str:
        """Remember something; the secret for it. What is over is forgotten on this occasion."""
        secret, now = new_secret(), int(self._clock.wall())
        async with brief_transaction(self._database) as connection:
            await connection.execute(self._say(_FORGET), (now,))
            values = (_name(kind, secret), json.dumps(content), now + seconds)
            await connection.execute(self._say(_KEEP), values)
        return secret

    async def take(self, kind: str, secret: str) -> dict[str, Any] | None:
        """What was kept under a secret, the first time only; None for any other text."""
        if not secret or len(secret) > LONGEST:
            return None
        async with brief_transaction(self._database) as connection:
            row = await connection.fetch_row(self._say(_TAKE), (_name(kind, secret),))
        if row is None or row[1] <= self._clock.wall():
            return None
        content: dict[str, Any] = json.loads(row[0])
        return content

    def _say(self, text: str) -> str:
        return say(self._database.dialect, text)


def _name(kind: str, secret: str) -> str:
    return digest(f"{kind} {secret}")
