"""Clients that write concurrently and record the acknowledged writes.

Each entry contains its version in every field: a stored entry must have one version, the last acknowledged one or one
that was sent later.
"""

import http.client
import json
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

POPULATE = "populate=seo.shareImage,seo.metaSocial,links.target,blocks.files,gallery,cover,categories,tags,author"
PATIENCE = 90.0


@dataclass
class KnownEntry:
    """A client's knowledge of an entry: the acknowledged version, and later ones that were sent."""

    acknowledged: int
    sent: set[int] = field(default_factory=set)
    deleted: bool = False


def article(version: int) -> dict[str, Any]:
    """Return an article with one version in all fields."""
    text, several = f"v{version}", version % 3
    return {
        "title": text,
        "author": 1 + version % 3,
        "categories": [1, 2, 3][: 1 + several],
        "tags": [],
        "cover": 1 + several,
        "gallery": [1, 2, 3][: 1 + several],
        "seo": {"metaTitle": text, "shareImage": 1 + several, "metaSocial": [{"network": "facebook", "title": text}]},
        "links": [{"text": text, "target": 1 + several}] * (1 + several),
        "blocks": [
            {"__component": "shared.rich-text", "body": text},
            {"__component": "shared.slider", "files": [1, 2, 3][: 1 + several]},
        ],
    }


def outline(entry: dict[str, Any]) -> dict[str, Any]:
    """Return what `article` sent, from a fully populated response."""
    attributes = entry["attributes"]
    seo, blocks = attributes["seo"], attributes["blocks"]
    return {
        "title": attributes["title"],
        "author": attributes["author"]["data"]["id"],
        "categories": _ids(attributes["categories"]),
        "tags": _ids(attributes["tags"]),
        "cover": attributes["cover"]["data"]["id"],
        "gallery": _ids(attributes["gallery"]),
        "seo": {
            "metaTitle": seo["metaTitle"],
            "shareImage": seo["shareImage"]["data"]["id"],
            "metaSocial": [{"network": item["network"], "title": item["title"]} for item in seo["metaSocial"]],
        },
        "links": [{"text": link["text"], "target": link["target"]["data"]["id"]} for link in attributes["links"]],
        "blocks": [
            {"__component": blocks[0]["__component"], "body": blocks[0]["body"]},
            {"__component": blocks[1]["__component"], "files": _ids(blocks[1]["files"])},
        ],
    }


def _ids(related: dict[str, Any]) -> list[int]:
    return sorted(item["id"] for item in related["data"])


class Client:
    """A persistent connection. Incomplete responses count as none."""

    def __init__(self, port: int, token: bytes) -> None:
        self._port = port
        self._headers = {"Authorization": token.decode(), "Content-Type": "application/json"}
        self._connection: http.client.HTTPConnection | None = None

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any, http.client.HTTPMessage]:
        """Return status, body and headers. Raise OSError or HTTPException without a complete response."""
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
        try:
            self._connection.request(method, path, None if body is None else json.dumps(body), self._headers)
            answer = self._connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null"), answer.headers
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class Load:
    """Clients that create, update and delete articles until they are stopped.

    A client stops when no server responds, unless it is `patient`.
    """

    def __init__(self, port: int, token: bytes, clients: int = 4, *, patient: bool = False, seed: int = 1) -> None:
        self.known: dict[int, KnownEntry] = {}
        self.statuses: Counter[int] = Counter()
        self.retries: list[str | None] = []
        """What each refusal said in Retry-After."""
        self.created_unanswered = 0
        self._stop = threading.Event()
        self._patient = patient
        self._threads = [
            threading.Thread(target=self._work, args=(Client(port, token), Random(seed * 100 + number), number))
            for number in range(clients)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Wait for the last response of every client."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def wait_for_writes(self, number: int) -> None:
        """Wait until this many writes were acknowledged."""
        self.wait_for(200, number)

    def wait_for(self, status: int, number: int) -> None:
        """Wait until this many responses had a status."""
        deadline = time.monotonic() + PATIENCE
        while self.statuses[status] < number:
            assert time.monotonic() < deadline, self.statuses
            time.sleep(0.005)

    def _work(self, client: Client, random: Random, number: int) -> None:
        own: list[int] = []
        version = number * 1_000_000
        while not self._stop.is_set():
            version += 1
            try:
                self._write(client, random, own, version)
            except (OSError, http.client.HTTPException):
                if not self._patient:
                    break
                time.sleep(0.02)
        client.close()

    def _write(self, client: Client, random: Random, own: list[int], version: int) -> None:
        dice = random.random()
        if not own or dice < 0.4:
            self._create(client, own, version)
        elif dice < 0.85:
            self._update(client, random.choice(own), version)
        else:
            self._delete(client, own.pop(random.randrange(len(own))))

    def _create(self, client: Client, own: list[int], version: int) -> None:
        try:
            answer = self._call(client, "POST", "/api/articles", {"data": article(version)})
        except (OSError, http.client.HTTPException):
            self.created_unanswered += 1
            raise
        if answer is not None:
            own.append(answer["data"]["id"])
            self.known[own[-1]] = KnownEntry(version)
        else:
            self.created_unanswered += 1

    def _update(self, client: Client, entry_id: int, version: int) -> None:
        reported = self.known[entry_id]
        reported.sent.add(version)
        if self._call(client, "PUT", f"/api/articles/{entry_id}", {"data": article(version)}) is not None:
            reported.acknowledged, reported.sent = version, set()

    def _delete(self, client: Client, entry_id: int) -> None:
        reported = self.known[entry_id]
        reported.sent.add(-1)
        if self._call(client, "DELETE", f"/api/articles/{entry_id}") is not None:
            reported.deleted = True

    def _call(self, client: Client, method: str, path: str, body: Any = None) -> Any:
        status, answer, headers = client.call(method, path, body)
        self.statuses[status] += 1
        if status == 200:
            return answer
        self.retries.append(headers["Retry-After"])
        time.sleep(0.02)
        return None


def broken_promises(load: Load, client: Client) -> list[str]:
    """Return every entry that differs from its acknowledged version, or has several versions."""
    broken = []
    for entry_id, reported in load.known.items():
        status, answer, _ = client.call("GET", f"/api/articles/{entry_id}?{POPULATE}")
        possible = {reported.acknowledged, *reported.sent}
        if status == 404:
            if not reported.deleted and -1 not in possible:
                broken.append(f"{entry_id} is lost: {reported}")
        elif reported.deleted:
            broken.append(f"{entry_id} was deleted and is still there")
        elif outline(answer["data"]) not in [article(version) for version in possible if version >= 0]:
            broken.append(f"{entry_id} should be {reported} and is {outline(answer['data'])}")
    return broken
