"""A local server with the API of Azure Blob Storage, as documented. Requests are signed with the account's key (Shared
Key) or carry a signature (SAS). Large blobs arrive in blocks, and are deleted in batches.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from tests.http_services import Answer, Asked, serving

ACCOUNT, CONTAINER = "shop", "files"
KEY = base64.b64encode(b"azure-secret-of-32-bytes........").decode()
SAS = "sv=2023-11-03&sp=rwd&sig=c2FzLXNlY3JldA%3D%3D"

_SIGNED = (
    *("content-encoding", "content-language", "content-length", "content-md5", "content-type", "date"),
    *("if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range"),
)
_PART = re.compile(r"DELETE (\S+) HTTP/1\.1\r\n(.*?)\r\n\r\n", re.DOTALL)


@dataclass
class AzureServer:
    """A container: content and headers by key."""

    address: str = ""
    blobs: dict[str, tuple[bytes, Mapping[str, str]]] = field(default_factory=dict)
    blocks: dict[str, bytes] = field(default_factory=dict)

    def answer(self, asked: Asked) -> Answer:
        if not self._may(asked):
            return Answer(403, b"<Error><Code>AuthenticationFailed</Code></Error>")
        if asked.query.get("comp") == "batch":
            return self._batch(asked)
        key = asked.name.removeprefix(f"/{CONTAINER}/")
        if asked.method == "DELETE":
            return Answer(202) if self.blobs.pop(key, None) else Answer(404)
        if asked.method == "PUT":
            return self._put(key, asked)
        if key not in self.blobs:
            return Answer(404)
        content, headers = self.blobs[key]
        return Answer(200, content, {**headers, "ETag": '"1"', "Last-Modified": "Sun, 22 Nov 2026 10:00:00 GMT"})

    def _put(self, key: str, asked: Asked) -> Answer:
        made = Answer(201, headers={"ETag": '"1"', "x-ms-copy-status": "success"})
        source = asked.headers.get("x-ms-copy-source")
        headers = {name[10:]: value for name, value in asked.headers.items() if name.startswith("x-ms-blob-c")}
        if source is not None:
            found = self.blobs.get(unquote(urlsplit(source).path).removeprefix(f"/{CONTAINER}/"))
            if found is None:
                return Answer(404)
            self.blobs[key] = found
        elif asked.query.get("comp") == "block":
            self.blocks[asked.query["blockid"]] = asked.body
        elif asked.query.get("comp") == "blocklist":
            named = re.findall(r"<Uncommitted>(.*?)</Uncommitted>", asked.body.decode())
            self.blobs[key] = b"".join(self.blocks[name] for name in named), headers
        else:
            self.blobs[key] = asked.body, headers
        return made

    def _batch(self, asked: Asked) -> Answer:
        answers = []
        for number, found in enumerate(_PART.finditer(asked.body.decode())):
            target, lines = urlsplit(found[1]), found[2].split("\r\n")
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
            query = dict(part.split("=", 1) for part in unquote(target.query).split("&") if part)
            part = Asked("DELETE", target.path, query, headers, b"")
            status = self.answer(part).status if self._may(part) else 403
            answers.append(
                "--batch\r\nContent-Type: application/http\r\n"
                f"Content-ID: {number}\r\n\r\nHTTP/1.1 {status} Done\r\nx-ms-request-id: 1\r\n\r\n\r\n"
            )
        body = "".join([*answers, "--batch--\r\n"]).encode()
        return Answer(202, body, {"Content-Type": "multipart/mixed; boundary=batch"})

    def _may(self, asked: Asked) -> bool:
        given = asked.headers.get("authorization", "")
        if asked.query.get("sig"):
            return asked.query["sig"] == "c2FzLXNlY3JldA=="
        if not given and asked.method == "GET":
            return True
        reported = {**asked.headers, "content-length": asked.headers.get("content-length", "").lstrip("0")}
        lines = [asked.method, *(reported.get(name, "") for name in _SIGNED)]
        lines += [f"{name}:{reported[name]}" for name in sorted(reported) if name.startswith("x-ms-")]
        lines += [f"/{ACCOUNT}{asked.path}", *(f"{name}:{asked.query[name]}" for name in sorted(asked.query))]
        digest = hmac.digest(base64.b64decode(KEY), "\n".join(lines).encode(), hashlib.sha256)
        return given == f"SharedKey {ACCOUNT}:{base64.b64encode(digest).decode()}"


@contextmanager
def azure_server() -> Iterator[AzureServer]:
    """Serve an account with one container, whose blobs are public."""
    server = AzureServer()
    with serving(server.answer) as server.address:
        yield server
