"""The drilled site: PostgreSQL, two nodes that share a folder of uploads, and nginx in front of them."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
import psutil  # type: ignore[import-untyped]

from benchmarks.drill.load import Load
from benchmarks.soak import small_disk
from tests.cli.processes import free_port, run
from tests.cli.projects import database_variables
from tests.cluster import proxies
from tests.cluster.nodes import Cluster, Node
from tests.cluster.press import write_press
from tests.postgresql_server import PostgresqlServer, database_name

METRICS_TOKEN: Final = "a-token-for-the-drill"


class NotRun(Exception):
    """A step that this machine cannot run; the message says why."""


@dataclass(slots=True)
class Site:
    """What the steps act on."""

    folder: Path
    server: PostgresqlServer
    disk: Path | None
    """A small file system that holds the database, if one could be mounted."""
    cluster: Cluster
    nginx: Path
    proxy: proxies.Proxy
    load: Load
    previous: str | None
    """The command of an earlier version of Octavo."""
    spare_nodes: list[Node] = field(default_factory=list)

    @property
    def nodes(self) -> list[Node]:
        return self.cluster.nodes

    @property
    def database(self) -> str:
        """The name of the site's database."""
        return database_name(self.cluster.database)

    def sql(self, text: str) -> str:
        """Run statements on the site's database and return their rows, unaligned."""
        return self.server.run_sql(self.database, text)

    async def octavo(self, *arguments: str, project: Path | None = None, **variables: str) -> tuple[int, str]:
        """Run a command on a project, by default that of the first node; return the exit code and the output."""
        where = ("--project", str(project or self.nodes[0].project))
        return await asyncio.to_thread(run, *arguments, *where, **{**self.cluster.variables, **variables})

    def new_node(self, name: str, project: Path, **variables: str) -> Node:
        """Return an additional node, which is not behind the proxy and ends with the drill."""
        node = Node(name, project, free_port(), {**self.cluster.variables, **variables})
        self.spare_nodes.append(node)
        return node

    async def restart(self, node: Node) -> None:
        """Stop a node with SIGTERM, start it and wait until it is ready."""
        await asyncio.to_thread(node.end, signal.SIGTERM)
        node.start()
        await asyncio.to_thread(node.wait)


async def get(node: Node, path: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
    """Request a path of a node directly."""
    async with httpx.AsyncClient(base_url=node.address, timeout=10, headers=headers) as client:
        return await client.get(path)


async def status_of(node: Node, path: str) -> int:
    """Return the status of a response of a node, or 0 if it does not respond."""
    try:
        return (await get(node, path)).status_code
    except httpx.HTTPError:
        return 0


@contextmanager
def open_site(nginx: Path, folder: Path, rate: float, previous: str | None) -> Iterator[Site]:
    """Start everything for the time of the block."""
    with ExitStack() as stack:
        disk, is_mounted = stack.enter_context(small_disk(512))
        server = PostgresqlServer(disk / "postgresql")
        stack.callback(server.remove)
        url = server.create_database()
        variables = _variables(url, folder, server.binaries)
        nodes = [Node(name, write_press(folder / name, cron=False), free_port(), variables) for name in ("a", "b")]
        for node in nodes:
            stack.callback(_kill, node)
            node.start()
        for node in nodes:
            node.wait()
        proxy_folder = folder / "nginx"
        proxy_folder.mkdir()
        ports = [node.port for node in nodes]
        proxy = stack.enter_context(proxies.running("nginx", nginx, proxy_folder, *ports))
        cluster = Cluster(nodes, nodes[0].address, variables, database=url)
        cluster.token = cluster.octavo("tokens", "create", "drill", "--type", "full-access").strip().splitlines()[-1]
        for name in ("cats", "tides", "bread"):
            cluster.create("tags", name=name)
        cluster.create("authors", name="Ann")
        load = Load(proxy.https_port, str(proxy.certificate), cluster.headers, rate)
        site = Site(folder, server, disk if is_mounted else None, cluster, nginx, proxy, load, previous)
        stack.callback(_kill_all, site.spare_nodes)
        yield site


def _variables(url: str, folder: Path, binaries: Path) -> dict[str, str]:
    uploads = folder / "public"
    (uploads / "uploads").mkdir(parents=True)
    return {
        **database_variables(url),
        "OCTAVO_SERVER__TRUSTED_PROXIES": "127.0.0.1",
        "OCTAVO_SERVER__URL": f"https://{proxies.HOST}",
        "OCTAVO_SERVER__PUBLIC_FOLDER": str(uploads),
        "OCTAVO_SERVER__METRICS__TOKEN": METRICS_TOKEN,
        "OCTAVO_SERVER__LOG__FORMAT": "json",
        "PATH": f"{binaries}:{os.environ.get('PATH', '')}",  # for pg_dump
    }


def _kill_all(nodes: list[Node]) -> None:
    for node in nodes:
        _kill(node)


def _kill(node: Node) -> None:
    """End a node with its workers, even if it hangs or has ended."""
    if node.process is None or node.process.poll() is not None:
        return
    for process in psutil.Process(node.process.pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    node.process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        node.process.wait(10)
