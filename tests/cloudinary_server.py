"""A local server with Cloudinary's upload API, as documented: each request is signed, and the service detects the
file's type."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.http_services import Answer, Asked, serving

CLOUD, KEY, SECRET = "shop", "417282", "cloudinary-secret"


@dataclass
class CloudinaryServer:
    """Uploaded content by type and public id, and the parameters of each upload."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    told: list[dict[str, str]] = field(default_factory=list)
    pieces: dict[str, bytes] = field(default_factory=dict)
    version: int = 0

    def answer(self, asked: Asked) -> Answer:
        begin, kind, action = asked.path.rsplit("/", 2)
        is_upload = action == "upload"
        parts = asked.parts if is_upload else {}
        reported = {name: content.decode() for name, (_, content) in parts.items() if name != "file"} or asked.form
        if begin != f"/v1_1/{CLOUD}" or not _is_signed(reported):
            return _refusal(401, "Invalid Signature")
        if is_upload:
            self.told.append(reported)
            return self._upload(reported, *parts["file"], asked)
        if action == "destroy":
            found = self.files.pop(f"{kind}/{reported['public_id']}", None)
            return _json({"result": "ok" if found is not None else "not found"})
        return self._rename(kind, reported)

    def _upload(self, told: dict[str, str], file_name: str | None, content: bytes, asked: Asked) -> Answer:
        whole = asked.headers.get("x-unique-upload-id")
        if whole is not None:
            self.pieces[whole] = content = self.pieces.get(whole, b"") + content
            if len(content) < int(asked.headers["content-range"].rpartition("/")[2]):
                return _json({"done": False})
        if content.startswith(b"huge"):
            return _refusal(400, "File size too large. Got 104857601. Maximum is 104857600.")
        if content.startswith(b"broken"):
            return _refusal(400, "Invalid image file")
        extension = "." + (file_name or "").rpartition(".")[2]
        kind = {".png": "image", ".jpg": "image", ".mp4": "video"}.get(extension, "raw")
        kind = "raw" if content.startswith(b"hello") else kind
        folder = f"{told['folder']}/" if "folder" in told else ""
        public_id = f"{folder}{told['public_id']}{extension if kind == 'raw' else ''}"
        self.files[f"{kind}/{public_id}"] = content
        return self._shown(kind, public_id)

    def _rename(self, kind: str, told: dict[str, str]) -> Answer:
        source, target = f"{kind}/{told['from_public_id']}", f"{kind}/{told['to_public_id']}"
        if source not in self.files:
            return _refusal(404, f"Resource not found - {told['from_public_id']}")
        if target in self.files and told.get("overwrite") != "true":
            return _refusal(400, "to_public_id already exists")
        self.files[target] = self.files.pop(source)
        return self._shown(kind, told["to_public_id"])

    def _shown(self, kind: str, public_id: str) -> Answer:
        self.version += 1
        url = f"https://res.cloudinary.com/{CLOUD}/{kind}/upload/v{self.version}/{public_id}"
        return _json({"public_id": public_id, "resource_type": kind, "secure_url": url, "version": self.version})


def _is_signed(told: dict[str, str]) -> bool:
    named = sorted(name for name in told if name not in ("api_key", "signature", "resource_type", "cloud_name", "file"))
    text = "&".join(f"{name}={told[name]}" for name in named) + SECRET
    return (told["api_key"], told["signature"]) == (KEY, hashlib.sha1(text.encode()).hexdigest())


def _json(content: Any, status: int = 200) -> Answer:
    return Answer(status, json.dumps(content).encode(), {"Content-Type": "application/json"})


def _refusal(status: int, message: str) -> Answer:
    return _json({"error": {"message": message}}, status)


@contextmanager
def cloudinary_server() -> Iterator[CloudinaryServer]:
    """Serve an empty account."""
    server = CloudinaryServer()
    with serving(server.answer) as server.address:
        yield server
