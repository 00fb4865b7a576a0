"""Types of custom fields that the code of a v4 project or its plugins registers."""

from pathlib import Path
from typing import Any

import pytest

from octavo.operations.runtime.definitions import project_registry
from octavo.schema.attributes import Scalar
from octavo.settings import load_settings
from octavo.v4.code.custom_fields import registered_fields
from octavo.v4.code.plugins import PluginFolder
from tests.models.v4_project import write_files, write_project

PLUGINS = "module.exports = { map: { enabled: true, resolve: './src/plugins/map' } }"
SERVER = "module.exports = { register: require('./register') }"
POINT = (
    "({ strapi }) => { strapi.customFields.register({ name: 'point', plugin: 'map', type: 'json', inputSize: f() }) }"
)
FORMS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "an object": ({"a.js": f"module.exports = {POINT}"}, {"plugin::map.point": "json"}),
    "a list": (
        {
            "a.js": "strapi.customFields.register([{ name: 'a', plugin: 'p', type: 'text' }, "
            "{ name: 'b', plugin: 'p', type: 'integer' }])"
        },
        {"plugin::p.a": "text", "plugin::p.b": "integer"},
    ),
    "the project's own": (
        {"a.js": "strapi.customFields.register({ name: 'stars', type: 'integer' })"},
        {"global::stars": "integer"},
    ),
    "constants": (
        {
            "a.ts": "import { id } from './id'; const field = { name: id, plugin: id, type: 'boolean' };"
            "export default ({ strapi }: { strapi: Strapi }) => { strapi.customFields.register(field) }",
            "id.ts": "export const id = 'flags'",
        },
        {"plugin::flags.flags": "boolean"},
    ),
    "computed": (
        {
            "a.js": "strapi.customFields.register({ name: 'a', plugin: find(), type: 'json' });"
            "strapi.customFields.register({ name: 'b', type: find() });"
            "strapi.customFields.register({ name: 'c', type: 'enumeration' });"
            "strapi.customFields.register(...all)"
        },
        {},
    ),
    "of the panel": ({"a.js": "app.customFields.register({ name: 'a', pluginId: 'p', type: 'json' })"}, {}),
    "not readable": ({"a.js": "strapi.customFields.register({"}, {}),
}


@pytest.mark.parametrize("form", FORMS)
def test_registrations(tmp_path: Path, form: str) -> None:
    files, expected = FORMS[form]
    write_files(tmp_path, {f"src/{name}": text for name, text in files.items()})
    assert registered_fields(tmp_path, ()) == expected


def test_installed_plugins(tmp_path: Path) -> None:
    folder = tmp_path / "node_modules/strapi-plugin-map"
    write_files(folder, {"strapi-server.js": SERVER, "register.js": f"module.exports = {POINT}"})
    assert registered_fields(tmp_path, [PluginFolder("map", folder, is_local=False)]) == {"plugin::map.point": "json"}


def test_attributes_have_the_registered_type(tmp_path: Path) -> None:
    files: dict[str, Any] = {
        "config/database.js": "module.exports = { connection: { client: 'sqlite', connection: { filename: 'a.db' } } }",
        "config/plugins.js": PLUGINS,
        "src/plugins/map/strapi-server.js": SERVER,
        "src/plugins/map/register.js": f"module.exports = {POINT}",
    }
    write_project(tmp_path, {"place": {"at": {"type": "customField", "customField": "plugin::map.point"}}}, files)
    registry = project_registry(load_settings(tmp_path, {}), connect=False)
    found = registry.content_types["api::place.place"].attributes["at"]
    assert isinstance(found, Scalar)
    assert found.type == "json"
    assert not registry.remarks
