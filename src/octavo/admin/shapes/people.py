"""Administrators, their roles and rights."""

from typing import Any, NotRequired, TypedDict


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
