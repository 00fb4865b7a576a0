"""Send the steps to a service and collect the bodies that its webhook receives after each."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.webhook_bodies.cases import STEPS, Step

Send = Callable[[str, str, bytes, Mapping[str, str]], tuple[int, Any]]
"""Sends a request: method, path, body and headers. Returns the status and the JSON of the response."""
_TIME = re.compile(r"20(2[5-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_HASH = re.compile(r"_[0-9a-f]{10}\b")
_PLACE = re.compile(r"\{(\w+)\}")
_BOUNDARY = "XX"
_COMPONENTS = ("seo", "links", "blocks", "see")


def run(
    send: Send,
    token: str,
    collect: Callable[[], list[Any]],
    api_token: str | None = None,
    steps: Iterable[Step] = STEPS,
) -> dict[str, Any]:
    """Return for each step the status of its response and the bodies that the webhook has received.

    `token` is an administrator's, `api_token` that of requests to the content API; None: they are anonymous.
    """
    found: dict[str, Any] = {}
    ids: dict[str, int] = {}
    for name, method, path, body in steps:
        name, _, kept = name.partition(" =")
        path = _filled(path, ids)
        bearer = api_token if path.startswith(("/api/", "/graphql")) else token
        headers = {} if bearer is None else {"Authorization": f"Bearer {bearer}"}
        payload, kind = _encoded(body, ids)
        status, answer = send(method, path, payload, {**headers, **kind})
        if kept and status < 300:
            ids[kept] = _id_of(answer)
        found[name] = {"status": status, "bodies": [simplify(one) for one in collect()]}
        if status >= 300:
            found[name]["answer"] = answer
    return found


def simplify(body: Any) -> Any:
    """Replace times of the run and random names, and remove the ids of components, whose order is undefined."""
    text = json.dumps(_without_ids(body), ensure_ascii=False, sort_keys=True)
    return json.loads(_HASH.sub("_HASH", _TIME.sub("NOW", text)))


def _without_ids(value: Any, inside: bool = False) -> Any:
    if isinstance(value, list):
        return [_without_ids(one, inside) for one in value]
    if isinstance(value, dict):
        members = {name: _without_ids(one, name in _COMPONENTS) for name, one in value.items()}
        if inside:
            members.pop("id", None)
        return members
    return value


def _filled(text: str, ids: Mapping[str, int]) -> str:
    return _PLACE.sub(lambda match: str(ids.get(match[1], match[0])), text)


def _numbered(value: Any, ids: Mapping[str, int]) -> Any:
    if isinstance(value, str):
        match = _PLACE.fullmatch(value)
        return ids.get(match[1], value) if match else _filled(value, ids)
    if isinstance(value, list):
        return [_numbered(one, ids) for one in value]
    if isinstance(value, dict):
        return {key: _numbered(one, ids) for key, one in value.items()}
    return value


def _encoded(body: Any, ids: Mapping[str, int]) -> tuple[bytes, dict[str, str]]:
    if body is None:
        return b"", {}
    body = _numbered(body, ids)
    if "files" not in body and "form" not in body:
        return json.dumps(body).encode(), {"Content-Type": "application/json"}
    info = body.get("fileInfo", body.get("form", {}).get("fileInfo"))
    parts = [f'name="fileInfo"\r\n\r\n{json.dumps(info)}'] if info is not None else []
    parts += [
        f'name="files"; filename="{name}"\r\nContent-Type: text/plain\r\n\r\ncontent of {name}'
        for name in body.get("files", ())
    ]
    text = "".join(f"--{_BOUNDARY}\r\nContent-Disposition: form-data; {part}\r\n" for part in parts)
    kind = {"Content-Type": f"multipart/form-data; boundary={_BOUNDARY}"}
    return f"{text}--{_BOUNDARY}--\r\n".encode(), kind


def _id_of(answer: Any) -> int:
    while not isinstance(answer, dict) or "id" not in answer:
        answer = answer[0] if isinstance(answer, list) else answer.get("data", answer.get("user"))
        if isinstance(answer, dict) and "id" not in answer and "data" not in answer and "user" not in answer:
            answer = next(iter(answer.values()))
    return int(answer["id"])
