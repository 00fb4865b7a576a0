"""Projects to attack: the recorded blog and the bookshop on each database, with marks in values that clients must
not see."""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from octavo.query.sql.physical_names import column_name, table_name
from octavo.schema.attributes import Scalar
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind
from tests.cli.processes import run
from tests.conformance.corpus import dumped_sql, make_project, unpack
from tests.models.bookshop import FULL_TOKEN, SECRETS
from tests.models.site import open_bookshop, postgresql_variables
from tests.mysql_server import MysqlServer
from tests.postgresql_server import PostgresqlServer, database_name
from tests.robustness.hostile import Callers, signed

MARK = "octavo-leak"
"""The value of every private attribute and every password."""
HIDDEN = "octavo-hidden"
"""The value of attributes that only a full token may read."""
FAR = 4_000_000_000
STANDARD = "SET sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'"
"""MySQL parses quotes and bars as other databases do."""
# The bookshop's rows have explicit ids, which do not advance PostgreSQL's sequences.
CONTINUE_IDS = """
DO $$ DECLARE t text; BEGIN FOR t IN SELECT table_name FROM information_schema.columns
WHERE table_schema = 'public' AND column_name = 'id' AND column_default LIKE 'nextval%' LOOP
EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, ''id''), 1000)', quote_ident(t)); END LOOP; END $$"""


@dataclass(frozen=True)
class AttackedSite:
    """A project that can be served: its folder, the variables of its database, and the callers.

    `run_sql` runs statements past the service. It returns rows as lines with columns separated by bars.
    """

    folder: Path
    variables: Mapping[str, str]
    registry: Registry
    callers: Callers
    run_sql: Callable[[str], list[str]]
    secrets: tuple[str, ...]


def bearer(token: str) -> tuple[tuple[bytes, bytes], ...]:
    return ((b"Authorization", b"Bearer " + token.encode()),)


def user_token(user_id: int, secret: str) -> str:
    return signed(b'{"id":%d,"iat":1700000000,"exp":%d}' % (user_id, FAR), secret.encode()).decode()


def blog_site(folder: Path, server: PostgresqlServer | MysqlServer | None = None) -> AttackedSite:
    """Write the blog, on SQLite unless a server is given."""
    recordings = unpack("blog", folder)
    project = make_project(recordings, folder / "project")
    variables: dict[str, str] = {}
    if isinstance(server, MysqlServer):
        variables = {"DATABASE_URL": server.url(server.create_database())}
        code, output = run(
            "db", "copy", f"sqlite:///{project}/.tmp/data.db", *variables.values(), "--project", str(project)
        )
        assert code == 0, output
    elif server is not None:
        url = server.create_database()
        server.run_sql(database_name(url), dumped_sql(recordings))
        variables = postgresql_variables(url)
    secrets = dict(line.split("=", 1) for line in (recordings / "secrets.env").read_text("utf-8").splitlines() if line)
    callers = Callers(
        ((), bearer(user_token(1, secrets["JWT_SECRET"])), bearer(secrets["TOKEN_FULL"])),
        secrets["JWT_SECRET"].encode(),
    )
    site = _site(project, variables, callers, tuple(v for k, v in secrets.items() if k.startswith("TOKEN_")), server)
    site.run_sql(f"UPDATE hidden_things SET label = '{HIDDEN}' || id")
    site.run_sql(f"UPDATE up_users SET email = '{HIDDEN}' || id || '@x.example' WHERE id > 1")
    return site


def bookshop_site(folder: Path, server: PostgresqlServer | None = None) -> AttackedSite:
    """Write the bookshop, on SQLite unless a server is given."""
    project = folder / "project"
    project.mkdir(parents=True)
    variables = postgresql_variables(server.create_database()) if server is not None else {}

    async def make() -> None:
        opened = await open_bookshop(project, variables)
        await opened.database.close()

    asyncio.run(make())
    (project / "public/uploads").mkdir(parents=True)
    (project / ".env").write_text("".join(f"{key}={value}\n" for key, value in SECRETS.items()), "utf-8")
    secret = SECRETS["JWT_SECRET"]
    callers = Callers(((), bearer(user_token(1, secret)), bearer(FULL_TOKEN)), secret.encode())
    site = _site(project, variables, callers, (), server)
    site.run_sql(f"UPDATE vaults SET code = '{HIDDEN}' || id")
    if server is not None:
        site.run_sql(CONTINUE_IDS)
    return site


def _site(
    project: Path,
    variables: Mapping[str, str],
    callers: Callers,
    secrets: tuple[str, ...],
    server: PostgresqlServer | MysqlServer | None,
) -> AttackedSite:
    registry = load_registry(project)
    run_sql = _sql_runner(project, variables, server)
    run_sql(marking_sql(registry))
    return AttackedSite(project, variables, registry, callers, run_sql, secrets)


def _sql_runner(
    project: Path, variables: Mapping[str, str], server: PostgresqlServer | MysqlServer | None
) -> Callable[[str], list[str]]:
    def on_server(text: str) -> list[str]:
        assert server is not None
        if isinstance(server, MysqlServer):
            found = server.run_sql(f"{STANDARD}; {text}", variables["DATABASE_URL"].rpartition("/")[2])
            return found.replace("\t", "|").splitlines()
        return server.run_sql(variables["DATABASE_NAME"], text).splitlines()

    def on_file(text: str) -> list[str]:
        with closing(sqlite3.connect(project / ".tmp/data.db")) as connection:
            if not text.startswith("SELECT"):
                connection.executescript(text)
                return []
            return ["|".join(map(str, row)) for row in connection.execute(text)]

    return on_server if server is not None else on_file


def marking_sql(registry: Registry) -> str:
    """Return statements that mark every private text and every password of every entry. Keys of API tokens are not
    changed."""
    statements = []
    for definition in registry.definitions():
        for scalar in definition.scalars:
            if scalar.name != "accessKey" and _is_marked(scalar):
                is_json = SCALAR_TYPES[scalar.type].kind is ValueKind.JSON
                value = f"'\"{MARK}\"'" if is_json else f"'{MARK}' || id"
                statements.append(f'UPDATE "{table_name(definition)}" SET "{column_name(scalar)}" = {value};')
    return "\n".join(statements)


def _is_marked(scalar: Scalar) -> bool:
    kind = SCALAR_TYPES[scalar.type]
    hidden = scalar.private or kind.secret
    return hidden and kind.kind in (ValueKind.STRING, ValueKind.TEXT, ValueKind.JSON)
