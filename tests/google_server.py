"""A local server with the API of Google Cloud Storage, as documented. Requests carry a token signed by a service
account, or are signed themselves (V4). Public objects have an ACL that makes them public.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import quote, unquote

import jwt
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.http_services import Answer, Asked, serving

PUBLIC_HOST = "storage.googleapis.com"
"""Signed URLs are valid for this host only. This server replaces it."""

BUCKET, ACCOUNT = "files", "shop@example.iam.gserviceaccount.com"


@dataclass
class GoogleServer:
    """A bucket: content and headers by key, and the service account with write permission."""

    address: str = ""
    objects: dict[str, tuple[bytes, Mapping[str, str]]] = field(default_factory=dict)

    @cached_property
    def key(self) -> rsa.RSAPrivateKey:
        return rsa.generate_private_key(public_exponent=65537, key_size=2048)

    @property
    def service_account(self) -> str:
        pem = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        account = {"gcs_base_url": self.address, "client_email": ACCOUNT, "private_key": pem, "private_key_id": "k1"}
        return json.dumps({**account, "type": "service_account", "project_id": "shop"})

    def answer(self, asked: Asked) -> Answer:
        key = asked.name.removeprefix(f"/{BUCKET}/")
        content, headers = self.objects.get(key, (b"", {}))
        is_public = asked.method == "GET" and headers.get("x-goog-acl") == "public-read"
        if not (is_public or self._has_token(asked) or self._is_signed(asked)):
            return Answer(403, b"<Error><Code>AccessDenied</Code></Error>")
        made = {"ETag": '"1"', "Last-Modified": "Sun, 22 Nov 2026 10:00:00 GMT"}
        if asked.method == "PUT":
            return self._put(key, asked, made)
        if key not in self.objects:
            return Answer(404)
        if asked.method == "DELETE":
            del self.objects[key]
            return Answer(204)
        shown = {name: value for name, value in headers.items() if not name.startswith("x-goog")}
        return Answer(200, content, {**shown, **made})

    def _put(self, key: str, asked: Asked, made: dict[str, str]) -> Answer:
        named = ("content-type", "content-disposition", "content-encoding", "cache-control", "x-goog-acl")
        headers = {name: asked.headers[name] for name in named if name in asked.headers}
        content = asked.body
        source = asked.headers.get("x-goog-copy-source")
        if source is not None:
            found = self.objects.get(unquote(source).removeprefix(f"{BUCKET}/"))
            if found is None:
                return Answer(404)
            content, headers = found[0], {**found[1], **headers}
        self.objects[key] = content, headers
        return Answer(200, headers=made)

    def _has_token(self, asked: Asked) -> bool:
        token = asked.headers.get("authorization", "").removeprefix("Bearer ")
        if not token:
            return False
        claims = jwt.decode(token, self.key.public_key(), algorithms=["RS256"], options={"verify_aud": False})
        return claims["iss"] == claims["sub"] == ACCOUNT and "googleapis.com/auth" in claims["scope"]

    def _is_signed(self, asked: Asked) -> bool:
        reported = dict(asked.query)
        signature = reported.pop("X-Goog-Signature", "")
        if not signature or reported["X-Goog-SignedHeaders"] != "host":
            return False
        query = "&".join(f"{quote(name, safe='')}={quote(reported[name], safe='')}" for name in sorted(reported))
        lines = [asked.method, asked.path, query, f"host:{PUBLIC_HOST}", "", "host", "UNSIGNED-PAYLOAD"]
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        account, scope = reported["X-Goog-Credential"].split("/", 1)
        signed = f"GOOG4-RSA-SHA256\n{reported['X-Goog-Date']}\n{scope}\n{digest}"
        try:
            self.key.public_key().verify(bytes.fromhex(signature), signed.encode(), padding.PKCS1v15(), SHA256())
        except InvalidSignature:
            return False
        return account == ACCOUNT


@contextmanager
def google_server() -> Iterator[GoogleServer]:
    """Serve a bucket with fine-grained access control."""
    server = GoogleServer()
    with serving(server.answer) as server.address:
        yield server
