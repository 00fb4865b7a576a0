"""The media library."""

from typing import Any, NotRequired, TypedDict


class FileFormat(TypedDict):
    """A smaller format of an image."""

    url: str
    width: int
    height: int
    size: float


class FolderName(TypedDict):
    """A folder, as nested in its content."""

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


class FocalPoint(TypedDict):
    """A point in an image, as fractions of its width and height from 0 to 1."""

    x: float
    y: float


class FocalPointForm(TypedDict):
    """The focal point of an image, or null for none."""

    focalPoint: FocalPoint | None


class Privacy(TypedDict):
    """Whether a file is private, and whether the settings, the storage and its folder let you change it.

    `byFolder`: it is in a private folder.
    """

    private: bool
    canChange: bool
    byFolder: bool


class PrivacyAnswer(TypedDict):
    """Whether a file is private."""

    data: Privacy


class PrivacyForm(TypedDict):
    """Whether a file or a folder is to be private."""

    private: bool


class PrivateFolders(TypedDict):
    """The IDs of folders that are private on their own, and whether the settings and the storage let you change them.

    Their subfolders are private, too.
    """

    ids: list[int]
    canChange: bool


class PrivateFoldersAnswer(TypedDict):
    """The private folders."""

    data: PrivateFolders


class Counted(TypedDict):
    """A number of items."""

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
    """A folder with its subfolders."""

    id: int
    name: str
    children: list["FolderBranch"]


class FolderTreeAnswer(TypedDict):
    """All folders."""

    data: list[FolderBranch]


class MediaPagination(TypedDict):
    """The page number, page size and totals."""

    page: int
    pageSize: int
    pageCount: int
    total: int


class MediaPage(TypedDict):
    """A page of files."""

    results: list[MediaFile]
    pagination: MediaPagination


class FolderForm(TypedDict):
    """A folder's name and parent; null is the root."""

    name: str
    parent: int | None


class Moved(TypedDict):
    """Files and folders to move to another folder; null is the root."""

    fileIds: NotRequired[list[int]]
    folderIds: NotRequired[list[int]]
    destinationFolderId: int | None


class Removed(TypedDict):
    """Files and folders to delete, with the content of folders."""

    fileIds: NotRequired[list[int]]
    folderIds: NotRequired[list[int]]


class FileTexts(TypedDict):
    """Texts of a file; missing ones stay."""

    id: int
    alternativeText: NotRequired[str | None]
    caption: NotRequired[str | None]


class ChangedFileTexts(TypedDict):
    """Texts of several files."""

    files: list[FileTexts]


class ChangedFilesAnswer(TypedDict):
    """The files that were updated, without those that no longer exist."""

    data: list[MediaFile]


class FileUse(TypedDict):
    """An entry that uses a file. `field` is the path of the attribute; `locale` is null without localization."""

    uid: str
    kind: str
    type: str
    id: int
    label: str
    locale: str | None
    field: str


class FileUsesAnswer(TypedDict):
    """Entries that use a file. `hidden` is the number of others, which the administrator cannot read."""

    data: list[FileUse]
    hidden: int
