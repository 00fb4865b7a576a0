"""`database.toml`: where content is stored."""

from dataclasses import dataclass
from typing import Literal

from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting, table

SslMode = Literal["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Connections held to PostgreSQL by each worker."""

    min: int = setting(1, "Connections kept open.", bounds=AT_LEAST_ZERO)
    max: int = setting(10, "Most connections.", bounds=AT_LEAST_ONE)
    patience: int = setting(
        4000, "How long a request waits for a free connection, in milliseconds.", bounds=(100, 600_000)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """Where content is stored."""

    client: Literal["sqlite", "postgres"] = setting(
        "sqlite",
        "Kind of database.",
        variable="DATABASE_CLIENT",
        aliases={"better-sqlite3": "sqlite", "postgresql": "postgres"},
    )
    filename: str = setting(
        ".octavo/data.db", "SQLite: the file, relative to the project.", variable="DATABASE_FILENAME"
    )
    url: str | None = setting(
        None,
        "All of it in one address: `sqlite:///relative`, `sqlite:////absolute` or "
        "`postgresql://user:password@host:port/name?sslmode=require`. Wins over the single keys of the same source.",
        variable="DATABASE_URL",
        secret=True,
    )
    host: str = setting("localhost", "PostgreSQL: host, or folder of the socket.", variable="DATABASE_HOST")
    port: int = setting(5432, "PostgreSQL: port.", variable="DATABASE_PORT", bounds=(1, 65535))
    name: str | None = setting(None, "PostgreSQL: name of the database.", variable="DATABASE_NAME")
    user: str | None = setting(None, "PostgreSQL: user.", variable="DATABASE_USERNAME")
    password: str | None = setting(None, "PostgreSQL: password.", variable="DATABASE_PASSWORD", secret=True)
    ssl: SslMode = setting(
        "prefer",
        "PostgreSQL: encryption, as in `sslmode`; true means `require`, false `disable`.",
        variable="DATABASE_SSL",
        aliases={"true": "require", "1": "require", "false": "disable", "0": "disable"},
    )
    ssl_ca: str | None = setting(
        None,
        "PostgreSQL: authorities whose certificates are believed, as PEM or as the name of a file; without any, those "
        "of the machine.",
        variable="DATABASE_SSL_CA",
    )
    ssl_cert: str | None = setting(
        None,
        "PostgreSQL: certificate shown to the server, as PEM or as the name of a file.",
        variable="DATABASE_SSL_CERT",
    )
    ssl_key: str | None = setting(
        None, "PostgreSQL: its key, as PEM or as the name of a file.", variable="DATABASE_SSL_KEY", secret=True
    )
    schema: str = setting("public", "PostgreSQL: schema of the tables.", variable="DATABASE_SCHEMA")
    pool: Pool = table(Pool, "Connections held to PostgreSQL by each worker.")
    totals: Literal["auto", "kept", "counted"] = setting(
        "auto",
        "Totals of lists: `kept` by triggers in the tables, so that they cost the same however much there is, or "
        "`counted` each time. `auto` keeps them in a database that Octavo has made; where Strapi v4 has, `octavo db "
        "totals --keep` begins it.",
    )
    run_migrations: bool = setting(True, "Whether new files of `database/migrations` run at a start.")
    statement_timeout: int = setting(
        15000, "Longest time a statement may run, in milliseconds; 0 for no limit.", bounds=AT_LEAST_ZERO
    )
