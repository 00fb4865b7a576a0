"""`octavo develop`: serve a project and reload it on every change, in one process."""

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Iterator
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

import click
from watchfiles import awatch

from octavo.cli.base import ServingCommand, check_project, project_option, say, with_database
from octavo.cli.running import address_of, remove_record
from octavo.cli.start import announce, host_option, port_option, variables
from octavo.content.media.tables import MEDIA_TABLES
from octavo.content.writer import EntryWriter
from octavo.core.plurals import counted
from octavo.core.threads import in_thread
from octavo.database.connection import Database
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.open_resources import open_media
from octavo.operations.runtime.open_storage import open_storage
from octavo.operations.runtime.process import Process
from octavo.operations.runtime.project_files import ENVIRONMENT, FOLDERS, Mark, mark_of, read_marks
from octavo.operations.runtime.server import serve_changing
from octavo.operations.transfer.scaffold import add_secrets
from octavo.operations.transfer.seed import SeedReport, load_seed, read_requests
from octavo.project.plugins import GROUP
from octavo.settings import Settings, load_settings, missing_secrets
from octavo.settings.files.server import UNIX

_LOOKS: Final = 10
"""How often to check after a change: installers write a package's entry points a moment after its folder."""


class PluginWatch:
    """Compare the installed plugins with those at the start."""

    def __init__(self) -> None:
        self._folders = _marks()
        self._found = _versions()
        self._looks = 0

    def news(self) -> list[str]:
        """Return a message for each plugin that was installed or upgraded since the last call."""
        folders = _marks()
        if folders != self._folders:
            self._folders, self._looks = folders, _LOOKS
        if not self._looks:
            return []
        self._looks -= 1
        before, self._found = self._found, _versions()
        return [*_messages(before, self._found)]


def _messages(before: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    for name, version in now.items():
        if before.get(name) != version:
            what = "upgraded" if name in before else "installed"
            yield f"The plugin {name} {version} was {what}. Restart octavo develop to use it"


def _marks() -> list[tuple[str, int]]:
    """Return the folders that Python imports from, with the times of their last changes."""
    marks = []
    for folder in sys.path:
        try:
            marks.append((folder, Path(folder).stat().st_mtime_ns))
        except OSError:
            continue
    return marks


def _versions() -> dict[str, str]:
    return {one.name: version for one in entry_points(group=GROUP) if (version := _version(one))}


def _version(entry: EntryPoint) -> str | None:
    """Return the version of a plugin's package; None while an installer has not written it yet."""
    try:
        versions = None if entry.dist is None else entry.dist.metadata.get_all("Version")
        return None if versions is None else versions[0]
    except (KeyError, TypeError, OSError):
        return None


_LOOK_MILLISECONDS: Final = 300
"""Interval at which `.env` and the set of watched folders are checked."""


class Watcher:
    """Watch a project's files and reload the service. Create it before the project is first read, to miss no change."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._marks = read_marks(project)
        self._plugins = PluginWatch()
        logging.getLogger("watchfiles").setLevel(logging.WARNING)  # it logs every changed file

    async def run(self, process: Process) -> None:
        """Reload when a file that the project reads changes. Other changes in the folders are ignored."""
        while True:
            with contextlib.suppress(FileNotFoundError):  # a folder was deleted before watching began
                await self._watch(process)

    async def _watch(self, process: Process) -> None:
        """Watch the existing folders until the set of folders changes."""
        folders = self._folders()
        async for changes in awatch(*folders, rust_timeout=_LOOK_MILLISECONDS, yield_on_timeout=True):
            moved = folders != self._folders()
            if changes or moved or self._environment_changed():
                await self._reload_changes(process)
            for message in await in_thread(self._plugins.news):
                say("{}", message)
            if moved:
                break

    async def _reload_changes(self, process: Process) -> None:
        before, self._marks = self._marks, await in_thread(partial(read_marks, self._project))
        changed = {path for path, _ in before.items() ^ self._marks.items()}
        if not changed:
            return
        say("[dim]Changed: {}[/]", ", ".join(sorted(path.relative_to(self._project).as_posix() for path in changed)))
        try:
            await process.reload_if_changed()  # does nothing if the process itself wrote the files
        except asyncio.CancelledError:
            raise
        except Exception:
            say("[dim]Waiting for changes[/]")
        else:
            say("[dim]Reloaded[/]")

    def _folders(self) -> list[Path]:
        return [folder for name in FOLDERS if (folder := self._project / name).is_dir()]

    def _environment_changed(self) -> bool:
        file = self._project / ENVIRONMENT
        mark: Mark | None = mark_of(file)
        return mark != self._marks.get(file)


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
        say("Created secrets in .env: {}", ", ".join(made))
    if seed:
        load(settings)
    print_example_requests(project, address_of(settings))
    watcher = Watcher(project)
    try:
        serve_changing(partial(load_settings, project, environment), partial(announce, develops=True), watcher.run)
    finally:
        remove_record(project)


def load(settings: Settings) -> None:
    """Load the seed if the database has no entries."""
    from octavo.cli.terminal import progress_bar

    async def work(database: Database) -> SeedReport | None:
        media = open_media(settings, database, open_storage(settings))
        writer = EntryWriter(database, project_registry(settings))
        with progress_bar("Loading the sample content") as progress:
            return await load_seed(settings.project, writer, media, progress)

    report = with_database(settings, work, MEDIA_TABLES)
    if report is not None:
        say(
            "Loaded the sample content: {}, {}",
            counted(report.entries, "entry", "entries"),
            counted(report.files, "file"),
        )


def print_example_requests(project: Path, address: str) -> None:
    """Print the example requests of the project's seed, if it has some."""
    requests = read_requests(project)
    if requests:
        say("\n[bold]Try it when the service is ready:[/]")
    socket, base = address.removeprefix(UNIX), "http://localhost"
    curl = f"curl -g --unix-socket '{socket}'" if socket != address else "curl -g"
    for title, path in requests:
        say("  {}\n  [cyan]{} '{}'[/]", title, curl, f"{base if socket != address else address}{path}")
    if requests:
        say("")
