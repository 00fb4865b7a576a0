"""The log level and maintenance mode of all nodes of a database, on each database."""

import json
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.access.authentication.api_tokens import create_token
from octavo.accounts.administrators.deployed_definitions import Presence
from octavo.accounts.administrators.live_settings import read_live_settings, set_live
from octavo.accounts.administrators.provisioning import ensure_first_administrator
from octavo.database.maintenance_mode import UnderMaintenance
from octavo.database.unit_of_work import unit_of_work
from octavo.operations.runtime.live_settings import LiveSettingsFollower
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings
from tests.api.http.asgi import Answer, Header, call
from tests.cli.projects import database_variables, make_project

pytestmark = pytest.mark.anyio

JSON: list[Header] = [("Content-Type", "application/json")]
PASSWORD = "Right-4711"
MESSAGE = "Back at 6 pm"


@pytest.fixture(autouse=True)
def level() -> Iterator[None]:
    before = logging.getLogger().level
    yield
    logging.getLogger().setLevel(before)


@pytest.fixture(params=["sqlite", "postgresql"])
async def nodes(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Process, Process]]:
    """Two services on one database."""
    given = {"ADMIN_JWT_SECRET": "a-secret-of-administrators"}
    if request.param == "postgresql":
        given |= database_variables(request.getfixturevalue("postgresql_url"))
    settings = load_settings(make_project(tmp_path / "site"), given, default_mode="production")
    services = build(settings), build(settings)
    for service in services:
        await service.asgi.start()
    await ensure_first_administrator(services[0].database, "ann@example.org", PASSWORD)
    yield services
    for service in services:
        await service.asgi.stop()


async def post(service: Process, path: str, body: Any, token: str = "", method: str = "POST") -> Answer:
    bearer = [("Authorization", f"Bearer {token}")] if token else []
    return await call(service.asgi, method, path, [*JSON, *bearer], [json.dumps(body).encode()])


async def look(nodes: tuple[Process, Process]) -> None:
    """Run the check of both nodes, which they repeat every second."""
    for service in nodes:
        await service.live.look()


async def sign_in(service: Process) -> str:
    answer = await post(service, "/admin/login", {"email": "ann@example.org", "password": PASSWORD})
    return str(answer.json["data"]["token"])


async def test_writes_are_refused_on_all_nodes_and_reads_continue(nodes: tuple[Process, Process]) -> None:
    one, other = nodes
    token = await create_token(one.database, one.settings.secrets.api_token_salt or "", "all", "full-access")
    ann = await sign_in(one)
    body = {"data": {"title": "Hush"}}
    assert (await post(one, "/api/stories", body, token)).status == 200
    response = await post(one, "/octavo/live-settings", {"maintenance": MESSAGE}, ann, "PUT")
    assert (response.status, response.json["data"]) == (200, {"logLevel": None, "maintenance": MESSAGE})
    await look(nodes)
    for service in nodes:
        refused = await post(service, "/api/stories", body, token)
        assert (refused.status, refused.json["error"]["message"]) == (503, MESSAGE)
        assert refused.headers["retry-after"] == "60"
        mutation = {"query": 'mutation { createStory(data: {title: "x"}) { data { id } } }'}
        assert (await post(service, "/graphql", mutation, token)).json["errors"][0]["message"] == MESSAGE
        query = await post(service, "/graphql", {"query": "{ stories { data { id } } }"}, token)
        assert query.json["data"]["stories"]["data"] == [{"id": "1"}]
        ready = await call(service.asgi, "GET", "/_ready")
        assert (ready.status, ready.json["reasons"]) == (200, ["read-only: maintenance mode is on"])
        shown = await call(service.asgi, "GET", "/octavo/maintenance", [("authorization", f"Bearer {ann}")])
        assert shown.json == {"data": {"message": MESSAGE}}
        assert (await call(service.asgi, "GET", "/octavo/maintenance")).status == 401
    with pytest.raises(UnderMaintenance):
        async with unit_of_work(other.database):
            pass
    again = await sign_in(other)
    assert (await post(other, "/octavo/live-settings", {"maintenance": None}, again, "PUT")).status == 200
    await look(nodes)
    assert (await post(other, "/api/stories", body, token)).status == 200


async def test_a_maintenance_is_no_outage(nodes: tuple[Process, Process], caplog: pytest.LogCaptureFixture) -> None:
    one, _ = nodes
    token = await create_token(one.database, one.settings.secrets.api_token_salt or "", "all", "full-access")
    await set_live(one.database, {"maintenance": MESSAGE})
    await look(nodes)
    caplog.clear()
    await post(one, "/api/stories", {"data": {"title": "x"}}, token)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_the_log_level_changes_on_all_nodes_and_is_reset(nodes: tuple[Process, Process]) -> None:
    one, other = nodes
    ann = await sign_in(one)
    assert (await post(one, "/octavo/live-settings", {"logLevel": "loud"}, ann, "PUT")).status == 400
    assert (await post(one, "/octavo/live-settings", {"logLevel": "debug"}, ann, "PUT")).status == 200
    await other.live.look()
    assert logging.getLogger().level == logging.DEBUG
    assert (await post(one, "/octavo/live-settings", {"logLevel": None}, ann, "PUT")).status == 200
    await other.live.look()
    assert logging.getLogger().level == logging.INFO
    assert (await post(one, "/octavo/live-settings", {"logLevel": None}, "", "PUT")).status == 401


async def test_unknown_values_in_the_table_do_not_harm(nodes: tuple[Process, Process]) -> None:
    one, _ = nodes
    await set_live(one.database, {"logLevel": "loud"})
    assert (await read_live_settings(one.database)).log_level is None
    await look(nodes)


async def test_processes_record_their_definitions_in_maintenance(nodes: tuple[Process, Process]) -> None:
    database, presence = nodes[0].database, Presence()
    count = "SELECT count(*) FROM octavo_leases WHERE holder = 'mark options'"
    await set_live(database, {"maintenance": MESSAGE})
    await look(nodes)
    await presence.renew(database, "mark", "options")
    assert await database.fetch_value(count) == 1
    await presence.leave(database)
    assert await database.fetch_value(count) == 0


async def test_values_are_stored_together_and_without_spaces_around(nodes: tuple[Process, Process]) -> None:
    one, _ = nodes
    ann = await sign_in(one)
    wrong = {"logLevel": "debug", "maintenance": "  "}
    assert (await post(one, "/octavo/live-settings", wrong, ann, "PUT")).status == 400
    assert (await read_live_settings(one.database)).log_level is None
    both = {"logLevel": "debug", "maintenance": f" {MESSAGE} "}
    answer = await post(one, "/octavo/live-settings", both, ann, "PUT")
    assert answer.json["data"] == {"logLevel": "debug", "maintenance": MESSAGE}


async def test_a_replaced_site_is_traced_too(nodes: tuple[Process, Process]) -> None:
    current, replaced = (node.infrastructure for node in nodes)
    follower = LiveSettingsFollower(lambda: current, [replaced.database])
    await set_live(current.database, {"maintenance": MESSAGE})
    await follower.look()
    assert (current.database.read_only_message, replaced.database.read_only_message) == (MESSAGE, MESSAGE)


async def test_a_reload_during_the_read_is_followed(nodes: tuple[Process, Process]) -> None:
    before, after = (node.infrastructure for node in nodes)
    await set_live(before.database, {"maintenance": MESSAGE})
    found = iter((before, after))
    await LiveSettingsFollower(lambda: next(found)).look()
    assert (before.database.read_only_message, after.database.read_only_message) == (None, MESSAGE)
