"""`octavo develop`: a project while somebody works on it. Serves in a process of its own, made anew on every change."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType

import click
from watchfiles import watch

from octavo.cli.base import Command, check_project, project_option, say, with_database
from octavo.cli.progress import progress_bar
from octavo.cli.start import address_of, host_option, port_option, variables
from octavo.content.entries import EntryWriter
from octavo.database.connection import Database
from octavo.resources import open_media, open_storage
from octavo.scaffold import add_secrets
from octavo.schema.loader import load_registry
from octavo.seed import SeedReport, load_seed, read_requests
from octavo.settings import Settings, load_settings, missing_secrets

_WATCHED = ("src", "config")
_LOOK_MILLISECONDS = 300
"""How often is looked whether the server still runs and `.env` is still the same."""
_STOP_SECONDS = 10


@click.command(cls=Command, epilog="Example: octavo develop --project site --port 8080")
@project_option
@host_option
@port_option
@click.option("--seed", is_flag=True, help="Load the project's seed/ into a database without entries.")
def develop(project: Path, host: str | None, port: int | None, seed: bool) -> None:
    """Serve a project and start again when its definitions, settings or code change.

    Secrets that are missing are made and kept in .env.
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
    Supervisor(project, environment).run()


def load(settings: Settings) -> None:
    """Load the seed, unless there are entries."""

    async def work(database: Database) -> SeedReport | None:
        media = open_media(settings, database, open_storage(settings))
        writer = EntryWriter(database, load_registry(settings.project))
        with progress_bar("Loading the seed") as progress:
            return await load_seed(settings.project, writer, media, progress)

    report = with_database(settings, work)
    if report is not None:
        say("Loaded the seed: {} entries, {} files", report.entries, report.files)


def tell_requests(project: Path, address: str) -> None:
    """What to try, if the project says so in its seed."""
    requests = read_requests(project)
    if requests:
        say("\n[bold]To try, as soon as it serves:[/]")
    for title, path in requests:
        say("  {}\n  [cyan]curl -g '{}'[/]", title, f"{address}{path}")
    if requests:
        say("")


class Supervisor:
    """Runs the server as a child process, anew after every change, until it is told to stop."""

    def __init__(self, project: Path, environment: Mapping[str, str]) -> None:
        self._command = [sys.executable, "-m", "octavo", "start", "--project", str(project)]
        self._environment = dict(environment)
        self._folders = [project / name for name in _WATCHED if (project / name).is_dir()]
        self._env_file = project / ".env"
        self._stopped = threading.Event()

    def run(self) -> None:
        """Serve. When the first start fails, so does this; when a later one does, the next change is waited for."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        child = self._start()
        changed_once = waiting = False
        for changed in self._looks():
            if changed:
                say("[dim]Changed: {}[/]", ", ".join(changed))
                _end(child)
                child, changed_once, waiting = self._start(), True, False
            elif child.poll() is not None and not changed_once:
                sys.exit(1)
            elif child.poll() is not None and not waiting:
                say("[dim]Waiting for a change[/]")
                waiting = True
        _end(child)

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, env=self._environment)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopped.set()

    def _looks(self) -> Iterator[list[str]]:
        """The names of what has changed, again and again; mostly none."""
        stamp = self._stamp()
        for changes in watch(
            *self._folders,
            stop_event=self._stopped,
            rust_timeout=_LOOK_MILLISECONDS,
            yield_on_timeout=True,
            raise_interrupt=False,
        ):
            before, stamp = stamp, self._stamp()
            names = {Path(name).name for _, name in changes}
            yield sorted(names | ({self._env_file.name} if stamp != before else set()))

    def _stamp(self) -> float:
        return self._env_file.stat().st_mtime if self._env_file.exists() else 0.0


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
