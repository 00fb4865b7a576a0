"""The content-type builder: whether definitions can be changed, and what a change would do."""

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
    """Whether definitions can be changed here; if not, why."""

    isChangeable: bool
    reason: Literal["production", "rights"] | None


class BuilderStateAnswer(TypedDict):
    """Whether definitions can be changed."""

    data: BuilderState


class PreviewForm(TypedDict):
    """A change: of what (a UID, or a category), and the body that would ask for it."""

    change: BuilderChange
    name: NotRequired[str]
    form: NotRequired[Any]


class FilePreview(TypedDict):
    """A file before a change, and after it; null where there is none then."""

    path: str
    before: str | None
    after: str | None


class TablePreview(TypedDict):
    """What happens to a table or a column. `was` is its name, or its type, before."""

    change: str
    table: str
    column: str | None
    was: str | None
    type: str | None


class Preview(TypedDict):
    """What a change would do. `kept` stays in the database, though no definition asks for it any more."""

    uid: str
    files: list[FilePreview]
    tables: list[TablePreview]
    kept: list[TablePreview]


class PreviewAnswer(TypedDict):
    """What a change would do."""

    data: Preview
