"""The file with the database password: it is read again for new connections."""

from pathlib import Path

import pytest

from octavo.operations.runtime.database_servers import direct_server
from octavo.operations.runtime.open_resources import open_project_database
from octavo.settings import Settings, load_settings
from tests.cli.projects import SECRETS
from tests.postgresql_server import PostgresqlServer, database_name

pytestmark = pytest.mark.anyio

END_SESSIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'"


def load(project: Path, server: PostgresqlServer, url: str, **variables: str) -> Settings:
    project.joinpath(".env").write_text(SECRETS, "utf-8")
    parameters = server.parameters(database_name(url))
    given = {
        "DATABASE_CLIENT": "postgres",
        "DATABASE_HOST": str(parameters["host"]),
        "DATABASE_NAME": str(parameters["database"]),
        "DATABASE_USERNAME": "app",
        "DATABASE_SSL": "disable",
    }
    return load_settings(project, {**given, **variables})


@pytest.fixture
def url(own_postgresql_server: PostgresqlServer) -> str:
    """A database on a server that requires the password of the role `app`."""
    access = own_postgresql_server.data / "pg_hba.conf"
    access.write_text(f"local all app scram-sha-256\n{access.read_text('utf-8')}", "utf-8")
    own_postgresql_server.run_sql("postgres", "CREATE ROLE app LOGIN PASSWORD 'first'; SELECT pg_reload_conf()")
    return own_postgresql_server.create_database()


@pytest.mark.parametrize("form", ["password", "url"])
async def test_new_connections_use_the_current_password(
    tmp_path: Path, own_postgresql_server: PostgresqlServer, url: str, form: str
) -> None:
    file = tmp_path / "secret"

    def write(password: str) -> None:
        folder = own_postgresql_server.parameters("postgres")["host"]
        address = f"postgresql://app:{password}@/{database_name(url)}?host={folder}&sslmode=disable"
        file.write_text(f"{password if form == 'password' else address}\n", "utf-8")

    write("first")
    name = "DATABASE_PASSWORD_FILE" if form == "password" else "DATABASE_URL_FILE"
    settings = load(tmp_path, own_postgresql_server, url, **{name: str(file)})
    database = open_project_database(settings)
    await database.connect()
    try:
        assert await database.fetch_value("SELECT current_user") == "app"
        own_postgresql_server.run_sql("postgres", "ALTER ROLE app PASSWORD 'second'")
        write("second")
        own_postgresql_server.run_sql("postgres", END_SESSIONS)
        assert await database.fetch_value("SELECT current_user") == "app"
        assert direct_server(settings)[0]["password"] == "second"
        file.unlink()
        assert direct_server(settings)[0]["password"] == "first"
    finally:
        await database.close()


async def test_a_password_from_a_variable_is_fixed(
    tmp_path: Path, own_postgresql_server: PostgresqlServer, url: str
) -> None:
    settings = load(tmp_path, own_postgresql_server, url, DATABASE_PASSWORD="first")
    assert direct_server(settings)[0]["password"] == "first"
    assert settings.value_files == {}
