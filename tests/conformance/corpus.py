"""The recorded requests and responses: unpacked into a folder, served by a real Octavo, and replayed."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests import archives
from tests.mysql_server import MysqlServer

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KNOWN = json.loads((HERE / "known.json").read_text(encoding="utf-8"))
_BASE_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "PYTHONPATH": "src",
    "NODE_ENV": "development",
    "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__ENABLED": "false",
}

_V4_CODE = {"controllers": "createCoreController", "routes": "createCoreRouter", "services": "createCoreService"}
_V4_SETTINGS = {
    "admin": "{ auth: { secret: env('ADMIN_JWT_SECRET') }, apiToken: { salt: env('API_TOKEN_SALT') }, "
    "transfer: { token: { salt: env('TRANSFER_TOKEN_SALT') } }, flags: { nps: false, promoteEE: false }, "
    "rateLimit: { enabled: false } }",
    "plugins": "{ 'users-permissions': { config: { jwtSecret: env('JWT_SECRET'), ratelimit: { enabled: false } } }, "
    "graphql: { config: {} }, email: { config: { provider: 'nodemailer' } } }",
    "database": "{ connection: env('DATABASE_CLIENT') === 'postgres' ? { client: 'postgres', connection: { "
    "host: env('DATABASE_HOST'), database: env('DATABASE_NAME'), user: env('DATABASE_USERNAME'), ssl: false } } : "
    "env('DATABASE_CLIENT') === 'mysql' ? { client: 'mysql2', connection: { uri: env('DATABASE_URL') } } : "
    "{ client: 'sqlite', connection: { filename: '.tmp/data.db' }, useNullAsDefault: true } }",
    "server": "{ app: { keys: env.array('APP_KEYS') }, webhooks: { populateRelations: false } }",
}


def unpack(name: str, folder: Path) -> Path:
    """Unpack the recordings with this name, and add `replay.py`."""
    archives.unpack(HERE / f"{name}.tar.xz", folder)
    return folder / name


def make_project(recordings: Path, folder: Path) -> Path:
    """Write the recorded project: a v4 folder without Octavo's settings."""
    shutil.copytree(recordings / "schemas", folder / "src")
    shutil.copytree(recordings / "uploads", folder / "public/uploads")
    shutil.copy(recordings / "secrets.env", folder / ".env")
    (folder / ".tmp").mkdir()
    shutil.copy(recordings / "database.sqlite", folder / ".tmp/data.db")
    return folder


def customize(project: Path) -> dict[str, str]:
    """Add the code in `custom/` to a project. Return the variables for the rest of the recorded customization."""
    shutil.copytree(HERE / "custom", project / "src", dirs_exist_ok=True)
    return {
        "OCTAVO_PLUGINS__GRAPHQL__CONFIG__ENDPOINT": "/gql",
        "OCTAVO_PLUGINS__GRAPHQL__CONFIG__DEPTH_LIMIT": "4",
    }


def expect_instead(recordings: Path, expected: Path) -> None:
    """Replace the recorded responses of some cases. Each line is JSON with `id` and `expect`."""
    others = {one["id"]: one["expect"] for one in map(json.loads, expected.read_text("utf-8").splitlines())}
    for file in (recordings / "cases").glob("*.jsonl"):
        cases = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        changed = (json.dumps(case | {"expect": others.get(case["id"], case["expect"])}) for case in cases)
        file.write_text("\n".join(changed) + "\n", "utf-8")


def dumped_sql(recordings: Path) -> str:
    """Return the PostgreSQL dump without commands that only the newest `psql` knows."""
    lines = (recordings / "database.pg.sql").read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith((r"\restrict", r"\unrestrict")))


def restore(server: MysqlServer, folder: Path) -> str:
    """Create a database on MariaDB with v4's tables and rows and the collation utf8mb4_general_ci. Return its name."""
    name = server.create_database(collation="utf8mb4_general_ci")
    dump = (folder / "database.sql").read_text("utf-8")
    if not server.is_mariadb:
        dump = re.sub(r"longtext [^,\n]*CHECK \(json_valid\(`\w+`\)\)", "json", dump)
    server.run_sql(dump, name)
    return name


class Server:
    """Octavo in its own process."""

    def __init__(self, project: Path, variables: Mapping[str, str], command: str = "start") -> None:
        self.port = _free_port()
        started = [sys.executable, "-m", "octavo", command, "--host", "127.0.0.1", "--port", str(self.port)]
        self._log = (project / "server.log").open("w+b")
        self._process = subprocess.Popen(
            [*started, "--project", str(project)],
            cwd=ROOT,
            env={**_BASE_ENVIRONMENT, **variables},
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + 90
        while self._process.poll() is None and time.monotonic() < deadline:
            if self._is_healthy():
                return
            time.sleep(0.05)
        raise RuntimeError(f"the server did not start: {self.stop()}")

    def _is_healthy(self) -> bool:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=90)) as connection:
            try:
                connection.request("GET", "/_health")
                return connection.getresponse().status == 204
            except OSError:
                return False

    def stop(self) -> str:
        """Stop the process and return its output."""
        self._process.terminate()
        self._process.wait(90)
        self._log.seek(0)
        with self._log:
            return self._log.read().decode(errors="replace")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(frozen=True)
class Replay:
    """The result of a replay: the differences of every item, by area and id."""

    areas: dict[str, dict[str, list[str]]]

    def items(self, *, differing: bool = False) -> set[str]:
        """Return the ids of all items, or of those that differ."""
        return {item for items in self.areas.values() for item, found in items.items() if found or not differing}

    def differing(self, *, without: set[str]) -> dict[str, dict[str, list[str]]]:
        """Return the first differences of every item that differs, by area."""
        found = {
            area: {item: differences[:3] for item, differences in items.items() if differences and item not in without}
            for area, items in self.areas.items()
        }
        return {area: items for area, items in found.items() if items}


def administered(recordings: Path, folder: Path) -> Path:
    """Write the v4 project, with its settings, for which administrators' requests were recorded."""
    project = make_project(recordings, folder)
    depends = ("strapi", "plugin-users-permissions", "plugin-i18n", "plugin-graphql")
    package = {
        "name": "peer",
        "dependencies": {f"@strapi/{name}": "4.26.2" for name in depends},
        "strapi": {"uuid": "00000000-0000-0000-0000-000000000000"},
    }
    (project / "package.json").write_text(json.dumps(package), encoding="utf-8")
    for schema in project.glob("src/api/*/content-types/*/schema.json"):
        api, name = schema.parts[-4], schema.parent.name
        for kind, factory in _V4_CODE.items():
            code = project / f"src/api/{api}/{kind}/{name}.js"
            code.parent.mkdir(exist_ok=True)
            text = f"module.exports = require('@strapi/strapi').factories.{factory}('api::{api}.{name}');\n"
            code.write_text(text, encoding="utf-8")
    (project / "config").mkdir()
    for name, text in _V4_SETTINGS.items():
        (project / "config" / f"{name}.js").write_text(f"module.exports = ({{ env }}) => ({text});\n", encoding="utf-8")
    return project


def known_items(database: str) -> set[str]:
    """Return the ids in `known.json` for a database, or for `both`."""
    return {item for items in KNOWN[database].values() for item in items}


def _leave_out(deviations: Path) -> None:
    """Add items that must not be sent, because they would change the results of others."""
    listed = json.loads(deviations.read_text(encoding="utf-8"))
    listed |= {item: reason for reason, items in KNOWN["left out"].items() for item in items}
    deviations.write_text(json.dumps(listed), encoding="utf-8")


def replay(recordings: Path, server: Server, database: str, areas: Iterable[str], output: Path) -> Replay:
    """Send the requests of some areas: reads first, in the order of the files, then the scenarios."""
    _leave_out(recordings / "deviations.json")
    selected = [argument for area in areas for argument in ("--area", area)]
    command = [sys.executable, "../replay.py", ".", "--base-url", f"http://127.0.0.1:{server.port}", "--db", database]
    subprocess.run([*command, "--json", str(output), *selected], cwd=recordings, capture_output=True, check=False)
    found: dict[str, dict[str, list[str]]] = {}
    result: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    for item in result["results"]:
        found.setdefault(item["area"], {})[item["id"]] = item["diffs"]
    return Replay(found)
