"""What is set about users of the site."""

from typing import NotRequired, TypedDict


class ActionState(TypedDict):
    """Whether users with a role may do something."""

    enabled: bool
    policy: NotRequired[str]


class SiteControllers(TypedDict):
    """The actions of an API or a plugin, by controller and action."""

    controllers: dict[str, dict[str, ActionState]]


class SiteRole(TypedDict):
    """A role of users of the site; `nb_users` in lists, `permissions` of one."""

    id: int
    name: str
    description: str | None
    type: str
    nb_users: NotRequired[int]
    permissions: NotRequired[dict[str, SiteControllers]]


class SiteRoleAnswer(TypedDict):
    """A role of users of the site."""

    role: SiteRole


class SiteRolesAnswer(TypedDict):
    """Roles of users of the site."""

    roles: list[SiteRole]


class SaidSiteRole(TypedDict):
    """What is said of a role of users of the site."""

    name: str
    description: str
    permissions: dict[str, SiteControllers]


class SiteActionsAnswer(TypedDict):
    """All that users can be granted."""

    permissions: dict[str, SiteControllers]


class SiteRoute(TypedDict):
    """A route of the content API, and the action it asks for."""

    method: str
    path: str
    handler: str


class SiteRoutesAnswer(TypedDict):
    """The routes of the content API."""

    routes: dict[str, list[SiteRoute]]


class Provider(TypedDict):
    """Somewhere to sign in with."""

    enabled: bool
    icon: NotRequired[str]
    key: NotRequired[str]
    secret: NotRequired[str]
    callback: NotRequired[str]
    scope: NotRequired[list[str]]
    subdomain: NotRequired[str]
    redirectUri: NotRequired[str]


class SaidProviders(TypedDict):
    """All providers."""

    providers: dict[str, Provider]


class TemplateSender(TypedDict):
    """Whom a mail is from."""

    name: str
    email: str


TemplateOptions = TypedDict(
    "TemplateOptions",
    {"from": TemplateSender, "response_email": str, "object": str, "message": str},
)
"""A mail's sender, subject and text: `from` is a word of Python."""


class MailTemplate(TypedDict):
    """The text of a mail to users."""

    display: str
    icon: str
    options: TemplateOptions


SaidTemplates = TypedDict("SaidTemplates", {"email-templates": dict[str, MailTemplate]})
"""All texts of mails to users."""


class AdvancedSettings(TypedDict):
    """How users register."""

    unique_email: bool
    allow_register: bool
    email_confirmation: bool
    email_reset_password: str | None
    email_confirmation_redirection: str | None
    default_role: str


class AdvancedAnswer(TypedDict):
    """How users register, and the roles they may get."""

    settings: AdvancedSettings
    roles: list[SiteRole]
