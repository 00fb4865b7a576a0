"""Information about the project for administrators."""

import json
from pathlib import Path

import pytest

from octavo.api.http.router import Router
from octavo.operations.runtime.admin_endpoints import project_facts
from octavo.schema.registry import Registry
from octavo.settings import load_settings
from tests.v4.config.project import SQLITE, write

CORE = ["content-manager", "content-type-builder", "email", "upload", "content-releases"]


@pytest.mark.parametrize(
    "config, packages, listed",
    [
        ({}, "users-permissions graphql i18n", "users-permissions graphql i18n"),
        ({}, "i18n graphql users-permissions", "i18n graphql users-permissions"),
        (
            {"graphql": {}, "email": {}, "users-permissions": {}},
            "i18n users-permissions graphql",
            "graphql users-permissions i18n",
        ),
        ({"i18n": {"enabled": True}}, "graphql users-permissions i18n", "i18n graphql users-permissions"),
    ],
)
def test_plugins_are_listed_in_the_order_of_the_project(
    tmp_path: Path, config: dict[str, object], packages: str, listed: str
) -> None:
    installed = {f"@strapi/{name}": "4.26.2" for name in ("strapi", *(f"plugin-{one}" for one in packages.split()))}
    script = f"module.exports = {json.dumps(config)};"
    settings = load_settings(
        write(tmp_path, {"config/database.json": SQLITE, "config/plugins.js": script}, installed), {}
    )
    facts = project_facts(settings, Registry({}, {}), Router(), ())
    assert [plugin["name"] for plugin in facts.plugins] == [*CORE, *listed.split()]
