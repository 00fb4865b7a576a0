"""A complete run: set up the systems on one server, measure the workloads, and return everything for the report."""

import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.peers.content import create_content
from benchmarks.peers.databases import PostgreSQL, running_server
from benchmarks.peers.measure import Options, Result, Runner, check, measure
from benchmarks.peers.packages import PACKAGES, missing, node_of, version_of
from benchmarks.peers.processes import StartFailed, peak_megabytes
from benchmarks.peers.report import Run
from benchmarks.peers.systems.base import Site, System
from benchmarks.peers.systems.catalog import SYSTEMS
from benchmarks.peers.workloads import Workload

Report = Callable[[str], None]


def run(
    names: Sequence[str], workloads: Sequence[Workload], options: Options, packages: Path | None, report: Report
) -> Run:
    """Measure the workloads on the systems that can run; the others are listed as missing."""
    absent = {name: reason for name in names if SYSTEMS[name].needs_packages and (reason := missing(packages, name))}
    with ExitStack() as stack:
        server = stack.enter_context(running_server())
        runners = []
        for name in names:
            if name in absent:
                continue
            report(f"starting {SYSTEMS[name].title}")
            try:
                runners.append(stack.enter_context(_started(SYSTEMS[name], server, options.articles, packages)))
            except StartFailed as error:
                report(str(error))
                absent[name] = "it did not start"
        results = list(_measured(workloads, runners, options, server.pid, report))
        memory = {runner.system.name: peak_megabytes(runner.service.pid) for runner in runners}
    titles = {runner.system.name: _title(runner.system) for runner in runners}
    reasons = {_title(SYSTEMS[name]): reason for name, reason in absent.items()}
    return Run(_machine(), server.version, options, titles, memory, reasons, results)


def _title(system: System) -> str:
    return f"{system.title.rsplit(' ', 1)[0]} {version_of(system.name)}" if system.name in PACKAGES else system.title


def _machine() -> str:
    return (
        f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} at the end, Python {platform.python_version()}"
    )


@contextmanager
def _started(system: System, server: PostgreSQL, articles: int, packages: Path | None) -> Iterator[Runner]:
    needs = packages.absolute() if packages and system.needs_packages else None
    with tempfile.TemporaryDirectory(prefix="octavo-peers-") as folder:
        site = Site(
            Path(folder),
            server.create_database(system.name),
            create_content(articles),
            needs and needs / system.name,
            needs and node_of(needs),
        )
        try:
            with system.serve(site) as service:
                yield Runner(system, service, articles)
        finally:
            server.drop_database(system.name)


def _measured(
    workloads: Sequence[Workload], runners: Sequence[Runner], options: Options, pid: int | None, report: Report
) -> Iterator[Result]:
    """Compare the responses to all workloads before the first one is measured."""
    report("comparing the responses")
    rows = {workload: check(workload, runners) for workload in workloads}
    for workload, number in rows.items():
        if number is not None:
            report(f"{workload.api}: {workload.title}, {'random' if workload.random else 'equal'}")
            yield measure(workload, number, runners, options, pid)
