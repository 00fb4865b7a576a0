"""The report of a run, as Markdown."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.peers.measure import Options, Result, Round
from benchmarks.peers.workloads import Workload


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that a run measured. Systems are in the order of the table's columns."""

    machine: str
    database: str
    options: Options
    titles: Mapping[str, str]
    memory: Mapping[str, float]
    missing: Mapping[str, str]
    results: Sequence[Result]

    @property
    def main(self) -> int:
        """Return the number of connections of the main table."""
        return 16 if 16 in self.options.connections else self.options.connections[0]


def to_markdown(run: Run) -> str:
    """Return the report."""
    lines = [*_conditions(run), "", *_rates(run), "", *_processor(run), "", *_latencies(run), "", *_memory(run)]
    lines += ["", *_behind(run)]
    return "\n".join(lines) + "\n"


def _conditions(run: Run) -> Iterator[str]:
    options = run.options
    yield f"{run.machine}; PostgreSQL {run.database}; {options.articles:,} articles; medians of {options.rounds} rounds"
    yield f"of {options.seconds:g} s, systems in turns."
    for title, reason in run.missing.items():
        yield f"{title} was not measured: {reason}."
    failed = sum(round.failed for round in _all_rounds(run))
    if failed:
        yield f"**{failed} requests failed.**"


def _all_rounds(run: Run) -> Iterator[Round]:
    for result in run.results:
        for by_connections in result.rounds.values():
            for rounds in by_connections.values():
                yield from rounds


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|---|{'--:|' * (len(head) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _title(workload: Workload) -> str:
    if workload.writes:
        return f"{workload.api}: {workload.title}"
    return f"{workload.api}: {workload.title}, {'random' if workload.random else 'equal'}"


def _rows(run: Run, cell: Callable[[Result, str], str]) -> Iterator[list[str]]:
    for result in run.results:
        cells = [cell(result, name) if name in result.rounds else "" for name in run.titles]
        yield [_title(result.workload), *cells]


def _rates(run: Run) -> Iterator[str]:
    yield f"Requests per second with {run.main} connections:"
    yield ""

    def cell(result: Result, name: str) -> str:
        return f"{_value(result, name, run.main, _rate):,.0f}"

    yield from _table(["", *run.titles.values()], _rows(run, cell))


def _processor(run: Run) -> Iterator[str]:
    yield f"CPU milliseconds per request with {run.main} connections, of the service + of PostgreSQL:"
    yield ""

    def cell(result: Result, name: str) -> str:
        service = _value(result, name, run.main, lambda found: found.service_cpu)
        database = _value(result, name, run.main, lambda found: found.database_cpu)
        return f"{service:.2f} + {database:.2f}"

    yield from _table(["", *run.titles.values()], _rows(run, cell))
    client = median([round.client_cpu for round in _all_rounds(run)])
    yield ""
    yield f"The client takes {client:.2f} ms of CPU per request in addition (median of all workloads)."


def _latencies(run: Run) -> Iterator[str]:
    for connections in run.options.connections:
        yield f"Latency in milliseconds with {connections} connection{'s' * (connections > 1)}, p50 / p99:"
        yield ""

        def cell(result: Result, name: str, connections: int = connections) -> str:
            half = _value(result, name, connections, lambda found: found.p50)
            most = _value(result, name, connections, lambda found: found.p99)
            return f"{half:.1f} / {most:.1f}"

        yield from _table(["", *run.titles.values()], _rows(run, cell))
        yield ""


def _memory(run: Run) -> Iterator[str]:
    yield "Peak memory of each service in MB:"
    yield ""
    yield from _table(
        ["", *run.titles.values()], [["peak memory", *[f"{run.memory[name]:.0f}" for name in run.titles]]]
    )


def _behind(run: Run) -> Iterator[str]:
    """List the workloads in which another system answers more requests than Octavo, or needs less CPU time."""
    lines = [line for result in run.results if "octavo" in result.rounds for line in _behind_in(run, result)]
    yield "Octavo is behind in:" if lines else "Octavo is behind in no workload."
    if lines:
        yield ""
        yield from lines


def _behind_in(run: Run, result: Result) -> Iterator[str]:
    title = _title(result.workload)
    for name in result.rounds:
        for connections in run.options.connections:
            own, other = (_value(result, system, connections, _rate) for system in ("octavo", name))
            if own < other:
                place = f"{connections} connection{'s' * (connections > 1)}"
                yield f"- {title}, {place}: {own:,.0f} requests per second, {run.titles[name]} {other:,.0f}"
        own, other = (_value(result, system, run.main, _cpu) for system in ("octavo", name))
        if own > other:
            yield f"- {title}: {own:.2f} ms of CPU in total, {run.titles[name]} {other:.2f}"


def _value(result: Result, name: str, connections: int, value: Callable[[Round], float]) -> float:
    return median(map(value, result.rounds[name][connections]))


def _rate(found: Round) -> float:
    return found.rate


def _cpu(found: Round) -> float:
    return found.service_cpu + found.database_cpu
