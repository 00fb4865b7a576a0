"""The proxies of `examples/proxies` in front of a service on a Unix socket, with the configuration lines in the
docs."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.processes import ROOT
from tests.cli.projects import make_project
from tests.cluster.proxies import CONFIGURED, running
from tests.operations.runtime.test_listening import ended, start, wait

pytestmark = pytest.mark.cluster

SOCKET = "/run/octavo/octavo.sock"


@pytest.mark.parametrize("name", CONFIGURED)
def test_a_proxy_forwards_to_a_unix_socket(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """The rate limit of sign-ins counts the address that the proxy forwards."""
    docs = (ROOT / "docs/deploying.md").read_text("utf-8")
    [line] = re.findall(rf"^\| {name} \| `(.*{SOCKET}.*)` \|$", docs, re.MULTILINE | re.IGNORECASE)
    found = re.search(rf"unix\S*{SOCKET}", line)
    assert found is not None
    example = "\n".join(file.read_text("utf-8") for file in (ROOT / "examples/proxies").iterdir())
    assert line in example
    project, path = make_project(tmp_path / "site"), tmp_path / "s"
    program = request.getfixturevalue(name)
    with ended(start(project, path, PUBLIC_URL="https://cms.example.org")) as process:
        wait(path, process)
        upstream = found[0].replace(SOCKET, str(path))
        with running(name, program, tmp_path, upstream) as proxy:
            wrong = json.dumps({"identifier": "ann@example.org", "password": "wrong-one"}).encode()
            given = {"Content-Type": "application/json", "X-Forwarded-For": "203.0.113.9"}
            tries = [proxy.ask("/api/auth/local", "POST", wrong, given, "127.0.0.4").status for _ in range(7)]
            assert tries == [400] * 5 + [429] * 2
            assert proxy.ask("/api/auth/local", "POST", wrong, given, "127.0.0.5").status == 400
