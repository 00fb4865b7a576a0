"""`make bench-peers` with systems that need no Node.js: equal rows, counted requests, a complete report."""

from pathlib import Path
from urllib.parse import unquote

import orjson
import pytest
from click.testing import CliRunner

from benchmarks.peers.__main__ import main
from benchmarks.peers.content import create_content, plain_tables, v4_tables, v5_tables
from benchmarks.peers.measure import Different, Options, compare, names_in
from benchmarks.peers.packages import PACKAGES, missing
from benchmarks.peers.processes import spent_seconds
from benchmarks.peers.report import to_markdown
from benchmarks.peers.run import run
from benchmarks.peers.systems.catalog import SYSTEMS
from benchmarks.peers.workloads import WORKLOADS, Api, Kind, Operation, Workload

ARTICLES = 200


@pytest.mark.postgresql
def test_octavo_and_the_driver_are_measured_on_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    options = Options(ARTICLES, (2,), rounds=1, seconds=0.02, warm_up=0)
    said: list[str] = []
    found = run(("octavo", "driver", "directus"), WORKLOADS, options, None, said.append)

    assert found.missing.keys() == {"Directus 11.17.4"}
    assert [result.workload for result in found.results] == list(WORKLOADS)
    systems = {result.workload: list(result.rounds) for result in found.results}
    assert all("octavo" in names for names in systems.values())
    assert [
        workload.kind for workload, names in systems.items() if workload.api is Api.REST and "driver" not in names
    ] == [Kind.CURSOR]
    rounds = [by[2][0] for result in found.results for by in result.rounds.values()]
    assert all(one.failed == 0 and one.rate > 0 and 0 < one.p50 <= one.p99 and one.size > 0 for one in rounds)
    assert all(memory > 10 for memory in found.memory.values())
    rows = {result.workload.kind: result.rows for result in found.results if result.workload.api is Api.REST}
    content = create_content(ARTICLES)
    populated = 25 + 25
    assert rows[Kind.ENTRY] == rows[Kind.CREATE] == rows[Kind.UPDATE] == 1
    assert rows[Kind.LIST] == rows[Kind.TOTAL] == rows[Kind.AFTER] == rows[Kind.CURSOR] == 25
    assert populated + 25 * 2 <= rows[Kind.POPULATE] <= populated + 25 * 4
    assert 1 < rows[Kind.DEEP] <= 1 + 5 * max(map(content.writers.count, content.writers))

    report = to_markdown(found)
    assert "Directus 11.17.4 was not measured: the folder of its packages is not set" in report
    assert "| REST: one entry, random |" in report
    assert report.count("| GraphQL, literals: update |") == 3


def test_the_same_number_of_articles_creates_the_same_rows() -> None:
    assert create_content(100) == create_content(100)
    content = create_content(100)
    for tables in (plain_tables, v4_tables, v5_tables):
        sizes = {table.name: len(table.rows) for table in tables(content)}
        assert list(sizes.values())[:3] == [5, 5, 100]
        assert len(content.links) in sizes.values()
        assert all(len(row) == len(table.columns) for table in tables(content) for row in table.rows)


def test_every_system_gets_the_same_values() -> None:
    """The request to each system contains each value of an operation that the system supports."""
    for workload in WORKLOADS:
        operations = workload.operations(ARTICLES)
        for _ in range(3):
            operation = next(operations)
            for name, system in SYSTEMS.items():
                if operation.kind is Kind.CURSOR or not (request := system.dialect.request(workload.api, operation)):
                    continue
                text = unquote(request.path) + orjson.dumps(request.body).decode()
                assert all(str(value) in text for value in operation.values), (name, text)


def test_requests_are_equal_or_differ() -> None:
    for workload in WORKLOADS:
        operations = workload.operations(10_000)
        different = {next(operations) for _ in range(50)}
        assert (len(different) > 1) is workload.random


def test_written_values_rise() -> None:
    for workload in WORKLOADS:
        if workload.writes:
            operations = workload.operations(ARTICLES)
            titles = [next(value for value in next(operations).values if isinstance(value, str)) for _ in range(20)]
            assert titles == sorted(set(titles))


def test_each_variable_is_replaced_by_a_literal() -> None:
    operation = Operation(Kind.SEARCH, ('river "ferry', "news"))
    request = SYSTEMS["postgraphile"].dialect.request(Api.LITERALS, operation)
    assert request
    assert list(request.body) == ["query"]
    assert r'{includesInsensitive: "river \"ferry"}, kind: {equalTo: "news"}' in request.body["query"]


WORKLOAD = Workload("one entry", Api.REST, Kind.ENTRY, random=True)


def test_responses_with_other_rows_are_an_error() -> None:
    body = b'{"data": {"title": "a", "author": {"name": "b"}}}'
    assert names_in(orjson.loads(body)) == ["a", "b"]
    compare(WORKLOAD, {"one": [body], "other": [b'{"title": "a", "id": 1, "writer": [{"name": "b"}]}']})
    with pytest.raises(Different, match="REST, one entry: one and other return different rows"):
        compare(WORKLOAD, {"one": [body], "other": [b'{"title": "a"}']})


def test_responses_of_another_size_are_an_error() -> None:
    padded = orjson.dumps({"title": "a", "body": "x" * 1000})
    with pytest.raises(Different, match="the sizes of the responses differ"):
        compare(WORKLOAD, {"one": [b'{"title": "a"}'], "other": [padded]})


def test_processes_that_exit_take_no_time_away() -> None:
    second = 1_000_000_000
    assert spent_seconds({1: second, 2: 5 * second}, {1: 3 * second, 3: second}) == 3.0


def test_missing_packages_are_reported_with_the_command_that_installs_them(tmp_path: Path) -> None:
    for system in PACKAGES:
        assert "python -m benchmarks.peers install FOLDER" in str(missing(None, system))
        assert f"python -m benchmarks.peers install {tmp_path}" in str(missing(tmp_path, system))


def test_packages_are_not_installed_in_the_working_copy() -> None:
    result = CliRunner().invoke(main, ["install", str(Path(__file__).parent / "peers")])
    assert result.exit_code == 2
    assert "is in the working copy: choose a folder outside of it" in result.output


def test_all_packages_have_exact_versions() -> None:
    versions = [version for packages in PACKAGES.values() for version in packages.values()]
    assert all(version.replace(".", "").isdigit() and version.count(".") == 2 for version in versions)
