"""Commands that report on a v4 project's own configuration."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from octavo.cli import main
from octavo.cli.v4_report import summary_of
from octavo.operations.runtime.definitions import project_registry
from octavo.settings import load_settings
from octavo.v4.code import Code
from octavo.v4.project_code import ProjectCode
from tests.cli.conftest import answered
from tests.v4.config.project import SQLITE, write

ENVIRONMENT = {"JWT_SECRET": "j"}
FILES = {
    "config/database.json": SQLITE,
    "config/api.js": "module.exports = { rest: { maxLimit: require('x').most } };",
    "config/admin.js": "module.exports = { apiToken: { salt: 'hush' }, auth: { secret: 'hush' } };",
    "config/server.js": "module.exports = { port: 'many', host: ['a'], emitErrors: true };",
}


@pytest.fixture
def v4_project(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    return write(tmp_path, FILES)


def test_a_start_logs_at_most_five_findings_the_most_severe_first(v4_project: Path) -> None:
    settings = load_settings(v4_project, ENVIRONMENT)
    lines = summary_of(settings, project_registry(settings), ProjectCode(Code()))
    assert len(lines) == 4
    assert lines[0] == (
        "Strapi 4.25.1, according to package.json (4.25.1): 4 settings in use, 3 not understood; "
        "0 pieces of code to port, 0 plugins not available"
    )
    assert lines[1].startswith("  config/api.js:1: rest.maxLimit: cannot be evaluated")
    assert lines[-1] == "  For the complete report, run octavo adopt"
    assert "hush" not in "".join(lines)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, env=ENVIRONMENT)


def test_check_lists_every_key_and_can_be_strict(v4_project: Path, caplog: pytest.LogCaptureFixture) -> None:
    check = ("config", "check", "--project", str(v4_project))
    reported = answered(call(*check, "--json"))
    assert {one["key"]: one["outcome"] for one in reported["findings"]} == {
        "port": "open",
        "host": "open",
        "emitErrors": "idle",
        "apiToken.salt": "taken",
        "auth.secret": "taken",
        "rest.maxLimit": "closed",
        "connection.client": "taken",
        "connection.connection.filename": "taken",
    }
    listed = call(*check)
    assert (listed.exit_code, "hush" in listed.output) == (0, False)
    assert call(*check, "--strict").exit_code == 1
    started = call("start", "--project", str(v4_project), "--strict")
    assert (started.exit_code, "3 unresolved findings of the project" in caplog.text) == (1, True)
