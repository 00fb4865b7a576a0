"""Content types of a v4 project's plugins: the code that defines them, and the attributes that are served."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from octavo.cli import main
from octavo.modeling.refactoring.rename import plan_rename
from octavo.operations.runtime.definitions import project_registry
from octavo.schema.problems import InvalidDefinitions
from octavo.schema.registry import Registry
from octavo.settings import load_settings
from octavo.v4.code.code import Code
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


_NOT_FOUND = (
    "the content type plugin::shop.rate of the plugin shop was not found, so this relation is not served; install the "
    "project's packages (npm ci), or remove the attribute"
)
_DISABLED = (
    "the plugin shop of the content type plugin::shop.rate is disabled in config/plugins, so this relation is not "
    "served; enable the plugin, or remove the attribute"
)


@pytest.mark.parametrize(
    "config, message",
    [
        ("module.exports = {}", _NOT_FOUND),
        (ENABLED.replace("true", "false"), _DISABLED),
        ("module.exports = { shop: false }", _DISABLED),
    ],
)
def test_plugins_that_v4_does_not_run_have_no_types(tmp_path: Path, config: str, message: str) -> None:
    write_shop(tmp_path, COMMON, config)
    found = registry_of(tmp_path)
    assert "plugin::shop.rate" not in found.content_types
    assert "rate" not in found.content_types["api::cup.cup"].attributes
    assert [str(remark) for remark in found.remarks] == [
        f"src/api/cup/content-types/cup/schema.json: attributes.rate.target: {message}"
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


HOOKED = {
    **COMMON,
    f"{SERVER}/rate/index.js": "module.exports = { schema: require('./schema.json'), lifecycles: require('./hooks') }",
    f"{SERVER}/rate/hooks.js": "module.exports = { beforeUpdate() { throw new Error('closed') } }",
}
_ALL = ("find", "findOne", "create", "update", "delete", "createLocalization")
_CLOSED = "computed hooks"


def code_of(folder: Path) -> Code:
    settings = load_settings(folder, {}, require_secrets=False)
    return read_code(folder, project_registry(settings), settings.named_plugins)


@pytest.mark.parametrize(
    "changed",
    [
        {f"{SERVER}/index.js": "const all = { rate: require('./rate') }; module.exports = { ...all }"},
        {f"{SERVER}/index.js": "const rate = require('./rate'); module.exports = { rate: { ...rate } }"},
        {f"{SERVER}/index.js": "const a = require('./rate'); module.exports = { rate: Object.assign({}, a) }"},
        {f"{SERVER}/index.js": "exports.rate = require('./rate')"},
        {
            "server/index.js": "import * as contentTypes from './content-types'; export default { contentTypes }",
            f"{SERVER}/index.js": "export { default as rate } from './rate'",
            f"{SERVER}/rate/index.js": "import schema from './schema.json'; import * as lifecycles from './hooks'\n"
            "export default { schema, lifecycles }",
            f"{SERVER}/rate/hooks.js": "export async function beforeUpdate() { throw new Error('closed') }",
        },
    ],
)
def test_hooks_of_composed_types_guard_their_types(tmp_path: Path, changed: dict[str, str]) -> None:
    write_shop(tmp_path, {**HOOKED, **changed})
    hooks = {(hook.uid, hook.actions, hook.guard.says) for hook in code_of(tmp_path).hooks}
    assert hooks == {("plugin::shop.rate", ("update",), "can reject")}


@pytest.mark.parametrize(
    "changed",
    [
        {f"{SERVER}/index.js": "module.exports = load(__dirname)"},
        {f"{SERVER}/index.js": "module.exports = { rate: { ...more(), schema: require('./rate/schema.json') } }"},
        {
            "server/index.js": "export * from './all'",
            "server/all.js": "export const contentTypes = require('./content-types')",
        },
        {
            f"{SERVER}/rate/index.js": "const rate = { schema: require('./schema.json') }\n"
            "rate.lifecycles = { ...require('./hooks') }\nmodule.exports = rate"
        },
        {f"{SERVER}/rate/hooks.js": "module.exports = { ...make() }"},
        {f"{SERVER}/rate/hooks.js": "module.exports = { beforeUpdate: make() }"},
    ],
)
def test_types_with_unknown_hooks_are_closed(tmp_path: Path, changed: dict[str, str]) -> None:
    write_shop(tmp_path, {**HOOKED, **changed})
    assert "plugin::shop.rate" in registry_of(tmp_path).content_types
    closed = {action for hook in code_of(tmp_path).hooks if hook.uid == "plugin::shop.rate" for action in hook.actions}
    assert "update" in closed


def test_hook_files_beside_schemas_are_read(tmp_path: Path) -> None:
    hooks = {f"{SERVER}/rate/lifecycles.js": HOOKED[f"{SERVER}/rate/hooks.js"]}
    write_shop(tmp_path, {**COMMON, f"{SERVER}/index.js": "module.exports = load(__dirname)", **hooks})
    found = [(hook.actions, hook.guard.says) for hook in code_of(tmp_path).hooks]
    assert found == [(_ALL, _CLOSED), (("update",), "can reject")]


_PARTS = "module.exports = { shop: { resolve: require('path').join(__dirname, '../parts/shop') } }"
_PACKAGE = "module.exports = { shop: { enabled: true, resolve: '@acme/shop' } }"
_STARTED = "module.exports = { contentTypes: require('./content-types'), bootstrap: require('./bootstrap') }"


_START = """module.exports = ({ strapi }) => {
  strapi.db.lifecycles.subscribe({ models: ['plugin::shop.rate'], beforeUpdate() { throw new Error('no') } })
  strapi.db.lifecycles.subscribe({ beforeDelete() { throw new Error('no') } })
  strapi.db.lifecycles.subscribe(other())
  strapi.server.use(async (ctx, next) => { if (!ctx.x) return ctx.forbidden(); await next() })
}"""


def write_started(folder: Path, config: str, place: str) -> Code:
    write_shop(folder, {**COMMON, "server/index.js": _STARTED, "server/bootstrap.js": _START}, config, place)
    return code_of(folder)


def test_code_of_plugins_outside_src_is_read(tmp_path: Path) -> None:
    code = write_started(tmp_path, _PARTS, "parts/shop")
    hooks = [(hook.uid, hook.actions) for hook in code.hooks]
    assert hooks == [("plugin::shop.rate", ("update",)), ("", ("delete",)), ("", _ALL)]
    assert [guard.name for guard in code.everywhere] == ["parts/shop/server/bootstrap.js: server.use"]


def test_installed_plugins_close_only_writes_of_their_types(tmp_path: Path) -> None:
    code = write_started(tmp_path, _PACKAGE, "node_modules/@acme/shop")
    assert [(hook.uid, hook.actions) for hook in code.hooks] == [("plugin::shop.rate", ("update",))]
    assert code.everywhere == ()


_INFO = "info: { singularName: 'rate', pluralName: 'rates', displayName: 'Rate' }"


def write_schema(folder: Path, schema: str) -> None:
    write_shop(folder, {"strapi-server.js": f"module.exports = {{ contentTypes: {{ rate: {{ schema: {schema} }} }} }}"})


@pytest.mark.parametrize(
    "attribute, path",
    [
        ("{ type: 'enumeration', enum: require('iso-codes').all }", "usd.enum"),
        ("{ type: kind() }", "usd.type"),
        ("{ type: 'string', ...hidden() }", "usd"),
        ("make()", "usd"),
        ("{ type: 'relation', relation: 'oneToOne', target: uid() }", "usd.target"),
        ("{ type: 'enumeration', enum: ['a', last()] }", "usd.enum"),
        ("{ type: 'string', pluginOptions: options() }", "usd.pluginOptions"),
    ],
)
def test_computed_attributes_are_not_served(tmp_path: Path, attribute: str, path: str) -> None:
    write_schema(tmp_path, f"{{ {_INFO}, attributes: {{ note: {{ type: 'string' }}, usd: {attribute} }} }}")
    found = registry_of(tmp_path)
    attributes = found.content_types["plugin::shop.rate"].attributes
    assert "note" in attributes
    assert "usd" not in attributes
    assert [str(remark) for remark in found.remarks] == [
        f"src/plugins/shop/strapi-server.js: attributes.{path}: is computed, so this attribute is not served; write it "
        "as a JSON value"
    ]


@pytest.mark.parametrize(
    "schema, keys",
    [
        ("{ info: info(), attributes: {} }", ["info"]),
        (f"{{ {_INFO}, options: {{ draftAndPublish: on() }}, attributes: {{}} }}", ["options"]),
        (f"{{ {_INFO}, pluginOptions: options(), attributes: {{}} }}", ["pluginOptions"]),
        (f"{{ {_INFO}, collectionName: table(), attributes: {{}} }}", ["collectionName"]),
        (f"{{ {_INFO}, attributes: all() }}", ["attributes"]),
        (
            f"{{ ...base(), kind: 'collectionType', {_INFO}, attributes: {{}} }}",
            ["collectionName", "options", "pluginOptions"],
        ),
    ],
)
def test_types_with_computed_properties_are_not_served(tmp_path: Path, schema: str, keys: list[str]) -> None:
    write_schema(tmp_path, schema)
    found = registry_of(tmp_path)
    assert "plugin::shop.rate" not in found.content_types
    place, end = "src/plugins/shop/strapi-server.js", "so this content type is not served; write it as a JSON value"
    assert [str(remark) for remark in found.remarks] == [
        *(f"{place}: {key}: is computed, {end}" for key in keys),
        "src/api/cup/content-types/cup/schema.json: attributes.rate.target: the plugin shop has no content type "
        "plugin::shop.rate, or its definition is computed, so this relation is not served; correct the target, or "
        "write the definition as a JSON object",
    ]


def test_a_computed_private_counts_as_true(tmp_path: Path) -> None:
    write_schema(tmp_path, f"{{ {_INFO}, attributes: {{ usd: {{ type: 'decimal', private: secret() }} }} }}")
    found = registry_of(tmp_path)
    assert found.content_types["plugin::shop.rate"].attributes["usd"].private
    assert [remark.message for remark in found.remarks] == [
        "is computed, so the attribute is private; write it as a JSON value"
    ]


def test_computed_attributes_next_to_known_ones_are_reported(tmp_path: Path) -> None:
    write_schema(tmp_path, f"{{ {_INFO}, attributes: {{ ...common(), usd: {{ type: 'decimal' }} }} }}")
    found = registry_of(tmp_path)
    assert "usd" in found.content_types["plugin::shop.rate"].attributes
    assert [(remark.path, remark.message) for remark in found.remarks] == [
        ("attributes", "may have more attributes, which are computed and not served; write them as JSON values")
    ]


def test_a_server_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    write_shop(tmp_path, {"strapi-server.js": "module.exports = createServer({ rate: 1 })"})
    assert [remark.message for remark in registry_of(tmp_path).remarks][:1] == [
        "content types are computed, so Octavo reads only the server's content-types/NAME/schema.json of this plugin"
    ]


def test_a_misspelled_type_of_a_builtin_plugin_is_an_error(tmp_path: Path) -> None:
    write_shop(tmp_path, COMMON)
    path = tmp_path / "src/api/cup/content-types/cup/schema.json"
    path.write_text(path.read_text().replace("plugin::shop.rate", "plugin::users-permissions.usr"))
    with pytest.raises(InvalidDefinitions, match=r"did you mean 'plugin::users-permissions\.user'\?"):
        registry_of(tmp_path)


def test_a_misspelled_type_of_a_plugin_has_a_suggestion(tmp_path: Path) -> None:
    write_shop(tmp_path, COMMON)
    path = tmp_path / "src/api/cup/content-types/cup/schema.json"
    path.write_text(path.read_text().replace("plugin::shop.rate", "plugin::shop.rat"))
    [remark] = registry_of(tmp_path).remarks
    assert "did you mean 'plugin::shop.rate'?" in remark.message


def test_attributes_of_projects_with_plugins_can_be_renamed(tmp_path: Path) -> None:
    write_shop(tmp_path, COMMON)
    settings = load_settings(tmp_path, {}, require_secrets=False)
    assert plan_rename(settings, "api::cup.cup", "title", "name").files


def test_definitions_of_projects_with_plugins_can_be_generated(tmp_path: Path) -> None:
    write_shop(tmp_path, COMMON)
    words = ("sale", "rate:manyToOne:plugin::shop.rate", "--project", str(tmp_path))
    result = CliRunner().invoke(main, ["generate", "content-type", *words])
    assert result.exit_code == 0
    assert "plugin::shop.rate" not in result.output
