"""Endpoints for webhooks, compatible with v4, and for their delivery log.

URLs are checked when messages are sent and, depending on the rule `webhookAddresses`, when a webhook is saved.
"""

from typing import Any, Final

from octavo.access.authorization.ability import FIND
from octavo.access.authorization.actions import action_on
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.escalation import check_actions_within
from octavo.api.admin.answers import data_answer
from octavo.api.admin.endpoints.sessions import PREFIX
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.administrators import Ids
from octavo.api.admin.schemas.monitoring import DeliveriesAnswer
from octavo.api.admin.schemas.tokens import TriggerAnswer, WebhookAnswer, WebhookInput, WebhooksAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.clock import format_timestamp
from octavo.core.errors import BadRequestError, NotFoundError, Problem, ValidationError
from octavo.core.forms import REQUIRED, Flag, Items, Record, Rule, Shape, Text, check, rule
from octavo.events.webhooks.change_listener import triggers_webhooks
from octavo.events.webhooks.delivery_log import Delivery
from octavo.events.webhooks.messages import Answer
from octavo.events.webhooks.store import Webhooks
from octavo.events.webhooks.webhook import EVENTS, Webhook, checked, is_address
from octavo.query.numbers import plain_id, read_entry_id
from octavo.schema.content_types import FILE
from octavo.schema.registry import Registry

_HOOKS: Final = f"{PREFIX}/webhooks"
_V4_URL: Final = rule("{path} must be a valid URL", lambda text: not text or is_address(text))


def _form(*url_rules: Rule, **more: Shape) -> Record:
    members = {"name": Text(REQUIRED), "url": Text(*url_rules, REQUIRED)}
    return Record(
        {**members, "headers": Record({}, REQUIRED), "events": Items(Text(), REQUIRED), **more},
        closed=True,
    )


class WebhookEndpoints:
    """`/admin/webhooks`"""

    operations = (
        AdminOperation("GET", _HOOKS, "find", "List webhooks", ("admin::webhooks.read",), answer=WebhooksAnswer),
        AdminOperation(
            "POST",
            _HOOKS,
            "create",
            "Create a webhook",
            ("admin::webhooks.create",),
            answer=WebhookAnswer,
            body=WebhookInput,
        ),
        AdminOperation(
            "POST", f"{_HOOKS}/batch-delete", "delete_many", "Delete some", ("admin::webhooks.delete",), body=Ids
        ),
        AdminOperation(
            "GET", f"{_HOOKS}/:id", "find_one", "Show a webhook", ("admin::webhooks.read",), answer=WebhookAnswer
        ),
        AdminOperation(
            "PUT",
            f"{_HOOKS}/:id",
            "update",
            "Update a webhook",
            ("admin::webhooks.update",),
            answer=WebhookAnswer,
            body=WebhookInput,
        ),
        AdminOperation("DELETE", f"{_HOOKS}/:id", "delete", "Delete a webhook", ("admin::webhooks.delete",)),
        AdminOperation(
            "POST",
            f"{_HOOKS}/:id/trigger",
            "trigger",
            "Test a webhook",
            ("admin::webhooks.update",),
            answer=TriggerAnswer,
        ),
    )

    def __init__(self, webhooks: Webhooks, registry: Registry, *, checks_addresses: bool) -> None:
        self._sent_actions = [action_on(uid, FIND) for uid in registry.content_types if triggers_webhooks(uid)]
        self._checks_addresses = checks_addresses
        self._webhooks = webhooks
        rules = () if checks_addresses else (_V4_URL,)
        self._new, self._changed = _form(*rules), _form(*rules, isEnabled=Flag())

    async def find(self, _: Request, __: Actor) -> Response:
        """GET /admin/webhooks"""
        return data_answer([_shown(webhook) for webhook in await self._webhooks.all()])

    async def find_one(self, request: Request, _: Actor) -> Response:
        """GET /admin/webhooks/:id"""
        return data_answer(_shown(await self._found(request)))

    async def create(self, request: Request, actor: Actor) -> Response:
        """POST /admin/webhooks"""
        given = await request.json()
        check(self._new, given)
        self._check_readable(given["events"], actor)
        await self._check_address(given["url"])
        return data_answer(_shown(await self._webhooks.create(**_values(given))), status=201)

    async def update(self, request: Request, actor: Actor) -> Response:
        """PUT /admin/webhooks/:id"""
        given = await request.json()
        check(self._changed, given)
        webhook = await self._found(request)
        if given.get("isEnabled", webhook.enabled) and not _sends_no_more(given, webhook):
            self._check_readable(given["events"], actor)
        if given["url"] != webhook.url:
            await self._check_address(given["url"])
        return data_answer(_shown(await self._webhooks.update(webhook.id, **_values(given))))

    async def delete(self, request: Request, _: Actor) -> Response:
        """DELETE /admin/webhooks/:id"""
        webhook = await self._found(request)
        return data_answer(_shown(await self._webhooks.delete(webhook.id)))

    async def delete_many(self, request: Request, _: Actor) -> Response:
        """POST /admin/webhooks/batch-delete: ignores missing ids and returns all."""
        given = await request.json()
        ids = given.get("ids") if isinstance(given, dict) else None
        if not isinstance(ids, list) or not ids or not all(plain_id(one) for one in ids):
            raise BadRequestError("ids must be an array of id")
        for number in dict.fromkeys(plain_id(one) for one in ids):
            try:
                await self._webhooks.delete(number)
            except NotFoundError:
                continue
        return data_answer(ids)

    async def trigger(self, request: Request, _: Actor) -> Response:
        """POST /admin/webhooks/:id/trigger: sends a test message and returns the result, without the response body."""
        webhook = await self._found(request)
        return data_answer(_outcome(webhook, await self._webhooks.test(webhook.id)))

    def _check_readable(self, events: list[str], actor: Actor) -> None:
        """Raise ForbiddenError if the webhook would receive content that the administrator cannot read."""
        if any(event.startswith("media.") for event in events):
            check_actions_within(actor, [action_on(FILE, FIND)])
        if any(not event.startswith("media.") for event in events):
            check_actions_within(actor, self._sent_actions)

    async def _check_address(self, url: str) -> None:
        if not self._checks_addresses:
            return
        checked({"url": url})
        refusal = await self._webhooks.refusal(url)
        if refusal is not None:
            raise ValidationError.from_problems([Problem(("url",), refusal)])

    async def _found(self, request: Request) -> Webhook:
        try:
            return await self._webhooks.get(plain_id(request.path_values["id"]))
        except NotFoundError:
            raise NotFoundError("webhook.notFound") from None


def _sends_no_more(given: dict[str, Any], found: Webhook) -> bool:
    """Return whether a changed webhook receives no more than before."""
    same = given["url"] == found.url and given["headers"] == dict(found.headers)
    return same and found.enabled and {*given["events"]} <= {*found.events}


def _values(given: dict[str, Any]) -> dict[str, Any]:
    """Convert the body of v4's admin panel to a webhook's fields."""
    for event in given["events"]:
        if event not in EVENTS:
            raise ValidationError(f"Webhook event {event} is not supported")
    values = {name: given[name] for name in ("name", "url", "headers", "events")}
    return {**values, "enabled": given["isEnabled"]} if "isEnabled" in given else values


def _shown(webhook: Webhook) -> dict[str, Any]:
    return {
        "id": webhook.id,
        "name": webhook.name,
        "url": webhook.url,
        "headers": dict(webhook.headers),
        "events": list(webhook.events),
        "isEnabled": webhook.enabled,
    }


def _outcome(webhook: Webhook, answer: Answer) -> dict[str, Any]:
    if answer.error is None:
        return {"statusCode": answer.status, "message": ""}
    if answer.status is not None:
        return {"statusCode": answer.status, "message": answer.error}
    return {"statusCode": 500, "message": f"request to {webhook.url} failed, reason: {answer.error}"}


_MOST: Final = 50
_MOST_TEXT: Final = 20_000
"""Maximum characters of a body in responses."""


class DeliveryEndpoints:
    """`/octavo/webhooks/:id/deliveries`"""

    operations = (
        AdminOperation(
            "GET",
            "/octavo/webhooks/:id/deliveries",
            "find",
            "List the latest deliveries of a webhook",
            ("admin::webhooks.read",),
            answer=DeliveriesAnswer,
        ),
        AdminOperation(
            "POST",
            "/octavo/webhooks/:id/deliveries/:message/redeliver",
            "redeliver",
            "Redeliver a webhook message",
            ("admin::webhooks.update",),
        ),
    )

    def __init__(self, webhooks: Webhooks) -> None:
        self._webhooks = webhooks

    async def find(self, request: Request, _: Actor) -> Response:
        """GET /octavo/webhooks/:id/deliveries"""
        webhook = await self._webhooks.get(_webhook_id(request))
        deliveries = await self._webhooks.deliveries(webhook.id, _MOST)
        return data_answer(
            {
                "results": [_delivery(one) for one in deliveries],
                "failures": webhook.failures,
                "disabledBecause": webhook.disabled_because,
                "isSigned": webhook.secret is not None,
            }
        )

    async def redeliver(self, request: Request, _: Actor) -> Response:
        """POST .../:message/redeliver: queues the message. The result is in the delivery log."""
        message = request.path_values["message"]
        if (await self._webhooks.delivery(message)).webhook_id != _webhook_id(request):
            raise NotFoundError(f"No message has the ID {message}")
        await self._webhooks.redeliver(message)
        return data_answer({}, status=202)


def _webhook_id(request: Request) -> int:
    return read_entry_id(request.path_values["id"]) or 0


def _delivery(one: Delivery) -> dict[str, Any]:
    return {
        "id": one.message_id,
        "event": one.event,
        "url": one.url,
        "body": one.body[:_MOST_TEXT],
        "attempts": one.attempts,
        "delivered": one.delivered,
        "status": one.status,
        "answer": one.answer[:_MOST_TEXT],
        "error": one.error,
        "milliseconds": one.milliseconds,
        "createdAt": format_timestamp(one.created_at),
        "sentAt": format_timestamp(one.sent_at),
    }
