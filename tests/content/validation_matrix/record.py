"""Send every case to a service: `python -m tests.content.validation_matrix.record URL FILE`, with everything public."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.content.validation_matrix.cases import Case, cases, definitions, request_of

Send = Callable[[str, str, dict[str, Any]], tuple[int, Any]]


def outcome_of(case: Case, send: Send, entries: dict[str, Any]) -> list[Any]:
    """Return the status of a case, and the paths and messages of its errors.

    `entries` contains the entries that updates write, by place; they are created as needed.
    """
    asked = request_of(case)
    method, path, data = "POST", f"/api/{asked.path}", asked.data
    if asked.before is not None:
        if case.place not in entries:
            status, entries[case.place] = send("POST", f"{path}?populate=*", {"data": asked.before})
            assert status == 200, entries[case.place]
        made = entries[case.place]
        method, path = "PUT", f"{path}/{made['data']['id']}"
        if case.place == "kept":
            data = {"part": {**data["part"], "id": made["data"]["attributes"]["part"]["id"]}}
    status, answer = send(method, path, {"data": data})
    if status == 200:
        return [200]
    errors = answer["error"]["details"].get("errors", [])
    return [status, [[one["path"], one["message"]] for one in errors] or answer["error"]["message"]]


def over_http(url: str) -> Send:
    """Return a function that sends requests to a service."""

    def send(method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        headers = {"Content-Type": "application/json"}
        request = Request(f"{url}{path}", json.dumps(body).encode(), headers, method=method)
        try:
            with urlopen(request) as answer:
                return answer.status, json.load(answer)
        except HTTPError as error:
            return error.code, json.load(error)

    return send


def write_project(folder: Path) -> None:
    """Write the definitions into a folder with `api/` and `components/`."""
    for name, definition in definitions().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(definition))


if __name__ == "__main__":
    if sys.argv[1] == "project":
        write_project(Path(sys.argv[2]))
    else:
        send = over_http(sys.argv[1])
        entries: dict[str, Any] = {}
        found = {case.key: outcome_of(case, send, entries) for case in cases()}
        lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
        Path(sys.argv[2]).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
