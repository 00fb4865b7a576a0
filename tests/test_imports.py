"""A service does not import modules of unused features: each takes megabytes of memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.cli.processes import ROOT
from tests.cli.projects import make_project

UNUSED = (
    "aiosmtplib",
    "anyascii",
    "asyncpg",
    "authlib",
    "boto3",
    "calendar",
    "cronsim",
    "cryptography",
    "email.utils",
    "html.entities",
    "httpx2",
    "importlib.metadata",
    "joserfc",
    "limits",
    "markdown_it",
    "octavo.api.admin.endpoints",
    "octavo.api.admin.schemas",
    "octavo.modeling.builder.plans",
    "octavo.content.manager",
    "octavo.operations.runtime.definition_changes",
    "octavo.modeling.refactoring.rename",
    "octavo.v4",
    "PIL",
    "re2",
    "regex",
    "asyncmy",
    "redis",
    "rich",
    "strawberry",
    "tree_sitter",
    "zipfile",
    "zoneinfo",
)
SERVE = """
import asyncio, json, sys, traceback
from pathlib import Path

root, project, *unused = sys.argv[1:]
sys.path.append(root)
there = set(sys.modules)  # the machine's own: hooks of its Python, of virtual environments, of tools that watch
importers = {}

class Watch:
    def find_spec(name, path=None, target=None):
        if name in unused:
            frames = [frame for frame in traceback.extract_stack() if "importlib" not in frame.filename]
            importers[name] = [f"{frame.filename}:{frame.lineno}" for frame in frames[-6:-1]]

sys.meta_path.insert(0, Watch)
import octavo.cli.start
from octavo.operations.runtime.process import build
from octavo.settings import load_settings
from tests.api.http.asgi import call

JSON = [("Content-Type", "application/json")]

async def main():
    octavo = build(load_settings(Path(project), {}, mode="production"))
    await octavo.asgi.start()
    callers = [], [("Authorization", "Bearer x")]
    asked = [await call(octavo.asgi, "GET", "/api/stories", headers) for headers in callers]
    asked.append(await call(octavo.asgi, "POST", "/graphql", JSON, [b'{"query": "{ stories { data { id } } }"}']))
    await octavo.asgi.stop()
    loaded = {name: importers.get(name) for name in unused if name in set(sys.modules) - there}
    used = [name for name in ("apsw", "octavo") if name in sys.modules]
    print(json.dumps({"statuses": [answer.status for answer in asked], "loaded": loaded, "used": used}))

asyncio.run(main())
"""


def test_unused_modules_are_not_imported(tmp_path: Path) -> None:
    """On SQLite, with public requests and an API token, over REST and GraphQL."""
    project = make_project(tmp_path)
    (project / "config").mkdir()
    (project / "config/plugins.toml").write_text("[graphql]\nenabled = true\n", "utf-8")
    command = [sys.executable, "-c", SERVE, str(ROOT), str(project), *UNUSED]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert not done.returncode, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert said == {"statuses": [403, 401, 200], "loaded": {}, "used": ["apsw", "octavo"]}, done.stderr


PUBLIC = """
import sys
import octavo

assert "octavo.sdk" not in sys.modules
shown = dir(octavo)
assert {"Controller", "Request", "Route", "ValidationError", "__version__"} <= set(shown), shown
assert set(octavo.__all__) <= set(shown)
assert not [name for name in shown if not name.startswith("__") and name not in octavo.__all__], shown
names = {}
exec("from octavo import *", names)
assert set(octavo.__all__) <= names.keys()
"""


def test_the_public_names_are_shown() -> None:
    """Editors and shells complete the public names, and `from octavo import *` imports them."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", PUBLIC], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
