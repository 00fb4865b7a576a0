"""A service whose workers are killed: a listener receives every committed change and no other."""

import asyncio
import json
import signal
import threading
from collections.abc import Iterator
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from octavo.database.connection import Database
from octavo.events.webhooks.http_sender import sign
from tests.cli.processes import PATIENCE, Server, serving
from tests.cli.projects import database_variables
from tests.events.webhooks.newsroom import Listener, open_newsroom
from tests.http_services import Answer, Asked
from tests.http_services import serving as listening

pytestmark = pytest.mark.anyio

HOOKS = """
def after_create(event):
    if event.result["title"].endswith("undone"):
        raise ValueError("undone")
"""
WRITERS = "abcd"
SOME = 40
JSON = {"Content-Type": "application/json"}


class SlowListener(Listener):
    """A slow listener that accepts no request until it is open."""

    def __init__(self) -> None:
        super().__init__()
        self.open = threading.Event()

    def answer(self, asked: Asked) -> Answer:
        if self.open.is_set():
            return super().answer(asked)
        self.open.wait(PATIENCE)
        return Answer(503)


class Writers:
    """Clients that create and update articles. The project's hook rejects every third one."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._headers = {**JSON, "Authorization": f"Bearer {token}"}
        self._done = threading.Event()
        self.committed: list[tuple[str, str]] = []
        self.refused: list[str] = []
        self._threads = [threading.Thread(target=self._write, args=(name,)) for name in WRITERS]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    async def some_more(self) -> None:
        wanted = len(self.committed) + SOME
        async with asyncio.timeout(PATIENCE):
            while len(self.committed) < wanted:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)

    def _write(self, name: str) -> None:
        number = 0
        while not self._done.is_set():
            number += 1
            title = f"{name}{number} undone" if number % 3 == 0 else f"{name}{number}"
            made = self._ask("POST", "/api/articles", title)
            if made is not None:
                self._ask("PUT", f"/api/articles/{made}", f"{title} again")

    def _ask(self, method: str, path: str, title: str) -> int | None:
        """Return the id of the article in a creation event."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
        try:
            connection.request(method, path, json.dumps({"data": {"title": title}}), self._headers)
            answer = connection.getresponse()
            body = json.loads(answer.read())
        except (OSError, HTTPException):  # its worker was killed: the result is unknown
            self._done.wait(0.05)
            return None
        finally:
            connection.close()
        if answer.status != 200:
            self.refused.append(title)
            return None
        self.committed.append(("entry.create" if method == "POST" else "entry.update", title))
        return int(body["data"]["id"])


@pytest.fixture
def variables(request: pytest.FixtureRequest, database: Database) -> dict[str, str]:
    """Return the variables that configure the database of `database`."""
    if database.dialect.name == "sqlite":
        return {"DATABASE_CLIENT": "sqlite", "DATABASE_FILENAME": str(request.getfixturevalue("sqlite_path"))}
    return database_variables(request.getfixturevalue("postgresql_url"))


def kill(server: Server, *, all_of_them: bool) -> None:
    """Kill one worker, or the service."""
    parent = psutil.Process(server.process.pid)
    workers = parent.children(recursive=True)
    for one in [parent, *workers] if all_of_them else workers[:1]:
        one.send_signal(signal.SIGKILL)


def changes_of(titles: list[str]) -> Iterator[tuple[str, str]]:
    """Return the changes of articles with these titles."""
    for title in titles:
        first = title.removesuffix(" again")
        yield "entry.create", first
        if first != title:
            yield "entry.update", title


async def test_killed_workers_deliver_all_committed_changes(
    database: Database, variables: dict[str, str], tmp_path: Path
) -> None:
    listener = SlowListener()
    with listening(listener.answer) as url:
        host = {"OCTAVO_SERVER__WEBHOOKS__PRIVATE_HOSTS": url.removeprefix("http://")}
        async with open_newsroom(tmp_path, variables, url, listener) as newsroom:
            webhook, token = await newsroom.hook("/told", events=["entry.create", "entry.update"]), newsroom.token
        (tmp_path / "src/api/article/content-types/article/lifecycles.py").write_text(HOOKS, "utf-8")
        start = partial(serving, "start", tmp_path, "--workers", "2", **variables, **host)
        with start() as server:
            writers = Writers(server.port, token)
            await writers.some_more()
            kill(server, all_of_them=False)
            await writers.some_more()
            kill(server, all_of_them=True)
            await asyncio.to_thread(writers.end)
            server.process.communicate()
        assert listener.asked == []
        assert await database.fetch_value("SELECT count(*) FROM octavo_outbox") >= len(writers.committed)
        listener.open.set()
        await database.execute("UPDATE octavo_outbox SET due_at = 0")  # as when their leases expire
        with start() as server:
            async with asyncio.timeout(PATIENCE):
                while await database.fetch_value("SELECT count(*) FROM octavo_outbox"):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            assert server.stop()[0] == 0
    reported: dict[str, tuple[str, str]] = {}
    for asked, body in zip(listener.at("/told"), listener.bodies("/told"), strict=True):
        reported[asked.headers["webhook-id"]] = (body["event"], body["entry"]["title"])
        signed = (asked.headers["webhook-id"], int(asked.headers["webhook-timestamp"]), asked.body)
        assert asked.headers["webhook-signature"] == sign(str(webhook.secret), *signed)
    stored = [str(row[0]) for row in await database.fetch_all("SELECT title FROM articles")]
    assert sorted(reported.values()) == sorted(changes_of(stored))
    assert set(writers.committed) <= set(reported.values())
    assert writers.refused
    assert not set(writers.refused) & set(stored)
    assert await database.fetch_value("SELECT count(*) FROM octavo_dead_letters") == 0


def test_signatures_are_those_of_the_standards_own_example() -> None:
    """From https://github.com/standard-webhooks/standard-webhooks."""
    secret, message_id = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek"
    signature = sign(secret, message_id, 1614265330, b'{"test": 2432232314}')
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
