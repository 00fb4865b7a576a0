"""`make soak MINUTES=15` loads a service with mixed requests while faults are caused.

Memory, open files, connections and latency must not grow, and nothing that was acknowledged may be lost: entries are
checked against the ledger of `soak_load`, messages of a webhook by a receiver. Exits with code 1 if a check fails.
"""

import asyncio
import json
import shutil
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from benchmarks.load_data import TOKEN_FILE, fill, write_project
from benchmarks.soak_faults import FAULTS, ONCE, QUIETLY, Impossible, Service, World
from benchmarks.soak_load import Load
from benchmarks.soak_watch import Verdict, Watch
from octavo.settings import Settings
from tests.cli.processes import run
from tests.models.site import postgresql_variables
from tests.postgresql_server import PostgresqlServer

ARTICLES = 200
DISK_MB = 512
SAMPLE_SECONDS = 2.0
WARM_SHARE, REST_SECONDS = 0.2, 20.0
"""The share of the time at the beginning without faults, and the seconds to wait after the last fault."""
DELIVERED_WITHIN = 180.0
_COLUMNS = (
    *("minute", "answered", "failed", "p50 ms", "p99 ms", "nothing ms"),
    *("MB", "files", "connections", "broken"),
)


class Receiver(ThreadingHTTPServer):
    """Receives the messages of a webhook and records the names of their entries."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taker)
        self.names: set[str] = set()
        self.messages = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class _Taker(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.names.add(body["entry"]["name"])
        self.server.messages += 1
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def small_disk(size: int) -> Iterator[tuple[Path, bool]]:
    """Yield a folder, and whether it is a separate file system of this many MB."""
    folder = Path(tempfile.mkdtemp(prefix="octavo-soak-"))
    folder.chmod(0o755)  # the database runs as another user
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}m,mode=755", "tmpfs", str(folder)]
    is_own = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield folder, is_own
    finally:
        if is_own:
            subprocess.run(["umount", "-l", str(folder)], check=False)
        shutil.rmtree(folder, ignore_errors=True)


@click.command()
@click.option("--minutes", type=click.FloatRange(0.5), default=15, show_default=True)
@click.option("--postgresql", is_flag=True, help="On PostgreSQL instead of SQLite.")
@click.option("--rate", type=click.FloatRange(1), default=15, show_default=True, help="Requests per second.")
@click.option("--callers", type=click.IntRange(1), default=6, show_default=True)
@click.option("--only", multiple=True, type=click.Choice(list(FAULTS)), help="A fault; can be repeated.")
@click.option("--rounds", type=click.IntRange(1), help="Rounds of all faults; by default one every 15 minutes.")
@click.option("--keep", type=click.Path(path_type=Path), help="Folder for the log of the service and the figures.")
def main(
    minutes: float,
    postgresql: bool,
    rate: float,
    callers: int,
    only: tuple[str, ...],
    rounds: int | None,
    keep: Path | None,
) -> None:
    """Load a service, cause faults, and check that it stays stable."""
    with ExitStack() as stack:
        data, is_own = stack.enter_context(small_disk(DISK_MB))
        notes = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="octavo-soak-log-")))
        notes.mkdir(parents=True, exist_ok=True)
        server = PostgresqlServer(data / "postgresql") if postgresql else None
        if server is not None:
            stack.callback(server.remove)
        variables = postgresql_variables(server.create_database()) if server else {}
        settings = write_project(data / "magazine", variables)
        asyncio.run(fill(settings, lambda *_: None, ARTICLES))
        receiver = Receiver()
        stack.callback(receiver.shutdown)
        variables |= _service_variables(receiver)
        _add_webhook(settings, receiver, variables)
        watch = Watch()
        service = Service(settings, variables, notes, watch)
        world = World(service, server, data if is_own else None)
        token = (settings.project / TOKEN_FILE).read_text("utf-8")
        load = Load(service.url, token, rate, callers, watch)
        ok = asyncio.run(
            _soak(
                world,
                load,
                receiver,
                minutes * 60,
                _order(only or tuple(FAULTS), rounds or max(1, round(minutes / 15))),
            )
        )
        _report(world, load, notes)
    raise SystemExit(0 if ok else 1)


def _service_variables(receiver: Receiver) -> dict[str, str]:
    return {
        "OCTAVO_SERVER__FOLLOW_DEFINITIONS": "true",
        "OCTAVO_SERVER__WEBHOOKS__PRIVATE_HOSTS": f"127.0.0.1:{receiver.server_port}",
        "OCTAVO_SERVER__LOG__FORMAT": "json",
        "OCTAVO_SERVER__METRICS__TOKEN": "a-token-for-the-soak",
    }


def _add_webhook(settings: Settings, receiver: Receiver, variables: dict[str, str]) -> None:
    url = f"http://127.0.0.1:{receiver.server_port}/"
    options = ("--url", url, "--event", "entry.create", "--type", "api::author.author")
    code, said = run("webhooks", "create", "soak", *options, "--project", str(settings.project), **variables)
    if code:
        raise click.ClickException(said)


def _order(names: tuple[str, ...], rounds: int) -> list[str]:
    """Return the faults in their order."""
    return [name for number in range(rounds) for name in names if number == 0 or name not in ONCE]


async def _soak(world: World, load: Load, receiver: Receiver, seconds: float, order: list[str]) -> bool:
    """Run everything; return whether all checks passed."""
    console, watch = Console(highlight=False, width=150), load.watch
    await world.service.start()
    watch.began = time.monotonic()
    sampling = asyncio.create_task(_sample(watch))
    breaking = asyncio.create_task(_break(world, load, console, seconds, order))
    await load.run(watch.began + seconds)
    await breaking
    sampling.cancel()
    await world.service.is_ready()
    problems = [f"lost: {one}" for one in await load.losses()]
    problems += await _undelivered(load, receiver)
    problems += [f"failed: {one}" for one in load.unexpected]
    problems += [f"not flat: {one.name}" for one in watch.verdicts() if not one.is_flat]
    made = sum(1 for one in load.entries if one.id is not None)
    console.print(
        f"{made} entries made, {sum(1 for one in load.entries if one.gone)} removed, none lost or twice"
        if not any(one.startswith("lost") for one in problems)
        else "[bold red]entries were lost[/]"
    )
    console.print(f"{receiver.messages} messages of the webhook for {len(receiver.names)} entries")
    if load.unexpected_count:
        console.print(f"[bold red]{load.unexpected_count} requests failed without a fault[/]")
    for one in problems[:40]:
        console.print(f"[red]{one}[/]", markup=True)
    await world.service.stop()
    return not problems


async def _sample(watch: Watch) -> None:
    while True:
        watch.sample()
        await asyncio.sleep(SAMPLE_SECONDS)


async def _break(world: World, load: Load, console: Console, seconds: float, order: list[str]) -> None:
    """Cause one fault after the other."""
    watch = load.watch
    begin, impossible = seconds * WARM_SHARE, set()
    # Faults that end the process of the service come first, so that one process is observed during all others.
    moments = [begin + (seconds - begin - REST_SECONDS) * index / len(order) for index in range(len(order))]
    moments = [min(20.0, begin) if name in ONCE else at for name, at in zip(order, moments, strict=True)]
    for at, name in sorted(zip(moments, order, strict=True)):
        await asyncio.sleep(max(0.0, at - watch.elapsed()))
        if name in impossible:
            continue
        begun = watch.elapsed()
        try:
            with watch.noting(name) if name in QUIETLY else watch.breaking(name):
                await FAULTS[name](world)
                await asyncio.sleep(2)
        except Impossible as reason:
            impossible.add(name)
            console.print(f"[bold yellow]SKIPPED[/]: {name}: {reason}")
            continue
        console.print(f"{begun:6.0f} s  {name}, over after {watch.elapsed() - begun:.1f} s")


async def _undelivered(load: Load, receiver: Receiver) -> list[str]:
    """Return acknowledged entries that the webhook did not receive."""
    deadline = time.monotonic() + DELIVERED_WITHIN
    while True:
        missing = [one.name for one in load.entries if one.id is not None and one.name not in receiver.names]
        if not missing or time.monotonic() > deadline:
            return [f"no message of {name}" for name in missing]
        await asyncio.sleep(1)


def _report(world: World, load: Load, notes: Path) -> None:
    console, watch = Console(highlight=False, width=150), load.watch
    table = Table(
        "minute",
        "answered",
        "failed",
        "p50 ms",
        "p99 ms",
        "nothing ms",
        "MB",
        "files",
        "connections",
        "broken",
        box=None,
    )
    for number, minute in sorted(watch.minutes.items()):
        seen = [one for one in watch.samples if number * 60 <= one.at < number * 60 + 60]
        last = (f"{seen[-1].memory / 1e6:.0f}", seen[-1].files, seen[-1].connections) if seen else ("", "", "")
        times = (f"{found:.1f}" for found in (minute.percentile(0.5), minute.percentile(0.99), minute.idle))
        figures = len(minute.times), minute.failed, *times
        table.add_row(*map(str, (number, *figures, *last, ", ".join(sorted(minute.broken)))))
    console.print(table)
    flat = Table("", "median", "first", "last", "trend over all", "allowed", "", box=None)
    for one in watch.verdicts():
        told = (f"{value:.1f}" for value in (one.median, one.first, one.last, one.growth, one.allowed))
        flat.add_row(one.name, *told, _judged(one))
    console.print(flat)
    console.print(dict(sorted(watch.kinds.items())))
    _report_log(world.service.log, console)
    console.print(f"The log of the service is in {notes}")


def _judged(one: Verdict) -> str:
    if not one.is_told:
        return "[yellow]not told: too few calm minutes[/]"
    return "flat" if one.is_flat else "[bold red]grows[/]"


def _report_log(log: Path, console: Console) -> None:
    """Print the log lines of the service from WARNING on, by kind."""
    said: Counter[str] = Counter()
    for line in log.read_text("utf-8", "replace").splitlines():
        try:
            told = json.loads(line)
        except ValueError:
            continue
        if told.get("level", "").lower() in ("warning", "error", "critical"):
            said[f"{told['level']} {told['logger']}: {told['message'][:160]}"] += 1
    for message, times in islice(said.most_common(), 30):
        console.print(f"{times:5} x {message}", markup=False)


if __name__ == "__main__":
    main()
