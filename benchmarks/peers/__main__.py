"""`python -m benchmarks.peers`: Octavo beside PostGraphile, Directus, Strapi 5, Strapi v4 and the bare driver.

Every system has the same rows in its database on one PostgreSQL server, and gets the same requests. Nothing leaves
this machine.
"""

import signal
import subprocess
import sys
from pathlib import Path

import click

from benchmarks.peers import packages
from benchmarks.peers.content import ARTICLES
from benchmarks.peers.measure import Different, Options
from benchmarks.peers.report import to_markdown
from benchmarks.peers.run import run
from benchmarks.peers.systems.catalog import SYSTEMS
from benchmarks.peers.workloads import WORKLOADS, Kind


@click.group()
def main() -> None:
    """Compare Octavo with other systems on the same rows in one PostgreSQL (DATABASE_URL, or a temporary server)."""


@main.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def install(folder: Path) -> None:
    """Install Node.js and the compared systems into FOLDER with npm: pinned direct dependencies, about 3 GB."""
    if Path(__file__).parents[2] in (folder.absolute(), *folder.absolute().parents):
        raise click.UsageError(
            f"{folder} is in the working copy: choose a folder outside of it, such as /var/tmp/peers"
        )
    try:
        packages.install(folder)
    except FileNotFoundError as error:
        raise click.ClickException(str(error)) from error
    except subprocess.CalledProcessError as error:
        raise click.ClickException(f"`{' '.join(error.cmd)}` exited with {error.returncode}") from error


@main.command()
@click.option("--packages", "folder", type=click.Path(path_type=Path), envvar="PEERS", help="Folder of `install`.")
@click.option("--system", "systems", multiple=True, type=click.Choice(list(SYSTEMS)), help="A system; default: all.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice([str(kind) for kind in Kind]), help="Default: all.")
@click.option("--connections", multiple=True, type=click.IntRange(1, 256), default=(1, 16, 64), show_default=True)
@click.option("--rounds", type=click.IntRange(1, 20), default=3, show_default=True)
@click.option("--seconds", type=click.FloatRange(0.1, 30), default=1.0, show_default=True, help="Time of a round.")
@click.option("--warm-up", type=click.FloatRange(0, 60), default=5.0, show_default=True, help="Most seconds before.")
@click.option("--articles", type=click.IntRange(100), default=ARTICLES, show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="File of the report; default: standard output.")
def measure(
    folder: Path | None,
    systems: tuple[str, ...],
    kinds: tuple[str, ...],
    connections: tuple[int, ...],
    rounds: int,
    seconds: float,
    warm_up: float,
    articles: int,
    output: Path | None,
) -> None:
    """Compare the responses, measure, and write a report in Markdown. Installs nothing."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # stop the systems, too
    workloads = [workload for workload in WORKLOADS if not kinds or workload.kind in kinds]
    options = Options(articles, connections, rounds, seconds, warm_up)
    try:
        found = run(systems or tuple(SYSTEMS), workloads, options, folder, lambda line: click.echo(line, err=True))
    except Different as error:
        raise click.ClickException(str(error)) from error
    for title, reason in found.missing.items():
        click.echo(f"{title} was not measured: {reason}.", err=True)
    report = to_markdown(found)
    if output:
        output.write_text(report, "utf-8")
    else:
        click.echo(report)


if __name__ == "__main__":
    main()
