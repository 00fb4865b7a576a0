"""Definitions of content, and how their views look."""

from typing import Any, Literal, NotRequired, TypedDict


class Info(TypedDict):
    """What a definition is called."""

    displayName: str
    singularName: NotRequired[str]
    pluralName: NotRequired[str]
    description: NotRequired[str]
    icon: NotRequired[str]


class Attribute(TypedDict):
    """An attribute, as it is written in the definition."""

    type: str
    required: NotRequired[bool]
    private: NotRequired[bool]
    unique: NotRequired[bool]
    default: NotRequired[Any]
    min: NotRequired[int | float | str]
    max: NotRequired[int | float | str]
    minLength: NotRequired[int]
    maxLength: NotRequired[int]
    regex: NotRequired[str]
    enum: NotRequired[list[str]]
    multiple: NotRequired[bool]
    allowedTypes: NotRequired[list[str]]
    component: NotRequired[str]
    components: NotRequired[list[str]]
    repeatable: NotRequired[bool]
    target: NotRequired[str]
    targetModel: NotRequired[str]
    targetField: NotRequired[str]
    relation: NotRequired[str]
    relationType: NotRequired[str]
    mappedBy: NotRequired[str]
    inversedBy: NotRequired[str]
    configurable: NotRequired[bool]
    writable: NotRequired[bool]
    visible: NotRequired[bool]
    customField: NotRequired[str]
    options: NotRequired[dict[str, Any]]
    pluginOptions: NotRequired[dict[str, Any]]


class ToldContentType(TypedDict):
    """A content-type, as pages are told it."""

    uid: str
    isDisplayed: bool
    apiID: str
    kind: Literal["collectionType", "singleType"]
    info: Info
    options: NotRequired[dict[str, Any]]
    pluginOptions: NotRequired[dict[str, Any]]
    attributes: dict[str, Attribute]


class ToldComponent(TypedDict):
    """A component, as pages are told it."""

    uid: str
    isDisplayed: bool
    apiID: str
    category: str
    info: Info
    options: NotRequired[dict[str, Any]]
    pluginOptions: NotRequired[dict[str, Any]]
    attributes: dict[str, Attribute]


class FieldSize(TypedDict):
    """How many of a row's twelve columns a field of a type takes."""

    default: int
    isResizable: bool


class Definitions(TypedDict):
    """All definitions, and the sizes of fields."""

    fieldSizes: dict[str, FieldSize]
    components: list[ToldComponent]
    contentTypes: list[ToldContentType]


class DefinitionsAnswer(TypedDict):
    """All definitions."""

    data: Definitions


class ViewSettings(TypedDict):
    """How lists of a content-type begin."""

    bulkable: bool
    filterable: bool
    searchable: bool
    pageSize: int
    mainField: str
    defaultSortBy: str
    defaultSortOrder: str


class EditLook(TypedDict):
    """How a field looks in a form."""

    label: NotRequired[str]
    description: NotRequired[str]
    placeholder: NotRequired[str]
    visible: NotRequired[bool]
    editable: NotRequired[bool]
    mainField: NotRequired[str]


class ListLook(TypedDict):
    """How a field looks in a list."""

    label: NotRequired[str]
    searchable: NotRequired[bool]
    sortable: NotRequired[bool]
    mainField: NotRequired[str]


class Look(TypedDict):
    """How a field looks."""

    edit: EditLook
    list: ListLook


class PlacedField(TypedDict):
    """A field in a row of a form."""

    name: str
    size: int


class Layouts(TypedDict):
    """Columns of the list, rows of the form."""

    list: list[str]
    edit: list[list[PlacedField]]


class View(TypedDict):
    """How a definition looks."""

    uid: str
    settings: ViewSettings
    metadatas: dict[str, Look]
    layouts: Layouts
    category: NotRequired[str]
    isComponent: NotRequired[bool]


class Views(TypedDict):
    """How a content-type looks, and the components in it."""

    contentType: View
    components: dict[str, View]


class ViewsAnswer(TypedDict):
    """How a content-type looks."""

    data: Views


class ComponentViews(TypedDict):
    """How a component looks, and the components in it."""

    component: View
    components: dict[str, View]


class ComponentViewsAnswer(TypedDict):
    """How a component looks."""

    data: ComponentViews


class ViewChanges(TypedDict):
    """What is to be another way of how a definition looks: each part as a whole."""

    settings: NotRequired[ViewSettings]
    metadatas: NotRequired[dict[str, Look]]
    layouts: NotRequired[Layouts]


class Pagination(TypedDict):
    """Which page it is, and of how many."""

    page: int
    pageSize: int
    pageCount: int
    total: int


class EntryPage(TypedDict):
    """A page of entries."""

    results: list[dict[str, Any]]
    pagination: Pagination


class EntryAddresses(TypedDict):
    """Where entries are found from outside: a path of the content API, and an address with what is to be put into it in
    braces."""

    api: str | None
    preview: str | None


class EntryAddressesAnswer(TypedDict):
    """Where entries are found from outside."""

    data: EntryAddresses


class Plans(TypedDict):
    """When an entry is published, and taken back, by itself."""

    publishAt: NotRequired[str | None]
    unpublishAt: NotRequired[str | None]


class ScheduleFailure(TypedDict):
    """Why an entry was not published, or unpublished, at its time."""

    plan: Literal["publish", "unpublish", "appear"]
    dueAt: str
    failedAt: str
    error: str


class ScheduleState(Plans):
    """What is scheduled for an entry, what failed, and what the entry lacks that is to be published."""

    failure: NotRequired[ScheduleFailure]
    problems: NotRequired[list[str]]


class Publication(TypedDict):
    """Since when an entry was published."""

    id: int
    publishedAt: str


class PublishedAgain(TypedDict):
    """Entries that are published again as of when they were."""

    entries: list[Publication]


class PlansAnswer(TypedDict):
    """What is planned for an entry."""

    data: ScheduleState


class Editor(TypedDict):
    """Who has changed an entry."""

    id: int
    firstname: str | None
    lastname: str | None
    username: str | None


class RecentEntry(TypedDict):
    """An entry to go on with."""

    uid: str
    id: int
    name: str
    locale: str | None
    isDraft: bool
    updatedAt: str | None
    updatedBy: Editor | None


class PlannedEntry(RecentEntry):
    """An entry for which something is planned."""

    plan: Literal["publish", "unpublish", "appear"]
    due: str
    error: NotRequired[str]
    problems: NotRequired[list[str]]


class PlannedMoment(TypedDict):
    """What is planned for an entry, and when."""

    id: int
    plan: Literal["publish", "unpublish", "appear"]
    due: str
    error: NotRequired[str]
    problems: NotRequired[list[str]]


class PlannedAnswer(TypedDict):
    """What is planned for entries of a content-type, the next first."""

    data: list[PlannedMoment]


class Recent(TypedDict):
    """What was changed last, by anybody; one's own drafts; what is planned next."""

    changed: list[RecentEntry]
    drafts: list[RecentEntry]
    planned: list[PlannedEntry]


class RecentAnswer(TypedDict):
    """What to go on with."""

    data: Recent


class Locale(TypedDict):
    """A locale that content is written in."""

    id: int
    name: str
    code: str
    isDefault: bool
    createdAt: NotRequired[str]
    updatedAt: NotRequired[str]


class Information(TypedDict):
    """Versions."""

    currentEnvironment: str
    autoReload: bool
    strapiVersion: str


class InformationAnswer(TypedDict):
    """Versions."""

    data: Information
