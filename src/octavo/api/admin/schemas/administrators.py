"""Administrators, their roles and rights."""

from typing import Any, NotRequired, TypedDict

from octavo.api.admin.schemas.content import Pagination


class RoleName(TypedDict):
    """A role, as it is named with people."""

    id: int
    name: str
    description: str | None
    code: str


class Administrator(TypedDict):
    """Somebody who works here."""

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
    """One administrator."""

    data: Administrator


class RightProperties(TypedDict):
    """What a right is limited to: fields by path, locales by code."""

    fields: NotRequired[list[str] | None]
    locales: NotRequired[list[str] | None]


class Right(TypedDict):
    """An action that is allowed, on a content-type where there is a subject."""

    id: int
    action: str
    actionParameters: dict[str, Any]
    subject: str | None
    properties: RightProperties
    conditions: list[str]


class RightsAnswer(TypedDict):
    """What one may do."""

    data: list[Right]


class AdministratorPage(TypedDict):
    """A page of administrators."""

    results: list[Administrator]
    pagination: Pagination


class AdministratorPageAnswer(TypedDict):
    """A page of administrators."""

    data: AdministratorPage


class Invitation(TypedDict):
    """Who is invited."""

    email: str
    firstname: str
    lastname: NotRequired[str]
    roles: list[int]


class InvitedAdministrator(Administrator):
    """Who was invited, with the token that is shown here alone."""

    registrationToken: NotRequired[str]


class InvitedAdministratorAnswer(TypedDict):
    """Who was invited."""

    data: InvitedAdministrator


class ChangedAdministrator(TypedDict):
    """What others may change of an administrator."""

    email: NotRequired[str]
    firstname: NotRequired[str]
    lastname: NotRequired[str]
    username: NotRequired[str]
    password: NotRequired[str]
    isActive: NotRequired[bool]
    roles: NotRequired[list[int]]


class ChangedSelf(TypedDict):
    """What administrators change of themselves."""

    email: NotRequired[str]
    firstname: NotRequired[str]
    lastname: NotRequired[str]
    username: NotRequired[str]
    preferedLanguage: NotRequired[str]
    currentPassword: NotRequired[str]
    password: NotRequired[str]


class Ids(TypedDict):
    """Several at once."""

    ids: list[int]
