"""The content-type builder: whether definitions can be changed, and previews of changes."""

from typing import Any, Literal, NotRequired, TypedDict

BuilderChange = Literal[
    "createContentType",
    "updateContentType",
    "deleteContentType",
    "createComponent",
    "updateComponent",
    "deleteComponent",
    "renameCategory",
    "deleteCategory",
]


class BuilderState(TypedDict):
    """Whether definitions can be changed; if not, why."""

    isChangeable: bool
    reason: Literal["production", "rights"] | None


class BuilderStateAnswer(TypedDict):
    """Whether definitions can be changed."""

    data: BuilderState


class PreviewForm(TypedDict):
    """A change to preview: its target (a UID or a category), and the body of the request."""

    change: BuilderChange
    name: NotRequired[str]
    form: NotRequired[Any]


class FilePreview(TypedDict):
    """A file before and after a change; null if it does not exist."""

    path: str
    before: str | None
    after: str | None


class TablePreview(TypedDict):
    """A change of a table or column. `was` is its former name or type."""

    change: str
    table: str
    column: str | None
    was: str | None
    type: str | None


class Preview(TypedDict):
    """The effects of a change. `kept` stays in the database without a definition."""

    uid: str
    files: list[FilePreview]
    tables: list[TablePreview]
    kept: list[TablePreview]


class PreviewAnswer(TypedDict):
    """The effects of a change."""

    data: Preview
