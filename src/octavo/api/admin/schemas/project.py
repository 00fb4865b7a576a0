"""Locales, mail and media, as they are set."""

from typing import NotRequired, TypedDict


class KnownLocale(TypedDict):
    """A locale that can be added."""

    code: str
    name: str


class NewLocale(TypedDict):
    """A locale that is added."""

    code: str
    name: NotRequired[str | None]
    isDefault: bool


class ChangedLocale(TypedDict):
    """What is changed of a locale."""

    name: NotRequired[str | None]
    isDefault: NotRequired[bool]


class MailSenders(TypedDict):
    """Whom mails are from."""

    defaultFrom: NotRequired[str]
    defaultReplyTo: NotRequired[str]
    testAddress: NotRequired[str]


class MailConfig(TypedDict):
    """How mail leaves."""

    provider: str
    settings: MailSenders


class MailConfigAnswer(TypedDict):
    """How mail leaves."""

    config: MailConfig


class MailRecipient(TypedDict):
    """Where to send a mail."""

    to: str


class ImageSettings(TypedDict):
    """What is done with images."""

    sizeOptimization: bool
    responsiveDimensions: bool
    autoOrientation: bool


class ImageSettingsAnswer(TypedDict):
    """What is done with images."""

    data: ImageSettings


class About(TypedDict):
    """Versions: of this software, and of v4 as it is known here."""

    version: str
    reference: str
    environment: str


class AboutAnswer(TypedDict):
    """Versions."""

    data: About


class Logo(TypedDict):
    """A picture in the place of our name."""

    name: NotRequired[str | None]
    url: NotRequired[str | None]
    width: NotRequired[int | None]
    height: NotRequired[int | None]
    ext: NotRequired[str | None]
    size: NotRequired[float | None]


class Logos(TypedDict):
    """The logos of a project: in the menu, and where one logs in."""

    menuLogo: Logo | None
    authLogo: Logo | None
