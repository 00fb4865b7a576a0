"""The interface of mailers, and messages. Implementations are in the other modules of this package.

Mailers raise `MailProblem` if a message cannot be sent.
"""

from dataclasses import field
from typing import Final, Protocol

from octavo.core.counters import MAILS
from octavo.core.values import dataclass


class MailProblem(Exception):
    """A message could not be sent."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """An attachment: its name, content, and media type (`text/csv; charset=utf-8`)."""

    name: str
    content: bytes = field(repr=False)
    kind: str = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Message:
    """A message to one recipient. `sender` and `reply_to` default to the mailer's; `text` defaults to the HTML as
    text."""

    to: str
    subject: str
    html: str
    sender: str = ""
    sender_name: str = ""
    reply_to: str = ""
    text: str = ""
    attachments: tuple[Attachment, ...] = ()


class Mailer(Protocol):
    """Sends messages."""

    async def send(self, message: Message) -> None:
        """Send a message. Raises MailProblem."""


@dataclass(frozen=True, slots=True)
class Sender:
    """The default sender of messages and the reply address: `a@b.org` or `A <a@b.org>`."""

    address: str = "no-reply@localhost"
    reply_to: str = ""


NO_SENDER: Final = Sender()


@dataclass(frozen=True, slots=True)
class NoMailer:
    """The mailer if no other is configured. It always raises MailProblem."""

    reason: str = "Email is not configured. Set email.config in config/plugins.toml"

    async def send(self, message: Message) -> None:
        MAILS.add("failed")
        raise MailProblem(self.reason)


class CountingMailer:
    """Counts the messages that another mailer sends."""

    def __init__(self, mailer: Mailer) -> None:
        self._mailer = mailer

    async def send(self, message: Message) -> None:
        """Send a message. Raises MailProblem."""
        try:
            await self._mailer.send(message)
        except Exception:
            MAILS.add("failed")
            raise
        MAILS.add("sent")
