"""Octavo's database drivers behind the protocols of `connection`. `open_database` imports only the driver it needs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo.database.connection import LARGEST_ANSWER, START_PATIENCE, Database, DatabaseMisconfigured
from octavo.database.topology import ALONE, Topology

SQLITE_PREFIX = "sqlite:///"
POSTGRESQL_PREFIXES = ("postgresql://", "postgres://")
MYSQL_PREFIXES = ("mysql://", "mariadb://")
NO_LIBRARY = "serving from MySQL or MariaDB requires a package: pip install 'octavo[mysql]'"


def open_database(
    url: str | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    schema: str | None = None,
    pool_minimum: int = 2,
    pool_maximum: int = 10,
    pool_patience: float = 4.0,
    statement_timeout: float = 15.0,
    largest_answer: int = LARGEST_ANSWER,
    untouched: bool = False,
    simple: bool = False,
    topology: Topology = ALONE,
    start_patience: float = START_PATIENCE,
    client: str = "",
) -> Database:
    """Return the driver for a database. It is not connected yet.

    A URL `sqlite:///relative` or `sqlite:////absolute` is a file; `postgresql://...` and `mysql://...` are servers, as
    are `parameters` without a URL: `host`, `port`, `user`, `password`, `database`, `ssl`. They are of PostgreSQL
    unless `client` is `mysql`. `statement_timeout` and `pool_patience` are in seconds, `largest_answer` in bytes.
    `untouched`: only `fetch_` methods are allowed, and an SQLite file is never modified. `simple`: each read runs
    separately (`performance.simple`). `topology`: the servers of PostgreSQL. `start_patience`: for how many seconds
    `connect` waits for a server that is starting.
    """
    if url is not None and url.startswith(SQLITE_PREFIX):
        from octavo.database.sqlite import SqliteDatabase

        path = Path(url.removeprefix(SQLITE_PREFIX))
        return SqliteDatabase(
            path,
            statement_timeout=statement_timeout,
            largest_answer=largest_answer,
            untouched=untouched,
            simple=simple,
        )
    if client == "mysql" or (url is not None and url.startswith(MYSQL_PREFIXES)):
        try:
            from octavo.database.mysql import MysqlDatabase
        except ModuleNotFoundError as error:
            raise DatabaseMisconfigured(reason=NO_LIBRARY) from error
        return MysqlDatabase(
            url,
            parameters=parameters,
            minimum=pool_minimum,
            maximum=pool_maximum,
            patience=pool_patience,
            statement_timeout=statement_timeout,
            largest_answer=largest_answer,
            simple=simple,
            start_patience=start_patience,
        )
    if url is not None and not url.startswith(POSTGRESQL_PREFIXES):
        raise ValueError("a database URL begins with sqlite:///, postgresql://, postgres:// or mysql://")
    from octavo.database.postgresql import PostgresqlDatabase
    from octavo.database.replicated import ReplicatedDatabase

    return (ReplicatedDatabase if topology.replicas else PostgresqlDatabase)(
        url,
        parameters=parameters,
        schema=schema,
        minimum=pool_minimum,
        maximum=pool_maximum,
        patience=pool_patience,
        statement_timeout=statement_timeout,
        largest_answer=largest_answer,
        simple=simple,
        topology=topology,
        start_patience=start_patience,
    )
