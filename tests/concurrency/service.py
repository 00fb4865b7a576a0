"""A service on one or two ports, and ten concurrent requests to it."""

import itertools
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.cli.processes import PATIENCE

TEN = 10
SECRETS = "".join(
    f"{name}={'x' * 40}\n"
    for name in ("APP_KEYS", "API_TOKEN_SALT", "ADMIN_JWT_SECRET", "JWT_SECRET", "TRANSFER_TOKEN_SALT")
)
LOCALES = ("de", "es", "it", "nl", "pl", "pt", "ro", "sv", "tr", "cs")
LOCALIZED = {"i18n": {"localized": True}}


def _type(name: str, attributes: dict[str, Any], kind: str = "collectionType", **more: Any) -> dict[str, Any]:
    info = {"singularName": name, "pluralName": f"{name}s", "displayName": name.title()}
    return {"kind": kind, "collectionName": f"{name}s", "info": info, "attributes": attributes, **more}


def _relation(kind: str, target: str, **more: str) -> dict[str, str]:
    return {"type": "relation", "relation": kind, "target": f"api::{target}.{target}", **more}


TYPES = (
    _type("badge", {"code": {"type": "string", "unique": True}, "slug": {"type": "uid", "targetField": "code"}}),
    _type("part", {"parts": {"type": "component", "component": "shared.part", "repeatable": True}}),
    _type("draft", {"title": {"type": "string"}}, options={"draftAndPublish": True}),
    _type("front", {"title": {"type": "string"}}, "singleType", options={"draftAndPublish": True}),
    _type("word", {"text": {"type": "string", "pluginOptions": LOCALIZED}}, pluginOptions=LOCALIZED),
    _type("home", {"text": {"type": "string", "pluginOptions": LOCALIZED}}, "singleType", pluginOptions=LOCALIZED),
    _type(
        "owner",
        {
            "name": {"type": "string"},
            "best": _relation("oneToOne", "thing", inversedBy="bestOf"),
            "things": _relation("oneToMany", "thing", mappedBy="owner"),
            "liked": _relation("manyToMany", "thing", inversedBy="likedBy"),
            "picture": {"type": "media", "multiple": False},
            "pictures": {"type": "media", "multiple": True},
        },
    ),
    _type(
        "thing",
        {
            "name": {"type": "string"},
            "bestOf": _relation("oneToOne", "owner", mappedBy="best"),
            "owner": _relation("manyToOne", "owner", inversedBy="things"),
            "likedBy": _relation("manyToMany", "owner", mappedBy="liked"),
        },
    ),
)
PART = {
    "collectionName": "parts_in",
    "info": {"displayName": "Part"},
    "attributes": {"code": {"type": "string", "unique": True}},
}


@dataclass
class Service:
    """A service on one or two ports."""

    ports: list[int]
    project: Path
    token: str = ""
    full: str = ""
    """An API token with full access."""
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def new(self) -> str:
        """Return a word that no other test uses."""
        return f"name{next(self.numbers)}"

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, port: int = 0, form: Any = None
    ) -> tuple[int, Any]:
        """Return status and JSON of a response. `form` is a file of a multipart body."""
        headers = {"Authorization": f"Bearer {self.token if token is None else token}"}
        if token == "" or not self.token:
            del headers["Authorization"]
        data, headers["Content-Type"] = _form(form) if form else (json.dumps(body).encode(), "application/json")
        wanted = data if body is not None or form else None
        url = f"http://127.0.0.1:{self.ports[port % len(self.ports)]}{path}"
        try:
            with urlopen(Request(url, wanted, headers, method=method), timeout=PATIENCE) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except HTTPError as error:
            text = error.read()
            return error.code, json.loads(text) if text.startswith(b"{") else text

    def make(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """Return the JSON of a successful response."""
        status, answer = self.ask(method, path, body, **options)
        assert status < 300, answer
        return answer

    def wait_for_type(self, uid: str) -> None:
        """Wait until a new content type is served."""
        deadline = time.monotonic() + PATIENCE
        while self.ask("GET", f"/content-manager/collection-types/{uid}")[0] != 200:
            assert time.monotonic() < deadline, uid
            time.sleep(0.05)

    def mailed_code(self, email: str) -> str:
        """Return the code in the newest mail to a user. Wait for the mail."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for file in sorted((self.project / ".octavo/mail").glob("*.eml"), reverse=True):
                mail = message_from_bytes(file.read_bytes(), policy=default)
                if email in str(mail["To"]):
                    text = "".join(part.get_content() for part in mail.walk() if part.get_content_maintype() == "text")
                    found = re.search(r"code=([\w-]+)", text)
                    assert found, text
                    return found[1]
            time.sleep(0.05)
        raise TimeoutError(email)

    def ten(self, ask: Callable[[int], tuple[int, Any]]) -> list[tuple[int, Any]]:
        """Call with 0 to 9 concurrently. No response may be a server error."""
        ready = threading.Barrier(TEN)

        def one(number: int) -> tuple[int, Any]:
            ready.wait()
            return ask(number)

        with ThreadPoolExecutor(TEN) as pool:
            answers = list(pool.map(one, range(TEN)))
        assert all(status < 500 for status, _ in answers), answers
        return answers

    def same(self, method: str, path: str, body: Any = None, **options: Any) -> Counter[int]:
        """Send a request ten times concurrently. Return the count of each status."""
        answers = self.ten(lambda number: self.ask(method, path, body, port=number, **options))
        return Counter(status for status, _ in answers)


NEW_TYPES = "/content-type-builder/content-types"


def new_type(name: str) -> dict[str, Any]:
    names = {"displayName": name.title(), "singularName": name, "pluralName": f"{name}s"}
    form = {**names, "kind": "collectionType", "draftAndPublish": False, "attributes": {"name": {"type": "string"}}}
    return {"contentType": form, "components": []}


def _form(file: tuple[str, bytes]) -> tuple[bytes, str]:
    name, content = file
    head = f'--b\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\nContent-Type: image/png\r\n\r\n'
    return head.encode() + content + b"\r\n--b--\r\n", "multipart/form-data; boundary=b"
