"""The files of `examples/proxies` in front of a real service, unchanged except for ports and certificates."""

import hashlib
import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.cli.processes import PATIENCE, Server, free_port, run, serving, spawn
from tests.cli.projects import make_project
from tests.cluster.proxies import CONFIGURED, HOST, LOG, Proxy, running

pytestmark = pytest.mark.cluster

NUMBERS = "a-token-for-those-who-look"
VARIABLES = {
    "OCTAVO_SERVER__TRUSTED_PROXIES": "127.0.0.1",
    "OCTAVO_SERVER__METRICS__TOKEN": NUMBERS,
    "OCTAVO_API__EVENTS__ENABLED": "true",
    "OCTAVO_API__COMPAT__FIRST_ADMINISTRATOR": "code",
    "PUBLIC_URL": f"https://{HOST}",
}
LARGE = bytes(range(256)) * (160 * 1024)  # 40 MB
FORM = "limit-of-the-form"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("proxies") / "site")


@pytest.fixture(scope="module")
def service(project: Path) -> Iterator[Server]:
    with serving("start", project, **VARIABLES) as server:
        yield server


@pytest.fixture(scope="module")
def bearer(project: Path, service: Server) -> dict[str, str]:
    code, said = run("tokens", "create", "tester", "--type", "full-access", "--project", str(project))
    assert code == 0, said
    return {"Authorization": f"Bearer {said.split()[-1]}"}


@pytest.fixture(scope="module", params=CONFIGURED)
def proxy(request: pytest.FixtureRequest, service: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp(request.param)
    with running(request.param, request.getfixturevalue(request.param), folder, service.port) as started:
        yield started


def form_of(name: str, content: bytes) -> tuple[bytes, dict[str, str]]:
    head = f'--{FORM}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n'
    body = f"{head}Content-Type: application/octet-stream\r\n\r\n".encode() + content + f"\r\n--{FORM}--\r\n".encode()
    return body, {"Content-Type": f"multipart/form-data; boundary={FORM}"}


def created(proxy: Proxy, bearer: dict[str, str], title: str) -> int:
    body = json.dumps({"data": {"title": title}}).encode()
    answer = proxy.ask("/api/stories", "POST", body, {**bearer, "Content-Type": "application/json"})
    assert answer.status == 200, answer
    found: int = json.loads(answer.body)["data"]["id"]
    return found


def test_plain_requests_are_sent_to_https(proxy: Proxy) -> None:
    asking = http.client.HTTPConnection("127.0.0.1", proxy.http_port, timeout=PATIENCE)
    asking.request("GET", "/api/stories?sort=id", headers={"Host": HOST})
    answer = asking.getresponse()
    assert answer.status in (301, 302, 308)
    assert (answer.headers["Location"]).startswith(f"https://{HOST}")
    assert answer.headers["Location"].endswith("/api/stories?sort=id")
    asking.close()


def test_content_is_written_and_read(proxy: Proxy, bearer: dict[str, str]) -> None:
    number = created(proxy, bearer, f"by {proxy.name}")
    answer = proxy.ask(f"/api/stories/{number}", headers=bearer)
    assert json.loads(answer.body)["data"]["attributes"]["title"] == f"by {proxy.name}"
    assert answer.headers["strict-transport-security"].startswith("max-age=")


def test_addresses_as_long_as_octavo_takes_them(proxy: Proxy, bearer: dict[str, str]) -> None:
    titles = "&".join(f"filters[title][$in][{number}]={'x' * 150}" for number in range(82))
    assert len(titles) > 14_000
    assert proxy.ask(f"/api/stories?{titles}", headers=bearer).status == 200
    assert proxy.ask(f"/api/stories?x={'x' * 17_000}", headers=bearer).status == 414


def test_rate_limits_count_the_real_client(proxy: Proxy) -> None:
    body = json.dumps({"identifier": f"{proxy.name}@example.org", "password": "wrong-one"}).encode()
    seen: dict[str, list[int]] = {"127.0.0.4": [], "127.0.0.5": []}
    for number in range(7):
        said = {"X-Forwarded-For": f"203.0.113.{number}", "X-Real-IP": "203.0.113.9", "Forwarded": "for=203.0.113.8"}
        headers = {"Content-Type": "application/json", **said}
        seen["127.0.0.4"].append(proxy.ask("/api/auth/local", "POST", body, headers, "127.0.0.4").status)
    seen["127.0.0.5"].append(proxy.ask("/api/auth/local", "POST", body, headers, "127.0.0.5").status)
    assert seen == {"127.0.0.4": [400] * 5 + [429] * 2, "127.0.0.5": [400]}


@pytest.mark.parametrize(
    "path",
    [
        *("/metrics", "/_status", "/metrics/", "/%6detrics", "//metrics", "/./metrics", "/x/../metrics"),
        *("/_st%61tus?x=1", "/Metrics", "/_STATUS", "/METRICS/?x=1", "/%4Detrics"),
    ],
)
def test_metrics_are_not_public(proxy: Proxy, path: str) -> None:
    answer = proxy.ask(path, headers={"Authorization": f"Bearer {NUMBERS}"})
    assert answer.status in (301, 307, 308, 400, 404), answer
    assert b"octavo_" not in answer.body


def test_large_files_go_up_and_down(proxy: Proxy, bearer: dict[str, str]) -> None:
    body, headers = form_of("large.bin", LARGE)
    answer = proxy.ask("/api/upload", "POST", body, {**bearer, **headers})
    assert answer.status in (200, 201), answer
    [file] = json.loads(answer.body)
    path = file["url"].removeprefix(f"https://{HOST}")
    whole = proxy.ask(path)
    assert hashlib.sha256(whole.body).digest() == hashlib.sha256(LARGE).digest()
    part = proxy.ask(path, headers={"Range": "bytes=1000-1999"})
    assert (part.status, part.body) == (206, LARGE[1000:2000])
    time.sleep(1)  # within a second after its last change, a file is always sent again
    known = proxy.ask(path, "HEAD").headers["last-modified"]
    assert proxy.ask(path, headers={"If-Modified-Since": known}).status == 304


def test_uploads_are_not_buffered(proxy: Proxy, service: Server, bearer: dict[str, str]) -> None:
    """Octavo receives the request before its body is complete: no proxy buffers it."""
    body, headers = form_of("slow.bin", LARGE[: 1 << 20])
    before = under_way(service)
    connection = proxy.connect()
    connection.putrequest("POST", "/api/upload")
    for name, value in {**headers, "Content-Length": str(len(body)), **bearer}.items():
        connection.putheader(name, value)
    connection.endheaders(body[: 256 << 10])
    deadline = time.monotonic() + PATIENCE
    while under_way(service) <= before:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    connection.send(body[256 << 10 :])
    answer = connection.getresponse()
    assert answer.status in (200, 201), answer.read()
    connection.close()


def under_way(service: Server) -> float:
    """Return how many requests the service is processing."""
    asking = Request(f"http://127.0.0.1:{service.port}/metrics", headers={"Authorization": f"Bearer {NUMBERS}"})
    with urlopen(asking, timeout=PATIENCE) as answer:
        text = answer.read().decode()
    return float(re.findall(r"^octavo_requests_running (\S+)", text, re.MULTILINE)[0])


def test_event_streams_are_not_buffered(proxy: Proxy, bearer: dict[str, str]) -> None:
    listening = proxy.connect()
    listening.request("GET", "/api/events?types=api::story.story", headers=bearer)
    stream = listening.getresponse()
    assert (stream.status, stream.headers["Content-Type"].partition(";")[0]) == (200, "text/event-stream")
    number = created(proxy, bearer, "told")
    while not (line := stream.readline()).startswith(b"data: {"):
        assert line
    assert json.loads(line.removeprefix(b"data: "))["id"] == number
    listening.close()


def test_requests_through_a_proxy_are_not_local(proxy: Proxy, project: Path, tmp_path: Path) -> None:
    """The first administrator can only be created from the machine itself, or with the code in the log."""
    assert proxy.ask("/admin/init", source="127.0.0.1").status == 200
    body = json.dumps(
        {"email": "a@example.org", "password": "Passw0rd-of-mine", "firstname": "A", "lastname": "B"}
    ).encode()
    headers = {"Content-Type": "application/json"}
    assert proxy.ask("/admin/register-admin", "POST", body, headers, "127.0.0.1").status in (400, 401, 403)


def test_haproxy_logs_each_request_without_errors(haproxy: Path, service: Server, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind(str(tmp_path / LOG))
        log.settimeout(PATIENCE)
        with running("haproxy", haproxy, tmp_path, service.port) as proxy:
            assert proxy.ask("/api/stories?sort=id", source="127.0.0.7").status == 403
            while "/api/stories?sort=id" not in (line := log.recv(65536).decode()):
                pass
    assert re.search(r"127\.0\.0\.7:\d+ .* octavo/one .* 403 ", line), line
    assert "WARNING" not in (tmp_path / "haproxy.log").read_text("utf-8")


def test_caddy_waits_during_a_restart(caddy: Path, tmp_path: Path) -> None:
    """A node stops and starts on the same port while a user reads."""
    project = make_project(tmp_path / "site")
    port = free_port()
    statuses: list[int] = []
    done = threading.Event()

    def start() -> Server:
        server = Server(spawn("start", "--project", str(project), "--port", str(port), **VARIABLES), port)
        server.wait()
        return server

    server = start()
    with running("caddy", caddy, tmp_path, port) as proxy:

        def read() -> None:
            while not done.is_set():
                statuses.append(proxy.ask("/_health").status)

        reader = threading.Thread(target=read)
        reader.start()
        try:
            for _ in range(2):
                wait_for_more(statuses)
                code, said = server.stop()
                assert code == 0, said
                server = start()
            wait_for_more(statuses)
        finally:
            done.set()
            reader.join(PATIENCE)
            server.stop()
    assert set(statuses) == {204}


def wait_for_more(answers: list[int]) -> None:
    """Wait for more responses."""
    wanted, deadline = len(answers) + 5, time.monotonic() + PATIENCE
    while len(answers) < wanted:
        assert time.monotonic() < deadline
        time.sleep(0.02)
