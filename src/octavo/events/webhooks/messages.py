"""Messages to webhooks, as they lie in the outbox, and what comes of them. The body is text, so that it is sent to the
byte as it was made."""

import secrets
from dataclasses import asdict
from typing import Any, Final, Protocol

from octavo.core.values import dataclass
from octavo.events.webhooks.webhook import Webhook

TOPIC: Final = "webhook"
MOST_ANSWER: Final = 4_096
"""Bytes of an answer that are kept."""


def new_id() -> str:
    """An id by which a receiver knows a message that comes twice."""
    return f"msg_{secrets.token_hex(16)}"


@dataclass(frozen=True, slots=True)
class Sent:
    """A message to a webhook. `asked`: somebody wants this very message, so that it is sent in any case, and once."""

    id: str
    webhook: int
    event: str
    body: str
    asked: bool = False

    def payload(self) -> dict[str, Any]:
        """What the outbox keeps."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of one attempt. No `status` where no answer came; `error` says why it is none that counts."""

    status: int | None
    text: str
    error: str | None
    milliseconds: int


class Posts(Protocol):
    """What sends messages."""

    async def post(self, webhook: Webhook, sent: Sent) -> Answer:
        """Send a message, once; whatever comes of it."""

    async def refusal(self, url: str) -> str | None:
        """Why nothing would be sent to an address; None where it would, or where its name cannot be found now."""


"""Sends a message, once."""
