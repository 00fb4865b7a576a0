"""`octavo status` and `octavo slow`: query a running service's status endpoint, with its metrics token."""

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.request import Request

import click
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from octavo.cli.base import Command, json_option, project_option, read_settings, refuse, say, say_json, say_table
from octavo.cli.running import local_url, silence
from octavo.cli.unix_http import is_address, opener_for
from octavo.core.clock import format_timestamp
from octavo.core.plurals import counted
from octavo.settings import Settings

_PATIENCE: Final = 10.0
_MOST_STATEMENT: Final = 120

url_option = click.option("--url", help="URL of the service; defaults to --port or the settings.")


@click.command(cls=Command, epilog="Example: octavo status --watch")
@click.option("--watch", is_flag=True, help="Refresh until Ctrl-C.")
@click.option("--seconds", type=click.FloatRange(0.2), default=2.0, show_default=True, help="Refresh interval.")
@url_option
@project_option
@json_option
def status(watch: bool, seconds: float, url: str | None, project: Path, as_json: bool) -> None:
    """Show the status of a running service, which needs `metrics.token` in config/server.toml."""
    settings = read_settings(project)
    current = request_status(settings, url)
    if as_json:
        say_json(current)
        return
    if not watch:
        Console(highlight=False).print(_shown(current, None, 0.0))
        return
    with Live(_shown(current, None, seconds), auto_refresh=False) as live:
        while True:
            time.sleep(seconds)
            before, current = current, request_status(settings, url)
            live.update(_shown(current, before, seconds), refresh=True)


@click.command(cls=Command, epilog="Example: octavo slow --json")
@click.option("--plans", is_flag=True, help="Also show the query plan of each request's slowest statement.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number.")
@url_option
@project_option
@json_option
def slow(limit: int, plans: bool, url: str | None, project: Path, as_json: bool) -> None:
    """List slow requests of a running service, newest first, without values of callers."""
    requests = request_status(read_settings(project), url)["slow"][:limit]
    if as_json:
        say_json(requests)
        return
    if not requests:
        say("No slow requests. `metrics.slowThreshold` in config/server.toml sets the minimum duration.")
        return
    if plans:
        _say_plans(requests)
        return
    say_table(
        ("when", "request", "status", "ms", "statements", "their ms", "slowest statement", "its ms"),
        (
            (
                format_timestamp(one["at"]),
                _request(one),
                one["status"],
                one["milliseconds"],
                one["statements"],
                one["statement_milliseconds"],
                " ".join(one["slowest"].split())[:_MOST_STATEMENT],
                one["slowest_milliseconds"],
            )
            for one in requests
        ),
    )


def _request(one: Mapping[str, Any]) -> str:
    """Format a request: method, path and parameter names, without values."""
    return f"{one['method']} {one['path']}" + (f"?{one['shape']}" if one["shape"] else "")


def _say_plans(found: Iterable[Mapping[str, Any]]) -> None:
    """Print the plan of each statement once, slowest request first."""
    seen: set[str] = set()
    for one in sorted(found, key=lambda each: each["slowest_milliseconds"], reverse=True):
        if one["slowest"] and one["slowest"] not in seen:
            seen.add(one["slowest"])
            say("[bold]{}[/], {} ms", _request(one), one["slowest_milliseconds"])
            click.echo(f"{' '.join(one['slowest'].split())}\n\n{one['plan'] or 'No query plan.'}\n")


def request_status(settings: Settings, url: str | None) -> Any:
    """Return the status that a running service reports. Refuses if it cannot be reached."""
    token = settings.server.metrics.token
    if not token:
        refuse(
            "the status requires a metrics token, and none is set. Add one to .env as OCTAVO_SERVER__METRICS__TOKEN "
            "(octavo secrets new prints one), and restart the service"
        )
    address = (url or local_url(settings)).rstrip("/")
    if not is_address(address):
        refuse(f"{address} is not the URL of a service")
    opener, base = opener_for(address)
    asked = Request(f"{base}/_status", headers={"Authorization": f"Bearer {token}"})  # noqa: S310 - checked above
    try:
        with opener.open(asked, timeout=_PATIENCE) as answer:
            return json.load(answer)
    except HTTPError as error:
        refuse(f"{address} returned {error.code}: the service has another token or none, or it is another service")
    except (URLError, OSError, ValueError) as error:
        refuse(silence(address, error))


class _Numbers:
    """Samples by name, and their sums over labels."""

    def __init__(self, status: Any) -> None:
        self._families = {one["name"]: one["samples"] for one in status["families"]}

    def sum(self, name: str, suffix: str = "", **labels: str) -> float:
        wanted = set(labels.items())
        family = self._families.get(name, ())
        return float(sum(v for end, given, v in family if end == suffix and wanted <= {(a, b) for a, b in given}))

    def has(self, name: str) -> bool:
        """Return whether samples with this name exist."""
        return bool(self._families.get(name))

    def by(self, name: str, label: str) -> list[str]:
        return sorted({text for _, given, _ in self._families.get(name, ()) for key, text in given if key == label})


def _shown(status: Any, before: Any, seconds: float) -> Group:
    now, past = _Numbers(status), _Numbers(before or status)
    state = Text("ready", "bold green") if status["ready"] else Text("; ".join(status["reasons"]), "bold red")
    head = Text.assemble(f"Octavo {status['version']}, up {_time(status['seconds'])}: ", state)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold")
    table.add_column()
    for name, value in _rows(now, past, seconds if before else status["seconds"] or 1, since_start=before is None):
        table.add_row(name, value)
    return Group(head, table)


def _rows(now: _Numbers, past: _Numbers, seconds: float, *, since_start: bool) -> Iterable[tuple[str, str]]:
    def rise(name: str, suffix: str = "", **labels: str) -> float:
        return now.sum(name, suffix, **labels) - (0 if since_start else past.sum(name, suffix, **labels))

    def mean(name: str) -> str:
        number = rise(name, "_count")
        return f"{rise(name, '_sum') / number * 1000:.2f} ms" if number else "-"

    requests = rise("octavo_requests_total")
    codes = now.by("octavo_requests_total", "status")
    failed = sum(rise("octavo_requests_total", status=one) for one in codes if one >= "500")
    yield "requests", f"{requests / seconds:,.1f} a second, mean {mean('octavo_request_seconds')}, {failed:.0f} failed"
    yield "in progress", f"{now.sum('octavo_requests_running'):.0f}"
    statements = rise("octavo_statement_seconds", "_count") / seconds
    yield "statements", f"{statements:,.1f} a second, mean {mean('octavo_statement_seconds')}"
    used, most = now.sum("octavo_pool_connections", state="used"), now.sum("octavo_pool_connections_limit")
    waiting, waits = now.sum("octavo_pool_waiting"), rise("octavo_pool_waits_total")
    yield "connections", f"{used:.0f} of {most:.0f} in use, {waiting:.0f} waiting, {waits:.0f} waits"
    held, limit = now.sum("octavo_cache_bytes"), now.sum("octavo_cache_bytes_limit")
    hits, asked = rise("octavo_cache_requests_total", found="yes"), rise("octavo_cache_requests_total")
    yield "caches", f"{_size(held)} of {_size(limit)}, {hits / asked:.0%} found" if asked else _size(held)
    yield "event loop", f"late by {mean('octavo_loop_delay_seconds')} on average"
    yield "memory", f"{_size(now.sum('octavo_memory_bytes'))} in {counted(int(now.sum('octavo_workers')), 'worker')}"
    yield "database", "reachable" if now.sum("octavo_database_up") else "cannot be reached"
    for name in now.by("octavo_replica_used", "server"):
        state = "in use" if now.sum("octavo_replica_used", server=name) else "not in use"
        lag, reads = now.sum("octavo_replica_lag_seconds", server=name), rise("octavo_content_reads_total", server=name)
        failed = rise("octavo_replica_failures_total", server=name)
        yield (
            f"replica {name}",
            f"{state}, {lag:.1f} s behind, {reads / seconds:,.1f} reads a second, {failed:.0f} failed",
        )
    if now.has("octavo_backup_failures"):
        yield "last backup", _describe_backup(now)
    for topic in now.by("octavo_outbox_messages", "topic"):
        waits, dead = now.sum("octavo_outbox_messages", topic=topic), now.sum("octavo_outbox_given_up", topic=topic)
        late = now.sum("octavo_outbox_late_seconds", topic=topic)
        yield f"outbox, {topic}", f"{waits:.0f} waiting, the oldest {late:.0f} s late, {dead:.0f} failed"


def _describe_backup(now: _Numbers) -> str:
    failures = now.sum("octavo_backup_failures")
    since = f", {counted(int(failures), 'attempt')} failed since" if failures else ""
    if not now.has("octavo_backup_age_seconds"):
        return f"none{since}"
    age, size = now.sum("octavo_backup_age_seconds"), now.sum("octavo_backup_bytes")
    return f"{_time(int(age))} old, {_size(size)}, verified{since}"


def _size(number: float) -> str:
    return f"{number / 1024**2:,.1f} MB"


def _time(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if days else f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
