"""A real Varnish in front of two nodes, with the configuration in `examples/varnish`: fast, without stale responses.

Readers record the values that they see, writers the acknowledged ones: a response without a write is stale from its
acknowledgement on.
"""

import asyncio
import itertools
import json
import logging
import os
import re
import socket
import socketserver
import subprocess
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.cli.processes import ROOT, free_port
from tests.cli.projects import database_variables
from tests.cluster.nodes import Cluster, Node
from tests.cluster.press import write_press
from tests.cluster.programs import PATIENCE, until, wait_for_port
from tests.postgresql_server import PostgresqlServer

logger = logging.getLogger(__name__)
pytestmark = pytest.mark.anyio

VCL: Final = ROOT / "examples/varnish/default.vcl"
SECONDS = float(os.environ.get("CLUSTER_SECONDS", "20"))
FRESH_SECONDS: Final = 1.0
"""The maximum age of a stale response: from a write's acknowledgement to a request that does not show it."""
KILLED_SECONDS: Final = 3.0
"""The same if a node is killed between a commit and its purge: a lease, a poll, and a slow machine."""
ARTICLES: Final = 10
NUMBERS: Final = "a-token-for-those-who-look"
LIST: Final = "/api/articles?populate=*&sort=id&pagination[pageSize]=50"
CONTROL: Final = {"*": {"public": "public, max-age=0, s-maxage=3600, stale-while-revalidate=30"}}


@dataclass
class Varnish:
    """Varnish in front of nodes. It can be stopped and started repeatedly."""

    program: Path
    folder: Path
    nodes: list[Node]
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[Any] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start as the user who runs the tests, and wait until it responds."""
        vcl = self.folder / "default.vcl"
        vcl.write_text(self._configuration(), "utf-8")
        command = [
            str(self.program),
            "-j",
            "none",
            "-F",
            "-f",
            str(vcl),
            "-a",
            f"127.0.0.1:{self.port}",
            "-s",
            "malloc,64m",
        ]
        with (self.folder / "varnish.log").open("ab") as log:
            self.process = subprocess.Popen([*command, "-n", str(self.folder / "work")], stdout=log, stderr=log)
        wait_for_port(self.port)

    def stop(self) -> None:
        """Stop Varnish. Its cache is lost."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE)
            self.process = None

    def _configuration(self) -> str:
        """Return the example with the addresses of these nodes."""
        text = VCL.read_text("utf-8")
        backend = re.search(r"backend one \{.*?\n\}\n", text, re.DOTALL)
        assert backend is not None
        blocks, adding = "", ""
        for node in self.nodes:
            blocks += backend[0].replace("backend one", f"backend {node.name}").replace("1337", str(node.port))
            adding += f"octavo.add_backend({node.name});\n    "
        return text.replace(backend[0], blocks).replace("octavo.add_backend(one);", adding)


class Wire:
    """The connection from nodes to Varnish: a separate port that can be cut off."""

    def __init__(self, port: int) -> None:
        self._is_cut = False
        wire = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                if not wire._is_cut:
                    with socket.create_connection(("127.0.0.1", port), PATIENCE) as there:
                        back = threading.Thread(target=wire._pass_on, args=(there, self.request))
                        back.start()
                        wire._pass_on(self.request, there)
                        back.join()

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def cut(self) -> None:
        """Refuse all connections from now on."""
        self._is_cut = True

    def mend(self) -> None:
        self._is_cut = False

    def end(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                target.sendall(piece)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


@dataclass
class Front:
    """Nodes behind a Varnish."""

    cluster: Cluster
    varnish: Varnish
    wire: Wire

    def get(self, path: str, **headers: str) -> httpx.Response:
        return httpx.get(f"{self.varnish.address}{path}", headers=headers, timeout=30)

    def put(self, path: str, data: Any) -> None:
        address = f"{self.cluster.nodes[0].address}{path}"
        assert httpx.put(address, json={"data": data}, headers=self.cluster.headers, timeout=30).status_code == 200


@pytest.fixture(scope="module")
def front(
    tmp_path_factory: pytest.TempPathFactory, varnishd: Path, postgresql_server: PostgresqlServer
) -> Iterator[Front]:
    if not list(Path("/usr/lib").glob("*/varnish/vmods/libvmod_xkey.so")):
        pytest.fail("Varnish has no module xkey: on Debian, apt-get install varnish-modules", pytrace=False)
    folder = tmp_path_factory.mktemp("front")
    nodes = [Node(name, write_press(folder / name, cron=False), free_port(), {}) for name in ("one", "two")]
    varnish = Varnish(varnishd, folder, nodes)
    wire = Wire(varnish.port)
    reported = {"varnish": {"kind": "purge", "url": wire.address}}
    variables = {
        **database_variables(postgresql_server.create_database()),
        "OCTAVO_API__CACHING__CONTROL": json.dumps(CONTROL),
        "OCTAVO_API__CACHING__SURROGATE_KEYS__HEADERS": "Surrogate-Key",
        "OCTAVO_API__CACHING__PURGE__CACHES": json.dumps(reported),
        "OCTAVO_SERVER__METRICS__TOKEN": NUMBERS,
    }
    with ExitStack() as stack:
        stack.callback(wire.end)
        for node in nodes:
            node.variables = variables
            stack.callback(node.end)
            node.start()
            node.wait()
        stack.callback(varnish.stop)
        varnish.start()
        cluster = Cluster(nodes, nodes[0].address, variables)
        fill(cluster)
        yield Front(cluster, varnish, wire)


def one_behind_varnish(
    stack: ExitStack, folder: Path, varnishd: Path, variables: Mapping[str, str], control: object
) -> tuple[Cluster, Varnish]:
    """Start a node with content behind Varnish, until `stack` closes. It sends no purges."""
    given = {
        **variables,
        "OCTAVO_API__CACHING__CONTROL": json.dumps(control),
        "OCTAVO_API__CACHING__SURROGATE_KEYS__HEADERS": "Surrogate-Key",
    }
    node = Node("one", write_press(folder / "one", cron=False), free_port(), given)
    stack.callback(node.end)
    node.start()
    node.wait()
    varnish = Varnish(varnishd, folder, [node])
    stack.callback(varnish.stop)
    varnish.start()
    cluster = Cluster([node], node.address, given)
    fill(cluster)
    return cluster, varnish


def fill(cluster: Cluster) -> None:
    """Create public articles with tags and an author."""
    cluster.token = cluster.octavo("tokens", "create", "load", "--type", "full-access").strip().splitlines()[-1]
    actions = [
        f"api::{name}.{name}.{action}" for name in ("article", "author", "tag") for action in ("find", "findOne")
    ]
    cluster.octavo("permissions", "grant", "public", *actions)
    cluster.create("authors", name="0")
    for name in ("cats", "tides", "bread"):
        cluster.create("tags", name=name)
    for number in range(ARTICLES):
        cluster.create("articles", title=f"article {number}", reads=0, author=1, tags=[1, 2, 3], parts=[{"text": "a"}])


@dataclass
class Watch:
    """Acknowledged values of counters, and the most stale response."""

    acknowledged: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    oldest: float = 0.0
    reads: int = 0
    hits: int = 0
    writes: int = 0

    def note_write(self, name: str, value: int) -> None:
        self.acknowledged.setdefault(name, []).append((time.monotonic(), value))
        self.writes += 1

    def note_read(self, name: str, value: int, asked_at: float) -> None:
        """Record a read. `asked_at`: when its request began."""
        for moment, written in reversed(self.acknowledged.get(name, [])):
            if written <= value:
                return
            self.oldest = max(self.oldest, asked_at - moment)


class Load:
    """Writers at the nodes, readers through Varnish."""

    def __init__(self, front: Front) -> None:
        self.watch = Watch()
        self._front = front
        self._nodes = itertools.cycle([node.address for node in front.cluster.nodes])
        self._client = httpx.AsyncClient(timeout=30, limits=httpx.Limits(max_connections=50))
        self._numbers = itertools.count(int(time.time()))
        self._ended = False
        self.tolerant = False
        """Whether the cache may be away."""

    async def run(self, until: Callable[[], Awaitable[None]], writers: int = 4, readers: int = 6) -> Watch:
        tasks = [asyncio.create_task(self._write(number)) for number in range(writers)]
        tasks += [asyncio.create_task(self._read(number)) for number in range(readers)]
        try:
            await until()
        finally:
            self._ended = True
            await asyncio.gather(*tasks)
            await self._client.aclose()
        logger.warning("%d reads, %d from the cache, %d writes, oldest answer %.3f s", *self._told())
        return self.watch

    def _told(self) -> tuple[int, int, int, float]:
        return self.watch.reads, self.watch.hits, self.watch.writes, self.watch.oldest

    async def _write(self, writer: int) -> None:
        """Update the writer's own articles. One writer updates the author, which all articles include."""
        mine = [number for number in range(1, ARTICLES + 1) if number % 3 == writer] if writer < 3 else []
        while not self._ended:
            for number in mine or [0]:
                value = next(self._numbers)
                path, data = (f"articles/{number}", {"reads": value}) if mine else ("authors/1", {"name": str(value)})
                answer = await self._client.put(
                    f"{next(self._nodes)}/api/{path}", json={"data": data}, headers=self._front.cluster.headers
                )
                assert answer.status_code == 200, answer.text
                self.watch.note_write(path, value)
                await asyncio.sleep(0.05 * (1 + writer))

    async def _read(self, reader: int) -> None:
        for number in itertools.cycle(range(1, ARTICLES + 1)):
            if self._ended:
                return
            path = LIST if reader % 2 else f"/api/articles/{number}?populate=author&fields[0]=reads"
            asked_at = time.monotonic()
            try:
                answer = await self._client.get(f"{self._front.varnish.address}{path}")
            except httpx.HTTPError:
                assert self.tolerant
                await asyncio.sleep(0.05)
                continue
            assert answer.status_code == 200, answer.text
            self.watch.reads += 1
            self.watch.hits += answer.headers["x-cache"] == "hit"
            found = answer.json()["data"]
            for article in found if isinstance(found, list) else [found]:
                shown = article["attributes"]
                self.watch.note_read(f"articles/{article['id']}", shown["reads"], asked_at)
                self.watch.note_read("authors/1", int(shown["author"]["data"]["attributes"]["name"]), asked_at)
            await asyncio.sleep(0.002)


async def test_only_anonymous_responses_are_cached(front: Front) -> None:
    await until(lambda: front.get(LIST).headers["x-cache"] == "hit")
    answer = front.get(LIST)
    assert not {"surrogate-key", "xkey", "age"} & answer.headers.keys()
    assert answer.headers["cache-control"] == CONTROL["*"]["public"]
    for _ in range(2):
        mine = front.get(LIST, **front.cluster.headers)
        assert (mine.headers["x-cache"], "private" in mine.headers["cache-control"]) == ("miss", True)
        missing = front.get("/api/articles/999")
        assert (missing.status_code, missing.headers["x-cache"]) == (404, "miss")


async def test_only_the_position_cookie_bypasses_the_cache(front: Front) -> None:
    await until(lambda: front.get(LIST).headers["x-cache"] == "hit")
    await until(lambda: front.get(LIST, Cookie="a=b; not-octavo-position=0/1").headers["x-cache"] == "hit")
    for reported in ({"Cookie": "theme=dark; octavo-position=0/1"}, {"Octavo-Position": "0/1"}):
        for _ in range(2):
            assert front.get(LIST, **reported).headers["x-cache"] == "miss"
    await until(lambda: front.get(LIST).headers["x-cache"] == "hit")


def test_other_clients_cannot_purge(front: Front) -> None:
    assert httpx.request("PURGE", f"{front.varnish.address}/").status_code == 403


@pytest.mark.parametrize("path", ["/metrics", "/_STATUS", "/Metrics/?x=1", "/_status/"])
def test_metrics_are_not_public(front: Front, path: str) -> None:
    token = {"Authorization": f"Bearer {NUMBERS}"}
    straight = httpx.get(f"{front.cluster.nodes[0].address}/metrics", headers=token)
    assert straight.status_code == 200
    assert front.get(path, **token).status_code == 404


async def test_only_changed_entries_are_purged(front: Front) -> None:
    one, other, tags = "/api/authors/1", "/api/tags/2", "/api/tags"
    for path in (one, other, tags):
        await until(lambda path=path: front.get(path).headers["x-cache"] == "hit")  # type: ignore[misc]
    front.put("/api/tags/1", {"name": "dogs"})
    await until(lambda: front.get(tags).json()["data"][0]["attributes"]["name"] == "dogs")
    assert [front.get(path).headers["x-cache"] for path in (one, other)] == ["hit", "hit"]


async def test_no_reader_gets_stale_responses(front: Front) -> None:
    watch = await Load(front).run(lambda: asyncio.sleep(SECONDS))
    assert watch.hits > watch.reads / 2
    assert watch.oldest < FRESH_SECONDS


async def test_a_restarted_cache_gets_purges(front: Front) -> None:
    load = Load(front)
    load.tolerant = True

    async def restart() -> None:
        await asyncio.sleep(2)
        await asyncio.to_thread(front.varnish.stop)
        await asyncio.sleep(3)
        await asyncio.to_thread(front.varnish.start)
        await asyncio.sleep(4)

    assert (await load.run(restart)).oldest < FRESH_SECONDS + 1


async def test_an_unreachable_cache_gets_missed_purges_later(front: Front) -> None:
    """It continues to serve readers meanwhile."""
    await until(lambda: front.get(LIST).headers["x-cache"] == "hit")
    front.wire.cut()
    for number in range(1, ARTICLES + 1):
        front.put(f"/api/articles/{number}", {"reads": 7})
    await asyncio.sleep(2)
    assert front.get(LIST).headers["x-cache"] == "hit"
    front.wire.mend()
    await until(lambda: {one["attributes"]["reads"] for one in front.get(LIST).json()["data"]} == {7})


async def test_another_node_sends_the_purges_of_a_killed_one(front: Front) -> None:
    """It is killed as soon as the write is acknowledged. A balancer in front of Varnish's nodes would hide the 503s."""
    node, took = front.cluster.nodes[0], []

    def shown() -> int | None:
        answer = front.get("/api/articles/1?fields[0]=reads")
        return int(answer.json()["data"]["attributes"]["reads"]) if answer.status_code == 200 else None

    for value in range(100, 105):
        await until(lambda: front.get("/api/articles/1?fields[0]=reads").headers["x-cache"] == "hit")
        front.put("/api/articles/1", {"reads": value})
        node.end()
        moment = time.monotonic()
        await until(lambda: shown() == value)  # noqa: B023 - it is asked here
        took.append(time.monotonic() - moment)
        node.start()
        node.wait()
        await asyncio.sleep(3)  # until Varnish has noticed
    logger.warning("told after %s s", ", ".join(f"{seconds:.2f}" for seconds in took))
    assert max(took) < KILLED_SECONDS
