"""CloudinaryStorage: uploaded files in Cloudinary, over its HTTP API. All methods block.

A name is a resource type and a public id, `image/site/cat_0f3a9c2b71`. Cloudinary detects the type of a new file; until
then the type is `auto` and the name ends with the file's extension.
"""

import hashlib
import secrets
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import quote

import httpx2

from octavo.content.media.storage.base import ReplacedObject, StorageProblem, StoredObject, Workspace, safe_folder
from octavo.core.errors import ApplicationError, PayloadTooLargeError, ServiceUnavailable
from octavo.core.net.calls import following
from octavo.core.values import dataclass

_AUTO: Final = "auto"
_TYPES: Final = ("image", "video", "raw")
_PIECE: Final = 20 << 20
"""Larger files are sent in chunks: Cloudinary accepts 100 MB per request, and one chunk is in memory."""

_UNSIGNED: Final = frozenset({"file", "cloud_name", "resource_type", "api_key"})
_OUR_OWN: Final = frozenset({"public_id", "resource_type", "type", "timestamp", "signature", "api_key", "file"})
_TIMES: Final = httpx2.Timeout(60, connect=5)
_NO_CONNECTIONS_KEPT: Final = httpx2.Limits(max_connections=20, max_keepalive_connections=0)
_BAD_FILE: Final = ("Invalid image file", "Invalid video file", "Unsupported ", "Empty file")


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudinaryOptions:
    """Cloud name and credentials. `folder` is a local folder for files in progress; `upload` and `delete` are further
    parameters of these requests."""

    folder: Path
    cloud: str
    key: str
    secret: str = field(repr=False)
    service: str = "https://api.cloudinary.com"
    providers: Collection[str] = ("cloudinary",)
    upload: Mapping[str, Any] = field(default_factory=dict)
    delete: Mapping[str, Any] = field(default_factory=dict)


class CloudinaryStorage:
    """A Cloudinary cloud with public files."""

    signs = False

    def __init__(self, options: CloudinaryOptions) -> None:
        self.provider = next(iter(options.providers))
        self.providers = options.providers
        self.workspace = Workspace(options.folder)
        self._options = options
        self._upload = _checked(options.upload)
        self._delete = _checked(options.delete)
        base = f"{options.service.rstrip('/')}/v1_1/{quote(options.cloud, safe='')}/"
        self._client = httpx2.Client(base_url=base, timeout=_TIMES, limits=_NO_CONNECTIONS_KEPT)

    def write(self, path: Path, name: str, mime: str) -> StoredObject:
        """Upload a file as v4's provider does: Cloudinary detects the type and returns the location."""
        folder, _, file_name = name.partition("/")[2].rpartition("/")
        params = {"public_id": _stem(file_name), **({"folder": folder} if folder else {}), **self._upload}
        with path.open("rb") as content:
            answer = self._send(content, path.stat().st_size, file_name, mime, self._signed(params))
        path.unlink()
        return _kept(answer, self._options.cloud)

    def exchange(self, place: str, name: str, backup: str) -> ReplacedObject:
        """Replace a file: rename the old one, then the new one. For a moment the name does not exist."""
        kind, _, staged = place.partition("/")
        target = f"{kind}/{_public_id(name, staged)}"
        aside = f"{kind}/{_public_id(backup, staged)}"
        existed = self._rename(target, aside) is not None
        try:
            answer = self._rename(place, target)
            if answer is None:
                raise FileNotFoundError(place)
        except BaseException:
            if existed:
                self._rename(aside, target)
            raise
        return ReplacedObject(_kept(answer, self._options.cloud), aside if existed else None)

    def move(self, name: str, target: str) -> None:
        if self._rename(name, target) is None:
            raise FileNotFoundError(name)

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            kind, _, public_id = name.partition("/")
            if kind in _TYPES and public_id:
                params = {"public_id": public_id, "invalidate": "true", **self._delete}
                result = _read(self._ask(f"{kind}/destroy", self._signed(params))).get("result")
                if result not in ("ok", "not found"):
                    raise ServiceUnavailable(reason=f"the storage could not delete a file: {result}")

    def flush(self) -> None:
        """Do nothing: acknowledged uploads are durable."""

    def prefix_of(self, path: str) -> str:
        return safe_folder(path)

    def name_for(self, prefix: str, stem: str, extension: str) -> str:
        """Return the name of a new file, whose type is not known yet."""
        return f"{_AUTO}/{prefix}{stem}{extension}"

    def folder_of(self, name: str) -> str:
        """Return the folder part of a name, without the type."""
        return "".join(name.partition("/")[2].rpartition("/")[:2])

    def name_of(self, url: str, metadata: Mapping[str, Any] | None = None) -> str | None:
        """Return the name from the metadata of an upload by Octavo or v4. The URL alone is ambiguous."""
        public_id = (metadata or {}).get("public_id")
        kind = (metadata or {}).get("resource_type") or "image"
        return f"{kind}/{public_id}" if isinstance(public_id, str) and public_id and kind in _TYPES else None

    def sign(self, url: str) -> str:
        """Return the URL unchanged, because files are public."""
        return url

    def _rename(self, name: str, target: str) -> Mapping[str, Any] | None:
        """Rename a file and return Cloudinary's response; None if it does not exist."""
        kind, _, public_id = name.partition("/")
        params = {"from_public_id": public_id, "to_public_id": target.partition("/")[2]}
        response = self._ask(f"{kind}/rename", self._signed({**params, "overwrite": "true", "invalidate": "true"}))
        return None if response.status_code == 404 else _read(response)

    def _send(self, content: IO[bytes], size: int, file_name: str, mime: str, params: Mapping[str, str]) -> Any:
        """Upload a file, a large one in chunks that share a header. Return the last response."""
        whole = secrets.token_hex(12)
        answer = None
        for begin in range(0, max(size, 1), _PIECE):
            piece = content.read(_PIECE)
            span = f"bytes {begin}-{begin + len(piece) - 1}/{size}"
            headers = {"X-Unique-Upload-Id": whole, "Content-Range": span} if size > _PIECE else {}
            sent = {"file": (file_name, piece, mime)}
            answer = _read(self._ask(f"{_AUTO}/upload", params, files=sent, headers=headers))
        return answer

    def _ask(self, action: str, params: Mapping[str, str], **more: Any) -> httpx2.Response:
        try:
            with following("storage", {"octavo.storage": self.provider}):
                return self._client.post(action, data=params, **more)
        except httpx2.HTTPError as error:
            raise ServiceUnavailable(reason="the storage cannot be used") from error

    def _signed(self, params: Mapping[str, str]) -> dict[str, str]:
        """Return the parameters with the signature that Cloudinary requires."""
        signed = {**params, "timestamp": str(int(time.time()))}
        return {**signed, "api_key": self._options.key, "signature": sign(signed, self._options.secret)}


def sign(params: Mapping[str, str], secret: str) -> str:
    """Return the signature: a digest of the sorted parameters and the secret."""
    lines = "&".join(f"{name}={value}" for name, value in sorted(params.items()) if name not in _UNSIGNED and value)
    return hashlib.sha1(f"{lines}{secret}".encode()).hexdigest()  # noqa: S324 - Cloudinary requires SHA-1


def _read(response: httpx2.Response) -> dict[str, Any]:
    """Return the parsed response. Raises ServiceUnavailable, or PayloadTooLargeError and ApplicationError if the file
    is the cause."""
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if response.is_success and isinstance(answer, dict):
        return answer
    said = answer.get("error") if isinstance(answer, dict) else None
    message = str(said.get("message", "")) if isinstance(said, dict) else ""
    if message.startswith("File size too large"):
        raise PayloadTooLargeError
    if response.status_code == 400 and message.startswith(_BAD_FILE):
        raise ApplicationError("The storage rejected this file")
    raise ServiceUnavailable(reason=f"the storage returned {response.status_code}: {message.partition('.')[0]}")


def _kept(answer: Mapping[str, Any], cloud: str) -> StoredObject:
    kind, public_id = answer.get("resource_type"), answer.get("public_id")
    url = answer.get("secure_url")
    if kind not in _TYPES or not isinstance(public_id, str) or not isinstance(url, str):
        raise ServiceUnavailable(reason="the storage did not return the file's URL")
    preview = None
    if kind == "video":
        still = "c_scale,dl_200,vs_6,w_250"
        preview = f"https://res.cloudinary.com/{cloud}/video/upload/{still}/v1/{quote(public_id)}.gif"
    return StoredObject(f"{kind}/{public_id}", url, {"public_id": public_id, "resource_type": kind}, preview)


def _public_id(name: str, staged: str) -> str:
    """Return the public id for a name. If its type is unknown, derive it from the staged file's id: the same folder,
    and the extension if that has one."""
    kind, _, rest = name.partition("/")
    if kind != _AUTO:
        return rest
    stem = _stem(rest)
    extension = rest[len(stem) :]
    folder, slash, file_name = staged.rpartition("/")
    keeps = bool(extension) and file_name.endswith(extension)
    return f"{'' if '/' in stem else folder + slash}{stem}{extension if keeps else ''}"


def _stem(file_name: str) -> str:
    """Return a name without its extension; a leading dot does not start an extension."""
    folder, slash, last = file_name.rpartition("/")
    return f"{folder}{slash}{last[:1]}{last[1:].rpartition('.')[0] or last[1:]}"


def _checked(given: Mapping[str, Any]) -> dict[str, str]:
    """Return options as Cloudinary expects them: texts, and lists joined by commas. Raises StorageProblem."""
    params: dict[str, str] = {}
    for name, value in given.items():
        values = value if isinstance(value, list | tuple) else [value]
        if name in _OUR_OWN or not all(isinstance(one, str | int | float) for one in values):
            raise StorageProblem(
                f"actionOptions: {name!r} is not supported by Cloudinary: use strings, numbers and lists"
            )
        params[name] = ",".join(str(one).lower() if isinstance(one, bool) else str(one) for one in values)
    return params
