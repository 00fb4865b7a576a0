"""Several nodes with one PostgreSQL, one S3 bucket and a balancer. Each node is a process with its own folder."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from tests.cli.processes import ROOT, free_port, run
from tests.cli.projects import database_variables
from tests.cluster.programs import PATIENCE, running
from tests.s3_server import KEY, SECRET, S3Server

HAPROXY: Final = ROOT / "examples/proxies/haproxy.cfg"
"""The example in the docs. Tests insert the addresses of nodes."""
LEFT_OUT: Final = (
    *("bind :443", "redirect scheme", "ssl-default", "Proto https"),
    *("log /dev/log", "chroot", "user haproxy", "group haproxy", "stats socket"),
)
"""Lines with these texts are left out: TLS, and options that need root or Debian's syslog."""
DRAIN_SECONDS: Final = 3
ADMINISTRATOR: Final = {"email": "ann@example.org", "password": "Correct-horse-1"}
USER: Final = {"identifier": "bob", "password": "correct horse"}


@dataclass
class Node:
    """A process of `octavo start`."""

    name: str
    project: Path
    port: int
    variables: Mapping[str, str]
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.project / "log.txt"

    def start(self, *options: str, log: int | None = None, octavo: str | None = None) -> None:
        """Start the node; `wait` waits until it is ready.

        The log goes to a file, or to a descriptor; `octavo` is the command of another version.
        """
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        program = [sys.executable, "-m", "octavo"] if octavo is None else [octavo]
        path = {"PYTHONPATH": str(ROOT / "src")} if octavo is None else {}
        with self.log.open("ab") as file:
            self.process = subprocess.Popen(
                [*program, "start", "--project", str(self.project), "--port", str(self.port), *options],
                env={**kept, **path, **self.variables},
                stdout=log or file,
                stderr=log or file,
            )

    def wait(self) -> None:
        """Wait until the node is ready. Raise RuntimeError with its log if it exits."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.address}/_ready", timeout=5).status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            if self.process is not None and self.process.poll() is not None:
                raise RuntimeError(f"{self.name} has ended:\n{self.log.read_text()}")
            time.sleep(0.05)
        raise TimeoutError(f"{self.name} does not become ready:\n{self.log.read_text()}")

    def end(self, number: int = signal.SIGKILL) -> None:
        """Kill the node, or send another signal, and wait until it has exited."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(PATIENCE)


@dataclass
class Cluster:
    """Nodes, and the balancer's URL."""

    nodes: list[Node]
    balancer: str
    variables: Mapping[str, str]
    database: str = ""
    token: str = ""
    """An API token with full access."""

    def octavo(self, *arguments: str, **variables: str) -> str:
        """Run a command on the project of the first node and return its output."""
        project = ("--project", str(self.nodes[0].project))
        code, output = run(*arguments, *project, **{**self.variables, **variables})
        assert code == 0, output
        return output

    def create(self, plural: str, **data: object) -> int:
        """Create an entry through the balancer and return its id."""
        answer = httpx.post(f"{self.balancer}/api/{plural}", json={"data": data}, headers=self.headers, timeout=30)
        assert answer.status_code == 200, answer.text
        made: int = answer.json()["data"]["id"]
        return made

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def roll(self, *signals: int) -> None:
        """Stop each node cleanly and start it again, one after the other."""
        for node in self.nodes:
            node.end(*(signals or (signal.SIGTERM,)))
            node.start()
            node.wait()


def node_variables(postgresql_url: str, s3: S3Server, bucket: str) -> dict[str, str]:
    """Return the variables of all nodes: one database, one bucket, attempts counted in the database, a trusted
    balancer."""
    upload = "OCTAVO_PLUGINS__UPLOAD__CONFIG__"
    return {
        **database_variables(postgresql_url),
        "OCTAVO_SERVER__DRAIN": f"{DRAIN_SECONDS}s",
        "OCTAVO_SERVER__TRUSTED_PROXIES": "127.0.0.1",
        "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__STORE": "database",
        "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__MAX": "100000",
        "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__MAX_BY_ADDRESS": "100000",
        "OCTAVO_ADMIN__RATE_LIMIT__ENABLED": "false",
        "OCTAVO_SERVER__WEBHOOKS__PRIVATE_HOSTS": "127.0.0.1",
        f"{upload}PROVIDER": "aws-s3",
        f"{upload}PROVIDER_OPTIONS__S3_OPTIONS__ENDPOINT": s3.address,
        f"{upload}PROVIDER_OPTIONS__S3_OPTIONS__FORCE_PATH_STYLE": "true",
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_ACCESS_SECRET": SECRET,
        "AWS_BUCKET": bucket,
        "AWS_ACL": "private",
    }


def write_configuration(folder: Path, port: int, nodes: list[Node]) -> Path:
    """Write the balancer's configuration from the docs for these nodes, without TLS."""
    lines = []
    for line in HAPROXY.read_text("utf-8").splitlines():
        if "bind :80" in line:
            lines.append(f"\tbind 127.0.0.1:{port}")
        elif line.strip().startswith("server one "):
            lines += [f"\tserver {node.name} 127.0.0.1:{node.port} check" for node in nodes]
        elif not any(left_out in line for left_out in LEFT_OUT):
            lines.append(line)
    path = folder / "haproxy.cfg"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@contextmanager
def cluster(folder: Path, haproxy: Path, projects: list[Path], variables: Mapping[str, str]) -> Iterator[Cluster]:
    """Run nodes, one for each project, behind a balancer."""
    names = [f"node{number}" for number in range(1, len(projects) + 1)]
    nodes = [Node(name, project, free_port(), variables) for name, project in zip(names, projects, strict=True)]
    port = free_port()
    with ExitStack() as stack:
        for node in nodes:
            stack.callback(node.end)
            node.start()
        for node in nodes:
            node.wait()
        configuration = write_configuration(folder, port, nodes)
        stack.enter_context(running(haproxy, "-db", "-f", configuration, port=port, log=folder / "haproxy.log"))
        yield Cluster(nodes, f"http://127.0.0.1:{port}", variables)
