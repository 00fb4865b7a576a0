"""`octavo maintenance` and `octavo log-level`, on each database."""

from pathlib import Path

from tests.cli.conftest import Call, refused, said
from tests.cli.processes import run, serving


def test_maintenance(call: Call) -> None:
    assert said(call("maintenance", "show")) == ["Maintenance mode is off."]
    said(call("maintenance", "on", "--message", "Back at 6 pm"))
    assert said(call("maintenance", "show")) == ["Maintenance mode is on: Back at 6 pm"]
    said(call("permissions", "grant", "public", "api::story.story.find"))
    assert said(call("maintenance", "off")) == ["Maintenance mode is off."]
    assert said(call("maintenance", "show")) == ["Maintenance mode is off."]
    assert refused(call("maintenance", "on", "--message", " ")) == "--message: expected 1 to 500 characters"


def test_log_level(call: Call) -> None:
    assert said(call("log-level", "debug")) == ["The log level is debug."]
    assert said(call("log-level", "reset")) == ["The log level is that of the settings."]
    assert call("log-level", "loud").exit_code == 2


def test_all_workers_follow_within_seconds(project: Path) -> None:
    with serving("start", project, "--workers", "2", OCTAVO_SERVER__LOG__LEVEL="warning") as server:
        for command, text in (
            (("maintenance", "on"), "Maintenance mode is on"),
            (("log-level", "debug"), "The log level is now debug"),
            (("maintenance", "off"), "Maintenance mode is off"),
        ):
            assert run(*command, "--project", str(project))[0] == 0
            for _ in range(2):
                server.hear_of(text)
        assert server.stop()[0] == 0
