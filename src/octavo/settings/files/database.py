"""`database.toml`: where content is stored."""

from typing import Literal

from octavo.settings.files.backups import Backups
from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting, table
from octavo.settings.values import SIZE
from octavo.values import dataclass

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
    host: str = setting(
        "localhost",
        "PostgreSQL: host, or folder of the socket; of several (`one:5432,two:5432`) the one that takes writes.",
        variable="DATABASE_HOST",
    )
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
    pooler: Literal["none", "transaction", "prepared"] = setting(
        "none",
        "PostgreSQL: what stands at the address: `transaction` for PgBouncer and the like in that mode, `prepared` "
        "where they keep prepared statements there (PgBouncer from 1.21 on); both need `direct`. In session mode they "
        "are `none`.",
        variable="DATABASE_POOLER",
    )
    direct: str | None = setting(
        None,
        "PostgreSQL: its own address behind a pooler, for what a pooler cannot do: changes of tables, indexes, copies. "
        "`host:port`, or `postgresql://...` where user, password or name are others.",
        variable="DATABASE_DIRECT",
        secret=True,
    )
    replicas: tuple[str, ...] = setting(
        (),
        "PostgreSQL: servers that follow this one by streaming, each `host:port` or `postgresql://...`: content is "
        "read there while they are fresh.",
        variable="DATABASE_REPLICAS",
        secret=True,
    )
    replica_lag: int = setting(
        1000, "How far behind a replica may be to be read from, in milliseconds.", bounds=(100, 600_000)
    )
    replica_lag_bytes: int = setting(16 * 1024**2, "The same in bytes of the database's log.", kind=SIZE)
    replica_outage: int = setting(
        0,
        "How much longer, in milliseconds, replicas may be read from while the primary cannot be reached.",
        bounds=(0, 86_400_000),
    )
    replica_readers: Literal["told", "remembered"] = setting(
        "told",
        "Whose reads go to replicas, of those who bring a token and may write: `told`, if they say what they have seen "
        "(the header `Octavo-Position` or the cookie); `remembered`, if they have not just written through the same "
        "process, which is enough where there is one.",
    )
    totals: Literal["auto", "kept", "counted"] = setting(
        "auto",
        "Totals of lists: `kept` by triggers in the tables, so that they cost the same however much there is, or "
        "`counted` each time. `auto` keeps them in a database that Octavo has made; where Strapi v4 has, `octavo db "
        "totals --keep` begins it.",
    )
    backups: Backups = table(Backups, "Copies of the database by the clock; see docs/backups.md.")
    run_migrations: bool = setting(True, "Whether new files of `database/migrations` run at a start.")
    statement_timeout: int = setting(
        15000, "Longest time a statement may run, in milliseconds; 0 for no limit.", bounds=AT_LEAST_ZERO
    )
