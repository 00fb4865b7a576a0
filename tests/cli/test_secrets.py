"""`octavo secrets`: errors are reported without any secret, and a new secret replaces an old one."""

import json
import subprocess
from pathlib import Path
from secrets import token_urlsafe

import pytest
from click.testing import CliRunner, Result

from octavo.cli import main
from octavo.settings import load_settings
from tests.cli.projects import make_project

NAMES = ("APP_KEYS", "API_TOKEN_SALT", "ADMIN_JWT_SECRET", "JWT_SECRET")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with strong secrets, in a repository that ignores `.env`."""
    text = "# mine\n" + "".join(f"{name}={token_urlsafe(24)}\n" for name in NAMES) + 'NOTE="two\nlines"\n'
    folder = make_project(tmp_path / "site", secrets=text)
    (folder / ".env").chmod(0o600)
    (folder / ".gitignore").write_text(".env\n", "utf-8")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def run(project: Path, *arguments: str, **variables: str) -> Result:
    return CliRunner().invoke(main, ["secrets", *arguments, "--project", str(project)], env=variables)


def problems(project: Path, **variables: str) -> list[tuple[str, str, str]]:
    """Return the findings of `check`, which must not contain secrets."""
    result = run(project, "check", "--json", **variables)
    found = json.loads(result.stdout)
    assert result.exit_code == (1 if any(one["level"] == "error" for one in found) else 0), result.output
    for line in (project / ".env").read_text("utf-8").splitlines():
        value = line.partition("=")[2]
        assert len(value) < 20 or value not in result.output
    return [(one["level"], one["place"], one["message"]) for one in found]


def git(project: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(project), *identity, *arguments], check=True, capture_output=True)


def test_strong_secrets_have_no_problem(project: Path) -> None:
    result = run(project, "check", "--strict")
    assert (result.exit_code, result.stdout) == (0, "No problems with the secrets.\n")


def test_weak_equal_missing(project: Path) -> None:
    same = token_urlsafe(24)
    (project / ".env").write_text(f"JWT_SECRET={same}\nADMIN_JWT_SECRET={same}\nAPI_TOKEN_SALT=tobemodified\n", "utf-8")
    (project / ".env").chmod(0o644)
    assert problems(project, ACCEPTED_JWT_SECRETS="x;until=2020-01-01,yyyyy") == [
        ("error", "APP_KEYS", "is not set; octavo secrets new --missing adds one to .env"),
        ("error", "API_TOKEN_SALT", "is a placeholder from a template"),
        ("error", "JWT_SECRET", "is equal to ADMIN_JWT_SECRET: if one leaks, both do"),
        (
            "error",
            ".env",
            "can be read by all users of this machine and contains ADMIN_JWT_SECRET, API_TOKEN_SALT, JWT_SECRET: "
            f"chmod o= {project}/.env",
        ),
        ("advice", "ACCEPTED_JWT_SECRETS", "contains an expired key; remove it"),
        ("advice", "ACCEPTED_JWT_SECRETS", "contains a key without an end: add ;until=..."),
    ]


def test_git(project: Path) -> None:
    (project / ".gitignore").unlink()
    assert problems(project) == [("advice", ".env", "is not in .gitignore")]
    salt = load_settings(project, {}).secrets.api_token_salt
    (project / "compose.yaml").write_text(f"environment: {{API_TOKEN_SALT: {salt}}}\n", "utf-8")
    git(project, "add", ".env", "compose.yaml")
    assert problems(project) == [
        ("error", ".env", "is in git and contains secrets: remove it and rotate them"),
        ("error", "API_TOKEN_SALT", "is in compose.yaml, which is in git: rotate it"),
    ]
    git(project, "commit", "-m", "oh")
    git(project, "rm", "-q", "--cached", ".env", "compose.yaml")
    git(project, "commit", "-m", "no")
    history = "is in the git history: rotate the secrets"
    assert problems(project) == [("error", ".env", history)]


def test_rotate(project: Path) -> None:
    before = load_settings(project, {}).secrets
    result = run(project, "rotate", "jwt", "--until", "2d")
    assert result.exit_code == 0, result.output
    assert result.stdout == "Written to .env: JWT_SECRET, ACCEPTED_JWT_SECRETS. Restart the service to use it.\n"
    after = load_settings(project, {}).secrets
    (accepted,) = after.accepted_jwt_secrets
    assert accepted.text == before.jwt_secret != after.jwt_secret
    assert before.admin_jwt_secret == after.admin_jwt_secret
    text = (project / ".env").read_text("utf-8")
    assert text.startswith("# mine\n")
    assert 'NOTE="two\nlines"\n' in text
    assert (project / ".env").stat().st_mode & 0o777 == 0o600
    assert problems(project) == []


def test_rotate_in_two_steps(project: Path) -> None:
    before = load_settings(project, {}).secrets
    assert run(project, "rotate", "api-token-salt", "--next").exit_code == 0
    announced = load_settings(project, {}).secrets
    assert announced.api_token_salt == before.api_token_salt
    (coming,) = announced.accepted_api_token_salts
    assert coming.is_next
    assert "already contains the next secret" in run(project, "rotate", "api-token-salt", "--next").output
    assert run(project, "rotate", "api-token-salt").exit_code == 0
    after = load_settings(project, {}).secrets
    assert after.api_token_salt == coming.text
    assert [str(one) for one in after.accepted_api_token_salts] == [before.api_token_salt]


def test_rotate_app_keys(project: Path) -> None:
    before = load_settings(project, {}).secrets.app_keys
    assert run(project, "rotate", "app-keys").exit_code == 0
    after = load_settings(project, {}).secrets.app_keys
    assert (len(after), after[1:]) == (2, before)


def test_secrets_from_the_environment_are_shown_on_request(project: Path) -> None:
    given = {"JWT_SECRET": "a, b"}
    result = run(project, "rotate", "jwt", **given)
    assert "JWT_SECRET comes from the environment, not from .env; use --show to print the new values" in result.output
    lines = run(project, "rotate", "jwt", "--show", **given).stdout
    script = f'set -a; {lines}\nset +a; printf \'%s\\n\' "$JWT_SECRET" "$ACCEPTED_JWT_SECRETS"'
    values = subprocess.run(["sh", "-euc", script], capture_output=True, text=True, check=True).stdout.splitlines()
    shown = dict(zip(("JWT_SECRET", "ACCEPTED_JWT_SECRETS"), values, strict=True))
    (accepted,) = load_settings(project, shown).secrets.accepted_jwt_secrets
    assert accepted.text == "a, b"
    assert "--until requires a time: seconds" in run(project, "rotate", "jwt", "--until", "soon").output
    assert "TRANSFER_TOKEN_SALT is not set" in run(project, "rotate", "transfer-token-salt").output


def test_new(project: Path) -> None:
    printed = [run(project, "new").stdout for _ in range(2)]
    assert printed[0] != printed[1]
    assert all(len(one.strip()) >= 40 for one in printed)
    assert run(project, "new", "--missing").stdout == "No secrets are missing.\n"
    (project / ".env").write_text("API_TOKEN_SALT=kept\n", "utf-8")
    assert run(project, "new", "--missing").stdout == "Created in .env: APP_KEYS, ADMIN_JWT_SECRET, JWT_SECRET.\n"
    assert (project / ".env").read_text("utf-8").startswith("API_TOKEN_SALT=kept\n")
    assert "is not set" not in run(project, "check").stdout
