"""`octavo status` and `octavo slow` with two workers; `octavo ready` with a service that starts and stops."""

import json
import signal
import time
from pathlib import Path

from tests.cli.conftest import Call
from tests.cli.processes import PATIENCE, Server, run, serving

TOKEN = {"OCTAVO_SERVER__METRICS__TOKEN": "a-token-for-those-who-look", "OCTAVO_SERVER__METRICS__SLOW_THRESHOLD": "0"}


def ask(server: Server, project: Path, command: str, *options: str) -> str:
    code, output = run(
        command, "--project", str(project), "--url", f"http://127.0.0.1:{server.port}", *options, **TOKEN
    )
    assert code == 0, output
    return output


def test_the_status_includes_all_workers(project: Path) -> None:
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


def test_missing_tokens_and_services_are_reported(project: Path, call: Call) -> None:
    assert "Add one to .env as OCTAVO_SERVER__METRICS__TOKEN (octavo secrets new prints one)" in call("status").output
    (project / "config").mkdir()
    (project / "config/server.toml").write_text('[metrics]\ntoken = "a-token-for-those-who-look"\n', "utf-8")
    assert "no service is listening at http://127.0.0.1:1" in call("slow", "--url", "http://127.0.0.1:1").output
    assert "is not the URL of a service" in call("slow", "--url", "file:///etc/passwd").output


def asked(server: Server, *options: str, **variables: str) -> tuple[int, str]:
    return run("ready", "--url", f"http://127.0.0.1:{server.port}", *options, **variables)


def test_ready_reports_the_state(project: Path) -> None:
    with serving("start", project, OCTAVO_SERVER__DRAIN="90s") as server:
        assert asked(server) == (0, "ready\n")
        assert asked(server, http_proxy="http://127.0.0.1:1") == (0, "ready\n")
        by_settings = {"PORT": str(server.port), "OCTAVO_PROJECT": str(project)}
        assert run("ready", "--alive", **by_settings) == (0, "alive\n")
        server.process.send_signal(signal.SIGTERM)
        server.wait_for("/_ready", 503)
        assert asked(server) == (1, "Error: draining: the service is shutting down\n")
        assert asked(server, "--alive") == (0, "alive\n")
        server.process.kill()
        server.process.communicate()
        code, said = asked(server)
    assert (code, "no service is listening at" in said) == (1, True)


def test_invalid_urls_of_services_are_refused(project: Path, call: Call) -> None:
    assert "is not the URL of a service" in call("ready", "--url", "file:///etc/passwd").output
    (project / "config").mkdir()
    (project / "config/server.toml").write_text("port = 'x'", "utf-8")
    assert call("ready").output == "Error: 1 problem in the settings; run octavo config check\n"
