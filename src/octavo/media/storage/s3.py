"""S3Storage: uploaded files in a bucket of S3, or of a service that speaks its protocol. Everything here blocks.

The library is imported when a project is configured for it, and not before. What the service refuses, or a service
that cannot be reached, becomes ServiceUnavailable.
"""

import importlib
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import quote, unquote, urlsplit

from octavo.errors import Problem, ServiceUnavailable, ValidationError
from octavo.media.file_types import is_harmless
from octavo.media.storage.base import TEMPORARY, Workspace, checked, is_safe

_NOT_FOUND: Final = frozenset({"404", "NoSuchKey", "NotFound"})
_MOST_REMOVED: Final = 1000
_MOST_SIGNED: Final = 10_000


class S3Missing(Exception):
    """The library that speaks to S3 is not installed. The text is meant for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Options:
    """Which bucket, and how to reach it. What is None is left to the library: environment, profiles, roles.

    `folder` is one of this machine, for files in the making.
    """

    bucket: str
    folder: Path
    region: str | None = None
    endpoint: str | None = None
    path_style: bool = False
    access_key_id: str | None = None
    secret_access_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    acl: str | None = None
    root_path: str = ""
    base_url: str = ""
    signed_seconds: int = 900


class S3Storage:
    """A bucket. With the ACL `private` files are fetched by addresses that are signed and expire."""

    provider = "aws-s3"

    def __init__(self, options: S3Options) -> None:
        self.workspace = Workspace(options.folder)
        self.signs = options.acl == "private"
        self._options = options
        self._root = f"{options.root_path.strip('/')}/" if options.root_path.strip("/") else ""
        self._client, self._failures = _connect(options)
        self._base = (options.base_url or _address(options)).rstrip("/")
        self._signed: dict[str, tuple[float, str]] = {}

    def write(self, path: Path, name: str, mime: str) -> None:
        """Nobody sees an object before it is whole."""
        shown = {} if is_harmless(mime) else {"ContentDisposition": "attachment"}
        with self._speaking(), path.open("rb") as body:
            self._client.put_object(**self._at(name), Body=body, ContentType=mime, **shown, **self._acl())
        path.unlink()

    def open(self, name: str) -> IO[bytes]:
        with self._speaking(missing=FileNotFoundError(name)):
            body: IO[bytes] = self._client.get_object(**self._at(name))["Body"]
        return body

    def copy(self, name: str, copy: str) -> bool:
        try:
            with self._speaking(missing=FileNotFoundError(name)):
                self._client.copy_object(**self._at(copy), CopySource=self._at(name), **self._acl())
        except FileNotFoundError:
            return False
        return True

    def move(self, name: str, target: str) -> None:
        if not self.copy(name, target):
            raise FileNotFoundError(name)
        self.remove([name])

    def remove(self, names: Iterable[str]) -> None:
        keys = [{"Key": self._root + name} for name in names if _is_key(name)]
        for start in range(0, len(keys), _MOST_REMOVED):
            batch = {"Objects": keys[start : start + _MOST_REMOVED], "Quiet": True}
            with self._speaking():
                self._client.delete_objects(Bucket=self._options.bucket, Delete=batch)

    def settle(self) -> None:
        """What S3 has acknowledged stays."""

    def prefix_of(self, path: str) -> str:
        parts = [part for part in path.strip("/").split("/") if part]
        if not all(map(is_safe, parts)) or any(part.startswith(TEMPORARY) for part in parts):
            message = "path must be made of letters, digits, dots, dashes and underscores"
            raise ValidationError.from_problems([Problem(("path",), message)])
        return "".join(f"{part}/" for part in parts)

    def url_of(self, name: str) -> str:
        return f"{self._base}/{quote(self._root + name)}"

    def name_of(self, url: str) -> str | None:
        """Addresses that v4 wrote may have another form: then the file lies directly below the root."""
        plain = url.partition("?")[0]
        begin = f"{self._base}/{quote(self._root)}"
        name = unquote(plain.removeprefix(begin)) if plain.startswith(begin) else plain.rpartition("/")[2]
        return name if _is_key(name) else None

    def sign(self, url: str) -> str:
        """The same address for half of its life, so that browsers can keep what they fetched."""
        now = time.monotonic()
        until, signed = self._signed.get(url, (0.0, ""))
        if now < until:
            return signed
        name = self.name_of(url)
        if name is None:
            return url
        seconds = self._options.signed_seconds
        signed = str(self._client.generate_presigned_url("get_object", Params=self._at(name), ExpiresIn=seconds))
        if len(self._signed) >= _MOST_SIGNED:
            self._signed.clear()
        self._signed[url] = (now + seconds / 2, signed)
        return signed

    def _at(self, name: str) -> dict[str, str]:
        if not _is_key(name):
            checked(name)
        return {"Bucket": self._options.bucket, "Key": self._root + name}

    def _acl(self) -> dict[str, str]:
        return {"ACL": self._options.acl} if self._options.acl else {}

    @contextmanager
    def _speaking(self, missing: Exception | None = None) -> Iterator[None]:
        """Errors of the library as ours; `missing` is for objects that are not there."""
        try:
            yield
        except self._failures as error:
            response: Mapping[str, Any] = getattr(error, "response", {})
            if missing is not None and response.get("Error", {}).get("Code") in _NOT_FOUND:
                raise missing from None
            raise ServiceUnavailable(reason="the storage cannot be used") from error


def _connect(options: S3Options) -> tuple[Any, tuple[type[Exception], ...]]:
    """A client, which threads may share, and the family of its errors."""
    try:
        session = importlib.import_module("boto3.session").Session()
        config = importlib.import_module("botocore.config").Config(
            signature_version="s3v4",
            s3={"addressing_style": "path" if options.path_style else "auto"},
            connect_timeout=5,
            read_timeout=30,
            retries={"mode": "standard", "max_attempts": 3},
            request_checksum_calculation="when_required",  # services other than Amazon's know no newer checksums
            response_checksum_validation="when_required",
        )
        errors = importlib.import_module("botocore.exceptions")
    except ModuleNotFoundError as error:
        raise S3Missing("Uploads to S3 need a library: pip install 'octavo[s3]'") from error
    client = session.client(
        "s3",
        region_name=options.region or "us-east-1",
        endpoint_url=options.endpoint,
        aws_access_key_id=options.access_key_id,
        aws_secret_access_key=options.secret_access_key,
        aws_session_token=options.session_token,
        config=config,
    )
    return client, (errors.BotoCoreError, errors.ClientError)


def _address(options: S3Options) -> str:
    """Where the bucket's objects are fetched."""
    if options.endpoint is None:
        return f"https://{options.bucket}.s3.{options.region or 'us-east-1'}.amazonaws.com"
    if options.path_style:
        return f"{options.endpoint.rstrip('/')}/{options.bucket}"
    parts = urlsplit(options.endpoint)
    return f"{parts.scheme}://{options.bucket}.{parts.netloc}{parts.path}"


def _is_key(name: str) -> bool:
    return bool(name) and all(map(is_safe, name.split("/")))
