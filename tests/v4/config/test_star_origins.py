"""Allowed origins if `strapi::cors` has a star, alone or in a list: the behavior of the project's version."""

from pathlib import Path
from typing import Any

import pytest

from octavo.api.http.options import CorsMode
from octavo.operations.runtime.options import http_options
from octavo.settings import Settings
from octavo.settings.findings import Finding
from tests.v4.config.project import read

A = "https://a.example"
LISTS = [["*"], ["*", A], [A, "*"], f"*, {A}"]
REFLECTED, STAR, LISTED = "reflected", "star", "listed"


def project(folder: Path, version: str, config: dict[str, Any], **rules: str) -> Settings:
    toml = "".join(f"{name} = '{value}'\n" for name, value in {"v4Version": version, **rules}.items())
    middlewares = ["strapi::errors", {"name": "strapi::cors", "config": config}]
    return read(folder, {"config/middlewares.json": middlewares, "config/api.toml": f"[compat]\n{toml}"})


def cors_of(settings: Settings) -> tuple[str, set[str]]:
    """Return the response for any origin, and the listed origins."""
    options = http_options(settings).cors
    if options.mode is CorsMode.REFLECT:
        return REFLECTED, set()
    return (STAR, set()) if "*" in options.origins else (LISTED, set(options.origins))


def finding_of(settings: Settings) -> Finding:
    (finding,) = [one for one in settings.findings if one.setting == "middlewares.cors.origins"]
    return finding


@pytest.mark.parametrize(
    "version, anybody", [("4.1.12", STAR), ("4.3.3", STAR), ("4.3.4", REFLECTED), ("4.23.1", REFLECTED)]
)
@pytest.mark.parametrize("origin", ["*", *LISTS], ids=str)
def test_a_star_in_a_list_allows_all_origins_before_4_24(
    tmp_path: Path, version: str, anybody: str, origin: Any
) -> None:
    assert cors_of(project(tmp_path, version, {"origin": origin})) == (anybody, set())
    assert cors_of(project(tmp_path, version, {"origin": origin, "credentials": False})) == (STAR, set())


@pytest.mark.parametrize("version", ["4.24.0", "4.26.2"])
@pytest.mark.parametrize("origin", LISTS, ids=str)
def test_a_star_in_a_list_allows_no_origin_since_4_24(tmp_path: Path, version: str, origin: Any) -> None:
    assert cors_of(project(tmp_path, version, {"origin": origin})) == (LISTED, {A} if A in origin else set())


@pytest.mark.parametrize("config", [{}, {"origin": "*"}])
@pytest.mark.parametrize("version, anybody", [("4.1.12", STAR), ("4.26.2", REFLECTED)])
def test_a_star_as_text_allows_all_origins_in_all_versions(
    tmp_path: Path, version: str, anybody: str, config: dict[str, Any]
) -> None:
    assert cors_of(project(tmp_path, version, config)) == (anybody, set())
    assert cors_of(project(tmp_path, version, {**config, "credentials": False})) == (STAR, set())


@pytest.mark.parametrize("version", ["4.1.12", "4.13.7", "4.26.2"])
def test_a_list_without_a_star_stays_a_list(tmp_path: Path, version: str) -> None:
    settings = project(tmp_path, version, {"origin": [A]})
    assert (cors_of(settings), http_options(settings).cors.credentials) == ((LISTED, {A}), True)


@pytest.mark.parametrize(
    "rules, expected",
    [
        ({"starOrigins": "none"}, (LISTED, {A})),
        ({"cors": "exact"}, (LISTED, {A})),
        ({"profile": "safe"}, (LISTED, {A})),
        ({"profile": "safe", "starOrigins": "everyone"}, (LISTED, {A})),
        ({"cors": "open"}, (STAR, set())),
    ],
)
def test_settings_take_precedence(tmp_path: Path, rules: dict[str, str], expected: tuple[str, set[str]]) -> None:
    assert cors_of(project(tmp_path, "4.13.7", {"origin": ["*", A]}, **rules)) == expected


def test_a_star_in_a_list_is_reported(tmp_path: Path) -> None:
    assert "allows all origins" in finding_of(project(tmp_path, "4.13.7", {"origin": ["*"]})).message
    assert "allows no origin" in finding_of(project(tmp_path, "4.26.2", {"origin": ["*"]})).message
    assert finding_of(project(tmp_path, "4.13.7", {"origin": [A]})).message == ""
