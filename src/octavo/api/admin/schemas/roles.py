"""Roles of administrators, and what can be granted to them."""

from typing import NotRequired, TypedDict

from octavo.api.admin.schemas.administrators import RightProperties


class AdminRole(TypedDict):
    """A role of administrators, and how many have it."""

    id: int
    name: str
    code: str
    description: str | None
    createdAt: NotRequired[str]
    updatedAt: NotRequired[str]
    usersCount: NotRequired[int]


class AdminRoleAnswer(TypedDict):
    """A role of administrators."""

    data: AdminRole


class AdminRolesAnswer(TypedDict):
    """The roles of administrators."""

    data: list[AdminRole]


class NamedRole(TypedDict):
    """What a role is called."""

    name: str
    description: NotRequired[str]


class Grant(TypedDict):
    """An action that is granted to a role, on a content-type where there is a subject."""

    action: str
    subject: str | None
    properties: RightProperties
    conditions: list[str]


class Grants(TypedDict):
    """All that a role may do."""

    permissions: list[Grant]


class GrantedCondition(TypedDict):
    """Under what an action can be granted."""

    id: str
    displayName: str
    category: str


class SettingsAction(TypedDict):
    """An action without subject; `plugin` of those of plugins, `category` of those of settings."""

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
    """A field, or a locale, that a right can be limited to."""

    label: str
    value: str
    required: NotRequired[bool]
    children: NotRequired[list["GrantedField"]]


class GrantedSubject(TypedDict):
    """A content-type that rights are about."""

    uid: str
    label: str
    properties: list[GrantedField]


class ContentSection(TypedDict):
    """What can be granted about content-types."""

    actions: list[ContentAction]
    subjects: list[GrantedSubject]


class CatalogueSections(TypedDict):
    """All that can be granted."""

    plugins: list[SettingsAction]
    settings: list[SettingsAction]
    singleTypes: ContentSection
    collectionTypes: ContentSection


class GrantCatalogue(TypedDict):
    """All that can be granted, and under what."""

    conditions: list[GrantedCondition]
    sections: CatalogueSections


class GrantCatalogueAnswer(TypedDict):
    """All that can be granted."""

    data: GrantCatalogue
