"""The media library."""

from typing import Any, NotRequired, TypedDict


class FileFormat(TypedDict):
    """An image in a smaller size."""

    url: str
    width: int
    height: int
    size: float


class FolderName(TypedDict):
    """A folder, as it is named with what lies in it."""

    id: int
    name: str


class MediaFile(TypedDict):
    """A file in the library. `size` is in kilobytes."""

    id: int
    name: str
    alternativeText: str | None
    caption: str | None
    width: int | None
    height: int | None
    formats: dict[str, FileFormat] | None
    hash: str
    ext: str | None
    mime: str
    size: float
    url: str
    previewUrl: str | None
    provider: str
    provider_metadata: dict[str, Any] | None
    folderPath: str
    createdAt: str
    updatedAt: str
    folder: NotRequired[FolderName | None]


class FocalPointTold(TypedDict):
    """A place in an image, in fractions of its width and height: 0 to 1."""

    x: float
    y: float


class FocalPointForm(TypedDict):
    """What of an image has to be seen; null: nothing in particular."""

    focalPoint: FocalPointTold | None


class Counted(TypedDict):
    """How many there are."""

    count: int


class Folder(TypedDict):
    """A folder of the library."""

    id: int
    name: str
    pathId: int
    path: str
    createdAt: str
    updatedAt: str
    children: NotRequired[Counted]
    files: NotRequired[Counted]
    parent: NotRequired["Folder | None"]


class FolderAnswer(TypedDict):
    """A folder."""

    data: Folder


class FoldersAnswer(TypedDict):
    """Folders."""

    data: list[Folder]


class FolderBranch(TypedDict):
    """A folder with those in it."""

    id: int
    name: str
    children: list["FolderBranch"]


class FolderTreeAnswer(TypedDict):
    """All folders."""

    data: list[FolderBranch]


class MediaPagination(TypedDict):
    """Which page it is, and of how many."""

    page: int
    pageSize: int
    pageCount: int
    total: int


class MediaPage(TypedDict):
    """A page of files."""

    results: list[MediaFile]
    pagination: MediaPagination


class FolderForm(TypedDict):
    """What a folder is called, and where it lies: null is the top."""

    name: str
    parent: int | None


class Moved(TypedDict):
    """Files and folders that go to another folder: null is the top."""

    fileIds: NotRequired[list[int]]
    folderIds: NotRequired[list[int]]
    destinationFolderId: int | None


class Removed(TypedDict):
    """Files and folders that go, with what lies in these."""

    fileIds: NotRequired[list[int]]
    folderIds: NotRequired[list[int]]


class FileUseTold(TypedDict):
    """An entry that shows a file; `field` is the path of the attribute."""

    uid: str
    kind: str
    type: str
    id: int
    label: str
    field: str


class FileUsesAnswer(TypedDict):
    """Entries that show a file; `hidden`: how many more that one may not read."""

    data: list[FileUseTold]
    hidden: int
