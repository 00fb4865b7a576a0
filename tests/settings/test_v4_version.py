"""Detecting a project's v4 version, and the compatibility rules that follow from it."""

from json import dumps
from pathlib import Path

import pytest

from octavo.settings import SettingsError, load_settings
from octavo.settings.compat import RULES
from octavo.settings.v4_versions import find_version, parse_version
from tests.settings.test_loader import write_project

PACKAGE = "@strapi/strapi"
YARN = """\
# yarn lockfile v1

"@strapi/strapi-plugin-other@4.9.0":
  version "4.9.0"

"@strapi/strapi@4.13.1", "@strapi/strapi@^4.13.1":
  version "4.13.7"
"""
YARN_BERRY = '__metadata:\n  version: 6\n\n"@strapi/strapi@npm:^4.10.0":\n  version: 4.10.8\n'
PNPM = "packages:\n\n  '@strapi/strapi@4.20.5(react@18.2.0)':\n    resolution: {integrity: x}\n"
NPM = dumps({"lockfileVersion": 3, "packages": {f"node_modules/{PACKAGE}": {"version": "4.25.9"}}})
NPM_FIRST = dumps({"lockfileVersion": 1, "dependencies": {PACKAGE: {"version": "4.1.5"}}})


def package(wanted: object) -> str:
    return dumps({"dependencies": {PACKAGE: wanted}})


@pytest.mark.parametrize(
    "files, expected",
    [
        ({}, None),
        ({"yarn.lock": YARN, "package.json": package("^4.1.0")}, ("4.13.7", "yarn.lock")),
        ({"yarn.lock": YARN, "package.json": package("4.14.0")}, ("4.14.0", "package.json (4.14.0)")),
        ({"yarn.lock": YARN, "package.json": package("<4.15")}, ("4.13.7", "yarn.lock")),
        ({"yarn.lock": YARN_BERRY}, ("4.10.8", "yarn.lock")),
        ({"pnpm-lock.yaml": PNPM}, ("4.20.5", "pnpm-lock.yaml")),
        ({"package-lock.json": NPM}, ("4.25.9", "package-lock.json")),
        ({"package-lock.json": NPM_FIRST}, ("4.1.5", "package-lock.json")),
        ({"package-lock.json": "{}", "package.json": package("^4.13.1")}, ("4.13.1", "package.json (^4.13.1)")),
        ({"package.json": package("~4.5")}, ("4.5.0", "package.json (~4.5)")),
        ({"package.json": package(">=4.2.3 <5")}, ("4.2.3", "package.json (>=4.2.3 <5)")),
        ({"package.json": package("latest")}, None),
        ({"package.json": package("5.0.1")}, None),
        ({"package.json": package(["4.1.0"])}, None),
        ({"package.json": "[4]"}, None),
        ({"package.json": "{"}, None),
        (
            {"package-lock.json": "<<<<<<< HEAD", "package.json": package("4.6.0")},
            ("4.6.0", "package.json (4.6.0, package-lock.json cannot be read)"),
        ),
        ({"yarn.lock": '"@strapi/strapi@5.0.0":\n  version "5.0.0"\n', "package.json": package("5.0.0")}, None),
    ],
)
def test_lock_files_and_ranges(tmp_path: Path, files: dict[str, str], expected: tuple[str, str] | None) -> None:
    assert find_version(write_project(tmp_path, files)) == expected


ROOT = {"package.json": dumps({"workspaces": ["apps/*"]})}
SHARED = {"packages": {f"node_modules/{PACKAGE}": {"version": "4.25.9"}}}
OWN = {"packages": {f"apps/cms/node_modules/{PACKAGE}": {"version": "4.14.2"}, **SHARED["packages"]}}


@pytest.mark.parametrize(
    "files, expected",
    [
        ({**ROOT, "package-lock.json": dumps(SHARED)}, ("4.25.9", "../../package-lock.json")),
        ({**ROOT, "package-lock.json": dumps(OWN)}, ("4.14.2", "../../package-lock.json")),
        ({".git": "gitdir: x", "yarn.lock": YARN}, ("4.13.7", "../../yarn.lock")),
        ({".git/HEAD": "x", "pnpm-lock.yaml": PNPM}, ("4.20.5", "../../pnpm-lock.yaml")),
        ({".git/HEAD": "x", "yarn.lock": YARN, "apps/cms/yarn.lock": YARN_BERRY}, ("4.10.8", "yarn.lock")),
        ({".git/HEAD": "x", "yarn.lock": YARN + YARN_BERRY}, ("4.1.0", "package.json (^4.1.0)")),
        ({".git/HEAD": "x", "apps/cms/.git/HEAD": "x", "yarn.lock": YARN}, ("4.1.0", "package.json (^4.1.0)")),
        ({"yarn.lock": YARN}, ("4.1.0", "package.json (^4.1.0)")),
        (
            {**ROOT, "package-lock.json": "<<<<<<< HEAD"},
            ("4.1.0", "package.json (^4.1.0, ../../package-lock.json cannot be read)"),
        ),
    ],
)
def test_lock_files_at_the_root_of_a_repository(
    tmp_path: Path, files: dict[str, str], expected: tuple[str, str]
) -> None:
    write_project(tmp_path, {"apps/cms/package.json": package("^4.1.0"), **files})
    assert find_version(tmp_path / "apps/cms") == expected


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"[" * 100_000, b'"@strapi/strapi@' * 50_000], ids=["bytes", "deep", "long"]
)
@pytest.mark.parametrize("name", ["package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"])
def test_hostile_files_name_no_version(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert find_version(tmp_path) is None


def test_the_version_selects_the_rules_and_is_reported(tmp_path: Path) -> None:
    settings = load_settings(write_project(tmp_path, {"yarn.lock": YARN}), {})
    place = ("api", "compat")
    assert (settings.api.compat.v4_version, settings.sources[*place, "v4_version"]) == ("4.13.7", "yarn.lock")
    assert (settings.api.compat.query_strings, settings.sources[*place, "query_strings"]) == ("merged", "v4 4.13.7")
    assert settings.sources[*place, "cors"] == "profile v4"


@pytest.mark.parametrize(
    "toml, expected",
    [
        ("", "merged"),
        ("v4Version = '4.26.2'", "listed"),
        ("queryStrings = 'listed'", "listed"),
        ("profile = 'safe'", "listed"),
    ],
)
def test_settings_take_precedence(tmp_path: Path, toml: str, expected: str) -> None:
    project = write_project(tmp_path, {"yarn.lock": YARN, "config/api.toml": f"[compat]\n{toml}"})
    assert load_settings(project, {}).api.compat.query_strings == expected


@pytest.mark.parametrize("version", ["5.0.0", "4.x", "", "4.1.1.1", "v4.1.0"])
def test_other_versions_are_refused(tmp_path: Path, version: str) -> None:
    project = write_project(tmp_path, {"config/api.toml": f"[compat]\nv4Version = '{version}'"})
    with pytest.raises(SettingsError, match=r"compat.v4Version: expected a version of v4 such as \"4.13.1\""):
        load_settings(project, {})


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.before])
def test_rules_change_at_their_versions(name: str) -> None:
    rule = RULES[name]
    values = [rule.under("v4", parse_version("4.0.0")), *(rule.under("v4", end) for end in rule.before)]
    assert values == [*rule.before.values(), rule.v4]
    assert {rule.under("safe", end) for end in rule.before} == {rule.safe}
