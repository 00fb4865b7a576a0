"""Send hostile requests to a server and check every response.

A correct response is fast, is no 5xx, is the JSON error envelope if it refuses, and contains nothing secret: no
traceback, no marked value (see `sites`), no token.
"""

import argparse
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.cli.processes import serving
from tests.postgresql_server import PostgresqlServer, start_server
from tests.robustness.hostile import Hostility
from tests.robustness.processor import Clock, clock_of
from tests.robustness.sites import HIDDEN, MARK, AttackedSite, blog_site, bookshop_site
from tests.robustness.wire import HostileRequest, Wire, WireAnswer

MOST_SECONDS = 2.0
UNLIMITED = {"OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__ENABLED": "false"}
TRACES = re.compile(
    rb'Traceback|File ".+", line|site-packages|apsw\.|asyncpg\.|sqlite3?\.|octavo\.\w+\.|SQLITE_|psycopg'
)
REFUSED_BY_THE_SERVER = frozenset((400, 408, 413, 414, 417, 431, 501, 505))
SITES: dict[str, Callable[[Path, PostgresqlServer | None], AttackedSite]] = {
    "blog": blog_site,
    "bookshop": bookshop_site,
}


@dataclass
class Verdict:
    """The result of a run: how often each status occurred, and every failure with its request."""

    statuses: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0
    failures: list[str] = field(default_factory=list)


def attack(port: int, site: AttackedSite, seed: int, number: int, clock: Clock = time.monotonic) -> Verdict:
    """Send this many requests of a seed and check the responses. `clock` measures each request."""
    verdict = Verdict()
    wire = Wire(port)
    full = site.callers.headers[-1][0][1]
    secrets = tuple(secret.encode() for secret in site.secrets)
    for position, request in enumerate(Hostility(site.registry, site.callers, seed).requests(number)):
        began = clock()
        answer = wire.send(request)
        seconds = clock() - began
        verdict.statuses[answer.status] += 1
        verdict.slowest = max(verdict.slowest, seconds)
        if seconds > MOST_SECONDS:
            verdict.failures.append(f"{position}: took {seconds:.1f} s: {shown(request)}")
        may_see_hidden = any(value == full for _, value in request.headers)
        forbidden = (MARK.encode(), *secrets, *(() if may_see_hidden else (HIDDEN.encode(),)))
        for problem in problems(request, answer, forbidden):
            verdict.failures.append(f"{position}: {problem}: {shown(request)} -> {answer.status} {answer.body[:300]!r}")
    wire.close()
    return verdict


def problems(request: HostileRequest, answer: WireAnswer, forbidden: tuple[bytes, ...]) -> Iterator[str]:
    """Return the problems of a response."""
    if answer.status == 0:
        yield "no answer"
        return
    if answer.status >= 500:
        yield "server error"
    if TRACES.search(answer.body):
        yield "a trace of the code"
    if any(mark in answer.body for mark in forbidden):
        yield "a leak"
    if request.method != b"HEAD" and not _is_well_formed(request, answer):
        yield "not in the envelope"


def _is_well_formed(request: HostileRequest, answer: WireAnswer) -> bool:
    is_json = answer.headers.get("content-type", "").startswith("application/json")
    if answer.status < 400:
        return not is_json or _parsed(answer.body) is not None
    if answer.status == 405:
        return answer.body == b"Method Not Allowed"
    if not answer.body and not is_json and answer.status in REFUSED_BY_THE_SERVER:
        return not request.framed or _is_no_http(request)
    parsed = _parsed(answer.body)
    error = parsed.get("error") if isinstance(parsed, dict) else None
    return (
        isinstance(error, dict)
        and parsed == {"data": None, "error": error}
        and error.keys() - {"details"} == {"status", "name", "message"}
        and error["status"] == answer.status
        and isinstance(error["name"], str)
        and isinstance(error["message"], str)
    )


def _is_no_http(request: HostileRequest) -> bool:
    """Return whether the server may refuse a request while parsing it: HTTP does not allow its URL or a header."""
    values = [value for _, value in request.headers]
    return (
        len(request.headers) > 90
        or len(request.target) > 8000
        or not request.target.isascii()
        or not all(value.isascii() for value in values)
        or any(name == b"Host" for name, _ in request.headers)
    )


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def shown(request: HostileRequest) -> str:
    """Return a request as one line."""
    who = next((value[:30].decode("latin-1") for name, value in request.headers if name == b"Authorization"), "public")
    text = f"[{request.kind}, {who}] {request.method.decode()} {request.target.decode('latin-1')[:700]}"
    return f"{text} {request.body[:1500]!r}" if request.body else text


def main() -> int:
    """Run from the command line. Return 1 if a problem was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--requests", type=int, default=6000)
    parser.add_argument("--site", choices=SITES, default="blog")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--base-url", help="a server of that site that runs already; else one is started")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = start_server() if options.database == "postgresql" and not options.base_url else None
        if server is not None:
            stack.callback(server.remove)
        site = SITES[options.site](folder, server)
        if options.base_url:
            port, clock = urlsplit(options.base_url).port or 80, time.monotonic
        else:
            started = stack.enter_context(serving("start", site.folder, **site.variables, **UNLIMITED))
            port, clock = started.port, clock_of(started.process.pid)
        verdict = attack(port, site, options.seed, options.requests, clock)
    lines = (
        *verdict.failures,
        f"{len(verdict.failures)} failures, slowest {verdict.slowest:.2f} s, {verdict.statuses}",
    )
    print("\n".join(lines))  # noqa: T201
    return bool(verdict.failures)


if __name__ == "__main__":
    raise SystemExit(main())
