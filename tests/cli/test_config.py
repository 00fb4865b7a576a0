"""`octavo config check`: every setting with its source, or every problem."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, answered, refused, said

pytestmark = pytest.mark.parametrize("call", ["sqlite"], indirect=True)


def test_shows_values_and_sources(call: Call, project: Path) -> None:
    found = answered(call("config", "check", "--json"))
    assert (found["mode"], found["adopted"], found["profile"]) == ("production", True, "v4")
    assert found["missingSecrets"] == []
    rows = {(row["file"], row["key"]): (row["value"], row["source"]) for row in found["settings"]}
    assert rows["config/api.toml", "rest.maxLimit"] == (100, "default")
    assert rows[".env", "apiTokenSalt"] == ("***", ".env: API_TOKEN_SALT")
    lines = said(call("config", "check"))
    assert ["config/api.toml", "rest.maxLimit", "100", "default"] in [line.split() for line in lines]
    assert ["unknownOperators", "ignore", "ignore", "refuse"] in [line.split() for line in lines]
    assert "Mode production, an adopted v4 project, profile v4:" in lines
    assert lines[-1] == "Settings, definitions and code are valid."


def test_the_version_of_v4_is_reported(call: Call, project: Path) -> None:
    (project / "yarn.lock").write_text('"@strapi/strapi@4.13.1":\n  version "4.13.1"\n', "utf-8")
    found = answered(call("config", "check", "--json"))
    assert (found["v4Version"], found["rules"]["queryStrings"]) == ("4.13.1", "merged")
    words = [line.split() for line in said(call("config", "check"))]
    assert ["config/api.toml", "compat.v4Version", "4.13.1", "yarn.lock"] in words
    assert ["queryStrings", "merged", "merged", "listed"] in words


def test_lists_all_problems(call: Call, project: Path) -> None:
    (project / "config").mkdir()
    (project / "config/api.toml").write_text("[rest]\nmaxLimt = 5\ndefaultLimit = 0\n", "utf-8")
    assert refused(call("config", "check")).splitlines() == [
        "2 problems in the settings:",
        "  config/api.toml: rest.maxLimt: unknown key; did you mean maxLimit?",
        "  config/api.toml: rest.defaultLimit: expected a whole number, at least 1, not 0",
    ]


def test_code_is_checked_without_a_database(call: Call, project: Path) -> None:
    code = """def register(app):
    extension = app.plugin("graphql").service("extension")
    extension.use({"resolvers_config": {"Query.storys": {"policies": ["missing"]}, "Query.stories": {"auth": 1}}})
"""
    (project / "src/index.py").write_text(code, "utf-8")
    lines = refused(call("config", "check")).splitlines()
    assert lines[0] == "3 problems in the project's code:"
    assert "resolvers_config: Query.storys: Query has no field 'storys'; did you mean" in lines[1]
    assert lines[2].endswith("Query.storys.policies.0: unknown name missing")
    assert lines[3].endswith('Query.stories.auth: expected False or {"scope": ["api::name.name.find"]}')


ROUTER = """from octavo import CoreRouter

router = CoreRouter(config={"find": {"policies": [lambda context: False]}, "delete": {"middlewares": [len]}})
"""


def test_graphql_fields_without_the_guards_of_rest_are_listed(call: Call, project: Path) -> None:
    (project / "src/api/story/routes").mkdir(parents=True, exist_ok=True)
    (project / "src/api/story/routes/story.py").write_text(ROUTER, "utf-8")
    guards = answered(call("config", "check", "--json"))["guards"]
    assert [line.split(": ")[:2] for line in guards] == [
        ["Open in GraphQL", "Query.stories"],
        ["Open in GraphQL", "Mutation.deleteStory"],
    ]
    assert "Guards that do not apply to GraphQL or localizations:" in said(call("config", "check"))
    (project / "config").mkdir(exist_ok=True)
    (project / "config/api.toml").write_text('[compat]\nprofile = "safe"\n', "utf-8")
    guards = answered(call("config", "check", "--json"))["guards"]
    assert [line.split(": ")[:2] for line in guards] == [["Closed in GraphQL", "Mutation.deleteStory"]]


TYPE = """{"kind": "collectionType", "info": {"singularName": "%s", "pluralName": "%s", "displayName": "X"},
  "attributes": {"odd-name": {"type": "string"}}}"""


def add_type(project: Path, singular: str, plural: str) -> None:
    path = project / f"src/api/{singular}/content-types/{singular}/schema.json"
    path.parent.mkdir(parents=True)
    path.write_text(TYPE % (singular, plural), "utf-8")


def remarks(call: Call) -> list[str]:
    found = answered(call("config", "check", "--json"))["definitions"]
    return [f"{item['severity']} {item['source']}: {item['path']}: {item['message']}" for item in found]


def test_remarks_on_definitions_are_reported_and_fail_with_strict(call: Call, project: Path) -> None:
    said(call("config", "check", "--strict"))
    assert remarks(call) == []
    add_type(project, "lamp", "lamps")
    (found,) = remarks(call)
    assert found.startswith(
        "warning src/api/lamp/content-types/lamp/schema.json: attributes.odd-name: left out of GraphQL"
    )
    assert found.removeprefix("warning ") in said(call("config", "check"))
    strict = call("config", "check", "--strict")
    assert (strict.exit_code, "Error: 1 remark on the definitions" in strict.stderr) == (1, True)


def test_suspicious_settings_are_reported(call: Call, project: Path) -> None:
    (project / "config").mkdir()
    control = '[caching.control."api::stroy.story"]\n"autenticated" = "max-age=5"\n'
    caches = '[caching.purge.caches.front]\nkind = "purge"\nurl = "https://front.example/?key=hidden"\n'
    keys = '[caching.surrogateKeys]\nheaders = ["Surrogate-Key"]\n'
    (project / "config/api.toml").write_text(control + caches + keys, "utf-8")
    reported = '"api::stroy.story"'
    remarks = answered(call("config", "check", "--json"))["remarks"]
    assert [(one["key"], one["message"]) for one in remarks] == [
        (f"caching.control.{reported}", "unknown content type; did you mean api::story.story?"),
        (f"caching.control.{reported}.autenticated", "unknown role; did you mean authenticated?"),
    ]
    lines = said(call("config", "check"))
    assert "Remarks on the settings:" in lines
    shown = "\n".join(lines)
    assert "https://front.example/?***" in shown
    assert '"autenticated":"max-age=5"' in shown.replace(" ", "").replace("'", '"')


@pytest.mark.parametrize(
    "server, is_told",
    [
        ('url = "https://cms.example.org"', True),
        ('url = "https://cms.example.org"\ntrustedProxies = ["10.0.0.7"]', False),
        ('url = "http://cms.example.org"', False),
        ("", False),
    ],
)
def test_a_proxy_that_is_not_configured_is_named(call: Call, project: Path, server: str, is_told: bool) -> None:
    (project / "config").mkdir()
    (project / "config/server.toml").write_text(server, "utf-8")
    remarks = [(one["source"], one["key"]) for one in answered(call("config", "check", "--json"))["remarks"]]
    assert remarks == [("config/server.toml", "trustedProxies")] * is_told
    assert ("no proxy is trusted" in " ".join(said(call("config", "check")))) == is_told


def test_types_with_names_that_graphql_needs_itself_are_left_out(call: Call, project: Path) -> None:
    add_type(project, "error", "errors")
    name = "info.singularName: left out of GraphQL: its GraphQL name 'Error'"
    assert any(
        line.startswith(f"warning src/api/error/content-types/error/schema.json: {name}") for line in remarks(call)
    )
    (project / "config").mkdir(exist_ok=True)
    (project / "config/plugins.toml").write_text("[graphql]\nenabled = false\n", "utf-8")
    assert remarks(call) == []
