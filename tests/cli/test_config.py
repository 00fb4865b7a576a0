"""`octavo config check`: every setting with its source, or every problem."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, answered, refused, said

pytestmark = pytest.mark.parametrize("call", ["sqlite"], indirect=True)


def test_shows_values_and_sources(call: Call, project: Path) -> None:
    found = answered(call("config", "check", "--json"))
    assert (found["mode"], found["adopted"], found["profile"]) == ("production", True, "v4")
    assert found["missingSecrets"] == []
    rows = {(row["file"], row["key"]): (row["value"], row["source"]) for row in found["settings"]}
    assert rows["config/api.toml", "rest.maxLimit"] == (100, "default")
    assert rows[".env", "apiTokenSalt"] == ("***", ".env: API_TOKEN_SALT")
    lines = said(call("config", "check"))
    assert ["config/api.toml", "rest.maxLimit", "100", "default"] in [line.split() for line in lines]
    assert ["unknown_operators", "ignore", "ignore", "refuse"] in [line.split() for line in lines]
    assert "Mode production, an adopted v4 project, profile v4:" in lines


def test_lists_all_problems(call: Call, project: Path) -> None:
    (project / "config").mkdir()
    (project / "config/api.toml").write_text("[rest]\nmaxLimt = 5\ndefaultLimit = 0\n", "utf-8")
    assert refused(call("config", "check")).splitlines() == [
        "2 problems in the settings:",
        "  config/api.toml: rest.maxLimt: unknown key; did you mean maxLimit?",
        "  config/api.toml: rest.defaultLimit: expected a whole number, at least 1, not 0",
    ]
