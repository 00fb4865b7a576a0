"""Admin roles, and the permissions that they can have."""

from typing import NotRequired, TypedDict

from octavo.api.admin.schemas.administrators import RightProperties


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
    """An action on content-types."""

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
