"""Sign in, registration and password resets of administrators."""

from typing import NotRequired, TypedDict

from octavo.api.admin.schemas.administrators import Administrator


class Credentials(TypedDict):
    """The credentials of an administrator."""

    email: str
    password: str


class Entered(TypedDict):
    """An access token and its administrator."""

    token: str
    user: Administrator


class SessionAnswer(TypedDict):
    """A new session."""

    data: Entered


class NewAdministrator(TypedDict):
    """The first administrator. `code` is the code from the log, if required."""

    email: str
    password: str
    firstname: str
    lastname: NotRequired[str]
    code: NotRequired[str]


class Invited(TypedDict):
    """An accepted invitation."""

    registrationToken: str
    userInfo: "RegistrationDetails"


class RegistrationDetails(TypedDict):
    """The account of an invited administrator."""

    firstname: str
    lastname: NotRequired[str]
    password: str


class InvitationNames(TypedDict):
    """The invited person."""

    email: str
    firstname: str | None
    lastname: str | None


class InvitationAnswer(TypedDict):
    """An invitation."""

    data: InvitationNames


class ForgottenPassword(TypedDict):
    """The recipient of a password reset token."""

    email: str


class NewPassword(TypedDict):
    """A new password, with the token from the email."""

    resetPasswordToken: str
    password: str


class LoginPage(TypedDict):
    """The data of the sign-in page."""

    uuid: str | bool
    hasAdmin: bool
    menuLogo: str | None
    authLogo: str | None


class LoginPageAnswer(TypedDict):
    """The data of the sign-in page."""

    data: LoginPage
