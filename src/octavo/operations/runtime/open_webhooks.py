"""Open the storage and sender of webhooks. The HTTP client is imported when the first message is sent."""

from typing import TYPE_CHECKING

from octavo.database.connection import Database
from octavo.events.outbox import Outbox
from octavo.events.webhooks.messages import Answer, Sent
from octavo.events.webhooks.store import Webhooks
from octavo.events.webhooks.webhook import Webhook
from octavo.settings import Settings

if TYPE_CHECKING:
    from octavo.events.webhooks.http_sender import WebhookSender


def open_webhooks(settings: Settings, database: Database, outbox: Outbox) -> Webhooks:
    """Return the webhooks of a database, sent as configured."""
    return Webhooks(database, outbox, _LatePoster(settings))


class _LatePoster:
    """Send messages. The actual sender is created for the first one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._poster: WebhookSender | None = None

    async def post(self, webhook: Webhook, sent: Sent) -> Answer:
        """Send a message once."""
        return await self._made().post(webhook, sent)

    async def refusal(self, url: str) -> str | None:
        """Return why Octavo refuses to send to a URL, or None."""
        return await self._made().refusal(url)

    def _made(self) -> "WebhookSender":
        if self._poster is None:
            self._poster = open_poster(self._settings)
        return self._poster


def open_poster(settings: Settings) -> "WebhookSender":
    """Return the sender with the configured options."""
    from octavo.events.webhooks.http_sender import SenderOptions, WebhookSender  # the HTTP client is slow to load

    given = settings.server.webhooks
    return WebhookSender(
        SenderOptions(
            seconds=float(given.timeout), private_hosts=frozenset(given.private_hosts), headers=given.default_headers
        )
    )
