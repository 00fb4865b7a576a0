"""Malicious or unreadable configuration: a clear error at low cost."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from octavo.settings import load_settings
from tests.v4.config.project import SQLITE, problems, write

DEEP = 20_000
HOSTILE: Mapping[str, Mapping[str, Any]] = {
    "deep brackets": {"config/database.js": f"module.exports = {'[' * DEEP}{']' * DEEP};"},
    "deep JSON": {"config/database.json": "[" * DEEP + "]" * DEEP},
    "long": {"config/database.js": f"module.exports = '{'x' * 10_000_000}';"},
    "doubled texts": {"config/database.js": "let a = 'x';" + "a = a + a;" * 200 + "module.exports = a;"},
    "itself": {"config/database.js": "module.exports = require('./database');"},
    "circle": {
        "config/database.js": "module.exports = require('./b');",
        "config/b.js": "module.exports = require('./database');",
    },
    "endless": {"config/database.js": "function f() { return f(); } module.exports = f();"},
    "outside": {"config/database.js": "module.exports = require('../../../../../../etc/passwd');"},
    "unfinished": {"config/database.js": "module.exports = { connection: `${"},
    "binary": {"config/database.json": "\0\1\2"},
    "a text": {"config/database.json": '"sqlite"'},
    "a list": {"config/database.json": "[[], {}]"},
    "tricks": {"config/database.js": "module.exports = { \u202e'connection': { client: '\ufeffsqlite' } };"},
    "prototype": {"config/database.json": '{"__proto__": {"connection": {"client": "sqlite"}}, "constructor": 1}'},
}


@pytest.mark.parametrize("files", HOSTILE.values(), ids=HOSTILE)
def test_malicious_database_settings_stop_the_start(tmp_path: Path, files: Mapping[str, Any]) -> None:
    listed = problems(write(tmp_path, files))
    assert len(listed) == 1
    assert listed[0].startswith("config/database")
    assert len(listed[0]) < 500


@pytest.mark.parametrize("name", ["server", "admin", "api", "middlewares", "plugins"])
@pytest.mark.parametrize("content", ["[]", "1", '"x"', "{}", '{"a": {"b": {"c": [null, 1e999]}}}', "null"])
def test_values_of_other_types_have_no_effect(tmp_path: Path, name: str, content: str) -> None:
    write(tmp_path, {"config/database.json": SQLITE, f"config/{name}.json": content})
    settings = load_settings(tmp_path, {})
    assert settings.server.port == 1337
    assert name != "middlewares" or settings.api.compat.cors == "exact"


def test_values_of_the_wrong_type_are_reported(tmp_path: Path) -> None:
    config = {"host": ["a"], "port": {}, "proxy": [1], "app": {"keys": [1, {}]}, "url": True, "dirs": {"public": 0}}
    settings = load_settings(write(tmp_path, {"config/database.json": SQLITE, "config/server.json": config}), {})
    reported = {one.key for one in settings.findings if one.outcome.value in ("open", "closed")}
    assert reported == {"host", "port", "proxy", "app.keys", "url"}


def test_a_name_that_leads_out_of_the_folder_is_no_environment(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    write(tmp_path / "elsewhere", {"server.json": {"port": 1}})
    project = write(tmp_path / "project", {"config/database.json": SQLITE, "config/env/x/y.json": {}})
    environment = {"NODE_ENV": "../../../elsewhere"}
    assert load_settings(project, environment, require_secrets=False).server.port == 1337
