"""`octavo shadow` as a process: summaries on signals, and files without secrets."""

import json
import signal
from pathlib import Path
from urllib.request import Request, urlopen

from click.testing import CliRunner

from octavo.cli import main
from tests.cli.processes import PATIENCE, Server, free_port, spawn
from tests.http_services import Answer, Asked, serving

TOKEN = "visitor-token-1"


def service(title: str, asked: list[str]) -> object:
    def answer(request: Asked) -> Answer:
        asked.append(f"{request.method} {request.path}")
        body = {"data": {"title": title if request.path == "/api/different" else "same"}}
        return Answer(200, json.dumps(body).encode(), {"content-type": "application/json"})

    return answer


def get(port: int, path: str, method: str = "GET") -> bytes:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with urlopen(Request(f"http://127.0.0.1:{port}{path}", headers=headers, method=method), timeout=PATIENCE) as answer:
        return bytes(answer.read())


def test_a_run_with_differences(tmp_path: Path) -> None:
    asked: dict[str, list[str]] = {"old": [], "new": []}
    html, log, port = tmp_path / "report.html", tmp_path / "shadow.log", free_port()
    with serving(service("old", asked["old"])) as old, serving(service("new", asked["new"])) as new:  # type: ignore[arg-type]
        process = spawn("shadow", old, new, "--listen", f"127.0.0.1:{port}", "--html", str(html), "--log", str(log))
        server = Server(process, port)
        assert server.hear("Serving ") == [f"Serving {old} at http://127.0.0.1:{port}, compared with {new}."]
        assert json.loads(get(port, "/api/different")) == {"data": {"title": "old"}}
        server.hear_of("New difference")
        get(port, "/api/same?email=ann@example.org")
        get(port, "/api/same", "POST")
        process.send_signal(signal.SIGUSR1)
        assert server.hear("Unexplained differences in 1 of ")
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "Unexplained differences in 1 of 2 requests, in 1 group." in output
    assert "Skipped: writes: 1" in output
    assert "took too long" not in output
    assert set(asked["new"]) == {"GET /api/different", "GET /api/same"}
    assert "POST /api/same" in asked["old"]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(one["target"], one["state"]) for one in lines] == [
        ("/api/different", "different"),
        ("/api/same?email=<e-mail>", "equal"),
    ]
    assert "<title>octavo shadow</title>" in html.read_text()
    assert not [text for text in (output, log.read_text(), html.read_text()) if TOKEN in text or "ann@" in text]


def test_invalid_options(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.touch()
    urls = ("http://localhost:1", "http://localhost:2")
    for arguments, message in (
        ((*urls, "--listen", "1339"), "--listen: expected HOST:PORT, for example 127.0.0.1:1339"),
        ((*urls, "--html", str(file)), "already exists; --force replaces it"),
        (("localhost:1", urls[1]), "a service's URL is http:// or https:// with a host"),
        ((*urls, "--listen", "192.0.2.1:1"), "--listen 192.0.2.1:1: "),
    ):
        result = CliRunner().invoke(main, ["shadow", *arguments])
        assert result.exit_code == 1
        assert message in result.output
