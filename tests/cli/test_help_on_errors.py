"""Help after errors: suggestions, role names, and no start warnings of the project."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from octavo.cli import main
from tests.cli.conftest import Call, answered, said
from tests.cli.processes import free_port, run, serving
from tests.cli.projects import STORY, write_type

PLAIN = "give it without an option."
REMARK = "attributes.title.color: unknown key"


def error_of(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2, result.output
    return result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("tokens create x --type custom --action api::*.find", "No such option --action. Did you mean --allow?"),
        ("permissions grant public --actions x", "No such option --actions. ACTIONS is an argument: " + PLAIN),
        ("permissions grant --role public x", "No such option --role. ROLE is an argument: give it without an option."),
        ("locales add --code de", "No such option --code. CODE is an argument: give it without an option."),
        ("db copy --frce a b", "No such option --frce. Did you mean --force?"),
        ("start --directory x", "No such option --directory. Did you mean --project?"),
        ("content-types list --xyzzy", "No such option --xyzzy."),
        ("permissons list", "No such command 'permissons'. Did you mean 'permissions'?"),
        ("jobs retrry", "No such command 'retrry'. Did you mean 'retry'?"),
        ("xyzzy", "No such command 'xyzzy'."),
        ("permissions list public --role authenticated", "Expected one role: ROLE is public, --role is authenticated"),
    ],
)  # fmt: skip
def test_existing_names_are_suggested(arguments: str, message: str) -> None:
    assert error_of(*arguments.split()) == f"Error: {message}"


def test_every_alias_suggests_an_existing_option() -> None:
    """Otherwise a suggestion would name an option that no command has."""
    from octavo.cli.base import _ALIASES
    from tests.cli.test_groups import COMMANDS

    known = {name for command in COMMANDS.values() for one in command.params for name in one.opts}
    known |= {
        one.human_readable_name
        for command in COMMANDS.values()
        for one in command.params
        if isinstance(one, click.Argument)
    }
    assert {name for names in _ALIASES.values() for name in names} <= known


def test_lists_the_permissions_of_one_role(call: Call) -> None:
    one = answered(call("permissions", "list", "authenticated", "--json"))
    assert [role["type"] for role in one] == ["authenticated"]
    assert one == answered(call("permissions", "list", "--role", "authenticated", "--json"))
    assert said(call("permissions", "list", "Authenticated"))[1].startswith("authenticated  ")


def test_start_warnings_are_only_in_the_log_of_a_service(project: Path) -> None:
    odd = {"title": {"type": "string", "color": "red"}}
    write_type(project, {**STORY, "attributes": odd})
    for arguments in ("routes list", "openapi", "permissions list", "content-types list"):
        code, output = run(*arguments.split(), "--project", str(project))
        assert (code, REMARK in output) == (0, False), arguments
    code, output = run("config", "check", "--project", str(project), "--json")
    assert [one["path"] for one in json.loads(output)["definitions"]] == ["attributes.title.color"]
    with serving("start", project) as server:
        assert REMARK in "\n".join(server.hear_of("Octavo serves"))
    write_type(project, "{")
    code, output = run("develop", "--project", str(project), "--port", str(free_port()))
    assert (code, "is not valid JSON" in output) == (1, True)


def test_usage_names_the_command_that_people_type() -> None:
    code, output = run("start", "--nope")
    assert (code, output.splitlines()[0]) == (2, "Usage: octavo start [OPTIONS]")
