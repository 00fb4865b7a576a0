"""A service starts without graphql-core, and imports it and builds the schema after the start."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from octavo.api.graphql.transport import request_handler as answering
from octavo.operations.runtime import process as app
from octavo.settings import load_settings
from tests.api.graphql.asking import ask, send
from tests.api.graphql.schema.test_name_conflicts import write
from tests.models.bookshop import SECRETS
from tests.models.site import Site

pytestmark = pytest.mark.anyio

BUILD = """
import sys
from pathlib import Path
from octavo.operations.runtime.process import build
from octavo.settings import load_settings
build(load_settings(Path(sys.argv[1]), {"JWT_SECRET": "j", "API_TOKEN_SALT": "s"}, mode="development"))
print(sorted(name for name in sys.modules if name == "graphql" or name.startswith("graphql.")))
"""


def test_a_service_is_built_without_graphql_core(tmp_path: Path) -> None:
    write(tmp_path, "thing", "things", {"name": {"type": "string"}})
    command = [sys.executable, "-c", BUILD, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"


async def test_the_schema_is_built_once_after_the_start(bookshop: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    first = asyncio.Event()
    loop = asyncio.get_running_loop()
    opened = answering.open_answering

    def watched(*given: object) -> object:
        made.append(given)
        loop.call_soon_threadsafe(first.set)
        return opened(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(answering, "open_answering", watched)
    octavo = app.build(bookshop.octavo.settings)
    async with asyncio.timeout(60):
        for work in octavo.asgi._on_startup:
            await work()
        await first.wait()
        site = Site(octavo)
        text = "{ books { data { id } } }"
        answers = await asyncio.gather(*(send(site, {"query": text}) for _ in range(5)))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body for answer in answers}) == 1
    assert len(made) == 1
    await octavo.database.close()


async def test_requests_are_answered_before_the_schema_is_built(bookshop: Site) -> None:
    octavo = app.build(bookshop.octavo.settings)  # not started, so no schema exists
    await octavo.database.connect()
    site = Site(octavo)
    found = await asyncio.gather(*(ask(site, "{ __typename }") for _ in range(3)))
    assert found == [{"data": {"__typename": "Query"}}] * 3
    await octavo.database.close()


def test_name_conflicts_do_not_prevent_the_start(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, "thing", "things", {})
    write(tmp_path, "thing-input", "thing-inputs", {})
    octavo = app.build(load_settings(tmp_path, SECRETS))
    assert "its GraphQL name 'ThingInput' is taken by api::thing.thing" in caplog.text
    assert "api::thing-input.thing-input" in octavo.site.registry.content_types


def test_left_out_attributes_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, "thing", "things", {"my-name": {"type": "string"}})
    app.build(load_settings(tmp_path, SECRETS))
    (line,) = [record.getMessage() for record in caplog.records if "left out" in record.getMessage()]
    assert "attributes.my-name" in line
