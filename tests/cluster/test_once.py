"""Tasks for one of several nodes run once: messages, scheduled tasks, scheduled publications."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import httpx

from tests.cluster.nodes import Cluster
from tests.http_services import Answer, Asked, serving
from tests.postgresql_server import PostgresqlServer, database_name

PATIENCE = 60.0


class Receiver:
    """A webhook's URL: counts deliveries by event and entry."""

    def __init__(self) -> None:
        self.names: dict[tuple[str, int], Counter[str]] = {}
        self._lock = threading.Lock()

    def take(self, asked: Asked) -> Answer:
        body = json.loads(asked.body)
        if body["uid"] != "api::article.article":
            return Answer()
        with self._lock:
            came = self.names.setdefault((body["event"], body["entry"]["id"]), Counter())
            came[asked.headers["webhook-id"]] += 1
        return Answer()


@contextmanager
def receiving(press: Cluster, *events: str) -> Iterator[Receiver]:
    """A webhook for these events, known to all nodes."""
    receiver = Receiver()
    with serving(receiver.take) as address:
        named = [part for event in events for part in ("--event", event)]
        made = press.octavo("webhooks", "create", "told", "--url", address, *named, "--json")
        time.sleep(3)  # `poll` is two seconds
        try:
            yield receiver
        finally:
            press.octavo("webhooks", "delete", str(json.loads(made)["id"]))


def wait_for(what: str, holds: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"{what}: not within {PATIENCE:g} s"
        time.sleep(0.1)


def plan(press: Cluster, entry: int, moment: datetime) -> None:
    """Schedule the publication of an entry at any node."""
    answer = httpx.put(
        f"{press.balancer}/api/articles/{entry}/actions/schedule",
        json={"data": {"publishAt": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")}},
        headers=press.headers,
        timeout=30,
    )
    assert answer.status_code == 200, answer.text


def test_messages_and_plans_are_done_once(press: Cluster, postgresql_server: PostgresqlServer) -> None:
    with receiving(press, "entry.create", "entry.publish") as receiver:
        entries = [press.create("articles", title=f"Planned {number}", publishedAt=None) for number in range(30)]
        moment = datetime.now(UTC) + timedelta(seconds=2)
        for entry in entries:
            plan(press, entry, moment)
        wanted = {(event, entry) for event in ("entry.create", "entry.publish") for entry in entries}
        wait_for("messages", lambda: wanted <= receiver.names.keys())
        time.sleep(2)  # a duplicate would arrive now
        doubled = {key: came for key, came in receiver.names.items() if list(came.values()) != [1]}
        assert not doubled
    rows = postgresql_server.run_sql(
        database_name(press.database),
        "SELECT occurrence FROM ticks WHERE what = 'cron' AND created_at > now() AT TIME ZONE 'UTC' - interval '20 s'",
    ).split()
    assert rows
    assert max(Counter(rows).values()) == 1
