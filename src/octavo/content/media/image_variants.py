"""ImageVariants: create transformed images on the first request, and store them beside the originals.

    variant = await variants.find("cat_0f3a9c2b71.jpg", Transformation(width=600), "webp")

The variants of a video are created from its poster, a frame that is stored like a variant, so that the video is read
only once.

Requests for the same variant share one creation, in this process by a task and among processes by a lease. At most
`MOST_WAITING` variants are created or waiting in a process; further ones raise `TooManyImages`. A file that cannot be
transformed is served as it is, and not searched or tried again for a while.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any, Final

from octavo.content.media import variant_rows
from octavo.content.media.file_names import new_hash
from octavo.content.media.file_types import SVG
from octavo.content.media.image_job import extract_poster, render_image
from octavo.content.media.image_workers import IMAGE_WORKERS
from octavo.content.media.local_copies import as_local_file
from octavo.content.media.storage.base import (
    PrivateStorage,
    ReadableStorage,
    Storage,
    StoredObject,
    Workspace,
    hides_files,
    is_private_file,
)
from octavo.content.media.storage.local import LocalStorage
from octavo.content.media.storage_cleanup import StorageCleanup, file_lock
from octavo.content.media.transformations import (
    EXTENSIONS,
    TYPES,
    ImageFormat,
    Rendering,
    Transformation,
    is_transformable,
)
from octavo.content.media.variant_rows import SourceFile, Variant
from octavo.content.media.videos import has_frames
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import ApplicationError, PayloadTooLargeError, ServiceUnavailable
from octavo.core.media_types import ANY_TYPE, type_by_name
from octavo.core.threads import in_thread
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.database.leases import LeaseTaken, lease
from octavo.database.maintenance_mode import check_writable
from octavo.database.unit_of_work import UnitOfWork, run_unit, unit_of_work

logger = logging.getLogger(__name__)

MOST_WAITING: Final = 64
"""The maximum number of variants that a process creates or keeps waiting."""
MOST_COPIES: Final = 32
"""The maximum number of variants that a process copies from a remote storage at the same time."""
_ATTEMPTS: Final = 3
_POSTER: Final = "poster"
"""The key of a video's poster among its variants. Other keys are digests."""
_LARGEST_FILE: Final = 1 << 30
_MOST_UNCHANGED: Final = 1_000
_UNCHANGED_SECONDS: Final = 600.0
_UNKNOWN_SECONDS: Final = 60.0
_REFUSAL: Final = "The image cannot be transformed"


class TooManyImages(ServiceUnavailable):
    """Too many variants are being created."""

    retry_after = 2
    is_outage = False
    message = "Too many images are being transformed. Try again later"


@dataclass(frozen=True, slots=True)
class Original:
    """A file that is served as it is, from this URL."""

    url: str


Found = Variant | Original | None


class _FileChanged(Exception):
    """The file was replaced or deleted while it was transformed."""


class ImageVariants:
    """The transformed images of one storage."""

    def __init__(
        self,
        database: Database,
        storage: Storage,
        readable: ReadableStorage,
        most_bytes: int,
        *,
        shared: bool = False,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """Create the service. `readable` is the storage, for reading.

        `shared`: other processes may use the same database.
        """
        self._database = database
        self._storage = storage
        self._readable = readable
        self._cleanup = StorageCleanup(database, storage)
        self._most_bytes = most_bytes
        self._shared = shared
        self._clock = clock
        self._running: dict[tuple[str, str], asyncio.Task[Found]] = {}
        self._unchanged: dict[str, tuple[SourceFile | None, float]] = {}
        self._copying: set[asyncio.Task[FileIO]] = set()

    async def find(self, source: str, wanted: Transformation, image_format: ImageFormat) -> Found:
        """Return a variant of the file with this name in the storage, and create it if necessary.

        Returns the original if it cannot be transformed, and None if the file does not exist.
        """
        if not _may_be_image(source):
            return self._original(source) if await in_thread(lambda: self._exists(source)) else None
        key = wanted.key(image_format)
        variant = await variant_rows.find_variant(self._database, source, key) or await self._known_original(source)
        if variant is not None:
            return variant
        if (source, key) not in self._running and len(self._running) >= MOST_WAITING:
            raise TooManyImages
        return await self._shared_run((source, key), lambda: self._create(source, wanted, image_format))

    @property
    def is_private(self) -> bool:
        """Whether all files of the storage are private, so that their URLs need signatures."""
        return self._storage.signs

    async def is_private_file(self, source: str) -> bool:
        """Return whether a file of the storage is private. For remote storages, variants tell this faster."""
        if self.is_private or not hides_files(self._storage):
            return self.is_private
        if not isinstance(self._storage, LocalStorage):
            known = await variant_rows.is_private_source(self._database, source)
            if known is not None:
                return known
        return await in_thread(lambda: is_private_file(self._storage, source))

    async def open(self, variant: Variant, length: int) -> FileIO | None:
        """Open the first `length` bytes of a variant: the file itself or a copy from a remote storage.

        Returns None if the storage has lost it, after which `find` creates it again. Raises TooManyImages.
        """
        is_remote = not isinstance(self._readable, LocalStorage)
        if is_remote and len(self._copying) >= MOST_COPIES:
            raise TooManyImages("Too many images are being read from the storage. Try again later")
        reading = asyncio.create_task(in_thread(lambda: as_local_file(self._readable.open(variant.object), length)))
        if is_remote:
            self._copying.add(reading)
            reading.add_done_callback(self._copying.discard)
        try:
            return await asyncio.shield(reading)  # a thread cannot be cancelled, so its copy still counts
        except asyncio.CancelledError:
            reading.add_done_callback(_close)
            raise
        except FileNotFoundError:
            await self._forget(variant)
            return None

    async def _forget(self, variant: Variant) -> None:
        """Delete the row of a variant that the storage has lost."""
        async with unit_of_work(self._database) as unit:
            await variant_rows.remove_object(unit.connection, self._database, variant.object)

    async def drain(self) -> None:
        """Wait until nothing is being created."""
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def _shared_run(self, place: tuple[str, str], create: Callable[[], Coroutine[Any, Any, Found]]) -> Found:
        """Run a creation once for all requests that wait for it."""
        task = self._running.get(place)
        if task is None:
            task = self._running[place] = asyncio.create_task(create())
            task.add_done_callback(partial(self._finish, place))
        return await asyncio.shield(task)

    def _finish(self, place: tuple[str, str], task: "asyncio.Task[Any]") -> None:
        del self._running[place]
        if not task.cancelled():
            task.exception()  # the waiting requests may have been cancelled

    async def _create(self, source: str, wanted: Transformation, image_format: ImageFormat) -> Found:
        if not await in_thread(lambda: self._exists(source)):  # names that clients guess cost no search of the table
            return None
        for _ in range(_ATTEMPTS):
            file = await variant_rows.find_file(self._database, source)
            if file is None or not is_transformable(file.mime) or file.provider not in self._storage.providers:
                return self._unchanged_original(source, file)
            check_writable(self._database.read_only_message)
            with suppress(_FileChanged):
                return await self._create_once(source, wanted.key(image_format), file, wanted, image_format)
        raise TooManyImages

    async def _create_once(
        self, source: str, key: str, file: SourceFile, wanted: Transformation, image_format: ImageFormat
    ) -> Found:
        rendering = Rendering(wanted, image_format, wanted.focus or file.focus)
        if not has_frames(file.mime):
            return await self._once(source, key, file, lambda: self._render(source, key, file, rendering))
        once = partial(self._once, source, _POSTER, file, lambda: self._extract(source, file))
        stored = await variant_rows.find_variant(self._database, source, _POSTER)
        poster = stored or await self._shared_run((source, _POSTER), once)
        if not isinstance(poster, Variant):
            return poster
        return await self._once(source, key, file, lambda: self._render(source, key, file, rendering, poster))

    async def _once(self, source: str, key: str, file: SourceFile, create: Callable[[], Awaitable[Found]]) -> Found:
        """Create a variant, unless another process is creating the same one."""
        if not self._shared:
            return await create()
        try:
            async with lease(self._database, f"octavo: image {file.id} {key}"):
                return await variant_rows.find_variant(self._database, source, key) or await create()
        except LeaseTaken:  # the other process has many images to transform
            raise TooManyImages from None

    def _original(self, source: str, file: SourceFile | None = None) -> Original:
        url = file.url if file is not None else self._readable.url_of(source)
        return Original(self._storage.sign(url) if self.is_private else url)

    async def _known_original(self, source: str) -> Original | None:
        """Return the original of a file that could not be transformed recently and has not changed."""
        file, until = self._unchanged.get(source, (None, 0.0))
        if until < self._clock.steady():
            return None
        if file is not None and await variant_rows.version_of(self._database, self._database, file.id) != file.version:
            return None
        return self._original(source, file)

    def _unchanged_original(self, source: str, file: SourceFile | None) -> Original:
        """Return the original, and remember for a while that the file cannot be transformed.

        `file` is None for formats, which have no row.
        """
        if len(self._unchanged) >= _MOST_UNCHANGED:
            self._unchanged.clear()
        seconds = _UNKNOWN_SECONDS if file is None else _UNCHANGED_SECONDS
        self._unchanged[source] = (file, self._clock.steady() + seconds)
        return self._original(source, file)

    def _exists(self, source: str) -> bool:
        try:
            return self._readable.exists(source)
        except ValueError:  # for names that are not valid in the storage
            return False

    async def _render(
        self, source: str, key: str, file: SourceFile, rendering: Rendering, poster: Variant | None = None
    ) -> Found:
        """Create a variant from the file, or from the poster of a video."""
        name, mime = (source, file.mime) if poster is None else (poster.object, poster.mime)

        async def transform(original: Path, target: Path) -> bool:
            work = partial(render_image, original, mime, rendering, target)
            return await IMAGE_WORKERS.run(work, heavy=mime != TYPES["jpeg"]) is not None

        try:
            return await self._derive(source, key, file, rendering.format, name, transform)
        except FileNotFoundError:
            if poster is None:
                return None
            await self._forget(poster)
            raise _FileChanged from None

    async def _extract(self, source: str, file: SourceFile) -> Found:
        """Create the poster of a video."""

        async def extract(original: Path, target: Path) -> bool:
            await IMAGE_WORKERS.run(partial(extract_poster, original, file.mime, target), heavy=True)
            return True

        try:
            return await self._derive(source, _POSTER, file, "jpeg", source, extract)
        except FileNotFoundError:
            return None

    async def _derive(
        self,
        source: str,
        key: str,
        file: SourceFile,
        image_format: ImageFormat,
        name: str,
        create: Callable[[Path, Path], Awaitable[bool]],
    ) -> Found:
        """Create a variant from the object `name` with a function of two paths, which returns whether it is possible.

        Raises FileNotFoundError.
        """
        workspace = Workspace(self._storage.workspace.folder, _REFUSAL)
        original, target = await in_thread(lambda: (workspace.temporary(), workspace.temporary()))
        try:
            await in_thread(lambda: self._fetch(name, original, workspace))
            if not await create(original, target):
                return self._unchanged_original(source, file)
            return await self._publish(source, key, file, image_format, target)
        except PayloadTooLargeError:
            return self._unchanged_original(source, file)
        except ApplicationError as error:
            logger.warning("%s cannot be transformed, so the original is served: %s", source, error)
            return self._unchanged_original(source, file)
        finally:
            await in_thread(lambda: _remove(original, target))

    def _fetch(self, source: str, target: Path, workspace: Workspace) -> None:
        """Copy the original from the storage. Raises FileNotFoundError."""
        with self._readable.open(source) as content:
            workspace.receive(content, target, _LARGEST_FILE)

    async def _publish(self, source: str, key: str, file: SourceFile, image_format: ImageFormat, path: Path) -> Variant:
        """Write a file to the storage and its row to the database, or neither."""
        storage, mime = self._storage, TYPES[image_format]
        folder, _, segment = source.rpartition("/")
        stem = new_hash(f"variant_{segment.partition('.')[0]}")
        name = storage.name_for(f"{folder}/" if folder else "", stem, EXTENSIONS[image_format])
        await self._cleanup.expect([name])
        try:
            size, kept = await in_thread(lambda: (path.stat().st_size, _write(storage, source, path, name, mime)))
            new = variant_rows.new_variant(kept.name, mime, file.version, size)
            await run_unit(self._database, UnitOfWork, partial(self._store, source, key, file, new))
        except BaseException:
            await self._cleanup.remove([name])
            raise
        return new

    async def _store(self, source: str, key: str, file: SourceFile, new: Variant, unit: UnitOfWork) -> None:
        """Insert the row. Raises _FileChanged if the file was replaced or deleted meanwhile."""
        await unit.connection.lock(file_lock(file.id))
        await self._cleanup.claim(unit.connection, [new.object])
        if await variant_rows.version_of(unit.connection, self._database, file.id) != file.version:
            raise _FileChanged
        before = await variant_rows.store_variant(unit.connection, self._database, source, key, file, new)
        evicted = await variant_rows.evict_variants(unit.connection, self._database, self._most_bytes)
        await self._cleanup.remove_with(unit, [*([before] if before else []), *evicted])


def _write(storage: Storage, source: str, path: Path, name: str, mime: str) -> StoredObject:
    """Write a variant to the storage. It is private if its file is."""
    if isinstance(storage, PrivateStorage) and storage.is_private(source):
        return storage.write_private(path, name, mime)
    return storage.write(path, name, mime)


def _may_be_image(source: str) -> bool:
    """Return whether a file with this extension can be transformed; unknown extensions can."""
    mime = type_by_name(source) or ANY_TYPE
    return mime == ANY_TYPE or (mime.startswith("image/") and mime != SVG) or is_transformable(mime)


def _remove(*paths: Path) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _close(reading: "asyncio.Task[FileIO]") -> None:
    """Close the file of a cancelled request."""
    if not reading.cancelled() and reading.exception() is None:
        reading.result().close()
