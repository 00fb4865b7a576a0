"""Deployment files in `examples`: their variables are settings, and they provide each secret that a start needs."""

import re
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest

from octavo.operations.transfer.scaffold import make_project
from octavo.settings import load_settings
from tests.postgresql_server import PostgresqlServer

EXAMPLES = Path(__file__).parents[1] / "examples"
FILES = ("compose/compose.yaml", "kubernetes/octavo.yaml", "systemd/environment", "systemd/octavo.service")
_VARIABLE = re.compile(r"^ *([A-Z][A-Z_0-9]*[A-Z])(?:: |=)(\S+)", re.MULTILINE)
_OF_OTHERS = re.compile(r"(POSTGRES|MINIO)_|OCTAVO_PROJECT$")


def variables_of(file: str, secrets: Path) -> Mapping[str, str]:
    """Return the variables that a file sets for Octavo, with secrets in files of this machine."""
    text = (EXAMPLES / file).read_text("utf-8")
    in_lines = re.sub(r"^Environment=.*$", lambda line: "\n".join(line[0][12:].split()), text, flags=re.MULTILINE)
    found = {name: value.strip('"') for name, value in _VARIABLE.findall(in_lines) if not _OF_OTHERS.match(name)}
    secrets.mkdir()
    for name in found:
        if name.endswith("_FILE"):
            (secrets / name).write_text("a-secret-of-thirty-two-characters", "utf-8")
    return {name: str(secrets / name) if name.endswith("_FILE") else value for name, value in found.items()}


@pytest.mark.parametrize("file", FILES)
def test_the_variables_are_settings(tmp_path: Path, file: str) -> None:
    make_project(tmp_path / "site", blank=True)
    variables = variables_of(file, tmp_path / "secrets")
    assert len(variables) >= 4
    settings = load_settings(tmp_path / "site", variables, default_mode="production")
    said = {source.removesuffix("_FILE") for source in settings.sources.values()}
    assert {name.removesuffix("_FILE") for name in variables} <= said | {
        "APP_KEYS",
        "JWT_SECRET",
        "ADMIN_JWT_SECRET",
        "API_TOKEN_SALT",
        "TRANSFER_TOKEN_SALT",
    }


@pytest.mark.parametrize("file", ["kubernetes/octavo.yaml", "systemd/octavo.service"])
def test_every_secret_of_a_new_project_has_its_file(tmp_path: Path, file: str) -> None:
    make_project(tmp_path / "site", blank=True)
    made = re.findall(r"^([A-Z_]+)=", (tmp_path / "site/.env").read_text("utf-8"), re.MULTILINE)
    variables = variables_of(file, tmp_path / "secrets")
    assert {f"{name}_FILE" for name in made} <= variables.keys()
    if file.endswith(".service"):
        loaded = re.findall(
            r"^LoadCredential=(\w+):/etc/octavo/secrets/\1$", (EXAMPLES / file).read_text("utf-8"), re.M
        )
        assert sorted(loaded) == sorted(made)


def test_the_service_writes_where_the_unit_lets_it(tmp_path: Path) -> None:
    unit = (EXAMPLES / "systemd/octavo.service").read_text("utf-8")
    assert "ProtectSystem=strict\n" in unit
    state = Path("/var/lib", re.findall(r"^StateDirectory=(\w+)$", unit, re.MULTILINE)[0])
    make_project(tmp_path / "site", blank=True)
    settings = load_settings(tmp_path / "site", variables_of("systemd/environment", tmp_path / "secrets"))
    written = (settings.database.filename, settings.server.public_folder, settings.database.backups.folder)
    assert [path for path in written if not Path(path).is_relative_to(state)] == []


def test_the_role_of_the_page_owns_its_database_and_makes_others(postgresql_server: PostgresqlServer) -> None:
    page = (EXAMPLES.parent / "docs/deploying.md").read_text("utf-8")
    [statements] = re.findall(r"^```sql\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    name = f"deployed_{uuid.uuid4().hex}"
    postgresql_server.run_sql(
        "postgres",
        statements.replace("ROLE octavo", f"ROLE {name}").replace("site OWNER octavo", f"{name} OWNER {name}"),
    )
    made = f"SET ROLE {name}; CREATE TABLE a (); CREATE DATABASE {name}_scratch"
    try:
        postgresql_server.run_sql(name, made)
        asked = f"SELECT rolcanlogin, rolsuper FROM pg_roles WHERE rolname = '{name}'"
        assert postgresql_server.run_sql("postgres", asked) == "t|f\n"
    finally:
        gone = f"DROP DATABASE IF EXISTS {name}_scratch; DROP DATABASE {name}; DROP ROLE {name}"
        postgresql_server.run_sql("postgres", gone)


def test_stop_timeouts_exceed_the_time_to_drain() -> None:
    """The process manager waits longer than Octavo needs to drain and shut down."""
    manifest = (EXAMPLES / "kubernetes/octavo.yaml").read_text("utf-8")
    drain, shutdown = (
        int(re.findall(rf"OCTAVO_SERVER__{name}: (\d+)s", manifest)[0]) for name in ("DRAIN", "SHUTDOWN")
    )
    assert drain + shutdown < int(re.findall(r"terminationGracePeriodSeconds: (\d+)", manifest)[0])
    compose = (EXAMPLES / "compose/compose.yaml").read_text("utf-8")
    assert int(re.findall(r"DRAIN: (\d+)s", compose)[0]) + 30 < int(
        re.findall(r"stop_grace_period: (\d+)s", compose)[0]
    )


def test_the_unit_outlasts_an_outage_of_the_database(tmp_path: Path) -> None:
    """The start waits without limit, and systemd never stops restarting the service."""
    unit = (EXAMPLES / "systemd/octavo.service").read_text("utf-8")
    make_project(tmp_path / "site", blank=True)
    settings = load_settings(tmp_path / "site", variables_of("systemd/octavo.service", tmp_path / "secrets"))
    assert settings.database.start_wait is None
    assert re.findall(r"^StartLimitIntervalSec=(\d+)$", unit, re.M) == ["0"]
    assert "StartLimitBurst" not in unit


def test_an_outage_of_the_database_does_not_make_a_container_unhealthy() -> None:
    """Platforms replace unhealthy containers; readiness is for balancers."""
    text = (EXAMPLES.parent / "Dockerfile").read_text("utf-8")
    assert re.findall(r"^HEALTHCHECK .*CMD (.*)$", text, re.MULTILINE) == ['["octavo", "ready", "--alive"]']
