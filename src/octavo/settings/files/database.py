"""`database.toml`: where content is stored."""

from typing import Literal

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting, table
from octavo.settings.values import DURATION, MILLISECONDS, SIZE, between, or_unlimited


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Number of backups to retain."""

    last: int = setting(1, "Number of newest backups to retain.", bounds=AT_LEAST_ONE)
    daily: int = setting(7, "Number of days to retain the newest backup of.", bounds=AT_LEAST_ZERO)
    weekly: int = setting(4, "Number of weeks to retain the newest backup of.", bounds=AT_LEAST_ZERO)
    monthly: int = setting(0, "Number of months to retain the newest backup of.", bounds=AT_LEAST_ZERO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """The bucket for backups, on S3 or a compatible service."""

    name: str = setting("", "Name of the bucket; without one, backups stay in the folder.")
    prefix: str = setting("", "Prefix of the keys of backups, such as `operations/backups/magazine`.")
    only: bool = setting(False, "Retain only the newest backup in the folder; the bucket has all of them.")
    region: str | None = setting(None, "Region of the bucket.")
    endpoint: str | None = setting(None, "URL of a service other than Amazon's.")
    force_path_style: bool = setting(False, "Use the bucket name in the path of URLs instead of the host.")
    access_key_id: str | None = setting(
        None, "Access key. Without one, the library uses the environment, profiles or the machine's role.", secret=True
    )
    secret_access_key: str | None = setting(None, "Secret access key.", secret=True)
    session_token: str | None = setting(None, "Token of a temporary key.", secret=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backups:
    """Scheduled backups of the database."""

    schedule: str | None = setting(
        None,
        'Schedule of backups, as a cron expression such as `"0 3 * * *"`; without one, there are no automatic backups.',
    )
    folder: str = setting("backups", "Folder of backups, relative to the project; preferably on another disk.")
    uploads: bool = setting(False, "Back up the folder of uploaded files as well.")
    verify: Literal["restored", "read"] = setting(
        "restored",
        "Verification of a backup: restore it to a scratch database and count rows (`restored`), or read it completely "
        "and count rows (`read`), for databases that do not fit on the disk twice.",
    )
    min_free_space: int = setting(
        1024**3,
        "Minimum free space on the disk of the backups; a backup that would leave less fails.",
        kind=SIZE,
        bounds=AT_LEAST_ZERO,
        default_doc="1 GB",
    )
    keep: Keep = table(Keep, "Retention of backups; a backup stays while any of these rules retains it.")
    bucket: Bucket = table(
        Bucket,
        "Bucket on S3 or a similar service to which verified backups are uploaded. Set its keys in the environment.",
    )


SslMode = Literal["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Connections of each worker to a database server."""

    min: int = setting(1, "Minimum number of open connections.", bounds=AT_LEAST_ZERO)
    max: int = setting(10, "Maximum number of connections.", bounds=AT_LEAST_ONE)
    acquire_timeout: int = setting(
        4000,
        "How long a request waits for a free connection before it gets 503.",
        kind=MILLISECONDS,
        bounds=(100, 600_000),
        default_doc="4s",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """Where content is stored."""

    client: Literal["sqlite", "postgres", "mysql"] = setting(
        "sqlite",
        "Kind of database. `mysql` is MySQL or MariaDB and requires the extra `octavo[mysql]`.",
        variable="DATABASE_CLIENT",
        aliases={"better-sqlite3": "sqlite", "postgresql": "postgres", "mysql2": "mysql", "mariadb": "mysql"},
    )
    filename: str = setting(
        ".octavo/data.db", "SQLite: the file, relative to the project.", variable="DATABASE_FILENAME"
    )
    url: str | None = setting(
        None,
        "Complete database URL: `sqlite:///relative`, `sqlite:////absolute`, "
        "`postgresql://user:password@host:port/name?sslmode=require` or the same with `mysql://`. Overrides the "
        "single keys of the same source.",
        variable="DATABASE_URL",
        secret=True,
    )
    host: str = setting(
        "localhost",
        "PostgreSQL: host, or folder of the socket. With several (`one:5432,two:5432`), the one that accepts "
        "writes is used. MySQL: host, or path of the socket.",
        variable="DATABASE_HOST",
    )
    port: int = setting(
        5432, "Port of the server; MySQL's default is 3306.", variable="DATABASE_PORT", bounds=(1, 65535)
    )
    name: str | None = setting(None, "Name of the database on the server.", variable="DATABASE_NAME")
    user: str | None = setting(None, "User of the server.", variable="DATABASE_USERNAME")
    password: str | None = setting(None, "Password of the user.", variable="DATABASE_PASSWORD", secret=True)
    ssl: SslMode = setting(
        "prefer",
        "Encryption of connections to a server, like `sslmode`; true means `require`, false `disable`.",
        variable="DATABASE_SSL",
        aliases={"true": "require", "1": "require", "false": "disable", "0": "disable"},
    )
    ssl_ca: str | None = setting(
        None,
        "Trusted certificate authorities of the server, as PEM or file name; by default those of the machine.",
        variable="DATABASE_SSL_CA",
    )
    ssl_cert: str | None = setting(
        None,
        "Client certificate for the server, as PEM or file name.",
        variable="DATABASE_SSL_CERT",
    )
    ssl_key: str | None = setting(
        None,
        "Key of the client certificate, as PEM or file name.",
        variable="DATABASE_SSL_KEY",
        secret=True,
    )
    schema: str = setting("public", "PostgreSQL: schema of the tables.", variable="DATABASE_SCHEMA")
    pool: Pool = table(
        Pool, "Connections of each worker to the server. Workers times `max` must fit its `max_connections`."
    )
    pooler: Literal["none", "transaction", "prepared"] = setting(
        "none",
        "PostgreSQL: pooler at this address: `transaction` for PgBouncer and others in transaction mode, "
        "`prepared` if it also supports prepared statements (PgBouncer 1.21 and later); both need `direct`. Use "
        "`none` for session mode.",
        variable="DATABASE_POOLER",
    )
    direct: str | None = setting(
        None,
        "PostgreSQL: direct address behind a pooler, used to change tables and indexes and to make backups: "
        "`host:port`, or `postgresql://...` with another user, password or name.",
        variable="DATABASE_DIRECT",
        secret=True,
    )
    replicas: tuple[str, ...] = setting(
        (),
        "PostgreSQL: streaming replicas, each `host:port` or `postgresql://...`. Content is read from them while "
        "they are up to date.",
        variable="DATABASE_REPLICAS",
        secret=True,
    )
    replica_lag: int = setting(
        1000,
        "Maximum age of what a replica returns; older replicas are not used.",
        kind=MILLISECONDS,
        bounds=(100, 600_000),
        default_doc="1s",
    )
    replica_outage: int = setting(
        0,
        "Additional lag that is accepted while the primary is unreachable: for how long reads continue without it.",
        kind=MILLISECONDS,
        bounds=(0, 86_400_000),
    )
    replica_readers: Literal["position", "process"] = setting(
        "position",
        "Reads from replicas by callers who can write: `position`, if they send the position that they last saw "
        "(header `Octavo-Position` or cookie); `process`, if they have not just written through the same process, "
        "which is enough with a single one.",
        former={"told": "position", "remembered": "process"},
    )
    totals: Literal["auto", "maintained", "counted"] = setting(
        "auto",
        "Totals of lists: `maintained` by triggers, at constant cost, or `counted` each time. `auto` maintains "
        "them in databases that Octavo created; for a database of Strapi v4, use `octavo db totals --enable`.",
        former={"kept": "maintained"},
    )
    backups: Backups = table(Backups, "[Scheduled backups](backups.md#scheduled-backups).")
    update_tables: bool = setting(
        True,
        "Update the tables at the start. With `false`, the service starts only if `octavo db upgrade` has nothing to "
        "change, so its database user needs no permission to change tables.",
    )
    run_migrations: bool = setting(True, "Run new files of `database/migrations` at a start.")
    start_wait: int | None = setting(
        60,
        "How long a start waits while the database is down, out of connections or locked; `unlimited`, or 0 to fail "
        "at once. Meanwhile `/_health` returns 204 and other requests 503.",
        kind=or_unlimited(between(DURATION, *AT_LEAST_ZERO)),
        default_doc="60s",
    )
    statement_timeout: int = setting(
        15000,
        "Maximum time of a statement; 0 for no limit. Raise it for reports in project code.",
        kind=MILLISECONDS,
        bounds=AT_LEAST_ZERO,
        default_doc="15s",
    )

    @property
    def is_mysql(self) -> bool:
        """Whether it is MySQL or MariaDB."""
        return self.client == "mysql"
