"""Process one uploaded file: copy, measure, resize and store it. All methods block.

A new file is stored under its final names. A replacement is stored under temporary names until the transaction that
updates the row is about to end.
"""

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol

from octavo.content.media.file_names import FileName, new_hash
from octavo.content.media.file_preparation import Preparation, prepare_file, prepared_type
from octavo.content.media.file_types import HEAD_BYTES, SVG, fits, is_false_image, type_of
from octavo.content.media.image_sizes import Format, Measured
from octavo.content.media.storage.base import PrivateStorage, Storage, StoredObject, temporary_in
from octavo.content.media.videos import has_frames
from octavo.core.errors import ApplicationError
from octavo.core.forms.printing import MISSING
from octavo.core.media_types import extension_of, type_by_name
from octavo.core.values import dataclass

logger = logging.getLogger(__name__)


class IncomingFile(Protocol):
    """An incoming file, from a form or from Octavo's own code. `file` is at its start."""

    @property
    def filename(self) -> str:
        """The name given by the client."""

    @property
    def content_type(self) -> str:
        """The type declared by the client, or an empty text."""

    @property
    def file(self) -> IO[bytes]:
        """The content."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """Details of a file given by the user. Without a name, the file's original name is used.

    `unsaid` are attributes that are explicitly empty, as opposed to missing. `folder`: the raw id of a folder; None
    for the top.
    """

    name: str | None = None
    alternative_text: str | None = None
    caption: str | None = None
    unsaid: frozenset[str] = frozenset()
    folder: Any = MISSING


@dataclass(frozen=True, slots=True)
class MediaOptions:
    """Options: the maximum file size in bytes; the formats of images, by name and maximum width or height; whether to
    keep metadata; whether files declared as images must be images; whether only a file of the same kind can replace a
    file; whether videos get a placeholder; whether HEIC images get formats, in JPEG."""

    size_limit: int = 200 << 20
    breakpoints: Mapping[str, int] = field(default_factory=lambda: {"large": 1000, "medium": 750, "small": 500})
    keep_notes: bool = False
    check_images: bool = False
    same_kind: bool = False
    describes_videos: bool = False
    heic_formats: bool = False


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """What administrators choose in the media library's settings: whether images get more formats than a thumbnail, are
    compressed, and are turned upright."""

    scaled: bool = True
    smaller: bool = False
    upright: bool = False


@dataclass(frozen=True, slots=True)
class Naming:
    """The storage names of a file and its formats. `prefix` is the folder with a trailing slash, or empty; `known` are
    existing names by format, which stay."""

    hash: str
    extension: str
    prefix: str = ""
    known: Mapping[str, str] = field(default_factory=dict)

    def of(self, storage: Storage, format_name: str = "", extension: str | None = None) -> str:
        """Return the name of the file itself, or of a format, which can have another extension."""
        known = self.known.get(format_name)
        if known and (extension is None or known.endswith(extension)):
            return known
        stem = f"{format_name}_{self.hash}" if format_name else self.hash
        return storage.name_for(self.prefix, stem, self.extension if extension is None else extension)


@dataclass(frozen=True, slots=True)
class Part:
    """One file in the storage: its format (empty for the file itself), its final name, and its current location."""

    format: str
    target: str
    kept: StoredObject


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file in the storage: its attributes without URLs, its parts, its placeholder as JSON text, and whether it is
    private."""

    described: Mapping[str, Any]
    parts: Sequence[Part]
    placeholder: str | None = None
    private: bool = False

    @property
    def names(self) -> list[str]:
        """The current names of its parts."""
        return [part.kept.name for part in self.parts]

    @property
    def attributes(self) -> dict[str, Any]:
        """The values of its attributes with the current locations."""
        return self.located({part.format: part.kept for part in self.parts})

    def located(self, kept: Mapping[str, StoredObject]) -> dict[str, Any]:
        """Return the values of its attributes with these locations, by format."""
        formats = self.described["formats"] or {}
        shown = {name: {**made, **kept[name].location} for name, made in formats.items()}
        main = kept[""]
        nothing = {"provider_metadata": None, "previewUrl": main.preview_url}
        return {**self.described, "formats": shown or None, **nothing, **main.location}


class FileWork:
    """The steps to store one file."""

    def __init__(self, storage: Storage, options: MediaOptions, *, private: bool = False) -> None:
        """Create the work. `private`: the file is private, in a `PrivateStorage`."""
        self._storage = storage
        self._options = options
        self._private = private
        self._path = Path()
        self._size = 0
        self._mime = self._kind = ""
        self._head = b""
        self._measured = Measured()
        self._parts: list[Part] = []

    def copy(self, file: IncomingFile, name: FileName) -> None:
        """Copy the content to the workspace and detect its type."""
        self._path = self._storage.workspace.temporary()
        self._size = self._storage.workspace.receive(file.file, self._path, self._options.size_limit)
        with self._path.open("rb") as written:
            self._head = head = written.read(HEAD_BYTES)
        check_images = self._options.check_images
        self._mime = type_of(head, file.content_type, name.name, check_images=check_images)
        self._kind = type_of(head, "", name.name, check_images=check_images)
        if check_images and is_false_image(self._mime, name.name):
            raise ApplicationError(f"{name.name} is not a valid image: its content is {self._mime}")

    def replacing(self, name: FileName, naming: Naming) -> Naming:
        """Return the names for the replacement of a file: those of the file, or new ones for a file of another kind.

        Raises ApplicationError if only a file of the same kind can replace it.
        """
        if fits(naming.extension, self._kind, name.extension):
            return naming
        if self._options.same_kind:
            raise ApplicationError(
                f"{name.name} cannot replace a file of another kind ({naming.extension}). Upload it as a new file"
            )
        own = name.extension if type_by_name(f"x{name.extension}") == self._kind else ""
        extension = own or extension_of(self._kind) or name.extension
        return Naming(naming.hash, extension, naming.prefix)

    @property
    def is_image(self) -> bool:
        """Whether it is an image; known after the copy."""
        return self._mime.startswith("image/")

    def is_heavy(self, settings: ImageSettings) -> bool:
        """Return whether it is an image that is decoded in full; by default, a JPEG is decoded at a reduced size."""
        is_reduced = self._mime == "image/jpeg" and not (settings.smaller or settings.upright)
        return self.is_image and not is_reduced and self._mime != SVG

    def preparation(self, settings: ImageSettings) -> Callable[[], Measured] | None:
        """Return the function that measures the file and creates its formats, for a worker; None if the file needs
        none."""
        mime = prepared_type((self._mime, self._kind), self._head)
        if mime is None:
            return None
        options = self._options
        breakpoints = options.breakpoints if settings.scaled else {}
        preparation = Preparation(
            breakpoints,
            options.check_images,
            options.keep_notes,
            settings.smaller,
            settings.upright,
            options.describes_videos,
            options.heic_formats,
        )
        return partial(prepare_file, self._path, mime, preparation)

    def prepared(self, measured: Measured, name: FileName) -> None:
        """Accept the result of the preparation."""
        if measured.is_too_large and measured.size is not None:
            size = f"{measured.size.width} x {measured.size.height} pixels"
            logger.warning("%s has no smaller formats: decoding %s would need too much memory", name.name, size)
        if self._options.describes_videos and has_frames(self._mime) and measured.placeholder is None:
            logger.warning("%s has no poster: the video cannot be read", name.name)
        self._measured = measured
        self._size = self._path.stat().st_size

    def new_naming(self, name: FileName, info: FileInfo, path: str = "") -> Naming:
        """Return generated names for a new file."""
        extension = name.extension or extension_of(self._mime)
        return Naming(new_hash(info.name or name.name), extension, self._storage.prefix_of(path))

    def names(self, naming: Naming) -> list[str]:
        """Return the storage names that the file and its formats get."""
        formats = [naming.of(self._storage, made.name, made.extension) for made in self._measured.formats]
        return [*formats, naming.of(self._storage)]

    def publish(self, name: FileName, info: FileInfo, naming: Naming) -> StoredFile:
        """Store a new file."""
        return self._store(info.name or name.name, info, naming, wait=False)

    def stage(self, name: FileName, info: FileInfo, naming: Naming) -> StoredFile:
        """Store a replacement under temporary names; it gets the other file's names later."""
        return self._store(info.name or name.name, info, naming, wait=True)

    def _store(self, shown: str, info: FileInfo, naming: Naming, *, wait: bool) -> StoredFile:
        formats = {made.name: self._store_format(made, shown, naming, wait=wait) for made in self._measured.formats}
        self._write(self._path, naming, self._mime, wait=wait)
        size = self._measured.size
        described = {
            "name": shown,
            "alternativeText": info.alternative_text,
            "caption": info.caption,
            "width": size and size.width,
            "height": size and size.height,
            "formats": formats,
            "hash": naming.hash,
            "ext": naming.extension,
            "mime": self._mime,
            "size": kilobytes(self._size),
            "provider": self._storage.provider,
        }
        return StoredFile(described, tuple(self._parts), self._measured.placeholder, self._private)

    def _store_format(self, made: Format, shown: str, naming: Naming, *, wait: bool) -> dict[str, Any]:
        size = made.path.stat().st_size
        mime = made.mime or self._mime
        self._write(made.path, naming, mime, made.name, made.extension, wait=wait)
        return {
            "name": f"{made.name}_{shown}",
            "hash": f"{made.name}_{naming.hash}",
            "ext": made.extension or naming.extension,
            "mime": mime,
            "path": None,
            "width": made.size.width,
            "height": made.size.height,
            "size": kilobytes(size),
            "sizeInBytes": size,
        }

    def _write(
        self,
        path: Path,
        naming: Naming,
        mime: str,
        format_name: str = "",
        extension: str | None = None,
        *,
        wait: bool,
    ) -> None:
        target = naming.of(self._storage, format_name, extension)
        place = temporary_in(self._storage, extension or naming.extension) if wait else target
        if self._private:
            assert isinstance(self._storage, PrivateStorage)
            kept = self._storage.write_private(path, place, mime)
        else:
            kept = self._storage.write(path, place, mime)
        self._parts.append(Part(format_name, target, kept))

    def discard(self) -> None:
        """Remove all files of this upload."""
        for path in self._leftovers():
            path.unlink(missing_ok=True)
        self._storage.remove([part.kept.name for part in self._parts])

    def _leftovers(self) -> Iterator[Path]:
        if self._path.name:
            yield self._path
            yield from self._path.parent.glob(f"{self._path.name}.*")


def kilobytes(size: int) -> float:
    """Return a size in bytes as rows have it."""
    return math.floor(size / 10 + 0.5) / 100
