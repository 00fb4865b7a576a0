"""All commands have a help text and examples, and are imported only when they are called."""

import json
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from octavo import __version__
from octavo.cli import main
from octavo.cli.groups import FORMER_COMMANDS, FORMER_OPTIONS


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands(main))


def test_every_command_is_there() -> None:
    assert [" ".join(path) for path in COMMANDS] == [
        "new",
        "develop",
        "start",
        "reload",
        "adopt",
        "compare",
        "shadow",
        "content-types list",
        "routes list",
        "generate api",
        "generate component",
        "generate content-type",
        "generate controller",
        "generate job",
        "generate lifecycle",
        "generate middleware",
        "generate migration",
        "generate plugin",
        "generate policy",
        "generate route",
        "generate service",
        "openapi",
        "types",
        "config check",
        "secrets check",
        "secrets new",
        "secrets rotate",
        "db backup",
        "db backups",
        "db convert",
        "db copy",
        "db diff",
        "db hidden",
        "db migrate",
        "db migrations",
        "db rename",
        "db rename-component",
        "db rename-table",
        "db restore",
        "db suggest-indexes",
        "db totals",
        "db upgrade",
        "export",
        "import",
        "tokens create",
        "tokens list",
        "tokens revoke",
        "users block",
        "users create",
        "users delete",
        "users list",
        "users set-password",
        "users set-role",
        "users unblock",
        "admin create-user",
        "admin list",
        "admin panel check",
        "admin reset-password",
        "roles create",
        "roles delete",
        "roles list",
        "permissions grant",
        "permissions list",
        "permissions revoke",
        "locales add",
        "locales list",
        "locales remove",
        "locales set-default",
        "audit",
        "webhooks create",
        "webhooks delete",
        "webhooks deliveries",
        "webhooks disable",
        "webhooks enable",
        "webhooks list",
        "webhooks redeliver",
        "webhooks show",
        "webhooks test",
        "webhooks update",
        "media placeholders",
        "media strip",
        "purge",
        "plugins list",
        "jobs list",
        "jobs retry",
        "jobs run",
        "maintenance off",
        "maintenance on",
        "maintenance show",
        "log-level",
        "status",
        "ready",
        "slow",
        "doctor",
        "docs",
        "version",
    ]


@pytest.mark.parametrize("path", list(COMMANDS), ids=" ".join)
def test_every_command_has_help_and_an_example(path: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, [*path, "--help"])
    assert result.exit_code == 0
    assert "Example: octavo" in result.stdout
    assert " ".join(path) in result.stdout


def test_unknown_commands_and_options() -> None:
    assert CliRunner().invoke(main, ["serve"]).exit_code == 2
    assert CliRunner().invoke(main, ["start", "--prot", "1"]).exit_code == 2


@pytest.mark.parametrize("former, new", FORMER_COMMANDS.items())
def test_a_former_command_names_the_new_one(former: str, new: str) -> None:
    result = CliRunner().invoke(main, [*former.split(), "--project", "x"])
    assert result.exit_code == 2
    assert f"It was renamed to `octavo {new}`." in result.stderr
    assert tuple(new.partition(" --")[0].split()) in COMMANDS


@pytest.mark.parametrize("former, new", FORMER_OPTIONS.items())
def test_a_former_option_names_the_new_one(former: str, new: str) -> None:
    result = CliRunner().invoke(main, former.split())
    assert result.exit_code == 2
    assert f"It was renamed to {new}." in result.stderr


def test_version() -> None:
    assert CliRunner().invoke(main, ["version"]).stdout.startswith(f"Octavo {__version__} (Python 3.")
    assert json.loads(CliRunner().invoke(main, ["version", "--json"]).stdout)["octavo"] == __version__


def test_the_version_is_an_option_too() -> None:
    assert CliRunner().invoke(main, ["--version"]).stdout == CliRunner().invoke(main, ["version"]).stdout


@pytest.mark.parametrize("path", sorted({path[:-1] for path in COMMANDS}), ids=" ".join)
def test_a_summary_is_one_complete_line(path: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(main, [*path, "--help"]).stdout.partition("Commands:\n")[2].splitlines()
    assert shown
    assert not [line for line in shown if line.startswith("   ") or line.endswith("...")]


def test_version_loads_next_to_nothing() -> None:
    code = "import sys; from octavo.cli import main; main(['version'], standalone_mode=False); print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(answer.stdout.split())
    assert not loaded & {
        "asyncio",
        "rich.console",
        "orjson",
        "granian",
        "octavo.operations.runtime.process",
        "octavo.operations.runtime.site",
        "octavo.operations.runtime.infrastructure",
        "octavo.operations.runtime.open_resources",
    }


def test_loading_the_start_command_runs_no_garbage_collection() -> None:
    code = (
        "import gc, octavo.cli; runs = []; gc.callbacks.append(lambda *run: runs.append(run));"
        "import octavo.cli.start; print(runs, gc.get_count()[0] > 50_000)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout == "[] True\n"
