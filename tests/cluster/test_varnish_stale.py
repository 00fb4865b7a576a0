"""Varnish while Octavo fails: how long it serves stale responses, while Octavo is reachable and while it is not."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.cli.projects import database_variables
from tests.cluster.nodes import Cluster, Node
from tests.cluster.programs import PATIENCE
from tests.cluster.test_varnish import Varnish, one_behind_varnish
from tests.postgresql_server import PostgresqlServer, start_server

FRESH: Final = 1
WHILE_ASKING: Final = 2
CONTROL: Final = {
    "*": {"public": f"public, s-maxage={FRESH}, stale-while-revalidate={WHILE_ASKING}, stale-if-error=86400"}
}
ONE: Final = "/api/articles/1?fields[0]=reads"


@dataclass
class Front:
    """A node behind Varnish that receives no purges, on a separate database."""

    cluster: Cluster
    varnish: Varnish
    database: PostgresqlServer

    @property
    def node(self) -> Node:
        return self.cluster.nodes[0]

    def get(self, path: str = ONE) -> httpx.Response:
        return httpx.get(f"{self.varnish.address}{path}", timeout=30)

    def shown(self) -> int:
        answer = self.get()
        assert answer.status_code == 200, answer.text
        reads: int = answer.json()["data"]["attributes"]["reads"]
        return reads

    def write(self, reads: int) -> None:
        path = f"{self.node.address}/api/articles/1"
        answer = httpx.put(path, json={"data": {"reads": reads}}, headers=self.cluster.headers, timeout=30)
        assert answer.status_code == 200, answer.text

    def wait_until_shown(self, reads: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while self.shown() != reads:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def wait_until_stale(self) -> None:
        """Wait until cached responses may only be served in case of errors."""
        time.sleep(FRESH + WHILE_ASKING + 0.5)

    def watch(self, seconds: float = 5.0) -> list[int]:
        """Record responses from before the probe notices an outage until after it has."""
        deadline, seen = time.monotonic() + seconds, []
        while time.monotonic() < deadline:
            seen.append(self.shown())
            time.sleep(0.05)
        return seen


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory, varnishd: Path) -> Iterator[Front]:
    folder = tmp_path_factory.mktemp("stale")
    with ExitStack() as stack:
        database = start_server()
        stack.callback(database.remove)
        variables = database_variables(database.create_database())
        cluster, varnish = one_behind_varnish(stack, folder, varnishd, variables, CONTROL)
        yield Front(cluster, varnish, database)


@contextmanager
def without_node(front: Front) -> Iterator[None]:
    """Stop the node during the block: connections are refused."""
    front.node.end()
    yield
    front.node.start()
    front.node.wait()


@contextmanager
def without_database(front: Front) -> Iterator[None]:
    """Stop the database during the block: the node responds with 503."""
    front.database.stop("immediate")
    yield
    front.database.start()


def test_stale_responses_are_served_only_during_errors(front: Front) -> None:
    front.write(1)
    front.wait_until_shown(1)
    for value in (2, 3):
        front.wait_until_stale()
        front.write(value)
        assert front.shown() == value


def test_a_stale_response_is_served_during_revalidation(front: Front) -> None:
    front.write(4)
    front.wait_until_shown(4)
    time.sleep(FRESH + 0.2)
    front.write(5)
    assert front.shown() == 4
    front.wait_until_shown(5)


@pytest.mark.parametrize("outage", [without_node, without_database])
def test_former_answers_are_shown_in_the_place_of_errors(
    front: Front, outage: Callable[[Front], AbstractContextManager[None]]
) -> None:
    never_asked = f"/api/articles?outage={outage.__name__}"
    front.write(6)
    front.wait_until_shown(6)
    front.wait_until_stale()
    with outage(front):
        assert set(front.watch()) == {6}
        answer = front.get(never_asked)
        assert (answer.status_code, "x-while-revalidating" in answer.headers) == (503, False)
    deadline = time.monotonic() + PATIENCE
    while front.get(never_asked).status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    front.write(7)
    front.wait_until_shown(7)
    front.wait_until_stale()
    front.write(8)
    assert front.shown() == 8
