"""`python -m benchmarks.load`: HTTP load on the working tree; with `--against URL`, alternately on another server.

One process serves a large magazine (`load_data`). wrk sends the requests if it is installed, else a small client of
this module, which takes processor time from the server: compare its figures only with each other. Loopback only.
"""

import asyncio
import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import click
import psutil  # type: ignore[import-untyped]
from rich.console import Console
from rich.table import Table

from benchmarks.__main__ import postgresql_url
from benchmarks.load_data import ARTICLES, AUTHORS, TOKEN_FILE, fill, write_project
from octavo.cli.terminal import progress_bar
from tests.cli.processes import Server, serving
from tests.models.site import postgresql_variables

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
PATHS = 500
"""Different paths of a workload with numbers in its path."""


@dataclass(frozen=True, slots=True)
class Workload:
    """A request. Its path is generated for each call from random numbers."""

    path: Callable[[Random, int], str]
    method: str = "GET"
    data: Mapping[str, Any] | None = None

    def paths(self, articles: int) -> list[str]:
        random = Random(3)
        return list(dict.fromkeys(self.path(random, articles) for _ in range(PATHS)))


def _published(random: Random, articles: int) -> int:
    number = random.randint(1, articles)
    return number - 1 if number % 50 == 0 else number


_FILTER = "/api/articles?filters[author][name][$eq]=Author%20{:04}&sort=publishedAt:desc&fields[0]=title&fields[1]=slug"
_DEEP = "/api/authors/{}?populate[portrait]=true&populate[articles][populate]=tags,cover,category,seo,blocks"
WORKLOADS: Mapping[str, Workload] = {
    "one entry": Workload(lambda random, n: f"/api/articles/{_published(random, n)}"),
    "list of 25": Workload(lambda random, n: "/api/articles"),
    "random page": Workload(lambda random, n: f"/api/articles?pagination[page]={random.randint(1, max(n // 26, 1))}"),
    "list of 100": Workload(lambda random, n: "/api/articles?pagination[pageSize]=100"),
    "filter through a relation": Workload(lambda random, n: _FILTER.format(random.randint(1, AUTHORS))),
    "four relations": Workload(lambda random, n: "/api/articles?populate=author,category,tags,cover"),
    "deep page": Workload(lambda random, n: _DEEP.format(random.randint(1, AUTHORS))),
    "update": Workload(lambda random, n: f"/api/articles/{_published(random, n)}", "PUT", {"readingMinutes": 7}),
    "create": Workload(lambda random, n: "/api/tags", "POST", {}),
}


@dataclass(frozen=True, slots=True)
class Round:
    """The result of one round: calls per second, median and 99th percentile in milliseconds, failed calls."""

    rate: float
    p50: float
    p99: float
    failed: int
    cpu: float = 0.0
    """Milliseconds of processor time per call, if the process of the server is known."""


@dataclass(frozen=True, slots=True)
class Load:
    """The parameters of the load."""

    url: str
    token: str
    connections: int
    seconds: float
    articles: int
    pid: int | None = None

    def run(self, workload: Workload) -> Round:
        before = _cpu(self.pid)
        found = (load_by_wrk if shutil.which("wrk") else load_by_ourselves)(self, workload)
        used = (_cpu(self.pid) - before) * 1000
        return Round(found.rate, found.p50, found.p99, found.failed, used / max(found.rate * self.seconds, 1))

    def headers(self, workload: Workload) -> dict[str, str]:
        sent = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        return {} if workload.data is None else sent


def _cpu(pid: int | None) -> float:
    """Return the seconds of processor time of a process and its children."""
    if pid is None:
        return 0.0
    root = psutil.Process(pid)
    times = [process.cpu_times() for process in (root, *root.children(recursive=True))]
    return float(sum(spent.user + spent.system for spent in times))


_LUA = """
local paths, headers, body, at = {%s}, {%s}, %s, 0
request = function()
  at = at %% #paths + 1
  return wrk.format("%s", paths[at], headers, body and body:gsub("NUMBER", string.format("%%d", math.random(2^52))))
end
init = function() math.randomseed(os.time()) end
done = function(summary, latency)
  local errors = summary.errors
  local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("FOUND %%d %%d %%d %%d %%d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), failed))
end
"""


def _body(workload: Workload) -> str:
    """Return the JSON to send. Each create gets a new name in place of NUMBER."""
    assert workload.data is not None
    return json.dumps({"data": workload.data or {"name": "load NUMBER", "slug": "load-NUMBER"}})


def load_by_wrk(load: Load, workload: Workload) -> Round:
    """Run a round with wrk."""
    paths = ",".join(map(json.dumps, workload.paths(load.articles)))
    headers = ",".join(f"[{json.dumps(name)}]={json.dumps(value)}" for name, value in load.headers(workload).items())
    body = "nil" if workload.data is None else f"[==[{_body(workload)}]==]"
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(_LUA % (paths, headers, body, workload.method))
        script.flush()
        command = ["wrk", "-t1", f"-c{load.connections}", f"-d{load.seconds:.0f}s", "-s", script.name, load.url]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=load.seconds + 60).stdout
    found = re.search(r"FOUND (\d+) (\d+) (\d+) (\d+) (\d+)", said)
    assert found, said
    requests, microseconds, p50, p99, failed = map(int, found.groups())
    return Round(requests / microseconds * 1e6, p50 / 1000, p99 / 1000, failed)


def load_by_ourselves(load: Load, workload: Workload) -> Round:
    """Run a round with a client in this process."""
    return asyncio.run(_ask_in_parallel(load, workload))


async def _ask_in_parallel(load: Load, workload: Workload) -> Round:
    paths = workload.paths(load.articles)
    until = time.perf_counter() + load.seconds
    random, times, failures = Random(), [], []

    async def connection(first: int) -> None:
        parts = urlsplit(load.url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        at = first
        while True:  # at least once, however slow the machine
            start = time.perf_counter()
            writer.write(_request(load, workload, paths[at % len(paths)], random))
            status = await _read_answer(reader)
            end = time.perf_counter()
            times.append(end - start)
            if status >= 400:
                failures.append(status)
            if end >= until:
                break
            at += load.connections
        writer.close()

    async with asyncio.timeout(load.seconds + 60):
        await asyncio.gather(*map(connection, range(load.connections)))
    times.sort()
    return Round(len(times) / load.seconds, median(times) * 1e3, times[int(len(times) * 0.99)] * 1e3, len(failures))


def _request(load: Load, workload: Workload, path: str, random: Random) -> bytes:
    body = "" if workload.data is None else _body(workload).replace("NUMBER", str(random.getrandbits(52)))
    headers = {"Host": urlsplit(load.url).netloc, "Content-Length": str(len(body)), **load.headers(workload)}
    lines = [f"{workload.method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", body]
    return "\r\n".join(lines).encode()


async def _read_answer(reader: asyncio.StreamReader) -> int:
    """Read the next response and return its status."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = re.search(rb"content-length: (\d+)", head)
    if length:
        await reader.readexactly(int(length[1]))
    while not length and (size := int(await reader.readline(), 16)) >= 0:
        await reader.readexactly(size + 2)
        if not size:
            break
    return int(head.split(b" ", 2)[1])


@click.command()
@click.option("--only", multiple=True, type=click.Choice(list(WORKLOADS)), help="A workload; can be repeated.")
@click.option("--against", metavar="URL", help="Another server on the same content, such as a copy of --project.")
@click.option("--writes", is_flag=True, help="With --against: load the other server with writes too.")
@click.option("--project", type=click.Path(path_type=Path), help="Folder of the content, kept for later runs.")
@click.option("--postgresql", is_flag=True, help="On PostgreSQL instead of SQLite; its content is not kept.")
@click.option("--connections", default=16, show_default=True)
@click.option("--rounds", type=click.IntRange(1, 20), default=3, show_default=True)
@click.option("--seconds", type=click.IntRange(1, 30), default=2, show_default=True, help="Time for each round.")
@click.option("--articles", type=click.IntRange(100), default=ARTICLES, show_default=True)
def main(
    only: tuple[str, ...],
    against: str | None,
    writes: bool,
    project: Path | None,
    postgresql: bool,
    connections: int,
    rounds: int,
    seconds: int,
    articles: int,
) -> None:
    """Load the service of the working tree in rounds, and print the medians."""
    if against and urlsplit(against).hostname not in LOOPBACK:
        raise click.UsageError("--against takes a server on this machine only")
    with ExitStack() as stack:
        folder = project or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="octavo-load-"))) / "magazine"
        url = stack.enter_context(postgresql_url() if postgresql else nullcontext(None))
        variables = postgresql_variables(url) if url else {}
        make(folder, variables, articles)
        server = stack.enter_context(serving("start", folder, **variables))
        load = Load(
            f"http://127.0.0.1:{server.port}",
            (folder / TOKEN_FILE).read_text("utf-8"),
            connections,
            seconds,
            articles,
            server.process.pid,
        )
        others = [Load(against, load.token, connections, seconds, articles)] if against else []
        Console().print(table_of(list(measure([load, *others], only or tuple(WORKLOADS), rounds, writes)), server))


def make(folder: Path, variables: Mapping[str, str], articles: int) -> None:
    """Create the content unless it exists."""
    if (folder / TOKEN_FILE).exists():
        return
    with progress_bar("Making the content") as progress:
        asyncio.run(fill(write_project(folder, variables), progress, articles))


Found = tuple[str, list[list[Round]]]


def measure(loads: list[Load], names: tuple[str, ...], rounds: int, writes: bool) -> Iterator[Found]:
    """Return the rounds of each server by workload. The servers take turns, and each begins every other time."""
    with Console(stderr=True).status("") as status:
        for name in names:
            status.update(name)
            workload = WORKLOADS[name]
            loaded = loads if writes or workload.data is None else loads[:1]
            for load in loaded:
                Load(load.url, load.token, load.connections, 1, load.articles).run(workload)
            found: list[list[Round]] = [[] for _ in loaded]
            for number in range(rounds):
                for index in range(len(loaded))[:: -1 if number % 2 else 1]:
                    found[index].append(loaded[index].run(workload))
            yield name, found


def table_of(found: list[Found], server: Server) -> Table:
    """Return a table of the medians and of the median ratio to the other server."""
    memory = psutil.Process(server.process.pid)
    used = sum(process.memory_full_info().uss for process in (memory, *memory.children(recursive=True))) / 1e6
    table = Table(box=None, pad_edge=False, header_style="bold", caption=f"{used:.0f} MB of memory at the end")
    table.add_column("")
    compared = any(len(rounds) > 1 for _, rounds in found)
    for column in ("a second", "p50 ms", "p99 ms", "cpu ms", "failed", *(["the other", "ratio"] if compared else [])):
        table.add_column(column, justify="right")
    for name, (ours, *others) in found:
        cells = [f"{median(item.rate for item in ours):,.0f}"]
        cells += [f"{median(getattr(item, key) for item in ours):.2f}" for key in ("p50", "p99", "cpu")]
        cells.append(str(sum(item.failed for item in ours)))
        for theirs in others:
            ratios = [our.rate / max(their.rate, 0.01) for our, their in zip(ours, theirs, strict=True)]
            cells += [f"{median(item.rate for item in theirs):,.0f}", f"{median(ratios):.1f}x"]
        table.add_row(name, *cells)
    return table


if __name__ == "__main__":
    main()
