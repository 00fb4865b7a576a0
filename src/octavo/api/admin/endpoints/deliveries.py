"""The delivery log of webhooks, and sending a message again."""

from typing import Any, Final

from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import data_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.monitoring import DeliveriesAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.clock import format_timestamp
from octavo.core.errors import NotFoundError
from octavo.events.webhooks.deliveries import Delivery
from octavo.events.webhooks.store import Webhooks
from octavo.query.numbers import read_entry_id

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
            answers=DeliveriesAnswer,
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
        webhook = await self._webhooks.get(_id(request))
        found = await self._webhooks.deliveries(webhook.id, _MOST)
        return data_answer(
            {
                "results": [_shown(one) for one in found],
                "failures": webhook.failures,
                "disabledBecause": webhook.disabled_because,
                "isSigned": webhook.secret is not None,
            }
        )

    async def redeliver(self, request: Request, _: Actor) -> Response:
        """POST .../:message/redeliver: queues the message. The result is in the delivery log."""
        message = request.path_values["message"]
        if (await self._webhooks.delivery(message)).webhook_id != _id(request):
            raise NotFoundError(f"No message has the ID {message}")
        await self._webhooks.redeliver(message)
        return data_answer({}, status=202)


def _id(request: Request) -> int:
    return read_entry_id(request.path_values["id"]) or 0


def _shown(one: Delivery) -> dict[str, Any]:
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
