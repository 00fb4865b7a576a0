"""`python -m benchmarks.replicas`: HTTP reads with no, one and two replicas, and through PgBouncer if it is installed.

Each setup has one process of the service, and all servers run on this machine. Replicas use the same processors as the
primary here, so this measures the cost of choosing a server, not the benefit of replicas.
"""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from urllib.parse import quote

import click
from rich.console import Console
from rich.table import Table

from benchmarks.load import WORKLOADS, Load, make, measure
from benchmarks.load_data import TOKEN_FILE
from tests.cli.processes import serving
from tests.cluster import programs
from tests.cluster.poolers import pooled
from tests.models.site import postgresql_variables
from tests.postgresql_server import PostgresqlServer, database_name, start_server

_WARM_SECONDS = 2


@contextmanager
def _servers(count: int) -> Iterator[list[PostgresqlServer]]:
    """Start a primary and its replicas."""
    with ExitStack() as stack:
        started = [start_server()]
        stack.callback(started[0].remove)
        for _ in range(count):
            started.append(started[0].replica())
            stack.callback(started[-1].remove)
        yield started


def _variants(servers: list[PostgresqlServer], url: str, stack: ExitStack) -> dict[str, Mapping[str, str]]:
    name, primary = database_name(url), servers[0]
    told = [f"postgresql://postgres@/{name}?host={quote(str(one.parameters(name)['host']))}" for one in servers[1:]]
    plain = postgresql_variables(url)
    found: dict[str, Mapping[str, str]] = {"none": plain}
    for count in range(1, len(servers)):
        found[f"{count} replicas"] = {**plain, "DATABASE_REPLICAS": ",".join(told[:count])}
    program = programs.found("pgbouncer")
    if program is not None:
        port = stack.enter_context(pooled(program, primary, size=10))
        past = f"postgresql://postgres@/{name}?host={quote(plain['DATABASE_HOST'])}"
        place = {"DATABASE_HOST": "127.0.0.1", "DATABASE_PORT": str(port)}
        found["pooler"] = {**plain, **place, "DATABASE_POOLER": "transaction", "DATABASE_DIRECT": past}
    return found


@click.command()
@click.option("--rounds", type=click.IntRange(1, 20), default=5, show_default=True)
@click.option("--seconds", type=click.IntRange(1, 30), default=2, show_default=True)
@click.option("--connections", default=16, show_default=True)
@click.option("--articles", type=click.IntRange(100), default=2000, show_default=True)
def main(rounds: int, seconds: int, connections: int, articles: int) -> None:
    """Load each setup in turns; print the medians of requests per second and of processor time per request in
    milliseconds."""
    names = ("one entry", "list of 25", "four relations", "deep page")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="octavo-replicas-"))) / "magazine"
        servers = stack.enter_context(_servers(2))
        url = servers[0].create_database()
        make(folder, postgresql_variables(url), articles)
        token = (folder / TOKEN_FILE).read_text("utf-8")
        variants = _variants(servers, url, stack)
        loads = []
        for variables in variants.values():
            server = stack.enter_context(serving("start", folder, **variables))
            address = f"http://127.0.0.1:{server.port}"
            loads.append(Load(address, token, connections, seconds, articles, server.process.pid))
        for load in loads:
            Load(load.url, token, connections, _WARM_SECONDS, articles).run(WORKLOADS["one entry"])
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("")
        for name in variants:
            table.add_column(f"{name}, a second", justify="right")
            table.add_column("cpu ms", justify="right")
        for name, found in measure(loads, names, rounds, writes=True):
            cells = [f"{median(getattr(one, key) for one in each):,.3f}" for each in found for key in ("rate", "cpu")]
            failed = sum(one.failed for each in found for one in each)
            table.add_row(f"{name}{f' ({failed} failed)' if failed else ''}", *cells)
        Console(width=200).print(table)


if __name__ == "__main__":
    main()
