"""`octavo start`: serve a project in production."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import click

from octavo.cli.address import address_of
from octavo.cli.base import ServingCommand, check_project, print_line, project_option, styled
from octavo.cli.running import remove_record, write_record
from octavo.operations.runtime.logs import print_soon
from octavo.operations.runtime.process import Process
from octavo.operations.runtime.server import serve
from octavo.settings import Settings, load_settings
from octavo.settings.compat import RULES
from octavo.settings.keys import camel

host_option = click.option("--host", help="Address to listen on; overrides the settings.")
port_option = click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on; overrides the settings.")


@click.command(cls=ServingCommand, epilog="Example: octavo start --project site --port 8080 --workers 2")
@project_option
@host_option
@port_option
@click.option("--workers", type=click.IntRange(1), help="Number of worker processes; overrides the settings.")
@click.option("--no-migrate", is_flag=True, help="Fail instead of changing tables; overrides the settings.")
@click.option("--strict", is_flag=True, help="Fail if findings of a v4 project are unresolved.")
def start(
    project: Path, host: str | None, port: int | None, workers: int | None, no_migrate: bool, strict: bool
) -> None:
    """Serve a project in production until SIGTERM or Ctrl-C. SIGHUP reloads it.

    Updates the database first, unless --no-migrate is given. Fails if secrets are missing.
    """
    check_project(project)
    environment = os.environ | variables(host=host, port=port, workers=workers)
    if no_migrate:
        environment["OCTAVO_DATABASE__UPDATE_TABLES"] = "false"
    read_settings = partial(load_settings, project, environment, default_mode="production")
    if strict:
        _check_strictly(read_settings())
    try:
        serve(read_settings, announcement)
    finally:
        remove_record(project)


def _check_strictly(settings: Settings) -> None:
    if settings.is_v4:
        from octavo.cli.v4_report import check_strictly

        check_strictly(settings)


def variables(**given: object) -> dict[str, str]:
    """Return the environment variables for options of a command."""
    return {f"OCTAVO_SERVER__{name.upper()}": str(value) for name, value in given.items() if value is not None}


def announce(service: Process, *, develops: bool = False) -> None:
    """Print that the service is ready, and record its address."""
    announcement(service, develops=develops)()


def announcement(service: Process, *, develops: bool = False) -> Callable[[], None]:
    """Return a function that prints that the service is ready, and records its address.

    The v4 summary is computed now. `develops`: the service does not reload at SIGHUP, and waits for the reader of its
    output.
    """
    summary: list[str] = []
    if service.settings.is_v4:
        from octavo.cli.v4_report import summary_of

        summary += summary_of(service.settings, service.site.registry, service.site.code)
    return partial(_announce, service.settings, summary, develops=develops)


def _announce(settings: Settings, summary: Iterable[str], *, develops: bool) -> None:
    if settings.server.port:
        write_record(settings.project, settings.server.host, settings.server.port, reloads=not develops)
    for line in _ready_lines(settings, summary):
        print_line(line) if develops else print_soon(line)


def _ready_lines(settings: Settings, summary: Iterable[str]) -> Iterator[str]:
    yield from summary
    yield styled("Octavo serves [bold]{}[/] at [bold]{}[/]", settings.project, address_of(settings))
    if by_version := rules_by_version(settings):
        version, source = settings.api.compat.v4_version, settings.sources["api", "compat", "v4_version"]
        yield f"Clients are answered as by v4 {version} ({source}): {', '.join(by_version)}"


def rules_by_version(settings: Settings) -> list[str]:
    """Return the keys of the compatibility rules that an older version of v4 selected."""
    chosen = f"v4 {settings.api.compat.v4_version}"
    return [camel(name) for name in RULES if settings.sources["api", "compat", name] == chosen]
