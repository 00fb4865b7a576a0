"""What a service does not use it does not load: each of these takes megabytes."""

import os
import subprocess
import sys
from pathlib import Path

from tests.cli.projects import make_project

UNUSED = {
    "aiosmtplib",
    "asyncpg",
    "boto3",
    "cryptography",
    "email.headerregistry",
    "httpx2",
    "importlib.metadata",
    "joserfc",
    "limits",
    "markdown_it",
    "PIL",
    "re2",
    "regex",
    "redis",
    "rich",
    "strawberry",
    "zipfile",
}
SERVE = """
import asyncio, sys
from pathlib import Path
import octavo.cli.start
from octavo.runtime.process import build
from octavo.settings import load_settings
from tests.http.asgi import call

async def main():
    octavo = build(load_settings(Path(sys.argv[1]), {}, mode="production"))
    await octavo.asgi.start()
    callers = [], [("Authorization", "Bearer x")]
    asked = [await call(octavo.asgi, "GET", "/api/stories", headers) for headers in callers]
    await octavo.asgi.stop()
    print([answer.status for answer in asked], *sorted(sys.modules))

asyncio.run(main())
"""


def test_what_is_not_used_is_not_loaded(tmp_path: Path) -> None:
    """On SQLite, asked by the public and with an API token."""
    command = [sys.executable, "-c", SERVE, str(make_project(tmp_path))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    statuses, _, loaded = done.stdout.strip().partition("] ")
    assert statuses == "[403, 401"
    assert UNUSED.isdisjoint(loaded.split())
    assert {"apsw", "octavo"} <= set(loaded.split())
