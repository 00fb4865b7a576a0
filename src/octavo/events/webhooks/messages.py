"""Webhook messages as stored in the outbox, and their results. The body is text, so that every attempt sends the same
bytes."""

import secrets
from dataclasses import asdict
from typing import Any, Final, Protocol

from octavo.core.values import dataclass
from octavo.events.webhooks.webhook import Webhook

TOPIC: Final = "webhook"
MOST_ANSWER: Final = 4_096
"""Maximum bytes of a response that are stored."""


def new_id() -> str:
    """Return an id with which a receiver can detect duplicates."""
    return f"msg_{secrets.token_hex(16)}"


@dataclass(frozen=True, slots=True)
class Sent:
    """A message to a webhook. `asked`: a user has requested this delivery, so it is sent in any case, and only once."""

    id: str
    webhook: int
    event: str
    body: str
    asked: bool = False

    def payload(self) -> dict[str, Any]:
        """Return the payload for the outbox."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of one attempt. Without a response, there is no `status`; `error` explains why it is not a success."""

    status: int | None
    text: str
    error: str | None
    milliseconds: int


class MessageSender(Protocol):
    """Sends messages."""

    async def post(self, webhook: Webhook, sent: Sent) -> Answer:
        """Send a message once, and return the result."""

    async def refusal(self, url: str) -> str | None:
        """Return why nothing would be sent to a URL; None if it would, or if its host cannot be resolved now."""


"""Sends a message, once."""
