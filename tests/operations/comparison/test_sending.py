"""Requests over HTTP: hostile responses are limited, unstable ones are detected, and interrupted runs resume."""

import gzip
import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from octavo.core.errors import ApplicationError
from octavo.operations.comparison.comparison import Comparison, Role, ServiceUnreachable
from octavo.operations.comparison.masks import Masks
from octavo.operations.comparison.progress_file import fingerprint_of, open_progress
from octavo.operations.comparison.requests import ComparedRequest
from octavo.operations.comparison.results import Results
from octavo.operations.comparison.sending import Service
from tests.cli.processes import free_port
from tests.http_services import Answer, Asked, serving

pytestmark = pytest.mark.anyio
JSON = {"content-type": "application/json"}
MOST = 100_000


def reply(value: object) -> Answer:
    return Answer(200, json.dumps(value).encode(), dict(JSON))


def hostile(asked: Asked) -> Answer:
    """Serve unusual responses."""
    bodies = {
        "/api/large": (b"x" * (MOST + 1), {}),
        "/api/bomb": (gzip.compress(b"x" * 50_000_000), {"content-encoding": "gzip"}),
        "/api/zipped": (gzip.compress(b'{"a": 1}'), {"content-encoding": "gzip"}),
        "/api/damaged": (b"\x1f\x8b\x08nothing", {"content-encoding": "gzip"}),
        "/api/unknown": (b"\x01\x02", {"content-encoding": "br"}),
        "/api/cookie": (b"{}", {"set-cookie": "session=secret"}),
    }
    if asked.path == "/api/moved":
        return Answer(301, b"", {"location": "http://169.254.169.254/latest"})
    if "cookie" in asked.headers:
        return Answer(500)
    body, headers = bodies.get(asked.path, (b"{}", {}))
    return Answer(200, body, {**JSON, **headers})


async def test_responses_have_limits() -> None:
    with serving(hostile) as url:
        service = Service(url, rate=1_000, most_bytes=MOST)
        answers = {
            name: await service.send(ComparedRequest("GET", f"/api/{name}"))
            for name in ("large", "bomb", "zipped", "damaged", "unknown", "moved", "cookie", "after")
        }
    assert {name: one.failure for name, one in answers.items() if one.failure} == {
        "large": "the response is too large",
        "bomb": "the response is too large",
        "damaged": "invalid or incomplete response (error)",
    }
    assert answers["zipped"].body == b'{"a": 1}'
    assert answers["unknown"].body == b"\x01\x02"
    assert (answers["moved"].status, answers["moved"].location) == (301, "http://169.254.169.254/latest")
    assert answers["after"].status == 200


@contextmanager
def raw_service(start: bytes) -> Iterator[str]:
    """Send the start of a response to each connection, and never end it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        connections = []

        def accept() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                connection.recv(65_536)
                connection.sendall(start)
                connections.append(connection)

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
    thread.join()
    for connection in connections:
        connection.close()


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nabc"])
async def test_endless_responses_end(start: bytes) -> None:
    with raw_service(start) as url:
        answer = await Service(url, seconds=0.2).send(ComparedRequest("GET", "/api/a"))
    assert answer.failure == "took longer than 0.2 s"


async def test_responses_that_are_not_http() -> None:
    with raw_service(b"SSH-2.0-OpenSSH_9.6\r\n\r\n") as url:
        answer = await Service(url, seconds=30).send(ComparedRequest("GET", "/api/a"))
    assert answer.failure == "invalid or incomplete response (RemoteProtocolError)"


async def test_limited_rates_are_awaited() -> None:
    calls: Counter[str] = Counter()

    def limited(asked: Asked) -> Answer:
        calls[asked.path] += 1
        is_limited = asked.path == "/api/always" or calls[asked.path] == 1
        return Answer(429, b"", {"retry-after": "0"}) if is_limited else reply({})

    with serving(limited) as url:
        service = Service(url, rate=1_000)
        assert (await service.send(ComparedRequest("GET", "/api/once"))).status == 200
        always = await service.send(ComparedRequest("GET", "/api/always"))
    assert always.failure == "rate limit (429): use a lower --rate, or raise the limit"
    assert calls == {"/api/once": 2, "/api/always": 3}


@pytest.mark.parametrize(
    "url, message",
    [
        ("ftp://a.org", "http:// or https://"),
        ("localhost:1337", "http:// or https://"),
        ("http://", "http:// or https://"),
        ("http://a.org?x=1", "http:// or https://"),
        ("http://ann:secret@a.org", "must not contain a user or password"),
        ("http://a.org:99999", "http:// or https://"),
        ("http://a.org:x", "is not a URL"),
    ],
)
def test_invalid_urls(url: str, message: str) -> None:
    with pytest.raises(ApplicationError, match=message) as error:
        Service(url)
    assert "secret" not in str(error.value)


Reply = Callable[[Asked], Answer]
READS = [ComparedRequest("GET", f"/api/a/{number}") for number in range(20)]


async def compared(
    old: Reply, new: Reply, requests: Sequence[ComparedRequest], progress: Path | None = None, roles: int = 1
) -> Results:
    callers = [Role("public"), Role("editor", "old-token", "new-token")][:roles]
    with serving(old) as old_url, serving(new) as new_url:
        services = Service(old_url, rate=1_000), Service(new_url, rate=1_000)
        results = Results(old_url, new_url)
        masks = Masks()
        if progress is None:
            await Comparison(*services, masks, results, roles=callers).run(requests)
        else:
            with open_progress(progress, fingerprint_of("same")) as stored:
                await Comparison(*services, masks, results, roles=callers, progress=stored).run(requests)
    return results


async def test_unstable_responses_are_not_differences() -> None:
    calls: Counter[str] = Counter()

    def random(asked: Asked) -> Answer:
        calls[asked.path] += 1
        return reply({"random": calls[asked.path], "title": "old"})

    results = await compared(random, lambda asked: reply({"random": 0, "title": "old"}), READS)
    assert (results.states, results.groups) == ({"unstable": 20}, {})
    results = await compared(random, lambda asked: reply({"random": 0, "title": "new"}), READS)
    assert results.states == {"different": 20}
    assert [group.shape for group in results.unexplained] == ["$.title"]


async def test_roles_send_their_tokens() -> None:
    def secret(token: str) -> Reply:
        def answer(asked: Asked) -> Answer:
            return reply({"editor": asked.headers.get("authorization") == f"Bearer {token}"})

        return answer

    results = await compared(secret("old-token"), secret("new-token"), READS, roles=2)
    assert results.states == {"equal": 40}
    results = await compared(secret("old-token"), secret("old-token"), READS, roles=2)
    assert results.states == {"equal": 20, "different": 20}


async def test_an_interrupted_comparison_resumes(tmp_path: Path) -> None:
    asked_for: Counter[str] = Counter()

    def old(asked: Asked) -> Answer:
        asked_for[asked.path] += 1
        return reply({"title": f"{asked.path} by ann@example.org"})

    def new(asked: Asked) -> Answer:
        return reply({"title": f"{asked.path} by bob@example.org" if asked.path.endswith("/3") else "other"})

    file = tmp_path / "progress.jsonl"
    await compared(old, new, READS[:8], file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert "@" not in file.read_text("utf-8")
    file.write_text(file.read_text("utf-8")[:-30], "utf-8")  # a crash cuts off the last line
    asked_for.clear()
    results = await compared(old, new, READS, file)
    assert len(asked_for) == 13
    assert results.states == {"different": 20}
    asked_for.clear()
    assert (await compared(old, new, READS, file)).states == {"different": 20}
    assert asked_for == {}


def test_progress_files_of_other_comparisons_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "progress.jsonl"
    with open_progress(file, "one"), pytest.raises(ApplicationError, match="is in use"), open_progress(file, "one"):
        pass
    with pytest.raises(ApplicationError, match="other URLs, roles or masks"), open_progress(file, "two"):
        pass
    file.write_text("{}\n")
    with pytest.raises(ApplicationError, match="is not a progress file"), open_progress(file, "one"):
        pass


async def test_a_service_that_is_down_ends_the_comparison() -> None:
    with serving(lambda asked: reply({})) as url:
        down = Service(f"http://127.0.0.1:{free_port()}", rate=1_000)
        comparison = Comparison(Service(url, rate=1_000), down, Masks(), Results("", ""))
        with pytest.raises(ServiceUnreachable, match=r"http://\S+ cannot be reached\. Is it running\?"):
            await comparison.run(READS)


async def test_writes_are_sent_once_and_in_order() -> None:
    sent: list[bytes] = []

    def old(asked: Asked) -> Answer:
        sent.append(asked.body)
        return reply({"created": 1})

    writes = [ComparedRequest("POST", "/api/a", str(number), "application/json") for number in range(10)]
    results = await compared(old, lambda asked: reply({"created": 2}), writes)
    assert sent == [str(number).encode() for number in range(10)]
    assert results.states == {"different": 10}
