"""`octavo adopt`: one report on settings, code, definitions, plugins and the database, which do not change."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from shutil import copytree
from typing import Any

import apsw
import pytest
from click.testing import CliRunner, Result

from octavo.cli import main
from tests.cli.projects import database_variables
from tests.v4.adoption.project import HIDDEN, make_v4_project
from tests.v4.config.project import PACKAGES

_CONTENT = """
INSERT INTO stories (id, title) VALUES (1, 'a'), (2, 'b');
INSERT INTO places (id, name, locale) VALUES (1, 'Rome', 'en'), (2, 'Roma', 'it'), (3, 'Oslo', 'en');
INSERT INTO files (id, name, provider, size) VALUES (1, 'a.png', 'local', 12.5), (2, 'b.png', 'aws-s3', 1000);
INSERT INTO strapi_webhooks (name, url, enabled) VALUES ('build', 'https://example.org', true);
CREATE TABLE of_others (id integer);
"""


def run(*arguments: str, variables: Mapping[str, str] | None = None) -> Result:
    return CliRunner().invoke(main, arguments, env=variables)


def report(project: Path, variables: Mapping[str, str] | None = None) -> Any:
    result = run("adopt", str(project), "--json", variables=variables)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def contents(folder: Path) -> dict[str, str]:
    """Return the digest of every file."""
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_v4_project(tmp_path_factory.mktemp("v4"))
    made = run("db", "upgrade", "--project", str(folder))
    assert made.exit_code == 0, made.output
    database = apsw.Connection(str(folder / ".tmp/data.db"))
    database.execute(_CONTENT)
    database.close()
    return folder


@pytest.fixture(scope="module")
def found(project: Path) -> Any:
    return report(project)


def test_the_report_changes_no_file(project: Path) -> None:
    before = contents(project)
    report(project)
    assert contents(project) == before


def test_a_database_in_journal_mode_does_not_change(project: Path, tmp_path: Path) -> None:
    folder = make_v4_project(tmp_path / "site")
    (folder / ".tmp").mkdir()
    database = apsw.Connection(str(folder / ".tmp/data.db"))
    database.execute("PRAGMA journal_mode = DELETE; CREATE TABLE stories (id integer, title text)").fetchall()
    database.close()
    before = contents(folder)
    assert [item["entries"] for item in report(folder)["database"]["types"] if item["uid"] == "api::story.story"] == [0]
    assert contents(folder) == before


def test_the_report_shows_that_a_start_succeeds(found: Any) -> None:
    assert (found["stops"], found["version"], found["environment"], found["otherEnvironments"]) == (
        [],
        "4.25.1",
        "development",
        ["production"],
    )


def test_closed_routes_are_listed(found: Any) -> None:
    [closed] = found["closed"]
    assert (closed["guard"], closed["place"], closed["closes"]) == (
        "global::is-friend",
        "src/policies/is-friend.js:1",
        ["GET /stories"],
    )


def test_settings(found: Any) -> None:
    outcomes = {item["key"]: (item["outcome"], item["place"]) for item in found["settings"]}
    assert outcomes["rest.defaultLimit"] == ("taken", "config/api.js:1")
    assert outcomes["url"][0] in ("open", "closed")
    assert HIDDEN not in json.dumps(found)
    assert {"name": "APP_KEYS", "source": "config/server.js:1", "needed": False} in found["secrets"]


def test_code(found: Any) -> None:
    code = {(item["kind"], item["name"]): (item["state"], item["file"], item["line"]) for item in found["code"]}
    assert code["route", "GET /stories/best"] == ("to port", "src/api/story/routes/own.js", 2)
    assert code["action", "api::story.story.best"][0] == "to port"
    assert code["cron", "0 1 * * *"] == ("to port", "config/cron-tasks.js", 1)
    assert code["hook", "api::story.story.beforeCreate"][1] == "src/api/story/content-types/story/lifecycles.js"
    assert code["policy", "global::is-friend"][0] == "closed until ported"


def test_plugins(found: Any) -> None:
    verdicts = {item["package"]: item["verdict"] for item in found["plugins"]}
    assert verdicts == {
        "@_sh/strapi-plugin-ckeditor": "works",
        "@strapi/plugin-i18n": "works",
        "@strapi/plugin-users-permissions": "works",
        "@strapi/provider-email-mailjet": "not available",
        "@strapi/strapi": "works",
        "strapi-plugin-of-nobody": "not available",
        "strapi-plugin-sitemap": "not available",
        "strapi-provider-cloudflare-r2": "works",
    }


def test_definitions(found: Any) -> None:
    assert [(item["place"], item["name"]) for item in found["definitions"]] == [
        ("src/components/page/link.json", "attributes.maxLenght.maxLenght")
    ]
    assert found["populates"] == [
        {"uid": "api::story.story", "tables": 5, "lists": 3, "path": ["blocks", "links", "pictures"]}
    ]


def test_database(found: Any) -> None:
    database = found["database"]
    types = {item["uid"]: item for item in database["types"]}
    assert types["api::story.story"]["entries"] == 2
    assert types["api::place.place"]["locales"] == [{"name": "en", "count": 2}, {"name": "it", "count": 1}]
    assert {(item["provider"], item["files"], item["kilobytes"]) for item in database["files"]} == {
        ("aws-s3", 1, 1000.0),
        ("local", 1, 12.5),
    }
    assert (database["webhooks"], database["unclaimed"], database["orderColumns"]) == (1, ["of_others"], [])
    assert (database["where"], database["problem"]) == ("SQLite, .tmp/data.db", "")


def test_postgresql(project: Path, postgresql_url: str, tmp_path: Path) -> None:
    folder = make_v4_project(
        tmp_path / "site",
        {"config/database.js": "module.exports = ({ env }) => ({ connection: { client: env('DATABASE_CLIENT') } })"},
    )
    (folder / "config/database.json").unlink()
    variables = {f"OCTAVO_{name.replace('_', '__', 1)}": value for name, value in _server(postgresql_url).items()}
    made = run("db", "upgrade", "--project", str(folder), variables=variables)
    assert made.exit_code == 0, made.output
    database = report(folder, variables)["database"]
    assert database["problem"] == ""
    assert [item["entries"] for item in database["types"] if item["uid"] == "api::place.place"] == [0]


def _server(url: str) -> dict[str, str]:
    names = {"DATABASE_USERNAME": "DATABASE_USER"}
    return {names.get(name, name): value for name, value in database_variables(url).items() if name != "DATABASE_SSL"}


def test_the_page(project: Path, tmp_path: Path) -> None:
    page = tmp_path / "ADOPTION.md"
    assert run("adopt", str(project), "--markdown", str(page)).exit_code == 0
    text = page.read_text("utf-8")
    assert [line for line in text.splitlines() if line.startswith("## ")][:3] == [
        "## Can it start? Yes",
        "## What visitors notice first",
        "## What is closed?",
    ]
    assert 'allow = ["global::is-friend"]' in text
    assert HIDDEN not in text
    again = run("adopt", str(project), "--markdown", str(page))
    assert (again.exit_code, "--force replaces it" in again.stderr) == (1, True)


def test_the_terminal(project: Path) -> None:
    said = run("adopt", str(project)).stdout
    assert said.index("Can it start? Yes") < said.index("What is closed?") < said.index("Code that does not run")
    assert "\x1b" not in said


def test_allowed_guards_are_settled(tmp_path: Path) -> None:
    folder = make_v4_project(tmp_path / "site", {"config/api.toml": '[adoption]\nallow = ["global::is-friend"]\n'})
    found = report(folder)
    assert found["closed"] == []
    settled = {item["name"] for item in found["code"] if item["settled"]}
    assert settled == {"global::is-friend", "GET /stories"}


def test_a_project_that_cannot_start(tmp_path: Path) -> None:
    unsupported = {"connection": {"client": "oracledb", "connection": {"host": "db"}}}
    me = "module.exports = (plugin) => { plugin.controllers.user.me = async (ctx) => { ctx.body = 1 }; return plugin }"
    broken = {
        "package.json": {"dependencies": {**PACKAGES, "@strapi/plugin-graphql": "4.25.1"}},
        "config/database.json": unsupported,
        "src/api/story/routes/own.js": "module.exports = {",
        "src/extensions/users-permissions/strapi-server.js": me,
        ".env": "",
    }
    found = report(make_v4_project(tmp_path / "site", broken))
    assert [(item["place"], item["name"]) for item in found["stops"]] == [
        ("config/database.json:1", "connection.client")
    ]
    assert found["database"]["problem"].startswith("not inspected")
    assert [item["file"] for item in found["code"] if item["kind"] == "unreadable"] == ["src/api/story/routes/own.js"]
    closed = {item["guard"]: item["closes"] for item in found["closed"]}
    assert closed.keys() == {"global::is-friend", "plugin::users-permissions.user.me"}
    assert "Query.me" in closed["plugin::users-permissions.user.me"], "GraphQL is installed"


def test_definitions_that_cannot_be_used(tmp_path: Path) -> None:
    found = report(make_v4_project(tmp_path / "site", {"src/components/page/link.json": "{"}))
    assert "src/components/page/link.json" in {item["place"] for item in found["stops"]}
    assert {"cron", "hook", "policy"} <= {item["kind"] for item in found["code"]}
    assert (found["hasDefinitions"], found["closed"]) == (False, [])
    names = {item["name"] for item in found["code"] if item["kind"] == "route"}
    assert ("GET /stories/best" in names, "api::story.story" in names) == (True, False)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    folder = make_v4_project(tmp_path / "site", {".tmp/data.db": "x" * 5000})
    found = report(folder)
    assert "not a database" in found["database"]["problem"]
    assert [item["name"] for item in found["stops"]] == ["SQLite, .tmp/data.db"]


def test_databases_of_before_order_columns(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "old"
    copytree(project, folder)
    database = apsw.Connection(str(folder / ".tmp/data.db"))
    database.execute('ALTER TABLE stories_components DROP COLUMN "order"; DROP TABLE places')
    database.close()
    found = report(folder)["database"]
    assert found["orderColumns"] == ["add column stories_components.order (float)"]
    assert "create table places" in found["added"]
    assert [item["entries"] for item in found["types"] if item["uid"] == "api::place.place"] == [None]


def test_components_that_rows_call_otherwise(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "renamed"
    copytree(project, folder)
    database = apsw.Connection(str(folder / ".tmp/data.db"))
    database.execute(
        "INSERT INTO components_sections (id) VALUES (1); INSERT INTO stories_components"
        " (entity_id, component_id, component_type, field) VALUES (1, 1, 'old.section', 'blocks')"
    )
    database.close()
    rename = ["db", "rename-component", "old.section", "page.section", "--project", str(folder)]
    for _ in range(2):
        [found] = report(folder)["database"]["components"]
        assert (found["name"], found["component"], found["rows"]) == ("old.section", "page.section", 1)
        assert run(*rename, "--dry-run").stdout == "Would rename: 1 component, 0 links to files and entries.\n"
    assert "octavo db rename-component old.section page.section" in " ".join(run("adopt", str(folder)).stdout.split())
    assert run(*rename).stdout == "Renamed: 1 component, 0 links to files and entries.\n"
    assert report(folder)["database"]["components"] == []
    refused = run("db", "rename-component", "page.section", "page.link", "--project", str(folder))
    assert (refused.exit_code, "page.section is a component of this project" in refused.stderr) == (1, True)


@pytest.mark.parametrize("package", ["{}", '{"dependencies": {"@strapi/strapi": "5.1.0"}}', "{"])
def test_other_projects_are_refused(tmp_path: Path, package: str) -> None:
    (tmp_path / "package.json").write_text(package, "utf-8")
    result = run("adopt", str(tmp_path))
    assert (result.exit_code, "package.json" in result.stderr) == (1, True)


def test_config_check_lists_everything_and_is_strict(project: Path) -> None:
    result = run("config", "check", "--project", str(project), "--json", "--strict")
    head, *named = result.stderr.splitlines()
    assert (result.exit_code, head.endswith("unresolved findings of the project:")) == (1, True)
    assert any(line.startswith("  package.json: strapi-plugin-sitemap: ") for line in named)
    facts = json.loads(result.stdout)
    assert {item["name"] for item in facts["code"]} >= {"global::is-friend", "GET /stories/best"}
    assert "strapi-plugin-sitemap" in {item["package"] for item in facts["plugins"]}
    assert "is-friend" in run("config", "check", "--project", str(project)).stdout


def test_drafts_are_written_to_the_given_folder(project: Path, tmp_path: Path) -> None:
    before = contents(project)
    (tmp_path / "out/src/policies").mkdir(parents=True)
    (tmp_path / "out/src/policies/is-friend.py").write_text("mine")
    (tmp_path / "out/src/api").symlink_to(tmp_path)
    found = run("adopt", str(project), "--drafts", str(tmp_path / "out"), "--json")
    drafts = {draft["path"]: draft for draft in json.loads(found.stdout)["drafts"]}
    assert drafts["src/policies/is-friend.py"]["written"] is False
    assert drafts["src/api/story/controllers/story.py"]["written"] is False
    assert drafts["src/cron.py"] | {"toCheck": 0} == drafts["src/cron.py"]
    assert drafts["src/api/story/content-types/story/lifecycles.py.draft"]["missing"] == ["unknown name `slug`"]
    assert (tmp_path / "out/src/policies/is-friend.py").read_text() == "mine"
    assert not (tmp_path / "story").exists()
    assert 'app.log.info("night")' in (tmp_path / "out/src/cron.py").read_text()
    assert contents(project) == before


def test_drafts_are_in_the_report(project: Path, tmp_path: Path) -> None:
    output = " ".join(run("adopt", str(project), "--drafts", str(tmp_path / "out")).output.split())
    assert "Drafts in Python" in output
    assert "src/cron.py config/cron-tasks.js 0 1 * * * complete" in output
    assert "1 not translated: unknown name `slug`" in output


def test_next_commands_name_the_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.parent)
    commands = run("adopt", str(project)).output
    assert f"octavo start --port 1338 --project {project.name}\n" in commands
    monkeypatch.chdir(project)
    assert "--project" not in run("adopt").output
