"""ObjectStorage: uploaded files in an Azure container or a Google bucket, by obstore, and the names of objects.

The library is imported only if a project is configured for it; it blocks, in threads. Errors of the service become
ServiceUnavailable.
"""

import gzip
import importlib
import shutil
import time
import zlib
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from datetime import timedelta
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any, Final, Literal
from urllib.parse import quote, unquote

from octavo.content.media.file_types import is_harmless
from octavo.content.media.storage.base import (
    UNUSABLE,
    NamedStorage,
    RemoteContent,
    StorageProblem,
    StoredObject,
    Workspace,
    safe_folder,
)
from octavo.core.errors import ServiceUnavailable
from octavo.core.net.calls import following
from octavo.core.values import dataclass

_MOST_SIGNED: Final = 10_000


class ObjectNames:
    """Names below a root folder. `bases` are the base URLs for keys; new files use the first."""

    def __init__(self, root: str, bases: Sequence[str]) -> None:
        self.root = f"{root.strip('/')}/" if root.strip("/") else ""
        self._bases = [base.rstrip("/") for base in bases]

    def key_of(self, name: str) -> str:
        """Return a file's key. Raises ValueError, because names are generated or were validated when read."""
        if not is_key(name):
            raise ValueError(f"not a valid file name: {name!r}")
        return self.root + name

    def url_of(self, name: str) -> str:
        """Return a file's public URL."""
        return f"{self._bases[0]}/{quote(self.root + name)}"

    def find(self, url: str) -> str | None:
        """Return the name in a URL with one of the bases; otherwise None."""
        name = self._below(url)
        return name if name is not None and is_key(name) else None

    def find_or_guess(self, url: str) -> str | None:
        """Return the name in a URL; with another base, the file is assumed to be directly below the root."""
        name = self._below(url)
        if name is None:
            name = unquote(url.partition("?")[0]).rpartition("/")[2]
        return name if is_key(name) else None

    def _below(self, url: str) -> str | None:
        plain = unquote(url.partition("?")[0])
        begins = (f"{unquote(base)}/{self.root}" for base in self._bases)
        return next((plain.removeprefix(begin) for begin in begins if plain.startswith(begin)), None)


def is_key(name: str) -> bool:
    """Return whether a name stays below its folder in any bucket."""
    return all(part not in ("", ".", "..") and UNUSABLE.search(part) is None for part in name.split("/"))


class SignedAddresses:
    """A cache of signed URLs. Each is reused for half of its lifetime, so that browsers can cache files."""

    def __init__(self, seconds: float, sign: Callable[[str], str]) -> None:
        self._seconds = seconds
        self._sign = sign
        self._signed: dict[str, tuple[float, str]] = {}

    def of(self, name: str) -> str:
        """Return the signed URL of a file."""
        now = time.monotonic()
        until, signed = self._signed.get(name, (0.0, ""))
        if now < until:
            return signed
        signed = self._sign(name)
        if len(self._signed) >= _MOST_SIGNED:
            self._signed.clear()
        self._signed[name] = (now + self._seconds / 2, signed)
        return signed


_CHUNK: Final = 256 << 10
_PIECE: Final = 8 << 20
_PIECES_AT_ONCE: Final = 2
"""Chunks of a large file that are sent concurrently and kept in memory."""
_RETRIES: Final = {"max_retries": 3, "retry_timeout": timedelta(seconds=60)}
_CLIENT: Final[Mapping[str, Any]] = {"connect_timeout": "5s", "read_timeout": "30s", "timeout": "5m"}
_TEXTS: Final = ("text/", "application/json", "application/xml", "application/javascript", "image/svg+xml")
Gzip = Literal["auto", "true", "false"]


class KeyedStorage(NamedStorage):
    """Files as objects; `_names` converts their names to keys and URLs."""

    _names: ObjectNames

    @abstractmethod
    def remove(self, names: Iterable[str]) -> None:
        """Delete files; missing ones are ignored."""

    def move(self, name: str, target: str) -> None:
        if not self.copy(name, target):
            raise FileNotFoundError(name)
        self.remove([name])

    def flush(self) -> None:
        """Do nothing: acknowledged writes are durable."""

    def prefix_of(self, path: str) -> str:
        return safe_folder(path)

    def url_of(self, name: str) -> str:
        return self._names.url_of(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureOptions:
    """A container and its credentials: a key, a signature, or otherwise the machine's identity. `folder` is a local
    folder for files in progress; the other options have the names of v4's provider."""

    folder: Path
    account: str
    container: str
    account_key: str | None = field(default=None, repr=False)
    sas_token: str | None = field(default=None, repr=False)
    client_id: str | None = None
    service_url: str | None = None
    cdn_url: str | None = None
    default_path: str = ""
    cache_control: str | None = None
    remove_container: bool = False
    providers: Collection[str] = ("strapi-provider-upload-azure-storage",)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleOptions:
    """A bucket and its credentials: `service_account` is JSON; without it the library's defaults apply."""

    folder: Path
    bucket: str
    service_account: str | None = field(default=None, repr=False)
    base_url: str = ""
    base_path: str = ""
    public: bool = True
    uniform: bool = False
    gzip: Gzip = "auto"
    cache_seconds: int = 3600
    signed_seconds: float = 900
    providers: Collection[str] = ("@strapi-community/strapi-provider-upload-google-cloud-storage",)


class ObjectStorage(KeyedStorage):
    """Files under their names, below a root folder. `writing` is the obstore client for put and copy."""

    def __init__(
        self, folder: Path, providers: Collection[str], names: ObjectNames, reading: Any, writing: Any = None
    ) -> None:
        self.provider = next(iter(providers))
        self.providers = providers
        self.workspace = Workspace(folder)
        self._names = names
        self._library = _library("obstore")
        self._failures = (_library("obstore.exceptions").BaseError, OSError, ValueError, EOFError, zlib.error)
        self._reading = reading
        self._writing = writing or reading

    def write(self, path: Path, name: str, mime: str) -> StoredObject:
        """Upload a file; it is visible only when it is complete."""
        attributes = {"Content-Type": mime, **self._attributes(mime)}
        if not is_harmless(mime):
            attributes["Content-Disposition"] = "attachment"
        with self._speaking():
            self._library.put(
                self._writing,
                self._names.key_of(name),
                self._packed(path, attributes),
                attributes=attributes,
                chunk_size=_PIECE,
                max_concurrency=_PIECES_AT_ONCE,
            )
        path.unlink()
        return self.kept(name)

    def exists(self, name: str) -> bool:
        try:
            with self._speaking():
                self._library.head(self._reading, self._names.key_of(name))
        except FileNotFoundError:
            return False
        return True

    def open(self, name: str) -> IO[bytes]:
        with self._speaking():
            opened = self._library.get(self._reading, self._names.key_of(name))
        content: Any = BufferedReader(_Chunks(opened.stream(min_chunk_size=_CHUNK)))
        if opened.attributes.get("Content-Encoding") == "gzip":
            content = gzip.GzipFile(fileobj=content, mode="rb")
        return BufferedReader(RemoteContent(content, self._speaking), _CHUNK)

    def copy(self, name: str, copy: str) -> bool:
        try:
            with self._speaking():
                self._library.copy(self._writing, self._names.key_of(name), self._names.key_of(copy))
        except FileNotFoundError:
            return False
        return True

    def remove(self, names: Iterable[str]) -> None:
        for key in [self._names.key_of(name) for name in names if is_key(name)]:
            with self._speaking():
                try:
                    self._library.delete(self._reading, key)
                except FileNotFoundError:
                    continue

    def name_of(self, url: str, metadata: Mapping[str, Any] | None = None) -> str | None:
        return self._names.find(url)

    def _attributes(self, mime: str) -> dict[str, str]:
        """Return additional attributes for a file."""
        return {}

    def _packed(self, path: Path, attributes: dict[str, str]) -> Path:
        """Return the file to send, for example compressed; adds attributes that describe it."""
        return path

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """Convert errors of the library."""
        try:
            with following("storage", {"octavo.storage": self.provider}):
                yield
        except FileNotFoundError:
            raise
        except self._failures as error:
            raise ServiceUnavailable(reason="the storage cannot be used") from error


class _Chunks(RawIOBase):
    """The chunks that the library receives, as a file."""

    def __init__(self, chunks: Iterable[Any]) -> None:
        super().__init__()
        self._chunks = iter(chunks)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


class AzureStorage(ObjectStorage):
    """An Azure blob storage container."""

    def __init__(self, options: AzureOptions) -> None:
        service = (options.service_url or f"https://{options.account}.blob.core.windows.net").rstrip("/")
        with _opening():
            store = _library("obstore.store").AzureStore(
                options.container,
                **_azure_credentials(options),
                account_name=options.account,
                endpoint=service,
                client_options={**_CLIENT, "allow_http": service.startswith("http:")},
                retry_config=_RETRIES,
            )
        names = ObjectNames(options.default_path, _azure_bases(options, service))
        super().__init__(options.folder, options.providers, names, store)
        self._cache_control = options.cache_control

    def name_of(self, url: str, metadata: Mapping[str, Any] | None = None) -> str | None:
        """Return a file's name, as v4's provider does: any URL refers to the default folder."""
        return self._names.find_or_guess(url)

    def _attributes(self, mime: str) -> dict[str, str]:
        return {"Cache-Control": self._cache_control} if self._cache_control else {}


class GoogleStorage(ObjectStorage):
    """A Google Cloud Storage bucket. If it is not public, files have signed URLs that expire."""

    def __init__(self, options: GoogleOptions) -> None:
        self.signs = not options.public
        shown_to_all = options.public and not options.uniform
        acl = {"default_headers": {"x-goog-acl": "public-read"}} if shown_to_all else {}
        with _opening():
            reading, writing = (_google_store(options, headers) for headers in ({}, acl))
        names = ObjectNames(options.base_path, _google_bases(options))
        super().__init__(options.folder, options.providers, names, reading, writing)
        self._options = options
        self._signed = SignedAddresses(options.signed_seconds, self._presign)

    def name_for(self, prefix: str, stem: str, extension: str) -> str:
        """Return the name of a new file, as v4's provider does: without a folder, in a folder with its name."""
        return f"{prefix or f'{stem}/'}{stem}{extension}"

    def sign(self, url: str) -> str:
        name = self._names.find(url)
        return url if name is None else self._signed.of(name)

    def _presign(self, name: str) -> str:
        lifetime = timedelta(seconds=self._options.signed_seconds)
        return str(self._library.sign(self._reading, "GET", self._names.key_of(name), lifetime))

    def _attributes(self, mime: str) -> dict[str, str]:
        return {"Cache-Control": f"public, max-age={self._options.cache_seconds}"}

    def _packed(self, path: Path, attributes: dict[str, str]) -> Path:
        wanted = self._options.gzip
        if wanted == "false" or (wanted == "auto" and not attributes["Content-Type"].startswith(_TEXTS)):
            return path
        packed = path.with_suffix(".gz")
        with path.open("rb") as source, gzip.open(packed, "wb") as target:
            shutil.copyfileobj(source, target)
        attributes["Content-Encoding"] = "gzip"
        return packed.replace(path)


def _azure_credentials(options: AzureOptions) -> dict[str, Any]:
    if options.sas_token:
        return {"sas_key": options.sas_token.strip().lstrip("?"), "credential_type": "sas_token"}
    if options.account_key:
        return {"account_key": options.account_key.strip(), "credential_type": "access_key"}
    known = {"client_id": options.client_id} if options.client_id else {}
    return {**known, "credential_type": "managed_identity"}


def _azure_bases(options: AzureOptions, service: str) -> Sequence[str]:
    """Return the base URLs of files: the one for new files, then older forms."""
    container = "" if options.remove_container else f"/{options.container}"
    public = (options.cdn_url or service).rstrip("/")
    return [f"{public}{container}", f"{public}/{options.container}", f"{service}/{options.container}"]


def _google_store(options: GoogleOptions, client_options: Mapping[str, Any]) -> Any:
    given = {"service_account_key": options.service_account} if options.service_account else {}
    is_plain = '"gcs_base_url": "http:' in (options.service_account or "")
    return _library("obstore.store").GCSStore(
        options.bucket,
        **given,
        client_options={**_CLIENT, **client_options, "allow_http": is_plain},
        retry_config=_RETRIES,
    )


def _google_bases(options: GoogleOptions) -> Sequence[str]:
    own = f"https://storage.googleapis.com/{options.bucket}"
    given = options.base_url.replace("{bucket-name}", options.bucket)
    return [given or own, own, f"https://{options.bucket}.storage.googleapis.com"]


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        message = "Uploads to Azure and Google require a package: pip install 'octavo[azure]' or 'octavo[gcs]'"
        raise StorageProblem(message) from error


@contextmanager
def _opening() -> Iterator[None]:
    """Convert errors about options without their text, which may contain secrets."""
    try:
        yield
    except StorageProblem:
        raise
    except Exception as error:
        raise StorageProblem(f"the options cannot be used ({type(error).__name__})") from None
