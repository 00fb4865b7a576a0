"""`octavo start --no-migrate`: starts only on an up-to-date database, even without the privilege to change it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.processes import failure, free_port, run, serving
from tests.cli.projects import STORY, database_variables, make_project, write_type
from tests.postgresql_server import PostgresqlServer, database_name

GRANTS = """
CREATE ROLE {role} LOGIN;
GRANT USAGE ON SCHEMA public TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role};
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO {role};
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "site")


def refused(project: Path, **variables: str) -> str:
    """Return the output of a start that fails."""
    arguments = ("start", "--no-migrate", "--project", str(project), "--port", str(free_port()))
    code, output = run(*arguments, **variables)
    assert code == 1, output
    assert "Run `octavo db upgrade` as the owner of the tables. It would make these changes:" in output
    return failure(output)


def test_the_start_needs_an_up_to_date_database(project: Path) -> None:
    output = refused(project)
    assert "  create table stories" in output
    assert "  create table octavo_hidden_entries\n" in output
    assert run("db", "upgrade", "--project", str(project))[0] == 0
    with serving("start", project, "--no-migrate") as server:
        assert server.get("/api/stories")[0] == 403
        assert server.stop()[0] == 0
    attributes = {**STORY["attributes"], "length": {"type": "integer"}}
    write_type(project, {**STORY, "attributes": attributes})
    assert "  add column stories.length" in refused(project)
    assert "  add column stories.length" in refused(project, OCTAVO_DATABASE__UPDATE_TABLES="false")


def test_pending_migrations_stop_the_start(project: Path) -> None:
    assert run("db", "upgrade", "--project", str(project))[0] == 0
    (project / "database/migrations").mkdir(parents=True)
    (project / "database/migrations/2026.01.01T00.00.00.fill.sql").write_text("UPDATE stories SET title = 'x'", "utf-8")
    assert "  run 2026.01.01T00.00.00.fill.sql" in refused(project)


@pytest.fixture
def role(postgresql_server: PostgresqlServer, postgresql_url: str) -> Iterator[str]:
    """Return the name of a role that cannot change tables."""
    name = f"app_{database_name(postgresql_url)}"
    yield name
    postgresql_server.run_sql(database_name(postgresql_url), f"DROP OWNED BY {name}; DROP ROLE {name}")


def test_serves_as_a_role_that_cannot_change_tables(
    project: Path, postgresql_server: PostgresqlServer, postgresql_url: str, role: str
) -> None:
    owner = database_variables(postgresql_url)
    assert run("db", "upgrade", "--project", str(project), **owner)[0] == 0
    postgresql_server.run_sql(database_name(postgresql_url), GRANTS.format(role=role))
    variables = {**owner, "DATABASE_USERNAME": role, "OCTAVO_DATABASE__UPDATE_TABLES": "false"}
    token = run("tokens", "create", "all", "--type", "full-access", "--project", str(project), **variables)
    assert token[0] == 0, token[1]
    with serving("start", project, **variables) as server:
        assert server.get("/api/stories")[0] == 403
        code, output = server.stop()
    assert (code, "Traceback" in output) == (0, False), output
