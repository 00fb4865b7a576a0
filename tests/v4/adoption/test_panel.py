"""`octavo admin panel check`: problems that prevent a built v4 panel from being served, and harmless differences."""

import json
from pathlib import Path

import pytest

from octavo.settings import load_settings
from octavo.v4.adoption.panel import check_panel

PAGE = '<script src="/admin/main.0a1b2c3d.js"></script><link href="/admin/main.css"><a href="https://example.org/">'


def built(project: Path, page: str = PAGE, backend: str = "", place: str = "build") -> Path:
    folder = project / place
    folder.mkdir(parents=True)
    (folder / "index.html").write_text(page)
    (folder / "main.0a1b2c3d.js").write_text(f'x();window.strapi={{backendURL:cO("{backend}"),isEE:!1}}')
    (folder / "main.css").write_text("")
    return folder


@pytest.mark.parametrize("place", ["build", "dist/build"])
def test_a_complete_panel_has_no_problems(tmp_path: Path, place: str) -> None:
    folder = built(tmp_path, place=place)
    found = check_panel(load_settings(tmp_path, {}), {})
    assert (found.folder, found.problems, found.is_sound) == (folder, (), True)


def test_a_missing_build_is_reported_with_the_searched_folder(tmp_path: Path) -> None:
    (problem,) = check_panel(load_settings(tmp_path, {}), {}).problems
    assert problem.startswith("no index.html in build/ or dist/build/")


def test_pages_that_are_off_are_not_served(tmp_path: Path) -> None:
    built(tmp_path)
    found = check_panel(load_settings(tmp_path, {"OCTAVO_ADMIN__PANEL": "off"}), {})
    assert (found.folder, found.is_sound) == (None, False)


@pytest.mark.parametrize(
    "page, backend, message",
    [
        (PAGE.replace("/admin/main.css", "/admin/other.css"), "", "which is not in build/"),
        (PAGE.replace("/admin/", "/dashboard/"), "", "which is outside /admin"),
        (PAGE, "https://api.example.org", "it calls the API at https://api.example.org"),
    ],
)
def test_missing_and_wrong_files_are_reported(tmp_path: Path, page: str, backend: str, message: str) -> None:
    built(tmp_path, page, backend)
    problems = check_panel(load_settings(tmp_path, {}), {}).problems
    assert problems
    assert message in problems[0]


def test_a_panel_built_for_the_public_address_is_sound(tmp_path: Path) -> None:
    built(tmp_path, backend="https://api.example.org")
    settings = load_settings(tmp_path, {"PUBLIC_URL": "https://api.example.org/"})
    assert check_panel(settings, {}).is_sound


def test_missing_plugins_are_only_noted(tmp_path: Path) -> None:
    built(tmp_path)
    packages = {"strapi-plugin-transformer": "1.0.0", "@strapi/strapi": "4.26.2"}
    found = check_panel(load_settings(tmp_path, {"OCTAVO_ADMIN__PANEL": "project"}), packages)
    assert found.is_sound
    assert found.notes == ("the pages of strapi-plugin-transformer do not work, because the plugin has no counterpart",)


def test_a_panel_that_is_not_served_is_noted(tmp_path: Path) -> None:
    built(tmp_path)
    found = check_panel(load_settings(tmp_path, {}), {})
    assert found.is_sound
    assert 'to serve this panel, set admin.panel = "project"' in found.notes[0]


@pytest.mark.parametrize(
    "config, panel, path",
    [
        ("{}", "octavo", "/admin"),
        ("{ serveAdminPanel: false }", "off", "/admin"),
        ("{ url: '/dashboard' }", "octavo", "/dashboard"),
        ("{ url: 'https://panel.example.org' }", "off", "/admin"),
    ],
)
def test_v4_settings_of_the_panel_apply(tmp_path: Path, config: str, panel: str, path: str) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"dependencies": {"@strapi/strapi": "4.26.2"}}))
    (tmp_path / "config").mkdir()
    (tmp_path / "config/admin.js").write_text(f"module.exports = {config};")
    (tmp_path / "config/database.js").write_text(
        "module.exports = { connection: { client: 'sqlite', connection: { filename: '.tmp/data.db' } } };"
    )
    settings = load_settings(tmp_path, {})
    assert (settings.admin.panel, settings.admin.path) == (panel, path)
