"""`octavo start`: serve a project in production."""

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from octavo.cli.base import Refused, ServingCommand, check_project, print_line, project_option, styled
from octavo.cli.running import address_of, remove_record, write_record
from octavo.operations.runtime.listening import passed_socket, place_of
from octavo.operations.runtime.logs import flush_log, is_json, print_soon, set_up_lines
from octavo.operations.runtime.process import Process
from octavo.operations.runtime.server import serve
from octavo.settings import Settings, load_settings
from octavo.settings.compat import RULES
from octavo.settings.keys import camel

logger = logging.getLogger("octavo.start")

_FORMAT: Final = "OCTAVO_SERVER__LOG__FORMAT"


class StartCommand(ServingCommand):
    """A command that reports errors in the format of the service's log."""

    def invoke(self, ctx: click.Context) -> Any:
        ctx.obj = _format_without_settings(os.environ)
        try:
            return super().invoke(ctx)
        except (click.UsageError, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Refused as error:
            if not _is_logged(ctx):
                raise
            _log_end(error.message)
        except Exception:
            if not _is_logged(ctx):
                raise
            _log_end("Unexpected error", exc_info=True)
        return ctx.exit(1)


def _is_logged(ctx: click.Context) -> bool:
    """Return whether an error is a line of a JSON log. On a terminal, a text is easier to read."""
    return ctx.obj == "json" and not sys.stderr.isatty()


def _format_without_settings(environment: Mapping[str, str]) -> str:
    """Return the format for errors in the settings, which cannot be read then."""
    given = environment.get(_FORMAT, "auto")
    return ("text" if environment.get("OCTAVO_ENV") == "development" else "json") if given == "auto" else given


def _log_end(message: str, *, exc_info: bool = False) -> None:
    set_up_lines(as_json=True)
    logger.critical("%s", message, exc_info=exc_info)
    flush_log()


host_option = click.option("--host", help="Address to listen on, or unix:PATH; overrides the settings.")
port_option = click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on; overrides the settings.")


@click.command(cls=StartCommand, epilog="Example: octavo start --project site --port 8080 --workers 2")
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
    passed = passed_socket()
    if passed is not None:
        host, port = place_of(passed)
        environment |= variables(host=host, port=port)
    if no_migrate:
        environment["OCTAVO_DATABASE__UPDATE_TABLES"] = "false"
    read_settings = partial(load_settings, project, environment, default_mode="production")
    settings = read_settings()
    click.get_current_context().obj = "json" if is_json(settings) else "text"
    if strict:
        _check_strictly(settings)
    try:
        serve(settings, read_settings, announcement, passed)
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
        if develops:
            print_line(line)
        elif is_json(settings):
            logger.info("%s", click.unstyle(line))
        else:
            print_soon(line)


def _ready_lines(settings: Settings, summary: Iterable[str]) -> Iterator[str]:
    yield from summary
    yield styled("Octavo serves [bold]{}[/] at [bold]{}[/]", settings.project, address_of(settings))
    if by_version := rules_by_version(settings):
        version, source = settings.api.compat.v4_version, settings.sources["api", "compat", "v4_version"]
        yield f"Responses match Strapi {version} ({source}): {', '.join(by_version)}"


def rules_by_version(settings: Settings) -> list[str]:
    """Return the keys of the compatibility rules that an older version of v4 selected."""
    chosen = f"v4 {settings.api.compat.v4_version}"
    return [camel(name) for name in RULES if settings.sources["api", "compat", name] == chosen]
