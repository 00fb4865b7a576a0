"""Acknowledged writes persist, and others are complete or missing: after kills, outages and races."""

import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from tests.cli.processes import run, serving
from tests.cli.projects import database_variables, make_project, write_type
from tests.mysql_server import MysqlServer
from tests.postgresql_server import PostgresqlServer
from tests.robustness.load import POPULATE, Client, Load, article, broken_promises, outline
from tests.robustness.orphans import orphans
from tests.robustness.sites import AttackedSite, blog_site

MakeSite = Callable[[], AttackedSite]
RACERS = 24
SERVED = [("sqlite", "1"), ("sqlite", "2"), ("postgresql", "1"), ("postgresql", "2"), ("mysql", "2")]
"""Databases and numbers of workers."""


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> AttackedSite:
    """The blog on each database."""
    on_server = request.param != "sqlite"
    return blog_site(tmp_path, request.getfixturevalue(f"{request.param}_server") if on_server else None)


def full_token(site: AttackedSite) -> bytes:
    return site.callers.headers[-1][0][1]


def all_articles(site: AttackedSite) -> int:
    return int(site.run_sql("SELECT count(*) FROM articles")[0])


def check_everything(site: AttackedSite, load: Load, before: list[str], articles: int) -> None:
    """Check that all acknowledged writes exist, no unknown entry exists, and no row is orphaned."""
    with serving("start", site.folder, **site.variables) as server:
        with closing(Client(server.port, full_token(site))) as client:
            assert broken_promises(load, client) == []
        created = all_articles(site) - articles - sum(not reported.deleted for reported in load.known.values())
        in_doubt = sum(-1 in reported.sent and not reported.deleted for reported in load.known.values())
        assert -in_doubt <= created <= load.created_unanswered
        assert orphans(site) == before
        assert server.stop()[0] == 0


def test_a_killed_service_loses_no_acknowledged_write(site: AttackedSite) -> None:
    before, articles = orphans(site), all_articles(site)
    for round_number, writes in enumerate((5, 60, 150)):
        with serving("start", site.folder, **site.variables) as server:
            load = Load(server.port, full_token(site), seed=round_number)
            load.wait_for_writes(writes)
            server.stop(signal.SIGKILL)
            load.stop()
        assert load.statuses.keys() == {200}
        check_everything(site, load, before, articles)
        articles = all_articles(site)


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_an_outage_of_postgresql_is_survived(
    own_postgresql_server: PostgresqlServer, tmp_path: Path, mode: str
) -> None:
    site = blog_site(tmp_path, own_postgresql_server)
    before, articles = orphans(site), all_articles(site)
    with serving("start", site.folder, **site.variables) as server:
        load = Load(server.port, full_token(site), patient=True)
        load.wait_for_writes(50)
        own_postgresql_server.stop(mode)
        load.wait_for(503, 1)
        with closing(Client(server.port, full_token(site))) as client:
            asked = client.call("GET", "/api/articles")
        own_postgresql_server.start()
        done = load.statuses[200]
        load.wait_for_writes(done + 50)
        load.stop()
        code, output = server.stop()
    assert asked[0] == 503
    assert asked[1]["error"] == {
        "status": 503,
        "name": "ServiceUnavailableError",
        "message": "Service Unavailable",
        "details": {},
    }
    assert int(asked[2]["Retry-After"]) > 0
    assert load.statuses.keys() == {200, 503}
    assert None not in load.retries
    assert (code, output.count("Traceback")) == (0, 0)
    check_everything(site, load, before, articles)


@pytest.fixture
def durable_mysql_server() -> Iterator[MysqlServer]:
    """A server that writes each commit to its log, as servers do by default."""
    server = MysqlServer("--innodb-flush-log-at-trx-commit=1", "--innodb-doublewrite=1")
    yield server
    server.remove()


def test_outages_of_mysql_are_survived(durable_mysql_server: MysqlServer, tmp_path: Path) -> None:
    site = blog_site(tmp_path, durable_mysql_server)
    before, articles = orphans(site), all_articles(site)
    with serving("start", site.folder, **site.variables) as server:
        load = Load(server.port, full_token(site), patient=True)
        for how in (signal.SIGTERM, signal.SIGKILL):
            load.wait_for_writes(load.statuses[200] + 50)
            refused = load.statuses[503]
            durable_mysql_server.stop(how)
            load.wait_for(503, refused + 1)
            durable_mysql_server.start()
        load.wait_for_writes(load.statuses[200] + 50)
        load.stop()
        code, output = server.stop()
    assert load.statuses.keys() == {200, 503}
    assert None not in load.retries
    assert (code, output.count("Traceback")) == (0, 0)
    check_everything(site, load, before, articles)


def race(port: int, token: bytes, path: str, data: dict[str, Any]) -> list[int]:
    """Return the sorted statuses of many clients that create the same entry concurrently."""
    together, statuses = Barrier(RACERS), []

    def create() -> None:
        with closing(Client(port, token)) as client:
            client.call("GET", "/_health")
            together.wait()
            statuses.append(client.call("POST", path, {"data": data})[0])

    threads = [Thread(target=create) for _ in range(RACERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(statuses)


ONE_WINS = [200, *[400] * (RACERS - 1)]
EVENT = {"name": "Race", "venue": {"city": "x"}, "open": True}


@pytest.mark.parametrize("site, workers", SERVED, indirect=["site"])
def test_one_of_many_gets_a_unique_value(site: AttackedSite, workers: str) -> None:
    with serving("start", site.folder, "--workers", workers, **site.variables) as server:
        token = full_token(site)
        for attempt in range(2):
            assert race(server.port, token, "/api/authors", {"name": f"Same {attempt}"}) == ONE_WINS
            assert race(server.port, token, "/api/articles", {"title": "x", "slug": f"same-{attempt}"}) == ONE_WINS
            email = {**EVENT, "organizerEmail": f"same{attempt}@example.org"}
            assert race(server.port, token, "/api/events", email) == ONE_WINS


TOWN: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "towns",
    "info": {"singularName": "town", "pluralName": "towns", "displayName": "Town"},
    "pluginOptions": {"i18n": {"localized": True}},
    "attributes": {"name": {"type": "string", "unique": True, "pluginOptions": {"i18n": {"localized": True}}}},
}


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_localized_value_is_unique_in_each_locale(
    request: pytest.FixtureRequest, tmp_path: Path, database: str
) -> None:
    project = make_project(tmp_path / "site")
    write_type(project, TOWN)
    on_server = database == "postgresql"
    variables = database_variables(request.getfixturevalue("postgresql_url")) if on_server else {}
    assert run("db", "upgrade", "--project", str(project), **variables)[0] == 0
    made = run("tokens", "create", "all", "--type", "full-access", "--project", str(project), "--json", **variables)
    token = b"Bearer " + made[1].partition('"token": "')[2].partition('"')[0].encode()
    with serving("start", project, **variables) as server:
        assert race(server.port, token, "/api/towns", {"name": "Rome", "locale": "en"}) == ONE_WINS
        assert race(server.port, token, "/api/towns", {"name": "Oslo"}) == ONE_WINS
        assert race(server.port, token, "/api/towns", {"name": "Rome"}) == [400] * RACERS


def test_two_workers_share_one_file_under_load(tmp_path: Path) -> None:
    site = blog_site(tmp_path)
    before, articles = orphans(site), all_articles(site)
    with serving("start", site.folder, "--workers", "2") as server:
        load = Load(server.port, full_token(site), 8)
        load.wait_for_writes(600)
        load.stop()
        assert load.statuses.keys() == {200}
        code, output = server.stop()
    assert (code, "Traceback" in output) == (0, False)
    check_everything(site, load, before, articles)


@pytest.mark.parametrize("site, workers", SERVED, indirect=["site"])
def test_a_stop_under_load_finishes_running_requests(site: AttackedSite, workers: str) -> None:
    before, articles = orphans(site), all_articles(site)
    with serving("start", site.folder, "--workers", workers, **site.variables) as server:
        load = Load(server.port, full_token(site), 8)
        load.wait_for_writes(60)
        code, output = server.stop()
        load.stop()
    assert (code, "Traceback" in output) == (0, False)
    assert load.statuses.keys() == {200}
    check_everything(site, load, before, articles)


def test_the_outline_of_an_article_equals_the_request(tmp_path: Path) -> None:
    """The other tests compare with it."""
    site = blog_site(tmp_path)
    with serving("start", site.folder) as server, closing(Client(server.port, full_token(site))) as client:
        for version in range(3):
            _, made, _ = client.call("POST", "/api/articles", {"data": article(version)})
            _, read, _ = client.call("GET", f"/api/articles/{made['data']['id']}?{POPULATE}")
            assert outline(read["data"]) == article(version)


def test_orphaned_rows_are_found(site: AttackedSite) -> None:
    """The other tests rely on it."""
    before = orphans(site)
    values = "file_id, related_id, related_type, field) VALUES (1, 999999, 'api::article.article', 'cover')"
    site.run_sql(f"INSERT INTO files_related_morphs ({values}")
    site.run_sql("DELETE FROM articles_components WHERE component_type = 'shared.rich-text'")
    found = {line.split("|")[0] for line in set(orphans(site)) - set(before)}
    assert found == {"files_related_morphs", "components_shared_rich_texts"}
