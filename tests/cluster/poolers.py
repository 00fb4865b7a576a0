"""PgBouncer in transaction mode in front of a test server: each transaction may use another connection."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.cli.processes import free_port
from tests.cluster.programs import running
from tests.postgresql_server import PostgresqlServer

_CONFIGURATION: Final = """
[databases]
* = host={host} port=5432 user=postgres

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = {size}
max_client_conn = 500
server_round_robin = 1
log_connections = 0
log_disconnections = 0
"""
_USER: Final = "pgserver"
"""The user of test servers if the tests run as root. Neither PostgreSQL nor PgBouncer can run as root."""


@contextmanager
def pooled(
    program: Path,
    server: PostgresqlServer | None,
    mode: str = "transaction",
    size: int = 4,
    *,
    host: Path | None = None,
    more: str = "",
) -> Iterator[int]:
    """Run a pooler in front of all databases of a server, or of a `host`. Yield its port.

    Connections are lent in turn. `more`: lines of its configuration.
    """
    port = free_port()
    host = host or Path(str(server.parameters("postgres")["host"])) if server else host
    with tempfile.TemporaryDirectory(prefix="octavo-pgbouncer-") as name:
        folder = Path(name)
        file = folder / "pgbouncer.ini"
        file.write_text(_CONFIGURATION.format(host=host, port=port, mode=mode, size=size) + more)
        folder.chmod(0o755)
        as_user = ["-u", _USER] if os.geteuid() == 0 else []
        with running(program, *as_user, file, port=port, log=folder / "pgbouncer.log"):
            yield port


def through(port: int, database: str) -> dict[str, Any]:
    """Return the parameters of a database through the pooler."""
    return {"host": "127.0.0.1", "port": port, "user": "postgres", "database": database, "ssl": False}
