"""The configuration of a project: files by name, and environment files merged over them."""

from pathlib import Path

import pytest

from octavo.v4.javascript.config import merged, read_config
from octavo.v4.javascript.reader import Reader
from octavo.v4.javascript.source import Place
from octavo.v4.javascript.values import Value


def written(project: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = project / "config" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return project


FILES = {
    "server.js": "module.exports = ({ env }) => ({ host: env('HOST', '0.0.0.0'), port: env.int('PORT', 1337) });",
    "api.json": '{"rest": {"defaultLimit": 25, "maxLimit": 100}}',
    "middlewares.js": "module.exports = ['strapi::errors', { name: 'strapi::cors', config: {} }, 'strapi::body'];",
    "database.js": (
        "const path = require('path');\n"
        "module.exports = ({ env }) => {\n"
        "  const client = env('DATABASE_CLIENT', 'sqlite');\n"
        "  const connections = {\n"
        "    sqlite: { connection: {\n"
        "      filename: path.join(__dirname, '..', env('DATABASE_FILENAME', '.tmp/data.db')) } },\n"
        "    postgres: { connection: { connectionString: env('DATABASE_URL'),\n"
        "      ssl: env.bool('DATABASE_SSL', false) && {\n"
        "      rejectUnauthorized: env.bool('DATABASE_SSL_REJECT_UNAUTHORIZED', true) } } },\n"
        "  };\n"
        "  return { connection: { client, ...connections[client], acquireConnectionTimeout: 60000 } };\n"
        "};\n"
    ),
    "env/production/server.js": "module.exports = ({ env }) => ({ url: env('URL'), port: 80, host: undefined });",
    "env/production/middlewares.js": (
        "module.exports = ['strapi::logger', { config: { origin: ['https://a.example'] } }];"
    ),
    "env/production/only.js": "module.exports = { a: process.env.NODE_ENV };",
    "functions.txt": "no configuration",
    "types.d.ts": "export {}",
}


def test_files_by_name(tmp_path: Path) -> None:
    project = written(tmp_path.resolve(), FILES)
    found = read_config(project, "development", {"PORT": "80"})
    assert not found.problems
    assert not found.value.holes()
    assert found.value.plain() == {
        "api": {"rest": {"defaultLimit": 25, "maxLimit": 100}},
        "database": {
            "connection": {
                "client": "sqlite",
                "connection": {"filename": f"{project}/.tmp/data.db"},
                "acquireConnectionTimeout": 60000,
            }
        },
        "middlewares": ["strapi::errors", {"name": "strapi::cors", "config": {}}, "strapi::body"],
        "server": {"host": "0.0.0.0", "port": 80},
    }
    assert found.value.at("server", "host").place == Place("config/server.js", 1, 52)
    assert found.value.at("api", "rest", "maxLimit").place == Place("config/api.json", 1, 43)


def test_an_environment_is_merged_over(tmp_path: Path) -> None:
    """Lists are merged by index, as in v4."""
    found = read_config(written(tmp_path, FILES), "production", {"URL": "https://a.example"})
    assert found.value.at("server").plain() == {"host": "0.0.0.0", "port": 80, "url": "https://a.example"}
    assert found.value.at("server", "port").place.file == "config/env/production/server.js"
    assert found.value.at("middlewares").plain() == [
        "strapi::logger",
        {"name": "strapi::cors", "config": {"origin": ["https://a.example"]}},
        "strapi::body",
    ]
    assert found.value.at("only", "a").plain() == "production"


@pytest.mark.parametrize("environment", ["../env/production", "", ".", "..", "a/b", "none", "a\0"])
def test_other_environments_have_no_files(environment: str, tmp_path: Path) -> None:
    found = read_config(written(tmp_path, FILES), environment, {})
    assert found.value.keys() == ["api", "database", "middlewares", "server"]


def test_node_env_counts_before_the_argument(tmp_path: Path) -> None:
    found = read_config(written(tmp_path, FILES), "development", {"NODE_ENV": "production"})
    assert found.value.at("server", "port").plain() == 80


def test_files_that_cannot_be_read_are_problems_and_holes(tmp_path: Path) -> None:
    project = written(
        tmp_path,
        {
            "server.js": "module.exports = {\n  a: = 1 };",
            "api.json": "{",
            "a.js": "module.exports = { a: 1 }",
            "b.js": "",
        },
    )
    (project / "config" / "large.js").write_bytes(b"/" * 10_000_000)
    found = read_config(project, "development", {})
    assert [problem.place.file for problem in found.problems] == [
        "config/api.json",
        "config/large.js",
        "config/server.js",
    ]
    assert found.problems[2].place.line == 2
    assert {key: value.is_hole for key, value in found.value.items()} == {
        "a": False, "api": True, "b": False, "large": True, "server": True,
    }  # fmt: skip


def test_a_project_without_configuration(tmp_path: Path) -> None:
    assert read_config(tmp_path, "development", {}).value.plain() == {}
    (tmp_path / "config").symlink_to("/etc")
    assert read_config(tmp_path, "development", {}).value.plain() == {}


def value_of(text: str, project: Path) -> Value:
    path = project / "value.js"
    path.write_text(f"module.exports = {text}")
    return Reader(project, {}).read(path)


@pytest.mark.parametrize(
    "base, over, result",
    [
        ("{ a: 1, b: { c: 1, d: 2 } }", "{ b: { d: 3 } }", {"a": 1, "b": {"c": 1, "d": 3}}),
        ("{ a: 1 }", "{ a: undefined }", {"a": 1}),
        ("{ a: 1 }", "{ a: null }", {"a": None}),
        ("{ a: [1, 2, 3] }", "{ a: [4] }", {"a": [4, 2, 3]}),
        ("{ a: [1] }", "{ a: { b: 1 } }", {"a": {"b": 1}}),
        ("{ a: [{ b: 1 }] }", "{ a: [{ c: 2 }, 3] }", {"a": [{"b": 1, "c": 2}, 3]}),
        ("{ a: { b: 1 } }", "{ a: 'x' }", {"a": "x"}),
    ],
)
def test_merging(base: str, over: str, result: object, tmp_path: Path) -> None:
    assert merged(value_of(base, tmp_path), value_of(over, tmp_path)).plain() == result


def test_merging_with_holes(tmp_path: Path) -> None:
    value = merged(value_of("{ a: { b: 1 }, c: 2 }", tmp_path), value_of("{ a: unknown }", tmp_path))
    assert (value.at("a", "b").is_hole, value.at("c").plain()) == (True, 2)
    value = merged(value_of("{ a: { b: 1 }, c: 2 }", tmp_path), value_of("{ ...unknown, c: 3 }", tmp_path))
    assert (value.at("a").is_hole, value.at("d").is_hole, value.at("c").plain()) == (True, True, 3)
