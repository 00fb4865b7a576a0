"""Administrators, their roles and permissions."""

from typing import Any, NotRequired, TypedDict

from octavo.api.admin.schemas.content import Pagination


class RoleName(TypedDict):
    """A role, as nested in administrators."""

    id: int
    name: str
    description: str | None
    code: str


class Administrator(TypedDict):
    """An administrator."""

    id: int
    firstname: str | None
    lastname: str | None
    username: str | None
    email: str
    isActive: bool
    blocked: bool
    preferedLanguage: str | None
    createdAt: NotRequired[str]
    updatedAt: NotRequired[str]
    roles: NotRequired[list[RoleName]]


class AdministratorAnswer(TypedDict):
    """An administrator."""

    data: Administrator


class RightProperties(TypedDict):
    """The restrictions of a permission: fields by path, locales by code."""

    fields: NotRequired[list[str] | None]
    locales: NotRequired[list[str] | None]


class Right(TypedDict):
    """A granted action, on a content type if there is a subject."""

    id: int
    action: str
    actionParameters: dict[str, Any]
    subject: str | None
    properties: RightProperties
    conditions: list[str]


class RightsAnswer(TypedDict):
    """The administrator's permissions."""

    data: list[Right]


class AdministratorPage(TypedDict):
    """A page of administrators."""

    results: list[Administrator]
    pagination: Pagination


class AdministratorPageAnswer(TypedDict):
    """A page of administrators."""

    data: AdministratorPage


class Invitation(TypedDict):
    """A new administrator to invite."""

    email: str
    firstname: str
    lastname: NotRequired[str]
    roles: list[int]


class InvitedAdministrator(Administrator):
    """An invited administrator, with the invitation token, which only this response has."""

    registrationToken: NotRequired[str]


class InvitedAdministratorAnswer(TypedDict):
    """An invited administrator."""

    data: InvitedAdministrator


class ChangedAdministrator(TypedDict):
    """Changes of another administrator."""

    email: NotRequired[str]
    firstname: NotRequired[str]
    lastname: NotRequired[str]
    username: NotRequired[str]
    password: NotRequired[str]
    isActive: NotRequired[bool]
    roles: NotRequired[list[int]]


class ChangedSelf(TypedDict):
    """Changes of the administrator's own profile."""

    email: NotRequired[str]
    firstname: NotRequired[str]
    lastname: NotRequired[str]
    username: NotRequired[str]
    preferedLanguage: NotRequired[str]
    currentPassword: NotRequired[str]
    password: NotRequired[str]


class Ids(TypedDict):
    """Several ids."""

    ids: list[int]


class AdminRole(TypedDict):
    """An admin role, and its number of administrators."""

    id: int
    name: str
    code: str
    description: str | None
    createdAt: NotRequired[str]
    updatedAt: NotRequired[str]
    usersCount: NotRequired[int]


class AdminRoleAnswer(TypedDict):
    """An admin role."""

    data: AdminRole


class AdminRolesAnswer(TypedDict):
    """The admin roles."""

    data: list[AdminRole]


class NamedRole(TypedDict):
    """The name and description of a role."""

    name: str
    description: NotRequired[str]


class Grant(TypedDict):
    """A permission of a role, on a content type if there is a subject."""

    action: str
    subject: str | None
    properties: RightProperties
    conditions: list[str]


class Grants(TypedDict):
    """All permissions of a role."""

    permissions: list[Grant]


class GrantedCondition(TypedDict):
    """A condition for permissions."""

    id: str
    displayName: str
    category: str


class SettingsAction(TypedDict):
    """An action without a subject. `plugin` is set for plugins, `category` for settings."""

    displayName: str
    action: str
    subCategory: str
    plugin: NotRequired[str]
    category: NotRequired[str]


class ContentAction(TypedDict):
    """An action on content types."""

    label: str
    actionId: str
    subjects: list[str]
    applyToProperties: NotRequired[list[str]]


class GrantedField(TypedDict):
    """A field or a locale to which a permission can be restricted."""

    label: str
    value: str
    required: NotRequired[bool]
    children: NotRequired[list["GrantedField"]]


class GrantedSubject(TypedDict):
    """A content type to which permissions apply."""

    uid: str
    label: str
    properties: list[GrantedField]


class ContentSection(TypedDict):
    """The available permissions on content types."""

    actions: list[ContentAction]
    subjects: list[GrantedSubject]


class CatalogueSections(TypedDict):
    """All available permissions."""

    plugins: list[SettingsAction]
    settings: list[SettingsAction]
    singleTypes: ContentSection
    collectionTypes: ContentSection


class GrantCatalogue(TypedDict):
    """All available permissions and conditions."""

    conditions: list[GrantedCondition]
    sections: CatalogueSections


class GrantCatalogueAnswer(TypedDict):
    """All available permissions."""

    data: GrantCatalogue
