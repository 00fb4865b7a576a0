"""Settings of locales, mail and media, and facts about the project."""

from typing import NotRequired, TypedDict


class LocaleOption(TypedDict):
    """A locale that can be added."""

    code: str
    name: str


class NewLocale(TypedDict):
    """A locale to add."""

    code: str
    name: NotRequired[str | None]
    isDefault: bool


class ChangedLocale(TypedDict):
    """Changes of a locale."""

    name: NotRequired[str | None]
    isDefault: NotRequired[bool]


class MailSenders(TypedDict):
    """The senders of mails."""

    defaultFrom: NotRequired[str]
    defaultReplyTo: NotRequired[str]
    testAddress: NotRequired[str]


class MailConfig(TypedDict):
    """The email settings."""

    provider: str
    settings: MailSenders


class MailConfigAnswer(TypedDict):
    """The email settings."""

    config: MailConfig


class MailRecipient(TypedDict):
    """The recipient of a test mail."""

    to: str


class ImageSettings(TypedDict):
    """The settings of image processing."""

    sizeOptimization: bool
    responsiveDimensions: bool
    autoOrientation: bool


class ImageSettingsAnswer(TypedDict):
    """The settings of image processing."""

    data: ImageSettings


class About(TypedDict):
    """The versions of Octavo and of the supported v4."""

    version: str
    reference: str
    environment: str


class AboutAnswer(TypedDict):
    """Versions."""

    data: About


class Logo(TypedDict):
    """A custom logo."""

    name: NotRequired[str | None]
    url: NotRequired[str | None]
    width: NotRequired[int | None]
    height: NotRequired[int | None]
    ext: NotRequired[str | None]
    size: NotRequired[float | None]


class Logos(TypedDict):
    """The project's logos: in the menu and on the sign-in page."""

    menuLogo: Logo | None
    authLogo: Logo | None
