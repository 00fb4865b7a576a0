"""Definitions of content, their view configurations, and schedules."""

from typing import Any, Literal, NotRequired, TypedDict


class Info(TypedDict):
    """The names of a definition."""

    displayName: str
    singularName: NotRequired[str]
    pluralName: NotRequired[str]
    description: NotRequired[str]
    icon: NotRequired[str]


class Attribute(TypedDict):
    """An attribute, as in the definition."""

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


class ContentTypeSchema(TypedDict):
    """A content type."""

    uid: str
    isDisplayed: bool
    apiID: str
    kind: Literal["collectionType", "singleType"]
    info: Info
    options: NotRequired[dict[str, Any]]
    pluginOptions: NotRequired[dict[str, Any]]
    attributes: dict[str, Attribute]


class ComponentSchema(TypedDict):
    """A component."""

    uid: str
    isDisplayed: bool
    apiID: str
    category: str
    info: Info
    options: NotRequired[dict[str, Any]]
    pluginOptions: NotRequired[dict[str, Any]]
    attributes: dict[str, Attribute]


class FieldSize(TypedDict):
    """The default width of a field, in columns of twelve."""

    default: int
    isResizable: bool


class Definitions(TypedDict):
    """All definitions, and the sizes of fields."""

    fieldSizes: dict[str, FieldSize]
    components: list[ComponentSchema]
    contentTypes: list[ContentTypeSchema]


class DefinitionsAnswer(TypedDict):
    """All definitions."""

    data: Definitions


class ViewSettings(TypedDict):
    """The initial settings of lists."""

    bulkable: bool
    filterable: bool
    searchable: bool
    pageSize: int
    mainField: str
    defaultSortBy: str
    defaultSortOrder: str


class EditLook(TypedDict):
    """The appearance of a field in a form."""

    label: NotRequired[str]
    description: NotRequired[str]
    placeholder: NotRequired[str]
    visible: NotRequired[bool]
    editable: NotRequired[bool]
    mainField: NotRequired[str]


class ListLook(TypedDict):
    """The appearance of a field in a list."""

    label: NotRequired[str]
    searchable: NotRequired[bool]
    sortable: NotRequired[bool]
    mainField: NotRequired[str]


class Look(TypedDict):
    """The appearance of a field."""

    edit: EditLook
    list: ListLook


class PlacedField(TypedDict):
    """A field in a row of a form."""

    name: str
    size: int


class Layouts(TypedDict):
    """The columns of the list and the rows of the form."""

    list: list[str]
    edit: list[list[PlacedField]]


class FormSection(TypedDict):
    """A named group of fields in a form."""

    label: str
    fields: list[str]


class FormSections(TypedDict):
    """The sections of a content type's form, and how the form shows them."""

    display: Literal["form", "sections", "tabs"]
    items: list[FormSection]


class View(TypedDict):
    """The view configuration of a definition. Without `sections`, the form chooses them."""

    uid: str
    settings: ViewSettings
    metadatas: dict[str, Look]
    layouts: Layouts
    sections: NotRequired[FormSections]
    category: NotRequired[str]
    isComponent: NotRequired[bool]


class Views(TypedDict):
    """The view configuration of a content type and its components."""

    contentType: View
    components: dict[str, View]


class ViewsAnswer(TypedDict):
    """The view configuration of a content type."""

    data: Views


class ComponentViews(TypedDict):
    """The view configuration of a component and its components."""

    component: View
    components: dict[str, View]


class ComponentViewsAnswer(TypedDict):
    """The view configuration of a component."""

    data: ComponentViews


class ViewChanges(TypedDict):
    """Changes of a view configuration. Each part is replaced as a whole; null sections are chosen by the form."""

    settings: NotRequired[ViewSettings]
    metadatas: NotRequired[dict[str, Look]]
    layouts: NotRequired[Layouts]
    sections: NotRequired[FormSections | None]


class Pagination(TypedDict):
    """The page number, page size and totals."""

    page: int
    pageSize: int
    pageCount: int
    total: int


class EntryPage(TypedDict):
    """A page of entries."""

    results: list[dict[str, Any]]
    pagination: Pagination


class EntryAddresses(TypedDict):
    """The public URLs of entries: the path in the content API, and a preview URL with placeholders in braces."""

    api: str | None
    preview: str | None


class EntryAddressesAnswer(TypedDict):
    """The public URLs of entries."""

    data: EntryAddresses


class PreviewCode(TypedDict):
    """A one-time code, and the seconds until it expires."""

    code: str
    expiresIn: int


class PreviewCodeAnswer(TypedDict):
    """A new preview code."""

    data: PreviewCode


class PreviewCodeForm(TypedDict):
    """The code from the URL of the preview."""

    code: str


class PreviewToken(TypedDict):
    """A token that reads drafts of a content type, and the entry that the preview was opened for."""

    token: str
    expiresAt: str
    type: str
    id: int


class PreviewTokenAnswer(TypedDict):
    """A new preview token."""

    data: PreviewToken


class Plans(TypedDict):
    """When an entry is published and unpublished."""

    publishAt: NotRequired[str | None]
    unpublishAt: NotRequired[str | None]


class ScheduleFailure(TypedDict):
    """Why a scheduled publication or unpublication failed."""

    plan: Literal["publish", "unpublish", "appear"]
    dueAt: str
    failedAt: str
    error: str


class ScheduleState(Plans):
    """An entry's schedule, its last failure, and missing values that prevent publication."""

    failure: NotRequired[ScheduleFailure]
    problems: NotRequired[list[str]]


class Publication(TypedDict):
    """An entry and its publication date."""

    id: int
    publishedAt: str


class RepublishInput(TypedDict):
    """Entries to publish with their former publication dates."""

    entries: list[Publication]


class EntryIds(TypedDict):
    """Entries of a content type."""

    ids: list[int]


class ValueProblem(TypedDict):
    """An invalid or missing value."""

    path: list[str]
    message: str
    name: str


class InvalidEntry(TypedDict):
    """An entry and what prevents its publication or change."""

    id: int
    errors: list[ValueProblem]


class InvalidEntries(TypedDict):
    """Entries that cannot be published or changed."""

    data: list[InvalidEntry]


class SeenEntry(TypedDict):
    """An entry and its last update, as the client has read it."""

    id: int
    updatedAt: NotRequired[str]


class BatchEdit(TypedDict):
    """Values for several entries."""

    entries: list[SeenEntry]
    data: dict[str, Any]


class PlansAnswer(TypedDict):
    """An entry's schedule."""

    data: ScheduleState


class Editor(TypedDict):
    """The last editor of an entry."""

    id: int
    firstname: str | None
    lastname: str | None
    username: str | None


class RecentEntry(TypedDict):
    """A recently changed entry."""

    uid: str
    id: int
    name: str
    locale: str | None
    isDraft: bool
    updatedAt: str | None
    updatedBy: Editor | None


class PlannedEntry(RecentEntry):
    """An entry with a schedule."""

    plan: Literal["publish", "unpublish", "appear"]
    due: str
    error: NotRequired[str]
    problems: NotRequired[list[str]]


class PlannedMoment(TypedDict):
    """A scheduled action on an entry, and its time."""

    id: int
    plan: Literal["publish", "unpublish", "appear"]
    due: str
    error: NotRequired[str]
    problems: NotRequired[list[str]]


class PlannedAnswer(TypedDict):
    """The schedules of a content type's entries, the next one first."""

    data: list[PlannedMoment]


class LocalizationState(TypedDict):
    """A localization of an entry. `outdatedSince`: when the default locale was updated, if that is later."""

    id: int
    locale: str | None
    isDraft: bool
    updatedAt: str | None
    outdatedSince: str | None


class EntryLocalizations(TypedDict):
    """The localizations of an entry that the administrator can read, beginning with the entry."""

    id: int
    localizations: list[LocalizationState]


class LocalizationsAnswer(TypedDict):
    """The localizations of several entries."""

    data: list[EntryLocalizations]


class Recent(TypedDict):
    """Recent changes, the administrator's own drafts, and the next schedules."""

    changed: list[RecentEntry]
    drafts: list[RecentEntry]
    planned: list[PlannedEntry]


class RecentAnswer(TypedDict):
    """Recent changes, drafts and schedules."""

    data: Recent


class CalendarEntry(PlannedEntry):
    """An entry with a schedule. `mayChange`: the administrator can move the schedule."""

    mayChange: bool


class CalendarAnswer(TypedDict):
    """The schedules in a period, earliest first. `isTruncated`: there are more than can be shown."""

    data: list[CalendarEntry]
    isTruncated: bool


class SharedViewForm(TypedDict):
    """A view to share: the query of a list's URL, and the ids of roles, or null for everyone."""

    name: str
    search: str
    roles: list[int] | None


class SharedView(SharedViewForm):
    """A shared view. `roles` is empty unless the administrator can change it."""

    id: int
    author: str | None
    mayChange: bool


class ShareableRole(TypedDict):
    """A role with which the administrator can share views."""

    id: int
    name: str


class SharedViewsAnswer(TypedDict):
    """The shared views of a content type, and the roles with which the administrator can share."""

    data: list[SharedView]
    roles: list[ShareableRole]


class Locale(TypedDict):
    """A locale of content."""

    id: int
    name: str
    code: str
    isDefault: bool
    createdAt: NotRequired[str]
    updatedAt: NotRequired[str]


class Information(TypedDict):
    """Versions and environment."""

    currentEnvironment: str
    autoReload: bool
    strapiVersion: str


class InformationAnswer(TypedDict):
    """Versions and environment."""

    data: Information
