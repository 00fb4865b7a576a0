"""`octavo status` and `octavo slow`, of a service with two workers."""

import json
import time
from pathlib import Path

from tests.cli.conftest import Call
from tests.cli.processes import PATIENCE, Server, run, serving

TOKEN = {"OCTAVO_SERVER__METRICS__TOKEN": "a-token-for-those-who-look", "OCTAVO_SERVER__METRICS__SLOW": "0"}


def ask(server: Server, project: Path, command: str, *options: str) -> str:
    code, output = run(
        command, "--project", str(project), "--url", f"http://127.0.0.1:{server.port}", *options, **TOKEN
    )
    assert code == 0, output
    return output


def test_shows_what_all_workers_do_while_one_is_watched(project: Path) -> None:
    with serving("start", project, "--workers", "2", **TOKEN) as server:
        for _ in range(20):
            server.get("/api/stories?sort=hush")
        deadline = time.monotonic() + PATIENCE
        while "memory" not in (shown := ask(server, project, "status")) or "in 2 workers" not in shown:
            assert time.monotonic() < deadline, shown
        counted = json.loads(ask(server, project, "status", "--json"))
        requests = next(one for one in counted["families"] if one["name"] == "octavo_requests_total")
        asked = [n for _, labels, n in requests["samples"] if ["route", "/api/stories"] in labels]
        slow = ask(server, project, "slow", "--limit", "100")
        server.stop()
    assert shown.splitlines()[0].endswith(": ready")
    assert sum(asked) == 20
    assert slow.count("GET /api/stories?sort ") == 20
    assert "hush" not in slow


def test_says_what_is_missing(project: Path, call: Call) -> None:
    assert "without `token` in the table [metrics]" in call("status").output
    (project / "config").mkdir()
    (project / "config/server.toml").write_text('[metrics]\ntoken = "a-token-for-those-who-look"\n', "utf-8")
    assert "tells nothing" in call("slow", "--url", "http://127.0.0.1:1").output
    assert "is no address" in call("slow", "--url", "file:///etc/passwd").output
