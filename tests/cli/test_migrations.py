"""`octavo db migrate`, `migrations`, `migration` and `diff`: custom migrations of a project."""

import signal
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Call, answered, refused, said
from tests.cli.processes import PATIENCE, spawn
from tests.cli.projects import STORY, database_variables, write_type

SLOW = """\
import asyncio
from pathlib import Path

async def up(transaction):
    await transaction.execute("CREATE TABLE visits (id integer PRIMARY KEY)")
    Path(__file__).with_suffix(".begun").touch()
    await asyncio.sleep(3600)
"""


def write(project: Path, name: str, text: str) -> Path:
    file = project / "database/migrations" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def test_begun_shown_rehearsed_and_run(call: Call, project: Path) -> None:
    assert said(call("db", "migrations")) == ["No migrations in database/migrations."]
    assert "digits" in refused(call("generate", "migration", "../evil"))
    said(call("db", "upgrade"))
    said(call("generate", "migration", "fill", "--python"))
    [file] = (project / "database/migrations").iterdir()
    assert file.name.endswith(".fill.py")
    [shown] = answered(call("db", "migrations", "--json"))
    assert shown == {"name": file.stem, "files": [file.name], "state": "pending"}
    assert answered(call("db", "migrate", "--dry-run", "--json")) == [{"file": file.name, "statements": []}]
    write(project, "9.sql", "INSERT INTO stories (title) VALUES ('one');")
    assert "INSERT INTO stories (title) VALUES ('one');" in said(call("db", "migrate", "--dry-run"))
    differing = call("db", "diff", "--exit-code")
    assert differing.exit_code == 1
    assert "9.sql" in differing.stdout
    assert answered(call("db", "migrate", "--json")) == {"run": [file.name, "9.sql"]}
    assert said(call("db", "migrate")) == ["No pending migrations."]
    assert said(call("db", "migrate", "--dry-run")) == ["No pending migrations."]
    assert said(call("db", "diff", "--exit-code")) == ["The database matches the definitions."]
    assert "done" in said(call("db", "migrations"))[1]


def test_a_failing_migration_stops_commands_that_need_the_tables(call: Call, project: Path) -> None:
    write(project, "1.sql", "CREATE TABLE visits (id integer);\nSELECT nothing;")
    for command in (("db", "upgrade"), ("db", "migrate"), ("db", "migrate", "--dry-run"), ("roles", "list")):
        assert "database/migrations/1.sql:2: " in refused(call(*command))
    assert "create table stories" in answered(call("db", "diff", "--json"))["additive"]
    write(project, "1.sql", "CREATE TABLE visits (id integer);")
    assert said(call("db", "migrate")) == ["Run: 1.sql"]


def test_a_project_can_disable_automatic_migrations(call: Call, project: Path) -> None:
    (project / "config").mkdir()
    (project / "config/database.toml").write_text("runMigrations = false\n", "utf-8")
    write(project, "1.sql", "SELECT nothing")
    said(call("db", "upgrade"))
    assert "1.sql" in refused(call("db", "migrate"))


def test_rename(call: Call, project: Path) -> None:
    said(call("db", "upgrade"))
    code = project / "src/index.py"
    code.write_text("titles = 1\ntitle = 2\n", "utf-8")
    shown = said(call("db", "rename", "stories", "title", "headline", "--dry-run"))
    assert 'ALTER TABLE "stories" RENAME COLUMN "title" TO "headline";' in shown
    assert shown[-1] == "  src/index.py:2"
    assert not (project / "database").exists()
    assert said(call("db", "rename", "stories", "title", "headline"))[1].endswith("story/schema.json")
    assert "RENAME COLUMN" in call("db", "migrate", "--dry-run").stdout
    said(call("db", "upgrade"))
    assert said(call("db", "diff", "--exit-code")) == ["The database matches the definitions."]
    assert "does not define an attribute title" in refused(call("db", "rename", "stories", "title", "name"))
    for old, new in (("headline", "a"), ("a", "title")):  # within a second, and in another order by name
        said(call("db", "rename", "stories", old, new))
    said(call("db", "upgrade"))
    assert said(call("db", "diff", "--exit-code")) == ["The database matches the definitions."]


@pytest.fixture(params=["sqlite", "postgresql"])
def variables(request: pytest.FixtureRequest) -> dict[str, str]:
    """Return the variables that configure each database."""
    on_server = request.param == "postgresql"
    return database_variables(request.getfixturevalue("postgresql_url")) if on_server else {}


def test_a_killed_migration_leaves_nothing(project: Path, variables: dict[str, str]) -> None:
    file = write(project, "1.py", SLOW)
    killed = spawn("db", "migrate", "--project", str(project), **variables)
    deadline = time.monotonic() + PATIENCE
    while not file.with_suffix(".begun").exists():
        assert killed.poll() is None, killed.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=PATIENCE)
    file.write_text(SLOW.replace("3600", "0"), "utf-8")
    pair = [spawn("db", "migrate", "--project", str(project), **variables) for _ in range(2)]
    reported = sorted(process.communicate(timeout=PATIENCE)[0].splitlines()[-1] for process in pair)
    assert reported == ["No pending migrations.", "Run: 1.py"]


def test_convert(call: Call, project: Path) -> None:
    said(call("db", "upgrade"))
    write(project, "1.sql", "INSERT INTO stories (title) VALUES ('1'), ('two');")
    said(call("db", "migrate"))
    write_type(project, {**STORY, "attributes": {**STORY["attributes"], "title": {"type": "integer"}}})
    preview = answered(call("db", "convert", "stories", "title", "--dry-run", "--json"))
    assert (preview["converted"], preview["failed"], preview["done"]) == (1, 1, False)
    assert preview["samples"] == [{"id": 2, "value": '"two"'}]
    result = call("db", "convert", "stories", "title")
    assert (result.exit_code, "nothing was changed" in result.stderr) == (1, True)
    done = said(call("db", "convert", "stories", "title", "--null-failures"))
    assert done[1:3] == ["Converted: 1", "Emptied: 1"]
    assert said(call("db", "convert", "stories", "title")) == ["The column already has the attribute's type."]
