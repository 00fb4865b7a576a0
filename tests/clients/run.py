"""Runs v4's client libraries against the sample magazine: `python -m tests.clients.run`, or `make clients`.

Each script is a separate program that fails if a result differs from what the library's users expect. JavaScript needs
Node.js 20; it runs in `build/clients`, where npm installs the libraries.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from octavo.modeling.typings.python import render_own_code
from octavo.modeling.typings.typescript import render_front_end
from octavo.schema.loader import load_registry
from octavo.v4.schema_typings import render_v4_schemas
from tests.cli.processes import PATIENCE, ROOT, run, serving
from tests.modeling.typings.projects import write_large_project, write_project
from tests.models.bookshop import DEFINITIONS

HERE = Path(__file__).parent
NODE = ROOT / "build/clients"
SCRIPTS = (
    *("strapi-sdk-js.mjs", "refine.mjs", "nuxt.mjs", "gatsby.mjs", "pystrapi_client.py"),
    *("typed-client.mjs", "typed-python.mjs", "openapi.mjs", "openapi_python.py"),
    *("apollo.mjs", "urql.mjs", "graphql-request.mjs", "graphql-types.mjs"),
)
_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Site:
    """The running magazine, and a token with full access."""

    address: str
    token: str

    def wait(self) -> None:
        """Wait until the token is valid: a running service sees changes by other processes within a second."""
        deadline = time.monotonic() + PATIENCE
        headers = {"Authorization": f"Bearer {self.token}"}
        while time.monotonic() < deadline:
            try:
                urlopen(Request(f"{self.address}/api/upload/files", headers=headers))
            except HTTPError:
                time.sleep(0.05)
            else:
                return
        raise TimeoutError

    def run(self, script: str) -> tuple[int, str]:
        """Run a script and return its exit code and output."""
        name = Path(script).stem
        variables = {
            "OCTAVO_BASE": self.address,
            "OCTAVO_TOKEN": self.token,
            "OCTAVO_CLIENT": name,
            "OCTAVO_PYTHON": sys.executable,
        }
        command = [sys.executable, str(HERE / script)] if script.endswith(".py") else ["node", str(NODE / script)]
        finished = subprocess.run(
            command,
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        return finished.returncode, finished.stdout


@contextmanager
def magazine(folder: Path) -> Iterator[Site]:
    """Copy the sample magazine with its content."""
    project = folder / "magazine"
    ignored = shutil.ignore_patterns(".env", ".octavo", "uploads")
    shutil.copytree(ROOT / "examples/magazine", project, ignore=ignored)
    limits = {"OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__ENABLED": "false"}
    with serving("develop", project, "--seed", **limits) as server:
        code, said = run("tokens", "create", "clients", "--type", "full-access", "--project", str(project))
        assert code == 0, said
        site = Site(f"http://127.0.0.1:{server.port}", said.split()[-1])
        site.wait()
        yield site


def install() -> None:
    """Copy the scripts and install their libraries."""
    NODE.mkdir(parents=True, exist_ok=True)
    for file in (*HERE.glob("*.mjs"), HERE / "package.json", HERE / ".npmrc"):
        shutil.copy(file, NODE)
    write_types(NODE / "typed")
    subprocess.run(["npm", "install"], cwd=NODE, check=True)


def write_types(folder: Path) -> None:
    """Write the types of the magazine and of the bookshop beside code that uses them, such as the docs' example."""
    shutil.copytree(HERE / "typed", folder, dirs_exist_ok=True)
    magazine, bookshop = load_registry(ROOT / "examples/magazine"), load_registry(DEFINITIONS)
    example = re.findall(r"^```ts\n(.*?)^```", (ROOT / "docs/types.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    for name, text in (
        ("docs.ts", "".join(example)),
        ("content.ts", render_front_end(magazine)),
        ("bookshop.ts", render_front_end(bookshop)),
        ("large.ts", render_front_end(load_registry(write_large_project(folder / "large")))),
        ("schemas.ts", render_v4_schemas(magazine)),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    python = folder / "python"
    shutil.rmtree(python, ignore_errors=True)
    project = write_project(python / "conference")
    (python / "content.py").write_text(render_own_code(load_registry(project)), encoding="utf-8")
    shutil.copy(ROOT / "tests/modeling/typings/conference_code/use.py", python)


def main(scripts: Iterable[str]) -> int:
    """Run scripts by name, print the results, and return the number of failures."""
    scripts = tuple(scripts)
    if not all(script.endswith(".py") for script in scripts):
        install()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="octavo-clients-") as folder, magazine(Path(folder)) as site:
        for script in scripts:
            code, output = site.run(script)
            failed += code != 0
            print(f"{'pass' if code == 0 else 'FAIL'}  {script}")  # noqa: T201
            if code:
                print(output)  # noqa: T201
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or SCRIPTS))
