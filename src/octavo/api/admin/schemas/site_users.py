"""Settings of users, their roles, sign-in providers and email templates."""

from typing import NotRequired, TypedDict


class ActionState(TypedDict):
    """Whether a user role has an action."""

    enabled: bool
    policy: NotRequired[str]


class SiteControllers(TypedDict):
    """The actions of an API or a plugin, by controller and action."""

    controllers: dict[str, dict[str, ActionState]]


class SiteRole(TypedDict):
    """A user role. Lists have `nb_users`, a single role has `permissions`."""

    id: int
    name: str
    description: str | None
    type: str
    nb_users: NotRequired[int]
    permissions: NotRequired[dict[str, SiteControllers]]


class SiteRoleAnswer(TypedDict):
    """A user role."""

    role: SiteRole


class SiteRolesAnswer(TypedDict):
    """User roles."""

    roles: list[SiteRole]


class UserRoleInput(TypedDict):
    """The values of a user role."""

    name: str
    description: str
    permissions: dict[str, SiteControllers]


class SiteActionsAnswer(TypedDict):
    """All actions that user roles can have."""

    permissions: dict[str, SiteControllers]


class SiteRoute(TypedDict):
    """A route of the content API, and its action."""

    method: str
    path: str
    handler: str


class SiteRoutesAnswer(TypedDict):
    """The routes of the content API."""

    routes: dict[str, list[SiteRoute]]


class Provider(TypedDict):
    """A sign-in provider."""

    enabled: bool
    icon: NotRequired[str]
    key: NotRequired[str]
    secret: NotRequired[str]
    callback: NotRequired[str]
    scope: NotRequired[list[str]]
    subdomain: NotRequired[str]
    redirectUri: NotRequired[str]


class ProvidersInput(TypedDict):
    """All providers."""

    providers: dict[str, Provider]


class TemplateSender(TypedDict):
    """The sender of a mail."""

    name: str
    email: str


TemplateOptions = TypedDict(
    "TemplateOptions",
    {"from": TemplateSender, "response_email": str, "object": str, "message": str},
)
"""A mail's sender, subject and text. `from` is a reserved word in Python."""


class MailTemplate(TypedDict):
    """A template of a mail to users."""

    display: str
    icon: str
    options: TemplateOptions


EmailTemplatesInput = TypedDict("EmailTemplatesInput", {"email-templates": dict[str, MailTemplate]})
"""All templates of mails to users."""


class AdvancedSettings(TypedDict):
    """The settings of user registration."""

    unique_email: bool
    allow_register: bool
    email_confirmation: bool
    email_reset_password: str | None
    email_confirmation_redirection: str | None
    default_role: str


class AdvancedAnswer(TypedDict):
    """The settings of user registration, and the roles that users can get."""

    settings: AdvancedSettings
    roles: list[SiteRole]
