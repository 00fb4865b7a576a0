"""Deliver messages of the outbox to webhooks, and disable webhooks that are gone or fail for too long."""

import time
from typing import Final

from octavo.core.errors import NotFoundError
from octavo.database.connection import Database
from octavo.events.messages import Message, Retries, Topic, Undeliverable
from octavo.events.webhooks.delivery_log import RetentionLimits, forget_old
from octavo.events.webhooks.messages import TOPIC, Sent
from octavo.events.webhooks.store import Webhooks

AT_ONCE: Final = 16
_GONE: Final = 410
_SWEEP_SECONDS: Final = 60.0


def retry_schedule(attempts: int) -> Retries:
    """Return when a failed delivery is retried: after 10 s, 40 s, 160 s, up to every 6 hours, `attempts` in total."""
    return Retries(attempts=attempts, first=10.0, factor=4.0, longest=6 * 3600.0)


class DeliveryFailed(Exception):
    """The receiver did not accept a message. It is retried."""


class WebhookDelivery:
    """The topic's handler. `most_failures`: consecutive failed messages before a webhook is disabled; 0 means never."""

    def __init__(
        self, database: Database, webhooks: Webhooks, retries: Retries, most_failures: int, kept: RetentionLimits
    ) -> None:
        self._database = database
        self._webhooks = webhooks
        self._retries = retries
        self._most_failures = most_failures
        self._kept = kept
        self._sweep_at = 0.0

    def topic(self, seconds: float) -> Topic:
        """Return the topic. `seconds` is the timeout of an attempt."""
        return Topic(TOPIC, self._deliver, self._retries, seconds + 15.0, AT_ONCE)

    async def _deliver(self, message: Message) -> None:
        sent = Sent(**message.payload)
        webhook = next((one for one in await self._webhooks.all() if one.id == sent.webhook), None)
        if webhook is None:
            return  # deleted in the meantime
        if not webhook.enabled and not sent.asked:
            raise Undeliverable(f"the webhook {webhook.name!r} is disabled")
        answer = await self._webhooks.send(webhook, sent)
        await self._sweep()
        if answer.error is None:
            if webhook.failures:
                await self._webhooks.clear_failures(webhook.id)
        elif not sent.asked:
            await self._fail(message, webhook.id, answer.status, f"{webhook.name}: {answer.error}")

    async def _fail(self, message: Message, webhook_id: int, status: int | None, error: str) -> None:
        try:
            if status == _GONE:
                await self._webhooks.switch_off(webhook_id, "the URL returned 410 Gone")
                raise Undeliverable(error)
            if message.attempt >= self._retries.attempts:
                await self._webhooks.count_failure(webhook_id, self._most_failures)
        except NotFoundError:
            return  # deleted in the meantime
        raise DeliveryFailed(error)

    async def _sweep(self) -> None:
        now = time.monotonic()
        if now >= self._sweep_at:
            self._sweep_at = now + _SWEEP_SECONDS
            await forget_old(self._database, self._kept)
