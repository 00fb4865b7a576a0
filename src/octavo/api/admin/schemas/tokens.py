"""API tokens, transfer tokens and webhooks."""

from typing import Any, Literal, NotRequired, TypedDict


class Token(TypedDict):
    """A token. `lifespan` is in milliseconds. Only the response to its creation has the `accessKey`."""

    id: int
    name: str
    description: str | None
    type: NotRequired[Literal["read-only", "full-access", "custom"]]
    permissions: list[str] | None
    lifespan: str | None
    lastUsedAt: str | None
    expiresAt: str | None
    createdAt: NotRequired[str]
    accessKey: NotRequired[str]


class TokenAnswer(TypedDict):
    """A token."""

    data: Token


class TokensAnswer(TypedDict):
    """Tokens."""

    data: list[Token]


class NewToken(TypedDict):
    """The values of a token."""

    name: str
    description: NotRequired[str]
    type: NotRequired[str]
    lifespan: NotRequired[int | None]
    permissions: NotRequired[list[str] | None]


class AccessKey(TypedDict):
    """A new secret of a token."""

    id: int
    accessKey: str


class AccessKeyAnswer(TypedDict):
    """A new secret of a token."""

    data: AccessKey


class ActionControllers(TypedDict):
    """The actions of an API or a plugin, by controller."""

    controllers: dict[str, list[str]]


class ActionsAnswer(TypedDict):
    """The content API's actions, by API and plugin."""

    data: dict[str, ActionControllers]


class ApiRoute(TypedDict):
    """A route of the content API."""

    method: str
    path: str
    handler: str
    config: NotRequired[dict[str, Any]]
    info: NotRequired[dict[str, Any]]


class RoutesAnswer(TypedDict):
    """The routes of the content API, by API and plugin."""

    data: dict[str, list[ApiRoute]]


class WebhookDetails(TypedDict):
    """A webhook."""

    id: int
    name: str
    url: str
    headers: dict[str, str]
    events: list[str]
    isEnabled: bool


class WebhookAnswer(TypedDict):
    """A webhook."""

    data: WebhookDetails


class WebhooksAnswer(TypedDict):
    """Webhooks."""

    data: list[WebhookDetails]


class WebhookInput(TypedDict):
    """The values of a webhook."""

    name: str
    url: str
    headers: dict[str, str]
    events: list[str]
    isEnabled: NotRequired[bool]


class TriggerOutcome(TypedDict):
    """The result of a webhook's test."""

    statusCode: int
    message: NotRequired[str]


class TriggerAnswer(TypedDict):
    """The result of a webhook's test."""

    data: TriggerOutcome
