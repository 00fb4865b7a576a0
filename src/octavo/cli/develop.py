"""`octavo develop`: a project while somebody works on it. One process serves it and follows every change."""

import os
from functools import partial
from pathlib import Path

import click

from octavo.cli.address import address_of
from octavo.cli.base import ServingCommand, check_project, project_option, say, with_database
from octavo.cli.running import remove_record
from octavo.cli.start import announce, host_option, port_option, variables
from octavo.cli.watcher import Watcher
from octavo.content.writer import EntryWriter
from octavo.core.plurals import counted
from octavo.database.connection import Database
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.open_resources import open_media
from octavo.operations.runtime.open_storage import open_storage
from octavo.operations.runtime.server import serve_changing
from octavo.operations.transfer.scaffold import add_secrets
from octavo.operations.transfer.seed import SeedReport, load_seed, read_requests
from octavo.settings import Settings, load_settings, missing_secrets


@click.command(cls=ServingCommand, epilog="Example: octavo develop --project site --port 8080")
@project_option
@host_option
@port_option
@click.option("--seed", is_flag=True, help="Load the project's seed/ if the database has no entries.")
def develop(project: Path, host: str | None, port: int | None, seed: bool) -> None:
    """Serve a project and reload it when its definitions, settings or code change.

    Changes apply immediately; running requests finish. If a change is invalid, the last valid version stays in use,
    and the problem is shown here and on the start page. A change of host or port requires a restart. Missing
    secrets are created in .env.
    """
    check_project(project)
    environment = os.environ | variables(host=host, port=port, workers=1) | {"OCTAVO_ENV": "development"}
    settings = load_settings(project, environment)
    made = add_secrets(project, missing_secrets(settings))
    if made:
        say("Made secrets in .env: {}", ", ".join(made))
    if seed:
        load(settings)
    tell_requests(project, address_of(settings))
    watcher = Watcher(project)
    told = partial(announce, records=host is not None or port is not None)
    try:
        serve_changing(partial(load_settings, project, environment), told, watcher.run)
    finally:
        remove_record(project)


def load(settings: Settings) -> None:
    """Load the seed, unless there are entries."""
    from octavo.cli.progress import progress_bar

    async def work(database: Database) -> SeedReport | None:
        media = open_media(settings, database, open_storage(settings))
        writer = EntryWriter(database, project_registry(settings))
        with progress_bar("Loading the seed") as progress:
            return await load_seed(settings.project, writer, media, progress)

    report = with_database(settings, work)
    if report is not None:
        say("Loaded the seed: {}, {}", counted(report.entries, "entry", "entries"), counted(report.files, "file"))


def tell_requests(project: Path, address: str) -> None:
    """What to try, if the project says so in its seed."""
    requests = read_requests(project)
    if requests:
        say("\n[bold]To try, as soon as it serves:[/]")
    for title, path in requests:
        say("  {}\n  [cyan]curl -g '{}'[/]", title, f"{address}{path}")
    if requests:
        say("")
