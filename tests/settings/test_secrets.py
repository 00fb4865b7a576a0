"""Secrets in the settings: several keys at once, values in files, and sufficient strength."""

import secrets
from datetime import UTC, datetime
from math import inf
from pathlib import Path

import pytest

from octavo.cli.secret_checks import weakness
from octavo.settings import SettingsError, load_settings
from octavo.settings.accepted_keys import AcceptedKey
from octavo.settings.model import TABLES
from octavo.settings.variable_files import SUFFIX

END = datetime(2026, 12, 31, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "text, keys",
    [
        ("former", (AcceptedKey("former"),)),
        ("a==;until=2026-12-31, b;next", (AcceptedKey("a==", END), AcceptedKey("b", is_next=True))),
        ("former;until=2026-12-31T01:00+01:00", (AcceptedKey("former", END),)),
        ('["with, comma;until=2026-12-31"]', (AcceptedKey("with, comma", END),)),
        ("", ()),
    ],
)
def test_accepted_keys(tmp_path: Path, text: str, keys: tuple[AcceptedKey, ...]) -> None:
    settings = load_settings(tmp_path, {"ACCEPTED_JWT_SECRETS": text})
    assert settings.secrets.accepted_jwt_secrets == keys
    assert "former" not in repr(settings.secrets)


@pytest.mark.parametrize("text", ["old;until=soon", "old;later", ";next", "old;until=2026-12-31;next"])
def test_invalid_keys_are_not_shown_in_errors(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(tmp_path, {"ACCEPTED_API_TOKEN_SALTS": text})
    expected = 'expected a list of keys, each optionally with ";until=2026-12-31" or ";next"'
    assert str(refused.value.problems[0]) == f"ACCEPTED_API_TOKEN_SALTS: secrets.acceptedApiTokenSalts: {expected}"


def test_keys_have_the_same_text_when_written_and_read(tmp_path: Path) -> None:
    keys = (AcceptedKey("a"), AcceptedKey("b", END), AcceptedKey("c", is_next=True))
    text = ",".join(map(str, keys))
    assert text == "a,b;until=2026-12-31T00:00:00Z,c;next"
    assert load_settings(tmp_path, {"ACCEPTED_JWT_SECRETS": text}).secrets.accepted_jwt_secrets == keys
    assert keys[0].until == inf


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("from a long file\n", "utf-8")
    return path


def test_values_in_files(tmp_path: Path, file: Path) -> None:
    environment = {
        "JWT_SECRET_FILE": str(file),
        "OCTAVO_SERVER__METRICS__TOKEN_FILE": "secret",
        "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__PROVIDERS__GITHUB__SECRET_FILE": str(file),
        "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__PROVIDERS__GITHUB__KEY": "key",
        "OCTAVO_SERVER__CUSTOM__KEY_FILE": "a name of the project's own",
        "DATABASE_PASSWORD_FILE": "",
    }
    (tmp_path / ".env").write_text("API_TOKEN_SALT_FILE=secret\nJWT_SECRET=before\n", "utf-8")
    settings = load_settings(tmp_path, environment)
    given = settings.plugins.users_permissions.config
    assert settings.secrets.jwt_secret == settings.secrets.api_token_salt == "from a long file"
    assert settings.server.metrics.token == given.providers["github"]["secret"] == "from a long file"
    assert settings.server.custom == {"keyFile": "a name of the project's own"}
    sources = settings.sources
    assert sources["secrets", "api_token_salt"] == ".env: API_TOKEN_SALT_FILE"
    assert sources["server", "metrics", "token"] == "OCTAVO_SERVER__METRICS__TOKEN_FILE"


def test_files_reach_a_v4_projects_configuration(tmp_path: Path, file: Path) -> None:
    (tmp_path / "package.json").write_text('{"dependencies": {"@strapi/strapi": "4.26.2"}}', "utf-8")
    (tmp_path / "config").mkdir()
    code = "module.exports = ({env}) => ({'users-permissions': {config: {jwtSecret: env('JWT_SECRET')}}})"
    (tmp_path / "config/plugins.js").write_text(code, "utf-8")
    environment = {"JWT_SECRET_FILE": str(file), "DATABASE_URL": "sqlite:///data.db"}
    assert load_settings(tmp_path, environment).secrets.jwt_secret == "from a long file"


@pytest.mark.parametrize(
    "environment, said",
    [
        ({"JWT_SECRET_FILE": "/no/such/file"}, "the file /no/such/file cannot be read: No such file or directory"),
        ({"JWT_SECRET_FILE": "{folder}"}, "the file {folder} cannot be read: {name} is not a regular file"),
        ({"JWT_SECRET_FILE": "{folder}/empty"}, "the file {folder}/empty is empty"),
        ({"JWT_SECRET_FILE": "{folder}/bytes"}, "the file {folder}/bytes is not UTF-8 text"),
        ({"JWT_SECRET_FILE": "{folder}/empty", "JWT_SECRET": "x"}, "JWT_SECRET is set as well; use only one"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, environment: dict[str, str], said: str) -> None:
    (tmp_path / "empty").write_text("\n", "utf-8")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    reported = {"folder": str(tmp_path), "name": tmp_path.name}
    with pytest.raises(SettingsError) as refused:
        load_settings(tmp_path, {name: value.format(**reported) for name, value in environment.items()})
    assert [str(one) for one in refused.value.problems] == [f"JWT_SECRET_FILE: {said.format(**reported)}"]


def test_a_value_in_a_file_is_named_by_its_variable(tmp_path: Path, file: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(tmp_path, {"PORT_FILE": str(file)})
    assert str(refused.value.problems[0]).startswith("PORT_FILE: server.port: expected a whole number")


def test_no_setting_is_named_like_a_file() -> None:
    rows = [row for table in TABLES.values() for row in table.rows()]
    names = [name for row in rows for name in (row.variable, row.row.variable or "")]
    assert not [name for name in names if name.endswith(SUFFIX)]


@pytest.mark.parametrize(
    "text",
    ["tobemodified", "toBeModified1", "changeme", "change-me-please", "secret", "your-secret-here", "<secret>", "xxxx"],
)
def test_placeholders_from_templates(text: str) -> None:
    assert weakness(text) == "is a placeholder from a template"


@pytest.mark.parametrize("text", ["short", "a" * 40, "1234567890", "abc" * 8])
def test_weak(text: str) -> None:
    assert (weakness(text) or "").startswith("is too weak")


def test_random_bytes_are_strong_in_any_form() -> None:
    for form in (secrets.token_hex, secrets.token_urlsafe):
        assert not [text for text in (form(16) for _ in range(200)) if weakness(text)]
