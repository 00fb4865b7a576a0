"""Getting in and out."""

from typing import NotRequired, TypedDict

from octavo.api.admin.schemas.administrators import Administrator


class Credentials(TypedDict):
    """What somebody logs in with."""

    email: str
    password: str


class Entered(TypedDict):
    """An access token, and whose it is."""

    token: str
    user: Administrator


class EnteredAnswer(TypedDict):
    """A session has begun."""

    data: Entered


class NewAdministrator(TypedDict):
    """The first administrator; `code` is the one in the log, where it is asked for."""

    email: str
    password: str
    firstname: str
    lastname: NotRequired[str]
    code: NotRequired[str]


class Invited(TypedDict):
    """An invitation that is accepted."""

    registrationToken: str
    userInfo: "InvitedPerson"


class InvitedPerson(TypedDict):
    """Who was invited, by themselves."""

    firstname: str
    lastname: NotRequired[str]
    password: str


class InvitationNames(TypedDict):
    """Whom an invitation is for."""

    email: str
    firstname: str | None
    lastname: str | None


class InvitationAnswer(TypedDict):
    """An invitation."""

    data: InvitationNames


class ForgottenPassword(TypedDict):
    """Where to send a token."""

    email: str


class NewPassword(TypedDict):
    """Another password, by a mailed token."""

    resetPasswordToken: str
    password: str


class LoginPage(TypedDict):
    """What a login page needs."""

    uuid: str | bool
    hasAdmin: bool
    menuLogo: str | None
    authLogo: str | None


class LoginPageAnswer(TypedDict):
    """What a login page needs."""

    data: LoginPage
