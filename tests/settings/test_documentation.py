"""Projects with API documentation by default: new ones, and v4 projects that have the plugin."""

from pathlib import Path

from octavo.settings import load_settings
from tests.v4.config.project import PACKAGES, SQLITE, read, write

PLUGIN = {"@strapi/plugin-documentation": "4.25.1"}
CONFIG = {
    "documentation": {
        "enabled": True,
        "config": {
            "info": {"title": "Talks", "version": "2.0.0"},
            "x-strapi-config": {"path": "/docs"},
            "servers": [],
        },
    }
}


def test_octavo_projects_have_documentation(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {}, require_secrets=False).plugins.documentation.enabled


def test_v4_projects_without_the_plugin_have_none(tmp_path: Path) -> None:
    assert not read(tmp_path, {}).plugins.documentation.enabled


def test_settings_of_the_plugin_are_used(tmp_path: Path) -> None:
    files = {"config/database.json": SQLITE, "config/plugins.json": CONFIG}
    write(tmp_path, files, {**PACKAGES, **PLUGIN})
    plugin = load_settings(tmp_path, {}, require_secrets=False).plugins.documentation
    config = plugin.config
    assert plugin.enabled
    assert (config.title, config.version, config.path, config.always) == ("Talks", "2.0.0", "/docs", False)
