"""Content types of a v4 project's plugins: which code defines them, and what of it is served."""

import json
from pathlib import Path
from typing import Any

import pytest

from octavo.operations.runtime.definitions import project_registry
from octavo.schema.registry import Registry
from octavo.settings import load_settings
from octavo.v4.code.read import read_code
from tests.models.v4_project import TEXT, write_files, write_project

RATE: dict[str, Any] = {
    "kind": "collectionType",
    "info": {"singularName": "rate", "pluralName": "rates", "displayName": "Rate"},
    "attributes": {"usd": {"type": "decimal"}},
}
CUP = {"rate": {"type": "relation", "relation": "manyToOne", "target": "plugin::shop.rate"}, "title": TEXT}
ENABLED = "module.exports = { shop: { enabled: true, resolve: './src/plugins/shop' } }"
SERVER = "server/content-types"
REQUIRED = "module.exports = require('./server')"
INDEX = "module.exports = { contentTypes: require('./content-types'), routes: [], register() {} }"
TYPES = "module.exports = { rate: require('./rate') }"
LISTED = "module.exports = { schema: require('./schema.json') }"
JSON = json.dumps(RATE)
COMMON = {
    "strapi-server.js": REQUIRED,
    "server/index.js": INDEX,
    f"{SERVER}/index.js": TYPES,
    f"{SERVER}/rate/index.js": LISTED,
    f"{SERVER}/rate/schema.json": JSON,
}
FORMS: dict[str, dict[str, str]] = {
    "as v4 generates it": COMMON,
    "functions": {
        **COMMON,
        "server/index.js": "const contentTypes = require('./content-types')\nmodule.exports = () => ({ contentTypes })",
        f"{SERVER}/index.js": "module.exports = () => ({ rate: require('./rate') })",
    },
    "the schema as module": {
        **COMMON,
        f"{SERVER}/index.js": "const schema = require('./rate')\nmodule.exports = { rate: { schema } }",
        f"{SERVER}/rate/index.js": f"const extra = {{}}\nmodule.exports = {{ ...extra, ...{JSON} }}",
    },
    "all in one file": {"strapi-server.js": f"module.exports = {{ contentTypes: {{ rate: {{ schema: {JSON} }} }} }}"},
    "ES modules": {
        "strapi-server.js": "export { default } from './server'",
        "server/index.js": "import contentTypes from './content-types'\nexport default { contentTypes }",
        f"{SERVER}/index.js": "import rate from './rate'\nexport default { rate }",
        f"{SERVER}/rate/index.js": "import schema from './schema.json'\nexport default { schema }",
        f"{SERVER}/rate/schema.json": JSON,
    },
    "TypeScript that is not built": {
        "strapi-server.js": "module.exports = require('./dist/server')",
        "server/index.ts": "import contentTypes from './content-types';\nexport default { contentTypes };",
        f"{SERVER}/index.ts": "import schema from './rate/schema';\nexport default { rate: { schema } };",
        f"{SERVER}/rate/schema.ts": f"export default {JSON} as const;",
    },
    "a built package": {
        "package.json": json.dumps({"exports": {"./strapi-server": {"require": "./dist/server/index.js"}}}),
        "dist/server/index.js": f"""
const schema = {JSON}; const contentTypes = {{ rate: {{ schema }} }}; const index = {{ contentTypes }};
module.exports = index;""",
    },
    "computed types beside schemas": {**COMMON, f"{SERVER}/index.js": "module.exports = load(__dirname)"},
}


def registry_of(folder: Path) -> Registry:
    return project_registry(load_settings(folder, {}, require_secrets=False))


def write_shop(folder: Path, plugin: dict[str, str], config: str = ENABLED, place: str = "src/plugins/shop") -> None:
    files = {f"{place}/{name}": text for name, text in plugin.items()}
    database = json.dumps({"connection": {"client": "sqlite", "connection": {"filename": "data.db"}}})
    write_project(folder, {"cup": CUP}, {"config/database.json": database, "config/plugins.js": config, **files})


@pytest.mark.parametrize("form", FORMS)
def test_types_of_local_plugins_are_read_from_their_code(tmp_path: Path, form: str) -> None:
    write_shop(tmp_path, FORMS[form])
    found = registry_of(tmp_path)
    rate = found.content_types["plugin::shop.rate"]
    assert list(rate.attributes)[:1] == ["usd"]
    assert rate.collection_name == "shop_rate"
    assert "rate" in found.content_types["api::cup.cup"].attributes


def test_hooks_of_plugins_guard_their_types(tmp_path: Path) -> None:
    hooks = "module.exports = { beforeUpdate() { throw new Error('closed') } }"
    listed = "module.exports = { schema: require('./schema.json'), lifecycles: require('./lifecycles') }"
    write_shop(tmp_path, {**COMMON, f"{SERVER}/rate/index.js": listed, f"{SERVER}/rate/lifecycles.js": hooks})
    settings = load_settings(tmp_path, {}, require_secrets=False)
    [hook] = read_code(tmp_path, project_registry(settings), settings.named_plugins).hooks
    assert (hook.uid, hook.actions, hook.guard.says) == ("plugin::shop.rate", ("update",), "can reject")


@pytest.mark.parametrize(
    "config, place",
    [
        ("module.exports = { shop: { resolve: './src/plugins/store' } }", "src/plugins/store"),
        ("module.exports = { shop: { enabled: true } }", "src/plugins/shop"),
        ("module.exports = { shop: { resolve: require('path').join(__dirname, '../parts/shop') } }", "parts/shop"),
        ("module.exports = { shop: { enabled: true, resolve: '@acme/shop' } }", "node_modules/@acme/shop"),
    ],
)
def test_the_configuration_names_the_folder(tmp_path: Path, config: str, place: str) -> None:
    write_shop(tmp_path, COMMON, config, place)
    assert "plugin::shop.rate" in registry_of(tmp_path).content_types


@pytest.mark.parametrize(
    "config",
    ["module.exports = {}", ENABLED.replace("true", "false"), "module.exports = { shop: false }"],
)
def test_plugins_that_v4_does_not_run_have_no_types(tmp_path: Path, config: str) -> None:
    write_shop(tmp_path, COMMON, config)
    found = registry_of(tmp_path)
    assert "plugin::shop.rate" not in found.content_types
    assert "rate" not in found.content_types["api::cup.cup"].attributes
    assert [str(remark) for remark in found.remarks] == [
        "src/api/cup/content-types/cup/schema.json: attributes.rate.target: the content type plugin::shop.rate of the "
        "plugin shop was not found, so this relation is not served; install the project's packages (npm ci), or remove "
        "the attribute"
    ]


def test_installed_packages_have_types(tmp_path: Path) -> None:
    package = {"name": "strapi-plugin-shop", "strapi": {"kind": "plugin", "name": "shop"}}
    plugin = {**COMMON, "package.json": json.dumps(package)}
    write_shop(tmp_path, plugin, "module.exports = {}", "node_modules/strapi-plugin-shop")
    about = json.loads((tmp_path / "package.json").read_text())
    about["dependencies"] |= {"strapi-plugin-shop": "1.0.0"}
    (tmp_path / "package.json").write_text(json.dumps(about))
    assert "plugin::shop.rate" in registry_of(tmp_path).content_types


def test_extensions_replace_keys_of_a_plugins_type(tmp_path: Path) -> None:
    write_shop(tmp_path, COMMON)
    extension = json.dumps({"attributes": {"usd": {"type": "decimal"}, "note": TEXT}})
    write_files(tmp_path, {"src/extensions/shop/content-types/rate/schema.json": extension})
    found = registry_of(tmp_path)
    assert list(found.content_types["plugin::shop.rate"].attributes)[:2] == ["usd", "note"]
    assert not found.remarks


def test_computed_parts_of_a_schema_are_named(tmp_path: Path) -> None:
    computed = {"info": RATE["info"], "attributes": {"usd": {"type": "decimal", "default": "X"}}}
    text = json.dumps(computed).replace('"X"', "() => 1")
    write_shop(tmp_path, {"strapi-server.js": f"module.exports = {{ contentTypes: {{ rate: {{ schema: {text} }} }} }}"})
    found = registry_of(tmp_path)
    assert "usd" in found.content_types["plugin::shop.rate"].attributes
    assert [str(remark) for remark in found.remarks] == [
        "src/plugins/shop/strapi-server.js: attributes.usd.default: is computed, so it is ignored; write it as a JSON "
        "value"
    ]
