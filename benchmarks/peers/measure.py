"""Run the workloads: check that all systems return the same rows, then load them in turns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import Any

import orjson

from benchmarks.peers.client import Load, fetch, send_load
from benchmarks.peers.processes import Service, cpu_times, spent_seconds
from benchmarks.peers.systems.base import System
from benchmarks.peers.workloads import PAGE, Api, Kind, Operation, Workload

SAMPLES = 3
"""Responses that are compared for each workload."""
WARM_UP_REQUESTS = 2_000
POOL = 4_000
"""Different requests for each workload that reads."""
LARGEST_RATIO = 3.0
"""Factor by which the sizes of responses with the same rows can differ."""
ENVELOPE = 200
"""Bytes of a response without rows."""


class Different(RuntimeError):
    """Systems return different rows, or an error."""


@dataclass(frozen=True, slots=True)
class Options:
    """How long and how often each workload is measured."""

    articles: int
    connections: Sequence[int]
    rounds: int
    seconds: float
    warm_up: float
    """Most seconds before the first round, less if `WARM_UP_REQUESTS` are answered earlier."""


class Runner:
    """A running system, with the cursors of its pages and an endless source of requests for each workload."""

    def __init__(self, system: System, service: Service, articles: int) -> None:
        self.system = system
        self.service = service
        self._articles = articles
        self._cursors: dict[Api, list[str]] = {}
        self._sources: dict[Workload, Iterator[bytes]] = {}

    def supports(self, workload: Workload) -> bool:
        """Return whether the system can run a workload."""
        if workload.kind is Kind.CURSOR and workload.api not in self.system.next_cursor:
            return False
        values = ("",) if workload.kind is Kind.CURSOR else next(workload.operations(self._articles)).values
        return self.system.dialect.request(workload.api, Operation(workload.kind, values)) is not None

    def samples(self, workload: Workload) -> list[bytes]:
        """Return the responses to the first requests of a workload."""
        return [self._fetch(request) for request in islice(self._requests(workload), SAMPLES)]

    def source(self, workload: Workload) -> Iterator[bytes]:
        """Return the workload's requests; they continue where the last round ended."""
        if workload not in self._sources:
            requests = self._requests(workload)
            self._sources[workload] = requests if workload.writes else _repeat(requests, POOL)
        return self._sources[workload]

    def _requests(self, workload: Workload) -> Iterator[bytes]:
        for operation in workload.operations(self._articles):
            values = operation.values
            if operation.kind is Kind.CURSOR:
                values = (self._pages(workload.api)[values[0]],)
            yield self._encode(workload.api, Operation(operation.kind, values))

    def _encode(self, api: Api, operation: Operation) -> bytes:
        request = self.system.dialect.request(api, operation)
        assert request is not None
        return request.encode()

    def _pages(self, api: Api) -> list[str]:
        """Return the cursor of each page; the first page has none."""
        if api not in self._cursors:
            pages = [""]
            for _ in range(self._articles // PAGE - 1):
                answer = self._fetch(self._encode(api, Operation(Kind.CURSOR, (pages[-1],))))
                cursor = self.system.next_cursor[api](orjson.loads(answer))
                if cursor is None:
                    break
                pages.append(cursor)
            self._cursors[api] = pages
        return self._cursors[api]

    def _fetch(self, request: bytes) -> bytes:
        status, body = fetch(self.service.port, request)
        if not 200 <= status < 300 or b'{"errors":' in body[:200]:
            text = request.decode()[:600]
            raise Different(f"{self.system.title} returned {status} to\n{text}\n{body.decode()[:1000]}")
        return body


def _repeat(requests: Iterator[bytes], number: int) -> Iterator[bytes]:
    """Yield the first requests again and again; equal requests are encoded once."""
    pool = list(dict.fromkeys(islice(requests, number)))
    while True:
        yield from pool


def names_in(answer: Any) -> list[str]:
    """Return the titles and names at all levels of a response, sorted: they identify its rows.

    >>> names_in({"data": {"title": "a", "author": {"name": "b"}}})
    ['a', 'b']
    """
    found: list[str] = []
    waiting = [answer]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            found += [value[key] for key in ("title", "name") if isinstance(value.get(key), str)]
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return sorted(found)


def compare(workload: Workload, answers: Mapping[str, Sequence[bytes]]) -> None:
    """Raise Different unless all systems return the same rows, in responses of a similar size."""
    rows = {name: [names_in(orjson.loads(body)) for body in bodies] for name, bodies in answers.items()}
    first = next(iter(rows))
    for name, found in rows.items():
        if found != rows[first]:
            raise Different(
                f"{workload.api}, {workload.title}: {first} and {name} return different rows\n"
                f"{first}: {rows[first]}\n{name}: {found}"
            )
    sizes = {name: sum(map(len, bodies)) for name, bodies in answers.items()}
    if max(sizes.values()) > LARGEST_RATIO * min(sizes.values()) + ENVELOPE * len(answers[first]):
        raise Different(f"{workload.api}, {workload.title}: the sizes of the responses differ: {sizes}")


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a system. CPU times are milliseconds per request."""

    rate: float
    p50: float
    p99: float
    service_cpu: float
    database_cpu: float
    client_cpu: float
    size: float
    failed: int


@dataclass(frozen=True, slots=True)
class Result:
    """The rounds of a workload by system and number of connections; `rows` has the number of entries in a response."""

    workload: Workload
    rows: int
    rounds: Mapping[str, Mapping[int, Sequence[Round]]]


def check(workload: Workload, runners: Sequence[Runner]) -> int | None:
    """Compare the responses of all systems that support a workload; return the number of entries in the first one.

    None: no system supports it.
    """
    answers = {runner.system.title: runner.samples(workload) for runner in runners if runner.supports(workload)}
    if not answers:
        return None
    compare(workload, answers)
    return len(names_in(orjson.loads(next(iter(answers.values()))[0])))


def measure(
    workload: Workload, rows: int, runners: Sequence[Runner], options: Options, database_pid: int | None
) -> Result:
    """Measure one workload: warm up, then rounds of the systems in turns."""
    able = [runner for runner in runners if runner.supports(workload)]
    for runner in able:
        _warm_up(runner, workload, options)
    rounds: dict[str, dict[int, list[Round]]] = {
        runner.system.name: {connections: [] for connections in options.connections} for runner in able
    }
    for number in range(options.rounds):
        for connections in options.connections:
            for runner in able[:: -1 if number % 2 else 1]:
                found = _round(runner, workload, connections, options.seconds, database_pid)
                rounds[runner.system.name][connections].append(found)
    return Result(workload, rows, rounds)


def _warm_up(runner: Runner, workload: Workload, options: Options) -> None:
    """Send requests until compilers and caches of a system have seen enough of them."""
    sent, end = 0, perf_counter() + options.warm_up
    while sent < WARM_UP_REQUESTS and perf_counter() < end:
        sent += send_load(runner.service.port, runner.source(workload), max(options.connections), 0.2).requests


def _round(runner: Runner, workload: Workload, connections: int, seconds: float, database_pid: int | None) -> Round:
    pids = (runner.service.pid, database_pid)
    before = [cpu_times(pid) for pid in pids]
    load = send_load(runner.service.port, runner.source(workload), connections, seconds)
    service, database = [spent_seconds(start, cpu_times(pid)) for pid, start in zip(pids, before, strict=True)]
    return _summary(load, service, database)


def _summary(load: Load, service: float, database: float) -> Round:
    return Round(
        load.requests / load.seconds,
        load.percentile(0.5),
        load.percentile(0.99),
        service * 1000 / load.requests,
        database * 1000 / load.requests,
        load.client_cpu,
        load.bytes / load.requests,
        load.failed,
    )
