"""S3Storage: uploaded files in a bucket of S3 or a compatible service. All methods block.

Private files of a public bucket have a secret prefix, and no URL of the bucket is ever shown: Octavo serves them. The
library is imported only if a project is configured for it. Errors of the service become ServiceUnavailable.
"""

import importlib
import logging
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from io import BufferedReader
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Final
from urllib.parse import urlsplit

from octavo.content.media.file_types import is_harmless
from octavo.content.media.storage.base import (
    TEMPORARY,
    ContentFacts,
    RemoteContent,
    StorageProblem,
    StoredObject,
    Workspace,
)
from octavo.content.media.storage.objects import KeyedStorage, ObjectNames, SignedAddresses, is_key
from octavo.core.errors import ServiceUnavailable
from octavo.core.net.calls import following
from octavo.core.plurals import counted
from octavo.core.values import dataclass

logger = logging.getLogger(__name__)

_NOT_FOUND: Final = frozenset({"404", "NoSuchKey", "NotFound", "412", "PreconditionFailed"})
_REFUSED: Final = frozenset({"403", "AccessDenied"})
_NO_LISTING: Final = "the key of the bucket lacks the permission ListBucket"
_NO_READING: Final = "the files are missing, or the key of the bucket lacks the permission GetObject"
_MOST_REMOVED: Final = 1000
_OUR_OWN: Final = frozenset({"Bucket", "Key", "Body", "Delete", "ContentType"})
_HIDDEN: Final = ".private-"
_MOST_TRIED: Final = 100
"""Above this number of files, the private ones are listed instead of tried one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Options:
    """The bucket and its credentials. None leaves an option to the library: environment, profiles, roles.

    `folder` is a local folder for files in progress. Single files can be private if `hides_files`, at keys with
    `private_key`; their deletion needs only the key.
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
    providers: Collection[str] = ("aws-s3",)
    put: Mapping[str, Any] = field(default_factory=dict)
    delete: Mapping[str, Any] = field(default_factory=dict)
    private_key: str | None = field(default=None, repr=False)
    hides_files: bool = True


class S3Storage(KeyedStorage):
    """A bucket. With the ACL `private`, files have signed URLs that expire."""

    def __init__(self, options: S3Options) -> None:
        self.provider = next(iter(options.providers))
        self.providers = options.providers
        self.workspace = Workspace(options.folder)
        self.signs = options.acl == "private"
        self._options = options
        self._client, self._failures = connect(options)
        self._can_list: bool | None = None
        self._put = self._checked("PutObject", options.put)
        self._copied = {
            name: value for name, value in {**self._acl(), **self._put}.items() if self._knows("CopyObject", name)
        }
        self._delete = self._checked("DeleteObjects", options.delete)
        bases = filter(None, (options.base_url, *_addresses(options)))
        self._names = ObjectNames(options.root_path, list(bases))
        self._signed = SignedAddresses(options.signed_seconds, self._presign)
        self._hidden = None if options.private_key is None or self.signs else f"{_HIDDEN}{options.private_key}/"
        self._places = (False, True) if self.hides_files else (False,)
        """Whether the objects of a file can be private: first those of public files."""

    def write(self, path: Path, name: str, mime: str) -> StoredObject:
        """Upload a file; it is visible only when it is complete. A private file with the name stays private."""
        return self._upload(path, name, mime, private=self.is_private(name))

    def exists(self, name: str) -> bool:
        return any(self._head(name, private) is not None for private in self._places)

    def open(self, name: str) -> IO[bytes]:
        for private in self._places:
            try:
                return self._read(name, private)
            except FileNotFoundError:
                continue
        raise FileNotFoundError(name)

    def copy(self, name: str, copy: str) -> bool:
        """Copy a file to a new name; the copy of a private file is private. Return whether it existed."""
        return any(self._copy(name, copy, private, private) for private in self._places)

    def move(self, name: str, target: str) -> None:
        """Rename a file. If the file or an existing one with the target name is private, the result is."""
        was = self.is_private(name)
        becomes = was or self.is_private(target)
        if not self._copy(name, target, was, becomes):
            raise FileNotFoundError(name)
        self._delete_keys([self._key(name, was), *([self._key(target, False)] if becomes else [])])

    def remove(self, names: Iterable[str]) -> None:
        # Also private files from before they were disabled.
        places = (False,) if self._hidden is None else (False, True)
        self._delete_keys([self._key(name, private) for name in names if is_key(name) for private in places])

    @property
    def hides_files(self) -> bool:
        """Whether files can be private."""
        return self._hidden is not None and self._options.hides_files

    def is_private(self, name: str) -> bool:
        return self.hides_files and is_key(name) and self._head(name, True) is not None

    def is_public(self, name: str) -> bool:
        return self._head(name, False) is not None

    def private_names(self) -> Iterator[str]:
        """Yield the names of private files, without temporary ones."""
        if self._hidden is None:
            return
        prefix = f"{self._names.root}{self._hidden}"
        if not self._lists(again=True):
            raise ServiceUnavailable(reason=_NO_LISTING)
        with self._speaking():
            pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._options.bucket, Prefix=prefix)
            names = [one["Key"].removeprefix(prefix) for page in pages for one in page.get("Contents", ())]
        yield from (name for name in names if not name.rpartition("/")[2].startswith(TEMPORARY))

    def write_private(self, path: Path, name: str, mime: str) -> StoredObject:
        kept = self._upload(path, name, mime, private=True)
        self._delete_keys([self._key(name, False)])
        return kept

    def set_private(self, names: Iterable[str], *, private: bool) -> None:
        wanted = list(names)
        if not private and len(wanted) > _MOST_TRIED:
            hidden = set(self.private_names())
            wanted = [name for name in wanted if name in hidden]
        moved = False
        for name in wanted:
            if self._copy(name, name, not private, private):
                self._delete_keys([self._key(name, not private)])
                moved = True
        if not private or moved or not wanted or self._can_list is not False:
            return
        if not any(self._head(name, True) for name in wanted):
            raise ServiceUnavailable(reason=_NO_READING)  # they may still be public

    def private_facts(self, name: str) -> ContentFacts | None:
        if not self.hides_files or not is_key(name):
            return None
        head = self._head(name, True)
        if head is None:
            return None
        version = str(head["ETag"])
        below_seconds = zlib.crc32(version.encode()) % 1_000_000_000  # S3 has the time in seconds only
        changed = int(head["LastModified"].timestamp()) * 1_000_000_000 + below_seconds
        return ContentFacts(head["ContentLength"], changed, version)

    def open_private(self, name: str, facts: ContentFacts, start: int, length: int) -> IO[bytes]:
        part = {"Range": f"bytes={start}-{start + length - 1}"} if length else {}
        return self._read(name, True, {"IfMatch": facts.version, **part})

    def _upload(self, path: Path, name: str, mime: str, *, private: bool) -> StoredObject:
        shown = {} if is_harmless(mime) else {"ContentDisposition": "attachment"}
        options = {"ContentType": mime, **self._acl(), **self._put, **shown}
        with self._speaking(), path.open("rb") as body:
            self._client.put_object(**self._at(name, private), Body=body, **_private_acl(options, private))
        path.unlink()
        return self.kept(name)

    def _head(self, name: str, private: bool) -> Mapping[str, Any] | None:
        try:
            with self._reading(name):
                head: Mapping[str, Any] = self._client.head_object(**self._at(name, private))
        except FileNotFoundError:
            return None
        return head

    def _read(self, name: str, private: bool, options: Mapping[str, str] = MappingProxyType({})) -> IO[bytes]:
        with self._reading(name):
            body: IO[bytes] = self._client.get_object(**self._at(name, private), **options)["Body"]
        return BufferedReader(RemoteContent(body, self._speaking))

    def _copy(self, name: str, target: str, was: bool, becomes: bool) -> bool:
        """Copy an object; return whether it existed. `was` and `becomes`: whether each is private."""
        try:
            with self._speaking(missing=FileNotFoundError(name)):
                source, options = self._at(name, was), _private_acl(self._copied, becomes)
                self._client.copy_object(**self._at(target, becomes), CopySource=source, **options)
        except FileNotFoundError:
            return False
        except ServiceUnavailable as error:
            if _code_of(error.__cause__) in _REFUSED and self._head(name, was) is None:
                return False
            raise
        return True

    def _delete_keys(self, keys: Sequence[str]) -> None:
        for start in range(0, len(keys), _MOST_REMOVED):
            batch = {"Objects": [{"Key": key} for key in keys[start : start + _MOST_REMOVED]], "Quiet": True}
            with self._speaking():
                answer = self._client.delete_objects(Bucket=self._options.bucket, Delete=batch, **self._delete)
            refused = [error for error in answer.get("Errors", ()) if error.get("Code") not in _NOT_FOUND]
            if refused:
                code = refused[0].get("Code", "without a code")
                raise ServiceUnavailable(reason=f"the storage did not delete {counted(len(refused), 'file')}: {code}")

    def name_of(self, url: str, metadata: Mapping[str, Any] | None = None) -> str | None:
        """Return a file's name. URLs stored by v4 can have another form: the file is then directly below the root."""
        return self._names.find_or_guess(url)

    def sign(self, url: str) -> str:
        """Return the signed URL of a file; URLs of other hosts are returned unchanged."""
        name = self._names.find(url)
        return url if name is None else self._signed.of(name)

    def _presign(self, name: str) -> str:
        seconds = self._options.signed_seconds
        return str(self._client.generate_presigned_url("get_object", Params=self._at(name), ExpiresIn=seconds))

    def _checked(self, operation: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the options if S3 supports them and Octavo does not set them. Raises StorageProblem."""
        for name in given:
            if not self._knows(operation, name) or name in _OUR_OWN:
                raise StorageProblem(f"actionOptions: {name!r} is not a parameter of {operation} of S3")
        return given

    def _knows(self, operation: str, name: str) -> bool:
        return name in self._client.meta.service_model.operation_model(operation).input_shape.members

    def _at(self, name: str, private: bool = False) -> dict[str, str]:
        return {"Bucket": self._options.bucket, "Key": self._key(name, private)}

    def _key(self, name: str, private: bool) -> str:
        """Return the key of a file. Raises ValueError for names that no file has."""
        if name.startswith(_HIDDEN):
            raise ValueError(f"not a valid file name: {name!r}")
        return self._names.key_of(f"{self._hidden}{name}" if private else name)

    def _acl(self) -> dict[str, str]:
        return {"ACL": self._options.acl} if self._options.acl else {}

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        """Convert errors of a request for an object; raises FileNotFoundError if it is missing.

        S3 refuses requests for missing objects with 403 if the key cannot list the bucket.
        """
        try:
            with self._speaking(missing=FileNotFoundError(name)):
                yield
        except ServiceUnavailable as error:
            if _code_of(error.__cause__) in _REFUSED and not self._lists():
                raise FileNotFoundError(name) from None
            raise

    def _lists(self, *, again: bool = False) -> bool:
        """Return whether the key can list the bucket. It is checked once, or `again`. Raises ServiceUnavailable."""
        if self._can_list is None or again:
            try:
                with self._speaking():
                    self._client.list_objects_v2(Bucket=self._options.bucket, Prefix=self._names.root, MaxKeys=1)
            except ServiceUnavailable as error:
                if _code_of(error.__cause__) not in _REFUSED:
                    raise
                if self._can_list is None:
                    logger.warning("%s, so files that cannot be read count as missing", _NO_LISTING)
                self._can_list = False
            else:
                self._can_list = True
        return self._can_list

    @contextmanager
    def _speaking(self, missing: Exception | None = None) -> Iterator[None]:
        """Convert errors of the library; `missing` is raised for missing objects."""
        try:
            with following("storage", {"octavo.storage": self.provider}):
                yield
        except self._failures as error:
            if missing is not None and _code_of(error) in _NOT_FOUND:
                raise missing from None
            raise ServiceUnavailable(reason="the storage cannot be used") from error


def _code_of(error: BaseException | None) -> str | None:
    """Return the code of an error of S3: a name, or for requests without a body of the response, its status."""
    response: Mapping[str, Any] = getattr(error, "response", {})
    code: str | None = response.get("Error", {}).get("Code")
    return code


def _private_acl(options: Mapping[str, Any], private: bool) -> Mapping[str, Any]:
    """Return options with the ACL of a private object, unless the bucket has no ACLs, and without other grants."""
    if not private:
        return options
    kept = {name: value for name, value in options.items() if not name.startswith("Grant")}
    return {**kept, "ACL": "private"} if "ACL" in options else kept


def connect(options: S3Options) -> tuple[Any, tuple[type[Exception], ...]]:
    """Return a thread-safe client and its exception classes. Raises StorageProblem without the library."""
    try:
        session = importlib.import_module("boto3.session").Session()
        config = importlib.import_module("botocore.config").Config(
            signature_version="s3v4",
            s3={"addressing_style": "path" if options.path_style else "auto"},
            connect_timeout=5,
            read_timeout=30,
            retries={"mode": "standard", "max_attempts": 3},
            request_checksum_calculation="when_required",  # other services do not support newer checksums
            response_checksum_validation="when_required",
        )
        errors = importlib.import_module("botocore.exceptions")
        transfers = importlib.import_module("boto3.exceptions")
    except ModuleNotFoundError as error:
        raise StorageProblem("Uploads to S3 require a package: pip install 'octavo[s3]'") from error
    client = session.client(
        "s3",
        region_name=options.region or "us-east-1",
        endpoint_url=_endpoint(options),
        aws_access_key_id=options.access_key_id,
        aws_secret_access_key=options.secret_access_key,
        aws_session_token=options.session_token,
        config=config,
    )
    return client, (errors.BotoCoreError, errors.ClientError, transfers.Boto3Error)


def _addresses(options: S3Options) -> Iterator[str]:
    """Yield the base URLs of objects: the one for new files, then older forms."""
    region = options.region or "us-east-1"
    parts = urlsplit(_endpoint(options) or f"https://s3.{region}.amazonaws.com")
    hosted = f"{parts.scheme}://{options.bucket}.{parts.netloc}{parts.path}"
    in_path = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/{options.bucket}"
    yield from (in_path, hosted) if options.path_style and options.endpoint else (hosted, in_path)
    if options.endpoint is None:
        yield f"https://{options.bucket}.s3.amazonaws.com"


def _endpoint(options: S3Options) -> str | None:
    """Return the endpoint URL. v4's configurations can omit the scheme."""
    endpoint = options.endpoint
    return f"https://{endpoint}" if endpoint and "://" not in endpoint else endpoint or None
