"""Who has the documentation of the API: new projects, and v4's where the plugin is installed."""

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


def test_a_project_of_its_own_has_it(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {}, require_secrets=False).plugins.documentation.enabled


def test_a_v4_project_without_the_plugin_has_not(tmp_path: Path) -> None:
    assert not read(tmp_path, {}).plugins.documentation.enabled


def test_what_the_plugin_was_told_is_taken_over(tmp_path: Path) -> None:
    files = {"config/database.json": SQLITE, "config/plugins.json": CONFIG}
    write(tmp_path, files, {**PACKAGES, **PLUGIN})
    plugin = load_settings(tmp_path, {}, require_secrets=False).plugins.documentation
    config = plugin.config
    assert plugin.enabled
    assert (config.title, config.version, config.path, config.always) == ("Talks", "2.0.0", "/docs", False)
